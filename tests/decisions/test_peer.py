"""The H-measure against the Python package of its authors' R package."""

import numpy as np
import pytest

import thresher as th
from thresher.counts import ScoreTable
from thresher.decisions import h_measure

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("ratio", [None, 0.5, 3.0])
@pytest.mark.parametrize("model", ["logistic_regression", "random_forest", "naive_bayes"])
def test_severity_ratio_of_hmeasure(model, ratio):
    peer = pytest.importorskip("hmeasure")
    rows = th.load_example("breast_cancer")
    truth = np.asarray(rows["diagnosis"] == "malignant", dtype=int)
    scores = np.asarray(rows[model], dtype=float)
    found = h_measure(ScoreTable.from_scores(truth, scores), distribution="severity_ratio", severity_ratio=ratio)
    assert float(found) == pytest.approx(peer.h_score(truth, scores, severity_ratio=ratio), abs=1e-9)
