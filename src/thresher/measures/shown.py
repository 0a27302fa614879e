"""Measures shown by default, in reading order.

No value depends on these: every other measure is read by its name.
"""

from __future__ import annotations

import math

# Names in reading order, not one a line.
# fmt: off
RANKING = (
    "auc", "average_precision", "hand_till", "macro_auc", "weighted_auc", "micro_auc", "vus",
    "macro_average_precision", "weighted_average_precision", "micro_average_precision",
)
PROBABILITIES = ("brier_score", "log_loss", "top_label_ece", "classwise_ece")
GUESSES = ("subset_accuracy", "hamming_loss", "top_2_accuracy", "top_3_accuracy", "top_5_accuracy")
DECISIONS = (
    "accuracy", "balanced_accuracy", "true_positive_rate", "true_negative_rate", "positive_predictive_value",
    "negative_predictive_value", "f1", "matthews_correlation",
)
EXPECTED = ("prevalence", *DECISIONS, RANKING[0], PROBABILITIES[0])
"""Measures to expect of rows without labels."""
FIRST = (
    "accuracy", "true_positive_rate", "true_negative_rate", "positive_predictive_value", "f1",
    "matthews_correlation",
)
"""Measures of decisions in the summary."""
TOP = tuple(f"{name}@top={share}" for share in ("0.1%", "1%", "5%") for name in ("recall", "precision", "lift"))
"""Measures of rare positives, read in place of decisions at a threshold that no score may reach."""
FIRST_OF_PAPER = (
    *FIRST[:4], "negative_predictive_value", "positive_likelihood_ratio", "negative_likelihood_ratio", *FIRST[4:],
)
PAPER = (
    "auc", "sensitivity", "specificity", "ppv", "npv", "positive_likelihood_ratio", "negative_likelihood_ratio",
    "brier_score", "calibration_slope",
)
"""Measures of the main table and of the table of a paper, in the words of its readers."""
WITH_JUDGE = (
    "auc", "average_precision", "brier_score", "accuracy", "true_positive_rate", "true_negative_rate",
    "positive_predictive_value", "f1", "macro_f1", "matthews_correlation",
)
"""Measures whose estimates from gold rows alone and from a judge alone are shown."""
BOUNDED = ("auc", "brier_score", "accuracy", "true_positive_rate", "true_negative_rate", "positive_predictive_value")
"""Measures shown with their bounds over missing labels."""
AGREEMENT = ("accuracy", "cohen_kappa")
AGREEMENT_OF_TWO = ("true_positive_rate", "true_negative_rate")
AGREEMENT_OF_LABELS = ("subset_accuracy", "hamming_loss", "macro_f1")
"""Measures of a judge against the gold labels: of any classes, of two classes besides, and of several labels."""
LABELS_WITH_JUDGE = ("macro_auc", *AGREEMENT_OF_LABELS, "micro_f1")
IN_TOP = TOP[3:6]
"""The ones in a verdict."""
RANKING_OF_RARE = (*RANKING, "ks_statistic")
AGREEING = ("youden", "f1", "matthews_correlation")
"""Criteria of a threshold that need no costs; where two agree there is a cut to recommend."""
AT_A_GLANCE = (
    "auc", "hand_till", "brier_score", "true_positive_rate", "positive_predictive_value", "accuracy",
    "subset_accuracy", "log_loss", "f1", "macro_f1", "matthews_correlation", "top_2_accuracy",
)
"""Candidates for the numbers of every model at a glance: the first `GLANCED` that a report has."""
GLANCE_OF_RARE = ("auc", "average_precision", *IN_TOP[:2], "brier_score")
GLANCED = 5
AT_TOP = ("precision", "recall", "lift")
"""Measures of the highest scores."""
OF_RULES = ("accuracy", "balanced_accuracy", "f1")
"""Measures of the trivial rules that are printed."""
GAPS = ("auc", "true_positive_rate", "true_negative_rate")
GAPS_OF_CLASSES = ("accuracy",)
"""Measures by which groups are compared with the rest where none is named: of two classes, and of several."""
SHARES = {
    "auc": ("ranks", "positive–negative pairs", "correctly"), "accuracy": ("classifies", "rows", "correctly"),
    "subset_accuracy": ("labels", "rows", "without an error"),
}  # fmt: skip
"""Measures that are shares of countable units, with a verb, the units and an adverb."""

