"""One column from an array: a list, NumPy, or a series of any dataframe library through its own buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.foreign_arrays import to_host
from thresher.errors import InputError, Note
from thresher.predictions.columns import Encoded
from thresher.readers import arrow
from thresher.readers.codes import Encoder, blocks, distinct_dictionary, distinct_fixed, numpy_decoder
from thresher.readers.numbers import EXACT, Apart, number_array, number_objects

Floats = NDArray[np.float64]


def floats(
    values: Any,
    name: str,
    role: str,
    notes: list[Note],
    first: int = 0,
    *,
    lent: bool = False,
    apart: Apart | None = None,
) -> Floats:
    """Convert numbers to float64, NaN where missing; `first` rows came before, which `apart` holds.

    The array is the reader's own, unless the values are `lent`: unchanged while they are read.
    """
    source = _source(values, name, role)
    if isinstance(source, np.ma.MaskedArray):
        known = source.filled(0) if source.dtype.kind in "biuf" else np.asarray(source.data)
        filled = number_array(known, name, role, notes, first, apart=apart)
        filled[np.ma.getmaskarray(source)] = np.nan
        return filled
    if isinstance(source, np.ndarray):
        return number_array(source, name, role, notes, first, lent=lent, apart=apart)
    if isinstance(source, list):
        return number_objects(source, name, role, notes, first, apart=apart)
    parts: list[Floats] = []
    before = apart or Apart()
    try:
        for batch in arrow.batches(source):
            parts.append(_arrow_floats(batch, name, role, notes, first + sum(map(len, parts)), before))
    except arrow.FormatError as error:
        return floats(_listed(source, name, role, error), name, role, notes, first, apart=apart)
    return np.concatenate(parts) if parts else np.zeros(0)


def encoded(values: Any, name: str, role: str) -> Encoded:
    """Labels or groups of any type as codes."""
    encoder = Encoder(name, role)
    encode(values, encoder)
    column, order = encoder.finish(), scale_of(values)
    if order is None:
        return column
    ordered = tuple(value for value in order if value in column.values)
    places = [ordered.index(value) for value in column.values]
    codes = np.array([*places, len(ordered)], dtype=column.codes.dtype).take(column.codes)
    return Encoded(column.name, codes, ordered, ordered=True)


def scale_of(values: Any) -> list[Any] | None:
    """Values of an ordered categorical in their order: pandas' own, Polars' Enum, Arrow's ordered dictionary."""
    if _is_categorical(values):
        categorical = getattr(values, "cat", values)
        return list(categorical.categories) if categorical.ordered else None
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars."):
        return list(dtype.categories)  # type: ignore[union-attr]
    if getattr(getattr(values, "type", None), "ordered", False):
        chunks = values.unify_dictionaries().chunks if hasattr(values, "chunks") else [values]
        return chunks[0].dictionary.to_pylist() if chunks else None
    return None


def encode(values: Any, encoder: Encoder) -> None:
    """Append labels or groups of any type to a column of codes."""
    if not _is_categorical(values):
        _encode(_source(values, encoder.name, encoder.role), encoder)
        return
    categorical = getattr(values, "cat", values)
    categories, codes = list(categorical.categories), np.asarray(categorical.codes)
    for rows in blocks(len(codes)):
        encoder.add(distinct_dictionary(codes[rows].astype(np.int64), categories, None))


def _encode(source: Any, encoder: Encoder) -> None:
    mask = np.ma.getmaskarray(source) if isinstance(source, np.ma.MaskedArray) else None
    kind = source.dtype.kind if isinstance(source, np.ndarray) else None
    if kind is not None and kind in "biuf":
        encoder.add_numbers(np.asarray(source), mask)
    elif kind is not None and kind in "Mm":
        stored = np.asarray(source, dtype=source.dtype.newbyteorder("="))
        gone = np.isnat(stored) if mask is None else np.isnat(stored) | mask
        encoder.add_times(stored.view(np.int64), gone, numpy_decoder(stored.dtype))
    elif kind == "U" and mask is None:
        for rows in blocks(len(source)):
            encoder.add(distinct_fixed(source[rows]))
    elif kind is not None and kind in "OUST":  # NumPy lists a masked entry as None
        encoder.add_objects(source.tolist())
    elif kind is not None:
        what = f"the {encoder.role} column {encoder.name!r}"
        raise InputError(f"{what} has type {source.dtype}: labels are numbers, text, truth values or dates.")
    elif isinstance(source, list):
        encoder.add_objects(source)
    else:
        try:
            for batch in arrow.batches(source):
                arrow.encode(batch, encoder)
        except arrow.FormatError as error:
            _encode(_listed(source, encoder.name, encoder.role, error), encoder)


