"""The fields and columns of a saved form, each checked on reading; a wrong one raises a ValueError."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction, Directions
from thresher.errors import InputError, Note, quoted

WEIGHTS = 5e-324, float(np.finfo(np.float64).max)
"""Least and greatest weight that a row may have: it is positive and finite."""

Form = Mapping[str, Any]
Columns = Mapping[str, NDArray[Any]]


def one_of(form: Form, name: str, allowed: Sequence[Any]) -> Any:
    """Field that has one of the values allowed, of the same type."""
    value = form[name]
    if not any(type(value) is type(known) and value == known for known in allowed):
        raise ValueError(f"{name} is {quoted(value)}, and not one of {', '.join(map(repr, allowed))}")
    return value


def directions_from(form: Form, models: Sequence[str]) -> Directions:
    """Direction of all scores, or of each by name."""
    given = form["direction"]
    if not isinstance(given, dict):
        return cast(Direction, one_of(form, "direction", ("higher", "lower")))
    if set(given) != set(models):
        raise ValueError(f"direction is of the scores {quoted(list(given))}, and not of its own")
    return {name: one_of(given, name, ("higher", "lower")) for name in models}


def flag(form: Form, name: str) -> bool:
    """True or false."""
    return bool(one_of(form, name, (True, False)))


def text(form: Form, name: str) -> str:
    """Text."""
    found: str = _typed(form[name], name, str, "text")
    return found


def text_or_none(form: Form, name: str) -> str | None:
    """Text, or nothing."""
    return None if form[name] is None else text(form, name)


def texts(form: Form, name: str) -> tuple[str, ...]:
    """List of texts."""
    return tuple(_typed(value, name, str, "a list of texts") for value in items(form, name))


def notes(form: Form, name: str) -> tuple[Note, ...]:
    """List of notes, each with its code."""
    found = [_typed(value, name, dict, "a list of notes") for value in items(form, name)]
    return tuple(
        Note(text(each, "code"), text(each, "text"), parameter=text_or_none(each, "parameter")) for each in found
    )


def names(form: Form, name: str) -> tuple[str, ...]:
    """List of texts that are all different."""
    found = texts(form, name)
    check_distinct(found, name)
    return found


def items(form: Form, name: str) -> list[Any]:
    """List of anything."""
    found: list[Any] = _typed(form[name], name, list, "a list")
    return found


def mapping(form: Form, name: str) -> dict[str, Any]:
    """Fields within a field."""
    found: dict[str, Any] = _typed(form[name], name, dict, "an object")
    return found


def whole(form: Form, name: str, low: int = 0, high: int = 2**53) -> int:
    """Whole number from `low` to `high`."""
    return _whole(form[name], name, low, high)


def wholes(form: Form, name: str, low: int = 0, high: int = 2**53) -> list[int]:
    """List of whole numbers from `low` to `high`."""
    return [_whole(value, name, low, high) for value in items(form, name)]


def number(form: Form, name: str, low: float = -math.inf, high: float = math.inf, *, infinite: bool = False) -> float:
    """Number from `low` to `high`, finite unless an infinite one is allowed, which JSON has as the text "inf"."""
    value = form[name]
    is_infinite = infinite and isinstance(value, str) and value in ("inf", "-inf")
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= WEIGHTS[1]
    if not (is_number or is_infinite) or not low <= float(value) <= high:
        raise ValueError(f"{name} is {quoted(value)}, which does not fit")
    return float(value)


def column(
    columns: Columns, name: str, kinds: str, low: float = -math.inf, high: float = math.inf, *, nan: bool = False
) -> NDArray[Any]:
    """Column of one of the kinds of NumPy's types, with values from `low` to `high`; NaN only where it says so."""
    found = columns[name]
    if found.dtype.kind not in kinds:
        raise ValueError(f"column {name!r} is of type {found.dtype}")
    values = found[~np.isnan(found)] if nan and found.dtype.kind == "f" else found
    if values.size and found.dtype.kind != "b" and not (values.min() >= low and values.max() <= high):
        raise ValueError(f"column {name!r} has a value that is missing or out of range")
    return found


def check_fields(form: Form, wanted: Sequence[str]) -> None:
    """Check that these are the fields, and there is no other."""
    if set(form) != set(wanted):
        raise ValueError(f"its fields are {quoted(sorted(form))}, and not {', '.join(wanted)}")


def check_columns(columns: Columns, wanted: Sequence[str]) -> None:
    """Check that every column is a known one; reading it finds a missing one."""
    further = [name for name in columns if name not in wanted]
    if further:
        raise ValueError(f"column {quoted(further[0])} does not belong to it")


def check_distinct(values: Sequence[Hashable], name: str) -> None:
    """Check that values are distinct."""
    if len(set(values)) < len(values):
        raise ValueError(f"{name} has a value twice")


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} is {quoted(value)}, not a whole number from {low} to {high}")
    return value


def _typed(value: Any, name: str, kind: type, words: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {quoted(value)}, and not {words}")
    return value


def check_table(table: Any, counts: Columns) -> None:
    """Check a table from a file: refuse one out of order, negative, or too large to add up."""
    scores = table.scores if table.direction == "lower" else table.scores[::-1]
    if not (scores[1:] > scores[:-1]).all():
        raise InputError("scores out of order")
    for name, values in counts.items():
        if values.size and not (column(counts, name, "iuf").min() >= 0):
            raise InputError("negative counts")
        if not (values.sum(axis=-1, dtype=np.float64) < (2.0**63 if values.dtype.kind != "f" else np.inf)).all():
            raise InputError(f"the counts of {name} are not finite, or add up to more than 2**63 − 1")
