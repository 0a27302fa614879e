"""What kind of target a column of labels is, in scikit-learn's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.metrics.inputs.arrays import Array, check_finite, is_sparse, to_numpy
from thresher.metrics.inputs.labels import encode


def target_type(values: Any, name: str = "") -> str:
    """Kind of a target: "binary" (at most two labels), "multiclass", "continuous", each with suffix "-multioutput" when
    it has several columns, "multilabel-indicator", or "unknown".

    Raises:
        ValueError: it is no array, or a list of lists of different lengths, or has NaN among fractions.
        TypeError: the labels are bytes.

    >>> target_type([0, 1, 1]), target_type(["a", "b", "c"]), target_type([[1, 0], [1, 1]])
    ('binary', 'multiclass', 'multilabel-indicator')
    """
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "biu":
        return "binary" if at_most_two(values) else "multiclass"
    if is_sparse(values):
        return _sparse_type(values)
    array = _array_of(values, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.size):
        return "unknown"
    if not array.size:
        return "binary"
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return "unknown"
    return _type_of_filled(array, name)


def _type_of_filled(array: Array, name: str) -> str:
    """Kind of a target that has rows and plain values."""
    several = array.ndim == 2 and array.shape[1] > 1
    if array.dtype.kind == "f" and not _whole(array):
        check_finite(array, name)
        return "continuous-multioutput" if several else "continuous"
    if several:
        return "multilabel-indicator" if _is_indicator(array) else "multiclass-multioutput"
    return "binary" if at_most_two(array.ravel()) else "multiclass"


def is_label_column(values: Any) -> bool:
    """Whether an array is one column of labels, however many there are; False leaves the question open."""
    if type(values) is not np.ndarray or values.ndim != 1 or not values.size:
        return False
    kind = values.dtype.kind
    if kind == "f":
        return _whole(values)
    return kind in "biuU" or (kind == "O" and isinstance(values[0], str))


def at_most_two(values: Array) -> bool:
    """Whether a column has at most two distinct values; whole numbers need no sort."""
    if not values.size or values.dtype.kind == "b":
        return True
    if values.dtype.kind in "iu":
        low, high = values.min(), values.max()
        if int(high) - int(low) <= 1:
            return True
        return bool(((values == low) | (values == high)).all())
    return len(encode(values)[0]) <= 2


def _array_of(values: Any, name: str) -> Array:
    listed = (isinstance(values, Sequence) or hasattr(values, "__array__")) and not isinstance(values, str)
    if not listed and not hasattr(values, "__arrow_c_stream__"):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {values!r}")
    if type(values).__name__ in ("SparseSeries", "SparseArray"):
        raise ValueError("y cannot be class 'SparseSeries' or 'SparseArray'")
    array = to_numpy(values, name or "y")
    first = array.flat[0] if array.ndim == 1 and array.size else None
    if isinstance(first, bytes):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a string or integer "
            "format."
        )
    if isinstance(first, Sequence) and not isinstance(first, str):
        raise ValueError(
            "You appear to be using a legacy multi-label data representation. Sequence of sequences are no longer "
            "supported; use a binary array or sparse matrix instead."
        )
    return array


def _is_indicator(array: Array) -> bool:
    if array.dtype.kind in "OUS":
        return False
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return False
    return at_most_two(array.ravel())


def _whole(array: Array) -> bool:
    """Whether all floats are whole numbers; NaN and infinity are not."""
    with np.errstate(invalid="ignore"):
        return bool((array == np.rint(array)).all() and np.isfinite(array).all())


def _sparse_type(values: Any) -> str:
    matrix = values.tocsr()
    entries = np.asarray(matrix.data)
    if values.ndim != 2 or values.shape[1] < 2:
        return "binary" if at_most_two(entries) else "multiclass"
    if entries.dtype.kind == "f" and not _whole(entries):
        check_finite(entries, "")
        return "continuous-multioutput"
    # A matrix with gaps has 0 as one value, so that only one other is left.
    distinct = set(np.unique(entries).tolist()) | ({0} if entries.size < np.prod(values.shape) else set())
    return "multilabel-indicator" if len(distinct) <= 2 else "multiclass-multioutput"
