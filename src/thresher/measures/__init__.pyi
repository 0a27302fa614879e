"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.measures.threshold_metrics import (
    accuracy as accuracy, average_cost as average_cost, balanced_accuracy as balanced_accuracy,
    chi_squared as chi_squared, cohen_kappa as cohen_kappa, diagnostic_odds_ratio as diagnostic_odds_ratio,
    error_rate as error_rate, f1 as f1, f_beta as f_beta, false_discovery_rate as false_discovery_rate,
    false_negative_rate as false_negative_rate, false_omission_rate as false_omission_rate,
    false_positive_rate as false_positive_rate, fowlkes_mallows as fowlkes_mallows, geometric_mean as geometric_mean,
    informedness as informedness, jaccard as jaccard, lift as lift, markedness as markedness,
    matthews_correlation as matthews_correlation, mutual_information as mutual_information,
    negative_likelihood_ratio as negative_likelihood_ratio, negative_predictive_value as negative_predictive_value,
    net_benefit as net_benefit, number_needed_to_diagnose as number_needed_to_diagnose,
    positive_likelihood_ratio as positive_likelihood_ratio, positive_predictive_value as positive_predictive_value,
    predicted_prevalence as predicted_prevalence, prevalence as prevalence,
    prevalence_threshold as prevalence_threshold, relative_classifier_information as relative_classifier_information,
    skew_sensitive_accuracy as skew_sensitive_accuracy, skew_sensitive_precision as skew_sensitive_precision,
    true_negative_rate as true_negative_rate, true_positive_rate as true_positive_rate,
    weighted_kappa as weighted_kappa,
)
from thresher.measures.areas import (
    auc as auc, average_precision as average_precision, break_even_point as break_even_point,
    eleven_point_precision as eleven_point_precision, equal_error_rate as equal_error_rate, gini as gini,
    ks_statistic as ks_statistic, maximum_informedness as maximum_informedness,
    pr_auc_davis_goadrich as pr_auc_davis_goadrich, pr_auc_trapezoid as pr_auc_trapezoid, signed_area as signed_area,
)
from thresher.measures.calibration import (
    brier_discrimination as brier_discrimination, brier_miscalibration as brier_miscalibration,
    brier_score as brier_score, brier_skill_score as brier_skill_score, brier_uncertainty as brier_uncertainty,
    calibration_difference as calibration_difference, expected_calibration_error as expected_calibration_error,
    log_loss as log_loss, maximum_calibration_error as maximum_calibration_error, mean_score as mean_score,
    observed_expected_ratio as observed_expected_ratio, root_brier_score as root_brier_score,
)
from thresher.measures.cost_loss import h_measure as h_measure, minimum_weighted_loss as minimum_weighted_loss
from thresher.measures.fitted import (
    adaptive_calibration_error as adaptive_calibration_error, calibration_intercept as calibration_intercept,
    calibration_slope as calibration_slope, debiased_calibration_error as debiased_calibration_error,
    discrimination_index as discrimination_index, e90 as e90, eavg as eavg, emax as emax,
    nagelkerke_r2 as nagelkerke_r2, quality_index as quality_index, sar as sar,
    smooth_calibration_error as smooth_calibration_error,
)
from thresher.measures.own import register as register
from thresher.measures.registry import REGISTRY as REGISTRY, Measure as Measure, find as find, measures as measures
