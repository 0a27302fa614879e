"""Values of results as JSON types."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Value as JSON types: NaN is None, an infinite number "inf" or "-inf"; arrays as lists, dates as text.

    >>> plain((1.0, float("nan"), float("-inf")))
    [1.0, None, '-inf']
    >>> plain({"counts": np.array([[1, 2]]), "is_best": np.bool_(True)})
    {'counts': [[1, 2]], 'is_best': True}
    """
    if isinstance(value, np.ndarray | np.generic):
        is_whole = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if is_whole else plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return plain(value.to_dict()) if hasattr(value, "to_dict") else plain_fields(value)
    return value if value is None or isinstance(value, str | int) else _text(value)


def _text(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def plain_fields(value: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Fields of a dataclass as JSON types, those of its fields likewise, some left out.

    >>> from dataclasses import make_dataclass
    >>> plain_fields(make_dataclass("Point", ["x", "y"])(0.5, float("nan")))
    {'x': 0.5, 'y': None}
    """
    return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name not in without}
