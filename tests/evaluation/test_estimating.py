"""One measure of a model by its name, with parameters or at a fixed value of another one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.curves import value_at
from thresher.inference.curves.partial_areas import has_formula, partial_area

TRUTH = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0] * 6)
SCORE = np.random.default_rng(5).random(60).round(2) + 0.3 * TRUTH


def ends(estimate):
    return (estimate.name, estimate.value, estimate.low, estimate.high, estimate.level, estimate.method)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=25), st.floats(0.05, 0.95))
def test_a_rate_at_a_fixed_specificity_is_that_of_the_best_threshold_that_keeps_to_it(rows, specificity):
    truth, score = np.array([int(t) for t, _ in rows]), np.array([float(s) for _, s in rows])
    if not 2 <= truth.sum() <= len(truth) - 2:
        return
    found = th.evaluate(truth, score)["score"].estimate(f"sensitivity@specificity={specificity!r}")
    cuts = [math.inf, *np.unique(score)]
    kept = [c for c in cuts if 1 - np.mean(score[truth == 0] < c) <= 1 - specificity]
    assert found.value == pytest.approx(max(np.mean(score[truth == 1] >= c) for c in kept))
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_specificity_and_its_complement_are_one_fixed_point():
    model = th.evaluate(TRUTH, SCORE, threshold=0.5)["score"]
    a, b = model.estimate("recall@specificity=0.75"), model.estimate("tpr@fpr=0.25")
    assert ends(a)[1:] == ends(b)[1:]
    assert model.estimate("recall@fpr=0.25", level=0.8).low > b.low


def test_what_has_no_formula_has_an_interval_by_resampling():
    model = th.evaluate(TRUTH, SCORE, threshold=0.5)["score"]
    assert model.estimate("precision@recall=0.8").low is None
    drawn = model.estimate("precision@recall=0.8", bootstrap=200)
    assert drawn.low < drawn.value < drawn.high
    assert "bootstrap" in drawn.method


POSTERIORS = np.random.default_rng(6).dirichlet(np.ones(3), 45)
TAGS = (np.random.default_rng(7).random((40, 3)) < 0.4).astype(int)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (th.evaluate(TRUTH, np.minimum(SCORE, 1))["score"], ["auc", "recall", "f1", "f_beta:beta=2", "recall@fpr=0.2",
         "precision@recall=0.5", "average_precision", "calibration_slope", "brier_score"]),
        (th.evaluate(TRUTH, predicted={"m": (SCORE > 0.5).astype(int)})["m"], ["accuracy", "f1"]),
        (th.evaluate(list("abc" * 15), POSTERIORS)["model"],
         ["hand_till", "accuracy", "macro_f1", "log_loss", "top_2_accuracy", "vus", "kappa"]),
        (th.evaluate(list("abc" * 9), predicted={"m": list("abcacb" * 4 + "abc")})["m"], ["macro_f1", "accuracy"]),
        (th.evaluate(TAGS, np.random.default_rng(8).random((40, 3)))["model"], ["macro_f1", "micro_auc", "accuracy"]),
    ],
)  # fmt: skip
def test_a_bootstrap_that_is_given_is_used(model, names):
    for name in names:
        found = model.estimate(name, bootstrap=th.Bootstrap(n=20, rng=3))
        assert found.method.startswith("bootstrap percentile, 20 replicates"), name
        assert "seed 3" in found.method
        assert found.value == pytest.approx(model.estimate(name).value)


@pytest.mark.parametrize("part", ["fpr<=0.4", "tpr>=0.5", "fpr<=0.4,tpr>=0.4", "recall>=0.3"])
def test_a_bootstrap_that_is_given_is_used_for_a_part_of_a_curve(part):
    plain = th.evaluate(TRUTH, SCORE)["score"]
    found = plain.partial_area(part, bootstrap=20)
    assert found.raw.method.startswith("bootstrap percentile, 20 replicates")
    assert found.raw.value == pytest.approx(plain.partial_area(part).raw.value)
    assert partial_area(plain.scores, part, bootstrap=th.Bootstrap(n=20)).raw == found.raw
    of_evaluation = th.evaluate(TRUTH, SCORE, bootstrap=20)["score"].partial_area(part).raw
    assert (of_evaluation == plain.partial_area(part).raw) == has_formula(part)
    clusters = np.arange(TRUTH.size) // 2
    drawn = th.evaluate(TRUTH, SCORE, bootstrap=20, cluster=clusters)["score"].partial_area(part)
    assert "clusters" in drawn.corrected.method
    for level in (0.8, 0.95):
        told = th.evaluate(TRUTH, SCORE, cluster=clusters)["score"].partial_area(part, level=level).normalized
        assert "jackknife" in told.method
        assert told.level == level


@pytest.mark.parametrize("bootstrap", [None, 20])
@pytest.mark.parametrize("measure", ["sensitivity@specificity=0.85", "recall@fpr=0.15", "f1@recall=0.52"])
def test_the_rule_decides_the_value_with_a_bootstrap_too(measure, bootstrap):
    """Replicates are read by the rule of the value, which is that of the rows whatever gives the interval."""
    model = th.evaluate(TRUTH, SCORE.round(1))["score"]
    best, between = (model.estimate(f"{measure}{rule}", bootstrap=bootstrap) for rule in ("", ",interpolated"))
    name, _, point = measure.partition("@")
    at, _, value = point.partition("=")
    for found, rule in ((best, "best"), (between, "interpolated")):
        want = value_at(model.scores, name, at=at, value=float(value), rule=rule).value
        assert found.value == pytest.approx(want, rel=1e-12)
    assert best.value != pytest.approx(between.value)
    assert "interpolated between the cuts" in (between.method or between.reason)
    assert (between.low is None) == (bootstrap is None)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=25), st.floats(0.05, 0.95))
def test_an_interpolated_rate_lies_on_the_line_between_two_points_of_the_roc(rows, specificity):
    truth, score = np.array([int(t) for t, _ in rows]), np.array([float(s) for _, s in rows])
    if not 2 <= truth.sum() <= len(truth) - 2:
        return
    model = th.evaluate(truth, score)["score"]
    points = [(np.mean(score[truth == 0] >= c), np.mean(score[truth == 1] >= c)) for c in (9, *range(6, -1, -1))]
    x, found = 1 - specificity, []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 < x < x1:
            found.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
        found += [y for end, y in ((x0, y0), (x1, y1)) if abs(end - x) < 1e-12]
    for text in (f"sensitivity@specificity={specificity!r},interpolated", f"tpr@fpr={x!r},interpolated"):
        assert model.estimate(text).value == pytest.approx(max(found), abs=1e-9)


@pytest.mark.parametrize("text", ["tpr@fpr=0.1,interpolated", "fpr@tpr=0.7,interpolated", "fnr@fpr=0.1,interpolated"])
def test_a_difference_of_interpolated_rates(text):
    ev = th.evaluate(TRUTH, {"a": SCORE, "b": SCORE.round(1)})
    found = ev.compare("a", "b", measure=text, bootstrap=50)
    assert found.values == (ev["a"].estimate(text).value, ev["b"].estimate(text).value)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert "bootstrap" in found.method
    assert found.low <= found.difference <= found.high
    assert ev.compare("a", "a", measure=text, bootstrap=20).difference == 0


def test_the_policy_for_0_over_0_is_that_of_the_evaluation():
    ones = np.ones(4, int)
    assert math.isnan(th.evaluate(ones, SCORE[:4], threshold=0.5)["score"].estimate("recall@fpr=0.1").value)
    assert th.evaluate(ones, SCORE[:4], threshold=0.5, undefined=0.25)["score"].estimate("specificity").value == 0.25
