"""Values of JSON: results, labels and text as its types, in valid Unicode."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from thresher.errors import Note, Sentence

NAMED = 6
"""Infinite numbers of one object that its reason names."""


def to_jsonable(value: Any) -> Any:
    """Value as JSON types: a number that is not finite is None; arrays as lists, dates as text.

    Infinite numbers are listed in the `reason` of the outermost object, after an existing reason. The code of each
    reason is beside it (`with_codes`).

    >>> to_jsonable((1.0, float("nan"), float("-inf")))
    [1.0, None, None]
    >>> to_jsonable({"counts": np.array([[1, 2]]), "is_best": np.bool_(True)})
    {'counts': [[1, 2]], 'is_best': True}
    >>> to_jsonable({"threshold": math.inf, "ends": [0.5, -math.inf], "reason": "no rows"})
    {'threshold': None, 'ends': [0.5, None], 'reason': 'no rows; threshold is infinite (+∞), ends[1] is infinite (−∞)',
    'reason_code': 'infinite'}
    """
    lines: list[str] = []
    found = _read("", value, lines)
    if lines and isinstance(found, dict):
        why = f"{', '.join(lines[:NAMED])}{' and others' if len(lines) > NAMED else ''}"
        found["reason"] = f"{found['reason']}; {why}" if found.get("reason") else why
        found["reason_code"] = found.get("reason_code") or "infinite"
    return found


def with_codes(found: Mapping[Any, Any]) -> dict[Any, Any]:
    """Put the code of each reason, or None without one, beside it.

    >>> with_codes({"low": None, "reason": Note("no-rows", "there are no rows")})
    {'low': None, 'reason': 'there are no rows', 'reason_code': 'no-rows'}
    """
    reasons = {
        key: value for key, value in found.items()
        if isinstance(value, Note) or (key == "reason" and (value is None or isinstance(value, str)))
    }  # fmt: skip
    return {**found, **{f"{key}_code": getattr(value, "code", None) for key, value in reasons.items()}}


def _read(name: str, value: Any, said: list[str]) -> Any:
    """Return the value as JSON types; append infinite numbers, by name, to `said`."""
    if isinstance(value, np.ndarray | np.generic):
        is_whole = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if is_whole else _read(name, value.tolist(), said)
    if isinstance(value, float):
        if math.isinf(value):
            said.append(f"{name} is infinite ({'+' if value > 0 else '−'}∞)")
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        items = with_codes(value).items()
        return {str(key): _read(f"{name}.{key}" if name else str(key), item, said) for key, item in items}
    if isinstance(value, list | tuple):
        return [_read(f"{name}[{place}]", item, said) for place, item in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, type):
        return to_jsonable(value.to_dict()) if hasattr(value, "to_dict") else fields_to_jsonable(value)
    return value if value is None or isinstance(value, str | int) else _text(value)


def _text(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


BOUNDS = ("p_floor", "adjusted_p_floor", "bounds", "bounds_reason")


def fields_to_jsonable(value: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON types, recursively, without some and without bounds that are None.

    >>> from dataclasses import make_dataclass
    >>> fields_to_jsonable(make_dataclass("Point", ["x", "y"])(0.5, float("nan")))
    {'x': 0.5, 'y': None}
    """
    found = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in without}
    found = {name: each for name, each in found.items() if each is not None or name not in BOUNDS}
    return to_jsonable(found)  # type: ignore[no-any-return]


def as_dict(value: Any) -> dict[str, Any]:
    """Return the fields as JSON types; an undefined number is None, with its reason if there is one."""
    return fields_to_jsonable(value)


def plain_text(value: Any) -> str:
    """Text of a label, name or path; lone surrogates, which no encoding can write, become `�`.

    >>> plain_text(3), plain_text(b"yes"), plain_text(None)
    ('3', 'yes', 'None')
    """
    if isinstance(value, Sentence):
        return value.cleaned(plain_text)
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(label_to_jsonable(value))
    return text.encode("utf-8", "replace").decode("utf-8")


def label_to_jsonable(label: Hashable) -> Any:
    """Label as a JSON type: text, a whole or finite number, true, false or null; anything else as its text.

    >>> import numpy as np, datetime
    >>> [label_to_jsonable(label) for label in (np.int8(1), True, datetime.date(2024, 5, 1), float("inf"))]
    [1, True, '2024-05-01', 'inf']
    """
    # A NumPy scalar (or a 0-d value of another library) knows its Python equivalent.
    value = label.item() if hasattr(label, "item") else label
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return plain_text(value)
    text = value if isinstance(value, str) else _text(value)
    return text.encode("utf-8", "replace").decode("utf-8")


def finite(value: Any) -> float | int | None:
    """Number as JSON writes it: whole numbers without a point; None for NaN, infinity and nothing.

    >>> finite(3.0), finite(0.5), finite(float("nan")), finite(None)
    (3, 0.5, None, None)
    """
    if value is None or isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def format_distinct(values: Iterable[float], text: Callable[[float, int], str], digits: int = 4) -> list[str]:
    """Numbers of one sentence as text, with more digits where different ones would read alike.

    >>> format_distinct([0.940241, 0.940238], "{:.{}g}".format), format_distinct([0.94, 0.9], "{:.{}g}".format)
    (['0.940241', '0.940238'], ['0.94', '0.9'])
    """
    values = list(values)
    different = len({round(value, MOST_DIGITS) for value in values})
    each = ([text(value, more) for value in values] for more in range(digits, MOST_DIGITS + 1))
    return next((words for words in each if len(set(words)) == different), [text(value, digits) for value in values])


MOST_DIGITS = 12
"""Digits beyond which numbers differ by rounding only."""


def without_infinite(found: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Replace non-finite numbers by None; return also a sentence on the infinite ones, or None.

    >>> without_infinite({"threshold": math.inf, "ends": [0.5, -math.inf], "tp": 3})
    ({'threshold': None, 'ends': [0.5, None], 'tp': 3}, 'threshold is infinite (+∞), ends[1] is infinite (−∞)')
    """
    lines: list[str] = []
    return _read("", found, lines), ", ".join(lines) or None


def all_finite(value: Any) -> Any:
    """The same with null for a number that JSON lacks, beside a `reason` where it is infinite."""
    if isinstance(value, list | tuple):
        return [all_finite(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept, why = without_infinite({key: all_finite(item) for key, item in value.items()})
    return kept | ({"reason": why, "reason_code": "infinite"} if why else {})
