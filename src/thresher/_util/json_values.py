"""Values and text of JSON: results, labels and text as its types, strict reading, and the one writer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
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


BOUNDS = ("p_floor", "adjusted_p_floor")


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


_CONTROL = re.compile(r"[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

LARGEST = 1 << 28
"""Largest JSON file in bytes; files of thresher are far smaller."""


def parse_json(text: Any) -> Any:
    """Parse JSON text; a repeated key in one object is a fault, as one of its values would be lost.

    Raises:
        ValueError: it is not text, not JSON, or nested too deeply to be read.

    >>> parse_json('{"a": [1, 0.5]}')
    {'a': [1, 0.5]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
        ...
    ValueError: it is nested too deeply
    """
    if not isinstance(text, str | bytes | bytearray):
        raise ValueError(f"it is of type {type(text).__name__}, and no text")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON text: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_text(path: str | Path) -> str:
    """Text of a JSON file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8, or larger than any such file.
    """
    with Path(path).open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST >> 20} MB")
    return content.decode("utf-8")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"it names {next(key for key in keys if keys.count(key) > 1)!r} twice")
    return found


def json_line(value: Any, *, is_ascii: bool = False, is_sorted: bool = False, is_compact: bool = False) -> str:
    """JSON text on one line, strictly valid: a number that is not finite is refused.

    Control characters that JSON allows as they are, by which a terminal would move its cursor, are spelled out.

    >>> json_line({"b": 1, "a": [0.5, None]}, is_sorted=True, is_compact=True)
    '{"a":[0.5,null],"b":1}'
    """
    text = _encoder(is_ascii, is_sorted, is_compact).encode(value)
    return text if text.isascii() and "\x7f" not in text else _CONTROL.sub(lambda one: f"\\u{ord(one[0]):04x}", text)


@cache
def _encoder(is_ascii: bool, is_sorted: bool, is_compact: bool) -> json.JSONEncoder:
    apart = (",", ":") if is_compact else None
    return json.JSONEncoder(ensure_ascii=is_ascii, allow_nan=False, sort_keys=is_sorted, separators=apart)


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """JSON text, ending in a newline unless it is one line.

    With an indent, an object or list of only numbers and text is on one line.

    >>> print(to_json({"auc": {"value": 0.9, "low": 0.8}, "n": 4}), end="")
    {
      "auc": {"value": 0.9, "low": 0.8},
      "n": 4
    }
    """
    return json_line(value) if indent is None else _indented(value, " " * indent, "\n") + "\n"


def _indented(value: Any, step: str, before: str) -> str:
    """Format with one key a line down to objects and lists without further objects."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(issubclass(kind, dict) for kind in {*map(type, items)}) and (
        isinstance(value, dict) or not any(isinstance(item, str) and " " in item for item in items)
    ):
        return json_line(value)
    inner = before + step
    if isinstance(value, dict):
        lines = [f"{json_line(str(key))}: {_indented(item, step, inner)}" for key, item in value.items()]
        return "{" + inner + f",{inner}".join(lines) + before + "}"
    return "[" + inner + f",{inner}".join(_indented(item, step, inner) for item in items) + before + "]"
