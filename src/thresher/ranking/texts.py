"""Identifiers of queries and documents from any array as `TextColumn`s: no Python object a row where that can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.kernel.ranked import fixed_texts, number_texts, split_texts
from thresher.kernel.texts import TextColumn, running
from thresher.readers import arrow
from thresher.readers.codes import is_missing
from thresher.readers.series import in_arrow

SEPARATOR = "\0"
"""Character outside all identifiers; a text with it is read by itself."""


def text_column(values: Any, name: str) -> TextColumn:
    """Return the texts of a column; whole numbers become their decimal digits, as in a file.

    Raises:
        InputError: a missing identifier, or one that is neither text nor a whole number: names the row.

    >>> text_column([3, 12], "document").text(1)
    '12'
    """
    categories = getattr(getattr(values, "cat", None), "categories", None)
    if categories is not None and hasattr(values.cat, "codes"):
        codes = np.asarray(values.cat.codes)
        _refuse_missing(codes < 0, name)
        return text_column(np.asarray(categories, dtype=object), name).take(codes)
    if not isinstance(values, np.ndarray) and hasattr(values, "dtype") and hasattr(values, "isna"):
        missing = np.asarray(values.isna())
        _refuse_missing(missing, name)
        values = values if in_arrow(values.dtype) else np.asarray(values)
    if isinstance(values, np.ndarray):
        return _from_array(values, name)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return join(list(_from_arrow(values, name)))
    return _from_objects(list(values), name)


def _refuse_missing(missing: NDArray[np.bool_], name: str, start: int = 0) -> None:
    if missing.any():
        row = start + int(missing.argmax()) + 1
        raise InputError(f"the {name} column is empty in row {row:,}: every row needs a value.")


def _from_array(values: NDArray[Any], name: str) -> TextColumn:
    if values.ndim != 1:
        raise InputError(f"the {name} column has shape {values.shape}: one value a row is needed.")
    if values.dtype.kind == "u" and values.size and int(values.max()) > np.iinfo(np.int64).max:
        return _from_objects(values.tolist(), name)
    if values.dtype.kind in "iu":
        return number_texts(values.astype(np.int64))
    if values.dtype.kind == "f":
        _refuse_missing(np.isnan(values), name)
        with np.errstate(invalid="ignore"):  # larger values are refused below
            whole = values.astype(np.int64)
        if not np.array_equal(whole, values):
            row = int(np.argmax(whole != values))
            raise InputError(f"the {name} column has {values[row]} in row {row + 1:,}: it needs text or whole numbers.")
        return number_texts(whole)
    if values.dtype.kind == "U":
        return fixed_texts(values)
    return _from_objects(values.tolist(), name)


def _from_objects(values: Sequence[Any], name: str) -> TextColumn:
    if not values:
        return TextColumn(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    try:
        # One text with separators is taken apart many times faster than every text is measured.
        joined = SEPARATOR.join(values).encode()
    except (TypeError, UnicodeEncodeError):  # not all are texts, or one holds undecodable bytes
        joined = b""
    split = split_texts(joined, SEPARATOR.encode(), len(values)) if joined else None
    if split is not None:
        return split
    parts = [_encoded(value, name, row) for row, value in enumerate(values, start=1)]
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    return TextColumn(np.frombuffer(b"".join(parts), np.uint8), running(lengths))


def _encoded(value: Any, name: str, row: int) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half of a surrogate pair, which encodes no byte either
            return value.encode("utf-8", "surrogatepass")
    if is_missing(value):
        raise InputError(f"the {name} column is empty in row {row:,}: every row needs a value.")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool | float | np.bool_) or not hasattr(value, "__str__"):
        raise InputError(f"the {name} column has {value!r} in row {row:,}: identifiers are text or whole numbers.")
    return str(value).encode()


def _from_arrow(values: Any, name: str) -> Iterator[TextColumn]:
    start = 0
    for batch in arrow.batches(values):
        missing = arrow.nulls(batch)
        if missing is not None:
            _refuse_missing(missing, name, start)
        try:
            yield arrow_texts(batch, name)
        except arrow.FormatError as error:
            raise InputError(
                f"the {name} column has Arrow's type {error}. Identifiers are text or whole numbers: convert it first."
            ) from error
        start += batch.length


def arrow_texts(batch: Any, name: str) -> TextColumn:
    """Texts of one Arrow array of any type that can be an identifier."""
    numbers, kind = arrow.numbers(batch), batch.schema.format
    if numbers is not None:
        return _from_array(numbers, name)
    if batch.dictionary is not None or kind not in arrow.TEXT:
        return _from_objects(arrow.objects(batch), name)
    found = arrow.texts(batch)
    return TextColumn(found.data.copy(), found.offsets)


def join(parts: Sequence[TextColumn]) -> TextColumn:
    """Columns one after the other."""
    if len(parts) == 1:
        return parts[0]
    ends = running(np.array([part.data.size for part in parts], dtype=np.int64))
    offsets = [part.offsets[1:] - part.offsets[0] + end for part, end in zip(parts, ends, strict=False)]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    return TextColumn(np.concatenate([np.zeros(0, np.uint8), *data]), np.concatenate([np.zeros(1, np.int64), *offsets]))
