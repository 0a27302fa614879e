# Writes calibration.json beside this script: what base R's glm, isoreg and quantile return for two models of the
# example digit_eight. Run `Rscript tests/golden/make_calibration.R`; needs r-cran-jsonlite. Every value is the result
# of evaluating the `call` beside it, after the lines of `setup`, in the folder of the example CSV files.

suppressPackageStartupMessages(library(jsonlite))

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
setwd(file.path(here, "..", "..", "src", "thresher", "data"))

setup <- c(
  "d <- read.csv('digit_eight.csv'); y <- d$is_eight; w <- 1 + (seq_along(y) %% 3)",
  "control <- glm.control(epsilon = 1e-15, maxit = 200)",
  # A second fit from the solution, so that the covariance is that of the final weights.
  paste0(
    "twice <- function(f, weight = rep(1, length(y))) { environment(f) <- environment(); ",
    "fit <- function(start) suppressWarnings(glm(f, binomial, weights = weight, control = control, start = start)); ",
    "fit(coef(fit(NULL))) }"
  ),
  "coefficients <- function(g) list(coef = unname(coef(g)), se = unname(sqrt(diag(vcov(g)))), deviance = g$deviance)",
  "groups <- function(p, g) cut(p, unique(quantile(p, seq(0, 1, 1 / g))), include.lowest = TRUE)",
  "hl <- function(p, g) { k <- groups(p, g); o <- tapply(y, k, sum); e <- tapply(p, k, sum); n <- tapply(p, k, length); sum((o - e)^2 / e + (o - e)^2 / (n - e)) }"
)
for (line in setup) eval(parse(text = line))

calls <- list(
  slope = "coefficients(twice(y ~ qlogis(p)))",
  large = "coefficients(twice(y ~ offset(qlogis(p))))",
  slope_frequency = "coefficients(twice(y ~ qlogis(p), w))",
  platt_plain = "coefficients(twice(y ~ p))",
  beta = "coefficients(twice(y ~ log(p) + I(-log1p(-p))))",
  deviance_of_scores = "-2 * sum(y * log(p) + (1 - y) * log1p(-p))",
  hosmer_lemeshow = "list(g10 = hl(p, 10), p10 = pchisq(hl(p, 10), 10, lower.tail = FALSE), g7 = hl(p, 7), p7_training = pchisq(hl(p, 7), 5, lower.tail = FALSE))",
  spiegelhalter = "sum((y - p) * (1 - 2 * p)) / sqrt(sum((1 - 2 * p)^2 * p * (1 - p)))",
  isotonic = "{ o <- order(p, -y); f <- isoreg(p[o], y[o])$yf; a <- tapply(f, p[o], mean); list(brier = mean((f - y[o])^2), at = as.numeric(names(a))[c(1, 200, 400, 600, 700)], fit = unname(a)[c(1, 200, 400, 600, 700)]) }",
  bins = "{ k <- cut(p, seq(0, 1, 0.1), include.lowest = TRUE); list(share = unname(tapply(y, k, mean))[table(k) > 0], score = unname(tapply(p, k, mean))[table(k) > 0]) }"
)

results <- list()
for (model in c("gradient_boosting", "logistic_regression")) {
  p <- d[[model]]
  for (name in names(calls)) {
    results[[paste0(model, "/", name)]] <- list(call = calls[[name]], value = eval(parse(text = calls[[name]])))
  }
}
document <- list(
  dataset = "digit_eight", title = "Calibration by base R", software = list(R = as.character(getRversion())),
  setup = c(setup, "p <- d[[MODEL]]"), results = results
)
writeLines(toJSON(document, auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path(here, "calibration.json"))
