"""Posteriors: which column is which class, rows that add up to 1, and predictions that carry them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError, SavedFormError
from thresher.predictions import Predictions
from thresher.predictions.columns import ClassColumns
from thresher.predictions.probabilities import largest, placed, tied_rows
from thresher.readers import load

Y = ["b", "a", "c", "a"]
P = np.array([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.25, 0.25, 0.5]])


def test_columns_stand_in_the_order_of_the_sorted_labels_or_as_named():
    rows = load(Y, P)
    assert rows.task == "multiclass"
    assert rows.classes == ("a", "b", "c")
    assert rows.truth.tolist() == [1, 0, 2, 0]
    assert np.array_equal(rows.posteriors["model"], P)
    turned = load(Y, {"net": P[:, ::-1]}, labels=["c", "b", "a"])
    assert turned.classes == ("c", "b", "a")
    assert turned.models == ("net",)
    assert turned.truth.tolist() == [1, 2, 0, 2]


def test_nested_lists_and_probabilities_mean_the_same():
    assert load(Y, P.tolist()) == load(Y, probabilities=P) == load(Y, P)


def test_a_class_that_no_row_has_is_named_and_said():
    wide = np.column_stack([P, np.zeros(4)])
    rows = load(Y, wide, labels=["a", "b", "c", "d"])
    assert rows.class_rows.tolist() == [2, 1, 1, 0]
    assert "absent-class" in [note.code for note in rows.notes]


def test_text_names_a_label_that_is_a_number():
    assert load([1, 0, 2, 0], P, labels=["0", "1", "2"]).classes == (0, 1, 2)


def test_a_row_that_does_not_add_up_is_named():
    bad = P.copy()
    bad[2] *= 0.9
    bad[3] *= 1.1
    with pytest.raises(InputError, match=r"add up to 0\.9 in row 3 \(2 rows in all.*normalize=True"):
        load(Y, bad)
    almost = P.copy()
    almost[2, 0] += 9e-7
    assert len(load(Y, almost)) == 4
    almost[2, 0] += 2e-7
    with pytest.raises(InputError, match="in row 3"):
        load(Y, almost)


def test_normalize_divides_and_says_what_it_changed():
    rows = load(Y, P * np.array([[1], [2], [0.5], [1]]), normalize=True)
    assert np.allclose(rows.posteriors["model"], P, atol=1e-15)
    assert any("normalize=True" in note and "2 rows, with sums from 0.5 to 2" in note for note in rows.notes)
    assert "normalized" not in [note.code for note in load(Y, P, normalize=True).notes]


def test_missing_posteriors_are_an_error_or_dropped():
    gap = P.copy()
    gap[1, 2] = np.nan
    with pytest.raises(InputError, match=r"the column 'column 3' of the posteriors of 'model' is empty in row 2"):
        load(Y, gap)
    rows = load(Y, gap, missing="drop")
    assert len(rows) == 3
    assert rows.dropped == 1
    assert np.array_equal(rows.posteriors["model"], P[[0, 2, 3]])


def test_two_posteriors_are_the_score_of_the_positive_class():
    two = np.array([[0.2, 0.8], [0.7, 0.3]])
    rows = load([1, 0], probabilities=two)
    assert rows.task == "binary"
    assert rows.scores["model"].tolist() == [0.8, 0.3]
    turned = load(["ill", "well"], probabilities=two, labels=["well", "ill"], positive="ill")
    assert turned.scores["model"].tolist() == [0.8, 0.3]
    sorted_order = load(["ill", "well"], probabilities=two, positive="ill")
    assert sorted_order.scores["model"].tolist() == [0.2, 0.7]


def test_the_callers_matrix_is_neither_changed_nor_shared():
    mine = P.copy()
    rows = load(Y, mine)
    mine[0, 0] = 9
    assert rows.posteriors["model"][0, 0] == 0.2
    assert rows.posteriors["model"].flags.f_contiguous


@given(st.integers(1, 30), st.integers(3, 6), st.data())
def test_parts_add_up_to_the_whole_and_take_gives_rows(n, k, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    truth, values = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    rows = load(truth, {"m": values}, labels=range(k), by=truth % 2)
    cut = data.draw(st.integers(0, n))
    first, second = rows.take(np.arange(cut)), rows.take(np.arange(cut, n))
    assert first + second == rows
    assert np.array_equal(rows.take(slice(None, None, -1)).posteriors["m"], values[::-1])
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_parts_of_other_models_or_classes_do_not_add_up():
    assert load(Y, P) != load(Y, P[:, [0, 2, 1]])


def test_saved_and_read_back(tmp_path):
    rows = load(Y, {"a": P, "b": P[::-1]}, predicted={"c": Y}, weights=[1, 2, 3, 4], fold=[1, 1, 2, 2])
    rows.save(tmp_path / "rows.parquet")
    assert Predictions.load(tmp_path / "rows.parquet") == rows
    labels = load(np.array([[1, 0], [0, 1]]), np.array([[0.2, 0.7], [0.1, 0.9]]), predicted=np.array([[1, 0], [0, 0]]))
    labels.save(tmp_path / "labels.parquet")
    assert Predictions.load(tmp_path / "labels.parquet") == labels
    (tmp_path / "labels.parquet").write_bytes(b"PAR1")
    with pytest.raises(SavedFormError):
        Predictions.load(tmp_path / "labels.parquet")


def test_the_largest_posterior_decides_and_the_first_of_tied_ones():
    values = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3]])
    assert largest(values).tolist() == [1, 0, 0]
    assert tied_rows(values) == 2
    rows = load(["a", "b", "c"], values)
    assert rows.decided("model").tolist() == [1, 0, 0]
    assert load(["a", "b", "c"], values, labels=["c", "b", "a"]).decided("model").tolist() == [1, 0, 0]


def test_names_are_matched_to_classes():
    def columns(*names, classes=None):
        return ClassColumns(np.zeros((1, len(names))), names, classes, named=True)

    assert placed("m", columns("p_b", "p_a"), ["a", "b"]) == [1, 0]
    assert placed("m", columns("b", "a"), ["a", "b"]) == [1, 0]
    assert placed("m", columns("p(10)", "p(1)"), [1, 10]) == [1, 0]
    assert placed("m", columns("class_1", "class_0"), ["class_0", "class_1"]) == [1, 0]
    assert placed("m", columns("x", "y"), ["a", "b"], stated=True) == [0, 1]
    with pytest.raises(InputError, match="do not say which class"):
        placed("m", columns("x", "y"), ["a", "b"])
    with pytest.raises(InputError, match="class 'b' lacks a column of probabilities by model 'm'"):
        placed("m", columns("p_a", "p_c", classes=("a", "c")), ["a", "b", "c"])
    with pytest.raises(InputError, match="column 'p_d' of model 'm' is for a class 'd' that is not among the labels"):
        placed("m", columns("p_a", "p_b", "p_d", classes=("a", "b", "d")), ["a", "b"])
