"""Rows of any number taken in order, the most positive first, as many at a time as the memory holds.

Each pass over the rows keeps those of one range of scores. Where a range has more rows than there is room for, equal
scores are put together; if that is not enough, its lower half is left for the next pass.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.held import Held
from thresher.counts.scores import ScoreTable


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
        starts = np.concatenate([sign * table.scores for table in tables.values()])
        rows = np.concatenate([table.positive + table.negative for table in tables.values()])
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
        self._held = Held(self._weight_kind)

    def following(self) -> None:
        """Go on with the next range below what was taken, if there is one."""
        self.is_done = self.low == -np.inf
        if not self.is_done:
            self._open(self.low)

    def add(self, key: Hashable, truth: NDArray[Any], rising: Floats, weights: Floats | None) -> None:
        """Keep those of the rows that lie in the range."""
        inside = rising >= self.low
        if self.high is not None:
            inside &= rising < self.high
        self._held.add(key, truth[inside], rising[inside], None if weights is None else weights[inside])
        if self._held.size > self._most:
            self._make_room()

    def _make_room(self) -> None:
        """Put equal scores together; where most differ, leave the lower half of them for later."""
        parts: dict[Hashable, list[ScoreTable]] = {key: [] for key in self._held.keys}
        for chunk in self.chunks():
            for key, table in chunk.items():
                parts[key].append(table)
        self._held = Held(self._weight_kind, parts)
        found = np.unique(np.concatenate([t.scores for tables in parts.values() for t in tables]))
        if found.size > 1 and self._held.size > self._most / 2:
            self.low = float(found[found.size // 2])
            self._held.leave(self.low)

    def chunks(self) -> Iterator[dict[Hashable, ScoreTable]]:
        """Tables of the distinct scores of the range, a part at a time, the most positive first, by group: once."""
        yield from self._held.chunks()
