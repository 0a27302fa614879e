"""The difference of a measure between two scores of counted rows, which are not in memory.

It comes from sums over the rows, or, where no sums tell it, from resamples of the rows, drawn as cells of both scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.counts.added_pairs import error_of_differences
from thresher.counts.joint import Axis, JointCounts, rising_scores
from thresher.counts.paired_sums import SUMS, PairedSums
from thresher.counts.pairs import PlacementMoments
from thresher.errors import InputError, OptionError, TaskError
from thresher.inference.auc.delong_rows import PlacedMoments
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN
from thresher.inference.comparing.rows import Side, Test, agreement, missing_threshold, paired, shares_by_cell
from thresher.inference.differences.difference import Difference, difference_bounds, undefined_difference
from thresher.inference.differences.mcnemar import mcnemar_difference
from thresher.inference.differences.means import paired_difference_of_sums
from thresher.inference.estimates.methods import methods_of
from thresher.inference.multiclass.bootstrap import Replicated, resampled_difference
from thresher.measures.error_bounds import BY_BINS
from thresher.measures.measure_text import Wanted

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


def counted_difference(
    a: Side, b: Side, wanted: Wanted, test: Test, pairs: PlacementMoments, config: Bootstrap | None = None
) -> Difference:
    """Difference of two scores by the moments of their pairs, those of `a` before those of `b`, or by resamples.

    Raises:
        OptionError: the measure, or the test, needs the rows.
        TaskError: the measure is one of probabilities, which the scores are not.
    """
    if wanted.at is None and methods_of(wanted.entry.name).line is not None and test in ("auto", "delong"):
        found = paired(a, b, wanted, test, (PlacedMoments(pairs), 0, 1))
        assert found is not None
        return replace(found, error_off=error_of_differences(pairs))
    sums, summed = pairs.sums, methods_of(wanted.entry.name).summed
    if sums is not None and wanted.at is None and summed is not None and test in ("auto", "means"):
        return _of_means(wanted, pairs, sums, SUMS.index(summed))
    shares = None if wanted.at is not None or sums is None else shares_by_cell(wanted, a.rows)
    if sums is None or shares is None or test not in ("auto", "means", "mcnemar", "mcnemar-exact"):
        drawn = _drawn(a, b, wanted, pairs, config or Bootstrap()) if test in ("auto", "bootstrap") else None
        if drawn is None:
            raise OptionError(
                f"scores that are counted are compared by measures of ranking and calibration, mean losses and "
                f"decisions; {wanted.title}{'' if test == 'auto' else f' by the test {test!r}'} needs the rows."
            )
        return drawn
    return _of_decisions(a, b, wanted, test, pairs, sums, shares)


def _drawn(a: Side, b: Side, wanted: Wanted, pairs: PlacementMoments, config: Bootstrap) -> Difference | None:
    """Difference by resamples of counted rows; None where these do not tell it."""
    sums, entry = pairs.sums, wanted.entry
    if wanted.at is not None:
        return None
    if entry.name in BY_BINS and pairs.cells is not None:
        tables = [side.rows.counts[side.model] for side in (a, b) if side.rows.counts is not None]
        return drawn_difference(wanted, (a.model, b.model), tables, pairs.cells, config)
    if entry.needs not in ("cells", "matrix") or sums is None:
        return None
    if reason := missing_threshold(a, b, wanted) or _uncounted(a, sums) or _uncounted(b, sums):
        return undefined_difference("bootstrap", reason)
    return drawn_decisions(wanted, _decided(a, b, sums, pairs.totals), config)


def _of_means(wanted: Wanted, pairs: PlacementMoments, sums: PairedSums, m: int) -> Difference:
    if np.isnan(sums.first[m]).any():
        raise TaskError(f"{wanted.title} needs probabilities of the positive class, in [0, 1].")
    one, two = (float(value) if np.isfinite(value) else np.nan for value in sums.first[m])
    bounds = difference_bounds(wanted.entry.bounds)
    return paired_difference_of_sums(float(pairs.totals.sum()), one - two, float(sums.squares[m, 0, 1]), bounds=bounds)


def _of_decisions(
    a: Side,
    b: Side,
    wanted: Wanted,
    test: Test,
    pairs: PlacementMoments,
    sums: PairedSums,
    shares: tuple[Floats, Floats],
) -> Difference:
    """McNemar's test of two shares, from how often each class's rows are decided alike."""
    reason = missing_threshold(a, b, wanted) or _uncounted(a, sums) or _uncounted(b, sums)
    if reason:
        return undefined_difference("McNemar's test", reason)
    table = agreement(_decided(a, b, sums, pairs.totals), shares)
    if test == "means" or not np.array_equal(table, np.rint(table)):
        apart = table[0, 1], table[1, 0]
        return paired_difference_of_sums(float(table.sum()), apart[0] - apart[1], sum(apart), bounds=(-1.0, 1.0))
    return mcnemar_difference(table, method="exact" if test == "mcnemar-exact" else "mid-p")


def _decided(a: Side, b: Side, sums: PairedSums, totals: Floats) -> Floats:
    """Rows of each class that both scores decide in each way: (class, decided by a, decided by b)."""
    i, j = (sums.cuts.index((side.model, float(side.threshold or 0.0))) for side in (a, b))
    alike, one, two = (np.asarray(sums.both)[:, k, m] for k, m in ((i, j), (i, i), (j, j)))
    cells = [[alike, one - alike], [two - alike, totals - one - two + alike]]
    return np.moveaxis(np.array(cells, dtype=np.float64), -1, 0)


def _uncounted(side: Side, sums: PairedSums) -> str | None:
    """Why decisions at a threshold are not known row by row; None where they are."""
    if (side.model, float(side.threshold or 0.0)) in sums.cuts:
        return None
    known = ", ".join(f"{cut:g}" for name, cut in sums.cuts if name == side.model)
    return (
        f"{side.model}: its decisions at {side.threshold:g} were not counted together with those of other scores, but "
        f"at {known}: name the threshold when the rows are counted"
    )


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


def drawn_decisions(wanted: Wanted, cells: Floats, config: Bootstrap) -> Difference:
    """Difference of a measure of two scores' decisions, of the rows of each class that both decide in each way."""

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
    """Difference with limits from resamples of cells, as far from it as they are from that of the cells.

    A replicate of n rows of a class counts how often each of them is drawn. Rows of one cell are alike to whatever is
    read off cells, so that only the sums of their counts matter. Drawn one by one, each draw falls into cell c with
    probability n_c/n, whatever row it is: the sums are multinomial (n; n_c/n), and that is what is drawn here, never a
    row. Replicates of independent Poisson(1) counts of the rows, each keyed by where its row stands, are the same: a
    sum of n_c of them is Poisson(n_c), and given that they add up to n, such sums are that multinomial. A frequency
    weight of w is w rows, and so w draws. Neither takes rows of a cluster as one: of these only the AUC is compared, by
    sums over clusters.
    """
    found = np.concatenate([values(counts) for counts in _drawn_counts(cells, config)])
    of_cells = float(values(cells[None].astype(np.float64))[0])
    fewest = int(min(side.sum() for side in cells))
    drawn = Replicated(
        observed=np.array([observed]), values=(found + (observed - of_cells))[:, None], drawn=what, fewest=fewest
    )
    return resampled_difference(drawn, difference_bounds(wanted.entry.bounds), config, design="paired")


def _drawn_counts(cells: NDArray[Any], config: Bootstrap) -> Iterator[NDArray[Any]]:
    """Resamples (some, class, bins, bins) of rows by cells, a few at a time.

    Raises:
        InputError: weights are not whole.
    """
    draws = np.random.default_rng(config.rng)
    sides = np.maximum(np.rint(cells), 0).astype(np.int64)
    if not np.allclose(sides, cells, rtol=0, atol=WHOLE):
        raise InputError(NOT_DRAWN)
    for start in range(0, config.n, AT_ONCE):
        some = min(AT_ONCE, config.n - start)
        yield np.stack([_cells_drawn(draws, side, some) for side in sides], axis=1)


def _cells_drawn(draws: np.random.Generator, side: NDArray[np.int64], replicates: int) -> NDArray[np.int64]:
    """Resamples (n, bins, bins) of the rows of a class, as many as there are: how many fall into each of its cells."""
    flat = side.ravel()
    filled = np.flatnonzero(flat)
    out = np.zeros((replicates, flat.size), dtype=np.int64)
    if filled.size:
        out[:, filled] = draws.multinomial(int(flat.sum()), flat[filled] / flat.sum(), size=replicates)
    return out.reshape(replicates, *side.shape)
