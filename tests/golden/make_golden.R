# Writes breast_cancer.json, digit_eight.json and wine.json beside this script: what pROC, ROCR, caret and base R
# return for the example data. Run `Rscript tests/golden/make_golden.R` after make_golden_sklearn.py, whose wine
# labels it reads. Every value is the result of evaluating the `call` beside it, after the lines of `setup`, in
# the folder of the example CSV files.

suppressPackageStartupMessages({
  library(pROC)
  library(ROCR)
  library(caret)
  library(jsonlite)
})

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
setwd(file.path(here, "..", "..", "src", "thresher", "data"))

# ---- writing ----------------------------------------------------------------

# Fewer than 17 digits are kept only when they read back to the same double.
number <- function(x) {
  if (is.nan(x)) return("\"NaN\"")
  if (is.na(x)) return("null")
  if (is.infinite(x)) return(if (x > 0) "\"Inf\"" else "\"-Inf\"")
  for (digits in c(7, 15, 16)) {
    text <- formatC(x, digits = digits, format = "g", width = 1)
    if (as.numeric(text) == x) return(text)
  }
  formatC(x, digits = 17, format = "g", width = 1)
}

scalar <- function(x) {
  if (is.na(x) && !is.nan(x)) return("null")
  if (is.logical(x)) return(if (x) "true" else "false")
  if (is.character(x)) return(as.character(toJSON(unbox(x))))
  number(x)
}

array_of <- function(items) paste0("[", paste(items, collapse = ", "), "]")

object_of <- function(x) {
  keys <- vapply(names(x), scalar, "")
  paste0("{", paste0(keys, ": ", vapply(x, json, ""), collapse = ", "), "}")
}

matrix_of <- function(x) {
  rows <- array_of(apply(unname(x), 1, function(row) array_of(vapply(row, scalar, ""))))
  labels <- function(names) if (is.null(names)) "null" else array_of(vapply(names, scalar, ""))
  parts <- c(rownames = labels(rownames(x)), colnames = labels(colnames(x)), values = rows)
  paste0("{", paste0("\"", names(parts), "\": ", parts, collapse = ", "), "}")
}

test_fields <- c("statistic", "parameter", "p.value", "conf.int", "estimate", "null.value", "alternative", "method")

json <- function(x) {
  if (is.null(x)) return("null")
  if (is.factor(x)) x <- as.character(x)
  if (inherits(x, "htest")) x <- unclass(x)[intersect(test_fields, names(x))]
  # Columns stay arrays, also when the table has one row.
  if (is.data.frame(x)) return(object_of(lapply(x, as.list)))
  if (is.matrix(x)) return(matrix_of(x))
  if (is.list(x)) return(if (is.null(names(x))) array_of(vapply(x, json, "")) else object_of(x))
  if (!is.null(names(x))) return(object_of(as.list(x)))
  items <- vapply(x, scalar, "", USE.NAMES = FALSE)
  if (length(items) == 1) items else array_of(items)
}

# ---- collecting -------------------------------------------------------------

results <- list()

# Evaluates a call and keeps it with its value. `<m>`, `<a>`, `<b>` in the id and the call are filled in from `with`.
add <- function(id, call, note = NULL, with = list()) {
  for (key in names(with)) {
    id <- gsub(paste0("<", key, ">"), with[[key]], id, fixed = TRUE)
    call <- gsub(paste0("<", key, ">"), with[[key]], call, fixed = TRUE)
  }
  said <- character()
  value <- withCallingHandlers(eval(parse(text = call), globalenv()), warning = function(w) {
    said <<- unique(c(said, conditionMessage(w)))
    invokeRestart("muffleWarning")
  })
  entry <- c(
    paste0("\"call\": ", scalar(call)),
    paste0("\"value\": ", json(value)),
    if (!is.null(note)) paste0("\"note\": ", scalar(note)),
    if (length(said)) paste0("\"warnings\": ", array_of(vapply(said, scalar, "")))
  )
  stopifnot(is.null(results[[id]]))
  results[[id]] <<- paste0("{", paste(entry, collapse = ", "), "}")
}

run_setup <- function(lines) for (line in lines) eval(parse(text = line), globalenv())

