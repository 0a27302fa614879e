"""Arrays of values or weights from whatever the caller has, and options, with scikit-learn's refusals."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from datetime import date, time, timedelta
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.foreign_arrays import to_host

Array = NDArray[Any]

NO_NUMBERS = (date, time, timedelta, np.datetime64, np.timedelta64, complex, np.complexfloating)
"""Objects that NumPy may take for numbers, or refuses in its own words."""

# Whole numbers up to this are all floats.
LARGEST_EXACT = 2**53

_NOT_APART = "{} has different numbers that are one as float64: rescale them, or pass their ranks."


def is_sparse(values: Any) -> bool:
    """Return whether a value is a SciPy sparse matrix or array, without importing SciPy."""
    return type(values).__module__.startswith("scipy.sparse") and hasattr(values, "tocsr")


def sample_count(values: Any) -> int:
    """Return the number of rows; a scalar or an estimator is a TypeError."""
    if type(values) is np.ndarray and values.ndim:
        return len(values)
    if callable(getattr(values, "fit", None)):
        raise TypeError(f"Expected sequence or array-like, got {type(values)}; an estimator has no rows.")
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        if not shape:
            raise TypeError(f"Input should have at least 1 dimension, got scalar array {values!r} instead.")
        return int(shape[0])
    try:
        return len(values)
    except TypeError:
        if hasattr(values, "__array__"):
            return sample_count(np.asarray(values))
        raise TypeError(f"Expected sequence or array-like, got {type(values)}") from None


def check_lengths(*columns: Any) -> int:
    """Check that all columns (None is left out) have equally many rows, and return how many."""
    counts = [sample_count(column) for column in columns if column is not None]
    if counts.count(counts[0]) != len(counts):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {counts}")
    return counts[0]


def as_vector(values: Any, name: str) -> Array:
    """Return a one-dimensional array of any type, an (n, 1) column flattened (scikit-learn's `column_or_1d`)."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind != "c":
        return values
    array = to_numpy(values, name)
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return array.ravel()
    raise ValueError(
        f"{name} should be a 1d array, got an array of shape {array.shape} instead: one column, a value per row."
    )


def as_array(values: Any, name: str, *, least: int = 1) -> Array:
    """Return an array of one or two dimensions and any type, with at least `least` rows."""
    array = values if type(values) is np.ndarray and values.dtype.kind != "c" else to_numpy(values, name)
    if array.ndim == 0:
        raise TypeError(f"{name} should have at least 1 dimension, got scalar {values!r} instead.")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required for {name}.")
    if len(array) < least:
        raise ValueError(
            f"Found array with {len(array)} sample(s) (shape={array.shape}) while a minimum of {least} is required."
        )
    if array.ndim == 2 and not array.shape[1]:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def as_numbers(values: Any, name: str, *, floats: bool = False) -> Array:
    """Return a finite numeric array of one or two dimensions; objects and, with `floats`, wide types become float64."""
    array = as_array(values, name)
    if array.dtype.kind in "USV":
        raise ValueError(f"dtype='numeric' is not compatible with arrays of bytes/strings: convert {name} to numbers.")
    if array.dtype.kind in "Mm":
        raise ValueError(f"dtype='numeric' is not compatible with {name} of type {array.dtype}: it takes numbers.")
    if array.dtype.kind == "O":
        array = object_numbers(array, name)
    elif floats and (array.dtype.kind != "f" or array.dtype.itemsize > 8):
        array = array.astype(np.float64)
    check_finite(array, name)
    return array


def object_numbers(array: Array, name: str, *, apart: bool = True) -> NDArray[np.float64]:
    """Return Python's numbers as float64; with `apart` two different ones may not become one."""
    items = array.ravel().tolist()
    odd = next((item for item in items if isinstance(item, NO_NUMBERS)), None)
    if odd is not None:
        raise ValueError(f"dtype='numeric' is not compatible with {type(odd).__name__} values: {name} takes numbers.")
    try:
        numbers = np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"Input {name} contains infinity or a value too large for float64.") from None
    if any(isinstance(item, np.ndarray) for item in items):
        raise ValueError(f"{name} holds values that are not numbers: arrays.")
    if not apart:
        return numbers
    plain = all(isinstance(item, float) or (isinstance(item, int) and abs(item) <= LARGEST_EXACT) for item in items)
    if not plain and len(set(items)) > len(set(numbers.ravel().tolist())):
        raise ValueError(_NOT_APART.format(name))
    return numbers


def as_float64(array: Array, name: str) -> NDArray[np.float64]:
    """Return numbers as float64; two different ones may not become one."""
    numbers = array.astype(np.float64, copy=False)
    if array.dtype != numbers.dtype and array.dtype.itemsize >= 8 and np.unique(array).size > np.unique(numbers).size:
        raise ValueError(_NOT_APART.format(name))
    return numbers


def check_finite(array: Array, name: str) -> None:
    """Refuse NaN and infinity (in object arrays: NaN), naming which."""
    if array.dtype.kind == "O":
        if any(isinstance(value, float) and math.isnan(value) for value in array.ravel().tolist()):
            raise ValueError(f"Input {name} contains NaN")
        return
    if array.dtype.kind not in "fc":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        # A finite sum proves that all is finite, in one pass and no memory.
        if np.isfinite(np.add.reduce(array, axis=None)):
            return
    if np.isnan(array).any():
        raise ValueError(f"Input {name} contains NaN.")
    if np.isinf(array).any():
        raise ValueError(f"Input {name} contains infinity or a value too large for {array.dtype!r}.")


