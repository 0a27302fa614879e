"""Confusion matrices: orders of labels, checks, one class against the rest, prevalence."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.strategies import matrices
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.counts.cells import MANY, class_cells
from thresher.errors import InputError

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
THREE = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 4], [1, 1, 7]], labels=["a", "b", "c"])


def test_two_classes_stand_positive_first() -> None:
    given_negative_first = ConfusionMatrix.from_counts([[9560, 140], [210, 90]], labels=["no", "yes"], positive="yes")
    assert given_negative_first == MATRIX
    assert MATRIX.positive == "yes"
    assert MATRIX.counts.tolist() == [[90, 210], [140, 9560]]
    for labels in ((0, 1), (-1, 1), (False, True)):
        assert ConfusionMatrix.from_counts([[4, 3], [2, 1]], labels=labels).counts.tolist() == [[1, 2], [3, 4]]
        assert ConfusionMatrix.from_counts([[1, 2], [3, 4]], labels=labels[::-1]).counts.tolist() == [[1, 2], [3, 4]]


def test_truth_in_columns_when_it_is_said() -> None:
    weights = {"squares": [[1, 2], [3, 4]], "weight_kind": "importance"}
    columns = ConfusionMatrix.from_counts([[90, 140], [210, 9560]], labels=(1, 0), truth_in="columns", **weights)
    assert columns.counts.tolist() == MATRIX.counts.tolist()
    assert columns.squares.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize(("counts", "said"), [
    ([1, 2], "are not K×K"), ([[1, 2, 3], [4, 5, 6]], "counts of shape (2, 3) are not K×K"),
    ([[1, -1], [0, 2]], "not all finite and ≥ 0"), ([[1, float("nan")], [0, 2]], "not all finite"),
    ([[1, float("inf")], [0, 2]], "not all finite"), ([["1", "2"], ["3", "4"]], "are not numbers"),
    ([[1, 2], [3, None]], "are not numbers"),
    (np.array([[2**63, 0], [0, 1]], dtype=np.uint64), "add up to more than 2**63 − 1"),
    ([[2**62, 2**62], [1, 1]], "add up to more than 2**63 − 1"),
])  # fmt: skip
def test_counts_that_are_none(counts: list, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ConfusionMatrix.from_counts(counts)
    assert said in str(caught.value)
    assert str(caught.value).endswith(".")


def test_the_constructor_checks_as_well() -> None:
    assert ConfusionMatrix(counts=[[1, 2], [3, 4]], labels=[1, 0]).counts.dtype == np.int64


def test_nothing_can_be_written_to_and_nothing_is_shared() -> None:
    counts = np.array([[1, 2], [3, 4]])
    matrix = ConfusionMatrix.from_counts(counts, labels=(1, 0))
    counts[0, 0] = 99
    assert matrix.counts[0, 0] == 1
    with pytest.raises(AttributeError):
        matrix.prior = 0.5


def test_pickling_and_copying_keep_it_frozen() -> None:
    for other in (pickle.loads(pickle.dumps(MATRIX)), copy.deepcopy(MATRIX), copy.copy(MATRIX)):
        assert other == MATRIX
        assert not other.counts.flags.writeable


@given(matrices(k=4))
def test_one_against_the_rest(matrix: ConfusionMatrix) -> None:
    per_class = matrix.per_class()
    assert per_class.counts.shape == (4, 2, 2)
    for i, label in enumerate(matrix.labels):
        one = matrix.one_vs_rest(label)
        assert one.labels == (label, "rest")
        (tp, fn), (fp, tn) = one.counts.tolist()
        rest = np.delete(np.arange(4), i)
        assert tp == matrix.counts[i, i]
        assert fn == pytest.approx(matrix.counts[i, rest].sum())
        assert fp == pytest.approx(matrix.counts[rest, i].sum())
        assert tn == pytest.approx(matrix.counts[np.ix_(rest, rest)].sum())
        assert (per_class.counts[i] == one.counts).all()
        assert matrix.each_vs_rest()[label] == one
        assert one.weight_kind == matrix.weight_kind
        assert (one.squares is None) == (matrix.squares is None)


def test_one_against_the_rest_of_two_classes() -> None:
    assert MATRIX.one_vs_rest("yes") == MATRIX
    other = MATRIX.one_vs_rest("no")
    assert other.labels == ("no", "yes")
    assert other.recall == MATRIX.specificity
    named_rest = ConfusionMatrix.from_counts(np.ones((3, 3)), labels=["rest", "b", "c"])
    assert named_rest.one_vs_rest("rest").labels == ("rest", "not rest")


def test_a_new_prevalence_moves_the_rows_only() -> None:
    moved = MATRIX.with_prevalence(0.5)
    assert moved.counts.tolist() == MATRIX.counts.tolist()
    assert moved.prevalence == 0.5
    assert (moved.recall, moved.fpr) == pytest.approx((MATRIX.recall, MATRIX.fpr))
    assert moved.precision == pytest.approx(0.3 / (0.3 + 140 / 9700))
    assert moved.with_prevalence(0.1) == MATRIX.with_prevalence(0.1)
    assert moved.one_vs_rest("no").with_prevalence(0.5) == MATRIX.one_vs_rest("no").with_prevalence(0.5)
    assert MATRIX.with_prevalence(0.2).one_vs_rest("no").prevalence == pytest.approx(0.8)


def test_prevalence_or_skew() -> None:
    assert MATRIX.with_prevalence(skew=9) == MATRIX.with_prevalence(0.1)


@given(st.floats(0.01, 0.99), matrices(k=2))
def test_skew_is_another_word_for_prevalence(prevalence: float, matrix: ConfusionMatrix) -> None:
    """Accuracy and precision at r negatives for each positive are those at prevalence 1/(1 + r)."""
    skew = (1 - prevalence) / prevalence
    moved = matrix.with_prevalence(prevalence)
    for ours, theirs in (("skew_sensitive_accuracy", "accuracy"), ("skew_sensitive_precision", "precision")):
        np.testing.assert_allclose(getattr(matrix, ours)(skew=skew), getattr(moved, theirs), rtol=1e-9)


def test_predictions_take_their_classes_in_a_stated_order() -> None:
    truth, predicted = ["b", "a", "c"], ["a", "a", "c"]
    assert ConfusionMatrix.from_predictions(truth, predicted).labels == ("a", "b", "c")
    stated = ConfusionMatrix.from_predictions(truth, predicted, labels=["c", "d", "b", "a"])
    assert stated.labels == ("c", "d", "b", "a")
    assert stated.counts.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]]


@pytest.mark.peer
def test_a_matrix_is_a_frame_of_one_row_for_each_cell() -> None:
    frame = THREE.to_frame("polars")
    assert frame.columns == ["truth", "predicted", "count"]
    assert frame.rows() == [
        (truth, predicted, THREE.counts[i, j])
        for i, truth in enumerate("abc")
        for j, predicted in enumerate("abc")
    ]  # fmt: skip
    with pytest.raises(InputError, match="a batch of matrices"):
        ConfusionMatrix.from_counts(np.ones((2, 3, 3)), labels=list("abc")).to_frame()


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


@pytest.mark.parametrize("k", [3, MANY, MANY + 1, 2 * MANY + 5])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_true_negatives_lie_outside_row_and_column(k: int, shape: tuple[int, ...]) -> None:
    counts = np.random.default_rng(k).random((*shape, k, k))
    found = class_cells(counts)
    for place in (0, 1, k // 2, k - 1):
        others = np.delete(np.delete(counts, place, axis=-1), place, axis=-2)
        assert found.tn[..., place] == pytest.approx(others.sum(axis=(-2, -1)), rel=1e-12)
        assert found.fn[..., place] == pytest.approx(np.delete(counts, place, axis=-1)[..., place, :].sum(axis=-1))


def test_a_two_by_two_matrix_without_labels_is_not_guessed():
    matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=[1, 0])
    assert ConfusionMatrix.from_counts(matrix.counts, labels=matrix.labels) == matrix


def test_attributes_that_are_no_measures() -> None:
    assert not hasattr(MATRIX, "__array_interface__")
    assert "accuracy" in dir(MATRIX)
    assert "one_vs_rest" in dir(MATRIX)
