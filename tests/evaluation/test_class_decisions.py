"""Decisions of several classes by costs, class weights or a measure, against loops over rows."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.multiclass import optimize_class_weights

RNG = np.random.default_rng(7)
LABELS = ["a", "b", "c"]
CODES = RNG.choice(3, 120, p=[0.6, 0.3, 0.1])
P = RNG.dirichlet([1, 1, 1], 120) + np.eye(3)[CODES] * 0.4
P = (P / P.sum(1, keepdims=True)).round(4)
P[:, 2] = 1 - P[:, 0] - P[:, 1]
P = np.abs(P)
Y = np.array(LABELS)[CODES]
W = RNG.choice([1.0, 2.0, 3.0], 120)
COSTS = [[0, 1, 4], [2, 0, 3], [9, 5, 0.5]]


def model(**options):
    return th.evaluate(Y, {"m": P}, **options)["m"]


@pytest.mark.parametrize("all_gained", [1, 3, 9])
def test_a_gain_on_every_cell_moves_the_cost_and_its_limits_alone(all_gained):
    costs = np.array(COSTS, dtype=float)
    whole, moved = (model().decide(costs=(costs - gain).tolist()).cost for gain in (0, all_gained))
    for of in ("value", "low", "high"):
        assert getattr(moved, of) == pytest.approx(getattr(whole, of) - all_gained)


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("benefit", [False, True])
def test_costs_decide_row_by_row(weights, benefit):
    found = model(weights=weights).decide(costs=COSTS, benefit=benefit)
    w = np.ones(120) if weights is None else weights
    spent, before = [], []
    for i in range(120):
        expected = [sum(P[i, t] * COSTS[t][d] for t in range(3)) for d in range(3)]
        best = expected.index((max if benefit else min)(expected))
        assert found.codes[i] == best
        spent.append(COSTS[CODES[i]][best])
        before.append(COSTS[CODES[i]][P[i].tolist().index(max(P[i]))])
    assert found.cost.value == pytest.approx(np.average(spent, weights=w))
    assert found.cost_before.value == pytest.approx(np.average(before, weights=w))
    assert found.cost.low <= found.cost.value <= found.cost.high
    assert found.changed == pytest.approx(w[found.codes != P.argmax(1)].sum())
    assert found.matrix.counts.sum() == pytest.approx(w.sum())
    assert found.accuracy.value == pytest.approx(np.average(found.codes == CODES, weights=w))


@given(st.lists(st.floats(0.05, 5), min_size=3, max_size=3))
def test_weights_take_the_largest_ratio(weights):
    found = model().decide(weights=weights)
    for i in range(120):
        ratios = [P[i, k] / weights[k] for k in range(3)]
        assert found.codes[i] == ratios.index(max(ratios))
    assert found.macro_f1.value == pytest.approx(th.evaluate(Y, predicted=np.array(LABELS)[found.codes]).macro_f1.value)


def test_labels_name_costs_and_weights():
    by_name = model().decide(costs={"a": {"b": 1, "c": 4}, "b": {"a": 2, "c": 3}, "c": {"a": 9, "b": 5, "c": 0.5}})
    assert by_name.codes.tolist() == model().decide(costs=COSTS).codes.tolist()
    assert model().decide(weights={"c": 3, "a": 1, "b": 2}).weights.tolist() == [1, 2, 3]


def test_a_measure_chooses_weights_and_says_its_optimism():
    found = model().decide(maximize="macro_f1", folds=4, rng=3)
    want = optimize_class_weights(CODES, P, measure="macro_f1", folds=4, rng=3)
    assert found.weights.tolist() == want.weights.tolist()
    assert found.macro_f1.value == pytest.approx(want.apparent)
    assert found.chosen.cross_fitted == want.cross_fitted < want.apparent
    assert "chosen on the same rows" in str(found)
    assert f"{want.cross_fitted:.4g}" in repr(found)
    assert model().decide(minimize="error_rate").accuracy.value >= model().accuracy.value
    form = json.loads(json.dumps(found.to_dict()))
    assert form["cross_fitted"] == want.cross_fitted
    assert form["measures"]["macro_f1"]["value"] == pytest.approx(want.apparent)
