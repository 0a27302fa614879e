"""Small ways in and out of counted values and estimates."""

import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th

SHARES = st.floats(0.01, 0.99)


@given(SHARES, SHARES, SHARES)
def test_a_matrix_has_the_rates_that_it_was_made_of(sensitivity: float, specificity: float, prevalence: float) -> None:
    rates = {"sensitivity": sensitivity, "specificity": specificity, "prevalence": prevalence}
    matrix = th.ConfusionMatrix.from_rates(**rates, n=1234.5)
    assert {name: float(getattr(matrix, name)) for name in rates} == pytest.approx(rates)
    assert matrix.tp + matrix.fp + matrix.fn + matrix.tn == pytest.approx(1234.5)


@given(st.integers(0, 50), st.integers(1, 50), st.integers(0, 50), st.integers(1, 50))
def test_whole_counts_come_back_whole(tp: int, fn: int, fp: int, tn: int) -> None:
    matrix = th.ConfusionMatrix.from_cells(tp=tp, fp=fp, fn=fn, tn=tn)
    rates = {name: float(getattr(matrix, name)) for name in ("sensitivity", "specificity", "prevalence")}
    again = th.ConfusionMatrix.from_rates(**rates, n=tp + fn + fp + tn)
    assert again == matrix
    assert (again.tp, again.fp, again.fn, again.tn) == (tp, fp, fn, tn)
    assert np.array_equal(np.asarray(again), [[tp, fn], [fp, tn]])


def test_leaves_of_a_tree_are_rows_repeated() -> None:
    leaves = th.load_example("leaves")
    table = th.ScoreTable.from_counts(leaves["score"], leaves["positive"], leaves["negative"])
    counts = np.concatenate([leaves["positive"], leaves["negative"]])
    rows = th.ScoreTable.from_scores(
        np.repeat(np.repeat([1, 0], 5), counts), np.repeat(np.tile(leaves["score"], 2), counts)
    )
    assert table == rows


def test_an_estimate_is_a_number_with_an_interval() -> None:
    auc = th.Estimate(name="auc", value=0.91234, low=0.86, high=0.94, level=0.95, method="DeLong")
    assert auc >= 0.9 > th.Estimate(name="auc", value=0.8)
    assert auc < 1
    assert auc <= 0.91234
    assert auc != 0.91234
    assert (round(auc, 2), f"{auc:.3f}", auc.interval) == (0.91, "0.912", (0.86, 0.94))
    assert f"{auc}" == str(auc)
    assert th.Estimate(name="auc", value=0.8).interval is None
    undefined = th.Estimate(name="auc", value=np.nan)
    assert not undefined < 1
    assert not undefined >= 0


@pytest.mark.parametrize("other", ["0.5", "high", None, [0.5], object()])
@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_an_estimate_has_no_order_to_what_is_no_number(compare, other) -> None:
    with pytest.raises(TypeError, match="not supported between instances of 'Estimate' and"):
        compare(th.Estimate(name="auc", value=0.8), other)
    with pytest.raises(TypeError, match="not supported between instances of"):
        compare(other, th.Estimate(name="auc", value=0.8))


def test_an_estimate_has_an_order_to_numbers_of_any_kind_and_to_each_of_an_array() -> None:
    auc = th.Estimate(name="auc", value=0.75)
    for half in (0.5, Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5), False, 0):
        assert auc > half
        assert auc >= half
        assert half < auc
        assert half <= auc
    assert (auc >= np.array([0.5, 0.75, 0.8])).tolist() == [True, True, False]
    assert (np.array([0.5, 0.75, 0.8]) > auc).tolist() == [False, False, True]
