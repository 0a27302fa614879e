# Writes binormal.json beside this script: pROC's binormal smoothing of the example data. Run
# `Rscript tests/golden/make_binormal.R`; it needs r-cran-proc and r-cran-jsonlite.

suppressPackageStartupMessages({
  library(pROC)
  library(jsonlite)
})

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
setwd(file.path(here, "..", "..", "src", "thresher", "data"))

smoothed <- function(truth, score) {
  model <- smooth(roc(truth, score, direction = "<", quiet = TRUE), method = "binormal")
  # Specificity is the response: Phi^-1(specificity) = intercept + slope * Phi^-1(sensitivity).
  coefficients <- unname(coef(model$model))
  list(intercept = coefficients[1], slope = coefficients[2], auc = as.numeric(model$auc))
}

results <- list()
for (set in list(list("breast_cancer", "diagnosis", "malignant"), list("digit_eight", "is_eight", "1"))) {
  data <- read.csv(paste0(set[[1]], ".csv"))
  truth <- as.integer(data[[set[[2]]]] == set[[3]])
  models <- intersect(c("logistic_regression", "random_forest", "naive_bayes", "gradient_boosting", "knn"), names(data))
  results[[set[[1]]]] <- lapply(setNames(models, models), function(model) smoothed(truth, data[[model]]))
}
software <- list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC")))
writeLines(toJSON(list(software = software, results = results), digits = NA, auto_unbox = TRUE, pretty = TRUE),
           file.path(here, "binormal.json"))
