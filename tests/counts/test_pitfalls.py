"""Where other packages go wrong on matrices of counts; each was reproduced elsewhere."""

from __future__ import annotations

import math

import numpy as np

from thresher.counts import ConfusionMatrix, ScoreTable


def test_specificity_with_all_weights_10_is_a_half() -> None:
    """Elsewhere 1.4: weighted counts over unweighted ones."""
    truth, predicted, weights = [0, 0, 1, 1], [0, 1, 1, 0], np.full(4, 10.0)
    for kind in ("importance", "frequency"):
        matrix = ConfusionMatrix.from_predictions(truth, predicted, weights=weights, weight_kind=kind)
        assert matrix.specificity == 0.5


def test_integer_weights_do_not_overflow() -> None:
    """Elsewhere sums of int32 weights turn negative, and sums of float16 weights infinite."""
    truth, predicted = np.array([1, 1, 0, 0] * 500), np.array([1, 0, 0, 1] * 500)
    for kind in (np.int32, np.float16, np.uint8, np.float32):
        weights = np.full(2000, np.iinfo(kind).max if np.issubdtype(kind, np.integer) else 60_000).astype(kind)
        matrix = ConfusionMatrix.from_predictions(truth, predicted, weights=weights)
        assert matrix.counts.sum() == 2000 * float(weights[0])
        assert matrix.accuracy == 0.5
        assert 1000 * float(weights[0]) == ScoreTable.from_scores(truth, predicted, weights=weights).P
    small = ConfusionMatrix.from_counts(np.array([[100, 100], [100, 100]], dtype=np.int8), labels=(1, 0))
    assert (small + small).counts.sum() == 800
    assert small.mcc == 0


def test_weighted_counts_with_many_classes_have_no_phantom_cells() -> None:
    """n − TP − FN − FP of float weights leaves ±1e-17 where there is no row."""
    matrix = ConfusionMatrix.from_counts([[0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0]], labels=["a", "b", "c"])
    one = matrix.one_vs_rest("a")
    assert one.counts.tolist()[1] == [0, 0]
    assert math.isnan(one.specificity)
    assert one.estimate("specificity").reason == "there are no negatives"
