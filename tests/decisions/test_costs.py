"""Expected cost row by row, and labels of least cost by trying them all."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROWS, at_prevalence, has_both, table_of
from thresher.counts import ConfusionMatrix
from thresher.decisions import Costs, cheapest_labels, expected_benefit, expected_cost, weighted_labels

COST = st.integers(0, 6)
COSTS = st.builds(
    lambda tp, tn, fp, fn, fixed: Costs(tp=tp, tn=tn, fp=tn + fp, fn=tp + fn + (fp == 0), fixed=fixed), *[COST] * 5
)


def cost_of(rows, threshold, costs):
    """Mean cost per row of the rule "positive iff score >= threshold", by looking at every row."""
    table = {(1, True): costs.tp, (1, False): costs.fn, (0, True): costs.fp, (0, False): costs.tn}
    paid = sum(Fraction(w) * (Fraction(table[y, s >= threshold]) + Fraction(costs.fixed)) for y, s, w in rows)
    return float(paid / sum(Fraction(w) for _, _, w in rows))


def thresholds(rows):
    return [math.inf, *sorted({s for _, s, _ in rows}, reverse=True)]


@given(ROWS, COSTS)
def test_expected_cost_is_the_mean_over_rows(rows, costs):
    found = expected_cost(table_of(rows, "importance"), costs)
    np.testing.assert_allclose(found, [cost_of(rows, t, costs) for t in thresholds(rows)], rtol=1e-12)


@given(ROWS, COSTS, st.sampled_from([0.125, 0.5, 0.9]))
def test_a_prevalence_weighs_the_rows(rows, costs, prevalence):
    assume(has_both(rows))
    weighed = at_prevalence(rows, prevalence)
    found = expected_cost(table_of(rows, "importance"), costs, prevalence=prevalence)
    np.testing.assert_allclose(found, [cost_of(weighed, t, costs) for t in thresholds(rows)], rtol=1e-10)


@given(ROWS, COSTS)
def test_gains_are_costs_with_the_other_sign(rows, costs):
    gains = Costs(fp=-costs.fp, fn=-costs.fn, tp=-costs.tp, tn=-costs.tn, fixed=-costs.fixed, benefit=True)
    table = table_of(rows, "importance")
    np.testing.assert_array_equal(expected_cost(table, gains), expected_cost(table, costs))
    np.testing.assert_array_equal(expected_benefit(table, gains), -expected_cost(table, costs))
    assert gains.ratio == costs.ratio


def test_one_matrix_has_one_cost():
    matrix = ConfusionMatrix.from_cells(tp=90, fp=30, fn=10, tn=70)
    assert float(expected_cost(matrix, Costs(fp=1, fn=5, fixed=0.5))) == pytest.approx((30 + 50) / 200 + 0.5)


def test_skew_is_the_class_ratio_times_the_cost_ratio():
    assert Costs(fp=1, fn=1).skew(0.25) == 3.0
    assert Costs(fp=2, fn=8).skew(0.5) == 0.25
    assert Costs(fp=3, tn=1, fn=9, tp=1).skew(0.2) == pytest.approx(4 * 2 / 8)
    assert Costs(fp=1, fn=0).skew(0.5) == math.inf
    assert Costs.of_ratio(3).ratio == pytest.approx(3)


@given(
    st.lists(st.lists(st.integers(0, 8), min_size=3, max_size=3), min_size=1, max_size=6),
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3),
)
def test_cheapest_label_is_found_by_trying_all(shares, costs):
    found, dearest = cheapest_labels(shares, costs), cheapest_labels(shares, costs, benefit=True)
    for i, row in enumerate(shares):
        each = [sum(row[k] * costs[k][j] for k in range(3)) for j in range(3)]
        assert found.codes[i] == each.index(min(each))
        assert found.costs[i] == min(each)
        assert dearest.codes[i] == each.index(max(each))


def test_labels_of_two_classes_follow_the_threshold_of_the_costs():
    p = np.linspace(0, 1, 101)
    costs = Costs(fp=1, fn=4)
    found = cheapest_labels(np.stack([1 - p, p], axis=1), [[0, costs.fp], [costs.fn, 0]]).codes
    np.testing.assert_array_equal(found == 1, p > 1 / (1 + 4))


def test_weighted_labels_and_what_is_refused():
    assert weighted_labels([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], [1, 0.5, 1]).tolist() == [1, 1]
