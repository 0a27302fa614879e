"""Partial areas under the ROC, raw and corrected, against pROC."""

import math

import numpy as np
import pytest

import reference_values
from reference_values import MODELS, value
from thresher.counts import ScoreTable
from thresher.curves import roc_curve
from thresher.curves.partial import area_over_fpr, area_over_tpr

LIMITS = ["1,0.9", "1,0.8", "1,0.5", "0.9,0.8", "0.95,0.7", "0.5,0.1", "1,0"]

pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), MODELS)]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("focus", ["specificity", "sensitivity"])
@pytest.mark.filterwarnings("ignore")
def test_partial_areas_of_proc(name, score, focus, limits):
    table = ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))
    curve = roc_curve(table)
    high, low = (float(limit) for limit in limits.split(","))
    if focus == "specificity":
        found = area_over_fpr(curve.x, curve.y, round(1 - high, 12), round(1 - low, 12))
    else:
        found = area_over_tpr(curve.x, curve.y, low, high)
    raw = value(name, f"proc/{score}/pauc/{focus}/{limits}/correct_FALSE")
    assert found.raw == pytest.approx(raw, abs=1e-8)
    corrected = np.asarray(value(name, f"proc/{score}/pauc/{focus}/{limits}/correct_TRUE"), dtype=float)
    if math.isnan(corrected):
        # pROC corrects nothing that lies below the diagonal; here it is below one half.
        assert found.corrected < 0.5
    else:
        assert found.corrected == pytest.approx(float(corrected), abs=1e-8)
