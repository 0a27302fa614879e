"""Differences of counted rows that no sums tell: resamples of the rows, drawn as cells of both scores.

A replicate of n rows of a class counts how often each of them is drawn. Rows of one cell are alike to whatever is read
off cells, so that only the sums of their counts matter. Drawn one by one, each draw falls into cell c with probability
n_c/n, whatever row it is: the sums are multinomial (n; n_c/n), and that is what is drawn here, never a row. Replicates
of independent Poisson(1) counts of the rows, each keyed by where its row stands, are the same: a sum of n_c of them is
Poisson(n_c), and given that they add up to n, such sums are that multinomial. A frequency weight of w is w rows, and so
w draws. Neither takes rows of a cluster as one: of these only the AUC is compared, by sums over clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.counts.joint import Axis, JointCounts, rising_scores
from thresher.counts.paired_sums import PairedSums
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.multiclass.bootstrap import Replicated, resampled_difference
from thresher.measures.measure_text import Wanted

Floats = NDArray[np.float64]

MOST = 200
"""Replicates of bins at the most."""

AT_ONCE = 20
"""Replicates that are drawn at a time."""

WHOLE = 1e-6
"""How far a sum of whole weights may be from a whole number."""


def drawn_difference(
    wanted: Wanted, names: tuple[str, str], tables: Sequence[ScoreTable], joint: JointCounts, config: Bootstrap
) -> Difference:
    """Difference of a measure of two scores, as far apart as their tables say, by resamples of their joint cells."""
    cells = _dense(names, joint)
    config = replace(config, n=min(config.n, MOST), method="percentile")
    directions = [table.direction for table in tables]
    scores = [_centers(joint.axes[name], table) for name, table in zip(names, tables, strict=True)]

    def value(k: int, counts: Floats) -> Floats:
        positive, negative = counts[..., 0, :], counts[..., 1, :]
        table = ScoreTable(scores=scores[k], positive=positive, negative=negative, direction=directions[k])
        return np.asarray(wanted.entry.on(table, **dict(wanted.parameters)), dtype=np.float64)

    def values(counts: Floats) -> Floats:
        return value(0, counts.sum(axis=-1)) - value(1, counts.sum(axis=-2))

    first, second = (float(wanted.entry(table, **dict(wanted.parameters))) for table in tables)
    return _resampled(cells, values, first - second, wanted, config, "rows of each class, by bins of both scores")


def _centers(axis: Axis, table: ScoreTable) -> Floats:
    """Mean score of the rows of each bin, the most positive first; a bin of infinite scores has one."""
    rising = rising_scores(table)
    rows = (table.positive + table.negative)[::-1].astype(np.float64)
    at, finite = axis.places(rising), np.isfinite(rising)
    sums, size = np.where(finite, rising, 0.0) * rows, axis.starts.size
    means: Floats = np.bincount(at, sums, size) / np.maximum(np.bincount(at, rows, size), 1e-300)
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


def drawn_decisions(
    wanted: Wanted, both: tuple[int, int], pairs: tuple[PairedSums, Floats], config: Bootstrap
) -> Difference:
    """Difference of a measure of two scores' decisions, of the rows of each class that both decide in each way."""
    sums, totals = pairs
    i, j = both
    cells = np.zeros((2, 2, 2))
    for side in (0, 1):
        alike, one, two = sums.both[side, i, j], sums.both[side, i, i], sums.both[side, j, j]
        cells[side] = [[alike, one - alike], [two - alike, totals[side] - one - two + alike]]

    def of_each(counts: Floats) -> Floats:
        matrices = ConfusionMatrix.from_counts(counts, labels=[1, 0])
        return np.asarray(wanted.entry(matrices, **dict(wanted.parameters)), dtype=np.float64)

    def values(counts: Floats) -> Floats:
        return of_each(counts.sum(axis=-1)) - of_each(counts.sum(axis=-2))

    observed = float(values(cells[None])[0])
    config = replace(config, method="percentile")
    return _resampled(cells, values, observed, wanted, config, "rows of each class, by both decisions")


def _resampled(
    cells: NDArray[Any],
    values: Callable[[Floats], Floats],
    observed: float,
    wanted: Wanted,
    config: Bootstrap,
    what: str,
) -> Difference:
    """Difference with limits from resamples of cells, as far from it as they are from that of the cells."""
    draws = np.random.default_rng(config.rng)
    sides = np.maximum(np.rint(cells), 0).astype(np.int64)
    if not np.allclose(sides, cells, rtol=0, atol=WHOLE):
        raise InputError(NOT_DRAWN)
    sizes = [min(AT_ONCE, config.n - start) for start in range(0, config.n, AT_ONCE)]
    found = np.concatenate([values(np.stack([_drawn(draws, side, n) for side in sides], axis=1)) for n in sizes])
    of_cells = float(values(cells[None].astype(np.float64))[0])
    fewest = int(min(side.sum() for side in cells))
    drawn = Replicated(
        observed=np.array([observed]), values=(found + (observed - of_cells))[:, None], drawn=what, fewest=fewest
    )
    return resampled_difference(drawn, difference_bounds(wanted.entry.bounds), config, design="paired")


def _drawn(draws: np.random.Generator, side: NDArray[np.int64], replicates: int) -> NDArray[np.int64]:
    """Resamples (n, bins, bins) of the rows of a class, as many as there are: how many fall into each of its cells."""
    flat = side.ravel()
    filled = np.flatnonzero(flat)
    out = np.zeros((replicates, flat.size), dtype=np.int64)
    if filled.size:
        out[:, filled] = draws.multinomial(int(flat.sum()), flat[filled] / flat.sum(), size=replicates)
    return out.reshape(replicates, *side.shape)
