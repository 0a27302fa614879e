"""The binormal model against a general optimizer, published fits, pROC, and samples of a known truth."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import thresher as th
from thresher.counts import ScoreTable
from thresher.inference import binormal_roc
from thresher.inference.curves._binormal_fit import fit

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "binormal.json").read_text(encoding="utf-8"))["results"]
TRUTH = {"breast_cancer": ("diagnosis", "malignant"), "digit_eight": ("is_eight", 1)}
RATINGS = ScoreTable(
    scores=np.arange(5.0, 0, -1), positive=np.array([33, 11, 2, 2, 3]), negative=np.array([2, 11, 6, 6, 33])
)
"""Ratings of 109 CT images, Hanley & McNeil (1982)."""


def sample(n, a, b, seed):
    """Scores of a binormal model with as many of each class."""
    rng = np.random.default_rng(seed)
    return np.repeat([0, 1], n), np.concatenate([rng.normal(size=n), a / b + rng.normal(size=n) / b])


def minus_log_likelihood(x, negative, positive):
    """In t₁, ln(t₂ − t₁), …, a, ln b."""
    t = np.cumsum(np.append(x[0], np.exp(x[1:-2])))
    a, b = x[-2], math.exp(x[-1])
    shares = [np.diff(stats.norm.cdf(np.concatenate([[-np.inf], cuts, [np.inf]]))) for cuts in (t, b * t - a)]
    return -(negative @ np.log(shares[0] + 1e-300) + positive @ np.log(shares[1] + 1e-300))


@pytest.mark.parametrize("seed", range(8))
def test_maximum_is_that_of_a_general_optimizer(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 7))
    negative, positive = rng.integers(1, 30, (2, k)).astype(float)
    found = fit(negative, positive)
    start = np.concatenate([[-1.0], np.zeros(k - 2), [0.5, 0.0]])
    best = optimize.minimize(
        minus_log_likelihood, start, args=(negative, positive), method="BFGS", options={"gtol": 1e-7}
    )
    assert found.is_converged
    assert -found.log_likelihood == pytest.approx(best.fun, abs=1e-7)
    assert (found.a, math.log(found.b)) == pytest.approx(tuple(best.x[-2:]), abs=2e-4)
    # The covariance of (a, b) from second differences of the optimizer's own function.
    x, hessian, h = best.x, np.empty((k + 1, k + 1)), 1e-4
    x[-2:] = found.a, math.log(found.b)
    for i in range(k + 1):
        for j in range(k + 1):
            step = [x + h * (p * np.eye(k + 1)[i] + q * np.eye(k + 1)[j]) for p in (1, -1) for q in (1, -1)]
            f = [minus_log_likelihood(s, negative, positive) for s in step]
            hessian[i, j] = (f[0] - f[1] - f[2] + f[3]) / (4 * h * h)
    covariance = np.linalg.inv(hessian)[-2:, -2:] * np.outer([1, found.b], [1, found.b])
    np.testing.assert_allclose(found.covariance, covariance, rtol=0.02, atol=1e-4)


def test_published_fit_of_the_ct_ratings():
    """Area 0.911 with standard error 0.030: Hanley & McNeil (1982), by Dorfman and Alf's program."""
    found = binormal_roc(RATINGS)
    assert (found.a, found.b) == (pytest.approx(1.657, abs=1e-3), pytest.approx(0.713, abs=1e-3))
    assert found.area.value == pytest.approx(0.911, abs=5e-4)
    assert found.area.standard_error == pytest.approx(0.0295, abs=5e-4)
    assert found.categories == 5


@pytest.mark.parametrize(("name", "model"), [(name, model) for name, models in GOLDEN.items() for model in models])
def test_regression_on_deviates_is_that_of_proc(name, model):
    rows, (column, positive) = th.load_example(name), TRUTH[name]
    found = binormal_roc(ScoreTable.from_scores(rows[column] == positive, rows[model]), method="deviates")
    expected = GOLDEN[name][model]
    assert found.a == pytest.approx(-expected["intercept"] / expected["slope"], rel=1e-8)
    assert found.b == pytest.approx(-1 / expected["slope"], rel=1e-8)
    assert found.area.value == pytest.approx(expected["auc"], rel=1e-8)
    assert found.area.low is None


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "n"), [(1.2, 0.8, 60), (0.5, 1.0, 100)])
def test_area_interval_covers_the_truth(a, b, n):
    truth, held, areas, errors = stats.norm.cdf(a / math.hypot(1, b)), 0, [], []
    for seed in range(500):
        area = binormal_roc(ScoreTable.from_scores(*sample(n, a, b, seed))).area
        held += area.low <= truth <= area.high
        areas.append(area.value)
        errors.append(area.standard_error)
    assert 0.92 <= held / 500 <= 0.98
    assert np.mean(areas) == pytest.approx(truth, abs=0.01)
    assert np.mean(errors) == pytest.approx(np.std(areas), rel=0.12)


