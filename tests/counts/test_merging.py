"""Merge laws: parts, folds and files add up to the whole, bit for bit for integer counts."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from contracts.strategies import matrices
from thresher.counts import ConfusionMatrix, ScoreTable

rows = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, -0.0, 0.5, 1.0, np.inf, -np.inf, 7.25])), max_size=9)
weights = st.sampled_from([0.0, 0.1, 0.25, 1.0, 3.0])


def table(part: list, **options: Any) -> ScoreTable:
    truth, scores = [row[0] for row in part], [row[1] for row in part]
    return ScoreTable.from_scores(np.array(truth, dtype=int), np.array(scores, dtype=float), **options)


def weighted(part: list, kind: str = "importance") -> ScoreTable:
    return table([row[:2] for row in part], weights=np.array([row[2] for row in part]), weight_kind=kind)


def close(a: ScoreTable, b: ScoreTable) -> bool:
    columns = ("positive", "negative", "positive_squares", "negative_squares")
    pairs = [(getattr(a, name), getattr(b, name)) for name in columns]
    return a.scores.tolist() == b.scores.tolist() and all(np.allclose(x, y, rtol=1e-12, atol=0) for x, y in pairs)


@given(rows, rows, rows, st.sampled_from(["higher", "lower"]))
def test_score_tables_of_counts(a: list, b: list, c: list, direction: str) -> None:
    x, y, z = (table(part, direction=direction) for part in (a, b, c))
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert x + ScoreTable.empty(direction=direction) == x == ScoreTable.empty(direction=direction) + x
    whole = table(a + b, direction=direction)
    assert x + y == whole
    assert (x + y).positive.dtype == whole.positive.dtype == np.int64


wrows = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0]), weights), max_size=9)


@given(wrows, wrows, wrows)
def test_score_tables_of_importance_weights(a: list, b: list, c: list) -> None:
    x, y, z = (weighted(part) for part in (a, b, c))
    assert close((x + y) + z, x + (y + z))
    assert x + y == y + x
    assert ScoreTable.empty() + x == x == x + ScoreTable.empty()
    assert close(x + y, weighted(a + b))


@given(wrows, wrows)
def test_score_tables_of_whole_frequency_weights_are_exact(a: list, b: list) -> None:
    a, b = ([(t, s, float(int(4 * w))) for t, s, w in part] for part in (a, b))
    x, y, whole = (weighted(part, "frequency") for part in (a, b, a + b))
    assert x + y == whole
    assert whole.positive.dtype == whole.negative.dtype == np.int64
    repeated = table([row[:2] for row in a for _ in range(int(row[2]))])
    assert (x.scores.tolist(), x.positive.tolist()) == (repeated.scores.tolist(), repeated.positive.tolist())


@given(st.data(), st.booleans(), st.integers(1, 4))
def test_confusion_matrices(data: Any, use_weights: bool, k: int) -> None:
    x, y, z = (data.draw(matrices(k=k, weighted=use_weights)) for _ in range(3))
    empty = ConfusionMatrix.empty(x.labels)
    assert x + y == y + x
    assert x + empty == x == empty + x
    left, right = (x + y) + z, x + (y + z)
    if not use_weights:
        assert left == right
        assert left.counts.dtype == np.int64
    np.testing.assert_allclose(left.counts, right.counts, rtol=1e-14)
    if use_weights:
        np.testing.assert_allclose((x + y).squares, x.squares + y.squares)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=20), st.integers(0, 20))
def test_parts_of_rows_add_up_to_the_whole(pairs: list, cut: int) -> None:
    def matrix(part: list) -> ConfusionMatrix:
        counts = np.zeros((3, 3), dtype=int)
        for truth, predicted in part:
            counts[truth, predicted] += 1
        return ConfusionMatrix.from_counts(counts)

    assert matrix(pairs[:cut]) + matrix(pairs[cut:]) == matrix(pairs)


def test_an_empty_value_of_any_batch() -> None:
    batch = ConfusionMatrix(counts=np.arange(12).reshape(3, 2, 2), labels=(1, 0))
    assert batch + ConfusionMatrix.empty((1, 0)) == batch
    assert ConfusionMatrix.empty((1, 0)) + batch == batch
    one = ConfusionMatrix.from_cells(tp=1, fp=2, fn=3, tn=4)
    assert (batch + one).counts.tolist() == (batch.counts + one.counts).tolist()


def test_counts_of_one_class_are_added_to_those_of_both() -> None:
    """A part that lacks a class calls it by guess ("not ill", 0), or as the text of an option spells it."""
    ill = th.count(["ill", "ill"], [0.9, 0.8], positive="ill", by={"site": ["x", "y"]})
    both = th.count(["well", "ill"], [0.1, 0.7], positive="ill", by={"site": ["x", "x"]})
    for found in (ill + both, both + ill, th.Counts.of_parts({"a": ill, "b": both}, by="day")):
        assert found.classes == ("well", "ill")
        assert (found["score"].P, found["score"].N) == (3, 1)
    assert (th.count([1], [0.9]) + th.count([-1, 1], [0.1, 0.2])).classes == (-1, 1)
    five = th.count([0, 5], [0.9, 0.5], positive="5")
    assert (th.count([0], [0.9], positive="5") + five).classes == (five + five).classes == (0, 5)


def test_a_list_of_counts_is_summed() -> None:
    day = th.count([1, 0], [0.9, 0.1])
    assert sum([day, day, day])["score"].positive.tolist() == [3, 0]


def test_unknown_squares_stay_unknown() -> None:
    known = ConfusionMatrix.from_counts([[1.5, 1], [1, 1]], labels=(1, 0), squares=[[2.25, 1], [1, 1]],
                                        weight_kind="importance")  # fmt: skip
    assert (known + replace(known, squares=None)).squares is None
    assert (known + known).squares.tolist() == [[4.5, 2], [2, 2]]


SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, -2.0]), max_size=6)


@given(SCORES, SCORES, st.sampled_from(["higher", "lower"]))
def test_tables_that_lie_above_each_other_are_added_as_all_are(a: list, b: list, direction: str) -> None:
    """These are stacked and not merged: what comes of it is the same."""
    x, y = (table([(i % 2, score) for i, score in enumerate(part)], direction=direction) for part in (a, b))
    truth = np.concatenate([np.arange(len(part)) % 2 for part in (a, b)])
    assert x + y == y + x == ScoreTable.from_scores(truth, np.array([*a, *b]), direction=direction)
