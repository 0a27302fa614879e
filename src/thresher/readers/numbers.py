"""Numbers of any type as float64: exactly, or refused where two would become one."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.threads import ordered_map
from thresher.errors import InputError, Note, choice, quoted
from thresher.readers.codes import is_missing

Floats = NDArray[np.float64]

EXACT = 2**53
"""Whole numbers above this are not all floats, so two different scores could become one."""


REMEMBERED = 1_000_000
"""Decimals and other wide numbers that are remembered of a stream which is counted, not kept: some 250 MB."""

MANY = 1 << 20
"""Rows that one thread copies at a time."""


class Apart:
    """Numbers of a column that differ and yet are one float64, or are infinite only there, are refused.

    It remembers the earlier batches. Beyond `most` numbers it refuses every number that float64 rounds: exact
    ones stay apart, whatever the others are.
    """

    def __init__(self, most: float = math.inf) -> None:
        self._most = most
        self._first: dict[float, tuple[Any, int]] | None = {}

    def add(self, later: Apart, name: str, role: str) -> None:
        """Take the numbers of a part of the column that was read elsewhere, or refuse them.

        Raises:
            InputError: a number differs from an earlier one with the same float64.
        """
        self._forget(-1 if later._first is None else self._most, name, role)
        for number, (value, _) in (later._first or {}).items():
            if self._first is None:
                _check_written(value, number, name, role)
            elif (other := self._first.setdefault(number, (value, 0))[0]) != value:
                raise alike_error(name, role, quoted(other), quoted(value))
        if later._first is None:
            self._first = None

    def _forget(self, most: float, name: str, role: str) -> None:
        """Bound the cache of numbers."""
        if self._first is not None and len(self._first) > most:
            for number, (value, _) in self._first.items():
                _check_written(value, number, name, role)
            self._first = None

    def check(self, given: list[Any], floats: Floats, name: str, role: str, start: int) -> None:
        """Refuse numbers of a batch that begins with row `start`, from 0."""
        self._forget(self._most, name, role)
        for row, (value, number) in enumerate(zip(given, floats.tolist(), strict=True), start + 1):
            if abs(number) == np.inf and value != number:
                raise InputError(
                    f"the {role} column {name!r} holds {quoted(value)} in row {row:,}, which is too large for float64: "
                    f"rescale it."
                )
            if role == "weight" or np.isnan(number):
                continue
            if self._first is None:
                _check_written(value, number, name, role)
                continue
            other, place = self._first.setdefault(number, (value, row))
            if value != other:
                one, two = f"{quoted(other)} in row {place:,}", f"{quoted(value)} in row {row:,}"
                raise alike_error(name, role, one, two)


def alike_error(name: str, role: str, one: str, other: str) -> InputError:
    """Error for two numbers that are one float64."""
    return InputError(
        f"the {role} column {name!r} holds {one} and {other}, which float64 cannot tell apart: rescale them, or "
        f"replace them by their ranks."
    )


def _check_written(value: Any, number: float, name: str, role: str) -> None:
    """Refuse a number that its float64 does not write back."""
    if value == number or (isinstance(value, Decimal) and value == Decimal(repr(number))):
        return
    raise InputError(
        f"the {role} column {name!r} holds too many decimals to compare, and {quoted(value)} cannot be represented as "
        f"float64, so two numbers may become one: convert the column to float64 first."
    )


def number_array(
    array: NDArray[Any],
    name: str,
    role: str,
    notes: list[Note],
    first: int = 0,
    *,
    lent: bool = False,
    apart: Apart | None = None,
) -> Floats:
    """Convert an array to float64; refuse text, dates and whole numbers that float64 cannot tell apart.

    Errors number the rows from `first`. An array that is `lent` is not copied if it is float64 already. `apart` has
    the earlier batches of the column.
    """
    kind = array.dtype.kind
    if kind == "O":
        return number_objects(array.tolist(), name, role, notes, first, apart=apart)
    if kind in "UST":
        raise text_error(name, role, str(array[0]) if len(array) else "", where=f"row {first + 1:,}")
    if kind not in "biuf":
        raise InputError(f"the {role} column {name!r} has type {array.dtype}, which is not a number.")
    if kind in "iu" and array.dtype.itemsize == 8 and array.size:
        exact(name, role, max(int(array.max()), int(array.min()), key=abs))
    if kind == "b":
        note_boolean(name, role, notes)
    if kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            out = array.astype(np.float64)
        is_alone = apart is None and len(np.unique(out)) == len(np.unique(array))
        if not is_alone or not np.array_equal(np.isinf(out), np.isinf(array)):
            (apart or Apart()).check(list(array), out, name, role, first)
        return out
    is_float = array.dtype == np.float64 and array.ndim == 1 and array.flags.c_contiguous
    return array if lent and is_float else _copied(array)


def _copied(array: NDArray[Any]) -> Floats:
    """Copy as float64; on every processor for many rows, as new memory takes most of the time."""
    if array.ndim != 1 or array.size < MANY:
        return np.array(array, dtype=np.float64, order="C")
    out = np.empty(array.size)
    parts = [slice(start, start + MANY) for start in range(0, array.size, MANY)]
    list(ordered_map(lambda part: np.copyto(out[part], array[part]), parts))
    return out


def exact(name: str, role: str, largest: int) -> None:
    """Refuse whole numbers that float64 cannot tell apart."""
    if abs(largest) > EXACT:
        raise InputError(
            f"the {role} column {name!r} holds whole numbers above 2**53, such as {quoted(largest)}, which float64 "
            f"cannot tell apart: rescale them, or replace them by their ranks."
        )


def note_boolean(name: str, role: str, notes: list[Note]) -> None:
    """Note that truth values are read as numbers."""
    notes.append(Note("boolean-as-number", f"The {role} {name!r} is true or false and is read as 1 and 0."))


def text_error(
    name: str, role: str, value: str, *, where: str, mixed: bool = False, written: bool = False
) -> InputError:
    """Return the error for text in a column of numbers; `written`: in a text file, with a settable decimal mark."""
    what = "mixes numbers and text" if mixed else "holds text"
    shown = value if len(value) <= 40 else f"{value[:40]}…"
    predicted = " If these are predicted labels, name it with " + choice("predicted", name) + "."
    return InputError(
        f"the {role} column {name!r} {what}: {shown!r} in {where} is not a number."
        + spelling_advice(value, written=written)
        + " Convert the column to numbers, or name another one."
        + (predicted if role == "score" else "")
    )


def spelling_advice(value: str, *, written: bool = False) -> str:
    """Return how to write a number that has a decimal comma or a mark for thousands; "" for any other text.

    >>> spelling_advice("0,5", written=True), spelling_advice("1.234,5"), spelling_advice("high")
    (" Write decimals with a point, or give decimal=','.", ' Write thousands without a mark.', '')
    """
    decimal = re.fullmatch(r"[-+]?\d+,\d+", value.strip())
    thousands = re.fullmatch(r"[-+]?\d{1,3}([,.' \u00a0\u202f]\d{3})+([,.]\d+)?", value.strip())
    stated = ", or give " + choice("decimal", ",") if written else ""
    advice = " Write decimals with a point" + stated + "." if decimal else ""
    return advice + " Write thousands without a mark." if thousands else advice


def number_objects(
    values: list[Any], name: str, role: str, notes: list[Note], first: int = 0, *, apart: Apart | None = None
) -> Floats:
    """Python objects as float64: numbers, truth values and missing values; text is refused with its row."""
    types = set(map(type, values))
    if types <= {int, float, type(None)} and int in types:
        exact(name, role, max((value for value in values if type(value) is int), key=abs))
    if types <= {int, float, type(None)}:  # NumPy takes None for NaN
        return np.array(values, dtype=np.float64)
    if types & {bool, np.bool_}:
        note_boolean(name, role, notes)
    out = np.empty(len(values))
    for row, value in enumerate(values):
        if is_missing(value):
            out[row] = np.nan
        elif isinstance(value, str | bytes):
            mixed = any(isinstance(each, int | float) and not is_missing(each) for each in values)
            raise text_error(name, role, str(value), where=f"row {first + row + 1:,}", mixed=mixed)
        else:
            out[row] = _number(value, name, role, first + row)
    if not types <= {int, float, bool, type(None)}:
        (apart or Apart()).check(values, out, name, role, first)
    return out


def _number(value: Any, name: str, role: str, row: int) -> float:
    try:
        if isinstance(value, np.datetime64 | np.timedelta64 | np.complexfloating):
            raise TypeError  # NumPy would make a number of it
        if isinstance(value, int | np.integer):
            exact(name, role, int(value))
        return float(value)
    except InputError:
        raise
    except (TypeError, ValueError, ArithmeticError):
        raise InputError(
            f"the {role} column {name!r} has {quoted(value)} ({type(value).__name__}) in row {row + 1:,}, which is not "
            f"a number: float64 cannot hold it."
        ) from None
