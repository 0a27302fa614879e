"""Binormal smoothing by regression on deviates, against pROC."""

import pytest

import reference_values
from reference_values import MODELS, value
from thresher.counts import ScoreTable
from thresher.inference import binormal_roc

pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), MODELS)]


def test_smooth_of_proc(name, score):
    expected = value(name, f"proc/{score}/smooth_binormal")
    table = ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))
    found = binormal_roc(table, method="deviates")
    assert found.a == pytest.approx(-expected["intercept"] / expected["slope"], rel=1e-8)
    assert found.b == pytest.approx(-1 / expected["slope"], rel=1e-8)
    assert found.area.value == pytest.approx(expected["auc"], rel=1e-8)
    # The likelihood's area is another estimate of the same: near it, not equal to it.
    assert binormal_roc(table).area.value == pytest.approx(expected["auc"], abs=0.05)
