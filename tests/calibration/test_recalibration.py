"""The likelihood-ratio test that calibration needs no change, against an optimiser that knows nothing of it."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from thresher.calibration.calibration_tests import cox_calibration
from thresher.counts import ScoreTable
from thresher.inference.calibration import recalibration_test


def rows_of(n, share, seed, *, slope=1.0, shift=0.0):
    """Labels of scores whose logits should be `slope` times as far from their mean, and higher by `shift`."""
    rng = np.random.default_rng(np.append(seed, n))
    away, base = rng.normal(size=n), math.log(share / (1 - share))
    y = rng.random(n) < 1 / (1 + np.exp(-base - shift - slope * away))
    return y.astype(int), 1 / (1 + np.exp(-base - away)), rng.exponential(size=n)


OPTIONS = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-11}}


def loss(b, y, s, w):
    """Minus the logistic likelihood of truth on the logit of the score."""
    eta = b[0] + b[1] * (np.log(s) - np.log1p(-s))
    return float((w * (np.logaddexp(0, eta) - y * eta)).sum())


def result_of(y, s, w=None, **options):
    table = ScoreTable.from_scores(y, s, weights=w, **options)
    return recalibration_test(table, cox_calibration(table))


CASES = [(300, 0.3, 1.0, 0.0), (300, 0.3, 0.5, 0.4), (2000, 0.02, 1.0, 0.0), (2000, 0.02, 0.6, -0.5)]


@pytest.mark.parametrize(("n", "share", "slope", "shift"), CASES)
def test_it_is_twice_what_the_best_line_gains(n, share, slope, shift):
    y, s, _ = rows_of(n, share, 1, slope=slope, shift=shift)
    one = np.ones(n)
    best = optimize.minimize(loss, [0.0, 1.0], args=(y, s, one), **OPTIONS)
    found = result_of(y, s)
    gained = 2 * (loss([0, 1], y, s, one) - best.fun)
    assert found.statistic == pytest.approx(gained, abs=1e-7)
    assert (found.df, found.p_value) == (2, pytest.approx(stats.chi2.sf(gained, 2), abs=1e-8))


@pytest.mark.parametrize(("n", "share", "slope", "shift"), CASES)
def test_with_weights_it_is_over_the_factor_by_which_they_widen_true_scores(n, share, slope, shift):
    y, s, w = rows_of(n, share, 2, slope=slope, shift=shift)
    best = optimize.minimize(loss, [0.0, 1.0], args=(y, s, w), **OPTIONS)
    X = np.stack([np.ones(n), np.log(s) - np.log1p(-s)], 1)
    once, squared = ((X.T * (each * s * (1 - s))) @ X for each in (w, w**2))
    statistic = 2 * (loss([0, 1], y, s, w) - best.fun) / (np.trace(np.linalg.solve(once, squared)) / 2)
    found = result_of(y, s, w)
    assert found.statistic == pytest.approx(statistic, rel=1e-6)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-6)
    assert found.method == "recalibration, likelihood ratio over its design effect"


def test_what_says_nothing_and_what_is_undefined():
    s = np.repeat([0.25, 0.75], 40)
    right = np.tile([0, 0, 0, 1], 10), np.tile([0, 1, 1, 1], 10)
    found = result_of(np.concatenate(right), s)
    assert (found.statistic, found.p_value) == (pytest.approx(0, abs=1e-9), pytest.approx(1))
    apart = result_of([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9])
    assert math.isnan(apart.p_value)
    assert apart.reason_code == "no-maximum"
    certain = result_of([0, 1, 1], [0.0, 0.5, 1.0], [1.0, 2.0, 0.5])
    assert math.isnan(certain.statistic)
    assert certain.reason_code == "infinite"


def rejections(n, share, samples, *, weighted=False, slope=1.0):
    found = []
    for seed in range(samples):
        y, s, w = rows_of(n, share, [seed, 9], slope=slope)
        found.append(result_of(y, s, w if weighted else None).p_value)
    return float(np.mean(np.array(found) <= 0.05))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "share", "weighted"), [(1000, 0.02, False), (200, 0.3, False), (200, 0.3, True), (1000, 0.1, True)]
)
def test_its_size_also_with_few_positives(n, share, weighted):
    """1,000 samples: a standard error of 0.7 points; 20 positives are expected in the first."""
    assert 0.03 <= rejections(n, share, 1000, weighted=weighted) <= 0.07


@pytest.mark.slow
def test_it_finds_scores_that_are_too_extreme():
    assert rejections(1000, 0.1, 300, slope=0.7) > 0.6
    assert rejections(1000, 0.1, 300, slope=0.7, weighted=True) > 0.35
