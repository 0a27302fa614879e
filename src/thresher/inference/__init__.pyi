"""Public names, each imported from its module at its first use."""

from thresher.inference.auc.clustered import obuchowski_variance as obuchowski_variance
from thresher.inference.auc.delong import (
    auc_interval as auc_interval,
    cross_validated_auc as cross_validated_auc,
    delong_interval as delong_interval,
    delong_variance as delong_variance,
    hanley_mcneil_interval as hanley_mcneil_interval,
)
from thresher.inference.auc.delong_rows import (
    delong_contrast_test as delong_contrast_test,
    delong_covariance as delong_covariance,
)
from thresher.inference.auc.tests import mann_whitney_test as mann_whitney_test, rank_sum_test as rank_sum_test
from thresher.inference.auc.tests import (
    auc_test as auc_test,
    auc_test_unpaired as auc_test_unpaired,
    delong_pairwise_tests as delong_pairwise_tests,
    delong_test as delong_test,
    delong_test_unpaired as delong_test_unpaired,
)
from thresher.inference.bootstrap.config import Bootstrap as Bootstrap
from thresher.inference.bootstrap.intervals import (
    bootstrap_difference as bootstrap_difference,
    bootstrap_difference_unpaired as bootstrap_difference_unpaired,
    bootstrap_interval as bootstrap_interval,
    jackknife_interval as jackknife_interval,
)
from thresher.inference.bootstrap.resampled_threshold import (
    ResampledThreshold as ResampledThreshold,
    rechoose as rechoose,
)
from thresher.inference.bootstrap.statistics import BestF1 as BestF1, BestF1Threshold as BestF1Threshold, RocAt as RocAt
from thresher.inference.calibration import (
    CalibrationSummary as CalibrationSummary,
    calibration_band as calibration_band,
    calibration_summary as calibration_summary,
)
from thresher.inference.comparing.comparison import Comparison as Comparison, Comparisons as Comparisons
from thresher.inference.comparing.rows import register_test as register_test
from thresher.inference.curves.averaged import AveragedCurve as AveragedCurve, averaged_curve as averaged_curve
from thresher.inference.curves.bands import (
    Band as Band,
    curve_band as curve_band,
    gain_band as gain_band,
    precision_recall_band as precision_recall_band,
    roc_band as roc_band,
)
from thresher.inference.curves.smooth import (
    BinormalRoc as BinormalRoc,
    KernelRoc as KernelRoc,
    binormal_roc as binormal_roc,
    kernel_roc as kernel_roc,
)
from thresher.inference.curves.partial_areas import (
    PartialAreaEstimate as PartialAreaEstimate,
    partial_area as partial_area,
    partial_auc_interval as partial_auc_interval,
)
from thresher.inference.differences.p_values import (
    adjust_p_values as adjust_p_values,
    equivalence_test as equivalence_test,
    noninferiority_test as noninferiority_test,
)
from thresher.inference.differences.fixed_point import (
    fixed_point_test as fixed_point_test,
    fixed_point_test_unpaired as fixed_point_test_unpaired,
)
from thresher.inference.differences.folds import (
    Posterior as Posterior,
    bayesian_correlated_t_test as bayesian_correlated_t_test,
    corrected_resampled_t_test as corrected_resampled_t_test,
    five_by_two_f_test as five_by_two_f_test,
    five_by_two_t_test as five_by_two_t_test,
    paired_t_test as paired_t_test,
    unpaired_t_test as unpaired_t_test,
)
from thresher.inference.differences.means import (
    Reclassification as Reclassification,
    reclassification as reclassification,
)
from thresher.inference.differences.over_sites import (
    RandomEffects as RandomEffects,
    SiteValue as SiteValue,
    random_effects as random_effects,
)
from thresher.inference.differences.several_models import (
    CriticalDifference as CriticalDifference,
    cochran_q_test as cochran_q_test,
    critical_difference as critical_difference,
    friedman_test as friedman_test,
    kendall_w_test as kendall_w_test,
    quade_test as quade_test,
    sign_test as sign_test,
    wilcoxon_signed_rank_test as wilcoxon_signed_rank_test,
)
from thresher.inference.differences.tests_of_counts import (
    agreement_table as agreement_table,
    bowker_test as bowker_test,
    chi_squared_test as chi_squared_test,
    mcnemar_test as mcnemar_test,
)
from thresher.inference.estimates.methods import serve as serve
from thresher.inference.estimates.of_matrices import estimate as estimate, summary as summary
from thresher.inference.estimates.methods import (
    estimate_of_scores as estimate_of_scores,
    summary_of_scores as summary_of_scores,
)
from thresher.inference.estimates.rejected import (
    RejectSummary as RejectSummary,
    reject_summary as reject_summary,
    rejected_cost as rejected_cost,
)
from thresher.inference.expected import Expected as Expected, expected as expected
from thresher.inference.gold_budget import GoldBudget as GoldBudget, gold_budget as gold_budget
from thresher.inference.multiclass.auc import (
    AucEstimates as AucEstimates,
    multiclass_auc_estimates as multiclass_auc_estimates,
    volume_interval as volume_interval,
)
from thresher.inference.multiclass.bootstrap import (
    multiclass_bootstrap as multiclass_bootstrap,
    ordinal_volume_bootstrap as ordinal_volume_bootstrap,
)
from thresher.inference.multiclass.tests import (
    multiclass_auc_test as multiclass_auc_test,
    multiclass_auc_test_unpaired as multiclass_auc_test_unpaired,
)
from thresher.inference.comparing.permutation import (
    permutation_test as permutation_test,
    permutation_test_unpaired as permutation_test_unpaired,
)
from thresher.inference.comparing.resampling import (
    venkatraman_test as venkatraman_test,
    venkatraman_test_unpaired as venkatraman_test_unpaired,
)
from thresher.inference.power import (
    auc_power as auc_power,
    auc_sample_size as auc_sample_size,
    paired_auc_power as paired_auc_power,
    rate_sample_size as rate_sample_size,
)
from thresher.inference.proportions.differences import (
    diagnostic_odds_ratio_interval as diagnostic_odds_ratio_interval,
    likelihood_ratio_interval as likelihood_ratio_interval,
    newcombe_difference as newcombe_difference,
    newcombe_paired_difference as newcombe_paired_difference,
)
from thresher.inference.proportions.intervals import (
    agresti_coull_interval as agresti_coull_interval,
    clopper_pearson_interval as clopper_pearson_interval,
    jeffreys_interval as jeffreys_interval,
    rogan_gladen as rogan_gladen,
    wald_interval as wald_interval,
    wilson_continuity_interval as wilson_continuity_interval,
    wilson_interval as wilson_interval,
)
from thresher.inference.proportions import register_interval as register_interval
from thresher.inference.estimates.ranking import average_precision_interval as average_precision_interval
from thresher.inference.estimates.row_means import (
    difference_interval as difference_interval,
    loss_interval as loss_interval,
    loss_sums_interval as loss_sums_interval,
    ratio_interval as ratio_interval,
)
from thresher.inference.verified import Verified as Verified, verified as verified
