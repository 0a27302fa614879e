"""Arguments of the ranking metrics for the kernel: truth, scores and weights, and the columns of a score matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs import arrays
from thresher.metrics.inputs.labels import binary_truth, encode, zero_one
from thresher.metrics.on_device import distinct_rows

# The square of a sum of weights below 2 to this, and one over it, is far from the ends of float64.
MOST_EXPONENT = 256

_FLOAT64 = np.dtype(np.float64)


class ScoredRows(NamedTuple):
    """Columns of one binary problem; `levels` are the distinct scores where float64 cannot hold them."""

    truth: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    kind: np.dtype[Any]
    levels: NDArray[Any] | None = None

    def thresholds(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the thresholds in the type that the scores came in."""
        if self.levels is not None:
            return np.asarray(self.levels[values.astype(np.int64)])
        return values if self.kind == _FLOAT64 else values.astype(self.kind)

    def float_thresholds(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the thresholds as float64, the sentinel +inf first."""
        if self.levels is not None:
            values[1:] = self.levels[values[1:].astype(np.int64)].astype(np.float64)
        return values


def scored_rows(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> ScoredRows:
    """Check the columns of a binary problem as scikit-learn's curves do."""
    if pos_label is None or (isinstance(pos_label, int) and pos_label == 1):
        rows = plain_rows(y_true, y_score, sample_weight)
        if rows is not None:
            return rows
    y_true, y_score, sample_weight = distinct_rows(y_true, y_score, sample_weight)
    return _rows_of(binary_truth(y_true, pos_label), y_score, sample_weight)


def plain_rows(y_true: Any, y_score: Any, sample_weight: Any) -> ScoredRows | None:
    """Check two one-dimensional arrays with a truth of 0 and 1, in one look; None for anything else."""
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray or y_score.ndim != 1 or y_true.ndim != 1:
        return None
    truth = zero_one(y_true)
    return None if truth is None else _rows_of(truth, y_score, sample_weight)


def _rows_of(truth: NDArray[np.uint8], y_score: Any, sample_weight: Any) -> ScoredRows:
    scores = arrays.as_vector(y_score, "y_score")
    if truth.size != scores.size or not truth.size:
        arrays.check_lengths(truth, scores)
        raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
    weights = None if sample_weight is None else weight_column(sample_weight, truth.size)
    if scores.dtype == _FLOAT64:
        # Counting costs a third of what a reduction does on few rows; what is wrong is then named by the long way.
        if np.count_nonzero(np.isfinite(scores)) != scores.size:
            arrays.check_finite(scores, "y_score")
        return ScoredRows(truth, scores, weights, _FLOAT64)
    return ScoredRows(truth, *_as_floats(scores, weights))


def weight_column(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """Return the weights of n rows as float64; a column of shape (n, 1) is flattened."""
    column = arrays.as_vector(sample_weight, "sample_weight")
    if column.size != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n, n, column.size]}")
    if (checked := arrays.as_weights(column, n)) is None:
        return None
    weights = checked.astype(np.float64, copy=False)
    # Very large or small ones are scaled by 2**k, exactly, so that no product overflows or vanishes.
    exponent = int(np.frexp(weights.max(initial=0.0))[1])
    return weights if abs(exponent) <= MOST_EXPONENT else np.ldexp(weights, -exponent)


def _as_floats(
    scores: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, np.dtype[Any], NDArray[Any] | None]:
    """Convert scores to float64; replace those that would be rounded by their rank."""
    if scores.dtype.kind in "USVMm":
        raise ValueError(
            f"dtype='numeric' is not compatible with scores of type {scores.dtype}: y_score takes numbers."
        )
    if scores.dtype.kind == "O":
        arrays.check_finite(scores, "y_score")
        scores = arrays.object_numbers(scores, "y_score")
    arrays.check_finite(scores, "y_score")
    wide = scores.dtype.itemsize > 8
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8:
        wide = max(int(scores.max()), -int(scores.min())) > arrays.LARGEST_EXACT
    if wide:
        levels, ranks = np.unique(scores, return_inverse=True)
        return ranks.astype(np.float64), weights, scores.dtype, levels
    return scores.astype(np.float64, copy=False), weights, scores.dtype, None


