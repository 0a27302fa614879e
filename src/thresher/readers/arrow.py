"""Columns of an Arrow C stream as NumPy arrays and codes, through nanoarrow: no pyarrow, no object per row."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.kernel.values import TextColumn
from thresher.readers.codes import (
    Block,
    Encoder,
    are_short,
    arrow_decoder,
    blocks,
    distinct_dictionary,
    distinct_short,
    distinct_texts,
    time_storage,
)

NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64,
    "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
"""Arrow's format letters of plain numbers."""

EVERY_DIGIT = 77
"""Digits of the widest decimals, of 256 bits."""

TEXT = ("u", "U", "vu")
"""Arrow's formats of text."""

_VIEWS = ("vu", "vz")


class StreamError(Exception):
    """The producer of a stream failed; the text is its own."""


class FormatError(Exception):
    """An array has a type that nanoarrow does not read; the text is its Arrow format."""


def batches(source: Any) -> Iterator[Any]:
    """Batches (nanoarrow arrays) of anything with an Arrow C stream or array.

    A lone array is not made a stream: nanoarrow 0.9 crashes on one of string views.
    """
    from nanoarrow import c_array, c_array_stream

    if not hasattr(source, "__arrow_c_stream__"):
        yield source if isinstance(source, _Slice) else c_array(source)
        return
    yield from _pulled(c_array_stream(source))


def table(source: Any) -> tuple[list[str], Iterator[Callable[[str], Any]]] | None:
    """Return the column names and the batches of an Arrow C stream, each batch a function by name; None for one column.

    The stream is begun: a stream that can be read once cannot be read again.
    """
    from nanoarrow import c_array_stream

    stream = c_array_stream(source)
    schema = stream.get_schema()
    if schema.format != "+s":
        return None
    names = [child.name for child in schema.children]
    return names, (partial(_child, batch, names) for batch in _pulled(stream))


def _child(batch: Any, names: list[str], name: str) -> Any:
    column, end = batch.child(names.index(name)), batch.offset + batch.length
    if column.length == batch.length and not batch.offset:
        return column
    if _has_views(column.schema):
        return _Slice(column, column.offset + batch.offset, batch.length)
    return column[batch.offset : end]


@dataclass(frozen=True)
class _Slice:
    """Rows of an array with views: nanoarrow 0.9 frees foreign memory when it slices or copies one."""

    whole: Any
    offset: int
    length: int
    null_count: int = -1  # unknown

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)


def _has_views(schema: Any) -> bool:
    """Return whether an array, or one nested in it, has Arrow's view layout."""
    inner = [*schema.children, *([] if schema.dictionary is None else [schema.dictionary])]
    return schema.format in _VIEWS or any(map(_has_views, inner))


def _pulled(stream: Any) -> Iterator[Any]:
    while True:
        try:
            batch = stream.get_next()
        except StopIteration:
            return
        except RuntimeError as error:  # nanoarrow raises it when the producer of the stream fails
            raise StreamError(str(error)) from error
        yield batch


def _view(array: Any) -> Any:
    try:
        return array.view()
    except RuntimeError as error:
        raise FormatError(array.schema.format) from error


def _buffer(view: Any, number: int, dtype: Any) -> NDArray[Any]:
    buffer = view.buffer(number)
    return np.frombuffer(buffer, dtype=dtype) if buffer.size_bytes else np.zeros(0, dtype=dtype)


def nulls(array: Any) -> NDArray[np.bool_] | None:
    """Mask of the null rows, or None when there are none."""
    if array.schema.format == "n":
        return np.ones(array.length, dtype=bool)
    if array.null_count == 0:
        return None
    bits = _buffer(_view(array), 0, np.uint8)
    return None if not len(bits) else ~_bits(bits, array)


