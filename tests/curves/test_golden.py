"""Curves and areas of the example data against pROC, ROCR and scikit-learn."""

import numpy as np
import pytest

import example_rows
from golden_values import load
from thresher.counts import ScoreTable
from thresher.curves import roc_curve, value_at
from thresher.measures import find

TOLERANCE = 1e-12


def table_of(name, model):
    """Score table of one model of an example."""
    return ScoreTable.from_scores(example_rows.truth(name), example_rows.scores(name, model))


@pytest.mark.parametrize(("name", "model"), example_rows.MODELS)
def test_points_and_area_of_proc_with_its_midpoints(name, model):
    golden = load(name)["results"]
    expected = golden[f"proc/{model}/roc"]["value"]
    curve = roc_curve(table_of(name, model), midpoints=True)
    nearest = [
        int(np.argmin(np.abs(curve.thresholds - t))) if np.isfinite(t) else (0, -1)[t < 0]
        for t in expected["threshold"]
    ]
    np.testing.assert_allclose(curve.thresholds[nearest], expected["threshold"], rtol=TOLERANCE)
    np.testing.assert_allclose(curve.y[nearest], expected["sensitivity"], atol=TOLERANCE)
    np.testing.assert_allclose(1 - curve.x[nearest], expected["specificity"], atol=TOLERANCE)
    assert curve.area() == pytest.approx(golden[f"proc/{model}/auc"]["value"], abs=TOLERANCE)


@pytest.mark.parametrize(("name", "model"), example_rows.MODELS)
def test_sensitivity_at_a_specificity_of_proc(name, model):
    expected = load(name)["results"][f"proc/{model}/sensitivity_at_specificity"]["value"]
    table = table_of(name, model)
    for specificity, sensitivity in zip(expected["specificity"], expected["sensitivity"], strict=True):
        assert roc_curve(table).at(1 - specificity) == pytest.approx(sensitivity, abs=TOLERANCE)
        read = value_at(table, "sensitivity", at="specificity", value=specificity)
        assert read.value == pytest.approx(sensitivity, abs=TOLERANCE)


@pytest.mark.parametrize(("name", "model"), example_rows.MODELS)
def test_break_even_point_and_losses_of_rocr(name, model):
    golden = load(name)["results"]
    table, found = table_of(name, model), golden[f"rocr/{model}/prbe"]["value"]
    # Between two cut-offs ROCR gives the residual of its root search, about 0, in place of the precision.
    values = np.atleast_1d(found["value"])
    ours = find("break_even_point")(table)
    assert np.all((np.abs(values - ours) < TOLERANCE) | (np.abs(values) < 1e-6))
    assert 0 < ours < 1
    assert find("root_brier_score")(table) == pytest.approx(golden[f"rocr/{model}/rmse"]["value"], abs=TOLERANCE)