DECIDING = ("auc", "accuracy", "subset_accuracy")
"""Measures that decide which model is best: the first that every model has."""
OPERATING = ("predicted_prevalence", "true_positive_rate", "true_negative_rate", "positive_predictive_value", "f1")
"""Measures that are read off while a threshold moves."""
OVER_GROUPS = ("auc", "true_positive_rate", "true_negative_rate", "positive_predictive_value", "accuracy")
"""Measures of grouped counts: of the scores, and the rates."""
SUBSETS = (
    "auc", "hand_till", "accuracy", "macro_f1", "true_positive_rate", "true_negative_rate",
    "positive_predictive_value",
)
FOLDS = ("auc", "average_precision", "hand_till", "brier_score", "accuracy", "f1", "macro_f1", "matthews_correlation")

BESIDE_AREA = ("true_positive_rate", "positive_predictive_value", "f1")
"""Measures of a class against the rest, beside its areas."""
AREAS = ("auc", "average_precision")
OF_A_CLASS = (*BESIDE_AREA, *AREAS)
"""Columns of a table of classes."""
DECIDED = (*FIRST[:4], "negative_predictive_value", *FIRST[4:])
"""Measures of the rows that a reject option decides."""
OF_A_CHOICE = (
    "expected_benefit", "expected_cost", "informedness", *dict.fromkeys((*DECISIONS, "cohen_kappa", *OPERATING,
    "false_positive_rate")),
)
"""Measures of a chosen threshold."""
MAPPED = ("brier_score", "log_loss", "expected_calibration_error", "auc")
MAPPED_OF_CLASSES = ("brier_score", "log_loss", "top_label_ece", "accuracy")
"""Measures before and after a calibration map: of one score, and of the probabilities of several classes."""
CHOSEN = ("true_positive_rate", "true_negative_rate", "positive_predictive_value")
"""Rates beside a chosen threshold."""
MOVED = ("positive_predictive_value", "negative_predictive_value", "accuracy", "f1")
"""Measures that another prevalence changes, of decisions that stay as they are."""
BASELINES = ("accuracy", "balanced_accuracy", "f1", "matthews_correlation")
"""Measures of trivial baselines."""
RATES = ("accuracy", "true_positive_rate", "true_negative_rate", "positive_predictive_value",
         "negative_predictive_value")
"""Measures of the rows that a reject option decides, in tables of estimates."""
OF_CLASS_DECISIONS = ("accuracy", "macro_recall", "macro_precision", "macro_f1")
"""Measures of decisions of several classes by another rule."""
UNASKED = {
    "hand_till": math.inf, "macro_auc": math.inf, "weighted_auc": math.inf, "micro_auc": math.inf, "vus": 3,
    "log_loss": math.inf, "brier_score": math.inf, "top_label_ece": math.inf, "classwise_ece": 100,
}
"""Measures of posteriors that are computed unasked, and up to how many classes: some sort the rows for each class."""
OF_CLASS = ("recall", "precision", "f1")
"""Measures of decisions of each class."""
OF_LABELS = ("precision", "recall", "f1", "jaccard")
"""Measures of decisions that are averaged over labels and over rows."""

ASSESSED = ("accuracy", "balanced_accuracy")
OF_SEVERAL = (*ASSESSED, "macro_f1", "matthews_correlation")
OF_POSTERIORS = (*OF_SEVERAL, "hand_till", "log_loss")
OF_DECISIONS = (*ASSESSED, "f1", "matthews_correlation")
OF_SCORES = (*ASSESSED, "auc", "average_precision")
OF_PROBABILITIES = (*OF_SCORES, "brier_score")
"""Measures of an assessment, by the output of the models."""
