"""Rows of posteriors: what is checked, what is said, and what is not copied."""

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix
from thresher.errors import InputError
from thresher.multiclass import Posteriors

P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])


def test_labels_in_order_columns_by_number_or_as_named():
    assert Posteriors.of(["c", "a", "b"], P).labels == ("a", "b", "c")
    assert Posteriors.of(["c", "a", "b"], P).codes.tolist() == [2, 0, 1]
    assert Posteriors.of([30, 10, 20], P).labels == (10, 20, 30)
    named = Posteriors.of(["x", "x", "z"], P, labels=["z", "y", "x"])
    assert named.codes.tolist() == [2, 2, 0]
    assert named.absent == (1,)
    some = Posteriors.of([0, 2, 2], P, labels=range(3))
    assert (some.labels, some.codes.tolist(), some.absent) == ((0, 1, 2), [0, 2, 2], (1,))
    assert Posteriors.of([1.0, 2.0, 3.0], P, labels=[1, 2, 3]).codes.tolist() == [0, 1, 2]
    two = P[:, :2] / P[:, :2].sum(axis=1, keepdims=True)
    assert Posteriors.of([True, False, True], two).codes.tolist() == [1, 0, 1]


def test_a_missing_label_is_refused_in_any_array():
    for y in ([0, None, 2], [0.0, np.nan, 2.0], np.ma.masked_array([0, 1, 2], mask=[0, 1, 0])):
        with pytest.raises(InputError, match="the label of row 2 is missing"):
            Posteriors.of(y, P)


def test_sums_are_close_to_one_or_normalized_and_said():
    p = P + np.array([[5e-7, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert Posteriors.of([0, 1, 2], p).notes == ()
    doubled = Posteriors.of([0, 1, 2], 2 * P, normalize=True)
    assert doubled.matrix == pytest.approx(P)
    assert "divided by their sum; 3 of 3 were off by more than 1e-06, at most 1" in doubled.notes[0]
    assert "at most 0.0124." in Posteriors.of([0, 1, 2], 1.01231 * P, normalize=True).notes[0]


def test_arrays_in_order_are_not_copied_and_cannot_be_written():
    given = Posteriors.of(np.array([0, 1, 2]), P)
    assert np.shares_memory(given.matrix, P)
    assert not given.matrix.flags.writeable
    assert P.flags.writeable
    assert Posteriors.of([0, 1, 2], P.astype(np.float32)).matrix.dtype == np.float64


def test_scores_of_any_kind():
    scores = np.array([[-1.0, np.inf], [2.0, 3.0]])
    given = Posteriors.of([0, 1], scores, scores=True)
    assert not given.are_probabilities


def test_matrix_of_decisions():
    weights = np.array([1.0, 2.0, 3.0])
    given = Posteriors.of(["a", "b", "a"], P, labels=["a", "b", "c"], weights=weights)
    want = ConfusionMatrix.from_predictions(["a", "b", "a", "c"], ["a", "b", "c", "c"], weights=[*weights, 0.5])
    assert given.confusion().counts.tolist() == [[1, 0, 3], [0, 2, 0], [0, 0, 0]]
    assert given.confusion().squares.tolist() == [[1, 0, 9], [0, 4, 0], [0, 0, 0]]
    assert given.confusion().labels == want.labels
    assert given.confusion(np.array([1, 1, 1])).counts[:, 1].tolist() == [4, 2, 0]
    assert given.most_probable.tolist() == [0, 1, 2]
    repeated = Posteriors.of([0, 1, 2], P, weights=[1, 2, 3], weight_kind="frequency").confusion()
    assert repeated.counts.dtype == np.int64
    assert repeated.squares is None


def test_rows_are_taken():
    given = Posteriors.of([0, 1, 2], P, weights=[1, 2, 3])
    part = given.take([2, 2, 0])
    assert part.codes.tolist() == [2, 2, 0]
    assert part.weights.tolist() == [3, 3, 1]
    assert part.labels == given.labels
    assert len(part) == 3
    assert "importance weights" in repr(part)
