"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.metrics.class_scores import top_k_accuracy_score as top_k_accuracy_score
from thresher.metrics.confusion import (
    accuracy_score as accuracy_score, balanced_accuracy_score as balanced_accuracy_score,
    class_likelihood_ratios as class_likelihood_ratios, cohen_kappa_score as cohen_kappa_score,
    confusion_matrix as confusion_matrix, hamming_loss as hamming_loss, matthews_corrcoef as matthews_corrcoef,
    multilabel_confusion_matrix as multilabel_confusion_matrix, zero_one_loss as zero_one_loss,
)
from thresher.metrics.inputs.arrays import UndefinedMetricWarning as UndefinedMetricWarning
from thresher.metrics.losses import (
    brier_score_loss as brier_score_loss, calibration_curve as calibration_curve, d2_brier_score as d2_brier_score,
    d2_log_loss_score as d2_log_loss_score, expected_calibration_error as expected_calibration_error,
    hinge_loss as hinge_loss, log_loss as log_loss,
)
from thresher.metrics.multilabel_ranking import (
    coverage_error as coverage_error, dcg_score as dcg_score,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss, ndcg_score as ndcg_score,
)
from thresher.metrics.curves import (
    auc as auc, average_precision_score as average_precision_score, det_curve as det_curve,
    precision_recall_curve as precision_recall_curve, roc_auc_score as roc_auc_score, roc_curve as roc_curve,
)
from thresher.metrics.ranking_beyond import (
    gini_score as gini_score, h_measure_score as h_measure_score, hand_till_score as hand_till_score,
    ks_score as ks_score, partial_pr_auc_score as partial_pr_auc_score, partial_roc_auc_score as partial_roc_auc_score,
    precision_at_k as precision_at_k, recall_at_k as recall_at_k,
)
from thresher.metrics.rates import (
    expected_cost_score as expected_cost_score, f1_score as f1_score, false_negative_rate as false_negative_rate,
    false_positive_rate as false_positive_rate, fbeta_score as fbeta_score, jaccard_score as jaccard_score,
    lift_score as lift_score, npv_score as npv_score,
    precision_recall_fscore_support as precision_recall_fscore_support, precision_score as precision_score,
    recall_score as recall_score, specificity_score as specificity_score,
)
from thresher.metrics.report import classification_report as classification_report
from thresher.metrics.scoring import scorers as scorers
from thresher.metrics.thresholds import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds, metric_at_thresholds as metric_at_thresholds,
)
