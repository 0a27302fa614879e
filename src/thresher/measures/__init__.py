"""Measures of decisions and scores. Importing this package registers them all.

Each is a function of counts (a `ConfusionMatrix`, a `ThresholdTable`, `Cells`; those of scores take a `ScoreTable`)
that gives a number, or an array over the batch axes.

>>> from thresher import ConfusionMatrix
>>> matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
>>> f1(matrix), f_beta(matrix, beta=2), find("hit rate") is true_positive_rate
(0.33962264150943394, 0.3146853146853147, True)
"""

# The order of these modules is the order of the catalogue.
# isort: off
from thresher.measures.registry import REGISTRY, Measure, find, measures
from thresher.measures.rates import (
    accuracy,
    error_rate,
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    negative_predictive_value,
    positive_predictive_value,
    predicted_prevalence,
    prevalence,
    true_negative_rate,
    true_positive_rate,
)
from thresher.measures.rates import f1, f_beta, fowlkes_mallows, jaccard, lift
from thresher.measures.agreement import (
    chi_squared,
    balanced_accuracy,
    cohen_kappa,
    geometric_mean,
    informedness,
    markedness,
    matthews_correlation,
    weighted_kappa,
)
from thresher.measures.agreement import mutual_information, relative_classifier_information
from thresher.measures.diagnostic import (
    diagnostic_odds_ratio,
    negative_likelihood_ratio,
    positive_likelihood_ratio,
    number_needed_to_diagnose,
    prevalence_threshold,
)
from thresher.measures.expected_cost import (
    average_cost,
    net_benefit,
    skew_sensitive_accuracy,
    skew_sensitive_precision,
)
from thresher.measures.areas import (
    auc,
    average_precision,
    break_even_point,
    eleven_point_precision,
    equal_error_rate,
    gini,
    ks_statistic,
    maximum_informedness,
    pr_auc_davis_goadrich,
    pr_auc_trapezoid,
    signed_area,
)
from thresher.measures.cost_loss import h_measure, minimum_weighted_loss
from thresher.measures.probability import brier_score, brier_skill_score, log_loss, mean_score, root_brier_score
from thresher.measures.calibration import (
    brier_discrimination,
    brier_miscalibration,
    brier_uncertainty,
    calibration_difference,
    expected_calibration_error,
    maximum_calibration_error,
    observed_expected_ratio,
)
from thresher.measures.fitted import (
    adaptive_calibration_error,
    calibration_intercept,
    calibration_slope,
    debiased_calibration_error,
    smooth_calibration_error,
)
from thresher.measures.overall import (
    discrimination_index,
    e90,
    eavg,
    emax,
    nagelkerke_r2,
    quality_index,
    sar,
)
from thresher.measures.own import register
from thresher.measures import posteriors, label_sets, ranked_lists  # noqa: F401  # their names are those of other kinds
# isort: on

__all__ = [
    "REGISTRY",
    "Measure",
    "accuracy",
    "adaptive_calibration_error",
    "auc",
    "average_cost",
    "average_precision",
    "balanced_accuracy",
    "break_even_point",
    "brier_discrimination",
    "brier_miscalibration",
    "brier_score",
    "brier_skill_score",
    "brier_uncertainty",
    "calibration_difference",
    "calibration_intercept",
    "calibration_slope",
    "chi_squared",
    "cohen_kappa",
    "debiased_calibration_error",
    "diagnostic_odds_ratio",
    "discrimination_index",
    "e90",
    "eavg",
    "eleven_point_precision",
    "emax",
    "equal_error_rate",
    "error_rate",
    "expected_calibration_error",
    "f1",
    "f_beta",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "find",
    "fowlkes_mallows",
    "geometric_mean",
    "gini",
    "h_measure",
    "informedness",
    "jaccard",
    "ks_statistic",
    "lift",
    "log_loss",
    "markedness",
    "matthews_correlation",
    "maximum_calibration_error",
    "maximum_informedness",
    "mean_score",
    "measures",
    "minimum_weighted_loss",
    "mutual_information",
    "nagelkerke_r2",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "net_benefit",
    "number_needed_to_diagnose",
    "observed_expected_ratio",
    "positive_likelihood_ratio",
    "positive_predictive_value",
    "pr_auc_davis_goadrich",
    "pr_auc_trapezoid",
    "predicted_prevalence",
    "prevalence",
    "prevalence_threshold",
    "quality_index",
    "register",
    "relative_classifier_information",
    "root_brier_score",
    "sar",
    "signed_area",
    "skew_sensitive_accuracy",
    "skew_sensitive_precision",
    "smooth_calibration_error",
    "true_negative_rate",
    "true_positive_rate",
    "weighted_kappa",
]
