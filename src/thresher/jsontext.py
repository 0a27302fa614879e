"""JSON text that others wrote, read without a surprise: every fault is one ValueError in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LARGEST = 1 << 28
"""Bytes of a JSON file that is read whole; what thresher writes is far smaller."""


def parsed(text: Any) -> Any:
    """Value of a JSON text; a key that stands twice in one object is a fault, as one of its values would be lost.

    Raises:
        ValueError: it is no text, no JSON, or nested too deeply to be read.

    >>> parsed('{"a": [1, 0.5]}')
    {'a': [1, 0.5]}
    >>> parsed("[" * 100_000)
    Traceback (most recent call last):
        ...
    ValueError: it is nested too deeply
    """
    if not isinstance(text, str | bytes | bytearray):
        raise ValueError(f"it is of type {type(text).__name__}, and no text")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON text: {error}") from None
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
