"""Contributions of rows to a measure; differences of two values from both intervals (MOVER), or by groups of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts import Cells, ConfusionMatrix, ScoreTable
from thresher.counts.loss_sums import spread_about
from thresher.counts.sweeps import cumulated
from thresher.design_warnings import few_for_bootstrap, moved_by_resampling
from thresher.errors import InputError, Note
from thresher.inference.auc.delong_rows import placed_rows
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN
from thresher.inference.comparing.rows import (
    ComparedSample,
    cells_of_rows,
    decisions,
    missing_threshold,
    once_per_sample,
)
from thresher.inference.differences.difference import (
    Difference,
    apart,
    combined_limits,
    difference_bounds,
    ends_of,
    inverted_p,
    no_difference,
    undefined_difference,
)
from thresher.inference.estimates.forms import AreaLine, Combined, Derivatives, RowMean
from thresher.inference.estimates.methods import estimate_of_scores, methods_of
from thresher.inference.estimates.of_matrices import estimate
from thresher.inference.estimates.ranking import Slopes
from thresher.inference.limits import numeric
from thresher.inference.strata import Stratum
from thresher.inference.variance import Jackknife, groups_of, jackknife_difference
from thresher.kernel.values import LOSSES
from thresher.measures.areas import placements
from thresher.measures.calibration import moments
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import statistic_of
from thresher.predictions import Predictions
from thresher.results import Estimate


def words_of(spec: MeasureSpec) -> str:
    """Method of the correlation."""
    return "without groups of rows" if _is_by_groups(spec) else "by influence functions"


def correlation_of(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> float:
    """Correlation of a measure's values of two models on the same rows, shrunk towards 0 by one row.

    It is Σ f·c·d/√(Σ f·c²·Σ f·d²) of the contributions c and d, where f is 1, the frequency, or the squared importance;
    times 1 − 1/n with n rows of the smaller class, for small samples. A measure of scores without a formula for
    contributions uses the changes of its value without groups of rows. 0 for a value that does not depend on its rows.
    """
    if _is_by_groups(spec):
        one, two = (without_groups(side, spec).values for side in (a, b))
        rows = Stratum.of(one.size)
    else:
        one, two = contributions(a, spec), contributions(b, spec)
        rows = Stratum.of(len(a.rows), a.rows.weights, a.rows.weight_kind)
    if np.array_equal(one, two):
        return 1.0
    (first, common), (_, second) = rows.covariance([one, two]).tolist()
    if not (math.isfinite(common) and math.isfinite(first * second)) or first * second <= 0:
        return 0.0
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    # Sums of the same rows in another order are the same correlation.
    return float(round(common / math.sqrt(first * second), 12) * (1 - 1 / smaller))


def _is_by_groups(spec: MeasureSpec) -> bool:
    """Whether a measure of scores lacks a formula for contributions."""
    return spec.entry.needs == "table" and not isinstance(methods_of(spec.entry.name).adds, Derivatives)


@once_per_sample
def contributions(side: ComparedSample, spec: MeasureSpec) -> Floats:
    """Contribution of each row to a measure of one model, (n,); of decisions the derivative by the row's cell."""
    if spec.entry.needs not in ("cells", "matrix"):
        return np.asarray(row_derivatives(side, spec))
    cells = cells_of_rows(side)
    counts = np.bincount(cells, side.rows.weights, 4).astype(np.float64)
    slopes: Floats = numeric(partial(value_of_cells, spec))(counts.reshape(1, 2, 2))[1].ravel()
    return np.asarray(slopes[cells])


def value_of_cells(spec: MeasureSpec, tables: Floats) -> Floats:
    """Return the value of a measure of decisions on 2×2 counts, the positive class first, with batch axes before."""
    return spec.entry.on(statistic_of(spec.entry, cells_of(tables)), **spec.parameters)


def cells_of(tables: Floats) -> Cells:
    """Return the cells of 2×2 counts, the positive class first, with batch axes before."""
    (tp, fn), (fp, tn) = np.moveaxis(tables, (-2, -1), (0, 1))
    return Cells(tp=tp, fp=fp, fn=fn, tn=tn)


