"""Contributions of rows, or of groups of rows, to a measure, for the correlation of two models.

The contribution of a row is the derivative of the value by the weight of that row. What two models' rows add alike they
have in common: the covariance of their values is the sum of the products, as their variances are the sums of squares.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.conventions import Floats
from thresher.counts import Cells
from thresher.inference.comparing.rows import Side, cells_of_rows
from thresher.inference.comparing.without_groups import without_groups
from thresher.inference.estimates.forms import Derivatives
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import numeric
from thresher.inference.strata import Stratum
from thresher.measures.measure_text import Wanted
from thresher.measures.registry import statistic_of


def words_of(wanted: Wanted) -> str:
    """How a correlation is found."""
    return "without groups of rows" if _is_by_groups(wanted) else "by influence functions"


def correlation_of(a: Side, b: Side, wanted: Wanted) -> float:
    """Correlation of the values of a measure of two models of the same rows, brought nearer to 0 by one row.

    It is Σ f·c·d/√(Σ f·c²·Σ f·d²) of the contributions c and d, f being 1, the frequency, or the squared importance;
    times 1 − 1/n with n rows of the smaller class, which few rows need. A measure of scores without a formula for them
    has the changes of its value without groups of rows in their place. 0 where a value does not depend on its rows.
    """
    if _is_by_groups(wanted):
        one, two = (left.mean - left.values for left in (without_groups(side, wanted) for side in (a, b)))
        squares = None
    else:
        one, two = contributions(a, wanted), contributions(b, wanted)
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


def _is_by_groups(wanted: Wanted) -> bool:
    """Whether a measure of scores has no formula for what a row adds to it."""
    return wanted.entry.needs == "table" and not isinstance(methods_of(wanted.entry.name).adds, Derivatives)


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
    """What rows add by the formula of the measure."""
    adds = methods_of(wanted.entry.name).adds
    assert isinstance(adds, Derivatives)
    weights: Floats = np.ones(len(side.rows)) if side.rows.weights is None else side.rows.weights
    return adds.of(side.table, side.places, side.rows.truth == 1, weights)
