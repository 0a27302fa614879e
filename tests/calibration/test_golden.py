"""Calibration against base R on the example digit_eight."""

import numpy as np
import pytest

from example_rows import scores, truth
from golden_values import load
from thresher.calibration import (
    calibration_curve,
    cox_calibration,
    decomposition,
    fit_map,
    hosmer_lemeshow_test,
    reliability,
    spiegelhalter_test,
)
from thresher.counts import ScoreTable

MODELS = ["gradient_boosting", "logistic_regression"]
pytestmark = pytest.mark.parametrize("model", MODELS)


def r(model, name):
    return load("calibration")["results"][f"{model}/{name}"]["value"]


def rows(model):
    return truth("digit_eight"), scores("digit_eight", model)


def test_slope_and_intercept_of_glm(model):
    y, s = rows(model)
    found, theirs = cox_calibration(ScoreTable.from_scores(y, s)), r(model, "slope")
    np.testing.assert_allclose([found.intercept, found.slope], theirs["coef"], rtol=1e-8)
    assert found.statistic == pytest.approx(r(model, "deviance_of_scores") - theirs["deviance"], rel=1e-8)
    large = r(model, "large")
    assert found.in_the_large == pytest.approx(large["coef"], rel=1e-8)


def test_frequency_weights_of_glm(model):
    y, s = rows(model)
    weights = 1 + np.arange(1, y.size + 1) % 3
    found = cox_calibration(ScoreTable.from_scores(y, s, weights=weights, weight_kind="frequency"))
    theirs = r(model, "slope_frequency")
    np.testing.assert_allclose([found.intercept, found.slope], theirs["coef"], rtol=1e-8)


def test_parametric_maps_of_glm(model):
    y, s = rows(model)
    found = fit_map(y, s, method="platt", smooth=False)
    np.testing.assert_allclose([found.intercept, found.slope], r(model, "platt_plain")["coef"], rtol=1e-8)
    theirs = r(model, "beta")["coef"]
    assert min(theirs[1:]) > 0
    found = fit_map(y, s, method="beta")
    np.testing.assert_allclose([found.intercept, found.a, found.b], theirs, rtol=1e-7)


def test_groups_and_tests(model):
    table, theirs = ScoreTable.from_scores(*rows(model)), r(model, "hosmer_lemeshow")
    ten = hosmer_lemeshow_test(table, min_expected=0)
    seven = hosmer_lemeshow_test(table, groups=7, rows="training", min_expected=0)
    np.testing.assert_allclose([ten.statistic, ten.p_value], [theirs["g10"], theirs["p10"]], rtol=1e-8)
    np.testing.assert_allclose([seven.statistic, seven.p_value], [theirs["g7"], theirs["p7_training"]], rtol=1e-8)
    assert spiegelhalter_test(table).statistic == pytest.approx(r(model, "spiegelhalter"), rel=1e-10)


def test_isotonic_fit_of_isoreg_and_bins(model):
    table, theirs = ScoreTable.from_scores(*rows(model)), r(model, "isotonic")
    found = decomposition(table)
    assert found.score - found.miscalibration == pytest.approx(theirs["brier"], abs=1e-12)
    np.testing.assert_allclose(calibration_curve(table).at(theirs["at"]), theirs["fit"], atol=1e-12)
    bins, of_r = reliability(table, method="equal_width"), r(model, "bins")
    np.testing.assert_allclose(bins.share, of_r["share"], atol=1e-12)
    np.testing.assert_allclose(bins.score, of_r["score"], atol=1e-12)
