"""The difference of a measure of ranking between two scores by resamples of their rows, drawn as cells of both scores.

So are rows that were counted, and rows in memory that are too many to be drawn one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.counts.joint import Axis, JointCounts, rising_scores
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN, cells_drawn
from thresher.inference.comparing.rows import Side
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.multiclass.bootstrap import Replicated, resampled_difference
from thresher.measures.error_bounds import BY_BINS
from thresher.measures.measure_text import Wanted
from thresher.watched import watcher

MOST = 200
"""Replicates of bins at the most."""

AT_ONCE = 20
"""Replicates that are drawn at a time."""

MANY = 200_000
"""Rows in memory of which no more are drawn one by one, where cells of both scores tell the measure."""

OF_ROWS = 500
"""Replicates of them, at the most: the error of a correlation is 0.04 then."""

BY_BINS_OF_BOTH = "rows of each class, by bins of both scores"
"""What is drawn then."""

WHOLE = 1e-6
"""How far a sum of whole weights may be from a whole number."""


def drawn_difference(
    wanted: Wanted, names: tuple[str, str], tables: Sequence[ScoreTable], joint: JointCounts, config: Bootstrap
) -> Difference:
    """Difference of a measure of two scores, as far apart as their tables say, by resamples of their joint cells."""
    config = replace(config, n=min(config.n, MOST), method="percentile")
    both = _of_both(wanted, tables, [joint.axes[name] for name in names])
    first, second = (float(wanted.entry(table, **dict(wanted.parameters))) for table in tables)
    cells = _dense(names, joint)
    return _resampled(cells, lambda counts: np.subtract(*both(counts)), first - second, wanted, config, BY_BINS_OF_BOTH)


def _of_both(
    wanted: Wanted, tables: Sequence[ScoreTable], axes: Sequence[Axis]
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Values of a measure of two scores on many counts (…, class, bin of one, bin of the other)."""
    scores = [_centers(axis, table) for axis, table in zip(axes, tables, strict=True)]

    def value(k: int, counts: Floats) -> Floats:
        positive, negative = counts[..., 0, :], counts[..., 1, :]
        table = ScoreTable(scores=scores[k], positive=positive, negative=negative, direction=tables[k].direction)
        return np.asarray(wanted.entry.on(table, **dict(wanted.parameters)), dtype=np.float64)

    return lambda counts: (value(0, counts.sum(axis=-1)), value(1, counts.sum(axis=-2)))


def is_by_cells(a: Side, wanted: Wanted, config: Bootstrap) -> bool:
    """Whether rows are so many that they are drawn as cells of both scores, which tell the measure."""
    rows = a.rows
    is_plain = rows.cluster is None and config.clusters is None and config.stratified
    is_plain &= rows.weights is None or rows.weight_kind == "frequency"
    return is_plain and len(rows) > MANY and wanted.at is wanted.part is None and wanted.entry.name in BY_BINS


def values_by_cells(a: Side, b: Side, wanted: Wanted, config: Bootstrap) -> tuple[Floats, str]:
    """Values (n, 2) of a measure of two scores on resamples of their rows, drawn as cells, and what was drawn."""
    cells, both = _of_rows(a, b, wanted)
    config = replace(config, n=min(config.n, OF_ROWS), method="percentile")
    found = np.concatenate([np.stack(both(counts), axis=1) for counts in _drawn_counts(cells, config)])
    return found, config.describe(BY_BINS_OF_BOTH).partition(", ")[2]


def difference_by_cells(a: Side, b: Side, wanted: Wanted, config: Bootstrap) -> Difference:
    """Difference of a measure of two scores of the same rows by such resamples."""
    cells, both = _of_rows(a, b, wanted)
    first, second = (float(wanted.entry(side.table, **dict(wanted.parameters))) for side in (a, b))
    config = replace(config, n=min(config.n, OF_ROWS), method="percentile")
    return _resampled(cells, lambda counts: np.subtract(*both(counts)), first - second, wanted, config, BY_BINS_OF_BOTH)


