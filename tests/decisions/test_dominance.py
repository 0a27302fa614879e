"""Who leads where, against values of both curves read on a dense grid, in ROC and in precision–recall space."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROW, ROWS, counts, has_both, precision_at, table_of, total
from thresher.counts import ScoreTable
from thresher.decisions import dominance

SMALL = Fraction(1, 10**6)


def turned_at(rows, u):
    """TPR − FPR where TPR + FPR = u, on straight lines between the points, as a fraction."""
    p, n = total(rows, 1), total(rows, 0)
    points = [(tp / p + fp / n, tp / p - fp / n) for tp, fp in counts(rows)]
    for (u0, v0), (u1, v1) in pairwise(points):
        if u0 <= u <= u1 and u1 > u0:
            return v0 + (v1 - v0) * (u - u0) / (u1 - u0)
    raise AssertionError(u)


MODELS = st.lists(st.tuples(ROW, ROW), min_size=2, max_size=14).map(
    lambda pairs: ([a for a, _ in pairs], [(a[0], b[1], a[2]) for a, b in pairs])
)
"""Two scores of the same rows."""


def leader_at(found, u):
    """Who the result says leads where FPR + TPR = u; None inside a tie, and a set at an end of a stretch."""
    ends = [(lead.leader, lead.fpr[0] + lead.tpr[0], lead.fpr[1] + lead.tpr[1]) for lead in found.leads]
    return {leader for leader, low, high in ends if low - 1e-9 <= u <= high + 1e-9}


@pytest.mark.parametrize("kind", [None, "importance"])
@given(MODELS)
def test_leads_are_the_signs_of_the_difference(kind, models):
    first, second = models
    assume(has_both(first))
    if kind is None:
        first, second = ([(y, s, 1.0) for y, s, _ in model] for model in (first, second))
    found = dominance(table_of(first, kind), table_of(second, kind), names=("a", "b"))
    signs = set()
    for u in (Fraction(i, 31) for i in range(1, 2 * 31)):
        gap = turned_at(first, u) - turned_at(second, u)
        if gap:
            assert ("a" if gap > 0 else "b") in leader_at(found, float(u))
            signs.add("a" if gap > 0 else "b")
        elif all(turned_at(first, v) == turned_at(second, v) for v in (u - SMALL, u + SMALL)):
            # Not a mere crossing or touch: the curves run together here.
            assert None in leader_at(found, float(u))
    leaders = {lead.leader for lead in found.leads} - {None}
    assert signs <= leaders
    assert found.dominant == (leaders.pop() if len(leaders) == 1 else None)
    for x, y in found.crossings:
        v = [turned_at(model, Fraction(x + y)) for model in (first, second)]
        assert float(v[0] - v[1]) == pytest.approx(0, abs=1e-9)
        assert float(v[0]) == pytest.approx(y - x, abs=1e-9)


@given(MODELS)
def test_leads_cover_the_curve_and_swap_with_the_models(models):
    first, second = models
    assume(has_both(first))
    a, b = table_of(first, "importance"), table_of(second, "importance")
    found, swapped = dominance(a, b, names=("a", "b")), dominance(b, a, names=("b", "a"))
    assert (found.leads[0].fpr[0], found.leads[0].tpr[0]) == (0, 0)
    assert (found.leads[-1].fpr[1], found.leads[-1].tpr[1]) == (pytest.approx(1), pytest.approx(1))
    for before, after in pairwise(found.leads):
        assert (before.fpr[1], before.tpr[1]) == (after.fpr[0], after.tpr[0])
        assert before.leader != after.leader
    assert [lead.leader for lead in swapped.leads] == [lead.leader for lead in found.leads]
    np.testing.assert_allclose(swapped.crossings, found.crossings, atol=1e-9)


@given(MODELS)
def test_precision_recall_curves_agree(models):
    """Where both curves have a point with true positives, the dominant model's precision is at least the other's."""
    assume(has_both(models[0]))
    first, second = ([(y, s, 1.0) for y, s, _ in model] for model in models)
    found = dominance(table_of(first), table_of(second), names=("a", "b"))
    start = max(next(tp for tp, _ in counts(model) if tp) / total(model, 1) for model in (first, second))
    recalls = [r for r in (Fraction(i, 24) for i in range(1, 25)) if r >= start]
    gaps = [precision_at(first, r) - precision_at(second, r) for r in recalls]
    assert found.dominant_in_precision_recall == found.dominant
    if found.dominant == "a":
        assert min(gaps) >= 0
    if found.dominant == "b":
        assert max(gaps) <= 0
    if min(gaps) < 0 < max(gaps):
        assert found.dominant is None
        assert found.crossings


@given(ROWS)
def test_a_model_does_not_dominate_itself(rows):
    assume(has_both(rows))
    table = table_of(rows, "importance")
    found = dominance(table, table)
    assert (found.is_one_curve, found.dominant, found.crossings) == (True, None, ())


def test_weights_too_small_to_move_a_rate_change_nothing():
    y, s = [1, 1, 0, 1, 0], [5, 4, 3, 2, 1]
    tiny = ScoreTable.from_scores(y, s, weights=[1, 1e-30, 1, 1, 1])
    without = ScoreTable.from_scores([1, 0, 1, 0], [5, 3, 2, 1], weights=[1, 1, 1, 1])
    assert dominance(tiny, without).is_one_curve


def test_what_floats_cannot_tell_apart_is_told_by_counts():
    """Two steps that differ by one row in 30 million, one in 10**15 of the area."""
    big = 30_000_000
    one = ScoreTable(scores=np.array([2.0, 1.0]), positive=np.array([big, big + 1]), negative=np.array([big, big]))
    two = ScoreTable(scores=np.array([2.0, 1.0]), positive=np.array([big + 1, big]), negative=np.array([big, big]))
    assert dominance(one, two).dominant == "second"
    assert not math.isnan(dominance(one, two).leads[0].fpr[0])
