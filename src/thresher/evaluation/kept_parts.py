"""Rows of a stream that comes once, kept while they are few, so that they can be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from thresher.predictions import Predictions


class KeptParts:
    """Parts of rows as they come, which are all forgotten when they take more than so many bytes.

    From then on every part is preceded by a call of `check`, which may refuse to go on without them.

    >>> parts = KeptParts(1000)
    >>> [*parts.of([])], parts.is_whole, [*parts.again()]
    ([], True, [])
    """

    def __init__(self, most: float, check: Callable[[], None] = lambda: None) -> None:
        self._most, self._bytes, self._check = most, 0, check
        self._parts: list[Any] | None = []

    @property
    def is_whole(self) -> bool:
        """Whether all parts that came are kept."""
        return self._parts is not None

    def of(self, parts: Iterable[Any]) -> Iterator[Any]:
        """The parts as they come, each of rows and more."""
        for part in parts:
            if self._parts is not None:
                self._parts.append(part)
                self._bytes += _bytes(part[0])
            if self._bytes > self._most:
                self._parts = None
                self._check()
            yield part

    def again(self, **_: Any) -> Iterator[Any]:
        """The parts that were kept."""
        return iter(self._parts or ())


def _bytes(rows: Predictions) -> int:
    codes = (*rows.by.values(), *([] if rows.cluster is None else [rows.cluster]))
    columns = [rows.truth, *rows.scores.values(), *(each.codes for each in codes)]
    return sum(column.nbytes for column in columns) + (0 if rows.weights is None else rows.weights.nbytes)
