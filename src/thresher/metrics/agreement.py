"""Agreement of truth and prediction in one number: accuracy and its relatives, Cohen's kappa, Matthews' correlation."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import divide
from thresher.measures.threshold_metrics import cohen_kappa, matthews_correlation, true_positive_rate, weighted_kappa
from thresher.metrics.averaging import label_counts, label_matrix
from thresher.metrics.confusion import confusion_matrix, warn_single_label
from thresher.metrics.inputs.arrays import check_choice, check_flag, warn_undefined
from thresher.metrics.inputs.labels import mixed_labels
from thresher.metrics.inputs.pairs import Pair, check_pair
from thresher.predictions.labels import check_order


def accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, normalize: bool = True, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of correctly predicted rows, in [0, 1]; their number (weight) with `normalize=False`.

    In 0/1 tables a row counts when all its labels agree.

    Raises:
        ValueError: the inputs cannot be compared.

    >>> accuracy_score([0, 2, 1, 3], [0, 1, 2, 3])
    0.5
    """
    check_flag("accuracy_score", "normalize", normalize)
    pair = check_pair(y_true, y_pred, sample_weight)
    right, total = _right_and_all(pair)
    return float(divide(right, total)) if normalize else right


def _right_and_all(pair: Pair) -> tuple[float, float]:
    """Return the weight of the rows that agree, and of all."""
    equal = _equal(pair)
    if pair.multilabel:
        equal = np.asarray(equal.all(axis=1))
    if pair.weights is None:
        return float(np.count_nonzero(equal)), float(pair.n)
    return float(np.dot(pair.weights, equal)), float(pair.weights.sum())


def _equal(pair: Pair) -> NDArray[np.bool_]:
    """Return where truth and prediction agree."""
    truth, predicted = pair.truth, pair.predicted
    if hasattr(truth, "toarray"):
        return np.asarray((truth != predicted).toarray() == 0)
    if not pair.multilabel and (truth.dtype.kind in "OUT") != (predicted.dtype.kind in "OUT"):
        raise mixed_labels(truth, predicted)
    return np.asarray(truth == predicted)


def zero_one_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, normalize: bool = True, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of misclassified rows, in [0, 1]; their number (weight) with `normalize=False`.

    >>> zero_one_loss([0, 2, 1, 3], [0, 1, 2, 3], normalize=False)
    2.0
    """
    check_flag("zero_one_loss", "normalize", normalize)
    pair = check_pair(y_true, y_pred, sample_weight)
    right, total = _right_and_all(pair)
    return float(1 - divide(right, total)) if normalize else total - right


def hamming_loss(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the share of wrong labels, in [0, 1]: of a table's entries, or of rows with one label each.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]])
    0.75
    """
    pair = check_pair(y_true, y_pred, sample_weight)
    if not pair.multilabel:
        right, total = _right_and_all(pair)
        return float(divide(total - right, total))
    wrong = ~_equal(pair)
    weights = np.ones(pair.n) if pair.weights is None else pair.weights
    return float(divide(np.dot(weights, wrong.sum(axis=1)), weights.sum() * wrong.shape[1]))


def balanced_accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, adjusted: bool = False
) -> float:
    """Compute the mean recall over true classes, in [0, 1]; `adjusted` maps chance to 0 and perfection to 1.

    A class that is predicted and never true is left out, with a UserWarning.

    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    check_flag("balanced_accuracy_score", "adjusted", adjusted)
    pair = check_pair(y_true, y_pred, sample_weight)
    if pair.multilabel:
        raise ValueError("multilabel-indicator is not supported")
    counts = label_counts(pair)
    if len(counts.labels) == 1:
        warn_single_label()
    recognized = true_positive_rate.on(counts.cells)
    known = ~np.isnan(recognized)
    if not known.all():
        warnings.warn("y_pred contains classes not in y_true", UserWarning, stacklevel=2)
    score, chance = recognized[known].mean(), 1 / np.count_nonzero(known)
    return float(divide(score - chance, 1 - chance)) if adjusted else float(score)


def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Return the agreement of two raters beyond chance, (p_o − p_e)/(1 − p_e), in [−1, 1].

    With `weights` an error counts by its distance in the order of the classes, or its square. Numbers have an order;
    text needs `labels`, the lowest first, or an ordered categorical without its unused levels. scikit-learn
    sorts text by the alphabet instead. Undefined (0/0) becomes `replace_undefined_by`, with an
    `UndefinedMetricWarning`.

    Raises:
        ValueError: weighted classes are text without an order, or the inputs cannot be compared.

    >>> round(cohen_kappa_score(["a", "b", "b", "a"], ["a", "b", "a", "a"]), 4)
    0.5
    >>> first, second, order = ["low", "mid", "high"], ["low", "high", "high"], ["low", "mid", "high"]
    >>> round(cohen_kappa_score(first, second, labels=order, weights="linear"), 4)
    0.6667

    Cohen (1960, 1968).
    """
    check_choice("cohen_kappa_score", "weights", weights, ("linear", "quadratic", None))
    value = replace_undefined_by
    if not isinstance(value, int | float | np.number) or not (math.isnan(value) or -1 <= value <= 1):
        raise ValueError(
            "The 'replace_undefined_by' parameter of cohen_kappa_score must be a number in [-1, 1] or NaN. "
            f"Got {value!r} instead."
        )
    if weights is not None and labels is None:
        labels = _in_order(y1, y2)
    try:
        matrix = confusion_matrix(y1, y2, labels=labels, sample_weight=sample_weight).astype(np.float64)
    except ValueError as error:
        if "At least one label specified must be in y_true" not in str(error):
            raise
        raise ValueError(
            "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` is otherwise "
            "agnostic to the order of `y1` and `y2`)."
        ) from error
    kappa = float(cohen_kappa.on(matrix) if weights is None else weighted_kappa.on(matrix, weights=weights))
    if not math.isnan(kappa):
        return kappa
    reason = "`y1`, `y2` and `labels` have only one label in common."
    if not matrix.any():
        reason = "`y2` contains no labels that are present in both `y1` and `labels`."
    warn_undefined(
        f"{reason} `cohen_kappa_score` is undefined and set to the value of `replace_undefined_by`, {value}."
    )
    return value


def _in_order(y1: ArrayLike, y2: ArrayLike) -> Any:
    """Return the labels in the order of a categorical; None for numbers. Text without an order is an InputError."""
    from thresher.readers.series import scale_of

    present = label_matrix(check_pair(y1, y2))[0].tolist()
    for scale in (scale_of(y1) or (), scale_of(y2) or ()):
        if set(present) <= set(scale):
            return [label for label in scale if label in present]
    check_order("weighted kappa", present)
    return None


def matthews_corrcoef(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the correlation of truth and prediction, in [−1, 1], for any number of classes; 0 where it is undefined.

    Matthews (1975); Gorodkin (2004).

    >>> round(matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    """
    pair = check_pair(y_true, y_pred, sample_weight)
    if pair.multilabel:
        raise ValueError("multilabel-indicator is not supported")
    matrix = label_matrix(pair)[1].astype(np.float64)
    if matrix.size == 1:
        warn_single_label()
    value = float(matthews_correlation.on(matrix))
    return 0.0 if math.isnan(value) else value
