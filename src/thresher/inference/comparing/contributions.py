"""What each row adds to a measure of one model, from which the values of two models of the same rows get a correlation.

The contribution of a row is the derivative of the value by the weight of that row. What two models' rows add alike they
have in common: the covariance of their values is the sum of the products, as their variances are the sums of squares.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.conventions import Floats
from thresher.counts import Cells
from thresher.inference.comparing.rows import Side, cells_of_rows
from thresher.inference.estimates.forms import Derivatives
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import numeric
from thresher.inference.variance import groups_of
from thresher.measures.measure_text import Wanted
from thresher.measures.registry import statistic_of

WORDS = "by influence functions"
"""How a correlation was found."""


def correlation_of(a: Side, b: Side, wanted: Wanted) -> float:
    """Correlation of the values of a measure of two models of the same rows, brought nearer to 0 by one row.

    It is Σ f·c·d/√(Σ f·c²·Σ f·d²) of the contributions c and d, f being 1, the frequency, or the squared importance;
    times 1 − 1/n with n rows of the smaller class, which few rows need. 0 where a value does not depend on its rows.
    """
    one, two = contributions(a, wanted), contributions(b, wanted)
    if np.array_equal(one, two):
        return 1.0
    f = _factors(a)
    common, squares = float((f * one * two).sum()), float((f * one * one).sum()) * float((f * two * two).sum())
    if not (math.isfinite(common) and math.isfinite(squares)) or squares <= 0:
        return 0.0
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    # Sums of the same rows in another order are the same correlation.
    return round(common / math.sqrt(squares), 12) * (1 - 1 / smaller)


def _factors(side: Side) -> Floats:
    """How often each row counts in a sum of squares."""
    rows = side.rows
    if rows.weights is None:
        return np.ones(len(rows))
    return rows.weights if rows.weight_kind == "frequency" else rows.weights**2


def contributions(side: Side, wanted: Wanted) -> Floats:
    """What each row adds to the value of a measure of one model, (n,); computed once for all comparisons of a model."""
    key = "contributions", wanted.text
    if key not in side.kept:
        of = _of_decisions if wanted.entry.needs in ("cells", "matrix") else _of_scores
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


def _of_scores(side: Side, wanted: Wanted) -> Floats:
    """What rows add by the formula of the measure, else by the groups of rows that are left out."""
    adds = methods_of(wanted.entry.name).adds
    if not isinstance(adds, Derivatives):
        return _of_groups(side, wanted)
    scores, sign = side.table.scores, 1.0 if side.direction == "higher" else -1.0
    place = scores.size - 1 - np.searchsorted((sign * scores)[::-1], sign * side.score)
    weights: Floats = np.ones(len(side.rows)) if side.rows.weights is None else side.rows.weights
    return adds.of(side.table, place, side.rows.truth == 1, weights)


def _of_groups(side: Side, wanted: Wanted) -> Floats:
    """Change of any measure of scores when a group of rows is left out, divided by the root of the group's rows.

    So the squares over the rows of a group add up to the square of its change.
    """
    group, rows = groups_of(len(side.rows)), side.rows
    left = [Side(rows=rows.take(group != k), model=side.model).table for k in range(int(group.max()) + 1)]
    values = np.array([float(wanted.entry(table, **wanted.parameters)) for table in left])
    found: Floats = (values.mean() - values) / np.sqrt(np.bincount(group, _factors(side)))
    return found[group]
