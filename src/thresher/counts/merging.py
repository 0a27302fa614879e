"""Two score tables as one: scores that are equal, or that fall into one bin, become one row."""

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
    def widths(self) -> Floats | None: ...
    @property
    def direction(self) -> str: ...


def merged(a: Mergeable, b: Mergeable) -> dict[str, Any]:
    """Scores, widths and columns of the rows of both.

    A score inside of a bin joins it, and bins that overlap become one. As bins of a builder start and end at multiples
    of a power of two, one of them lies in the other then: none gets wider than it was in one of the tables.
    """
    # A bin holds the scores from its own upwards; turned about, so does one of direction "lower".
    sign = 1.0 if a.direction == "higher" else -1.0
    for above, below in ((a, b), (b, a)):
        if _is_beyond(above, below, sign):
            return _stacked(above, below)
    rising, row = _distinct(sign * np.concatenate([a.scores, b.scores]))
    widths = None
    if a.widths is not None or b.widths is not None:
        rising, widths, bins = _joined(rising, _widest(a, b, row, rising.size))
        row = bins[row]
    row = rising.size - 1 - row
    places = (row[: a.scores.size], row[a.scores.size :])
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        parts = [getattr(a, name), getattr(b, name)]
        known = all(part is not None for part in parts)
        summed = [_summed(*each, rising.size) for each in zip(parts, places, strict=True)] if known else None
        columns[name] = None if summed is None else add_counts(*summed)
    widths = None if widths is None else widths[::-1]
    return {"scores": sign * rising[::-1] + 0.0, "widths": widths, **columns}


def _is_beyond(above: Mergeable, below: Mergeable, sign: float) -> bool:
    """Whether all scores of one table lie above those of another, as the parts of a file in their order do."""
    if not (above.scores.size and below.scores.size):
        return False
    least, greatest = sign * above.scores[-1], sign * below.scores[0]
    with np.errstate(over="ignore"):
        end = greatest if below.widths is None else greatest + below.widths[0]
    return bool(least > greatest and least >= end)


def _stacked(above: Mergeable, below: Mergeable) -> dict[str, Any]:
    """Scores, widths and columns of two tables, one below the other."""
    found: dict[str, Any] = {}
    for name in ("scores", *COLUMNS):
        parts = [getattr(above, name), getattr(below, name)]
        found[name] = None if any(part is None for part in parts) else np.concatenate(parts, axis=-1)
    widths = [np.zeros(each.scores.size) if each.widths is None else each.widths for each in (above, below)]
    found["widths"] = None if above.widths is below.widths is None else np.concatenate(widths)
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


def _widest(a: Mergeable, b: Mergeable, row: NDArray[np.intp], count: int) -> Floats:
    """Width of each distinct score, 0 where it stands for itself alone."""
    widths = np.zeros(count)
    given = [np.zeros(table.scores.size) if table.widths is None else table.widths for table in (a, b)]
    np.maximum.at(widths, row, np.concatenate(given))
    return widths


def _joined(rising: Floats, widths: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Starts and widths of what is left when all that overlaps is one, and which of them each score is in."""
    with np.errstate(over="ignore"):
        ends = np.maximum.accumulate(rising + widths)
    opens = np.append(True, rising[1:] >= ends[:-1])
    first = np.flatnonzero(opens)
    last = np.append(first[1:], rising.size) - 1
    joined, many = widths[first], last > first
    joined[many] = ends[last[many]] - rising[first[many]]
    return rising[first], joined, np.cumsum(opens) - 1


def _summed(column: NDArray[Any], row: NDArray[np.intp], count: int) -> NDArray[Any]:
    """Counts of one table in the rows of the new one."""
    out = np.zeros((*column.shape[:-1], count), dtype=column.dtype)
    for place in np.ndindex(column.shape[:-1]):
        np.add.at(out[place], row, column[place])
    return out


def turned(scores: Floats, widths: Floats, direction: str) -> dict[str, Floats]:
    """Scores and widths of bins that are counted from their other end, whose name is the last score they can hold."""
    last, wide = scores.copy(), widths > 0
    away = 1.0 if direction == "higher" else -1.0
    with np.errstate(over="ignore"):
        last[wide] = np.nextafter(scores[wide] + away * widths[wide], -away * np.inf)
    kept = np.zeros(widths.size)
    kept[wide] = np.abs(last[wide] - scores[wide])
    return {"scores": last[::-1].copy(), "widths": kept[::-1].copy()}
