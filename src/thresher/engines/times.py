"""Dates, times and durations as labels and groups: coded as the whole numbers they are stored as, so none is rounded.

Python's own types hold microseconds and the years 1 to 9999. A column with a finer or a farther value is one of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

Decoder = Callable[[NDArray[np.int64]], list[Hashable]]

_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_SHORT = ("tdD", "tts", "ttm")
"""Arrow's formats of dates and times that are stored in 32 bits."""


def storage(format_: str) -> np.dtype[Any] | None:
    """How Arrow stores a date, time or duration; None for another format."""
    if format_[:2] not in ("td", "tt", "ts", "tD"):
        return None
    return np.dtype(np.int32 if format_ in _SHORT else np.int64)


def arrow_decoder(format_: str) -> Decoder:
    """What the stored numbers of an Arrow format mean, such as "tsn:UTC" for nanoseconds since 1970."""
    if format_ in ("tdD", "tdm"):
        return lambda values: _dates(values.view("M8[D]" if format_ == "tdD" else "M8[ms]"))
    kind = f"{'M8' if format_.startswith('ts') else 'm8'}[{_UNITS[format_[2]]}]"
    if format_.startswith("tt"):
        return lambda values: _of_day(values.view(kind))
    zone = format_[4:] if format_.startswith("ts") else ""
    return lambda values: _in_zone(values.view(kind), zone) if zone else moments(values.view(kind))


def numpy_decoder(kind: np.dtype[Any]) -> Decoder:
    """What the whole numbers in which NumPy stores dates or durations of a type mean."""
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
    """Times since midnight."""
    found = moments(values)
    if all(isinstance(value, timedelta) for value in found):
        return [(datetime.min + value).time() for value in found]  # type: ignore[operator]
    return [text.partition("T")[2] for text in np.datetime_as_string(values + np.datetime64(0, "ns")).tolist()]


def _in_zone(values: NDArray[Any], zone: str) -> list[Hashable]:
    """Moments in their time zone; in UTC when two are one there, as in the hour that is repeated in autumn."""
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
