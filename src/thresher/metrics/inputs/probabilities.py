"""Predicted probabilities against labels: the column of each row's true class."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.counts.loss_sums import blocks
from thresher.metrics.inputs.arrays import (
    Array,
    as_numbers,
    as_vector,
    as_weights,
    check_finite,
    check_lengths,
    is_sparse,
    to_numpy,
)
from thresher.metrics.inputs.labels import encode, positive_label, target_type, zero_one


class Forecast(NamedTuple):
    """Truth and probabilities: of the positive class (0/1, one column), or of K classes (codes, or a 0/1 table)."""

    truth: NDArray[Any]
    probabilities: NDArray[Any]
    weights: NDArray[Any] | None
    classes: int

    @property
    def binary(self) -> bool:
        """Whether there is one column, of the positive class."""
        return self.probabilities.ndim == 1

    @property
    def least(self) -> float:
        """Smallest probability that a logarithm is taken of: the precision of the numbers given."""
        return float(np.finfo(self.probabilities.dtype).eps)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(len(self.truth) if self.weights is None else self.weights.sum())


def as_probabilities(values: Any) -> Array:
    """Return a float array, (n,) or (n, K); its range is checked where it is used."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype in (np.float64, np.float32) and values.size:
        return values
    return as_numbers(values, "y_proba", floats=True)


def positive_forecast(y_true: Any, probability: Array, sample_weight: Any, pos_label: Any) -> Forecast:
    """Return the truth as 0/1 beside the probability of the positive class."""
    truth, column = as_vector(y_true, "y_true"), probability.ravel()
    n = check_lengths(column, truth, sample_weight)
    weights = as_weights(sample_weight, n)
    if pos_label is None and (codes := zero_one(truth)) is not None:
        _check_range(column, "less")
        return Forecast(codes, column, weights, 2)
    check_finite(truth, "y_true")
    kind = target_type(truth, "y_true")
    if kind != "binary":
        raise ValueError(
            f"The type of the target inferred from y_true is {kind} but should be binary according to the shape of "
            "y_prob."
        )
    _check_range(column, "less")
    return Forecast(_of_positive(truth, pos_label), column, weights, 2)


def _of_positive(truth: Array, pos_label: Any) -> NDArray[np.uint8]:
    """Return the truth as 0/1; of two unknown numbers the greater is positive."""
    classes, codes = encode(truth)
    if pos_label is None and classes.dtype.kind not in "OUS" and len(classes) == 2:
        return codes.astype(np.uint8)
    if pos_label is None and classes.dtype.kind not in "OUS" and classes[0] not in (0, -1, 1):
        pos_label = classes[-1]
    return np.asarray(truth == positive_label(pos_label, classes), dtype=np.bool_).view(np.uint8)


def class_forecast(y_true: Any, probabilities: Array, sample_weight: Any, labels: Any) -> Forecast:
    """Return the truth as codes of the sorted labels against one column of probabilities per label."""
    _check_range(probabilities, "lower")
    n = check_lengths(probabilities, y_true, sample_weight)
    weights = as_weights(sample_weight, n)
    quick = labels is None and type(y_true) is np.ndarray and y_true.ndim == 1
    codes = zero_one(y_true) if quick else None
    if codes is not None and 0 < np.count_nonzero(codes) < n:
        classes, truth = np.arange(2), codes
    else:
        classes, truth = _coded(y_true, labels)
    columns = 2 if probabilities.ndim == 1 or probabilities.shape[1] == 1 else probabilities.shape[1]
    _check_sums(probabilities)
    if len(classes) != columns:
        raise _misfit(classes, columns, labels)
    if probabilities.ndim == 2 and probabilities.shape[1] == 1:
        probabilities = probabilities.ravel()
    if truth.ndim == 2 and probabilities.ndim == 1:
        probabilities = np.column_stack([1 - probabilities, probabilities])
    return Forecast(truth, probabilities, weights, columns)


def _check_range(probabilities: Array, word: str) -> None:
    low, high = probabilities.min(), probabilities.max()
    if low >= 0 and high <= 1:
        return
    check_finite(probabilities, "y_proba")
    if high > 1:
        raise ValueError(f"y_prob contains values greater than 1: {high}")
    if low < 0:
        raise ValueError(f"y_prob contains values {word} than 0: {low}")


def _coded(y_true: Any, labels: Any) -> tuple[Array, Array]:
    """Return the classes, and the truth as codes among them (as a 0/1 table when it is one)."""
    kind = target_type(y_true, "y_true")
    if kind == "multilabel-indicator":
        table = y_true.toarray() if is_sparse(y_true) else to_numpy(y_true, "y_true")
        columns = np.arange(table.shape[1])
        if labels is not None and not np.array_equal(as_vector(labels, "labels"), columns):
            raise ValueError("`labels` does not apply to a 0/1 table, whose columns are the labels: leave it out.")
        return columns, np.asarray(table != 0, dtype=np.float64)
    if kind.endswith("-multioutput"):
        raise ValueError(f"Multioutput target data is not supported: y_true is {kind}, not one class label per row.")
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: {kind}. y_true must hold one class label per row.")
    present, codes = encode(as_vector(y_true, "y_true"))
    if labels is None:
        if len(present) == 1:
            raise ValueError(
                f"y_true contains only one label ({present[0]}). Please provide the list of all expected class labels "
                "explicitly through the labels argument."
            )
        return present, codes
    return _among(present, codes, labels)


def _among(present: Array, codes: Array, labels: Any) -> tuple[Array, Array]:
    """Return the codes among the named labels in sorted order."""
    named = as_vector(labels, "labels")
    classes = encode(named)[0]
    if len(classes) == 1:
        raise ValueError(f"The labels array needs to contain at least two labels, got {classes}.")
    if not np.array_equal(classes, named):
        warnings.warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. Pass the "
            f"ordered labels={classes.tolist()} and ensure that the columns of y_prob correspond to this ordering.",
            UserWarning,
            stacklevel=5,
        )
    place = {label: code for code, label in enumerate(classes.tolist())}
    undeclared = {label for label in present.tolist() if label not in place}
    if undeclared:
        raise ValueError(f"y_true contains values {undeclared} not belonging to the passed labels {labels}.")
    return classes, np.array([place[label] for label in present.tolist()])[codes]


def _check_sums(probabilities: Array) -> None:
    if probabilities.ndim == 1 or probabilities.shape[1] == 1:
        return
    # √precision, as a relative tolerance of the sum 1.
    tolerance = math.sqrt(np.finfo(probabilities.dtype).eps)
    # A product with ones is several times as fast as a sum over a short axis.
    ones = np.ones(probabilities.shape[1])
    sums = np.concatenate([probabilities[part] @ ones for part, _ in blocks(*probabilities.shape)])
    if sums.min() < 1 - tolerance or sums.max() > 1 + tolerance:
        warnings.warn(
            "The y_prob values do not sum to one. Make sure to pass probabilities.", UserWarning, stacklevel=4
        )


def _misfit(classes: Array, columns: int, labels: Any) -> ValueError:
    if labels is not None:
        return ValueError(
            f"The number of classes in labels is different from that in y_prob. Classes found in labels: {classes}"
        )
    return ValueError(
        f"y_true and y_prob contain different number of classes: {len(classes)} vs {columns}. Please provide the true "
        f"labels explicitly through the labels argument. Classes found in y_true: {classes}"
    )
