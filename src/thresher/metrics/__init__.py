"""scikit-learn's classification and ranking metrics, an order of magnitude faster, and some it lacks.

Change `from sklearn.metrics import …` to `from thresher.metrics import …`: names, parameters, defaults, returned
types, edge values, warnings and errors stay. No mathematics here: arguments are checked, counted by
`thresher.kernel` and handed to the formulas of the core.

>>> from thresher.metrics import f1_score
>>> f1_score([1, 0, 1, 1], [1, 0, 0, 1])
0.8
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "agreement": (
        "accuracy_score",
        "balanced_accuracy_score",
        "cohen_kappa_score",
        "hamming_loss",
        "matthews_corrcoef",
        "zero_one_loss",
    ),
    "beyond": (
        "expected_cost_score",
        "false_negative_rate",
        "false_positive_rate",
        "lift_score",
        "npv_score",
        "specificity_score",
    ),
    "calibration": ("calibration_curve", "expected_calibration_error"),
    "confusion": ("confusion_matrix", "multilabel_confusion_matrix"),
    "h_measure": ("h_measure_score",),
    "hinge": ("hinge_loss",),
    "likelihood": ("class_likelihood_ratios",),
    "losses": ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss"),
    "precision_recall_f": (
        "f1_score",
        "fbeta_score",
        "jaccard_score",
        "precision_recall_fscore_support",
        "precision_score",
        "recall_score",
    ),
    "scoring": ("scorers",),
    "report": ("classification_report",),
    "det": ("det_curve",),
    "multilabel_ranking": (
        "coverage_error",
        "label_ranking_average_precision_score",
        "label_ranking_loss",
    ),
    "ndcg": (
        "dcg_score",
        "ndcg_score",
    ),
    "partial_precision": ("partial_pr_auc_score",),
    "precision_recall": (
        "average_precision_score",
        "precision_recall_curve",
    ),
    "ranking_beyond": (
        "gini_score",
        "hand_till_score",
        "ks_score",
        "partial_roc_auc_score",
        "precision_at_k",
        "recall_at_k",
    ),
    "roc": (
        "auc",
        "roc_auc_score",
        "roc_curve",
    ),
    "thresholds": (
        "confusion_matrix_at_thresholds",
        "metric_at_thresholds",
    ),
    "top_k": ("top_k_accuracy_score",),
    "warnings": ("UndefinedMetricWarning",),
}
"""Module of each public name; it is loaded when the name is first used."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES, is_guarded=False)
