"""Confusion matrices, likelihood ratios and agreement: accuracy, Cohen's kappa, Matthews' correlation."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import divide
from thresher.counts.cells import Cells
from thresher.measures.threshold_metrics import (
    cohen_kappa,
    matthews_correlation,
    negative_likelihood_ratio,
    positive_likelihood_ratio,
    true_positive_rate,
    weighted_kappa,
)
from thresher.metrics.averaging import class_counts, label_counts, label_matrix
from thresher.metrics.inputs.arrays import check_choice, check_flag, to_numpy, warn_undefined
from thresher.metrics.inputs.labels import Pair, check_pair, encode, mixed_labels
from thresher.predictions.labels import check_order


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> NDArray[Any]:
    """Count the rows of every pair of true class (row) and predicted class (column), labels sorted.

    `labels` selects and orders the classes; rows with another label are left out. `normalize` divides by the totals
    of the truth, of the prediction, or by all; a row or column without a total stays 0. Returns (K, K) int64, or
    float64 with fractional weights or normalized.

    Raises:
        ValueError: no label of `labels` occurs in the truth, a label occurs twice, or the inputs cannot be compared.

    Warns:
        UserWarning: one label in all, so that the matrix is 1×1.

    >>> confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"]).tolist()
    [[1, 0], [1, 1]]
    """
    check_choice("confusion_matrix", "normalize", normalize, ("true", "pred", "all", None))
    pair = check_pair(y_true, y_pred, sample_weight)
    if pair.multilabel:
        raise ValueError("multilabel-indicator is not supported")
    present, matrix = label_matrix(pair)
    if labels is not None:
        matrix = _select(matrix, present, to_numpy(labels, "labels"), pair.truth)
    if normalize is not None:
        total = matrix.sum(axis={"true": 1, "pred": 0, "all": None}[normalize], keepdims=True)
        matrix = np.divide(matrix, total, out=np.zeros(matrix.shape), where=total != 0)
    if matrix.shape == (1, 1):
        warn_single_label()
    return matrix


def warn_single_label() -> None:
    """Warn the caller of a metric that there is one label in all."""
    warnings.warn(
        "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, "
        "use the 'labels' parameter to pass all known labels.",
        UserWarning,
        stacklevel=3,
    )


def _select(matrix: NDArray[Any], present: NDArray[Any], wanted: NDArray[Any], truth: NDArray[Any]) -> NDArray[Any]:
    """Select the matrix of the named labels; a label that does not occur has zeros."""
    if wanted.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    names = wanted.tolist()
    if len(set(names)) < len(names):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        raise ValueError(f"'labels' names a label twice: {', '.join(twice)}. Each row of the matrix is one label.")
    place = {label: code for code, label in enumerate(present.tolist())}
    rows = np.array([place.get(name, -1) for name in names], dtype=np.intp)
    known = np.flatnonzero(rows >= 0)
    # Rows of weight 0 have labels too, and the matrix does not show them.
    if not matrix[rows[known]].any() and not set(names) & set(encode(truth)[0].tolist()):
        raise ValueError("At least one label specified must be in y_true")
    result = np.zeros((len(names), len(names)), dtype=matrix.dtype)
    result[np.ix_(known, known)] = matrix[np.ix_(rows[known], rows[known])]
    return result


def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> NDArray[Any]:
    """Return a 2×2 matrix [[TN, FP], [FN, TP]] for each class against the rest, or for each row of a 0/1 table.

    `labels` selects and orders the classes (of a table: the columns). Returns (K, 2, 2), or (n, 2, 2) with
    `samplewise`, in int64, or float64 with weights.

    Raises:
        ValueError: `samplewise` for rows of one label, an unknown column, or inputs that cannot be compared.

    >>> multilabel_confusion_matrix([0, 1, 2, 2], [0, 2, 2, 2])[2].tolist()
    [[1, 1], [0, 2]]
    """
    check_flag("multilabel_confusion_matrix", "samplewise", samplewise)
    pair = check_pair(y_true, y_pred, sample_weight)
    counts = class_counts(pair, samplewise=bool(samplewise), labels=labels)
    if labels is not None and not pair.multilabel:
        counts = counts.select(np.asarray(labels))
    cells = counts.cells
    return np.stack([cells.tn, cells.fp, cells.fn, cells.tp], axis=-1).reshape(-1, 2, 2)


HINT = "Use the `replace_undefined_by` param to control this behavior."


def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Compute LR+ = TPR/FPR and LR− = FNR/TNR of a binary prediction; a useful test has LR+ > 1 and LR− < 1.

    The second of the sorted labels (or of `labels`) is positive. A ratio with a denominator of 0 becomes
    `replace_undefined_by` (NaN, 1.0, or {"LR+": …, "LR-": …}) with an `UndefinedMetricWarning`.

    Raises:
        ValueError: the target is not binary, or the replacement is out of range.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    pair = check_pair(y_true, y_pred, sample_weight)
    if pair.multilabel or len(label_counts(pair).labels) > 2:
        kind = "multilabel-indicator" if pair.multilabel else "multiclass"
        raise ValueError(
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {kind}"
        )
    instead_plus, instead_minus = _replacements(replace_undefined_by)
    matrix = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    if matrix.shape != (2, 2):
        raise ValueError(f"class_likelihood_ratios needs two labels, got {len(matrix)}: name both with `labels`.")
    tn, fp, fn, tp = (float(cell) for cell in matrix.ravel())
    cells = Cells.of(tp=tp, fp=fp, fn=fn, tn=tn)
    plus, minus = float(positive_likelihood_ratio.on(cells)), float(negative_likelihood_ratio.on(cells))
    if tp + fn == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` and "
            f"`negative_likelihood_ratio` are both set to `np.nan`. {HINT}"
        )
    if fp == 0:
        cause = "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
        start = cause if tp == 0 else "`positive_likelihood_ratio` is ill-defined and "
        warn_undefined(f"{start}set to `np.nan`. {HINT}")
        plus = instead_plus
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {HINT}")
        minus = instead_minus
    return plus, minus


def _replacements(given: Any) -> tuple[float, float]:
    """Return the replacements for an undefined LR+ and LR−."""
    if isinstance(given, int | float | np.number) and (math.isnan(given) or given == 1):
        return float(given), float(given)
    if not isinstance(given, dict):
        raise ValueError(
            "The 'replace_undefined_by' parameter of class_likelihood_ratios must be 1.0, NaN, or a dictionary. "
            f"Got {given!r} instead."
        )
    plus: Any = given.get("LR+")
    minus: Any = given.get("LR-")
    if not (_within(plus, 1, np.inf) and _within(minus, 0, 1)):
        raise ValueError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, 'LR-': "
            "`value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` and the value for "
            f"`LR-` ranges from `0.0` to `1.0` or is `np.nan`; got `{given}`."
        )
    return float(plus), float(minus)


def _within(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float | np.number) and (math.isnan(value) or bool(low <= value <= high))


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