save_results <- function(name, title, setup) {
  software <- lapply(c(pROC = "pROC", ROCR = "ROCR", caret = "caret"), function(p) as.character(packageVersion(p)))
  software <- c(list(R = paste(R.version$major, R.version$minor, sep = ".")), software)
  head <- list(dataset = name, title = title, software = software, setup = as.list(setup))
  lines <- paste0("\"", names(head), "\": ", vapply(head, json, ""), collapse = ",\n")
  entries <- paste0("  ", vapply(names(results), scalar, ""), ": ", unlist(results), collapse = ",\n")
  text <- paste0("{\n", lines, ",\n\"results\": {\n", entries, "\n}\n}")
  writeLines(enc2utf8(text), file.path(here, paste0(name, ".json")), useBytes = TRUE)
  results <<- list()
}

# ---- one model --------------------------------------------------------------

proc_values <- function(m) {
  own <- function(id, call, note = NULL) add(paste0("proc/<m>/", id), call, note, list(m = m))
  own("auc", "as.numeric(auc(rocs$<m>))")
  own(
    "roc", "thin(coords(rocs$<m>, 'all', ret=c('threshold', 'sensitivity', 'specificity')))",
    "thresholds are midpoints between neighboring scores; positive when score >= threshold"
  )
  own("var_delong", "var(rocs$<m>, method='delong')")
  for (level in c("0.95", "0.9")) {
    own(
      paste0("ci_delong_", level), paste0("as.numeric(ci.auc(rocs$<m>, method='delong', conf.level=", level, "))"),
      "lower limit, AUC, upper limit; pROC clips the limits to [0, 1]"
    )
  }
  own(
    "lower_is_positive",
    paste(
      "{r <- roc(d$y, d$<m>, levels=c(0, 1), direction='>');",
      "list(auc=as.numeric(auc(r)), var_delong=var(r), ci_delong_0.95=as.numeric(ci.auc(r)))}"
    ),
    "the same scores with a lower score more positive; the interval is lower limit, AUC, upper limit"
  )
  partial <- "as.numeric(auc(rocs$<m>, partial.auc=c(%s), partial.auc.focus='%s', partial.auc.correct=%s))"
  regions <- list(c("specificity", "1,0.9"), c("specificity", "1,0.8"), c("specificity", "0.9,0.8"), c("sensitivity", "1,0.9"))
  for (region in regions) {
    for (correct in c("FALSE", "TRUE")) {
      id <- paste("partial_auc", region[1], region[2], paste0("correct_", correct), sep = "/")
      own(id, sprintf(partial, region[2], region[1], correct))
    }
  }
  proc_points(own)
}

proc_points <- function(own) {
  cells <- "ret=c('threshold', 'sensitivity', 'specificity', 'tp', 'fp', 'fn', 'tn')"
  for (method in c("youden", "closest.topleft")) {
    best <- paste0("coords(rocs$<m>, 'best', best.method='", method, "', ")
    own(paste0("best/", method), paste0(best, cells, ")"), "tied thresholds are all listed")
    own(
      paste0("best/", method, "/cost_5_prevalence_0.1"), paste0(best, "best.weights=c(5, 0.1), ", cells, ")"),
      "best.weights: cost of a false negative relative to a false positive, and prevalence"
    )
  }
  own("coords_at_0.5", "coords(rocs$<m>, 0.5, input='threshold', ret='all')")
  own(
    "sensitivity_at_specificity",
    "coords(rocs$<m>, c(0.8, 0.9, 0.95, 0.99), input='specificity', ret=c('specificity', 'sensitivity'))",
    "interpolated on the curve"
  )
  own("power", "unclass(power.roc.test(rocs$<m>))[c('ncases', 'ncontrols', 'auc', 'sig.level', 'power')]")
  own(
    "cases_for_power_0.9",
    "unclass(power.roc.test(auc=auc(rocs$<m>), power=0.9, kappa=2))[c('ncases', 'ncontrols', 'sig.level', 'power')]",
    "two controls to a case; ncases is not rounded"
  )
}

