"""Names of measures as headings, and which of them are shown first."""

from __future__ import annotations

from thresher.measures import find
from thresher.measures.posteriors import of_posteriors
from thresher.measures.titles import HOWS, title_of

RANKING = (
    "auc",
    "average_precision",
    "hand_till",
    "macro_auc",
    "weighted_auc",
    "micro_auc",
    "vus",
    "macro_average_precision",
    "weighted_average_precision",
    "micro_average_precision",
)
PROBABILITIES = ("brier_score", "log_loss", "top_label_ece", "classwise_ece")
GUESSES = ("subset_accuracy", "hamming_loss", "top_2_accuracy", "top_3_accuracy", "top_5_accuracy")
DECISIONS = (
    "accuracy",
    "balanced_accuracy",
    "true_positive_rate",
    "true_negative_rate",
    "positive_predictive_value",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)
FIRST = (
    "accuracy",
    "true_positive_rate",
    "true_negative_rate",
    "positive_predictive_value",
    "f1",
    "matthews_correlation",
)
"""Measures of decisions that stand in the summary."""
OPERATING = ("predicted_prevalence", "true_positive_rate", "true_negative_rate", "positive_predictive_value", "f1")
"""Measures that are read off while a threshold moves."""
MOST_GROUPS = 50
"""Groups shown to a reader: the largest, in their own order; data forms hold all."""

SUBSETS = (
    "auc",
    "hand_till",
    "accuracy",
    "macro_f1",
    "true_positive_rate",
    "true_negative_rate",
    "positive_predictive_value",
)
FOLDS = (
    "auc",
    "average_precision",
    "hand_till",
    "brier_score",
    "accuracy",
    "f1",
    "macro_f1",
    "matthews_correlation",
)


def is_average(name: str) -> bool:
    """Whether a name is that of an average of decisions over the classes."""
    how, _, rest = name.partition("_")
    return how in HOWS and bool(rest) and name not in RANKING


def heading_of(name: str) -> str:
    """Title of a measure as a heading."""
    return capital(title_of(name))


def capital(text: str) -> str:
    """Text with a capital first letter.

    >>> capital("average precision")
    'Average precision'
    """
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Text with a capital first letter and a full stop."""
    return capital(text) + ("" if text.endswith((".", "!", "?", "=")) else ".")


def formula_of(name: str, *, several: bool = False) -> str:
    """Formula of a measure as text; empty for a name that is none. `several` is for more than two classes.

    >>> formula_of("brier_score", several=True), formula_of("macro_f1")
    ('mean of Σ_k (p_k − y_k)²', 'mean of the F1 of each class against the rest')
    """
    found = of_posteriors(name) if several else None
    if found is not None:
        return found.text
    if is_average(name):
        return AVERAGE_TEXT[name.partition("_")[0]].format(title_of(name.partition("_")[2]))
    try:
        return find(name).text
    except KeyError:
        return ""


AVERAGE_TEXT = {
    "macro": "mean of the {} of each class against the rest",
    "weighted": "mean of the {} of each class against the rest, weighted by its rows",
    "micro": "{} of the summed cells of all classes against the rest",
    "samples": "mean over rows of the {} of the row's labels",
}


def definition_of(name: str, *, several: bool = False) -> str:
    """First sentence about a measure; empty for a name that is no measure of its own."""
    found = of_posteriors(name) if several else None
    if found is not None:
        return found.summary
    try:
        lines = (find(name).__doc__ or "").splitlines()
    except KeyError:
        return ""
    return lines[0] if lines else ""
