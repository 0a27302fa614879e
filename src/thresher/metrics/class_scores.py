"""Metrics of a score for each of several classes: the AUC, against the rest or one another, and top-k accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.curves import ONE_CLASS, binary_auc
from thresher.metrics.inputs import arrays
from thresher.metrics.inputs.labels import by_class, encode, target_type
from thresher.metrics.scored import Codes, averaged, codes_among, given_classes, weight_column, wrong_shape
from thresher.multiclass.hand_till import conditional_auc_of_codes
from thresher.multiclass.losses import top_k_credit
from thresher.predictions.probabilities import are_probabilities

Scores = NDArray[np.float64]
NOT_PROBABILITIES = (
    "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
)


def multiclass_auc(
    truth: NDArray[Any],
    scores: NDArray[Any],
    average: str | None,
    sample_weight: Any,
    max_fpr: float | None,
    multi_class: str,
    labels: Any,
) -> Any:
    """Compute the AUC of class probabilities, as `roc_auc_score` does for more than two classes."""
    if max_fpr is not None and max_fpr != 1:
        raise ValueError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
            f"received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    _check_shape(scores, average, multi_class)
    classes, codes = class_codes(truth, scores.shape[1], labels)
    arrays.check_lengths(truth, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, len(codes))
    if multi_class == "ovo":
        return one_vs_one(codes, scores, weights, average)
    indicator = codes[:, None] == np.arange(classes.size)
    return averaged(binary_auc, indicator, scores, average, weights, pos_label=True)


def one_vs_one(codes: Codes, scores: NDArray[Any], weights: Scores | None, average: str | None) -> float:
    """Average the AUC over pairs of classes that occur, plainly or by the rows of the pair.

    Classes that do not occur are left out, as scikit-learn does; `hand_till_score` is undefined with them.
    """
    found = conditional_auc_of_codes(codes, scores.astype(np.float64, copy=False), weights=weights).present()
    if not found.pairs.size:
        arrays.warn_undefined(ONE_CLASS, stacklevel=5)
    return found.hand_till_weighted if average == "weighted" else found.hand_till


def class_codes(truth: NDArray[Any], columns: int, labels: Any, *, top_k: bool = False) -> tuple[NDArray[Any], Codes]:
    """Return the class of each column and each row's class as the number of its column; `top_k` words the errors."""
    column, stop = arrays.as_vector(truth, "y_true"), "." if top_k else ""
    if labels is None:
        classes, codes = encode(column)
        if classes.size == columns:
            return classes, codes.astype(np.int64)
        raise ValueError(
            f"Number of classes in 'y_true' ({classes.size}) not equal to the number of classes in 'y_score' "
            f"({columns}).You can provide a list of all known classes by assigning it to the `labels` parameter."
            if top_k
            else "Number of classes in y_true not equal to the number of columns in 'y_score'"
        )
    classes = given_classes(labels, stop)
    if classes.size != columns:
        raise ValueError(
            f"Number of given labels ({classes.size}) not equal to the number of classes in 'y_score' ({columns})."
            if top_k
            else f"Number of given labels, {classes.size}, not equal to the number of columns in 'y_score', {columns}"
        )
    return classes, codes_among(column, classes, stop)


def _check_shape(scores: NDArray[Any], average: str | None, multi_class: str) -> None:
    if scores.ndim != 2:
        raise wrong_shape(scores)
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError(NOT_PROBABILITIES)
    allowed = ("micro", "macro", "weighted", None) if multi_class == "ovr" else ("macro", "weighted", None)
    if average not in allowed:
        raise ValueError(f"average must be one of {allowed} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")


def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int = 2, normalize: bool = True, sample_weight: Any = None, labels: Any = None
) -> float:
    """Compute the share (or weight) of rows with their class among the k highest scores.

    `y_score` (n, K), a column for every class in sorted order, or of `labels`; with two classes (n,), the score of the
    greater label. Classes of equal score are taken from the last column down. k ≥ K is meaningless and warned of.

    Raises:
        ValueError: the columns do not fit the classes, a label is not in `labels`, NaN or infinity.

    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.7, 0.2, 0.1]], k=2)
    0.6666666666666666
    """
    arrays.check_count("top_k_accuracy_score", "k", k)
    arrays.check_flag("top_k_accuracy_score", "normalize", normalize)
    truth = arrays.as_vector(arrays.as_array(y_true, "y_true"), "y_true")
    kind = target_type(truth, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    scores = _score_columns(arrays.as_numbers(by_class(y_score, y_true, labels), "y_score"), kind)
    arrays.check_lengths(truth, scores, sample_weight)
    classes, codes = class_codes(truth, scores.shape[1] if scores.ndim == 2 else 2, labels, top_k=True)
    if k >= classes.size:
        arrays.warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({classes.size}) will result in a perfect score and is "
            "therefore meaningless."
        )
    if kind == "multiclass":
        hits = top_k_credit(codes, scores, k, ties="last column first")
    else:  # the greater label is predicted above ½ when all scores are in [0, 1], else above 0
        is_hit = (scores > (0.5 if are_probabilities(scores) else 0.0)) == codes
        hits = np.asarray(is_hit | (k > 1), dtype=np.float64)
    weights = None if sample_weight is None else weight_column(sample_weight, hits.size)
    if normalize:
        return float(np.average(hits, weights=weights))
    return float(hits.sum() if weights is None else hits @ weights)


def _score_columns(scores: NDArray[Any], kind: str) -> NDArray[Any]:
    if kind == "multiclass":
        if scores.ndim != 2:
            raise wrong_shape(scores)
        return scores
    if scores.ndim == 2 and scores.shape[1] != 1:
        raise ValueError(
            f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. If `y_true` does not contain all "
            "the labels, `labels` must be provided."
        )
    return arrays.as_vector(scores, "y_score")
