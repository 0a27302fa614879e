"""Where other packages go wrong on matrices of counts; each was reproduced elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import InputError


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


def test_144720_rows_of_small_integers() -> None:
    table = ThresholdTable.from_scores(np.tile(np.array([0, 1], dtype=np.int8), 72_360), np.arange(144_720) // 7)
    assert (int(table.P), int(table.N)) == (72_360, 72_360)
    assert (table.tp >= 0).all()
    assert np.abs(table.mcc[1:-1]).max() <= 1


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_weights_that_are_none(bad: float) -> None:
    """Elsewhere accepted, or nan comes out."""
    weights = [1.0, bad, 1.0]
    with pytest.raises(InputError, match=r"weight"):
        ScoreTable.from_scores([1, 0, 1], [0.1, 0.2, 0.3], weights=weights)
    with pytest.raises(InputError, match=r"weight"):
        ConfusionMatrix.from_predictions([1, 0, 1], [1, 1, 0], weights=weights)
    with pytest.raises(InputError, match="not all finite and ≥ 0"):
        ConfusionMatrix.from_counts([[1.0, bad], [1.0, 1.0]])


def test_zero_weight_rows_count_for_nothing() -> None:
    with_zero = ConfusionMatrix.from_predictions([1, 0, 1], [1, 1, 0], weights=[1.0, 2.0, 0.0])
    assert with_zero == ConfusionMatrix.from_predictions([1, 0], [1, 1], weights=[1.0, 2.0])


def test_weighted_counts_with_many_classes_have_no_phantom_cells() -> None:
    """n − TP − FN − FP of float weights leaves ±1e-17 where there is no row."""
    matrix = ConfusionMatrix.from_counts([[0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0]], labels=["a", "b", "c"])
    one = matrix.one_vs_rest("a")
    assert one.counts.tolist()[1] == [0, 0]
    assert math.isnan(one.specificity)
    assert one.estimate("specificity").reason == "there are no negatives"
