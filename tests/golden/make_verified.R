# Two-phase estimates of partly verified rows by R's survey: Rscript make_verified.R > verified.json
suppressMessages(library(survey))
liver <- data.frame(test = rep(c(1, 0), c(429, 221)))
liver$truth <- c(rep(1, 231), rep(0, 32), rep(NA, 166), rep(1, 27), rep(0, 54), rep(NA, 140))
i <- 1:240 # integer arithmetic, to be made again without files
scored <- data.frame(site = i %% 3, score = ((i * 37) %% 241) / 241)
scored$test <- as.numeric(scored$score >= 0.6)
scored$truth <- as.numeric((i * 71) %% 101 < 100 * scored$score^2)
scored$truth[!(scored$test == 1 & i %% 4 != 0 | scored$test == 0 & i %% 5 == 0)] <- NA

found <- function(rows, strata) {
    rows$known <- !is.na(rows$truth)
    rows$stratum <- interaction(rows[strata])
    y <- ifelse(rows$known, rows$truth, 0)
    rows$positive <- y; rows$negative <- 1 - y
    rows$tp <- y * rows$test; rows$tn <- (1 - y) * (1 - rows$test); rows$right <- rows$tp + rows$tn
    rows$twice <- 2 * rows$tp; rows$either <- y + rows$test
    if (!is.null(rows$score)) rows$loss <- (rows$score - y)^2
    design <- twophase(id = list(~1, ~1), strata = list(NULL, ~stratum), subset = ~known, data = rows, method = "full")
    ratio <- function(a, b) { r <- svyratio(a, b, design); c(coef(r), SE(r)) }
    mean_of <- function(a) { m <- svymean(a, design); c(coef(m), SE(m)) }
    all <- list(
        true_positive_rate = ratio(~tp, ~positive), true_negative_rate = ratio(~tn, ~negative),
        positive_predictive_value = ratio(~tp, ~test), f1 = ratio(~twice, ~either),
        prevalence = mean_of(~positive), accuracy = mean_of(~right)
    )
    if (!is.null(rows$score)) all$brier_score <- mean_of(~loss)
    c(list(weights = sort(unique(weights(design)))), lapply(all, unname))
}
text <- function(values) {
    one <- function(name) sprintf('    "%s": [%s]', name, paste(sprintf("%.17g", values[[name]]), collapse = ", "))
    paste(sapply(names(values), one), collapse = ",\n")
}
cat("{\n")
cat(sprintf('  "versions": "%s, survey %s",\n', R.version.string, packageVersion("survey")))
cat(sprintf('  "liver": {\n%s\n  },\n', text(found(liver, "test"))))
cat(sprintf('  "scored": {\n%s\n  }\n}\n', text(found(scored, c("test", "site")))))
