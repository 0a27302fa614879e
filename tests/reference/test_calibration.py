"""Calibration against rms, ResourceSelection, caret and R's glm on data that may not ship."""

import numpy as np
import pytest

import reference_values
from reference_values import value
from thresher.calibration import cox_calibration, hosmer_lemeshow_test, reliability, spiegelhalter_test
from thresher.counts import ScoreTable
from thresher.measures import find

PROBABILITIES = [("asah", "p_glm"), ("asah", "p_loo"), ("asah", "p_glm2"), ("rocr_simple", "score")]
pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), PROBABILITIES)]


@pytest.fixture
def table(name, score):
    return ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))


def test_val_prob_of_rms(name, score, table):
    theirs, found, z = value(name, f"rms/{score}/val.prob"), cox_calibration(table), spiegelhalter_test(table)
    # val.prob stops its own iteration at about 1e-7; R's glm, below, is compared to 1e-8.
    assert found.intercept == pytest.approx(theirs["Intercept"], abs=1e-7)
    assert found.slope == pytest.approx(theirs["Slope"], abs=1e-7)
    assert find("brier_score")(table) == pytest.approx(theirs["Brier"], abs=1e-12)
    assert z.statistic == pytest.approx(theirs["S:z"], abs=1e-10)
    assert z.p_value == pytest.approx(theirs["S:p"], abs=1e-10)
    assert found.statistic == pytest.approx(theirs["U:Chi-sq"], abs=1e-8)
    assert found.p_value == pytest.approx(theirs["U:p"], abs=1e-8)


@pytest.mark.parametrize("groups", [5, 10])
def test_hoslem_test_of_resource_selection(name, score, table, groups):
    theirs = value(name, f"hoslem/{score}/g{groups}")
    found = hosmer_lemeshow_test(table, groups=groups, rows="training", min_expected=0)
    assert found.statistic == pytest.approx(theirs["statistic"]["X-squared"], abs=1e-8)
    assert found.df == theirs["parameter"]["df"]
    assert found.p_value == pytest.approx(theirs["p.value"], abs=1e-10)


def test_calibration_of_caret(name, score, table):
    theirs = value(name, f"caret/{score}/calibration_cuts10")
    found = reliability(table, method="equal_width", bins=10)
    shares = np.asarray(theirs["Percent"], dtype=float)
    counted = ~np.isnan(np.asarray(theirs["Lower"], dtype=float))
    np.testing.assert_allclose(100 * found.share, shares[counted], atol=1e-10)
    np.testing.assert_allclose(found.share * found.weight, np.asarray(theirs["Count"], dtype=float)[counted])
