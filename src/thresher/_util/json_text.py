"""Strict reading of JSON text, with every fault a ValueError, and the one writer."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

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