def to_numpy(values: Any, name: str) -> Array:
    """Return any array-like as a NumPy array; refuse values that NumPy would misread."""
    if isinstance(values, np.matrix):
        raise TypeError(f"np.matrix is not supported for {name}. Convert it with np.asarray.")
    if is_sparse(values):
        raise TypeError(f"Sparse data was passed for {name}, but dense data is required.")
    array = _converted(to_host(values))
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has type {array.dtype}.")
    return array


def _converted(values: Any) -> Array:
    """Convert columns with missing values that no NumPy type can hold to floats or objects."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.filled(np.nan) if np.ma.is_masked(values) else values.data)
    kind = getattr(values, "dtype", None)
    if hasattr(values, "iloc") and kind is not None and not isinstance(kind, np.dtype):
        if getattr(kind, "kind", "O") in "biuf" and not hasattr(kind, "categories"):
            # pandas' nullable numbers and booleans: their missing value becomes NaN.
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(values, dtype=None if hasattr(kind, "categories") else object)
    if hasattr(values, "iloc") and kind is None and _nullable_numbers(values):
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    in_arrow = hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")
    if hasattr(values, "__array__") or not in_arrow:
        try:
            return _from_sequence(values)
        except NotImplementedError:  # PyArrow's dictionaries of string views become no array
            if not in_arrow:
                raise
    from thresher.readers import arrow

    return _from_sequence([value for batch in arrow.batches(values) for value in arrow.objects(batch)])


def _nullable_numbers(frame: Any) -> bool:
    """Return whether all columns of a pandas frame are numbers or booleans, some of a nullable type."""
    kinds = list(getattr(frame, "dtypes", ()))
    numbers = all(getattr(kind, "kind", "O") in "biuf" and not hasattr(kind, "categories") for kind in kinds)
    return numbers and any(not isinstance(kind, np.dtype) for kind in kinds)


def _from_sequence(values: Any) -> Array:
    """Convert a list, tuple or anything with `__array__`; rows of different lengths become an object array."""
    try:
        array = np.asarray(values)
        if isinstance(values, list | tuple) and array.dtype == np.float64 and array.ndim == 1:
            # Whole numbers beyond 64 bits, or beside a fraction, are floats to NumPy.
            is_large = (np.abs(array[np.isfinite(array)]) >= LARGEST_EXACT).any()
            if is_large and not all(isinstance(value, float) for value in values):
                return np.array(values, dtype=object)
        return array
    except ValueError:
        if not isinstance(values, Sequence):
            raise
        ragged = np.empty(len(values), dtype=object)
        ragged[:] = values
        return ragged


def as_weights(weights: Any, n: int) -> NDArray[Any] | None:
    """Return weights in their own numeric type, one a row, finite, ≥ 0 and not all 0; None stays None."""
    if weights is None:
        return None
    array = to_numpy(weights, "sample_weight")
    if array.dtype.kind == "O":
        array = object_numbers(array, "sample_weight", apart=False)
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight must be numbers, got an array of type {array.dtype}.")
    if array.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {array.ndim}D array. Expected a 1D array of length {n}."
        )
    if array.size != n:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n,)}!")
    check_finite(array, "sample_weight")
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if array.size:
        # A negative weight makes every share meaningless, even where the sum stays positive.
        if array.dtype.kind != "u" and array.min() < 0:
            row = int(np.argmax(array < 0))
            raise ValueError(f"Negative values in data passed to `sample_weight`: {array[row]} in row {row}.")
        if not array.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
    return array


LABELS = (int, float, str, np.generic, Real)


def check_choice(function: str, name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Check that an option is one of its values (None counts when it is listed)."""
    for choice in choices:
        if value is choice or (isinstance(value, str) and value == choice):
            return
    listed = ", ".join(map(repr, choices))
    raise ValueError(f"The {name!r} parameter of {function} must be one of {listed}. Got {value!r} instead.")


def check_flag(function: str, name: str, value: Any) -> None:
    """Check that an option is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"The {name!r} parameter of {function} must be True or False. Got {value!r} instead.")


def check_positive_label_type(function: str, value: Any) -> None:
    """Check that a positive label is a number, a string, a boolean or None."""
    if value is not None and not isinstance(value, LABELS):
        raise ValueError(
            f"The 'pos_label' parameter of {function} must be a number, a string, a boolean or None. "
            f"Got {value!r} instead."
        )


def check_count(function: str, name: str, value: Any) -> None:
    """Check that an option is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"The {name!r} parameter of {function} must be an int in the range [1, inf). Got {value!r} instead."
        )


def as_range(function: str, name: str, value: Any) -> tuple[float, float]:
    """Return the lower and upper limit that an option names."""
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The {name!r} parameter of {function} must be two numbers, (low, high). Got {value!r} instead."
        ) from None
    return low, high


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 on these data and was set to a stated value."""


def warning_class() -> type[Warning]:
    """Return the warning class that the user's filters know."""
    loaded: Any = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    return found


def warn_undefined(message: str, *, stacklevel: int = 3) -> None:
    """Warn that a metric is undefined; the default stack level points at the caller of the metric."""
    warnings.warn(message, warning_class(), stacklevel=stacklevel)
