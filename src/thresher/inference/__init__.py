"""How sure a number is: intervals, and tests of differences, as plain functions. Each method is a file with its result.

>>> from thresher.inference import wilson_interval
>>> interval = wilson_interval(9, 10)
>>> round(float(interval.low), 3), round(float(interval.high), 3)
(0.596, 0.982)
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "areas_partial": ("partial_auc_interval",),
    "areas_precision": ("average_precision_interval",),
    "auc_limits": ("auc_interval",),
    "auc_tests": ("auc_test", "auc_test_unpaired"),
    "averaged_curves": ("AveragedCurve", "averaged_curve"),
    "band": ("Band",),
    "bands": ("curve_band", "gain_band", "precision_recall_band", "roc_band"),
    "binormal": ("BinormalRoc", "binormal_roc"),
    "bootstrap": ("bootstrap_difference", "bootstrap_difference_unpaired", "bootstrap_interval"),
    "bootstrap_config": ("Bootstrap",),
    "bootstrap_statistics": ("BestF1", "BestF1Threshold", "RocAt"),
    "calibration_bands": ("calibration_band",),
    "calibration_means": ("difference_interval", "ratio_interval"),
    "calibration_values": ("CalibrationSummary", "calibration_summary"),
    "compare_rows": ("register_test",),
    "comparison": ("Comparison", "Comparisons"),
    "delong": ("delong_interval", "delong_variance"),
    "delong_test_many": ("delong_contrast_test", "delong_covariance", "delong_pairwise_tests"),
    "delong_tests": ("delong_test", "delong_test_unpaired"),
    "differences": ("newcombe_difference", "newcombe_paired_difference"),
    "equivalence": ("equivalence_test", "noninferiority_test"),
    "fixed_point": ("fixed_point_test", "fixed_point_test_unpaired"),
    "hanley_mcneil": ("hanley_mcneil_interval",),
    "jackknife_limits": ("jackknife_interval",),
    "losses": ("loss_interval",),
    "mann_whitney": ("mann_whitney_test",),
    "many": (
        "CriticalDifference",
        "adjust_p_values",
        "cochran_q_test",
        "critical_difference",
        "friedman_test",
        "wilcoxon_signed_rank_test",
    ),
    "mcnemar": ("agreement_table", "mcnemar_test"),
    "measured": ("estimate", "summary"),
    "methods": ("serve",),
    "multiclass_auc": ("AucEstimates", "multiclass_auc_estimates"),
    "multiclass_losses": ("loss_sums_interval",),
    "multiclass_resampled": ("multiclass_bootstrap", "ordinal_volume_bootstrap"),
    "multiclass_tests": ("multiclass_auc_test", "multiclass_auc_test_unpaired"),
    "multiclass_volume": ("volume_interval",),
    "partial_areas": ("PartialAreaEstimate", "partial_area"),
    "permutation": ("permutation_test", "permutation_test_unpaired"),
    "power": ("auc_power", "auc_sample_size", "paired_auc_power", "rate_sample_size"),
    "proportions": (
        "agresti_coull_interval",
        "clopper_pearson_interval",
        "jeffreys_interval",
        "wilson_interval",
    ),
    "rate_intervals": ("register_interval",),
    "ratios": ("diagnostic_odds_ratio_interval", "likelihood_ratio_interval"),
    "rejected": ("RejectSummary", "reject_summary"),
    "rejected_costs": ("rejected_cost",),
    "resampled": (
        "Posterior",
        "bayesian_correlated_t_test",
        "corrected_resampled_t_test",
        "five_by_two_f_test",
        "five_by_two_t_test",
        "paired_t_test",
        "unpaired_t_test",
    ),
    "rechosen": ("Rechosen", "rechoose"),
    "scored": ("estimate_of_scores", "summary_of_scores"),
    "venkatraman": ("venkatraman_test", "venkatraman_test_unpaired"),
}
"""Module → public names; loaded at first use, so that an interval does not cost the import of every test."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
