"""Weights of very different size: every number lies in its range and inside its limits, or has a reason."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import thresher as th
from shares import examples
from thresher.calibration import cox_calibration
from thresher.calibration.calibration_tests import UNEVEN
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.evaluation.estimate import measures_of
from thresher.inference.estimates.of_matrices import estimate
from thresher.inference.limits import limits
from thresher.measures import find
from thresher.results import Estimate


def check(found: Estimate) -> None:
    """A value and limits in the range of the measure, in order; what is missing has a reason."""
    low, high = (0.0, 2.0) if found.name == "brier_score" else (-math.inf, math.inf)
    if found.name != "brier_score":
        with contextlib.suppress(KeyError):  # some of calibration are in no registry
            low, high = find(found.name).bounds
    if math.isnan(found.value):
        assert found.reason, found
        return
    low, high = low - 1e-9, high + 1e-9  # sums of weights round
    assert low <= found.value <= high, found
    assert found.low is not None or found.reason, found
    if found.low is not None:
        assert low <= found.low <= found.value <= found.high <= high, (found.low, found.value, found.high, found)


@pytest.mark.parametrize("weight", [1e6, 1e8, 1e10, 1e12, 1e20, 1e49])
def test_one_row_of_nearly_all_the_weight(weight):
    ev = th.evaluate([0, 1, 0, 1], [0.59, 0.72, 0.11, 0.37], weights=[weight, 1, 1, 1])
    for found in measures_of(ev["score"]).values():
        check(found)
    for found in ev.calibration.estimates.values():
        check(found)
    assert "undefined" not in str(ev).splitlines()[0]
    for how in ({"cost_fp": 1, "cost_fn": 3}, {"maximize": "mcc"}, {"top_share": 0.3}):
        for found in ev["score"].choose(**how).measures.values():
            check(found)


@given(st.data())
@settings(max_examples=examples(20), phases=[Phase.explicit, Phase.reuse, Phase.generate])  # shrinking is slow
def test_random_weights_of_any_size(data):
    rows = data.draw(st.integers(2, 10))
    labels = st.lists(st.integers(0, 1), min_size=rows, max_size=rows)
    scores = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), min_size=rows, max_size=rows)
    exponents = st.lists(st.sampled_from([-49, -20, -12, -6, 0, 3, 6, 10, 12, 20, 49]), min_size=rows, max_size=rows)
    weights = 10.0 ** np.array(data.draw(exponents), dtype=float)
    ev = th.evaluate(data.draw(labels), {"a": data.draw(scores), "b": data.draw(scores)}, weights=weights)
    for found in (*measures_of(ev["a"]).values(), *ev["a"].calibration.estimates.values()):
        check(found)
    for measure in ("auc", "accuracy", "brier_score"):
        compared = ev.compare("a", "b", measure=measure)
        assert math.isnan(compared.p_value) <= bool(compared.reason)
        assert not compared.p_value < 0
        assert not compared.p_value > 1


def test_a_step_that_leaves_the_floats_is_halved():
    weights = 10.0 ** np.array([49, 49, -20, 0, 20])
    ev = th.evaluate([0, 0, 0, 1, 0], [0.1, 0.5, 0.0, 0.7, 0.3], weights=weights)
    for found in ev.calibration.estimates.values():
        check(found)


@given(st.lists(st.sampled_from([0.0, 1e-40, 1e-12, 1.0, 3.0, 1e12, 1e40]), min_size=9, max_size=9).filter(any))
@settings(max_examples=examples(40))
def test_matrices_of_any_cells(cells):
    for k in (2, 3):
        counts = np.array(cells[: k * k]).reshape(k, k)
        if counts.any():
            matrix = ConfusionMatrix(counts=counts, labels=tuple(range(k)), squares=counts**2, weight_kind="importance")
            for name in ("mcc", "kappa", "accuracy", "balanced_accuracy", "f1", "npv")[: 4 if k == 3 else 6]:
                check(estimate(matrix, name))


def test_matthews_correlation_where_the_margins_differ_by_forty_digits():
    # This interval was [-2.12, 0.50]: the larger of two sums that are one in floating point was the wrong one.
    matrix = ConfusionMatrix(
        counts=np.array([[1e-20, 1e20], [0.0, 2.0]]),
        labels=(1, 0),
        squares=np.array([[1e-40, 1e40], [0.0, 2.0]]),
        weight_kind="importance",
    )
    found = estimate(matrix, "mcc")
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_a_logistic_fit_without_a_standard_error_says_why():
    table = ScoreTable.from_scores([0, 1, 0, 1, 1], [0.2, 0.3, 0.6, 0.7, 0.1], weights=[1e45, 1e-45, 1e-45, 1, 1])
    found = cox_calibration(table)
    if math.isnan(found.slope):
        assert found.slope_reason == UNEVEN
    known = cox_calibration(ScoreTable.from_scores([0, 1, 0, 1, 1], [0.2, 0.3, 0.6, 0.7, 0.1], weights=[2.0] * 5))
    plain = cox_calibration(ScoreTable.from_scores([0, 1, 0, 1, 1], [0.2, 0.3, 0.6, 0.7, 0.1]))
    assert known.slope == pytest.approx(plain.slope)


def test_a_limit_beyond_floating_point_is_infinite():
    assert limits(1.0, 1e6, (0.0, math.inf), 1.96) == (0.0, math.inf)
    assert limits(2.0, 0.5, (0.0, math.inf), 2.0) == pytest.approx((2 * math.exp(-0.5), 2 * math.exp(0.5)))


def test_an_operating_point_of_large_frequencies():
    weights = [1e12, 1, 1, 1e12, 1, 1]
    ev = th.evaluate([0, 0, 1, 1, 1, 0], [0.9, 0.2, 0.3, 0.1, 0.5, 0.8], weights=weights, weight_kind="frequency")
    for name in ("sensitivity@specificity=0.9", "specificity@sensitivity=0.9", "sensitivity@specificity=0.1"):
        found = ev.estimate(name)
        assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("cluster", [None, np.arange(40) // 3])
@pytest.mark.parametrize("scale", [7.3, 1e-6, 1e5])
def test_a_common_factor_of_importance_weights_changes_no_number(scale, cluster):
    """Numbers of rows, bandwidths and the prevalence of a joint hull were those of the sum of weights."""
    draws = np.random.default_rng(3)
    y, w = np.arange(40) % 2, draws.random(40) * 3
    scores = {name: np.round(y * 0.3 + draws.random(40), 2) / 2 for name in "ab"}
    one, two = (th.evaluate(y, scores, weights=w * c, cluster=cluster) for c in (1.0, scale))
    for name, found in one["a"].measures.items():
        assert two["a"].measures[name].n == pytest.approx(found.n), name
        assert found.n < 40, name
    for bandwidth in ("nrd0", "nrd"):
        areas = [ev["a"].kernel_roc(bandwidth=bandwidth).area.value for ev in (one, two)]
        assert areas[0] == pytest.approx(areas[1])
    assert [ev.joint_hull.notes for ev in (one, two)] == [(), ()]
    assert one.warnings == two.warnings
    matrices = [ev["a"].confusion_matrix.with_prevalence(0.1) for ev in (one, two)]
    moved = [matrix.estimate("average_cost(fp=1, fn=5)").warnings for matrix in matrices]
    assert moved[0] == moved[1] != ()
    assert (
        any("effective rows of a class or of a decision" in each.text for each in one.warnings) or cluster is not None
    )
    assert one.joint_hull.prevalence == pytest.approx(w @ y / w.sum()) == two.joint_hull.prevalence


@pytest.mark.parametrize("seed", range(5))
def test_perfect_scores_have_an_area_of_exactly_1(seed):
    """It was 0.9999999999999998 with some weights."""
    rng = np.random.default_rng(seed)
    truth, weights = np.repeat([1, 0], 200), rng.exponential(size=400)
    scores = truth + rng.random(400) / 2
    assert th.evaluate(truth, scores, weights=weights)["score"].auc.value == 1
    assert th.metrics.roc_auc_score(truth, scores, sample_weight=weights) == 1
