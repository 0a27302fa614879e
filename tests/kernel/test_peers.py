"""The kernel against scikit-learn and against R packages."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

from thresher import kernel

SHAPES = {
    "continuous": lambda rng, truth: rng.normal(size=truth.size) + truth,
    "tied": lambda rng, truth: (rng.random(truth.size) + truth).round(1),
}


@pytest.mark.peer
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [200, 20_000])
def test_scikit_learn_agrees(shape, size, weighted):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    truth = (rng.random(size) < 0.2).astype(np.uint8)
    scores = SHAPES[shape](rng, truth)
    weights = rng.random(size) + 0.01 if weighted else None
    table = kernel.score_table(truth, scores, weights)
    twice, p, n = kernel.concordance(truth, scores, weights)
    assert twice / (2 * p * n) == pytest.approx(metrics.roc_auc_score(truth, scores, sample_weight=weights), rel=1e-12)
    step = kernel.pr_areas(table.positive, table.negative).step
    assert step == pytest.approx(metrics.average_precision_score(truth, scores, sample_weight=weights), rel=1e-12)
    thresholds, tp, fp = kernel.threshold_table(truth, scores, weights)
    fpr, tpr, cuts = metrics.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
    np.testing.assert_array_equal(thresholds, cuts[1:])
    np.testing.assert_allclose(tp / p, tpr[1:], rtol=1e-12)
    np.testing.assert_allclose(fp / n, fpr[1:], rtol=1e-12, atol=1e-15)
    probabilities = np.clip((scores + 3) / 8, 1e-3, 1 - 1e-3)
    cells = kernel.score_table(truth, probabilities, weights)
    moments = kernel.loss_moments(*cells[:3])
    brier, log_loss = (moments.first(name).sum() for name in ("brier_score", "log_loss"))
    assert brier / (p + n) == pytest.approx(metrics.brier_score_loss(truth, probabilities, sample_weight=weights))
    assert log_loss / (p + n) == pytest.approx(metrics.log_loss(truth, probabilities, sample_weight=weights))
    predicted = (scores > 1).astype(np.uint8)
    want = metrics.confusion_matrix(truth, predicted, sample_weight=weights)
    np.testing.assert_allclose(kernel.confusion(truth, predicted, 2, weights), want, rtol=1e-12)


def reference(name, label):
    """Columns of a data set and the values that R packages give for it."""
    folder = Path(os.environ["THRESHER_REFERENCE"])
    rows = list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines()))
    values = json.loads((folder / f"{name}.json").read_text())["results"]
    return np.array([row[label] == "1" for row in rows]), rows, values


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "label", "score"),
    [("asah", "y", s) for s in ("wfns", "s100b", "ndka", "p_glm", "p_loo")] + [("rocr_simple", "label", "score")],
)
def test_prroc_agrees(name, label, score):
    truth, rows, values = reference(name, label)
    scores = np.array([float(row[score]) for row in rows])
    expected = values[f"prroc/{score}"]["value"]
    table = kernel.score_table(truth, scores)
    areas = kernel.pr_areas(table.positive, table.negative)
    assert areas.davis_goadrich == pytest.approx(expected["pr_auc_integral"], abs=1e-10)
    twice, p, n = kernel.concordance(truth, scores)
    assert twice / (2 * p * n) == pytest.approx(expected["roc_auc"], abs=1e-10)
