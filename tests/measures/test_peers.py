"""Measures of decisions against scikit-learn on random rows, with weights and up to five classes."""

from __future__ import annotations

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix

pytestmark = pytest.mark.peer


@pytest.fixture
def sk():
    return pytest.importorskip("sklearn.metrics")


def rows(seed: int, k: int, weighted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, ConfusionMatrix]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, 200)
    predicted = np.where(rng.random(200) < 0.6, truth, rng.integers(0, k, 200))
    weights = rng.random(200) if weighted else None
    counts = np.bincount(k * truth + predicted, weights=weights, minlength=k * k).reshape(k, k)
    return truth, predicted, weights, ConfusionMatrix.from_counts(counts, labels=range(len(counts)))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes(sk, seed: int, weighted: bool) -> None:
    truth, predicted, weights, matrix = rows(seed, 2, weighted)
    assert matrix.labels == (1, 0)
    theirs = {
        "accuracy": sk.accuracy_score,
        "error_rate": sk.zero_one_loss,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "precision": sk.precision_score,
        "recall": sk.recall_score,
        "f1": sk.f1_score,
        "jaccard": sk.jaccard_score,
        "mcc": sk.matthews_corrcoef,
        "kappa": sk.cohen_kappa_score,
    }
    for name, function in theirs.items():
        assert getattr(matrix, name) == pytest.approx(function(truth, predicted, sample_weight=weights), rel=1e-12)
    plus, minus = sk.class_likelihood_ratios(truth, predicted, sample_weight=weights)
    assert (matrix.lr_plus, matrix.lr_minus) == pytest.approx((plus, minus), rel=1e-12)
    assert matrix.informedness == pytest.approx(
        sk.balanced_accuracy_score(truth, predicted, sample_weight=weights, adjusted=True), abs=1e-12
    )


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("how", ["macro", "micro", "weighted"])
def test_more_classes(sk, k: int, weighted: bool, how: str) -> None:
    truth, predicted, weights, matrix = rows(k, k, weighted)
    for name in ("precision", "recall", "f1", "jaccard"):
        expected = getattr(sk, f"{name}_score")(truth, predicted, sample_weight=weights, average=how)
        assert matrix.average(name, how=how).value == pytest.approx(expected, rel=1e-12)
    for weighting in (None, "linear", "quadratic"):
        expected = sk.cohen_kappa_score(truth, predicted, sample_weight=weights, weights=weighting)
        got = matrix.kappa if weighting is None else matrix.weighted_kappa(weights=weighting)
        assert got == pytest.approx(expected, rel=1e-12)
    assert matrix.mcc == pytest.approx(sk.matthews_corrcoef(truth, predicted, sample_weight=weights), rel=1e-12)


def test_one_vs_rest_is_the_multilabel_confusion_matrix(sk) -> None:
    truth, predicted, _, matrix = rows(0, 4, False)
    theirs = sk.multilabel_confusion_matrix(truth, predicted)
    assert (matrix.per_class().counts == theirs[:, ::-1, ::-1]).all()
