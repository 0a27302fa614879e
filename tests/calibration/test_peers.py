"""Calibration against relplot, betacal and netcal."""

import warnings

import numpy as np
import pytest

from thresher.calibration import fit_map, smooth_calibration_error, top_label_calibration_error
from thresher.counts import ScoreTable
from thresher.measures import find

pytestmark = pytest.mark.peer


def rows(n=2000, seed=0, decimals=3):
    rng = np.random.default_rng(seed)
    s = rng.beta(1, 2, n).round(decimals)
    return (rng.random(n) < s**1.3).astype(int), s, rng.choice([0.5, 1.0, 2.0], n)


def test_smooth_error_of_relplot():
    relplot = pytest.importorskip("relplot")
    for seed in range(3):
        y, s, _ = rows(800, seed, 6)
        found = smooth_calibration_error(ScoreTable.from_scores(y, s))
        # relplot bins scores and searches the bandwidth to 1e-3.
        assert found == pytest.approx(relplot.smECE(f=s, y=y), abs=2e-3)


def test_beta_of_betacal():
    betacal = pytest.importorskip("betacal")
    y, s, w = rows(decimals=4)
    s = s.clip(1e-4, 1 - 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = betacal.BetaCalibration(parameters="abm").fit(s.reshape(-1, 1), y, sample_weight=w)
        expected = theirs.predict(np.linspace(0.01, 0.99, 99))
    found = fit_map(y, s, method="beta", weights=w).transform(np.linspace(0.01, 0.99, 99))
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_expected_calibration_error_of_netcal():
    metrics = pytest.importorskip("netcal.metrics")
    y, s, _ = rows(decimals=7)
    assert find("ece")(ScoreTable.from_scores(y, s), bins=10) == pytest.approx(metrics.ECE(10).measure(s, y), abs=1e-9)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 500)
    codes = rng.integers(0, 4, 500)
    assert top_label_calibration_error(codes, p) == pytest.approx(metrics.ECE(10).measure(p, codes), abs=1e-9)
