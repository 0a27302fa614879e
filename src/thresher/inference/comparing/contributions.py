"""Contributions of rows, or of groups of rows, to a measure: correlations of models, and differences on many rows.

The contribution of a row is the derivative of the value by the weight of that row. What two models' rows add alike they
have in common: the covariance of their values is the sum of the products, as their variances are the sums of squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts import Cells, ScoreTable
from thresher.design_warnings import few_for_bootstrap, moved_by_resampling
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN
from thresher.inference.comparing.rows import ComparedSample, cells_of_rows
from thresher.inference.differences.difference import Difference
from thresher.inference.estimates.forms import Derivatives
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import numeric
from thresher.inference.strata import Stratum
from thresher.inference.variance import Jackknife, groups_of, jackknife_difference
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import statistic_of
from thresher.predictions import Predictions


def words_of(spec: MeasureSpec) -> str:
    """How a correlation is found."""
    return "without groups of rows" if _is_by_groups(spec) else "by influence functions"


def correlation_of(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> float:
    """Correlation of the values of a measure of two models of the same rows, brought nearer to 0 by one row.

    It is Σ f·c·d/√(Σ f·c²·Σ f·d²) of the contributions c and d, f being 1, the frequency, or the squared importance;
    times 1 − 1/n with n rows of the smaller class, which few rows need. A measure of scores without a formula for them
    has the changes of its value without groups of rows in their place. 0 where a value does not depend on its rows.
    """
    if _is_by_groups(spec):
        one, two = (left.mean - left.values for left in (without_groups(side, spec) for side in (a, b)))
        squares = None
    else:
        one, two = contributions(a, spec), contributions(b, spec)
        squares = Stratum.of(len(a.rows), a.rows.weights, a.rows.weight_kind).squares
    if np.array_equal(one, two):
        return 1.0
    first = one if squares is None else squares * one
    second = two if squares is None else squares * two
    common, spread = _product(first, two), _product(first, one) * _product(second, two)
    if not (math.isfinite(common) and math.isfinite(spread)) or spread <= 0:
        return 0.0
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    # Sums of the same rows in another order are the same correlation.
    return round(common / math.sqrt(spread), 12) * (1 - 1 / smaller)


def _product(one: Floats, two: Floats) -> float:
    """Sum of products, for which BLAS would start threads."""
    return float(np.einsum("i,i->", one, two))


def _is_by_groups(spec: MeasureSpec) -> bool:
    """Whether a measure of scores has no formula for what a row adds to it."""
    return spec.entry.needs == "table" and not isinstance(methods_of(spec.entry.name).adds, Derivatives)


def contributions(side: ComparedSample, spec: MeasureSpec) -> Floats:
    """What each row adds to the value of a measure of one model, (n,); computed once for all comparisons of a model."""
    key = "contributions", spec.text
    if key not in side.kept:
        of = _of_decisions if spec.entry.needs in ("cells", "matrix") else _of_scores
        side.kept[key] = of(side, spec)
    found: Floats = side.kept[key]
    return found


def _of_decisions(side: ComparedSample, spec: MeasureSpec) -> Floats:
    """Derivatives of a measure by the cells of the confusion matrix, each row that of its cell."""
    cells = cells_of_rows(side)
    counts = np.bincount(cells, side.rows.weights, 4).astype(np.float64)

    def formula(tables: Floats) -> Floats:
        (tp, fn), (fp, tn) = np.moveaxis(tables, (-2, -1), (0, 1))
        found = statistic_of(spec.entry, Cells(tp=tp, fp=fp, fn=fn, tn=tn))
        return spec.entry.on(found, **spec.parameters)

    slopes: Floats = numeric(formula)(counts.reshape(1, 2, 2))[1].ravel()
    return slopes[cells]


def _of_scores(side: ComparedSample, spec: MeasureSpec) -> Floats:
    """What rows add by the formula of the measure."""
    adds = methods_of(spec.entry.name).adds
    assert isinstance(adds, Derivatives)
    weights: Floats = np.ones(len(side.rows)) if side.rows.weights is None else side.rows.weights
    return adds.of(side.table, side.places, side.rows.truth == 1, weights)


MANY = 200_000
"""Rows from which a difference without a formula is that without groups of rows, as each replicate takes a table."""

GROUPS = 400
"""Groups of rows: the standard error of a standard error is 4 % then."""

DEALT = 1 << 25
"""Rows up to which those that stand for several are dealt one by one; of more, each group draws from all of them."""

OF_SMALLER = "rows of the smaller class"

BITS = 12
"""Significant bits of the scores."""

LEAST = 1e-12
"""Share of the weight of a score below which what is left of it is the rounding of a zero."""


def is_by_groups(a: ComparedSample, spec: MeasureSpec, config: Bootstrap) -> bool:
    """Whether rows are too many to be drawn one by one, and a measure of scores is wanted."""
    rows, entry = a.rows, spec.entry
    is_plain = rows.cluster is None and config.clusters is None and config.stratified
    is_table = entry.needs == "table" and not entry.fitted and spec.at is spec.part is None
    return is_plain and is_table and rows.counted > MANY


def difference_by_groups(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> Difference:
    """Return the difference of two scores of the same rows by the jackknife over groups of these rows."""
    one, two = (without_groups(side, spec) for side in (a, b))
    found = jackknife_difference(one, two, spec.entry.bounds, unit="rows")
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    moved = methods_of(spec.entry.name).resampling.min_rows_for_bootstrap
    few = few_for_bootstrap(smaller, what=OF_SMALLER) or moved_by_resampling(smaller, what=OF_SMALLER, least=moved)
    return replace(found, warnings=(*found.warnings, *few))


def without_groups(side: ComparedSample, spec: MeasureSpec) -> Jackknife:
    """Values of a measure of scores without each of up to 400 groups of rows, the same rows for every model.

    Scores are rounded for them, which changes how the values differ by far less than the groups that were dealt. Rows
    that stand for several equal ones are dealt one by one.
    """
    key = "without groups", spec.text
    if key not in side.kept:
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
        side.kept[key] = Jackknife(observed=value(side.table), values=np.array(values), units=units)
    found: Jackknife = side.kept[key]
    return found


def _groups(rows: Predictions) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Places of the rows of each group, and the weight of each of them that is in it."""
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
