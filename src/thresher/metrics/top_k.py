"""`top_k_accuracy_score`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import are_probabilities
from thresher.metrics.class_columns import codes_among, given_classes
from thresher.metrics.inputs import as_array, as_numbers, as_vector, check_flag, check_lengths, encode, target_type
from thresher.metrics.inputs.named_columns import by_class
from thresher.metrics.ndcg import check_count
from thresher.metrics.scored import weight_column
from thresher.metrics.warnings import warn_undefined
from thresher.multiclass.losses import top_k_credit


def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int = 2, normalize: bool = True, sample_weight: Any = None, labels: Any = None
) -> float:
    """Share of rows whose class is among the k with the highest scores (their weight, with normalize=False).

    `y_score` (n, K), a column for every class in sorted order, or of `labels`; with two classes (n,), the score of the
    greater label. Classes of equal score are taken from the last column down. k ≥ K is meaningless and warned of.

    Raises:
        ValueError: the columns do not fit the classes, a label is not in `labels`, NaN or infinity.

    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.7, 0.2, 0.1]], k=2)
    0.6666666666666666
    """
    check_count("top_k_accuracy_score", "k", k)
    check_flag("top_k_accuracy_score", "normalize", normalize)
    truth = as_vector(as_array(y_true, "y_true"), "y_true")
    kind = target_type(truth, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    scores = _score_columns(as_numbers(by_class(y_score, y_true, labels), "y_score"), kind)
    check_lengths(truth, scores, sample_weight)
    classes, codes = _coded(truth, labels, scores.shape[1] if scores.ndim == 2 else 2)
    if k >= classes.size:
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({classes.size}) will result in a perfect score and is "
            "therefore meaningless."
        )
    hits = (
        _binary_hits(codes, scores, k) if kind == "binary" else top_k_credit(codes, scores, k, ties="last column first")
    )
    weights = None if sample_weight is None else weight_column(sample_weight, hits.size)
    if normalize:
        return float(np.average(hits, weights=weights))
    return float(hits.sum() if weights is None else hits @ weights)


def _score_columns(scores: NDArray[Any], kind: str) -> NDArray[Any]:
    if kind == "multiclass" and scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
            f"Got `y_score.shape={scores.shape}`."
        )
    if kind == "multiclass":
        return scores
    if scores.ndim == 2 and scores.shape[1] != 1:
        raise ValueError(
            f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. If `y_true` does not contain all "
            "the labels, `labels` must be provided."
        )
    return as_vector(scores, "y_score")


def _coded(truth: NDArray[Any], labels: Any, columns: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Classes of the columns, and each row's class as a column number."""
    if labels is None:
        classes, codes = encode(truth)
        if classes.size != columns:
            raise ValueError(
                f"Number of classes in 'y_true' ({classes.size}) not equal to the number of classes in 'y_score' "
                f"({columns}).You can provide a list of all known classes by assigning it to the `labels` parameter."
            )
        return classes, codes.astype(np.int64)
    classes = given_classes(labels, ".")
    if classes.size != columns:
        raise ValueError(
            f"Number of given labels ({classes.size}) not equal to the number of classes in 'y_score' ({columns})."
        )
    return classes, codes_among(truth, classes, ".")


def _binary_hits(codes: NDArray[np.int64], scores: NDArray[Any], k: int) -> NDArray[np.float64]:
    """With one score a row the greater label is predicted above ½ when all scores lie in [0, 1], else above 0."""
    if k > 1:
        return np.ones(codes.size)
    threshold = 0.5 if are_probabilities(scores) else 0.0
    return np.asarray((scores > threshold) == codes, dtype=np.float64)
