"""What results of calibration and of several classes show of themselves: short, and without arrays."""

import thresher as th
from thresher.calibration import cox_calibration

Y, S = [0, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.35, 0.9]


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
