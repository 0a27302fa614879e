"""Thresholds chosen by an evaluation against OptimalCutpoints."""

import numpy as np
import pytest

import reference_values
import thresher as th
from reference_values import MODELS, value

pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), MODELS)]

# Not MaxDOR, which leaves out thresholds with an infinite odds ratio, the largest there is.
# CB has the cost ratio (c_FP − c_TN)/(c_FN − c_TP) = 2, MCT costs of 1 and 3; 0.85 is the least specificity and recall.
CRITERIA = {
    "Youden": {"criterion": "youden"}, "ROC01": {"closest_corner": True}, "MaxKappa": {"maximize": "kappa"},
    "MaxEfficiency": {"maximize": "accuracy"}, "CB": {"cost_fp": 2, "cost_fn": 1}, "MCT": {"cost_fp": 1, "cost_fn": 3},
    "PrevalenceMatching": {"match_prevalence": True},
    "MinValueSp": {"maximize": "recall", "where": "specificity>=0.85"},
    "MinValueSe": {"maximize": "specificity", "where": "recall>=0.85"},
}  # fmt: skip


@pytest.mark.parametrize("method", CRITERIA)
def test_cutoffs_of_optimal_cutpoints(name, score, method):
    expected = value(name, f"optimalcutpoints/{score}/{method}")
    evaluation = th.evaluate(reference_values.truth(name), reference_values.scores(name, score))
    chosen = evaluation.choose(**CRITERIA[method])
    theirs = np.sort(np.atleast_1d(np.asarray(expected["cutoff"], dtype=float)))
    if method.startswith("MinValue"):
        # Of thresholds that tie, OptimalCutpoints keeps those that are best in the rate that is bounded.
        assert set(theirs.tolist()) <= set(chosen.thresholds.tolist())
    else:
        np.testing.assert_allclose(np.sort(chosen.thresholds), theirs, atol=1e-12)
    if method == "Youden":  # printed to ten digits
        assert chosen.value == pytest.approx(float(np.atleast_1d(expected["optimal_criterion"])[0]), abs=1e-10)
