# Writes resampling.json beside this script: the leave-one-out bootstrap and .632+ errors of ipred on given bootstrap
# samples, for two rules on made-up rows. Run `Rscript tests/golden/make_resampling.R`.

suppressPackageStartupMessages({
  library(ipred)
  library(jsonlite)
})

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))

nearest_mean <- function(formula, data) {
  means <- sapply(data[c("a", "b")], function(x) tapply(x, data$y, mean))
  function(newdata) {
    squares <- sapply(rownames(means), function(k) {
      (newdata$a - means[k, "a"])^2 + (newdata$b - means[k, "b"])^2
    })
    factor(colnames(squares)[max.col(-squares, ties.method = "first")], levels = levels(data$y))
  }
}

nearest_row <- function(formula, data) {
  function(newdata) {
    nearest <- sapply(seq_len(nrow(newdata)), function(i) {
      which.min((data$a - newdata$a[i])^2 + (data$b - newdata$b[i])^2)
    })
    data$y[nearest]
  }
}

set.seed(20261121)
cases <- list()
for (shift in c(0, 0.8)) {
  y <- rep(0:1, c(22, 14))
  data <- data.frame(a = round(rnorm(36) + shift * y, 3), b = round(rnorm(36) + shift * y, 3), y = factor(y))
  samples <- lapply(1:25, function(i) sort(sample(36, replace = TRUE)))
  for (rule in c("nearest_mean", "nearest_row")) {
    control <- control.errorest(nboot = 25, list.tindx = samples)
    found <- sapply(c(boot = "boot", plus = "632plus"), function(estimator) {
      errorest(y ~ a + b, data = data, model = get(rule), estimator = estimator, est.para = control)$error
    })
    cases[[length(cases) + 1]] <- list(
      rule = unbox(rule), a = data$a, b = data$b, y = y, samples = lapply(samples, function(s) s - 1),
      boot = unbox(found[["boot"]]), plus = unbox(found[["plus"]])
    )
  }
}

versions <- paste0("R ", getRversion(), ", ipred ", packageVersion("ipred"))
writeLines(toJSON(list(made_with = unbox(versions), cases = cases), digits = 17, pretty = FALSE), file.path(here, "resampling.json"))
