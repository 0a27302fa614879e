"""Calibration against scikit-learn, model-diagnostics, relplot and betacal."""

import warnings

import numpy as np
import pytest

from example_rows import MODELS, scores, truth
from thresher.calibration import (
    binned_decomposition,
    calibration_curve,
    decomposition,
    fit_map,
    reliability,
    smooth_calibration_error,
    top_label_calibration_error,
)
from thresher.counts import ScoreTable
from thresher.measures import find

pytestmark = pytest.mark.peer


def _in_unit_range(s):
    return s.min() >= 0 and s.max() <= 1


def rows(n=2000, seed=0, decimals=3):
    rng = np.random.default_rng(seed)
    s = rng.beta(1, 2, n).round(decimals)
    return (rng.random(n) < s**1.3).astype(int), s, rng.choice([0.5, 1.0, 2.0], n)


@pytest.mark.parametrize(("name", "model"), [pair for pair in MODELS if _in_unit_range(scores(*pair))])
@pytest.mark.parametrize("bins", [5, 10, 15])
def test_bins_of_scikit_learn(name, model, bins):
    from sklearn import calibration

    y, s = truth(name), scores(name, model)
    for theirs, ours in (("uniform", "equal_width"), ("quantile", "equal_count")):
        share, score = calibration.calibration_curve(y, s, n_bins=bins, strategy=theirs)
        found = reliability(ScoreTable.from_scores(y, s), method=ours, bins=bins)
        np.testing.assert_allclose(found.share, share, atol=1e-12)
        np.testing.assert_allclose(found.score, score, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_regression_of_scikit_learn(weighted):
    from sklearn.isotonic import IsotonicRegression

    y, s, w = rows()
    w = w if weighted else None
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(s, y, sample_weight=w)
    at = np.linspace(-0.1, 1.1, 777)
    np.testing.assert_allclose(fit_map(y, s, weights=w).transform(at), theirs.predict(at), atol=1e-6)
    curve = calibration_curve(ScoreTable.from_scores(y, s, weights=w))
    np.testing.assert_allclose(curve.at(np.unique(s)), theirs.predict(np.unique(s)), atol=1e-6)


def test_platt_of_scikit_learn():
    from sklearn.calibration import _SigmoidCalibration

    y, s, w = rows()
    for given in (None, w):
        theirs = _SigmoidCalibration().fit(s, y, sample_weight=given)
        found = fit_map(y, s, method="platt", weights=given)
        np.testing.assert_allclose([-found.slope, -found.intercept], [theirs.a_, theirs.b_], rtol=2e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["brier", "log"])
def test_decomposition_of_model_diagnostics(weighted, loss):
    scoring = pytest.importorskip("model_diagnostics.scoring")
    y, s, w = rows()
    s = s.clip(0.001, 0.999)
    function = scoring.SquaredError() if loss == "brier" else scoring.LogLoss()
    theirs = scoring.decompose(y, s, weights=w if weighted else None, scoring_function=function)
    found = decomposition(ScoreTable.from_scores(y, s, weights=w if weighted else None), loss=loss)
    names = ("miscalibration", "discrimination", "uncertainty", "score")
    for name in names:
        assert getattr(found, name) == pytest.approx(theirs[name].item(), abs=1e-8), name


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


def test_murphy_s_terms_of_scikit_learn_s_curve():
    from sklearn import calibration

    y, s, _ = rows()
    share, score = calibration.calibration_curve(y, s, n_bins=10)
    n = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], s), minlength=10)
    found = binned_decomposition(ScoreTable.from_scores(y, s))
    assert found.reliability == pytest.approx((n[n > 0] / n.sum() * (share - score) ** 2).sum())
    assert found.resolution == pytest.approx((n[n > 0] / n.sum() * (share - y.mean()) ** 2).sum())