def _bits(packed: NDArray[np.uint8], array: Any) -> NDArray[np.bool_]:
    end = array.offset + array.length
    return np.unpackbits(packed[: -(-end // 8)], count=end, bitorder="little")[array.offset :].astype(bool)


def numbers(array: Any) -> NDArray[Any] | None:
    """Return a numeric or boolean array without a copy; None for another type."""
    format_ = array.schema.format
    if array.dictionary is not None:
        return None
    if format_ == "b":
        return _bits(_buffer(_view(array), 1, np.uint8), array)
    if format_ not in NUMBERS:
        return None
    values = _buffer(_view(array), 1, NUMBERS[format_])
    return values[array.offset : array.offset + array.length]


def encode(array: Any, encoder: Encoder) -> None:
    """Append an array of any type to a column of codes."""
    format_, missing, values = array.schema.format, nulls(array), numbers(array)
    if _is_of_numbers(array):
        encoder.add_objects(objects(array))
    elif values is not None:
        encoder.add_numbers(values, missing)
    elif array.dictionary is None and (kind := time_storage(format_)) is not None:
        stored = _buffer(_view(array), 1, kind)[array.offset : array.offset + array.length]
        encoder.add_times(stored.astype(np.int64), missing, arrow_decoder(format_))
    elif array.dictionary is not None or format_ in TEXT:
        code = _coder(array)
        for rows in blocks(array.length):
            encoder.add(code(rows, None if missing is None else missing[rows]))
    else:
        encoder.add_objects(objects(array))


def _coder(array: Any) -> Callable[[slice, NDArray[np.bool_] | None], Block]:
    if array.dictionary is not None:
        words = objects(array.dictionary)
        every = _buffer(_view(array), 1, NUMBERS[array.schema.format])[array.offset : array.offset + array.length]
        return lambda rows, missing: distinct_dictionary(every[rows].astype(np.int64), words, missing)
    if array.schema.format == "vu" and are_short(views := _views(array)):
        return lambda rows, missing: distinct_short(views[rows], missing)
    column = texts(array, nulls(array))
    return lambda rows, missing: distinct_texts(column.part(rows), missing)


def texts(array: Any, missing: NDArray[np.bool_] | None = None) -> TextColumn:
    """Return an array of text or bytes, in Arrow's memory if possible; missing rows have undefined text."""
    if array.schema.format in _VIEWS:
        view = _view(array)
        long = [_buffer(view, number, np.uint8) for number in range(2, view.n_buffers - 1)]
        return TextColumn.of_views(_views(array), long, missing)
    if not array.length:
        return TextColumn(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    ends = _buffer(_view(array), 1, np.int32 if array.schema.format == "u" else np.int64)
    column = TextColumn(_buffer(_view(array), 2, np.uint8), ends[array.offset :].astype(np.int64))
    return column.part(slice(0, array.length))


def _views(array: Any) -> NDArray[np.uint8]:
    """Return the views of an array: 16 bytes a row with at most 12 bytes of text, or the place of a longer text."""
    return _buffer(_view(array), 1, np.uint8).reshape(-1, 16)[array.offset : array.offset + array.length]


def objects(array: Any) -> list[Any]:
    """Values of an array as Python objects: for dictionaries and types that are rare as labels."""
    if array.schema.format == "n":  # Polars gives such an array a buffer, which Arrow does not
        return [None] * int(array.length)
    if array.dictionary is not None:
        words, missing = objects(array.dictionary), nulls(array)
        places = _buffer(_view(array), 1, NUMBERS[array.schema.format])[array.offset : array.offset + array.length]
        known = np.ones(array.length, dtype=bool) if missing is None else ~missing
        return [words[place] if is_known else None for place, is_known in zip(places, known, strict=True)]
    if array.schema.format.startswith("d:"):
        return _decimals(array)
    if _is_of_numbers(array):
        return [None if text is None else Decimal(text) for text in _read(array)]
    return _of_views(array) if array.schema.format in _VIEWS else _read(array)


def _of_views(array: Any) -> list[Any]:
    missing = nulls(array)
    found = texts(array, missing)
    content = found.data.tobytes()
    values: list[Any] = [content[start:stop] for start, stop in pairwise(found.offsets.tolist())]
    values = [value.decode() for value in values] if array.schema.format == "vu" else values
    gone = [False] * array.length if missing is None else missing.tolist()
    return [None if is_gone else value for value, is_gone in zip(values, gone, strict=True)]


def _is_of_numbers(array: Any) -> bool:
    """Return whether texts are numbers in their database, such as PostgreSQL's numeric in ADBC."""
    if array.schema.format not in TEXT or array.schema.metadata is None:
        return False
    known = dict(array.schema.metadata.items())
    if known.get(b"ARROW:extension:name") != b"arrow.opaque":
        return False
    return str(json.loads(known.get(b"ARROW:extension:metadata") or b"{}").get("type_name")).lower() in (
        "numeric",
        "decimal",
    )


def _read(array: Any) -> list[Any]:
    """Read values with nanoarrow; an extension type is read by its storage, without a warning."""
    import nanoarrow

    if _has_views(array.schema):
        raise FormatError(array.schema.format)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*unregistered extension")
            return list(nanoarrow.Array(array).iter_py())
    except (KeyError, RuntimeError) as error:
        raise FormatError(array.schema.format) from error


def _decimals(array: Any) -> list[Decimal | None]:
    """Read decimals: nanoarrow 0.9 drops their sign and ignores the offset of a slice."""
    _, scale, *width = map(int, array.schema.format[2:].split(","))
    size = (width or [128])[0] // 8
    if size < 16:
        raise FormatError(array.schema.format)
    stored = _buffer(_view(array), 1, np.uint8).reshape(-1, size)[array.offset : array.offset + array.length]
    missing = nulls(array)
    gone = [False] * array.length if missing is None else missing.tolist()
    whole = (int.from_bytes(value, sys.byteorder, signed=True) for value in map(bytes, stored))
    moved = Context(prec=EVERY_DIGIT).scaleb
    return [None if is_gone else moved(value, -scale) for value, is_gone in zip(whole, gone, strict=True)]
