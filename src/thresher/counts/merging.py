"""Two score tables as one: scores that are equal become one row."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.row_columns import add_counts

COLUMNS = ("positive", "negative", "positive_squares", "negative_squares")


class Mergeable(Protocol):
    """What is read of a score table."""

    @property
    def scores(self) -> Floats: ...
    @property
    def direction(self) -> str: ...


def merged(a: Mergeable, b: Mergeable) -> dict[str, Any]:
    """Scores and columns of the rows of both."""
    sign = 1.0 if a.direction == "higher" else -1.0
    for above, below in ((a, b), (b, a)):
        if above.scores.size and below.scores.size and sign * above.scores[-1] > sign * below.scores[0]:
            return _stacked(above, below)
    rising, row = _distinct(sign * np.concatenate([a.scores, b.scores]))
    row = rising.size - 1 - row
    places = (row[: a.scores.size], row[a.scores.size :])
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        parts = [getattr(a, name), getattr(b, name)]
        known = all(part is not None for part in parts)
        summed = [_summed(*each, rising.size) for each in zip(parts, places, strict=True)] if known else None
        columns[name] = None if summed is None else add_counts(*summed)
    return {"scores": sign * rising[::-1] + 0.0, **columns}


def _stacked(above: Mergeable, below: Mergeable) -> dict[str, Any]:
    """Scores and columns of two tables, one below the other, as the parts of a file in their order are."""
    found: dict[str, Any] = {}
    for name in ("scores", *COLUMNS):
        parts = [getattr(above, name), getattr(below, name)]
        found[name] = None if any(part is None for part in parts) else np.concatenate(parts, axis=-1)
    return found


def _distinct(scores: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Distinct scores of two tables, and which of them each score is: a stable sort puts what is in order together."""
    order = np.argsort(scores, kind="stable")
    rising, row = scores[order], np.empty(scores.size, dtype=np.intp)
    new = begins(rising)
    row[order] = np.cumsum(new) - 1
    return rising[new], row


def begins(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of some values in order differ from those before.

    >>> begins(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    found = np.ones(ordered.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found


def _summed(column: NDArray[Any], row: NDArray[np.intp], count: int) -> NDArray[Any]:
    """Counts of one table in the rows of the new one."""
    out = np.zeros((*column.shape[:-1], count), dtype=column.dtype)
    for place in np.ndindex(column.shape[:-1]):
        np.add.at(out[place], row, column[place])
    return out
