"""The hull against the optima of all slopes, and against isotonic regression."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from curve_definitions import ROW, ROWS, auc, has_both, rates, table_of, unweighted
from thresher.counts import ScoreTable
from thresher.decisions import concavities, joint_hull, randomized, roc_hull
from thresher.measures import find


def probes(points):
    """Slopes between, below and above the slopes of all pairs of points: each has one best point."""
    slopes = {(y1 - y0) / (x1 - x0) for x0, y0 in points for x1, y1 in points if x0 != x1 and y1 >= y0}
    ordered = sorted(s for s in slopes if s > 0)
    ends = [Fraction(0), *ordered, (ordered[-1] if ordered else 1) * 2 + 1]
    return [(a + b) / 2 for a, b in pairwise(ends)], ordered


@given(ROWS)
def test_vertices_are_the_optima_of_all_slopes(rows):
    assume(has_both(rows))
    points = sorted(set(rates(rows)))
    hull = roc_hull(table_of(rows, "importance"))
    between, _ = probes(points)
    optima = set()
    for slope in between:
        values = [y - slope * x for x, y in points]
        winners = [point for point, value in zip(points, values, strict=True) if value == max(values)]
        optima.update(winners)
        assert len(winners) == 1
        [best] = hull.best(float(slope))
        assert (hull.fpr[best], hull.tpr[best]) == pytest.approx(tuple(map(float, winners[0])))
    low, high = hull.slope_intervals.T
    found = sorted(zip(hull.fpr[low < high], hull.tpr[low < high], strict=True))
    np.testing.assert_allclose(found, sorted((float(x), float(y)) for x, y in optima), rtol=0, atol=1e-12)


@given(ROWS)
def test_all_vertices_that_tie_at_a_slope_are_returned(rows):
    rows = unweighted(rows)
    assume(has_both(rows))
    points = sorted(set(rates(rows)))
    hull = roc_hull(table_of(rows))
    for slope in probes(points)[1]:
        values = [y - slope * x for x, y in points]
        winners = {point for point, value in zip(points, values, strict=True) if value == max(values)}
        found = {(hull.fpr[i], hull.tpr[i]) for i in hull.best(float(slope))}
        assert {tuple(map(float, p)) for p in (min(winners), max(winners))} <= found
        assert found <= {tuple(map(float, point)) for point in winners}


@given(ROWS)
def test_edges_are_the_blocks_of_isotonic_regression(rows):
    assume(has_both(rows))
    table = table_of(rows, "importance")
    weights = table.positive + table.negative
    fitted = isotonic_regression(table.positive / weights, weights=weights, increasing=False)
    hull = roc_hull(table)
    mine = np.repeat(hull.probabilities, np.diff(hull.rows))
    np.testing.assert_allclose(mine, fitted.x, rtol=0, atol=1e-12)
    skew = float(table.N) / float(table.P)
    slopes = hull.slopes[np.isfinite(hull.slopes)]
    np.testing.assert_allclose(slopes / (slopes + skew), hull.probabilities[np.isfinite(hull.slopes)], atol=1e-12)


@given(ROWS)
def test_concavities_are_what_the_hull_adds_to_the_area(rows):
    assume(has_both(rows))
    table = table_of(rows, "importance")
    hull, found = roc_hull(table), concavities(table)
    assert sum(c.area for c in found) == pytest.approx(hull.area - float(auc(rows)), abs=1e-9)
    points = rates(rows)
    thresholds = [math.inf, *sorted({float(s) for _, s, _ in rows}, reverse=True)]
    for c in found:
        inside = [(float(x), float(y)) for (x, y), t in zip(points, thresholds, strict=True) if c.lower < t < c.upper]
        assert len(inside) == c.thresholds > 0
        (x0, x1), (y0, y1) = c.fpr, c.tpr
        depths = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y for x, y in inside]
        assert max(depths) == pytest.approx(c.depth)
        assert c.lower < c.deepest < c.upper


def test_a_prevalence_moves_probabilities_and_no_vertex():
    table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    before, after = roc_hull(table), roc_hull(table.with_prevalence(0.1))
    assert after.slope_intervals.tolist() == before.slope_intervals.tolist()
    assert after.probabilities[1] == pytest.approx(0.1 / 3 / (0.1 / 3 + 0.9 / 2))
    assert before.probabilities.tolist() == [1.0, 0.5, 0.0]


@given(st.lists(st.tuples(ROW, ROW), min_size=2, max_size=14))
def test_owners_of_the_joint_hull_are_the_best_models(pairs):
    assume(has_both([a for a, _ in pairs]))
    models = {"a": [a for a, _ in pairs], "b": [(a[0], b[1], a[2]) for a, b in pairs]}
    hull = joint_hull({name: table_of(model, "importance") for name, model in models.items()})
    each = {name: rates(model) for name, model in models.items()}
    for slope in probes(sorted({p for points in each.values() for p in points}))[0]:
        bests = {name: max(y - slope * x for x, y in points) for name, points in each.items()}
        owners = {name for name, value in bests.items() if value == max(bests.values())}
        vertices = hull.best(float(slope))
        assert set(vertices[0].models) == owners
        for name in models:
            inside = any(low <= slope <= high for low, high in hull.intervals(name))
            assert inside == (name in owners)


def test_sums_of_weights_in_another_order_are_one_vertex():
    """At slopes next to 0 both models predict everything positive: no cost tells their last vertices apart."""
    for seed in (4, 8, 9, 12):
        rng = np.random.default_rng(seed)
        truth = (rng.random(200) < 0.4).astype(int)
        scores = {name: (truth + rng.normal(size=200)).round(1) for name in "ab"}
        weights = rng.random(200)
        whole = {name: ScoreTable.from_scores(truth, s, weights=np.rint(weights * 2**20)) for name, s in scores.items()}
        found = joint_hull({n: ScoreTable.from_scores(truth, s, weights=weights) for n, s in scores.items()})
        exact = joint_hull(whole)
        assert [v.models for v in found.vertices] == [v.models for v in exact.vertices]
        for name in ("fpr", "tpr", "slope_low", "slope_high"):
            values = [[getattr(v, name) for v in hull.vertices] for hull in (found, exact)]
            np.testing.assert_allclose(*values, rtol=1e-3)
        assert all(v.slope_low == 0 or v.slope_low > 1e-9 for v in found.vertices)


@given(ROWS)
def test_the_randomized_classifier_is_on_the_hull(rows):
    assume(has_both(rows))
    hull = roc_hull(table_of(rows, "importance"))
    for rate in np.linspace(0, 1, 9):
        on_fpr, on_tpr = randomized(hull, fpr=rate), randomized(hull, tpr=rate)
        best = np.min([y - s * x + s * rate for (x, y), s in _supports(hull)])
        assert on_fpr.fpr == pytest.approx(rate)
        assert on_fpr.tpr == pytest.approx(best)
        assert on_tpr.tpr == pytest.approx(rate)
        assert randomized(hull, fpr=on_tpr.fpr).tpr >= rate - 1e-12
        for found in (on_fpr, on_tpr):
            assert 0 <= found.weight <= 1


def _supports(hull):
    """Lines along all edges that are not upright, and the level line at 1: the hull is the lowest of them."""
    edges = zip(hull.fpr, hull.tpr, hull.slopes, strict=False)
    return [((x, y), s) for x, y, s in edges if math.isfinite(s)] + [((1.0, 1.0), 0.0)]


def test_lots_reach_the_rates_and_a_seed_repeats_them():
    rng = np.random.default_rng(7)
    y = rng.random(40_000) < 0.4
    s = np.round(rng.normal(size=y.size) + y)
    hull = roc_hull(ScoreTable.from_scores(y, s))
    found = randomized(hull, fpr=0.2)
    called = found.predict(s, rng=3)
    assert called[~y].mean() == pytest.approx(0.2, abs=0.01)
    assert called[y].mean() == pytest.approx(found.tpr, abs=0.01)
    assert (called == found.predict(s, rng=3)).all()
    assert (called != found.predict(s, rng=4)).any()
    assert called[s >= found.conservative].all()
    assert not called[s < found.liberal].any()


@given(ROWS)
def test_the_hulls_equal_error_point(rows):
    """On the anti-diagonal, and as high as any line between two points of the ROC reaches there."""
    assume(has_both(rows))
    table = table_of(rows, "importance")
    x, y = roc_hull(table).equal_error_point
    assert x + y == pytest.approx(1)
    reached = []
    for (x0, y0), (x1, y1) in pairwise_of(rates(rows)):
        a, b = x0 + y0 - 1, x1 + y1 - 1
        if a <= 0 <= b and b > a:
            reached.append(y0 + (y1 - y0) * -a / (b - a))
    assert y == pytest.approx(float(max(reached)))
    assert x <= find("equal_error_rate")(table) + 1e-12


def pairwise_of(points):
    """Every two points, in order."""
    return [(a, b) for i, a in enumerate(points) for b in points[i + 1 :]]


def test_hulls_are_values():
    hull = roc_hull(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    assert pickle.loads(pickle.dumps(hull)) == hull
    assert hull.best(math.inf).tolist() == [0, 1]
