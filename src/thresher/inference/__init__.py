"""How sure a number is: intervals, and tests of differences, as plain functions. Each method is a file.

>>> from thresher.inference import wilson_interval
>>> interval = wilson_interval(9, 10)
>>> round(float(interval.low), 3), round(float(interval.high), 3)
(0.596, 0.982)
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "auc.cross_validated": ("cross_validated_auc",),
    "auc.clustered": ("obuchowski_variance",),
    "auc.delong": ("auc_interval", "delong_interval", "delong_variance", "hanley_mcneil_interval"),
    "auc.delong_contrasts": ("delong_contrast_test", "delong_covariance", "delong_pairwise_tests"),
    "auc.mann_whitney": ("mann_whitney_test", "rank_sum_test"),
    "auc.tests": ("auc_test", "auc_test_unpaired", "delong_test", "delong_test_unpaired"),
    "bootstrap.config": ("Bootstrap",),
    "bootstrap.intervals": ("bootstrap_difference", "bootstrap_difference_unpaired", "bootstrap_interval"),
    "bootstrap.jackknife": ("jackknife_interval",),
    "bootstrap.resampled_threshold": ("ResampledThreshold", "rechoose"),
    "bootstrap.statistics": ("BestF1", "BestF1Threshold", "RocAt"),
    "calibration.bands": ("calibration_band",),
    "calibration.summary": ("CalibrationSummary", "calibration_summary"),
    "comparing.comparison": ("Comparison", "Comparisons"),
    "comparing.rows": ("register_test",),
    "curves.averaged": ("AveragedCurve", "averaged_curve"),
    "curves.band": ("Band",),
    "curves.bands": ("curve_band", "gain_band", "precision_recall_band", "roc_band"),
    "curves.binormal": ("BinormalRoc", "binormal_roc"),
    "curves.kernel_roc": ("KernelRoc", "kernel_roc"),
    "curves.partial_areas": ("PartialAreaEstimate", "partial_area"),
    "curves.partial_auc": ("partial_auc_interval",),
    "differences.adjusting": ("adjust_p_values",),
    "differences.equivalence": ("equivalence_test", "noninferiority_test"),
    "differences.fixed_point": ("fixed_point_test", "fixed_point_test_unpaired"),
    "differences.folds": (
        "Posterior",
        "bayesian_correlated_t_test",
        "corrected_resampled_t_test",
        "five_by_two_f_test",
        "five_by_two_t_test",
        "paired_t_test",
        "unpaired_t_test",
    ),
    "differences.mcnemar": ("agreement_table", "mcnemar_test"),
    "differences.over_sites": ("RandomEffects", "SiteValue", "random_effects"),
    "differences.reclassification": ("Reclassification", "reclassification"),
    "differences.several_models": (
        "CriticalDifference",
        "cochran_q_test",
        "critical_difference",
        "friedman_test",
        "kendall_w_test",
        "quade_test",
        "sign_test",
        "wilcoxon_signed_rank_test",
    ),
    "differences.tables_of_counts": ("bowker_test", "chi_squared_test"),
    "estimates.methods": ("serve",),
    "estimates.of_matrices": ("estimate", "summary"),
    "estimates.of_scores": ("estimate_of_scores", "summary_of_scores"),
    "estimates.rejected": ("RejectSummary", "reject_summary", "rejected_cost"),
    "multiclass.auc": ("AucEstimates", "multiclass_auc_estimates", "volume_interval"),
    "multiclass.intervals": ("multiclass_bootstrap", "ordinal_volume_bootstrap"),
    "multiclass.tests": ("multiclass_auc_test", "multiclass_auc_test_unpaired"),
    "permutation.differences": ("permutation_test", "permutation_test_unpaired"),
    "permutation.venkatraman": ("venkatraman_test", "venkatraman_test_unpaired"),
    "power": ("auc_power", "auc_sample_size", "paired_auc_power", "rate_sample_size"),
    "proportions.differences": (
        "diagnostic_odds_ratio_interval",
        "likelihood_ratio_interval",
        "newcombe_difference",
        "newcombe_paired_difference",
    ),
    "proportions.intervals": (
        "agresti_coull_interval",
        "clopper_pearson_interval",
        "jeffreys_interval",
        "wald_interval",
        "wilson_continuity_interval",
        "wilson_interval",
    ),
    "proportions.rate_intervals": ("register_interval",),
    "scores.average_precision": ("average_precision_interval",),
    "scores.calibration_means": ("difference_interval", "ratio_interval"),
    "scores.losses": ("loss_interval", "loss_sums_interval"),
}
"""Module → public names; loaded at first use, so that an interval does not cost the import of every test."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
