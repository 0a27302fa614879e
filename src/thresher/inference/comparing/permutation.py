"""Permutation tests of any measure for two models, on the same rows or on different ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.parse_number import MOST_REPLICATES
from thresher._util.threads import Progress, current_progress
from thresher.conventions import LEVEL, SEED, Direction, Floats, check_whole, divide, is_positive, option
from thresher.counts import ScoreTable
from thresher.counts.row_columns import number_column
from thresher.errors import InputError, Note, OptionError
from thresher.inference.bootstrap.sample import chunks
from thresher.inference.bootstrap.statistics import Resolved, Statistic, resolve
from thresher.inference.differences.difference import Alternative, Difference, undefined_difference
from thresher.measures.measure_text import title_of
from thresher.results import TestResult

Scale = Literal["auto", "ranks", "scores", "decisions"]

CELLS_AT_ONCE = 1 << 21
SOURCE = "Good 2005, Permutation, Parametric and Bootstrap Tests; Phipson & Smyth 2010 (p with + 1)"
ROUNDING = 1e-12


def permutation_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    measure: Statistic = "auc",
    *,
    n: int = 10_000,
    threshold: float | tuple[float, float] | None = None,
    scale: Scale = "auto",
    weights: ArrayLike | None = None,
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    rng: int = SEED,
    progress: Progress | None = None,
    **parameters: Any,
) -> TestResult:
    """Test that two scores of the same rows are interchangeable, by the difference of a measure.

    Each of `n` permutations swaps the two scores of every row with probability ½, on a common scale. "ranks" replaces
    each score by its mid-rank among its own n rows ("auto" for ranking measures, so that a monotone transform changes
    nothing). "decisions" swaps decisions at each score's own threshold ("auto" for threshold metrics; a pair of
    thresholds may be given). "scores" swaps the scores as they are ("auto" for measures of probabilities and for
    callables). p = (1 + permutations at least as far from 0)/(1 + n). A score against itself has difference 0 and p =
    1. The null hypothesis is that the scores are exchangeable, which is more than equal values of the measure.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight.
        OptionError: an option has a value that it does not take.

    >>> y, a = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    >>> permutation_test(y, a, [2 * x for x in a], n=100).p_value
    1.0

    Source: Good 2005; Phipson & Smyth 2010.
    """
    rows = scored_rows(y_true, {"a": a, "b": b}, weights, direction)
    found = permutation_difference(
        rows, measure, n=n, threshold=threshold, scale=scale, rng=rng, progress=progress, **parameters
    )
    return found.test(alternative=alternative, level=LEVEL)


def permutation_difference(
    rows: PermutedRows,
    measure: Statistic = "auc",
    *,
    n: int = 10_000,
    threshold: float | tuple[float, float] | None = None,
    scale: Scale = "auto",
    rng: int = SEED,
    progress: Progress | None = None,
    **parameters: Any,
) -> Difference:
    """Difference of a measure, first minus second of two scores of the same rows, with its permutation p value."""
    check_replicates(n, rng)
    option("scale", scale, ("auto", "ranks", "scores", "decisions"))
    pooled = _pooled(rows, measure, threshold, scale, parameters)
    method = f"paired permutation of {pooled.scale}, {n:,} permutations, seed {rng}"
    of = pooled.resolved.of
    observed = float(of(pooled.tables(pooled.first)) - of(pooled.tables(pooled.second)))
    values, report = [], current_progress(progress)
    # Each permutation depends on its own number only.
    for block in chunks(n, CELLS_AT_ONCE // (pooled.grid.size + rows.truth.size)):
        part = np.stack([bits(rows.truth.size, rng, r) for r in range(block.start, block.stop)])
        tables = (np.where(part, x, y) for x, y in ((pooled.second, pooled.first), (pooled.first, pooled.second)))
        one, two = (pooled.values(codes) for codes in tables)
        values.append(one - two)
        report(sum(map(len, values)), n)
    return difference_of(observed, np.concatenate(values), method, pooled.resolved.name, "exchangeable scores")


def permutation_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    measure: Statistic = "auc",
    *,
    n: int = 10_000,
    threshold: float | None = None,
    scale: Literal["scores", "ranks"] = "scores",
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    rng: int = SEED,
    **parameters: Any,
) -> TestResult:
    """Test that two samples of different rows come from one distribution, by the difference of a measure.

    Rows are dealt anew to the two samples within each class, so class sizes stay. `scale="scores"` uses the scores as
    they are (one model on two groups); "ranks" uses (mid-rank − ½)/n within each sample, for scores of different
    scales. p = (1 + permutations at least as far from 0)/(1 + n).

    Raises:
        InputError, OptionError: as for `permutation_test`.

    >>> y, s = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    >>> permutation_test_unpaired(y, s, y, s, n=100).p_value
    1.0

    Source: Good 2005; Phipson & Smyth 2010.
    """
    samples = [scored_rows(y, {"s": s}, None, direction) for y, s in ((y_a, a), (y_b, b))]
    options: dict[str, Any] = {"threshold": threshold, "scale": scale, "rng": rng, **parameters}
    found = permutation_difference_unpaired(samples[0], samples[1], measure, n=n, **options)
    return found.test(alternative=alternative, level=LEVEL)


DEALT = 2000
"""Permutations of different rows; each is counted anew."""


def permutation_difference_unpaired(
    a: PermutedRows,
    b: PermutedRows,
    measure: Statistic = "auc",
    *,
    n: int = DEALT,
    threshold: float | None = None,
    scale: Literal["scores", "ranks"] = "scores",
    prevalence: float | None = None,
    rng: int = SEED,
    **parameters: Any,
) -> Difference:
    """Difference of a measure between two samples of different rows, with its permutation p value.

    Both are measured at the `prevalence`, if given.
    """
    check_replicates(n, rng)
    option("scale", scale, ("scores", "ranks"))
    if scale == "ranks":
        if threshold is not None:
            raise OptionError("a threshold is on the scale of the scores: take scale='scores'.")
        scores = [(mid_ranks(rows.scores[0]) - 0.5) / rows.truth.size for rows in (a, b)]
    else:
        scores = [rows.scores[0] for rows in (a, b)]
    truth = np.concatenate([a.truth, b.truth])
    both = PermutedRows(truth, (np.concatenate(scores),) * 2, None, a.direction)
    pooled = replace(_pooled(both, measure, threshold, "scores", parameters), prevalence=prevalence)
    first = np.arange(truth.size) < a.truth.size
    values = np.array([pooled.split(_dealt(truth, first, generator(rng, r))) for r in range(n)])
    method = f"unpaired permutation of {scale}, {n:,} permutations, seed {rng}"
    method += "" if prevalence is None else f", at a common prevalence of {prevalence:.3g}"
    assumptions = "one distribution under the null hypothesis"
    found = difference_of(pooled.split(first), values, method, pooled.resolved.name, assumptions)
    return replace(found, is_for_unequal=True)


def difference_of(observed: float, values: Floats, method: str, name: str, assumptions: str) -> Difference:
    """Difference with a p value by the permutations at least as far out; the data count as one."""
    lost = int(np.isnan(values).sum())
    method += f", {name.replace('_', ' ')} undefined in {lost:,} of them" if lost else ""
    known = values[~np.isnan(values)]
    if math.isnan(observed) or not known.size:
        return undefined_difference(method, Note("undefined", f"{title_of(name)} is undefined on these rows"))
    margin = ROUNDING * max(1.0, abs(observed))

    def p_value(alternative: Alternative) -> float:
        if alternative == "two-sided":
            extreme = np.abs(known) >= abs(observed) - margin
        else:
            extreme = known >= observed - margin if alternative == "greater" else known <= observed + margin
        return float((1 + int(extreme.sum())) / (1 + known.size))

    return Difference(
        value=observed,
        method=method,
        statistic=observed,
        p_value=p_value,
        bounds=(-math.inf, math.inf),
        assumptions=assumptions,
        source=SOURCE,
        replicates=known.size,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pooled:
    """Two scores of the same rows as codes into one grid of values, most positive first."""

    rows: PermutedRows
    grid: Floats
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    resolved: Resolved
    scale: str
    prevalence: float | None = None

    def tables(self, codes: NDArray[np.int64], chosen: NDArray[np.bool_] | None = None) -> ScoreTable:
        """Table of the rows' codes, batch axes in front; of the chosen rows only, if given."""
        size = self.grid.size
        batch = codes.reshape(-1, codes.shape[-1])
        columns = []
        for label in (1, 0):
            rows = (self.rows.truth == label) if chosen is None else (self.rows.truth == label) & chosen
            flat = batch[:, rows] + size * np.arange(len(batch))[:, None]
            weights = None if self.rows.weights is None else np.tile(self.rows.weights[rows], len(batch))
            counts = np.bincount(flat.reshape(-1), weights, minlength=size * len(batch))
            columns.append(counts.reshape(*codes.shape[:-1], size))
        return ScoreTable(
            scores=self.grid,
            positive=columns[0],
            negative=columns[1],
            direction=self.rows.direction,
            weight_kind=None if self.rows.weights is None else "importance",
            prior=self.prevalence,
        )

    def values(self, codes: NDArray[np.int64]) -> Floats:
        """Statistic of each permutation."""
        tables = self.tables(codes)
        if self.resolved.name == "auc":
            return _areas(tables)
        return np.asarray(self.resolved.of(tables), dtype=np.float64)

    def split(self, chosen: NDArray[np.bool_]) -> float:
        """Difference between the chosen rows and the others."""
        one, two = (self.resolved.of(self.tables(self.first, rows)) for rows in (chosen, ~chosen))
        return float(one) - float(two)