rocr_values <- function(m) {
  own <- function(id, call, note = NULL) add(paste0("rocr/<m>/", id), call, note, list(m = m))
  own(
    "by_cutoff",
    paste(
      "thin(data.frame(cutoff=preds$<m>@cutoffs[[1]],",
      "sapply(by_cutoff, function(x) performance(preds$<m>, x)@y.values[[1]], simplify=FALSE),",
      "f2=performance(preds$<m>, 'f', alpha=0.2)@y.values[[1]],",
      "cost_fn_5=performance(preds$<m>, 'cost', cost.fp=1, cost.fn=5)@y.values[[1]]))"
    ),
    paste(
      "cut-offs are the scores themselves; positive when score >= cutoff; the first is Inf.",
      "alpha = 1 / (1 + beta^2) = 0.2 is beta = 2; cost is (P/n) FNR cost.fn + (N/n) FPR cost.fp"
    )
  )
  for (measure in c("auc", "aucpr", "rmse")) own(measure, paste0("performance(preds$<m>, '", measure, "')@y.values[[1]]"))
  own("mxe", "performance(preds$<m>, 'mxe')@y.values[[1]]", "mean cross-entropy; a score of 0 or 1 gives NaN or Inf")
  own("prbe", paste(
    "{p <- performance(preds$<m>, 'prbe'); list(cutoff=p@x.values[[1]], value=p@y.values[[1]])}"
  ), "between two cut-offs ROCR returns the residual of its root search as the value: then only the cutoff is usable")
  own("ecost", paste(
    "{p <- performance(preds$<m>, 'ecost'); data.frame(probability_cost=p@x.values[[1]], cost=p@y.values[[1]])}"
  ), "lower envelope of the cost lines at its corners")
  own("hull", paste(
    "{p <- performance(preds$<m>, 'rch'); data.frame(fpr=p@x.values[[1]], tpr=p@y.values[[1]])}"
  ), "vertices of the ROC convex hull")
}

caret_values <- function(m) {
  for (threshold in c("0.5", "0.2", "2")) {
    add(paste0("caret/<m>/confusion_at_", threshold), paste0(
      "{c <- confusionMatrix(called(d$<m>, ", threshold, "), truth, positive='positive'); ",
      "list(counts=t(c$table), overall=as.list(c$overall), byClass=as.list(c$byClass))}"
    ), "rows of counts are truth, columns prediction, positive first", list(m = m))
  }
}

base_values <- function(m) {
  own <- function(id, call, note = NULL) add(paste0("base/<m>/", id), call, note, list(m = m))
  own("wilcox", "wilcox.test(pos$<m>, neg$<m>, exact=FALSE, correct=FALSE)", "W / (P N) is the AUC")
  own("wilcox_continuity", "wilcox.test(pos$<m>, neg$<m>, exact=FALSE, correct=TRUE)")
  ks_note <- "asymptotic two-sided p-value, as 1 minus a distribution function: tiny values come out as 0"
  own("ks", "ks.test(pos$<m>, neg$<m>, exact=FALSE)", ks_note)
  own("ks_fold_1", "ks.test(pos$<m>[pos$fold == 1], neg$<m>[neg$fold == 1], exact=FALSE)", ks_note)
  own("ks_odd_folds", "ks.test(d$<m>[d$fold %% 2 == 1], d$<m>[d$fold %% 2 == 0], exact=FALSE)", "two samples of one kind")
  cells <- "{k <- cells(d$<m> >= 0.5); "
  shares <- c(
    sensitivity = "k$tp, k$tp + k$fn", specificity = "k$tn, k$tn + k$fp", precision = "k$tp, k$tp + k$fp",
    negative_predictive_value = "k$tn, k$tn + k$fn", accuracy = "k$tp + k$tn, nrow(d)"
  )
  for (share in names(shares)) own(paste0("proportion_at_0.5/", share), paste0(cells, "intervals(", shares[[share]], ")}"))
  own("no_information_rate_test", paste0(
    cells, "binom.test(k$tp + k$tn, nrow(d), max(mean(d$y), 1 - mean(d$y)), alternative='greater')}"
  ))
  own(
    "hanley_mcneil_se",
    paste(
      "{A <- as.numeric(auc(rocs$<m>)); P <- sum(d$y); N <- sum(1 - d$y); q1 <- A / (2 - A); q2 <- 2 * A^2 / (1 + A);",
      "sqrt((A * (1 - A) + (P - 1) * (q1 - A^2) + (N - 1) * (q2 - A^2)) / (P * N))}"
    ),
    "formula written out in the call, not a package's value"
  )
  own(
    "ci_delong_logit_0.95",
    paste(
      "{A <- as.numeric(auc(rocs$<m>)); e <- sqrt(var(rocs$<m>)) / (A * (1 - A));",
      "plogis(qlogis(A) + c(-1, 1) * qnorm(0.975) * e)}"
    ),
    "formula written out in the call, not a package's value"
  )
  own("brier", "mean((d$<m> - d$y)^2)")
  if (all(d[[m]] > 0 & d[[m]] < 1)) {
    own("cox_calibration", "coef(summary(glm(y ~ qlogis(<m>), binomial, d)))", "calibration intercept and slope")
    own(
      "calibration_in_the_large", "coef(summary(glm(y ~ 1, binomial, d, offset=qlogis(<m>))))",
      "calibration intercept with the slope fixed at 1"
    )
  }
}

