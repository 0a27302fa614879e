"""What results of calibration and of several classes show of themselves: short, and without arrays."""

import numpy as np

import thresher as th
from thresher.calibration import cox_calibration, fit_classwise, fit_map, fit_temperature
from thresher.multiclass import loss_sums

Y, S = [0, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.35, 0.9]
P = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.5, 0.4, 0.1], [0.3, 0.1, 0.6]]
CODES = [0, 1, 2, 0, 1, 2]


def test_maps():
    assert repr(fit_map(Y, S)).startswith("PiecewiseMap(isotonic, ")
    platt = fit_map(Y, S, method="platt")
    assert repr(platt) == f"LogisticMap(platt: logit p = {platt.intercept:.4g} + {platt.slope:.4g}·s)"
    assert repr(fit_map(Y, S, method="logistic")).endswith("·logit s)")
    assert repr(fit_map(Y, S, method="beta")).startswith("BetaMap(logit p = ")
    found = fit_temperature(CODES, P)
    assert repr(found) == f"TemperatureMap(T = {found.temperature:.4g})"
    assert repr(fit_classwise(CODES, P)) == "ClasswiseMap(3 classes, isotonic)"


def test_areas_and_losses_of_several_classes():
    model = th.evaluate(CODES, P)["model"]
    shown = repr(model.auc_estimates)
    assert shown.startswith("AucEstimates(3 classes: hand_till ")
    assert len(shown) < 120
    text = str(model.auc_estimates)
    assert text.count("\n") == 7
    assert "2 against the rest" in text
    sums = loss_sums(model.posteriors)["brier_score"]
    assert repr(sums) == f"LossSums(mean {sums.mean:.4g} of 6 rows)"


def test_a_statistic_that_rounding_moved_from_0_reads_0():
    model = th.evaluate([0, 0, 1, 0, 1, 1] * 9, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 9)["score"]
    assert 0 < abs(model.calibration.tests["spiegelhalter"].statistic) < 1e-12
    line = next(line for line in str(model.calibration).splitlines() if line.startswith("spiegelhalter"))
    assert line.split()[1] == "0,"
    assert np.isfinite(model.calibration.calibration_slope.value)


def test_every_name_that_a_summary_prints_is_an_attribute():
    model = th.evaluate([0, 0, 1, 0, 1, 1] * 9, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 9)["score"]
    found = model.calibration
    names = [line.split("  ")[0].replace(" ", "_") for line in str(found).splitlines()]
    assert len(names) == 17
    assert all(hasattr(found, name.lower()) and name.lower() in dir(found) for name in names)
    assert found.spiegelhalter is found.tests["spiegelhalter"]
    assert found.brier_score is found.brier
    short = [part.split()[0].lower() for part in repr(found).partition("(")[2].split(", ") if part[0].isalpha()]
    assert [getattr(found, name).name for name in short] == [
        "calibration_intercept", "calibration_slope", "expected_calibration_error",
    ]  # fmt: skip
    assert found.intercept == model.calibration_intercept


def test_the_calibration_intercept_is_the_one_at_slope_1():
    model = th.evaluate([0, 0, 1, 0, 1, 1] * 9, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 9)["score"]
    cox = cox_calibration(model.scores)
    assert model.calibration_intercept.value == cox.in_the_large != cox.intercept
    assert model.calibration_slope.value == cox.slope
    assert model.calibration_intercept.method.startswith(
        "maximum likelihood at slope 1, sandwich variance, Student's t"
    )
    assert model.calibration_slope.method.startswith("maximum likelihood, sandwich variance")
