"""From whatever the caller has to one-dimensional contiguous arrays of the exact types the kernel reads.

Only the shape, type and length are checked here. Values (NaN, labels, negative weights) are checked by the
kernel in the pass that reads them anyway. Another thread may write to an array while it is read; so numbers that say
where something is read or written (codes, rows, sizes, offsets) are copied, and the copy is checked.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.threads import processors
from thresher.kernel.values import Counts, Rows, Scores, Truth

# Whole numbers above this are not all floats, so two different scores could become one.
LARGEST_EXACT_INTEGER = 2**53

# A table of counts of this many classes takes 800 MB; more is a column of identifiers.
MOST_CLASSES = 10_000

# Below this many rows starting a second thread costs more than it saves.
ROWS_PER_THREAD = 100_000
MOST_THREADS = 64

_UINT8 = np.dtype(np.uint8)
_FLOAT64 = np.dtype(np.float64)
_COUNT_TYPES = tuple(np.dtype(t) for t in (np.int64, np.float64, np.int32, np.int8))
_CODE_TYPES = tuple(np.dtype(t) for t in (np.uint8, np.uint16, np.int32, np.int64))


def _vector(values: Any, name: str) -> NDArray[Any]:
    """Return a one-dimensional array; refuse input that NumPy would flatten or unmask silently."""
    # Looked up on the type, because asking NumPy for np.ma would import it.
    if isinstance(values, np.ndarray) and hasattr(type(values), "mask"):
        raise TypeError(f"{name} is a masked array; fill or drop the masked entries first")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    return array


def as_truth(values: Any) -> Truth:
    """Return truth codes as contiguous uint8; a bool array is read in place."""
    array = values if type(values) is np.ndarray and values.ndim == 1 else _vector(values, "truth")
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.dtype != _UINT8:
        raise TypeError(f"truth must be a uint8 or bool array, not {array.dtype}")
    return np.ascontiguousarray(array)


def as_floats(values: Any, name: str) -> Scores:
    """Return contiguous float64; integers and narrower floats are converted when that loses nothing."""
    array = values if type(values) is np.ndarray and values.ndim == 1 else _vector(values, name)
    if array.dtype == _FLOAT64:
        return np.ascontiguousarray(array)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} must be numbers of at most 64 bits, not {array.dtype}")
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size > 0
    if wide and max(int(array.max()), -int(array.min())) > LARGEST_EXACT_INTEGER:
        raise ValueError(f"{name} holds whole numbers above 2**53, which float64 cannot tell apart")
    return np.ascontiguousarray(array, dtype=np.float64)


def as_counts(values: Any, name: str) -> Counts:
    """Return one class's column of a score table: contiguous, of whole numbers as they are or float64."""
    array = _vector(values, name)
    if array.dtype in _COUNT_TYPES:
        return np.ascontiguousarray(array)
    if array.dtype.kind in "iub" and array.dtype != np.uint64:
        return np.ascontiguousarray(array, dtype=np.int64)
    raise TypeError(f"{name} must be int64 or float64, not {array.dtype}")


def as_codes(values: Any, name: str) -> NDArray[Any]:
    """Return class codes as contiguous uint8, uint16, int32 or int64."""
    array = _vector(values, name)
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.dtype not in _CODE_TYPES:
        raise TypeError(f"{name} must be uint8, uint16, int32 or int64 codes, not {array.dtype}")
    return np.ascontiguousarray(array)


def as_rows(values: Any, count: int) -> Rows:
    """Return row indices that never fall, all below ``count``."""
    array = _vector(values, "indices")
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"indices must be integers, not {array.dtype}")
    rows: Rows = np.array(array, dtype=np.int64)
    if rows.size and (rows[0] < 0 or rows[-1] >= count or np.any(rows[1:] < rows[:-1])):
        raise ValueError(f"indices must not fall and must be in 0 … {count - 1}")
    return rows


def same_length(first: NDArray[Any], second: NDArray[Any], names: str) -> None:
    """Refuse two columns of different lengths."""
    if first.size != second.size:
        raise ValueError(f"{names} differ in length: {first.size} and {second.size}")


def rows(truth: Any, scores: Any, weights: Any) -> tuple[Truth, Scores, Scores | None]:
    """Return the three columns that describe scored rows."""
    codes, values = as_truth(truth), as_floats(scores, "scores")
    if codes.size != values.size:
        same_length(codes, values, "truth and scores")
    return codes, values, None if weights is None else as_weights(weights, codes, "truth")


def as_weights(weights: Any, rows: NDArray[Any], what: str) -> Scores | None:
    """Return weights of rows as contiguous float64, or None without weights."""
    if weights is None:
        return None
    importance = as_floats(weights, "weights")
    same_length(rows, importance, f"{what} and weights")
    return importance


def table(positive: Any, negative: Any) -> tuple[Counts, Counts]:
    """Return both columns of a score table as the same type, which a `ScoreTable` ensures."""
    if (
        type(positive) is type(negative) is np.ndarray
        and positive.dtype == negative.dtype in _COUNT_TYPES
        and positive.shape == negative.shape == (positive.size,)
        and positive.flags.c_contiguous
        and negative.flags.c_contiguous
    ):
        return positive, negative
    first, second = as_counts(positive, "positive"), as_counts(negative, "negative")
    same_length(first, second, "positive and negative")
    if first.dtype == second.dtype:
        return first, second
    kind = np.result_type(first, second)  # float64 of int64 and float64, and the wider of two whole types
    return first.astype(kind, copy=False), second.astype(kind, copy=False)


def threads(wanted: int | None, rows: int) -> int:
    """Return how many threads to use, 64 at most: by default those that the process may use and the rows repay.

    The result of a function never depends on it. A row that is sorted takes as long as two or more that are read, and
    is counted so by the caller.
    """
    if wanted is None:
        if rows < 2 * ROWS_PER_THREAD:
            return 1
        return min(processors(), rows // ROWS_PER_THREAD, MOST_THREADS)
    count = operator.index(wanted)
    if count < 1:
        raise ValueError(f"threads must be at least 1, not {count}")
    return min(count, MOST_THREADS)