def _pooled(rows: PermutedRows, measure: Statistic, threshold: Any, scale: str, parameters: dict[str, Any]) -> Pooled:
    cuts = threshold if isinstance(threshold, tuple) else (threshold, threshold)
    table = ScoreTable.from_scores(rows.truth, rows.scores[0], direction=rows.direction)
    kind = resolve(measure, table, cuts[0], parameters)
    if scale == "auto":
        probabilities = kind.entry is None or any("probabilities" in words for words in kind.entry.undefined)
        scale = "decisions" if kind.decision else "scores" if probabilities and not kind.summarized else "ranks"
    if (scale == "decisions") != (kind.decision is not None) and scale != "scores":
        raise OptionError(f"scale={scale!r} does not fit {kind.name}: 'decisions' are for measures of decisions.")
    if scale == "decisions":
        pair = zip(rows.scores, cuts, strict=True)
        values = [is_positive(s, cut, rows.direction).astype(np.float64) for s, cut in pair]
        values, cut = (values if rows.direction == "higher" else [-v for v in values]), 0.5
        cut = cut if rows.direction == "higher" else -0.5
    else:
        if cuts[0] != cuts[1]:
            raise OptionError("two thresholds are for scale='decisions'; scores that are swapped share one.")
        values = [mid_ranks(s) for s in rows.scores] if scale == "ranks" else list(rows.scores)
        cut = cuts[0]
    rising, codes = np.unique(np.concatenate(values), return_inverse=True)
    if rows.direction == "higher":
        rising, codes = rising[::-1], rising.size - 1 - codes
    grid = ScoreTable(scores=rising, positive=np.zeros(rising.size, dtype=np.int64),
                      negative=np.zeros(rising.size, dtype=np.int64), direction=rows.direction)  # fmt: skip
    first, second = np.split(codes, 2)
    resolved = resolve(measure, grid, cut, parameters)
    return Pooled(rows=rows, grid=rising, first=first, second=second, resolved=resolved, scale=scale)