Metric = Callable[[ScoredRows], float]

AVERAGES = ("micro", "macro", "samples", "weighted", None)
"""Averages over the columns of a multilabel problem."""


def averaged(
    metric: Metric, y_true: NDArray[Any], y_score: Any, average: str | None, sample_weight: Any, *, pos_label: Any
) -> Any:
    """Compute a binary metric on each column of an indicator matrix (None), or their average.

    "micro" takes all entries as one column; "macro" is the plain mean, "weighted" the mean by positives in each column;
    "samples" takes each row as a problem of its own. A column without weight counts as 0 in a weighted mean.
    """
    arrays.check_lengths(y_true, y_score, sample_weight)
    truth, scores = arrays.as_array(y_true, "y_true"), arrays.as_numbers(y_score, "y_score")
    weights = None if sample_weight is None else weight_column(sample_weight, len(truth))
    if scores.ndim == 1:
        scores = scores[:, None]
    if truth.shape != scores.shape:
        raise ValueError(f"y_true and y_score have different shape: {truth.shape} and {scores.shape}.")
    if average == "micro":
        spread = None if weights is None else np.repeat(weights, truth.shape[1])
        return metric(scored_rows(truth.ravel(), scores.ravel(), pos_label, spread))
    if average == "samples":
        return mean_of(per_column(metric, truth.T, scores.T, None, pos_label), weights)
    support = None
    if average == "weighted":
        support = np.asarray(truth.sum(axis=0) if weights is None else weights @ truth, dtype=np.float64)
        if np.isclose(support.sum(), 0):
            return 0
    values = per_column(metric, truth, scores, weights, pos_label)
    return values if average is None else mean_of(values, support)


def per_column(
    metric: Metric, truth: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any] | None, pos_label: Any
) -> NDArray[np.float64]:
    """Compute a metric on every column, each brought together in memory first."""
    codes, columns = np.ascontiguousarray(truth.T), np.ascontiguousarray(scores.T)
    rows = (scored_rows(code, column, pos_label, weights) for code, column in zip(codes, columns, strict=True))
    return np.array([metric(row) for row in rows], dtype=np.float64)


def mean_of(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """Average values; one without weight counts as 0 even where it is undefined."""
    if weights is not None:
        values = np.where(weights == 0, 0.0, values)
    return float(np.average(values, weights=weights))


def wrong_shape(scores: NDArray[Any]) -> ValueError:
    """Return the error for scores without a column for each class."""
    return ValueError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
        f"Got `y_score.shape={scores.shape}`."
    )


Codes = NDArray[np.int64]


def given_classes(labels: Any, stop: str = "") -> NDArray[Any]:
    """Return the classes from `labels=`: each once, in sorted order; `stop` ends the sentences of the errors."""
    column = arrays.as_vector(labels, "labels")
    classes = encode(column)[0]
    if classes.size != column.size:
        raise ValueError(f"Parameter 'labels' must be unique{stop}")
    if not np.array_equal(classes, column):
        raise ValueError(f"Parameter 'labels' must be ordered{stop}")
    return classes


def codes_among(truth: NDArray[Any], classes: NDArray[Any], stop: str = "") -> Codes:
    """Return the position of each row's label among the sorted classes; a label without one is a ValueError."""
    found, codes = encode(truth)
    places = np.searchsorted(classes, found) if classes.size else np.zeros(found.size, dtype=np.int64)
    inside = places < classes.size
    if not inside.all() or not (classes[places] == found).all():
        raise ValueError(f"'y_true' contains labels not in parameter 'labels'{stop}")
    return np.asarray(places[codes], dtype=np.int64)