def _of_rows(a: Side, b: Side, wanted: Wanted) -> tuple[Floats, Callable[[Floats], tuple[Floats, Floats]]]:
    """Cells of the rows of two scores, and the values of a measure on counts of such cells."""
    tables = a.table, b.table
    axes = [Axis.of(table) for table in tables]
    return _cells_of_rows((a, b), axes), _of_both(wanted, tables, axes)


def _cells_of_rows(sides: tuple[Side, Side], axes: Sequence[Axis]) -> Floats:
    """Rows of each class by the bins of both scores, the most positive ones first."""
    one, two = (
        axis.starts.size - 1 - axis.places(side.edges if side.direction == "higher" else 0.0 - side.edges)
        for side, axis in zip(sides, axes, strict=True)
    )
    rows, shape = sides[0].rows, (2, *(axis.starts.size for axis in axes))
    codes = np.ravel_multi_index((np.where(rows.truth == 1, 0, 1), one, two), shape)
    return np.bincount(codes, rows.weights, math.prod(shape)).reshape(shape).astype(np.float64)


def _centers(axis: Axis, table: ScoreTable) -> Floats:
    """Mean score of the rows of each bin, the most positive first; a bin of infinite scores has one."""
    rising = rising_scores(table)
    rows = (table.positive + table.negative)[::-1].astype(np.float64)
    at, finite = axis.places(rising), np.isfinite(rising)
    size = axis.starts.size
    shares = rows / np.maximum(np.bincount(at, rows, size), 1e-300)[at]  # sums of scores may leave the floats
    means = np.bincount(at, np.where(finite, rising, 0.0) * shares, size).astype(np.float64)
    means[at[~finite]] = rising[~finite]
    return means[::-1] if table.direction == "higher" else 0.0 - means[::-1]


def _dense(names: tuple[str, str], joint: JointCounts) -> Floats:
    """Rows of each class by the bins of both scores, the most positive ones first."""
    is_turned = names not in joint.codes
    pair = (names[1], names[0]) if is_turned else names
    one, two, rows = joint.cells(pair)
    cells = np.zeros((2, *(joint.axes[name].starts.size for name in pair)))
    cells[:, one, two] = rows
    return (cells.transpose(0, 2, 1) if is_turned else cells)[:, ::-1, ::-1]


def _resampled(
    cells: NDArray[Any],
    values: Callable[[Floats], Floats],
    observed: float,
    wanted: Wanted,
    config: Bootstrap,
    what: str,
) -> Difference:
    """Difference with limits from resamples of cells, as far from it as they are from that of the cells."""
    found = np.concatenate([values(counts) for counts in _drawn_counts(cells, config)])
    of_cells = float(values(cells[None].astype(np.float64))[0])
    fewest = int(min(side.sum() for side in cells))
    drawn = Replicated(
        observed=np.array([observed]), values=(found + (observed - of_cells))[:, None], drawn=what, fewest=fewest
    )
    return resampled_difference(drawn, difference_bounds(wanted.entry.bounds), config, design="paired")


def _drawn_counts(cells: NDArray[Any], config: Bootstrap) -> Iterator[NDArray[Any]]:
    """Resamples (some, class, bins, bins) of rows by cells, a few at a time; whoever watches is told of them.

    Raises:
        InputError: weights are not whole.
    """
    draws, report = np.random.default_rng(config.rng), watcher(None)
    sides = np.maximum(np.rint(cells), 0).astype(np.int64)
    if not np.allclose(sides, cells, rtol=0, atol=WHOLE):
        raise InputError(NOT_DRAWN)
    for start in range(0, config.n, AT_ONCE):
        some = min(AT_ONCE, config.n - start)
        yield np.stack([cells_drawn(draws, side, some) for side in sides], axis=1)
        report(start + some, config.n)
