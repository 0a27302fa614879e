"""Columns of a score matrix: the classes that they are of, and averages of a binary metric over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs.arrays import as_array, as_numbers, as_vector, check_lengths
from thresher.metrics.inputs.labels import encode
from thresher.metrics.scored import ScoredRows, scored_rows, weight_column

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
    check_lengths(y_true, y_score, sample_weight)
    truth, scores = as_array(y_true, "y_true"), as_numbers(y_score, "y_score")
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
    column = as_vector(labels, "labels")
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
