"""Differences of counted rows that no sums tell: resamples of the rows, drawn as cells of both scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.counts.joint import JointBins
from thresher.counts.paired_sums import PairedSums
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.multiclass.bootstrap import Replicated, resampled_difference
from thresher.measures.measure_text import Wanted

Floats = NDArray[np.float64]

MOST = 200
"""Replicates of bins at the most."""

AT_ONCE = 20
"""Replicates that are drawn at a time."""


def drawn_difference(
    wanted: Wanted, names: tuple[str, str], tables: Sequence[ScoreTable], joint: JointBins, config: Bootstrap
) -> Difference | None:
    """Difference of a measure of two scores, as far apart as their tables say; None of scores not counted together."""
    cells = joint.of(*names)
    if cells is None:
        return None
    config = replace(config, n=min(config.n, MOST), method="percentile")

    def values(counts: Floats) -> Floats:
        found = [
            wanted.entry.on(joint.table(name, own[..., 0, :], own[..., 1, :]), **dict(wanted.parameters))
            for name, own in zip(names, (counts.sum(axis=-1), counts.sum(axis=-2)), strict=True)
        ]
        return np.asarray(found[0] - found[1], dtype=np.float64)

    first, second = (float(wanted.entry(table, **dict(wanted.parameters))) for table in tables)
    return _resampled(cells, values, first - second, wanted, config, "rows of each class, by bins of both scores")


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