def test_a_rising_map_changes_nothing_and_joining_runs_neither():
    truth, scores = sample(40, 1.0, 0.8, 3)
    found = binormal_roc(ScoreTable.from_scores(truth, scores))
    mapped = binormal_roc(ScoreTable.from_scores(truth, np.exp(scores)))
    reverse = binormal_roc(ScoreTable.from_scores(truth, -scores, direction="lower"))
    assert (found.a, found.b) == (mapped.a, mapped.b) == (reverse.a, reverse.b)
    table = ScoreTable.from_scores(truth, scores)
    alone = fit(*(column[::-1].astype(float) for column in (table.negative, table.positive)))
    assert found.categories < table.scores.size
    assert (found.a, found.b) == (pytest.approx(alone.a, abs=1e-4), pytest.approx(alone.b, abs=1e-4))
    np.testing.assert_allclose(found.covariance, alone.covariance, rtol=1e-3)


def test_weights():
    truth, scores = sample(15, 1.0, 1.0, 5)
    weights = np.tile([1.0, 2.0, 3.0], 10)
    repeated = binormal_roc(
        ScoreTable.from_scores(np.repeat(truth, weights.astype(int)), np.repeat(scores, weights.astype(int)))
    )
    frequency = binormal_roc(ScoreTable.from_scores(truth, scores, weights=weights, weight_kind="frequency"))
    importance = binormal_roc(ScoreTable.from_scores(truth, scores, weights=weights))
    assert frequency.area == repeated.area
    assert importance.a == pytest.approx(frequency.a)
    assert (importance.area.low, importance.covariance) == (None, None)
    assert importance.area.reason_code == "no-formula"


def test_degenerate_data_are_told():
    separated = binormal_roc(ScoreTable.from_scores([1, 1, 1, 0, 0], [5, 4, 3, 2, 1]))
    assert math.isnan(separated.area.value)
    assert "both rates inside (0, 1)" in separated.reason
    assert "without a maximum" in separated.notes[0]
    assert "undefined" in repr(separated)
    assert math.isnan(separated.curve.area())
    two = binormal_roc(ScoreTable.from_scores([1, 0, 1, 0], [1, 1, 0, 0]))
    assert "fewer than three categories" in two.notes[0]
    level = binormal_roc(ScoreTable.from_scores([0, 1, 0, 1, 1, 1, 0, 1, 0], [2, 5, 1, 5, 0, 3, 3, 5, 1]))
    assert "runs off to infinity" in level.notes[0]
    assert level.reason_code == "no-fit"
    falling = binormal_roc(ScoreTable.from_scores([1, 0, 0, 1, 1, 0, 1, 0, 0, 1], [5, 6, 3, 4, 6, 2, 5, 1, 2, 4]))
    assert falling.reason_code == "no-fit"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_any_small_sample_is_fitted_or_told(seed):
    """No warnings, no numbers without sense: a finite fit with b > 0, or a reason."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        truth = np.append([0, 1], rng.integers(0, 2, rng.integers(2, 10)))
        found = binormal_roc(ScoreTable.from_scores(truth, rng.integers(0, 6, truth.size)))
        assert (found.reason is not None) == math.isnan(found.a) == math.isnan(found.area.value)
        if found.reason is None:
            assert 0 <= found.area.value <= 1
            assert 0.02 <= found.b <= 50


def test_where_the_model_falls_below_chance_is_said():
    found = binormal_roc(ScoreTable.from_scores(*sample(5_000, 0.3, 0.5, 2)))
    assert "falls below the chance line above an FPR of 0.7" in found.notes[-1]


def test_the_curve_is_drawn_as_a_model():
    found = binormal_roc(RATINGS)
    curve = found.curve
    assert curve.area() == found.area.value
    assert curve.at(0.3) == pytest.approx(found.tpr(0.3), abs=1e-4)
    assert curve.notes[0] == "a binormal model, not the data"
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(found.area.value, abs=1e-4)


def test_an_evaluations_binormal_roc():
    model = th.evaluate(*sample(50, 1.0, 1.0, 0), level=0.9)["score"]
    assert model.binormal_roc().area.level == 0.9
    assert model.binormal_roc(method="deviates").method == "deviates"
