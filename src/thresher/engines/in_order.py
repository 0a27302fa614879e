"""Rows come in the order of their numbers and all of them, or they are not used."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from thresher.errors import InputError

_REPORT = ": nothing is computed from them. Convert the file to another format, and report this as a bug of thresher."


def check_count(done: int, expected: int | None) -> None:
    """Compare the rows that came with those that were counted, where they were."""
    if expected is not None and done != expected:
        raise InputError(f"DuckDB gave {done:,} of {expected:,} rows of the table{_REPORT}")


class InOrder:
    """Check that rows come in the order of their numbers, and as many as there must be."""

    def __init__(self, expected: int | None = None) -> None:
        self.done = 0
        self._expected = expected
        self._last: Any = None

    def add(self, length: int, numbers: NDArray[Any] | None = None) -> None:
        """Count the rows of a batch, and look at their numbers."""
        self.done += length
        if numbers is None or not length:
            return
        if (self._last is not None and numbers[0] <= self._last) or (numbers[1:] <= numbers[:-1]).any():
            raise InputError(f"DuckDB gave the rows of the table out of their order{_REPORT}")
        self._last = numbers[-1]

    def finish(self) -> None:
        """Compare how many rows came with how many there are."""
        check_count(self.done, self._expected)