MANY = 200_000
"""Rows from which on a difference without a formula uses groups of rows, as each replicate takes a table."""

GROUPS = 400
"""Groups of rows: the standard error of a standard error is then 4 %."""

DEALT = 1 << 25
"""Most rows for which frequency weights are dealt row by row; of more, each group draws from all of them."""

OF_SMALLER = "rows of the smaller class"

BITS = 12
"""Significant bits of the scores."""

LEAST = 1e-12
"""Share of the weight of a score below which the rest is rounding error."""


def is_by_groups(a: ComparedSample, spec: MeasureSpec, config: Bootstrap) -> bool:
    """Whether rows are too many for a bootstrap of a measure of scores."""
    rows, entry = a.rows, spec.entry
    is_plain = rows.cluster is None and config.clusters is None
    is_table = entry.needs == "table" and not entry.fitted and spec.at is spec.part is None
    return is_plain and is_table and rows.counted > MANY


def difference_by_groups(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> Difference:
    """Return the difference of two scores of the same rows by the jackknife over groups of rows."""
    one, two = (without_groups(side, spec) for side in (a, b))
    found = jackknife_difference(one, two, spec.entry.bounds, unit="rows")
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    moved = methods_of(spec.entry.name).resampling.min_rows_for_bootstrap
    few = few_for_bootstrap(smaller, what=OF_SMALLER) or moved_by_resampling(smaller, what=OF_SMALLER, least=moved)
    return replace(found, warnings=(*found.warnings, *few))


@once_per_sample
def without_groups(side: ComparedSample, spec: MeasureSpec) -> Jackknife:
    """Values of a measure of scores without each of up to 400 groups of rows, the same for every model.

    Rounded scores serve here: they change the differences by far less than the random groups do. Frequency weights are
    dealt row by row.
    """
    rounded = kernel.rounded(side.score, BITS, lower=side.direction == "lower")
    few = replace(side, rows=replace(side.rows, scores={side.model: rounded}), kept={})
    table, place, truth = few.table, few.places, side.rows.truth == 1
    many = table.scores.size

    def value(of: ScoreTable) -> float:
        return float(spec.entry(of, **dict(spec.parameters)))

    whole = replace(table, positive_squares=None, negative_squares=None)
    values = []
    for rows, out in _groups(side.rows):
        of_class = (np.bincount(place[rows], out * own[rows], many) for own in (truth, ~truth))
        positive, negative = (
            np.where(out > LEAST * counts, counts - out, counts)
            for counts, out in zip((table.positive, table.negative), of_class, strict=True)
        )
        kept = (positive > LEAST * table.positive) | (negative > LEAST * table.negative)
        left: dict[str, Any] = {"positive": positive[kept], "negative": negative[kept]}
        values.append(value(replace(whole, scores=table.scores[kept], **left)))
    units = round(side.rows.counted)
    return Jackknife(observed=value(side.table), values=np.array(values), units=units)


def _groups(rows: Predictions) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Places of the rows of each group, and their weights in it."""
    if rows.weights is None or rows.weight_kind != "frequency":
        group = groups_of(len(rows), GROUPS)
        for k in range(int(group.max(initial=-1)) + 1):
            own = np.flatnonzero(group == k)
            yield own, np.ones(own.size) if rows.weights is None else rows.weights[own]
        return
    left, draws = np.rint(rows.weights).astype(np.int64), np.random.default_rng(0)
    if not np.array_equal(left, rows.weights):
        raise InputError(NOT_DRAWN)
    if left.sum() <= DEALT:
        each = np.repeat(np.arange(left.size), left)
        order = np.argsort(groups_of(each.size, GROUPS), kind="stable")
        for part in np.array_split(order, GROUPS):
            yield each[part], np.ones(part.size)
        return
    count = int(min(GROUPS, left.sum()))
    for k in range(count):
        out = draws.binomial(left, 1 / (count - k))
        left, own = left - out, np.flatnonzero(out)
        yield own, out[own].astype(np.float64)


SOURCE = "Zou & Donner 2008"

Own = Callable[[float], Estimate]
"""Estimate of one side at a confidence level."""


def by_intervals(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, *, is_paired: bool) -> Difference | None:
    """Difference from both sides' own intervals (MOVER); None if one lacks an interval.

    The limits are Zou and Donner's: the distances from each value to its own limits add up in squares, less the
    correlation of values of the same rows (by influence functions). The p value is the error rate at which the interval
    reaches 0, so interval and test agree. Small groups keep the asymmetry and width of their own intervals, unlike in a
    normal statistic or a percentile bootstrap (docs/comparing.md).
    """
    if not serves(a, spec):
        return None
    if reason := missing_threshold(a, b, spec):
        return undefined_difference("intervals of both", reason)
    prevalence = None if is_paired else common_prevalence(a, b, spec)
    own = _own(a, spec, prevalence), _own(b, spec, prevalence)
    first, second = (each(0.95) for each in own)
    if math.isnan(first.value) or math.isnan(second.value):
        reason = first.reason if math.isnan(first.value) else second.reason
        text = f"{spec.title} is undefined for one of the two: {reason}"
        return undefined_difference("intervals of both", Note("undefined", text))
    if first.low is None or second.low is None:
        return None
    shared = correlation_of(a, b, spec) if is_paired else None
    return _combined(own, first, second, spec, prevalence, shared)


def serves(side: ComparedSample, spec: MeasureSpec) -> bool:
    """Whether the measure combines its own intervals."""
    if spec.at is not None or len(side.rows.classes) != 2:
        return False
    entry = spec.entry
    return entry.needs in ("cells", "matrix") or (
        entry.needs == "table" and methods_of(entry.name).difference is not None
    )


def _combined(
    own: tuple[Own, Own], first: Estimate, second: Estimate, spec: MeasureSpec, prevalence: float | None,
    correlation: float | None,
) -> Difference:  # fmt: skip
    value = apart(first.value, second.value)
    shared = 0.0 if correlation is None else correlation
    facts = {"value": value, "bounds": difference_bounds(spec.entry.bounds), "source": SOURCE}
    words = f"intervals of both combined ({first.method})"
    words += f", at a common prevalence of {prevalence:.3g}" if prevalence is not None else ""
    words += "" if correlation is None else f", correlation {shared:.2f} {words_of(spec)}"
    if shared >= 1 and value == 0:
        return no_difference(method=words, **facts)
    both = first.value, second.value
    limits = combined_limits(both, lambda level: ends_of(each(level) for each in own), shared)
    return Difference(
        method=words,
        limits=limits,
        p_value=inverted_p(value, limits),
        values=None if prevalence is None else both,
        is_for_unequal=(methods_of(spec.entry.name).difference or Combined()).simulated,
        assumptions="different rows" if correlation is None else f"correlation of the two values {words_of(spec)}",
        **facts,  # type: ignore[arg-type]
    )


def _own(side: ComparedSample, spec: MeasureSpec, prevalence: float | None) -> Own:
    """Estimate of one side at a level; cached for all comparisons of a model."""
    name, known = spec.entry.name, side.kept.setdefault(("estimates", spec.text, prevalence), {})
    if spec.entry.needs == "table":
        table: ScoreTable = side.table
        if prevalence is not None and not math.isclose(table.prevalence, prevalence, rel_tol=1e-12):
            table = table.with_prevalence(prevalence)
        make = partial(estimate_of_scores, table, name)
    else:
        make = partial(estimate, _matrix(side), name, **spec.parameters)

    def at(level: float) -> Estimate:
        # A search for the p value of each pair of models begins at the same levels.
        if level not in known:
            known[level] = make(level=level)
        found: Estimate = known[level]
        return found

    return at


@once_per_sample
def _matrix(side: ComparedSample) -> ConfusionMatrix:
    rows = replace(side.rows, predicted={side.model: decisions(side).astype(np.uint8)})
    return ConfusionMatrix.of_rows(rows, side.model)


def common_prevalence(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> float | None:
    """Share of positives at which precisions are compared, the larger of both; None if equal.

    At a smaller one the few negatives of a group represent many, and its interval is too narrow: a group of 15
    positives and 15 negatives at the prevalence of 100 and 900 rejected 16 % of equal groups, and 1 % this way.
    """
    if not (methods_of(spec.entry.name).difference or Combined()).by_prevalence:
        return None
    tables = a.table, b.table
    if not all(float(t.P) and float(t.N) for t in tables):
        return None
    one, two = (float(t.prevalence) for t in tables)
    return None if math.isclose(one, two, rel_tol=1e-12) else max(one, two)


def table_slopes(table: ScoreTable, asked: MeasureSpec) -> Slopes | None:
    """Return the derivatives of a measure of scores from their table; None without a formula or a class."""
    adds = methods_of(asked.entry.name).adds
    if isinstance(adds, RowMean) and asked.entry.name in LOSSES and (known := moments(table)) is not None:
        return _mean_slopes(table, adds, *known.of(asked.entry.name).sum(axis=0).tolist())
    if not isinstance(adds, (AreaLine, Derivatives)) or not (table.P and table.N):
        return None
    if isinstance(adds, AreaLine):
        return _area_slopes(table, adds.scale)
    return adds.of(table)


def _mean_slopes(table: ScoreTable, adds: RowMean, weight: float, first: float, *squares: float) -> Slopes:
    """Return the derivatives of a mean loss: a row's loss minus the mean, over the weight of all rows."""
    mean = first / weight

    def of(truth: NDArray[Any], places: NDArray[np.intp]) -> Floats:
        return np.asarray((adds.of(table.scores[places], truth == 1) - mean) / weight)

    return Slopes(of, spread_about(mean, *squares) / weight**2)


def _area_slopes(table: ScoreTable, scale: float) -> Slopes:
    """Return the derivatives of the AUC: a row's placement minus the AUC, over the weight of its class.

    The squares are DeLong's sums.
    """
    twice, of_positives, of_negatives, p, n = placements(table)
    area = twice / (2 * p * n)

    def of(truth: NDArray[Any], places: NDArray[np.intp]) -> Floats:
        order, (pos, neg) = np.argsort(places), (column[places] for column in table.columns)
        above = np.empty((2, places.size))
        above[:, order] = cumulated(table, places[order])
        beaten = np.where(truth == 1, 1 - (above[1] - neg / 2) / n, (above[0] - pos / 2) / p)
        return np.asarray((beaten - area) * np.where(truth == 1, scale / p, scale / n))

    return Slopes(of, scale**2 * (of_positives / p**2 + of_negatives / n**2))


def row_derivatives(side: ComparedSample, asked: MeasureSpec, truth: NDArray[Any] | None = None) -> Floats | None:
    """Return the derivative of a measure of scores by the weight of each row; None without a formula or a class.

    With `truth` each row has another label, while the counts stay.
    """
    adds, own = methods_of(asked.entry.name).adds, side.rows.truth
    if isinstance(adds, RowMean):
        values = adds.of(side.score, own == 1)
        others = values if truth is None else adds.of(side.score, truth == 1)
        return about_mean(values, others, side.rows.weights)
    if isinstance(adds, AreaLine) and truth is None:
        return _of_area(side, adds.scale)
    slopes = None if adds is None else table_slopes(side.table, asked)
    return None if slopes is None else slopes.of(own if truth is None else truth, side.places)


def about_mean(values: Floats, others: Floats, weights: Floats | None) -> Floats | None:
    """Return the derivatives of a mean of values by the weights of rows with other values; None if it is infinite."""
    total = float(len(values) if weights is None else weights.sum())
    mean = float(values.sum() if weights is None else values @ weights) / total
    return np.asarray((others - mean) / total) if math.isfinite(mean) else None


def _of_area(side: ComparedSample, scale: float) -> Floats | None:
    """Derivatives of the AUC, from placements: one sort of the scores, without a place in the table for each row."""
    placed = placed_rows(side.rows.truth, [side.score], **side.options)
    p, n = placed.totals
    if not (p and n):
        return None
    missed, found, positive = 1 - placed.auc(0), np.empty(len(side.rows)), side.rows.truth == 1
    for own, of_class, total in zip((positive, ~positive), placed.missed, (p, n), strict=True):
        found[own] = scale * missed / total - of_class[0] * (scale / (2 * p * n))
    return found
