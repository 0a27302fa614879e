"""Labels and groups as codes, a block of rows at a time, without a Python object per row.

Every `distinct_…` function turns a block into (codes, values): `values` are the distinct ones of the block and the
code `len(values)` marks a missing value. `Encoder` strings blocks together. Dates, times and durations are coded
as the whole numbers they are stored as, so none is rounded: Python's own types hold microseconds and the years 1 to
9999, and a column with a finer or a farther value is one of texts.

Distinct texts of a block of rows, by the kernel's table of hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.threads import ordered_map
from thresher.conventions import MAX_CLASSES
from thresher.errors import InputError, quoted
from thresher.kernel.ranked import fixed_codes, text_codes
from thresher.kernel.values import SHORT, TextColumn
from thresher.predictions.columns import Encoded, code_type, too_many
from thresher.predictions.labels import LONGEST, kind, python_label

Block = tuple[NDArray[Any], list[Hashable]]

ROWS = 2**17
"""Rows of a block: its arrays stay in the processor's cache."""

TOGETHER = 16  # blocks that a thread codes at a time
_ENDLESS, _INFINITE = 10**LONGEST, Decimal("Infinity")
_NEVER_MISSING = {bool, int, str, bytes, date, datetime}
_SPAN = 2**16  # whole numbers within such a range are coded through a table instead of a sort


