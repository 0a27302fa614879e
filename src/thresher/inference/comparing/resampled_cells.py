"""The difference of a measure of two scores by resamples of many rows, drawn as counts of rows with equal scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.counts.joint import CellCounts, JointCells
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN, cells_drawn
from thresher.inference.comparing.rows import Side
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.multiclass.bootstrap import Replicated, resampled_difference
from thresher.measures.measure_text import Wanted
from thresher.watched import watcher

MANY = 200_000
"""Rows up to which each row is drawn by itself."""

MOST = 500
"""Replicates at the most: the error of a correlation is 0.04 then."""

AT_ONCE = 20
"""Replicates that are drawn at a time."""

CELLS = 2**14
"""Cells up to which scores keep their bits."""

DRAWN = "rows of each class, by rounded scores"


def is_by_cells(a: Side, wanted: Wanted, config: Bootstrap) -> bool:
    """Whether rows are too many to be drawn one by one, and a measure of scores is wanted."""
    rows = a.rows
    is_plain = rows.cluster is None and config.clusters is None and config.stratified
    is_plain &= rows.weights is None or rows.weight_kind == "frequency"
    is_table = wanted.entry.needs == "table" and not wanted.entry.fitted
    return is_plain and is_table and rows.counted > MANY and wanted.at is wanted.part is None


def difference_by_cells(a: Side, b: Side, wanted: Wanted, config: Bootstrap) -> Difference:
    """Return the difference of two scores of the same rows, with limits from such resamples."""
    config = replace(config, n=min(config.n, MOST), method="percentile")
    first, second = (float(wanted.entry(side.table, **dict(wanted.parameters))) for side in (a, b))
    cells = _Cells(a, b, wanted)
    found = np.concatenate([-np.diff(cells.values(counts))[:, 0] for counts in cells.resamples(config)])
    of_cells = -float(np.diff(cells.values(cells.rows[None]))[0, 0])
    drawn = Replicated(
        observed=np.array([first - second]), values=(found + (first - second - of_cells))[:, None], drawn=DRAWN,
        fewest=int(cells.rows.sum(axis=1).min()),
    )  # fmt: skip
    return resampled_difference(drawn, difference_bounds(wanted.entry.bounds), config, design="paired")


class _Cells:
    """Rows (class, cell) with equal rounded scores, and how a measure of both scores is read from counts of them."""

    def __init__(self, a: Side, b: Side, wanted: Wanted) -> None:
        weights = np.ones(len(a.rows)) if a.rows.weights is None else a.rows.weights
        counts = np.rint(weights).astype(np.int64)
        if not np.array_equal(counts, weights):
            raise InputError(NOT_DRAWN)
        truth, sides = a.rows.truth == 1, {"first": a, "second": b}
        scores = np.stack([np.asarray(side.rows.scores[side.model], dtype=np.float64) for side in sides.values()])
        given: Mapping[tuple[()], CellCounts] = {
            (): CellCounts(scores=scores, positive=counts * truth, negative=counts * ~truth)
        }  # fmt: skip
        directions = {name: side.direction for name, side in sides.items()}
        found = JointCells(directions=directions, groups=given, thresholds={}).rounded(CELLS).groups[()]
        self.rows: NDArray[np.int64] = np.stack([found.positive, found.negative])
        self._wanted = wanted
        self._tables = [_Table(column, side) for column, side in zip(found.scores, sides.values(), strict=True)]

    def values(self, counts: NDArray[np.int64]) -> Floats:
        """Return the measure (n, 2) of both scores on counts (n, class, cell)."""
        options = dict(self._wanted.parameters)
        found = [self._wanted.entry.on(each.of(counts), **options) for each in self._tables]
        return np.stack(found, axis=-1).astype(np.float64)

    def resamples(self, config: Bootstrap) -> Iterator[NDArray[np.int64]]:
        """Draw rows within each class, some replicates (n, class, cell) at a time."""
        draws, report = np.random.default_rng(config.rng), watcher(None)
        for start in range(0, config.n, AT_ONCE):
            some = min(AT_ONCE, config.n - start)
            yield np.stack([cells_drawn(draws, side, some) for side in self.rows], axis=1)
            report(start + some, config.n)


class _Table:
    """Score table of one of the scores, from counts of cells."""

    def __init__(self, scores: Floats, side: Side) -> None:
        self._order = np.argsort(scores if side.direction == "lower" else -scores, kind="stable")
        ordered = scores[self._order]
        self._starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        self._scores, self._direction = ordered[self._starts], side.direction

    def of(self, counts: NDArray[np.int64]) -> ScoreTable:
        """Return the table of counts (n, class, cell)."""
        positive, negative = np.moveaxis(np.add.reduceat(counts[..., self._order], self._starts, axis=-1), 1, 0)
        return ScoreTable(scores=self._scores, positive=positive, negative=negative, direction=self._direction)
