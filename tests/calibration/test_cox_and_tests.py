"""Cox's recalibration, tests of calibration, the Murphy diagram."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import optimize, stats

import calibration_definitions as by_definition
from calibration_definitions import ROWS
from thresher.calibration import (
    calibration_tests,
    cox_calibration,
    hosmer_lemeshow_test,
    murphy_curve,
    spiegelhalter_test,
)
from thresher.calibration.calibration_tests import CERTAIN, line_of_logits
from thresher.calibration.logistic import logistic_fit
from thresher.counts import ScoreTable
from thresher.counts.rounding import rounded
from thresher.inference import calibration_summary
from thresher.measures import find


def rows_of(n=400, seed=0):
    rng = np.random.default_rng(seed)
    s = rng.beta(1, 2, n).round(3).clip(0.001, 0.999)
    y = (rng.random(n) < 1 / (1 + np.exp(-(0.4 + 0.7 * np.log(s / (1 - s)))))).astype(int)
    return y, s, rng.choice([0.5, 1.0, 2.5], n)


def likelihood(b, y, s, w):
    eta = b[0] + b[1] * np.log(s / (1 - s))
    return -(w * (y * -np.logaddexp(0, -eta) + (1 - y) * -np.logaddexp(0, eta))).sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_are_where_the_likelihood_is_greatest(weighted):
    y, s, w = rows_of()
    w = w if weighted else np.ones_like(w)
    table = ScoreTable.from_scores(y, s, weights=w if weighted else None)
    found = cox_calibration(table)
    best = optimize.minimize(likelihood, [0, 1], args=(y, s, w), method="BFGS", options={"gtol": 1e-10})
    np.testing.assert_allclose([found.intercept, found.slope], best.x, rtol=1e-6)
    one = optimize.minimize_scalar(lambda a: likelihood([a, 1], y, s, w), tol=1e-12)
    assert found.in_the_large == pytest.approx(one.x, abs=1e-6)
    if not weighted:
        assert found.statistic == pytest.approx(2 * (likelihood([0, 1], y, s, w) - best.fun), rel=1e-8)
        assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 2), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prior", [None, 0.1])
def test_the_calibration_intercept_alone_takes_one_fit(weighted, prior, monkeypatch):
    y, s, w = rows_of()
    table = ScoreTable.from_scores(y, s, weights=w if weighted else None)
    table = table if prior is None else table.with_prevalence(prior)
    expected, fits = cox_calibration(table).in_the_large, []
    monkeypatch.setattr(calibration_tests, "logistic_fit", lambda *a, **k: fits.append(1) or logistic_fit(*a, **k))
    assert find("calibration_intercept")(table) == expected
    assert len(fits) == 1


def test_frequency_weights_are_repeated_rows_and_importance_weights_have_no_scale():
    y, s, _ = rows_of()
    w = np.resize([1, 2, 3], y.size)
    once = cox_calibration(ScoreTable.from_scores(y, s, weights=w, weight_kind="frequency"))
    twice = cox_calibration(ScoreTable.from_scores(np.repeat(y, w), np.repeat(s, w)))
    for name in ("in_the_large", "intercept", "slope", "in_the_large_error", "intercept_error", "slope_error"):
        assert getattr(once, name) == pytest.approx(getattr(twice, name), rel=1e-10)
    one, ten = (cox_calibration(ScoreTable.from_scores(y, s, weights=k * w)) for k in (1, 10))
    assert one.slope_error == pytest.approx(ten.slope_error, rel=1e-10)


@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_the_sandwich_by_definition(weighted, prevalence):
    """H⁻¹·Σ e·eᵀ·H⁻¹ row by row, e = w·(y − p)·x/(1 − h) with the leverage h; within classes at a prevalence."""
    y, s, w = rows_of(60)
    w = w if weighted else np.ones_like(w)
    table = ScoreTable.from_scores(y, s, weights=w if weighted else None)
    if prevalence is not None:
        table = table.with_prevalence(prevalence)
        w = w * np.where(y == 1, prevalence / w[y == 1].sum(), (1 - prevalence) / w[y == 0].sum()) * w.sum()
    found, x = cox_calibration(table), np.log(s / (1 - s))
    line = np.stack([np.ones_like(x), x], 1)
    for X, eta, errors in (
        (line[:, :1], found.in_the_large + x, [found.in_the_large_error]),
        (line, found.intercept + found.slope * x, [found.intercept_error, found.slope_error]),
    ):
        p = 1 / (1 + np.exp(-eta))
        inverse = np.linalg.inv((X.T * (w * p * (1 - p))) @ X)
        h = w * p * (1 - p) * np.einsum("ij,jk,ik->i", X, inverse, X)
        added = X * ((y - p) / (1 - h))[:, None]
        for c in (0, 1) if prevalence is not None else ():
            added[y == c] -= np.average(added[y == c], axis=0, weights=w[y == c])
        e = added * w[:, None]
        np.testing.assert_allclose(errors, np.sqrt(np.diag(inverse @ e.T @ e @ inverse)), rtol=1e-6)


@pytest.mark.slow
def test_the_sandwich_is_right_for_weights():
    """Standard errors of importance weights against the spread over simulated samples."""
    slopes, errors = [], []
    for seed in range(200):
        y, s, w = rows_of(300, seed)
        found = cox_calibration(ScoreTable.from_scores(y, s, weights=w))
        slopes.append(found.slope)
        errors.append(found.slope_error)
    assert np.mean(errors) == pytest.approx(np.std(slopes), rel=0.12)


@pytest.mark.slow
def test_more_scores_than_groups_move_nothing_that_matters():
    rng = np.random.default_rng(3)
    s = rng.beta(0.3, 3, 300_000)
    table = ScoreTable.from_scores(rng.random(s.size) < s**1.1, s)
    near, exact = cox_calibration(table), cox_calibration(table, exact=True)
    assert abs(near.slope - exact.slope) < min(1e-5, 1e-3 * exact.slope_error)
    assert abs(near.in_the_large - exact.in_the_large) < min(1e-5, 1e-3 * exact.in_the_large_error)


def test_what_is_undefined_says_why():
    certain = cox_calibration(ScoreTable.from_scores([1, 0, 1], [1.0, 0.3, 0.2]))
    assert (math.isnan(certain.in_the_large), certain.reason) == (True, CERTAIN)
    moved = cox_calibration(ScoreTable.from_scores([1, 0, 1], [1.0, 0.3, 0.2]), clip=1e-6)
    assert math.isfinite(moved.slope)
    assert moved.moved == 1
    apart = cox_calibration(ScoreTable.from_scores([1, 0], [0.7, 0.3]))
    assert math.isfinite(apart.in_the_large)
    assert math.isnan(apart.slope)
    assert "separates the classes" in apart.slope_reason
    assert cox_calibration(ScoreTable.from_scores([1, 1], [0.7, 0.3])).reason_code == "no-rows"


@pytest.mark.parametrize("score", [1e-300, 1e-12, 1 - 1e-12])
def test_extreme_scores_converge(score):
    found = cox_calibration(ScoreTable.from_scores([1, 0, 1, 0], [score, score, 0.4, 0.6]))
    eta = found.intercept + found.slope * np.log(np.array([score, 0.4, 0.6]) / (1 - np.array([score, 0.4, 0.6])))
    p = 1 / (1 + np.exp(-eta))
    residual = np.array([1 - 2 * p[0], 1 - p[1], -p[2]])
    assert residual.sum() == pytest.approx(0, abs=1e-9)


def test_hosmer_lemeshow_by_hand():
    """Three groups of two rows; E the sum of the scores, χ² = Σ (O − E)²/(E(1 − E/n))."""
    y, s = [0, 1, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.5, 0.8, 0.9]
    expected = sum((o - e) ** 2 / (e * (1 - e / 2)) for o, e in ((1, 0.3), (1, 0.9), (2, 1.7)))
    found = hosmer_lemeshow_test(ScoreTable.from_scores(y, s), groups=3, min_expected=0)
    assert (found.statistic, found.df) == (pytest.approx(expected), 3)
    assert found.p_value == pytest.approx(stats.chi2.sf(expected, 3))
    training = hosmer_lemeshow_test(ScoreTable.from_scores(y, s), groups=3, rows="training", min_expected=0)
    assert training.df == 1
    assert "training rows" in training.method
    assert "test rows" in found.method


def test_groups_that_expect_fewer_than_one_row_of_a_class_are_merged():
    """Of eight groups of ten rows six expect .4 positives each, the others 2 and 8."""
    s, y = np.repeat([0.04, 0.2, 0.8], [60, 10, 10]) + np.arange(80) * 1e-9, np.zeros(80, dtype=int)
    y[[3, 30, 65, *range(71, 79)]] = 1
    found = hosmer_lemeshow_test(ScoreTable.from_scores(y, s), groups=8)
    parts = ((1, 1.2, 30), (1, 1.2, 30), (1, 2, 10), (8, 8, 10))
    assert found.statistic == pytest.approx(sum((o - e) ** 2 / (e * (1 - e / n)) for o, e, n in parts), rel=1e-5)
    assert (found.df, found.method) == (4, "Hosmer–Lemeshow, 4 groups merged from 8, test rows")


@pytest.mark.parametrize(
    ("n", "center"),
    [(200, -3.0), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((60, -2.0), (1000, -5.2)))],
)
def test_hosmer_lemeshow_rejects_few_calibrated_scores_with_few_positives(n, center):
    """About 16, 11 and 11 positives; standard error of 400 samples 1.1 points, unmerged groups rejected 7 to 12 %."""
    rejected = []
    for seed in range(400):
        rng = np.random.default_rng([seed, n])
        s = 1 / (1 + np.exp(-(center + 1.2 * rng.normal(size=n))))
        rejected.append(hosmer_lemeshow_test(ScoreTable.from_scores(rng.random(n) < s, s)).p_value <= 0.05)
    assert np.mean(rejected) <= 0.075


def test_hosmer_lemeshow_says_when_it_is_none():
    y, s = [0, 1, 1, 0], [0.1, 0.2, 0.4, 0.5]
    weighted = hosmer_lemeshow_test(ScoreTable.from_scores(y, s, weights=[1, 2, 1, 2]))
    assert math.isnan(weighted.p_value)
    assert weighted.reason_code == "no-test"
    few = hosmer_lemeshow_test(ScoreTable.from_scores(y, s), groups=2, rows="training", min_expected=0)
    assert few.reason == "2 groups leave no degrees of freedom"
    assert hosmer_lemeshow_test(ScoreTable.from_scores(y, s).with_prevalence(0.1)).reason_code == "no-test"
    rare = hosmer_lemeshow_test(ScoreTable.from_scores([0, 0, 1], [0.1, 0.2, 0.3]))
    assert rare.reason == "the scores promise fewer than 1 rows of one of the classes"
    wrong = hosmer_lemeshow_test(ScoreTable.from_scores([1, 1, 0, 1], [0.0, 0.0, 0.5, 0.9]), groups=2)
    assert (wrong.statistic, wrong.p_value) == (math.inf, 0.0)


def test_spiegelhalter_by_hand_and_under_the_truth():
    y, s, w = np.array([0, 1, 1, 0]), np.array([0.1, 0.2, 0.4, 0.9]), np.array([1.0, 2.0, 1.0, 3.0])
    top = (w * (y - s) * (1 - 2 * s)).sum()
    z = top / math.sqrt((w**2 * (1 - 2 * s) ** 2 * s * (1 - s)).sum())
    found = spiegelhalter_test(ScoreTable.from_scores(y, s, weights=w))
    assert (found.statistic, found.p_value) == (pytest.approx(z), pytest.approx(2 * stats.norm.sf(abs(z))))
    assert spiegelhalter_test(ScoreTable.from_scores([1, 0], [0.5, 0.5])).reason_code == "no-spread"
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    zs = [spiegelhalter_test(ScoreTable.from_scores(rng.random(400) < scores, scores)).statistic for _ in range(400)]
    assert abs(np.mean(zs)) < 0.15
    assert np.std(zs) == pytest.approx(1, abs=0.1)


@given(ROWS)
def test_murphy_curve_is_the_mean_elementary_score(rows):
    y, s, w = (list(column) for column in zip(*rows, strict=True))
    table = ScoreTable.from_scores(y, s, weights=w)
    thetas = [0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.77, 0.9, 1.0]
    found = murphy_curve(table, thresholds=thetas).y
    np.testing.assert_allclose(found, [by_definition.elementary(rows, t) for t in thetas], atol=1e-12)
    brier = by_definition.mean(rows, by_definition.squared)
    assert 2 * murphy_curve(table).area() == pytest.approx(brier, abs=1e-12)


def test_murphy_curve_of_many_scores_says_that_it_is_a_grid():
    rng = np.random.default_rng(0)
    s = rng.random(5000)
    curve = murphy_curve(ScoreTable.from_scores(rng.random(5000) < s, s))
    assert [note.code for note in curve.notes] == ["thinned"]
    assert len(curve) == 1001


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rounded_scores_are_tested_as_the_rows_are(seed):
    draws = np.random.default_rng(seed)
    scores = draws.beta(1, 4, 2000)
    truth = (draws.random(2000) < scores).astype(int)
    near = replace(ScoreTable.from_scores(truth, rounded(scores)), resolution=16)
    tests, same = (calibration_summary(table).tests for table in (ScoreTable.from_scores(truth, scores), near))
    assert {name: test.p_value for name, test in same.items()} == {
        name: pytest.approx(test.p_value, abs=1e-3) for name, test in tests.items()
    }


@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_they_are_those_of_the_whole(kind: Any) -> None:
    for seed in range(30):
        draws = np.random.default_rng(seed)
        n = int(draws.integers(2, 25))
        y, score = draws.integers(0, 2, n), draws.integers(0, 11, n) / 10
        weights = None if kind is None else draws.integers(1, 4, n).astype(float)
        table = ScoreTable.from_scores(y, score, weights=weights, weight_kind=kind or "importance")
        whole = cox_calibration(table, clip=1e-6)
        assert np.array_equal(line_of_logits(table, clip=1e-6), (whole.intercept, whole.slope), equal_nan=True), seed
