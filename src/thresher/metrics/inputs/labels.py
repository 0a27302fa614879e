"""Labels of any kind as codes 0 … k − 1, in sorted order of the labels, and which kind of target they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.ranked import fixed_codes
from thresher.metrics.inputs.arrays import (
    LARGEST_EXACT,
    Array,
    as_vector,
    as_weights,
    check_finite,
    check_lengths,
    is_sparse,
    sample_count,
    to_numpy,
)
from thresher.metrics.on_device import distinct_rows
from thresher.predictions.probabilities import within_names

# A span of whole numbers up to this is counted in a table; a wider one is sorted.
WIDEST_SPAN = 1 << 16


def encode(values: Array) -> tuple[Array, NDArray[Any]]:
    """Return the sorted distinct labels of a column, and the position of each row's label.

    Whole numbers in a narrow range and text of a fixed width are found without a sort of the rows.
    """
    if values.dtype.kind in "biu" and values.size:
        found = _encode_whole(values)
        if found is not None:
            return found
    if values.dtype.kind == "f" and values.size:
        found = _encode_whole_floats(values)
        if found is not None:
            return found
    if values.dtype.kind == "U" and values.size:
        return _encode_texts(values)
    if values.dtype.kind == "O":
        return _encode_objects(values)
    labels, codes = np.unique(values, return_inverse=True)
    return labels, codes


def _encode_texts(values: Array) -> tuple[Array, NDArray[Any]]:
    """Encode texts of a fixed width by the kernel's table of hashes."""
    codes, firsts = fixed_codes(values)
    found = values[firsts]
    order = np.argsort(found)
    place = np.empty(found.size, dtype=np.uint8 if found.size <= 256 else np.int32)
    place[order] = np.arange(found.size)
    return found[order], place[codes]


def _encode_whole(values: Array) -> tuple[Array, NDArray[Any]] | None:
    if values.dtype.kind == "b":
        labels, codes = _encode_small(values.view(np.uint8), 0, 1)
        return labels.astype(np.bool_), codes
    low, high = int(values.min()), int(values.max())
    return None if high - low >= WIDEST_SPAN else _encode_small(values, low, high)


def _encode_whole_floats(values: Array) -> tuple[Array, NDArray[Any]] | None:
    """Encode floats that are whole numbers in a narrow range; None for others."""
    low, high = float(values.min()), float(values.max())
    # Not so for NaN either, which every comparison denies.
    if not (high - low < WIDEST_SPAN and abs(low) < LARGEST_EXACT and abs(high) < LARGEST_EXACT):
        return None
    whole = values.astype(np.int64)
    if not np.array_equal(whole, values):
        return None
    labels, codes = _encode_small(whole, int(low), int(high))
    return labels.astype(values.dtype), codes


def _encode_small(values: Array, low: int, high: int) -> tuple[Array, NDArray[Any]]:
    kind = np.uint8 if high - low < 256 else np.uint16
    # Modular subtraction in the narrow type is exact, because the difference fits it.
    codes = values.astype(kind) - np.array(low & 0xFFFFFFFF).astype(kind) if low else values.astype(kind)
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[codes] = True
    if seen.all():
        return shifted(np.arange(high - low + 1), low, values.dtype), codes
    positions = np.flatnonzero(seen)
    narrower = (np.cumsum(seen) - 1).astype(kind)
    return shifted(positions, low, values.dtype), narrower[codes]


def shifted(positions: NDArray[Any], low: int, kind: np.dtype[Any]) -> Array:
    """Return the labels at positions counted from the lowest, in the labels' own modular arithmetic."""
    return np.asarray(positions.astype(kind) + np.array([low], dtype=kind))


def _encode_objects(values: Array) -> tuple[Array, NDArray[Any]]:
    """Encode objects (as a rule text) by a dictionary, in one pass and without comparisons."""
    items = values.tolist()
    try:
        distinct = set(items)
    except TypeError as error:
        raise TypeError(f"labels are numbers or text, and among these is an {error}.") from None
    odd = {type(label) for label in distinct} - {str}
    if odd and any(isinstance(label, str) for label in distinct):
        row = next(i for i, item in enumerate(items) if not isinstance(item, str))
        raise ValueError(
            f"Mix of label input types (string and number); Got text and {items[row]!r} in row {row} (counted from 0). "
            "A missing label must be filled or its row dropped."
        )
    try:
        labels = sorted(distinct)
    except ArithmeticError:  # a decimal NaN, which no number is compared with
        row = next(i for i, item in enumerate(items) if item != item)  # noqa: PLR0124
        raise ValueError(
            f"the label in row {row} (counted from 0) is NaN. A missing label must be filled or its row dropped."
        ) from None
    place = {label: code for code, label in enumerate(labels)}
    kind = np.uint8 if len(labels) <= 256 else np.int32
    codes = np.fromiter(map(place.__getitem__, items), dtype=kind, count=len(items))
    return np.asarray(labels), codes