# ---- models side by side, groups, folds --------------------------------------

pair_values <- function(a, b) {
  own <- function(id, call, note = NULL) add(id, call, note, list(a = a, b = b))
  own("proc/<a>_vs_<b>/delong", "roc.test(rocs$<a>, rocs$<b>, paired=TRUE, method='delong')")
  own("proc/<a>_vs_<b>/delong_greater", "roc.test(rocs$<a>, rocs$<b>, paired=TRUE, method='delong', alternative='greater')")
  own("proc/<a>_vs_<b>/cov_delong", "cov(rocs$<a>, rocs$<b>, method='delong')")
  own(
    "proc/<a>_vs_<b>/power",
    "unclass(power.roc.test(rocs$<a>, rocs$<b>, method='delong'))[c('ncases', 'ncontrols', 'sig.level', 'power')]",
    "not symmetric in the two curves: pROC takes the null variance from the first curve only"
  )
  right <- "{x <- (d$<a> >= 0.5) == d$y; y <- (d$<b> >= 0.5) == d$y; "
  own(
    "base/<a>_vs_<b>/discordant_at_0.5", paste0(right, "list(only_a_right=sum(x & !y), only_b_right=sum(!x & y))}")
  )
  own("base/<a>_vs_<b>/mcnemar", paste0(right, "mcnemar.test(table(x, y), correct=FALSE)}"))
  own("base/<a>_vs_<b>/mcnemar_continuity", paste0(right, "mcnemar.test(table(x, y), correct=TRUE)}"))
  own("base/<a>_vs_<b>/mcnemar_exact_p", paste0(right, "binom.test(sum(x & !y), sum(x != y))$p.value}"))
}

group_values <- function(m, group, levels) {
  in_group <- "roc(y ~ <m>, d[d$<g> == '<l>', ], levels=c(0, 1), direction='<')"
  for (level in levels) {
    add(paste0("groups/<m>/<l>"), paste0(
      "{r <- ", in_group, "; list(positive=length(r$cases), negative=length(r$controls), ",
      "auc=as.numeric(auc(r)), var_delong=var(r), ci_delong_0.95=as.numeric(ci.auc(r)))}"
    ), "pROC clips the limits to [0, 1]", list(m = m, g = group, l = level))
  }
  add("groups/<m>/<l>_vs_<k>", paste0(
    "roc.test(", in_group, ", ", gsub("<l>", "<k>", in_group, fixed = TRUE), ", paired=FALSE, method='delong')"
  ), "different rows: pROC's t-type test with Satterthwaite degrees of freedom", list(
    m = m, g = group, l = levels[1], k = levels[length(levels)]
  ))
  add("folds/<m>/auc", paste(
    "sapply(1:10, function(k) as.numeric(auc(roc(y ~ <m>, d[d$fold == k, ], levels=c(0, 1), direction='<'))))"
  ), "folds 1 to 10", list(m = m))
}