def _listed(source: Any, name: str, role: str, error: arrow.FormatError) -> Any:
    for way in ("to_pylist", "to_list"):
        if callable(listing := getattr(source, way, None)):
            return _from_list(listing(), name, role)
    raise InputError(f"the {role} column {name!r} has Arrow's type {error}, which is not read: convert it first.")


def _is_categorical(values: Any) -> bool:
    dtype = getattr(values, "dtype", None)
    return type(dtype).__name__ == "CategoricalDtype" and hasattr(getattr(values, "cat", values), "codes")


def _source(values: Any, name: str, role: str) -> Any:
    values = to_host(values)
    has_stream = hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")
    if isinstance(values, str | bytes | Mapping) or not (has_stream or hasattr(values, "__iter__")):
        raise InputError(f"the {role} column {name!r} is {type(values).__name__}, not an array of one value a row.")
    if isinstance(values, np.ma.MaskedArray | np.ndarray):
        return _one_dimension(np.asarray(values) if isinstance(values, np.matrix) else values, name, role)
    if isinstance(values, list | tuple | range):
        return _from_list(list(values), name, role)
    if hasattr(values, "isna") and hasattr(values, "dtype"):
        return _from_pandas(values)
    if type(values).__module__.startswith("polars.") and str(getattr(values, "dtype", "")) == "Object":
        # Arrow would get the memory addresses of its Python objects.
        return _from_list(values.to_list(), name, role)
    if has_stream:
        column = _one_column(values, name, role)
        return column if column is values else _source(column, name, role)
    return _one_dimension(np.asarray(values), name, role)


def _from_list(values: list[Any], name: str, role: str) -> Any:
    """Convert lists of one plain type to arrays; NumPy would make [1, "1"] two equal texts."""
    types = set(map(type, values))
    if types <= {bool} or types <= {float}:
        return np.asarray(values)
    if types <= {int, float}:
        whole = [value for value in values if type(value) is int]
        exact = max(whole) < 2**63 and min(whole) >= -(2**63) if types == {int} else max(map(abs, whole)) <= EXACT
        return np.asarray(values) if exact else values
    if types <= {np.datetime64, np.timedelta64, type(None)} and len(types - {type(None)}) == 1:
        return np.array(values, dtype="M8" if np.datetime64 in types else "m8")
    if any(issubclass(t, list | tuple | np.ndarray) for t in types):
        rows = {np.shape(value) for value in values}
        if rows == {(1,)}:
            return _from_list([value[0] for value in values], name, role)
        raise _shape_error(name, role, f"{len(values):,} rows of {sorted(map(str, rows))[0]}")
    return values


def _from_pandas(values: Any) -> Any:
    """Read a pandas series by its own buffers: NumPy, masked or Arrow."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return np.asarray(values)
    base = getattr(dtype, "numpy_dtype", None)
    if isinstance(base, np.dtype) and base.kind in "biuf" and hasattr(dtype, "na_value") and not in_arrow(dtype):
        mask = np.asarray(values.isna())
        filler = False if base.kind == "b" else 0
        return np.ma.MaskedArray(values.to_numpy(dtype=base, na_value=filler), mask=mask)
    if in_arrow(dtype) and hasattr(values, "__arrow_c_stream__"):
        return values
    return np.asarray(values, dtype=object).tolist()


def in_arrow(dtype: Any) -> bool:
    """Return whether a pandas column is stored in Arrow; one of Python strings has a stream too, through PyArrow."""
    return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"


def _one_dimension(array: NDArray[Any], name: str, role: str) -> NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise _shape_error(name, role, f"shape {array.shape}")
    return array


def _shape_error(name: str, role: str, shape: str) -> InputError:
    hint = " Of two posteriors take the positive class's, such as [:, 1]." if role == "score" else ""
    return InputError(f"the {role} column {name!r} has {shape}: one value a row is needed.{hint}")


def _one_column(values: Any, name: str, role: str) -> Any:
    columns = getattr(values, "columns", None)
    if columns is None:
        return values
    if len(columns) != 1:
        raise _shape_error(name, role, f"{len(columns)} columns")
    first = columns[0]
    return values[first] if isinstance(first, str) else first


def _arrow_floats(batch: Any, name: str, role: str, notes: list[Note], first: int, apart: Apart) -> Floats:
    values = arrow.numbers(batch)
    if values is None:
        return number_objects(arrow.objects(batch), name, role, notes, first, apart=apart)
    out = number_array(values, name, role, notes, first)
    missing = arrow.nulls(batch)
    if missing is not None:
        out[missing] = np.nan
    return out
