"""The decisions of `conventions.py`, each held by a test."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.conventions import (
    POSITIVE_LABELS,
    divide,
    is_positive,
    positive_label,
    sentinel,
)
from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.errors import UndefinedMeasureWarning

EVEN = ([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])


def test_positive_iff_the_score_is_at_least_the_threshold() -> None:
    table = ThresholdTable.from_scores([1, 0], [0.5, 0.25])
    assert table.at(0.5).counts.tolist() == [[1, 0], [0, 1]]
    assert table.at(np.nextafter(0.5, 1)).counts.tolist() == [[0, 1], [0, 1]]
    assert is_positive(np.array([0.5]), 0.5, "higher").tolist() == [True]
    assert is_positive(np.array([0.5]), 0.5, "lower").tolist() == [True]


def test_equal_scores_are_one_row() -> None:
    table = ThresholdTable.from_scores([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.1])
    assert table.thresholds.tolist() == [math.inf, 0.5, 0.1]
    assert (table.tp.tolist(), table.fp.tolist()) == ([0, 2, 2], [0, 1, 2])


def test_minus_zero_and_zero_are_one_score() -> None:
    assert ThresholdTable.from_scores([1, 0], [0.0, -0.0]).thresholds.tolist() == [math.inf, 0.0]


def test_the_first_row_is_a_sentinel_above_every_score_even_an_infinite_one() -> None:
    table = ThresholdTable.from_scores([1, 0], [math.inf, 1.0])
    assert table.thresholds.tolist() == [math.inf, math.inf, 1.0]
    assert table.tp.tolist() == [0, 1, 1]
    assert table.at(math.inf).counts.tolist() == [[0, 1], [0, 1]]
    assert sentinel("lower") == -math.inf
    lower = ThresholdTable.from_scores([1, 0], [-math.inf, 1.0], direction="lower")
    assert lower.thresholds.tolist() == [-math.inf, -math.inf, 1.0]
    assert lower.tp.tolist() == [0, 1, 1]


def test_the_direction_is_never_guessed() -> None:
    truth, score = EVEN
    reversed_scores = [1 - s for s in score]
    table = ThresholdTable.from_scores(truth, reversed_scores)
    assert table.thresholds[1] == max(reversed_scores)
    assert ThresholdTable.from_scores(truth, reversed_scores, direction="lower").tp.tolist() == [0, 1, 1, 2, 2]


def test_rows_are_truth_and_columns_prediction() -> None:
    matrix = ConfusionMatrix.from_predictions([1, 1, 1, 0], [1, 0, 0, 1])
    assert matrix.counts.tolist() == [[1, 2], [1, 0]]
    assert matrix.recall == 1 / 3


def test_only_plain_pairs_of_labels_speak_for_themselves() -> None:
    assert [positive_label(pair, None) for pair in POSITIVE_LABELS] == [1, 1, True]


@given(st.integers(0, 5), st.integers(0, 5))
def test_one_function_divides(a: int, b: int) -> None:
    value = float(divide(a, b))
    if b:
        assert value == a / b
    else:
        assert math.isnan(value) if a == 0 else value == math.inf


def test_the_policy_for_undefined_at_the_edge() -> None:
    nothing = ConfusionMatrix.from_cells(tp=0, fp=0, fn=3, tn=5)
    assert math.isnan(nothing.precision)
    estimate = nothing.estimate("precision")
    assert math.isnan(estimate.value)
    assert estimate.reason_code == "nothing-predicted"
    assert nothing.estimate("precision", undefined=0).value == 0
    assert nothing.estimate("precision", undefined=1).reason_code == "nothing-predicted"
    with pytest.warns(UndefinedMeasureWarning, match="nothing is predicted positive"):
        assert math.isnan(nothing.estimate("precision", undefined="warn").value)
    assert nothing.estimate("recall", undefined="raise").value == 0
