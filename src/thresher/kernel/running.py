"""Sums of a long table up to some of its rows, from the sums of its stretches: no sweep of all rows for each few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import Counts, Rows

STRETCH = 128
"""Rows between two sums that are kept."""

LONG = 1 << 14
"""Rows from which on these sums are worth their sweep."""

Amount = Callable[[Counts, Counts], Any]


class Running:
    """TP and FP at any row of a table of whole counts, and the first row at which an amount made of them is reached.

    >>> running = Running(np.array([1, 0, 1]), np.array([0, 1, 0]))
    >>> running.at(np.array([0, 2])), running.first(lambda tp, fp: tp + fp, np.array([2]))
    ((array([1, 2]), array([0, 1])), array([1]))
    """

    def __init__(self, positive: Counts, negative: Counts) -> None:
        self._columns = checks.table(positive, negative)
        starts = np.arange(0, positive.size, STRETCH)
        sums = self._sums(starts, np.append(starts[1:], positive.size)[: starts.size])
        self._before = [np.append(0, np.cumsum(column)) for column in sums]

    @property
    def ends(self) -> tuple[Counts, Counts]:
        """TP and FP at the last row of each stretch."""
        tp, fp = self._before
        return tp[1:], fp[1:]

    @property
    def totals(self) -> tuple[np.int64, np.int64]:
        """Positives and negatives of all rows."""
        tp, fp = self._before
        return tp[-1], fp[-1]

    def at(self, rows: Rows) -> tuple[Counts, Counts]:
        """TP and FP at rows, which do not fall."""
        rows = np.asarray(rows, dtype=np.int64)
        stretches = rows // STRETCH
        tp, fp = self._sums(stretches * STRETCH, rows + 1)
        return self._before[0][stretches] + tp, self._before[1][stretches] + fp

    def split(self, k: int) -> Counts:
        """Positives, then negatives, of the first ``k`` rows and of the others, (2, 2)."""
        taken = [column.sum() for column in self.at(np.array([k - 1] * (k > 0), dtype=np.int64))]
        return np.array([[count, total - count] for count, total in zip(taken, self.totals, strict=True)])

    def first(self, amount: Amount, targets: NDArray[Any]) -> Rows:
        """First row at which an amount of TP and FP that never falls reaches each target, else how many there are."""
        stretches = np.searchsorted(amount(*self.ends), targets)
        inside = amount(*self._inside(np.minimum(stretches, self._before[0].size - 2)))
        found = stretches * STRETCH + np.count_nonzero(inside < targets[:, None], axis=1)
        return np.where(stretches == self._before[0].size - 1, self._columns[0].size, found)

    def _sums(self, starts: Rows, ends: Rows) -> tuple[Counts, Counts]:
        used = checks.threads(None, int((ends - starts).sum()))
        found = use.range_sums(None, *self._columns, None, (starts, ends), used)
        return found.positive, found.negative

    def _inside(self, stretches: Rows) -> tuple[Counts, Counts]:
        """TP and FP at every row of some stretches, one a line; beyond the last row as at it."""
        rows = stretches[:, None] * STRETCH + np.arange(STRETCH)
        kept = rows < self._columns[0].size
        rows = np.minimum(rows, self._columns[0].size - 1)
        tp, fp = (
            before[stretches][:, None] + np.cumsum(column[rows] * kept, axis=1)
            for before, column in zip(self._before, self._columns, strict=True)
        )
        return tp, fp
