"""Bins that carry most of the bound of the AUC are split by reading the rows once more."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.pairs import Places
from thresher.counts.row_columns import truth_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError

CHANGED = "the rows changed while they were counted: count them once more."
"""What is said where rows that are read again are not those that were counted."""

FINEST = 40
"""Times that a bin is halved in one pass at the most."""


class Refining:
    """Finer bins in the making, of a table whose `error_bound` is above the tolerance.

    >>> truth, scores = np.array([1, 0, 1, 0]), np.array([0.9, 0.6, 0.4, 0.1])
    >>> bins = ScoreTable(
    ...     scores=np.array([0.0]), positive=np.array([2]), negative=np.array([2]), binned=True, widths=np.array([1.0])
    ... )
    >>> refining = Refining(bins, tolerance=0.2, most=4)
    >>> refining.add(truth, scores, None)
    >>> refining.table().scores.tolist(), float(refining.table().error_bound)
    ([0.75, 0.5, 0.25, 0.0], 0.0)
    """

    def __init__(self, table: ScoreTable, *, tolerance: float, most: int) -> None:
        self._coarse = table
        self._sign = 1.0 if table.direction == "higher" else -1.0
        self._places = Places(table)
        rising = (self._sign * table.scores)[::-1]
        halved = _halvings(table, rising, tolerance, most)[::-1]
        self._rows = np.flatnonzero(halved)
        sizes = np.left_shift(1, halved[self._rows])
        ends = np.cumsum(sizes)
        self._chosen = np.full(rising.size, -1, dtype=np.int64)
        self._chosen[self._rows] = np.arange(self._rows.size)
        widths = np.zeros(rising.size) if table.widths is None else table.widths[::-1]
        self._scales = np.ldexp(1.0, halved[self._rows]) / widths[self._rows]
        # Number of a row's fine bin over all of them: that of its own scale, moved to where its coarse one begins.
        self._moves = (ends - sizes) - rising[self._rows] * self._scales
        self._owner = np.repeat(np.arange(self._rows.size), sizes)
        self._counts = np.zeros((4, int(ends[-1]) if ends.size else 0))

    @property
    def is_possible(self) -> bool:
        """Whether there is a bin that can be split."""
        return bool(self._rows.size)

    def add(self, truth: NDArray[Any], scores: Floats, weights: Floats | None) -> None:
        """Count rows that fall into the chosen bins."""
        rising = scores if self._sign > 0 else -scores
        bins = self._chosen[self._places.row_of(rising)]
        inside = np.flatnonzero(bins >= 0)
        bins = bins[inside]
        own = rising[inside]
        fine = np.floor(own * self._scales[bins])
        fine[(fine == 0) & (own < 0)] = -1.0  # of a subnormal number, whose product is 0
        number = (fine + self._moves[bins]).astype(np.int64)
        positive = truth_column(truth)[inside] != 0
        weight = np.ones(inside.size) if weights is None else weights[inside]
        for place, rows in enumerate((positive, ~positive)):
            np.add.at(self._counts[place], number[rows], weight[rows])
            np.add.at(self._counts[place + 2], number[rows], weight[rows] ** 2)

    def table(self) -> ScoreTable:
        """Table with the finer bins that have rows, in place of the coarse ones.

        Raises:
            InputError: the rows are not those that were counted first.
        """
        coarse = self._coarse
        names = ("positive", "negative", "positive_squares", "negative_squares")
        columns: dict[str, Any] = {}
        filled = np.flatnonzero((self._counts[:2] > 0).any(axis=0))
        kept = np.flatnonzero(self._chosen < 0)
        number = filled - self._moves[self._owner[filled]]
        fine = number / self._scales[self._owner[filled]]
        rising = np.concatenate([(self._sign * coarse.scores)[::-1][kept], fine])
        order = np.argsort(-rising, kind="stable")
        for name, counted in zip(names, self._counts, strict=True):
            column = getattr(coarse, name)
            if column is None:
                continue
            before = column[::-1][self._rows].astype(np.float64)
            found = np.bincount(self._owner, weights=counted, minlength=self._rows.size)
            if not np.allclose(found, before, rtol=1e-9, atol=1e-9):
                raise InputError(CHANGED)
            columns[name] = np.concatenate([column[::-1][kept], counted[filled].astype(column.dtype)])[order]
        old = np.zeros(coarse.scores.size) if coarse.widths is None else coarse.widths[::-1]
        widths = np.concatenate([old[kept], 1 / self._scales[self._owner[filled]]])[order]
        return replace(coarse, scores=self._sign * rising[order] + 0.0, widths=widths, **columns)


def _halvings(table: ScoreTable, rising: Floats, tolerance: float, most: int) -> NDArray[np.int64]:
    """How often each bin is to be halved, so that those left carry half the tolerance, in no more than `most` bins.

    A bin of p positives and n negatives carries p·n/(2PN), and each halving takes half of that away, or nearly so.
    """
    widths = np.zeros(table.scores.size) if table.widths is None else table.widths
    start = rising[::-1]
    carried = table.positive.astype(np.float64) * table.negative / 2 * (widths > 0)
    end = np.maximum(np.abs(start), np.abs(start + widths))
    with np.errstate(divide="ignore", invalid="ignore"):
        mantissa, exponent = np.frexp(widths)
        is_plain = (mantissa == 0.5) & (np.floor(start / widths) * widths == start) & np.isfinite(end)
    # A fine bin is no narrower than the distance of two neighboring float64.
    room = np.clip(exponent - np.frexp(end)[1] + 52, 0, FINEST) * is_plain
    room = np.asarray(np.minimum(room, np.maximum(exponent + 1000, 0)))
    goal = tolerance / 2 * float(table.P) * float(table.N)
    aim = max(goal, 1e-300) / max(int((carried > 0).sum()), 1)
    while True:
        with np.errstate(divide="ignore"):
            wanted = np.where(carried > aim, np.ceil(np.log2(carried / aim)), 0.0)
        halved: NDArray[np.int64] = np.minimum(wanted, room).astype(np.int64)
        if float(np.ldexp(1.0, halved[halved > 0]).sum()) <= most:
            return halved
        aim *= 2


def is_refined(table: ScoreTable, tolerance: float) -> bool:
    """Whether a table's bins keep its AUC to the tolerance, or it has one class only."""
    bound = float(table.error_bound)
    return math.isnan(bound) or bound <= tolerance
