"""Truth and prediction of the same rows, checked against each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs.arrays import (
    Array,
    as_vector,
    as_weights,
    check_lengths,
    is_sparse,
    sample_count,
    to_numpy,
)
from thresher.metrics.inputs.labels import by_class, is_label_column, target_type
from thresher.metrics.on_device import distinct_rows


class Pair(NamedTuple):
    """Two columns of labels, or two tables of 0/1 (`multilabel`), and the weights of their rows."""

    truth: Any
    predicted: Any
    weights: NDArray[Any] | None
    multilabel: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.truth.shape[0])


def check_pair(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Pair:
    """Return truth and prediction as arrays of one kind, or refuse them as scikit-learn does."""
    quick = type(y_true) is np.ndarray and type(y_pred) is np.ndarray and y_true.ndim == y_pred.ndim == 1
    kinds = (y_true.dtype.kind, y_pred.dtype.kind) if quick else ("", "")
    # Labels whatever their values: text of fixed width, or whole numbers.
    if kinds == ("U", "U") or (quick and kinds[0] in "biu" and kinds[1] in "biu"):
        n = len(y_true)
        if n and n == len(y_pred):
            if sample_weight is None:
                return Pair(y_true, y_pred, None)
            if type(sample_weight) is np.ndarray and sample_weight.shape == (n,):
                return Pair(y_true, y_pred, as_weights(sample_weight, n))
    return _check_any(y_true, y_pred, sample_weight)


def _check_any(y_true: Any, y_pred: Any, sample_weight: Any) -> Pair:
    check_lengths(y_true, y_pred, sample_weight)
    y_true, y_pred, sample_weight = distinct_rows(y_true, y_pred, sample_weight)
    n = sample_count(y_true)
    y_pred = _converted_once(by_class(y_pred, y_true), "y_pred")
    y_true = _converted_once(y_true, "y_true")
    if n and is_label_column(y_true) and is_label_column(y_pred):
        return Pair(y_true, y_pred, as_weights(sample_weight, n))
    true_type, pred_type = target_type(y_true, "y_true"), target_type(y_pred, "y_pred")
    if not n:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        )
    weights = as_weights(sample_weight, n)
    kinds = {true_type, pred_type}
    if len(kinds) > 1 and kinds != {"binary", "multiclass"}:
        raise ValueError(f"Classification metrics can't handle a mix of {true_type} and {pred_type} targets")
    if true_type == "multilabel-indicator":
        return Pair(*_tables(y_true, y_pred), weights, multilabel=True)
    if true_type not in ("binary", "multiclass"):
        raise ValueError(f"{true_type} is not supported")
    if is_sparse(y_true) or is_sparse(y_pred):
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    return Pair(as_vector(y_true, "y_true"), as_vector(y_pred, "y_pred"), weights)


def _converted_once(values: Any, name: str) -> Any:
    """Convert a plain column to an array; leave anything else for `target_type` to refuse."""
    listed = isinstance(values, list) or hasattr(values, "__array__")
    if type(values) is np.ndarray or is_sparse(values) or not listed:
        return values
    try:
        return to_numpy(values, name)
    except (TypeError, ValueError):
        return values


def _tables(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return both tables dense, or both sparse when both came so."""
    counts = [table.shape[1] if hasattr(table, "shape") else len(table[0]) for table in (y_true, y_pred)]
    if counts[0] != counts[1]:
        raise ValueError("Multi-label binary indicator input with different numbers of labels")
    if is_sparse(y_true) and is_sparse(y_pred):
        return y_true.tocsr(), y_pred.tocsr()
    return _dense(y_true, "y_true"), _dense(y_pred, "y_pred")


def _dense(table: Any, name: str) -> Array:
    return np.asarray(table.toarray()) if is_sparse(table) else to_numpy(table, name)
