"""Checks across columns: lengths, missing values, weights, groups, options."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher.errors import InputError, OptionError
from thresher.predictions import Columns, Encoded, build
from thresher.readers import load


def test_no_rows_are_an_error():
    with pytest.raises(InputError, match="there are no rows"):
        load([], [])


@pytest.mark.parametrize(("options", "said"), [
    ({"scores": [1, 2, 3]}, "score column 'score' has 3 rows and the label column 'y_true' has 2"),
    ({"scores": {"a": [1, 2], "b": [1]}}, "score column 'b' has 1 rows"),
    ({"predicted": [1, 0, 0]}, "label column 'predicted' has 3 rows|prediction column 'predicted' has 3 rows"),
    ({"scores": [1, 2], "weights": [1]}, "weight column 'weights' has 1 rows"),
    ({"scores": [1, 2], "by": ["x"]}, "group column 'group' has 1 rows"),
    ({"scores": [1, 2], "fold": [1, 2, 3]}, "fold column 'fold' has 3 rows"),
    ({"scores": [1, 2], "cluster": [1]}, "cluster column 'cluster' has 1 rows"),
])  # fmt: skip
def test_columns_of_another_length_are_an_error_that_names_the_column(options, said):
    with pytest.raises(InputError, match=said):
        load([0, 1], **options)


@pytest.mark.parametrize("gap", [None, math.nan, np.float32("nan")])
def test_a_missing_score_is_an_error_that_names_column_and_row(gap):
    with pytest.raises(InputError, match=r"the score column 'm' is empty in row 2\b.*missing='drop'"):
        load([0, 1, 1], {"m": [0.5, gap, 0.25]})


def test_a_missing_label_is_an_error_that_names_column_and_row():
    with pytest.raises(InputError, match=r"the label column 'y_true' is empty in row 3 \(2 rows in all\)"):
        load([0, 1, None, 1, math.nan], [1, 2, 3, 4, 5])
    with pytest.raises(InputError, match="the label column 'y_true' is empty in row 1"):
        load(["", "a", "b"], [1, 2, 3], positive="a")


def test_a_row_with_a_gap_is_dropped_for_all_models_and_said():
    rows = load([0, 1, 1, 0], {"a": [1, None, 3, 4], "b": [1, 2, None, 5]}, by=["u", "v", "w", "x"], missing="drop")
    assert len(rows) == 2
    assert rows.dropped == 2
    assert rows.scores["a"].tolist() == [1, 4]
    assert rows.scores["b"].tolist() == [1, 5]
    assert rows.by["group"].values == ("u", "x")
    assert rows.notes[0] == (
        "2 of 4 rows are dropped, for all models: 1 without a value in the score column 'a'; "
        "1 without a value in the score column 'b'."
    )


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, None]), st.sampled_from([0.5, 2.0, None]), st.sampled_from([0.0, 1.0, 3.0])),
        min_size=1,
        max_size=30,
    )
)
def test_what_is_kept_is_what_a_filter_by_hand_keeps(data):
    weighted = [row for row in data if row[2] > 0]
    kept = [row for row in weighted if None not in row[:2]]
    if not kept:
        with pytest.raises(InputError, match=r"no row is left|every weight"):
            load(*zip(*((y, s) for y, s, _ in data), strict=True), weights=[w for *_, w in data], missing="drop")
        return
    rows = load([y for y, *_ in data], [s for _, s, _ in data], weights=[w for *_, w in data], missing="drop")
    assert rows.truth.tolist() == [y for y, *_ in kept]
    assert rows.scores["score"].tolist() == [s for _, s, _ in kept]
    assert rows.weights.tolist() == [w for *_, w in kept]
    assert rows.dropped == len(weighted) - len(kept)


def test_a_gap_in_a_row_of_weight_zero_does_not_matter_and_the_row_named_is_that_of_the_input():
    rows = load([0, 1, 1], [None, 2, 3], weights=[0, 1, 1])
    assert len(rows) == 2
    assert rows.notes[0] == "1 row of weight 0 is left out."
    with pytest.raises(InputError, match="is empty in row 3"):
        load([0, 1, 1], [None, 2, None], weights=[0, 1, 1])


@pytest.mark.parametrize(("weights", "said"), [
    ([1, -1], "the weight column 'weights' is -1 in row 2: a weight is a finite number of at least 0"),
    ([math.nan, 1], "is missing in row 1"), ([1, None], "is missing in row 2"), ([1, math.inf], "is inf in row 2"),
    ([0, 0], "every weight in column 'weights' is 0"),
    (["a", 1], "the weight column 'weights' mixes numbers and text: 'a' in row 1"),
])  # fmt: skip
def test_a_bad_weight_is_an_error_even_when_gaps_are_dropped(weights, said):
    with pytest.raises(InputError, match=said):
        load([0, 1], [1, 2], weights=weights, missing="drop")


def test_frequencies_of_parts_of_a_row_are_refused():
    with pytest.raises(
        InputError, match=r"the frequency weight column 'weights' is 2\.5 in row 3\. .*weight_kind='importance'"
    ):
        load([0, 1, 1], [1, 2, 3], weights=[0, 2, 2.5], weight_kind="frequency")
    assert load([0, 1], [1, 2], weights=[1, 2.5]).weights.tolist() == [1, 2.5]


@pytest.mark.parametrize(
    ("option", "value"), [("direction", "up"), ("missing", "ignore"), ("weight_kind", "exact"), ("rest", "all")]
)
def test_an_option_lists_its_values(option, value):
    with pytest.raises(OptionError, match=f"{option}='{value}' is not one of its values"):
        load([0, 1], [1, 2], **{option: value})


def test_groups_are_sorted_and_rows_without_one_are_a_group_of_their_own():
    rows = load([0, 1, 1, 0], [1, 2, 3, 4], by={"site": ["b", None, "a", ""], "size": [10, 9, math.nan, 10]})
    site, size = rows.by["site"], rows.by["size"]
    assert site.values == ("a", "b", "(missing)")
    assert [site.values[code] for code in site.codes] == ["b", "(missing)", "a", "(missing)"]
    assert size.values == (9, 10, "(missing)")
    assert len(rows) == 4


def test_a_group_called_as_the_missing_ones_are_stays_apart_from_them():
    column = load([0, 1, 1], [1, 2, 3], by=["(missing)", None, "x"]).by["group"]
    assert column.values == ("(missing), as text", "x", "(missing)")
    assert column.codes.tolist() == [0, 2, 1]


def test_nor_are_they_mixed_where_they_come_in_different_parts():
    """Rows without a group in a later part were counted with those of a group called "(missing)"."""
    parts = [["(missing)", "(missing)", "x"], [None, "x", None], ["x", "(missing)", None]]
    batches = ({"y": [0, 1, 1], "s": [0.1, 0.2, 0.3], "g": part} for part in parts)
    found = thresher.count(batches, "s", label="y", by="g")
    rows = {key[0]: int(tables["s"].P + tables["s"].N) for key, tables in found.groups.items()}
    assert rows == {"(missing), as text": 3, "x": 3, "(missing)": 3}


def test_a_group_column_of_two_kinds_is_an_error():
    with pytest.raises(InputError, match=r"the group column 'group' mixes numbers and text \(1 and '1'\)"):
        load([0, 1], [1, 2], by=[1, "1"])


def test_infinite_scores_are_legal_and_constant_ones_are_said():
    rows = load([0, 1], {"a": [-math.inf, math.inf], "b": [2, 2]})
    assert rows.scores["a"].tolist() == [-math.inf, math.inf]
    assert [note.code for note in rows.notes] == ["constant-score"]


def test_the_location_of_a_row_is_that_of_the_engine():
    truth = Encoded("y", np.array([0, 1], dtype=np.uint8), (0, 1))
    columns = Columns(truth=truth, scores={"s": np.array([1.0, np.nan])}, locate=lambda row: f"line {row + 2} of x")
    with pytest.raises(InputError, match="is empty in line 3 of x"):
        build(columns)


def test_the_caller_s_arrays_are_neither_changed_nor_watched():
    scores, weights = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    rows = load(np.array([0, 1, 1]), scores, weights=weights)
    scores[0] = weights[0] = 99
    assert rows.scores["score"].tolist() == [1, 2, 3]
    assert rows.weights.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        rows.scores["score"][0] = 5
