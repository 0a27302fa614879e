"""Rows of any number taken in order, the most positive first, as many at a time as the memory holds.

Each pass over the rows keeps those of one range of scores. Where a range has more rows than there is room for, equal
scores are put together; if that is not enough, its lower half is left for the next pass.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.scores import ScoreTable

Floats = NDArray[np.float64]

CHUNK = 1 << 19
"""Rows of a class that are put into order at a time."""

PER_SCORE = 6
"""Numbers that a distinct score takes where a row takes one or two."""


class Ranges:
    """The rows of several groups by one score, of whose coarse bins the tables are.

    Scores are turned about for direction "lower", so that they rise with positivity.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([1, 1]), negative=np.array([0, 2]), binned=True,
    ...     widths=np.array([0.5, 0.5]),
    ... )
    >>> ranges = Ranges({(): bins}, most=2)
    >>> ranges.low, ranges.add((), np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.3, 0.1]), None)
    (0.5, None)
    >>> [part[()].scores.tolist() for part in ranges.chunks()], ranges.is_done
    ([[0.9]], False)
    """

    def __init__(self, tables: Mapping[Any, ScoreTable], *, most: int, share: float = 1.0) -> None:
        """Ranges of at most so many rows; `share` is how many rows a weight of 1 stands for, about."""
        like = next(iter(tables.values()))
        self._most, self._share, self._weight_kind = most, share, like.weight_kind
        sign = 1.0 if like.direction == "higher" else -1.0
        self._bins = {key: (sign * table.scores, table.positive, table.negative) for key, table in tables.items()}
        starts = np.concatenate([start for start, _, _ in self._bins.values()])
        rows = np.concatenate([positive + negative for _, positive, negative in self._bins.values()])
        order = np.argsort(-starts, kind="stable")
        self._starts, self._ends = starts[order], np.cumsum(rows[order] * share, dtype=np.float64)
        self.is_done = False
        self._open(None)

    def _open(self, high: float | None) -> None:
        """Begin a range below a score, or at the top, of as many bins as there is room for."""
        first = 0 if high is None else int(np.searchsorted(-self._starts, -high, side="right"))
        before = self._ends[first - 1] if first else 0.0
        last = max(int(np.searchsorted(self._ends, before + self._most, side="right")), first + 1)
        self.high, self.low = high, float(self._starts[last - 1]) if last < self._starts.size else -np.inf
        self._kept: dict[Hashable, _Kept] = {}

    def following(self) -> None:
        """Go on with the next range below what was taken, if there is one."""
        self.is_done = self.low == -np.inf
        if not self.is_done:
            self._open(self.low)

    def _room(self, key: Hashable) -> tuple[int, int]:
        """Rows of both classes that a group has in the range, about."""
        starts, *columns = self._bins[key]
        inside = (starts >= self.low) & (self.high is None or starts < self.high)
        p, n = (min(int(column[inside].sum() * self._share) + 1, self._most) for column in columns)
        return p, n

    def add(self, key: Hashable, truth: NDArray[Any], rising: Floats, weights: Floats | None) -> None:
        """Keep those of the rows that lie in the range."""
        inside = rising >= self.low
        if self.high is not None:
            inside &= rising < self.high
        if key not in self._kept:
            self._kept[key] = _Kept(self._weight_kind, self._room(key))
        kept = self._kept[key]
        positive = truth != 0
        for side, rows in enumerate((inside & positive, inside & ~positive)):
            kept.sides[side].append(rising[rows], None if weights is None else weights[rows])
        if sum(each.size for each in self._kept.values()) > self._most:
            self._make_room()

    def _make_room(self) -> None:
        """Put equal scores together; where most differ, leave the lower half of them for later."""
        parts: dict[Hashable, list[ScoreTable]] = {key: [] for key in self._kept}
        for chunk in self.chunks():
            for key, table in chunk.items():
                parts[key].append(table)
        for key, tables in parts.items():
            self._kept[key] = _Kept(self._weight_kind, self._room(key), tables)
        found = np.unique(np.concatenate([t.scores for tables in parts.values() for t in tables]))
        if found.size > 1 and sum(each.size for each in self._kept.values()) > self._most / 2:
            self.low = float(found[found.size // 2])
            for each in self._kept.values():
                each.leave(self.low)

    def chunks(self) -> Iterator[dict[Hashable, ScoreTable]]:
        """Tables of the distinct scores of the range, a part at a time, the most positive first, by group."""
        for each in self._kept.values():
            each.sort()
        cuts = _cuts([cut for each in self._kept.values() for cut in each.marks()])
        for low, high in zip(cuts, (np.inf, *cuts[:-1]), strict=True):
            found = {key: each.table(low, high) for key, each in self._kept.items()}
            yield {key: table for key, table in found.items() if table.scores.size}


def _cuts(marks: list[Floats]) -> list[float]:
    """Ends of parts, falling: a score that is a mark twice has a part of its own."""
    marked, times = np.unique(np.concatenate(marks), return_counts=True) if marks else (np.zeros(0), np.zeros(0))
    cuts = np.unique(np.concatenate([marked, np.nextafter(marked[times > 1], np.inf), [-np.inf]]))
    return [float(cut) for cut in cuts[cuts < np.inf][::-1]]


class _Kept:
    """Rows of a group in hand, each class for itself, and tables of those that were put together."""

    def __init__(self, weight_kind: Any, room: tuple[int, int], tables: Sequence[ScoreTable] = ()) -> None:
        self._options = {"weight_kind": weight_kind} if weight_kind else {}
        self._tables = list(tables)  # falling
        self.sides = _Column(room[0]), _Column(room[1])

    @property
    def size(self) -> int:
        """Room that they take, in rows."""
        return sum(side.size for side in self.sides) + PER_SCORE * sum(table.scores.size for table in self._tables)

    def sort(self) -> None:
        """Put the rows into order."""
        for side in self.sides:
            side.sort()

    def marks(self) -> Iterator[Floats]:
        """Scores between which few rows lie, once these are in order."""
        for side in self.sides:
            yield side.scores[CHUNK // 2 :: CHUNK]
        yield np.array([table.scores[0] for table in self._tables if table.scores.size])

    def leave(self, low: float) -> None:
        """Let go of what is below a score."""
        self._tables = [_between(table, low, np.inf) for table in self._tables]

    def table(self, low: float, high: float) -> ScoreTable:
        """Distinct scores from the low one on, below the high one, or up to infinity."""
        found = ScoreTable.empty()
        for table in self._tables:
            found = found + _between(table, low, high)
        (p, of_positives), (n, of_negatives) = (side.between(low, high) for side in self.sides)
        if not p.size + n.size:
            return found
        if of_positives is None and all(
            each.size == 0 or each[0] == each[-1] == (p if p.size else n)[0] for each in (p, n)
        ):
            return found + ScoreTable.from_counts((p if p.size else n)[:1], [p.size], [n.size])
        truth = np.repeat(np.array([1, 0], dtype=np.uint8), [p.size, n.size])
        weights = None if of_positives is None or of_negatives is None else np.concatenate([of_positives, of_negatives])
        return found + ScoreTable.from_scores(truth, np.concatenate([p, n]), weights=weights, **self._options)


def _between(table: ScoreTable, low: float, high: float) -> ScoreTable:
    """Rows of a table from the low score on, below the high one, or up to infinity."""
    first = 0 if high == np.inf else table.rank_of(high)
    rows = slice(first, max(first, int(np.searchsorted(-table.scores, -low, side="right"))))
    if rows.start == rows.stop:
        return ScoreTable.empty()
    names = ("scores", "positive", "negative", "positive_squares", "negative_squares")
    columns: dict[str, Any] = {name: None if (c := getattr(table, name)) is None else c[rows] for name in names}
    return ScoreTable(**columns, weight_kind=table.weight_kind)


class _Column:
    """Scores of one class, with their weights if they have some; memory is taken as rows come."""

    def __init__(self, room: int) -> None:
        self.size = 0
        self._room = room
        self._arrays: list[Floats] = []

    @property
    def scores(self) -> Floats:
        """All of them."""
        return self._arrays[0][: self.size] if self._arrays else np.zeros(0)

    def append(self, *columns: Floats | None) -> None:
        """Keep some more."""
        given = [column for column in columns if column is not None]
        end = self.size + given[0].size
        if not self._arrays:
            self._arrays = [np.empty(max(self._room, end)) for _ in given]
        if end > self._arrays[0].size:
            self._arrays = [np.append(each[: self.size], np.empty(end - self.size // 2)) for each in self._arrays]
        for each, column in zip(self._arrays, given, strict=True):
            each[self.size : end] = column
        self.size = end

    def sort(self) -> None:
        """Put them into order, rising."""
        if len(self._arrays) > 1:
            order = np.argsort(self.scores, kind="stable")
            self._arrays = [each[: self.size][order] for each in self._arrays]
        else:
            self.scores.sort()

    def between(self, low: float, high: float) -> tuple[Floats, Floats | None]:
        """Scores from the low one on, below the high one, or up to infinity, with their weights."""
        first = 0 if low == -np.inf else int(np.searchsorted(self.scores, low))
        rows = slice(first, self.size if high == np.inf else int(np.searchsorted(self.scores, high)))
        return self.scores[rows], self._arrays[1][rows] if len(self._arrays) > 1 else None
