# Writes multiclass.json beside this script: what pROC says about the posteriors of the examples with several classes, and
# volumes under the ROC surface of the wine posteriors by looking at every triple. Run
# `Rscript tests/golden/make_multiclass.R`; it needs r-cran-proc and r-cran-jsonlite.

suppressPackageStartupMessages({
  library(pROC)
  library(jsonlite)
})

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
setwd(file.path(here, "..", "..", "src", "thresher", "data"))

# AUC of the rows of one class against others, by a score.
against <- function(score, own, other) {
  rows <- own | other
  roc(as.integer(own[rows]), score[rows], levels = c(0, 1), direction = "<", quiet = TRUE)
}

described <- function(truth, p) {
  classes <- sort(unique(truth))
  colnames(p) <- classes
  pairs <- sapply(classes, function(l) sapply(classes, function(k) {
    if (k == l) NA else as.numeric(auc(against(p[, as.character(k)], truth == k, truth == l)))
  }))
  rest <- lapply(classes, function(k) against(p[, as.character(k)], truth == k, truth != k))
  own <- p[cbind(seq_along(truth), match(truth, classes))]
  list(
    hand_till = as.numeric(multiclass.roc(factor(truth, levels = classes), p, quiet = TRUE)$auc),
    conditional_auc = pairs,
    one_vs_rest = sapply(rest, function(r) as.numeric(auc(r))),
    one_vs_rest_variance = sapply(rest, function(r) var(r)),
    log_loss = -mean(log(own)),
    brier_score = mean(rowSums((p - outer(truth, classes, "=="))^2)),
    top_2 = mean(sapply(seq_along(truth), function(i) classes[order(-p[i, ])[1]] == truth[i] ||
                                                      classes[order(-p[i, ])[2]] == truth[i]))
  )
}

# Chance that one row of each class are in order, equal scores counting 1/2 (two tied) or 1/6 (three).
ordinal <- function(truth, score) {
  s <- split(score, truth)
  triples <- expand.grid(a = s[[1]], b = s[[2]], c = s[[3]])
  credit <- with(triples, ifelse(a > b | b > c, 0, ifelse(a == b & b == c, 1 / 6, ifelse(a == b | b == c, 1 / 2, 1))))
  mean(credit)
}

# Chance that the assignment of one row of each class with the largest sum is the true one; m ties count 1/m.
assigned <- function(truth, p) {
  rows <- split(seq_along(truth), truth)
  triples <- as.matrix(expand.grid(rows))
  orders <- list(c(1, 2, 3), c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), c(3, 2, 1))
  sums <- sapply(orders, function(o) p[cbind(triples[, 1], o[1])] + p[cbind(triples[, 2], o[2])] + p[cbind(triples[, 3], o[3])])
  best <- sums >= apply(sums, 1, max) - 1e-12
  mean(best[, 1] / rowSums(best))
}

results <- list()
for (set in list(list("wine", "cultivar", c("logistic", "bayes")), list("digits", "digit", c("forest", "logistic")))) {
  data <- read.csv(paste0(set[[1]], ".csv"))
  truth <- data[[set[[2]]]]
  for (model in set[[3]]) {
    p <- as.matrix(data[paste0(model, "_", sort(unique(truth)))])
    found <- described(truth, p)
    if (set[[1]] == "wine") {
      found$ordinal_volume <- ordinal(truth, p[, 3] - p[, 1])
      found$posterior_volume <- assigned(truth, p)
    }
    results[[paste0(set[[1]], "/", model)]] <- found
  }
}
software <- list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC")))
writeLines(toJSON(list(software = software, results = results), digits = NA, auto_unbox = TRUE, pretty = TRUE),
           file.path(here, "multiclass.json"))
