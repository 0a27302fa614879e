"""Threshold choice on resampled rows: stability of the threshold, and optimism of its value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ByFields, check_prevalence
from thresher._util.threads import Progress, current_progress
from thresher.conventions import LEVEL, TIE_TOLERANCE, Floats, divide
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.decisions.criteria import Best, Budget, Constraint, Criterion
from thresher.decisions.criterion_options import parse_criterion
from thresher.decisions.objective import constraints_of, criterion_values, keeping, seeks_lowest, within_budget
from thresher.decisions.operating import choose
from thresher.errors import Note
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import Data, Sample, Scored, chunks, sample_of
from thresher.inference.limits import limits
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures.registry import find
from thresher.results import Estimate, Shown
from thresher.upward_import import form_dict

CANDIDATES = 10_000
"""Most candidate thresholds of a replicate; of more distinct scores, the vertices of the ROC are kept."""

BYTES_AT_ONCE = 1 << 22
"""Memory of a chunk of replicates, for the processor's cache."""

TAILS = (0.025, 0.25, 0.5, 0.75, 0.975)

LEFT_OUT = 0.632
"""Weight of the out-of-bag value. A resample contains 63 % of the rows, so that value is too low; the value less the
optimism, chosen among the same rows, is too high (simulated in docs/coverage.md)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ResampledThreshold(ByFields, Shown):
    """A threshold chosen on every resample, and its value there, on all rows, and on the rows left out.

    Arrays have one entry per replicate, NaN if nothing could be chosen or the value is undefined. `kept` is 1 if the
    threshold meets the criterion's constraints on the rows left out, else 0; None without constraints. `bounds` is the
    range of the criterion.
    """

    criterion: str
    threshold: float
    apparent: float
    thresholds: Floats
    inside: Floats
    whole: Floats
    outside: Floats
    kept: Floats | None
    config: Bootstrap
    drawn: str
    candidates: int
    distinct: int
    bounds: tuple[float, float] = (-math.inf, math.inf)

    @property
    def optimism(self) -> float:
        """Mean over replicates of the value on the resample less that on all rows."""
        return _mean(self._gains)

    @property
    def _gains(self) -> Floats:
        """Optimism of each replicate, NaN if both values are infinite."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.inside - self.whole)

    @property
    def corrected(self) -> float:
        """0.368·(apparent − optimism) + 0.632·(out of bag); the first alone if the other is undefined."""
        less, outside = self.apparent - self.optimism, self.out_of_bag
        return (1 - LEFT_OUT) * less + LEFT_OUT * outside if math.isfinite(outside) else less

    def estimate(self, level: float = LEVEL) -> Estimate:
        """Estimate the value of the chosen threshold on new rows: `corrected`, with an interval.

        The variance is the sum of the variances of the values on the resamples and of the same thresholds on all rows,
        and at least 0.368 times the variance of the out-of-bag values, which rest on that share of the rows. Limits are
        symmetric on the scale of the criterion's range (logit or log). The interval is missing without two defined
        replicates.

        Raises:
            OptionError: the level is not between 0 and 1.

        Simulated in docs/coverage.md; Efron & Tibshirani 1997 for the weight.
        """
        z, found = normal_quantile(level), Estimate(name=self.criterion, value=self.corrected)
        known = [values[np.isfinite(self._gains)] for values in (self.inside, self.whole)]
        if known[0].size < 2 or not math.isfinite(found.value):
            return replace(found, reason=Note("no-spread", "no interval, as fewer than two replicates have a value"))
        variance, rest = sum(float(values.var(ddof=1)) for values in known), self.outside[np.isfinite(self.outside)]
        if rest.size > 1:
            variance = max(variance, (1 - LEFT_OUT) * float(rest.var(ddof=1)))
        error = math.sqrt(variance)
        low, high = limits(found.value, error, self.bounds, z) if error else (found.value, found.value)
        return replace(found, standard_error=error or None, low=low, high=high, level=level, method=self.method)

    @property
    def out_of_bag(self) -> float:
        """Mean over replicates of the value on the rows that were not drawn."""
        return _mean(self.outside)

    @property
    def undefined(self) -> int:
        """Replicates left out of the means: without a choice, or with an undefined or infinite value."""
        return int((~np.isfinite(self._gains)).sum())

    @property
    def constraints_kept(self) -> float | None:
        """Share of replicates with constraints met on the rows left out; None without constraints."""
        return None if self.kept is None else _mean(self.kept)

    def quantile(self, share: float) -> float:
        """Quantile of the thresholds, always one of them: the smallest with at least that share below it."""
        known = self.thresholds[~np.isnan(self.thresholds)]
        return float(np.quantile(known, share, method="inverted_cdf")) if known.size else math.nan

    @property
    def quantiles(self) -> dict[float, float]:
        """Quantiles of the thresholds at 2.5, 25, 50, 75 and 97.5 %."""
        return {share: self.quantile(share) for share in TAILS}

    @property
    def shares(self) -> dict[float, float]:
        """Share of the replicates that chose each threshold, most frequent first."""
        values, counts = np.unique(self.thresholds[~np.isnan(self.thresholds)], return_counts=True)
        order = np.lexsort((-values, -counts))
        return {float(values[i]): float(counts[i]) / self.thresholds.size for i in order}

    @property
    def share_of_chosen(self) -> float:
        """Share of the replicates with the same threshold as all rows."""
        return float((self.thresholds == self.threshold).mean())

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on approximations and omissions."""
        lines = []
        if self.candidates < self.distinct:
            text = (
                f"replicates chose among {self.candidates:,} of {self.distinct:,} thresholds, the vertices of the "
                "hull and the chosen one among them"
            )
            lines.append(Note("fewer-thresholds", text))
        if self.undefined:
            text = f"{self.undefined:,} of {self.thresholds.size:,} replicates are undefined and left out of the means"
            lines.append(Note("undefined-replicates", text))
        return tuple(lines)

    @property
    def method(self) -> str:
        """Words for the replicates."""
        return f"{self.thresholds.size:,} bootstrap replicates of {self.drawn}, seed {self.config.rng}"

    to_dict = form_dict

    def columns(self) -> dict[str, Any]:
        """One row for each replicate."""
        columns = {"threshold": self.thresholds, "inside": self.inside, "whole": self.whole, "outside": self.outside}
        return columns if self.kept is None else {**columns, "kept": self.kept}

    def __repr__(self) -> str:
        return (
            f"ResampledThreshold({self.criterion}: apparent {self.apparent:.4g}, corrected {self.corrected:.4g}, "
            f"out of bag {self.out_of_bag:.4g}, threshold {self.quantile(0.025):.4g} to {self.quantile(0.975):.4g})"
        )


def rechoose(
    data: Data,
    criterion: Criterion | str,
    config: Bootstrap | None = None,
    *,
    model: str | None = None,
    prevalence: float | None = None,
    constraints: tuple[Constraint, ...] = (),
    progress: Progress | None = None,
    threads: int | None = None,
) -> ResampledThreshold:
    """Choose the threshold again on every bootstrap resample, for any criterion.

    Each replicate chooses the most conservative of tied thresholds. The optimism is the mean of its value there less
    the value of the same threshold on all rows; rows that were not drawn give the out-of-bag value. The corrected value
    is 0.632 times that plus 0.368 times the apparent value less the optimism, which alone stays too optimistic with few
    rows; `estimate()` has its interval. Expected costs and measures without a given prevalence use each sample's own. A
    budget of k rows is rescaled to the number of rows.

    Args:
        data: a table of one score, or predictions; with importance weights or clusters the predictions.
        criterion: as for `thresher.decisions.choose`.
        config: settings of the replicates; its `method` of intervals is ignored.
        model: one of the predictions' models; the only one by default.
        prevalence: share of positives where decisions will be made.
        constraints: further bounds on a chosen threshold.
        progress: called with the numbers of finished and of all replicates.
        threads: most threads; the numbers do not depend on it.

    Raises:
        InputError, OptionError, RowsNeededError: as for `choose` and `bootstrap_replicates`.

    Efron & Tibshirani 1993, chapter 17; Harrell, Lee & Mark 1996.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> rechoose(table, "youden", Bootstrap(n=500))
    ResampledThreshold(max informedness: apparent 0.6, corrected 0.3133, out of bag 0.2464, threshold 5 to 9)
    """
    config = config or Bootstrap()
    wanted = parse_criterion(criterion) if isinstance(criterion, str) else criterion
    bounds = (*constraints_of(wanted), *constraints)
    sample = sample_of(data, (model,), config)
    scored = sample.models[0]
    prior = scored.table.prior if prevalence is None else check_prevalence(prevalence)
    table = replace(scored.table, prior=prior)
    chosen = choose(table, wanted, constraints=constraints)
    coarse = _among(replace(scored, table=table), int(chosen.rows[0]) - 1)
    total = float(table.P + table.N)
    whole = _worth(ThresholdTable.from_table(coarse.table), wanted, total)
    out = np.full((5, config.n), np.nan)
    for part, tables in _chunks(coarse, sample, config, threads):
        _fill(out[:, part], *tables, (wanted, bounds, whole, total))
        current_progress(progress)(part.stop, config.n)
    return ResampledThreshold(
        criterion=chosen.criterion,
        threshold=float(chosen.thresholds[0]),
        apparent=chosen.value,
        **dict(zip(("thresholds", "inside", "whole", "outside"), out, strict=False)),
        kept=out[4] if bounds else None,
        config=config,
        drawn=sample.drawn,
        candidates=int(coarse.table.scores.size),
        distinct=int(table.scores.size),
        bounds=find(wanted.measure).bounds if isinstance(wanted, Best) else (-math.inf, math.inf),
    )


def _among(scored: Scored, chosen: int) -> Scored:
    """Scored rows with at most `CANDIDATES` thresholds, including the chosen one."""
    table = scored.table
    if table.scores.size <= CANDIDATES:
        return scored
    rows = kernel.thin(table.positive, table.negative, CANDIDATES)
    rows = np.union1d(rows, [chosen]) if chosen >= 0 else rows
    columns = (table.positive, table.negative, scored.positive, scored.negative)
    p, n, counted_p, counted_n = (np.diff(np.cumsum(column)[rows], prepend=column.dtype.type(0)) for column in columns)
    options: dict[str, Any] = {"positive": p, "negative": n, "positive_squares": None, "negative_squares": None}
    return Scored(replace(table, scores=table.scores[rows], **options), counted_p, counted_n, scored.rows)


Parts = tuple[ScoreTable, ScoreTable]
"""Tables of resampled rows, and of rows left out."""


def _chunks(coarse: Scored, sample: Sample, config: Bootstrap, threads: int | None) -> Iterator[tuple[slice, Parts]]:
    is_plain = coarse.rows.units is None and coarse.rows.weights is None
    for part in chunks(config.n, BYTES_AT_ONCE // (32 * max(1, coarse.table.scores.size if is_plain else sample.rows))):
        count, stream = part.stop - part.start, {"seed": config.rng, "first": part.start, "threads": threads}
        if is_plain:
            yield part, _plain_parts(coarse, sample.sizes, count, stream)
        else:
            drawn = kernel.draws(sample.sizes, count, **stream)
            yield part, (coarse.tables(drawn), coarse.tables(drawn == 0))


def _plain_parts(coarse: Scored, sizes: NDArray[Any], count: int, stream: dict[str, Any]) -> Parts:
    """Parts if row i is unit i, positives first and each class by falling score, so that cells are runs."""
    cells, of_positives = np.concatenate([coarse.positive, coarse.negative]), coarse.positive.size
    drawn = kernel.drawn_cells(sizes, cells, count, **stream)
    options: dict[str, Any] = {"positive_squares": None, "negative_squares": None}
    inside, outside = (
        replace(coarse.table, positive=each[:, :of_positives], negative=each[:, of_positives:], **options)
        for each in drawn
    )
    return inside, outside


def _fill(out: Floats, drawn: ScoreTable, rest: ScoreTable, asked: Any) -> None:
    """Fill in a chunk: threshold, its values on the resample, on all rows and on the rest, and constraints met."""
    wanted, bounds, whole, total = asked
    inside = ThresholdTable.from_table(drawn)
    values, rows, found = _chosen_rows(inside, wanted, bounds)
    at = np.arange(rows.size), rows
    outside = _outside(rest, rows)
    share = divide(total, inside.P + inside.N) if isinstance(wanted, Budget) and wanted.k is not None else 1.0
    out[0] = inside.thresholds[rows]
    out[1] = values[at] * share
    out[2] = whole[rows]
    out[3] = _worth(outside, wanted, total)[..., 0]
    if bounds:
        out[4] = np.all([keeping(outside, bound)[1][..., 0] for bound in bounds], axis=0)
        out[4][np.asarray(outside.P + outside.N) == 0] = np.nan
    out[:, ~found] = np.nan


def _chosen_rows(table: ThresholdTable, wanted: Criterion, bounds: tuple[Constraint, ...]) -> tuple[Any, Any, Any]:
    """Values of a batch, the first row with the best value in each replicate, and whether it exists.

    A score that a replicate lacks repeats the cells of the row before, so it is never the first.
    """
    values = criterion_values(table, wanted)
    allowed = ~np.isnan(values)
    if isinstance(wanted, Budget):
        allowed &= within_budget(values, wanted)
    for bound in bounds:
        allowed &= keeping(table, bound)[1]
    height = np.where(allowed, -values if seeks_lowest(wanted) else values, -np.inf)
    size = np.where(np.isfinite(height), np.abs(height), 0.0).max(axis=-1, keepdims=True)
    best = height.max(axis=-1, keepdims=True)
    return values, (height >= best - TIE_TOLERANCE * size).argmax(axis=-1), allowed.any(axis=-1)


def _outside(rest: ScoreTable, rows: NDArray[Any]) -> ThresholdTable:
    """Table of the rows left out: at the chosen row, and at the last, which has the totals."""
    like = ThresholdTable.from_table(
        replace(rest, scores=rest.scores[:1], positive=rest.positive[0, :1], negative=rest.negative[0, :1])
    )
    tp, fp = (
        np.stack([[row[:end].sum() for row, end in zip(column, rows, strict=True)], column.sum(axis=1)], axis=-1)
        for column in (rest.positive, rest.negative)
    )
    return replace(like, tp=tp, fp=fp)


def _worth(table: ThresholdTable, wanted: Criterion, total: float) -> Floats:
    """Value of a criterion; a budget of k rows is rescaled to the number of rows."""
    values = criterion_values(table, wanted)
    if not isinstance(wanted, Budget) or wanted.k is None:
        return values
    with np.errstate(invalid="ignore"):  # a replicate without rows left out lacks a value
        return np.asarray(values * divide(total, np.asarray(table.P + table.N)[..., None]))


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan
