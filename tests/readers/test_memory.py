"""Arrays of every kind and layout."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from thresher.readers import load
from thresher.readers.series import floats

SCORES = [0.25, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "i1", "u1", "i4", "u8", ">i2", "O"])
def test_scores_of_every_number_type_are_read_exactly(dtype):
    values = np.array([0, 1, 2, 100], dtype=dtype)
    rows = load([0, 1, 0, 1], values)
    assert rows.scores["score"].dtype == np.float64
    assert rows.scores["score"].tolist() == [0, 1, 2, 100]
    assert rows.notes == ()


@pytest.mark.parametrize(
    "values",
    [
        SCORES, tuple(SCORES), np.array(SCORES)[::-1][::-1], np.array([SCORES, SCORES]).T[:, 0],
        np.array(SCORES).reshape(-1, 1), [[score] for score in SCORES], np.array(np.repeat(SCORES, 3))[::3],
        np.ma.MaskedArray(SCORES), [np.float32(score) for score in SCORES], [Decimal(str(score)) for score in SCORES],
        [Fraction(score) for score in SCORES], memoryview(np.array(SCORES)), {"score": SCORES},
    ],
)  # fmt: skip
def test_scores_of_every_layout(values):
    rows = load([0, 1, 0, 1], values)
    assert rows.scores["score"].tolist() == SCORES
    assert rows.scores["score"].flags.c_contiguous


@pytest.mark.parametrize(
    "values",
    [
        ["no", "yes", "yes"], ("no", "yes", "yes"), np.array(["no", "yes", "yes"]),
        np.array(["no", "yes", "yes"], dtype=object), np.array(["no", "yes", "yes"], dtype=np.dtypes.StringDType()),
        np.array([["no"], ["yes"], ["yes"]]), np.array(["yes", "yes", "no"])[::-1],
        np.ma.MaskedArray(["no", "yes", "yes"], mask=False),
    ],
)  # fmt: skip
def test_labels_of_every_layout(values):
    assert load(values, [1, 2, 3], positive="yes").truth.tolist() == [0, 1, 1]


def test_masked_entries_are_missing():
    rows = load(
        np.ma.MaskedArray([0, 1, 1, 0], mask=[0, 0, 1, 0]), np.ma.MaskedArray([1, 2, 3, 4], mask=[0, 0, 0, 1]),
        missing="drop",
    )  # fmt: skip
    assert rows.truth.tolist() == [0, 1]
    assert rows.scores["score"].tolist() == [1, 2]
    text = load(np.ma.MaskedArray(["a", "b", "b"], mask=[0, 1, 0]), [1, 2, 3], positive="b", missing="drop")
    assert text.truth.tolist() == [0, 1]


def test_one_array_is_called_score_and_several_by_their_names():
    assert load([0, 1], [1, 2]).models == ("score",)
    assert load([0, 1], {"model A": [1, 2], "model B": [2, 1]}).models == ("model A", "model B")
    assert load([0, 1], [1, 2], predicted=[0, 1]).models == ("score",)
    assert load([0, 1], predicted=[0, 1]).models == ("predicted",)
    both = load([0, 1], {"a": [1, 2]}, predicted={"a": [0, 1], "b": [1, 1]})
    assert both.models == ("a", "b")
    assert both.task == "binary"


def test_the_largest_whole_numbers_that_float64_tells_apart_are_fine():
    assert load([0, 1], [2**53, -(2**53)]).scores["score"].tolist() == [2**53, -(2**53)]


def test_true_and_false_scores_are_one_and_zero_and_that_is_said():
    for scores in ([True, False], np.array([True, False])):
        rows = load([0, 1], scores)
        assert rows.scores["score"].tolist() == [1, 0]
        assert [note.code for note in rows.notes] == ["boolean-as-number"]


@pytest.mark.parametrize("values", [np.array([0.5, 1.0]), np.array([0.5, 0, 1.0, 0])[::2], np.array([1, 0], np.int8)])
def test_numbers_that_are_lent_are_copied_only_where_they_are_not_float64_side_by_side(values):
    own, lent = (floats(values, "s", "score", [], lent=lent) for lent in (False, True))
    assert own.tolist() == lent.tolist() == values.tolist()
    assert not np.shares_memory(own, values)
    assert np.shares_memory(lent, values) == (values.dtype == np.float64 and values.flags.c_contiguous)


def test_minus_zero_and_infinities_pass():
    values = load([0, 1, 1], [-0.0, math.inf, -math.inf]).scores["score"]
    assert values.tolist() == [0.0, math.inf, -math.inf]


def test_groups_folds_and_clusters_may_be_one_column():
    rows = load({"y": [0, 1], "a": [1, 2], "g": [3, 4]}, "a", label="y", by="g", fold="g", cluster="g")
    assert rows.by["g"] == rows.fold == rows.cluster


def test_models_of_a_table_can_be_named():
    data = {"y": [0, 1], "a": [1, 2], "hard": [0, 1]}
    rows = load(data, {"Model A": "a"}, label="y", predicted={"Model A": "hard"})
    assert rows.models == ("Model A",)
    assert rows.scores["Model A"].tolist() == [1, 2]
    assert rows.predicted["Model A"].tolist() == [0, 1]


def test_a_dictionary_of_columns_may_be_numbered():
    rows = load({0: [0, 1, 1], 1: [0.1, 0.8, 0.4]}, "1", label="0")
    assert rows.scores["1"].tolist() == [0.1, 0.8, 0.4]