def mixed_labels(*columns: Array) -> ValueError:
    """Return the error for text in one column and numbers in another."""
    shown = " and ".join(f"{np.unique(column[:1000].astype(str))}" for column in columns)
    return ValueError(f"Mix of label input types (string and number); Got {shown}. Convert one of them.")


def positive_label(pos_label: Any, classes: Array) -> Any:
    """Return the positive label: the named one, or 1 of classes within {0, 1} or {−1, 1}; else refuse."""
    if pos_label is not None:
        return pos_label
    plain: Any = classes.tolist()
    if classes.dtype.kind in "OUS" or plain not in ([0, 1], [-1, 1], [0], [-1], [1]):
        listed = ", ".join(map(repr, plain))
        raise ValueError(
            f"y_true takes value in {{{listed}}} and pos_label is not specified: either make y_true take value in "
            "{0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def zero_one(truth: Array) -> NDArray[np.uint8] | None:
    """Return the truth as uint8 when it is boolean, or whole numbers that are all 0 or 1; else None.

    >>> zero_one(np.array([0, 1, 1]))
    array([0, 1, 1], dtype=uint8)
    """
    if truth.dtype.kind == "b":
        return truth.view(np.uint8)
    # The bits of all rows together are 0 or 1 exactly when every row is 0 or 1.
    if truth.dtype.kind not in "iu" or not 0 <= int(np.bitwise_or.reduce(truth)) <= 1:
        return None
    return truth if truth.dtype == np.uint8 else truth.astype(np.uint8)


def binary_truth(y_true: Any, pos_label: Any = None) -> NDArray[np.uint8]:
    """Return the truth as uint8, 1 for the positive label; bool and uint8 columns of 0/1 are not copied."""
    truth = as_vector(y_true, "y_true")
    if not truth.size:
        raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required for y_true.")
    if pos_label is None or (isinstance(pos_label, int) and pos_label == 1):
        codes = zero_one(truth)
        if codes is not None:
            return codes
    check_finite(truth, "y_true")
    kind = target_type(truth, "y_true")
    if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
        raise ValueError(f"{kind} format is not supported")
    if pos_label is None:
        pos_label = positive_label(None, encode(truth)[0])
    return np.asarray(truth == pos_label, dtype=np.bool_).view(np.uint8)


def target_type(values: Any, name: str = "") -> str:
    """Name the kind of a target: "binary" (at most two labels), "multiclass", "continuous", or "unknown".

    A table is "multilabel-indicator", or one of these with the suffix "-multioutput".

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
    """Return the kind of a target that has rows and plain values."""
    several = array.ndim == 2 and array.shape[1] > 1
    if array.dtype.kind == "f" and not _whole(array):
        check_finite(array, name)
        return "continuous-multioutput" if several else "continuous"
    if several:
        is_plain = array.dtype.kind not in "OUS" and (array.dtype.kind != "f" or np.isfinite(array).all())
        return "multilabel-indicator" if is_plain and at_most_two(array.ravel()) else "multiclass-multioutput"
    return "binary" if at_most_two(array.ravel()) else "multiclass"


def is_label_column(values: Any) -> bool:
    """Return whether an array is one column of labels, however many there are; False leaves the question open."""
    if type(values) is not np.ndarray or values.ndim != 1 or not values.size:
        return False
    kind = values.dtype.kind
    if kind == "f":
        return _whole(values)
    return kind in "biuU" or (kind == "O" and isinstance(values[0], str))


def at_most_two(values: Array) -> bool:
    """Return whether a column has at most two distinct values; whole numbers need no sort."""
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


def _whole(array: Array) -> bool:
    """Return whether all floats are whole numbers; NaN and infinity are not."""
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


def by_class(columns: Any, y_true: Any, labels: Any = None) -> Any:
    """Sort the named columns of a dataframe by class; return other values as they are.

    Classes are `labels`, those in `y_true`, or the names of its columns when it is a dataframe of 0/1 itself. Other
    columns keep their order, as in scikit-learn.
    """
    if not hasattr(type(columns), "columns"):
        return columns
    from thresher.readers.arrays import as_columns, frame_columns

    names = frame_columns(columns)
    if names is None or len(names) < 2:
        return columns
    wanted = frame_columns(y_true)
    if wanted is None or len(wanted) < 2:
        given, name = (y_true, "y_true") if labels is None else (labels, "labels")
        wanted = encode(as_vector(given, name))[0].tolist()
    places = within_names(list(map(str, names)), list(map(str, wanted))) if wanted else None
    return columns if places is None or places == sorted(places) else as_columns(columns)[:, places]


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
