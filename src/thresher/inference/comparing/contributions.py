"""What each row adds to a measure of one model, from which the values of two models of the same rows get a correlation.

The contribution of a row is the derivative of the value by the weight of that row. What two models' rows add alike they
have in common: the covariance of their values is the sum of the products, as their variances are the sums of squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import Cells
from thresher.inference.comparing.rows import Side, cells_of_rows
from thresher.inference.limits.delta import class_sizes, numeric
from thresher.inference.scores.extremes import largest_gap, slope_at_equal_error
from thresher.inference.variance import groups_of
from thresher.measures.areas import crossing
from thresher.measures.measure_text import Wanted
from thresher.measures.registry import statistic_of

WORDS = "what each row adds"
"""What a correlation was found from."""


def correlation_of(a: Side, b: Side, wanted: Wanted) -> float:
    """Correlation of the values of a measure of two models of the same rows, brought nearer to 0 by one row.

    It is Σ f·c·d/√(Σ f·c²·Σ f·d²) of the contributions c and d, f being 1, the frequency, or the squared importance;
    times 1 − 1/n with n rows of the smaller class, which few rows need. 0 where a value does not depend on its rows.
    """
    one, two = contributions(a, wanted), contributions(b, wanted)
    if np.array_equal(one, two):
        return 1.0
    weights = a.rows.weights
    f: Any = 1.0 if weights is None else weights if a.rows.weight_kind == "frequency" else weights**2
    common, squares = float((f * one * two).sum()), float((f * one * one).sum()) * float((f * two * two).sum())
    if not (math.isfinite(common) and math.isfinite(squares)) or squares <= 0:
        return 0.0
    return common / math.sqrt(squares) * (1 - 1 / float(a.rows.class_counted.min()))


def contributions(side: Side, wanted: Wanted) -> Floats:
    """What each row adds to the value of a measure of one model, (n,); computed once for all comparisons of a model."""
    key = "contributions", wanted.text
    if key not in side.kept:
        needs_decisions = wanted.entry.needs in ("cells", "matrix")
        of = _of_decisions if needs_decisions else OF_SCORES.get(wanted.entry.name, _of_groups)
        side.kept[key] = of(side, wanted)
    found: Floats = side.kept[key]
    return found


def _of_decisions(side: Side, wanted: Wanted) -> Floats:
    """Derivatives of a measure by the cells of the confusion matrix, each row that of its cell."""
    cells = cells_of_rows(side)
    counts = np.bincount(cells, side.rows.weights, 4).astype(np.float64)

    def formula(tables: Floats) -> Floats:
        (tp, fn), (fp, tn) = np.moveaxis(tables, (-2, -1), (0, 1))
        found = statistic_of(wanted.entry, Cells(tp=tp, fp=fp, fn=fn, tn=tn))
        return wanted.entry.on(found, **wanted.parameters)

    slopes: Floats = numeric(formula)(counts.reshape(1, 2, 2))[1].ravel()
    return slopes[cells]


def _ranks(side: Side) -> NDArray[np.intp]:
    """Place of the score of each row among the distinct ones, the most positive first."""
    scores, sign = side.table.scores, 1.0 if side.direction == "higher" else -1.0
    return scores.size - 1 - np.searchsorted((sign * scores)[::-1], sign * side.score)


def _of_average_precision(side: Side, wanted: Wanted) -> Floats:
    """Derivatives U of positives and V of negatives, times P: see `average_precision_interval`."""
    table = side.table
    positive, negative = table.positive.astype(np.float64), table.negative.astype(np.float64)
    tp, fp = np.cumsum(positive), np.cumsum(negative)
    inverse = np.divide(1.0, tp + fp, out=np.zeros(tp.size), where=tp + fp > 0)
    tail = positive * inverse
    below_u, below_v = (np.cumsum((tail * part * inverse)[::-1])[::-1] for part in (fp, tp))
    place, value = _ranks(side), float(wanted.entry(table))
    return np.where(side.rows.truth == 1, (tp * inverse - value + below_u)[place], -below_v[place])


def _of_largest_distance(side: Side, _wanted: Wanted) -> Floats:
    """Rates on both sides of the cut of the largest distance, which is taken as it is."""
    row, sign = largest_gap(side.table)
    return _of_rates(side, sign * (_ranks(side) <= row), (1.0, -1.0))


def _of_equal_error(side: Side, _wanted: Wanted) -> Floats:
    """Rates at the cut where the errors are equal, weighted by the slope r of the ROC there."""
    table, sizes = side.table, class_sizes(side.table)
    at = crossing(table, tp=1 / float(table.P), fp=1 / float(table.N), target=1)
    slope, place = slope_at_equal_error(table, sizes), _ranks(side)
    called = np.where(place < at.row, 1.0, np.where(place == at.row, at.share, 0.0))
    return _of_rates(side, called, (-1 / (1 + slope), slope / (1 + slope)))


def _of_rates(side: Side, called: NDArray[Any], by: tuple[float, float]) -> Floats:
    """Rows that are called positive, less the rate of their class, over its weight, times what each rate counts."""
    weights: Floats = np.ones(len(side.rows)) if side.rows.weights is None else side.rows.weights
    found = np.zeros(len(side.rows))
    for of_class, factor in zip((side.rows.truth == 1, side.rows.truth != 1), by, strict=True):
        own, weight = called[of_class], weights[of_class]
        found[of_class] = factor * (own - np.average(own, weights=weight)) / weight.sum()
    return found


def _of_groups(side: Side, wanted: Wanted) -> Floats:
    """Change of the value when a group of rows is left out, of any measure of scores; a row by itself where few."""
    group, rows = groups_of(len(side.rows)), side.rows
    left = [Side(rows=rows.take(group != k), model=side.model).table for k in range(int(group.max()) + 1)]
    values = np.array([float(wanted.entry(table, **wanted.parameters)) for table in left])
    apart: Floats = values.mean() - values
    return apart[group]


OF_SCORES: dict[str, Callable[[Side, Wanted], Floats]] = {
    "average_precision": _of_average_precision,
    "ks_statistic": _of_largest_distance,
    "equal_error_rate": _of_equal_error,
}
"""Measures of scores by name, whose rows add what a formula says."""
