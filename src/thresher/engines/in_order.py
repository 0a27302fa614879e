"""Rows come in the order of their numbers and all of them, or they are not used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.errors import InputError

_REPORT = ": nothing is computed from them. Convert the file to another format, and report this as a bug of thresher."
_DISORDER = f"DuckDB gave the rows of the table out of their order{_REPORT}"


def check_count(done: int, expected: int | None) -> None:
    """Compare the rows that came with those that were counted, where they were."""
    if expected is not None and done != expected:
        raise InputError(f"DuckDB gave {done:,} of {expected:,} rows of the table{_REPORT}")


class UnplacedError(Exception):
    """A row was to be named of rows that came without their numbers: read again, with numbers, they have places."""


def unplaced(_row: int) -> str:
    """Place of a row without a number.

    Raises:
        UnplacedError: always.
    """
    raise UnplacedError


@dataclass(frozen=True, eq=False)
class Marks:
    """What rows without numbers must hold: hashes, which are asked for at the end, of some `rows` (from 0, growing)."""

    rows: NDArray[np.int64]
    hashes: Callable[[], NDArray[np.int64]]


class InOrder:
    """Check that rows come in their order, and as many as there must be.

    They carry their numbers, or with `marks` a hash of what they hold; where they carry nothing they are only counted.
    """

    def __init__(self, expected: int | None = None, marks: Marks | None = None) -> None:
        self.done = 0
        self._expected = expected
        self._marks = marks
        self._last: Any = None
        self._found: list[NDArray[Any]] = []

    def add(self, length: int, numbers: Any) -> None:
        """Count the rows of a batch, and look at their numbers or hashes."""
        start = self.done
        self.done += length
        if self._marks is not None:
            first, end = np.searchsorted(self._marks.rows, [start, self.done])
            self._found.append(numbers[self._marks.rows[first:end] - start])
        elif length and numbers is not None:
            if (self._last is not None and numbers[0] <= self._last) or (numbers[1:] <= numbers[:-1]).any():
                raise InputError(_DISORDER)
            self._last = numbers[-1]

    def finish(self) -> None:
        """Compare how many rows came with how many there are, and the hashes with those of the file."""
        check_count(self.done, self._expected)
        if self._marks is not None and not np.array_equal(np.concatenate(self._found), self._marks.hashes()):
            raise InputError(_DISORDER)
