"""Kernel smoothing and Obuchowski's variance, against pROC."""

import pytest

import reference_values
from reference_values import SCORES, value
from thresher.counts import ScoreTable
from thresher.inference import binormal_roc, kernel_roc, obuchowski_variance

pytestmark = pytest.mark.reference


def table(score):
    return ScoreTable.from_scores(reference_values.truth("asah"), reference_values.scores("asah", score))


@pytest.mark.parametrize("score", SCORES["asah"])
def test_var_of_proc(score):
    expected = value("asah", f"proc/{score}/var_obuchowski")
    model = binormal_roc(table(score), method="deviates")
    # pROC's B is the positives' deviation over the negatives'; its model is the regression on deviates.
    assert obuchowski_variance(model.area.value, 41, 72, b=1 / model.b) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("score", [score for score in SCORES["asah"] if score != "wfns"])
def test_smooth_by_density_of_proc(score):
    # pROC cuts the densities off at the ends of the scores, so that its area is another one.
    expected = value("asah", f"proc/{score}/smooth_density")
    assert kernel_roc(table(score)).area.value == pytest.approx(expected, abs=0.015)