class Encoder:
    """Builder of one column of codes; `role` names its values in an error."""

    def __init__(self, name: str, role: str = "label") -> None:
        self.name = name
        self.role = role
        self._codes: dict[str, dict[Hashable, int]] = {}  # by kind, because Python holds 1 == True
        self._values: list[Hashable] = []
        self._parts: list[NDArray[Any]] = []
        self._waiting: list[NDArray[Any]] = []
        self._missing: list[NDArray[np.bool_]] = []
        self._decoder: Decoder | None = None
        self.read = 0
        """Rows so far, also those that were taken away."""

    def add_times(self, values: NDArray[Any], missing: NDArray[np.bool_] | None, decoder: Decoder) -> None:
        """Append rows of dates, times or durations as whole numbers, which mean the same in the whole column."""
        self._decoder = decoder
        self.add_numbers(values, missing)

    def add_objects(self, values: Sequence[Any]) -> None:
        """Append rows of Python objects."""
        for rows in blocks(len(values)):
            try:
                block = distinct_objects(values[rows])
            except TypeError:
                odd = next(value for value in values[rows] if not _can_be_label(value))
                raise InputError(
                    f"the {self.role} column {self.name!r} holds {quoted(odd)} ({type(odd).__name__}): labels and "
                    f"groups are numbers, text, dates or truth values."
                ) from None
            numbers = (value for value in block[1] if isinstance(value, int | Decimal))
            if any(abs(value) >= _ENDLESS and value not in (_INFINITE, -_INFINITE) for value in numbers):
                raise InputError(
                    f"the {self.role} column {self.name!r} holds a whole number of more than {LONGEST} digits: "
                    f"write such labels as text."
                )
            self.add(block)

    def add_numbers(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> None:
        """Append rows of numbers; clusters, perhaps millions, wait to be coded all at once."""
        if self.role == "cluster":
            self.read += len(values)
            self._waiting.append(values.copy())
            self._missing.append(np.zeros(len(values), dtype=bool) if missing is None else missing)
            return
        read = partial(_distinct_blocks, values, missing)
        parts = blocks(len(values), TOGETHER * ROWS)
        for found in ordered_map(read, parts) if len(parts) > 1 else map(read, parts):
            for block in found:
                self.add(block)

    def add(self, block: Block) -> None:
        """Append a block of rows."""
        codes, values = block
        self.read += len(codes)
        if len({type(value) for value in values}) == 1 and isinstance(values[0], str | int):
            places = self._places(values)
        else:
            places = [self._places([python_label(value)])[0] for value in values]
        dtype = code_type(len(self._values) + 1)
        if codes.dtype == dtype and places == list(range(len(values))) and codes.max(initial=0) < len(values):
            self._parts.append(codes)
            return
        gap = np.iinfo(dtype).max
        self._parts.append(np.array([*places, gap], dtype=dtype).take(codes))

    def _places(self, values: Sequence[Hashable]) -> list[int]:
        known = self._codes.setdefault(kind(values[0]), {})
        new = [value for value in values if value not in known]
        if len(self._values) + len(new) > MAX_CLASSES and self.role != "cluster":
            raise too_many(self.name, self.role)
        known.update(zip(new, range(len(self._values), len(self._values) + len(new)), strict=True))
        self._values += new
        return list(map(known.__getitem__, values))

    def finish(self) -> Encoded:
        """The rows so far, which are forgotten; rows that follow have the same codes for the same values."""
        if self._waiting:
            self.read -= sum(map(len, self._waiting))
            self.add(distinct_numbers(np.concatenate(self._waiting), np.concatenate(self._missing)))
            self._waiting, self._missing = [], []
        distinct = len(self._values)
        dtype = code_type(distinct + 1)
        codes = np.empty(sum(map(len, self._parts)), dtype=dtype)
        row = 0
        for part in self._parts:
            here = codes[row : row + len(part)]
            np.copyto(here, part, casting="unsafe")
            here[part == np.iinfo(part.dtype).max] = distinct
            row += len(part)
        self._parts = []
        values = self._values
        if self._decoder is not None:
            values = self._decoder(np.array(values, dtype=np.int64))
        return Encoded(self.name, codes, tuple(values))


def blocks(rows: int, size: int = ROWS) -> list[slice]:
    """Slices that cover that many rows."""
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def _distinct_blocks(array: NDArray[Any], missing: NDArray[np.bool_] | None, rows: slice) -> list[Block]:
    own, gone = array[rows], None if missing is None else missing[rows]
    return [distinct_numbers(own[each], None if gone is None else gone[each]) for each in blocks(len(own))]


def distinct_numbers(array: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Block:
    """Block of numbers or truth values; NaN is missing."""
    if array.dtype.kind in "fc":
        array, missing = _whole(array, missing)
    if missing is not None and missing.any():
        codes, values = distinct_numbers(array[~missing])
        return _spread(codes, missing, len(values)), values
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
        codes, found = _coded(array)
        return codes, [bool(value) for value in found]
    codes, found = _coded(array)
    return codes, found.tolist() if found.dtype.kind in "iu" else [python_label(value) for value in found]


def _whole(array: NDArray[Any], missing: NDArray[np.bool_] | None) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return whole floats as integers, NaN as missing; None if a value has decimals."""
    nan = np.isnan(array)
    if nan.any():
        missing = nan if missing is None else missing | nan
        array = np.where(nan, 0, array)
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    return (whole if np.array_equal(whole, array) else array), missing


def _coded(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    if not array.size:
        return np.zeros(0, dtype=np.uint8), array
    low, high = array.min(), array.max()
    if array.dtype.kind in "iu" and int(high) - int(low) < max(_SPAN, len(array)):
        return _by_table(array, int(low), int(high))
    ordered = np.sort(array)  # a plain sort is faster here than np.unique
    found = ordered[np.concatenate([np.ones(1, dtype=bool), ordered[1:] != ordered[:-1]])]
    return np.searchsorted(found, array), found


def _by_table(array: NDArray[Any], low: int, high: int) -> tuple[NDArray[Any], NDArray[Any]]:
    wide = np.dtype(np.uint64 if array.dtype.kind == "u" else np.int64)
    least = wide.type(low)
    if high - low < 2:
        return (array != low).view(np.uint8), least + np.arange(high - low + 1, dtype=wide)
    shifted = array.astype(wide, copy=False) - least
    present = np.zeros(high - low + 1, dtype=bool)
    present[shifted] = True
    places = np.cumsum(present, dtype=np.int32) - 1
    return places.take(shifted.astype(np.int64, copy=False)), least + np.flatnonzero(present).astype(wide)


def _spread(codes: NDArray[Any], missing: NDArray[np.bool_], distinct: int) -> NDArray[Any]:
    out = np.full(len(missing), distinct, dtype=code_type(distinct + 1))
    out[~missing] = codes
    return out


def distinct_objects(values: Sequence[Any]) -> Block:
    """Block of Python objects: values of different types stay apart, though Python holds 1 == True == 1.0 equal."""
    types = set(map(type, values))
    if len(types) == 1 and types <= _NEVER_MISSING:
        found = list(dict.fromkeys(values))
        place = {value: code for code, value in enumerate(found)}
        codes = np.fromiter(map(place.__getitem__, values), dtype=np.int32, count=len(values))
        return without_blank(codes, found)
    keys: dict[tuple[type, Hashable], int] = {}
    codes = np.empty(len(values), dtype=np.int32)
    for row, value in enumerate(values):
        codes[row] = -1 if is_missing(value) else keys.setdefault((type(value), value), len(keys))
    codes[codes < 0] = len(keys)
    return without_blank(codes, [value for _, value in keys])


def is_missing(value: Any) -> bool:
    """Whether a Python value is a missing one: None, NaN, NaT, pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  NaN does not equal itself
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # a signalling NaN of Decimal
        return True


def _can_be_label(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return is_missing(value)
    return True


def without_blank(codes: NDArray[Any], found: list[Any]) -> Block:
    """Blank texts are missing values, as in a file."""
    blank = [isinstance(value, str) and not value.strip() for value in found]
    if not any(blank):
        return codes, found
    kept = [value for value, gone in zip(found, blank, strict=True) if not gone]
    places = np.cumsum(~np.array(blank)) - 1
    places[np.array(blank)] = len(kept)
    return np.array([*places, len(kept)]).take(codes), kept


def distinct_dictionary(indices: NDArray[Any], values: Sequence[Any], missing: NDArray[np.bool_] | None) -> Block:
    """Block that is coded already (a categorical); negative indices are missing, unused values are left out."""
    gone = indices < 0 if missing is None else (indices < 0) | missing
    codes = np.where(gone, len(values), indices)
    gaps = [is_missing(value) for value in values]
    present = np.zeros(len(values) + 1, dtype=bool)
    present[codes] = True
    kept = [value for value, here, gap in zip(values, present, gaps, strict=False) if here and not gap]
    places = np.full(len(values) + 1, len(kept))
    places[:-1][present[:-1] & ~np.array(gaps, dtype=bool)] = np.arange(len(kept))
    return without_blank(places.take(codes), kept)


Decoder = Callable[[NDArray[np.int64]], list[Hashable]]

_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_SHORT = ("tdD", "tts", "ttm")
"""Arrow's formats of dates and times that are stored in 32 bits."""


def time_storage(format_: str) -> np.dtype[Any] | None:
    """How Arrow stores a date, time or duration; None for another format."""
    if format_[:2] not in ("td", "tt", "ts", "tD"):
        return None
    return np.dtype(np.int32 if format_ in _SHORT else np.int64)


def arrow_decoder(format_: str) -> Decoder:
    """Return the decoder of an Arrow format, such as "tsn:UTC" for nanoseconds since 1970."""
    if format_ in ("tdD", "tdm"):
        return lambda values: _dates(values.view("M8[D]" if format_ == "tdD" else "M8[ms]"))
    kind = f"{'M8' if format_.startswith('ts') else 'm8'}[{_UNITS[format_[2]]}]"
    if format_.startswith("tt"):
        return lambda values: _of_day(values.view(kind))
    zone = format_[4:] if format_.startswith("ts") else ""
    return lambda values: _in_zone(values.view(kind), zone) if zone else moments(values.view(kind))


def numpy_decoder(kind: np.dtype[Any]) -> Decoder:
    """Return the decoder of NumPy's integers for dates or durations of a type."""
    return lambda values: moments(values.view(kind))


def moments(values: NDArray[Any]) -> list[Hashable]:
    """Values of `datetime64` or `timedelta64` as Python's dates, times and durations, or as texts if one does not fit.

    >>> moments(np.array(["2020-01-01"], dtype="M8[ns]")), moments(np.array([1, 2], dtype="m8[ns]"))
    ([datetime.datetime(2020, 1, 1, 0, 0)], ['1 nanoseconds', '2 nanoseconds'])
    """
    listed = values.tolist()
    if any(isinstance(value, int) for value in listed):
        with np.errstate(all="ignore"):
            micro = values.astype(f"{values.dtype.kind}8[us]")
        listed = micro.tolist() if np.array_equal(micro, values) else listed
    if any(isinstance(value, int) for value in listed):
        return np.datetime_as_string(values).tolist() if values.dtype.kind == "M" else [str(value) for value in values]
    return list(listed)


def _dates(values: NDArray[Any]) -> list[Hashable]:
    days = values.astype("M8[D]")
    return moments(days if np.array_equal(days, values) else values)


def _of_day(values: NDArray[Any]) -> list[Hashable]:
    found = moments(values)
    if all(isinstance(value, timedelta) for value in found):
        return [(datetime.min + value).time() for value in found]  # type: ignore[operator]
    return [text.partition("T")[2] for text in np.datetime_as_string(values + np.datetime64(0, "ns")).tolist()]


def _in_zone(values: NDArray[Any], zone: str) -> list[Hashable]:
    """Convert moments to their time zone; stay in UTC where two would coincide, as in the repeated hour in autumn."""
    found = moments(values)
    if not all(isinstance(value, datetime) for value in found):
        return [f"{text}Z" for text in np.datetime_as_string(values).tolist()]
    known = [value.replace(tzinfo=UTC) for value in found]  # type: ignore[attr-defined]
    local = [value.astimezone(_zone(zone)) for value in known]
    return local if len(set(local)) == len(known) else known


def _zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        return datetime.strptime(name, "%z").tzinfo or UTC
    except ValueError:
        pass
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def distinct_texts(texts: TextColumn, missing: NDArray[np.bool_] | None = None) -> Block:
    """Return a block of texts without the `missing` rows; an empty text is missing too."""
    codes, firsts = text_codes(texts)
    return _block(codes, texts.texts(firsts), missing)


def are_short(views: NDArray[np.uint8]) -> bool:
    """Return whether all texts fit in their views (n, 16)."""
    return bool((views.view("<i4")[:, 0] <= SHORT).all())


def distinct_short(views: NDArray[np.uint8], missing: NDArray[np.bool_] | None) -> Block:
    """Block of views of short texts: equal ones are equal texts."""
    codes, firsts = fixed_codes(views.view("<U4").reshape(-1))
    return _block(codes, TextColumn.of_views(views[firsts], ()).texts(np.arange(firsts.size)), missing)


def distinct_fixed(array: NDArray[Any]) -> Block:
    """Block of NumPy's fixed-width text ('U')."""
    codes, firsts = fixed_codes(array)
    return without_blank(codes, array[firsts].tolist())


def _block(codes: NDArray[np.int32], values: list[str], missing: NDArray[np.bool_] | None) -> Block:
    return without_blank(codes, values) if missing is None else distinct_dictionary(codes, values, missing)