example_values <- function(name, title, label, positive, keep, group, levels) {
  setup <- c(
    "library(pROC); library(ROCR); library(caret)",
    sprintf("d <- read.csv('%s.csv'); d$y <- as.integer(d$%s == '%s'); models <- names(d)[3:5]", name, label, positive),
    "pos <- d[d$y == 1, ]; neg <- d[d$y == 0, ]",
    "rocs <- lapply(d[models], function(s) roc(d$y, s, levels=c(0, 1), direction='<'))",
    "preds <- lapply(d[models], function(s) prediction(s, d$y))",
    "by_cutoff <- c('acc', 'err', 'fpr', 'tpr', 'rec', 'prec', 'npv', 'f', 'mat', 'odds', 'lift', 'rpp')",
    sprintf("thin <- function(t) t[unique(round(seq(1, nrow(t), length.out=min(nrow(t), %s)))), , drop=FALSE]", keep),
    "called <- function(s, t) factor(ifelse(s >= t, 'positive', 'negative'), levels=c('positive', 'negative'))",
    "truth <- called(d$y, 1)",
    "cells <- function(h) list(tp=sum(h & d$y == 1), fp=sum(h & d$y == 0), fn=sum(!h & d$y == 1), tn=sum(!h & d$y == 0))",
    proportion_setup
  )
  run_setup(setup)
  add("counts", "list(n=nrow(d), positive=sum(d$y), negative=sum(1 - d$y))")
  for (m in models) {
    proc_values(m)
    rocr_values(m)
    caret_values(m)
    base_values(m)
    group_values(m, group, levels)
  }
  pairs <- combn(models, 2)
  for (i in seq_len(ncol(pairs))) pair_values(pairs[1, i], pairs[2, i])
  if (name == "breast_cancer") edge_proportions()
  save_results(name, title, setup)
}

proportion_setup <- paste(
  "intervals <- function(x, n) list(successes=x, trials=n,",
  "wilson_0.95=as.numeric(prop.test(x, n, correct=FALSE)$conf.int),",
  "wilson_0.9=as.numeric(prop.test(x, n, conf.level=0.9, correct=FALSE)$conf.int),",
  "clopper_pearson_0.95=as.numeric(binom.test(x, n)$conf.int),",
  "clopper_pearson_0.9=as.numeric(binom.test(x, n, conf.level=0.9)$conf.int))"
)

edge_proportions <- function() {
  for (case in list(c(0, 1), c(1, 1), c(0, 10), c(5, 10), c(10, 10), c(1, 569), c(0, 100000))) {
    add(sprintf("base/proportion/%d_of_%d", case[1], case[2]), sprintf("intervals(%d, %d)", case[1], case[2]))
  }
}

# ---- three classes ------------------------------------------------------------

wine_values <- function() {
  setup <- c(
    "library(pROC); library(caret); library(jsonlite)",
    "wine <- fromJSON(file.path(here, 'sklearn.json'))$data$wine",
    "y <- factor(wine$y, levels=0:2); hard <- factor(wine$hard, levels=0:2); p <- wine$p; colnames(p) <- 0:2",
    "blind <- factor(pmin(wine$hard, 1), levels=0:2)",
    "matrix_values <- function(c) list(counts=t(c$table), overall=as.list(c$overall), byClass=c$byClass)",
    "pair <- function(r) list(auc=as.numeric(auc(r)), var_delong=var(r), ci_delong_0.95=as.numeric(ci.auc(r)))"
  )
  run_setup(setup)
  rows <- "rows of counts are truth, columns prediction; byClass has one row a class"
  add("caret/confusion", "matrix_values(confusionMatrix(hard, y))", rows)
  add("caret/confusion_blind", "matrix_values(confusionMatrix(blind, y))", paste0(rows, "; class 2 is never predicted"))
  add("base/bowker", "mcnemar.test(table(y, hard))", "symmetry of the 3 x 3 table")
  add("proc/hand_till", "as.numeric(multiclass.roc(y, p, direction='>')$auc)", "Hand & Till's M")
  add(
    "proc/conditional_auc",
    paste(
      "{one <- function(k, l) if (k == l) NA else {i <- y %in% c(k, l);",
      "as.numeric(auc(roc(y[i] == k, p[i, as.character(k)], levels=c(FALSE, TRUE), direction='<')))};",
      "m <- outer(0:2, 0:2, Vectorize(one)); dimnames(m) <- list(0:2, 0:2); m}"
    ),
    "row k, column l: AUC of class k against class l by the probability of k"
  )
  for (k in 0:2) {
    add(
      paste0("proc/one_vs_rest/", k),
      sprintf("pair(roc(y == %d, p[, '%d'], levels=c(FALSE, TRUE), direction='<'))", k, k)
    )
  }
  save_results("wine", "three classes: labels and posteriors of a logistic model, listed in sklearn.json", setup)
}

example_values(
  "breast_cancer", "breast cancer: three models, all thresholds", "diagnosis", "malignant", "Inf",
  "nucleus_size", c("small", "medium", "large")
)
example_values(
  "digit_eight", "is the digit an 8: three models, rare positives, 50 thresholds each", "is_eight", "1", "50",
  "ink", c("low", "high")
)
wine_values()