def _areas(tables: ScoreTable) -> Floats:
    positive, negative = tables.positive, tables.negative
    above = np.cumsum(positive, axis=-1) - positive
    twice = (negative * (2 * above + positive)).sum(axis=-1)
    return divide(twice, 2.0 * positive.sum(axis=-1) * negative.sum(axis=-1))


def _dealt(truth: NDArray[np.uint8], first: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.bool_]:
    """Rows of the first sample when each class is dealt anew."""
    out = np.empty_like(first)
    for label in (0, 1):
        rows = np.flatnonzero(truth == label)
        out[rows] = random.permutation(first[rows])
    return out


@dataclass(frozen=True, slots=True, eq=False)
class PermutedRows:
    """Truth 0 or 1, two scores of the same rows (or one), weights and direction."""

    truth: NDArray[np.uint8]
    scores: tuple[Floats, ...]
    weights: Floats | None
    direction: Direction


def scored_rows(
    y_true: ArrayLike, scores: Mapping[str, ArrayLike], weights: ArrayLike | None, direction: Direction
) -> PermutedRows:
    """Rows after checking every value."""
    columns = {name: number_column(column, name) for name, column in scores.items()}
    sizes = {name: column.size for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = " and ".join(f"{name} has {size} rows" for name, size in sizes.items())
        raise InputError(f"{listed}: a paired test takes the same rows.")
    for column in columns.values():
        ScoreTable.from_scores(y_true, column, weights=weights, direction=direction)
    truth = np.asarray(y_true).astype(np.uint8)
    importance = None if weights is None else np.asarray(weights, dtype=np.float64)
    return PermutedRows(truth, tuple(columns.values()), importance, direction)


def mid_ranks(values: Floats) -> Floats:
    """Rank of each value from 1, rising; tied values have the mean of their ranks.

    >>> mid_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes])


def generator(seed: int, replicate: int) -> np.random.Generator:
    """Random stream of one permutation."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64)))


def bits(count: int, seed: int, replicate: int) -> NDArray[np.bool_]:
    """Fair coins of one permutation."""
    words = np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64)).random_raw(-(-count // 64) or 1)
    return np.unpackbits(words.astype("<u8").view(np.uint8), count=count).view(np.bool_)


def check_replicates(n: int, rng: int) -> None:
    """Refuse a number of permutations below 1 or beyond the most, and a seed below 0."""
    check_whole("n", n, 1, MOST_REPLICATES)
    check_whole("rng", rng, 0, 2**63 - 1)
