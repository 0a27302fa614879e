"""Checks across columns: lengths, missing values, weights, groups, options."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher.errors import InputError
from thresher.readers import load


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


def test_frequencies_of_parts_of_a_row_are_refused():
    assert load([0, 1], [1, 2], weights=[1, 2.5]).weights.tolist() == [1, 2.5]


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


def test_infinite_scores_are_legal_and_constant_ones_are_said():
    rows = load([0, 1], {"a": [-math.inf, math.inf], "b": [2, 2]})
    assert rows.scores["a"].tolist() == [-math.inf, math.inf]
    assert [note.code for note in rows.notes] == ["constant-score"]


def test_the_caller_s_arrays_are_neither_changed_nor_watched():
    scores, weights = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    rows = load(np.array([0, 1, 1]), scores, weights=weights)
    scores[0] = weights[0] = 99
    assert rows.scores["score"].tolist() == [1, 2, 3]
    assert rows.weights.tolist() == [1, 2, 3]
