"""Which labels are classes, in which order, and which one is positive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError, OptionError
from thresher.readers import load


def classes(labels, **options):
    return load(labels, np.arange(len(labels)), **options).classes


@pytest.mark.parametrize(("labels", "expected"), [
    ([0, 1], (0, 1)), ([1, 0], (0, 1)), ([0.0, 1.0], (0, 1)), ([-1, 1], (-1, 1)), ([-1.0, 1.0, 1.0], (-1, 1)),
    ([True, False], (False, True)), (np.array([1, 0], dtype=np.uint8), (0, 1)),
    (np.array([1, 0], dtype=np.float32), (0, 1)), (np.array([True, False]), (False, True)),
])  # fmt: skip
def test_three_pairs_speak_for_themselves(labels, expected):
    found = classes(labels)
    assert found == expected
    assert [type(a) for a in found] == [type(a) for a in expected]


@pytest.mark.parametrize("labels", [["a", "b"], ["yes", "no"], [1, 2], [0, 2], ["0", "1"], [0.5, 1.5]])
def test_any_other_pair_needs_the_user_to_name_the_positive_one(labels):
    with pytest.raises(OptionError, match=r"which of the labels .* is positive\? Name it with positive=") as raised:
        classes(labels)
    for label in labels:
        assert repr(label) in str(raised.value)


@given(
    st.sampled_from(["a", "b"]), st.lists(st.sampled_from(["a", "b"]), min_size=1).filter(lambda x: len(set(x)) == 2)
)
def test_truth_is_one_exactly_where_the_label_is_positive(positive, labels):
    rows = load(labels, np.zeros(len(labels)), positive=positive)
    assert rows.truth.dtype == np.uint8
    assert rows.truth.tolist() == [int(label == positive) for label in labels]
    assert rows.classes == (({"a", "b"} - {positive}).pop(), positive)
    assert rows.positive == positive


def test_a_command_line_names_the_positive_label_by_its_text():
    assert classes([1, 2], positive="1") == (2, 1)
    assert classes([True, False], positive="False") == (True, False)
    assert classes([0.5, 1.5], positive="0.5") == (1.5, 0.5)


def test_three_labels_with_scores_are_an_error_that_lists_them_and_the_ways_out():
    with pytest.raises(InputError) as raised:
        classes(["a", "b", "c"])
    said = str(raised.value)
    assert "'a', 'b', 'c'" in said
    assert "positive=… and rest='negative'" in said
    assert "posterior" in said


def test_rest_makes_a_binary_task_of_three_labels_and_says_so():
    rows = load(["a", "b", "c", "a"], [1, 2, 3, 4], positive="a", rest="negative")
    assert rows.classes == ("not a", "a")
    assert rows.truth.tolist() == [1, 0, 0, 1]
    assert rows.notes == ("The label 'a' is judged against all others together: 'b', 'c'.",)


def test_rest_changes_nothing_for_two_labels():
    assert classes(["a", "b"], positive="a", rest="negative") == ("b", "a")


def test_whole_floats_and_integers_are_one_kind():
    assert classes([0, 1.0, np.int64(1), np.float32(0)]) == (0, 1)


def test_true_and_false_can_be_predicted_as_one_and_zero():
    rows = load([True, False, True], predicted=[1, 1, 0])
    assert rows.classes == (0, 1)
    assert rows.truth.tolist() == [1, 0, 1]
    assert rows.predicted["predicted"].tolist() == [1, 1, 0]


def test_labels_that_differ_by_case_are_an_error_between_two_classes_and_a_note_among_many():
    rows = load(["A", "a", "b"], predicted=["A", "a", "b"])
    assert rows.classes == ("A", "a", "b")
    assert [note.code for note in rows.notes] == ["labels-by-case"]


@pytest.mark.parametrize(("labels", "options", "expected", "truth"), [
    ([1, 1], {}, (0, 1), 1), ([0, 0], {}, (0, 1), 0), ([-1, -1], {}, (-1, 1), 0), ([True], {}, (False, True), 1),
    ([0, 0], {"positive": 0}, (1, 0), 1), ([0, 0], {"positive": "1"}, (0, 1), 0),
    (["x", "x"], {"positive": "x"}, ("not x", "x"), 1), (["x", "x"], {"positive": "y"}, ("x", "y"), 0),
])  # fmt: skip
def test_one_class_is_allowed_when_both_labels_are_known_and_is_said(labels, options, expected, truth):
    rows = load(labels, np.arange(len(labels)), **options)
    assert rows.classes == expected
    assert set(rows.truth.tolist()) == {truth}
    assert "one-class" in [note.code for note in rows.notes]


def test_labels_only_predicted_are_classes_too():
    rows = load(["a", "b", "c"], predicted=["a", "b", "d"])
    assert rows.task == "labels"
    assert rows.classes == ("a", "b", "c", "d")
    assert rows.truth.tolist() == [0, 1, 2]
    assert rows.predicted["predicted"].tolist() == [0, 1, 3]
    assert rows.positive is None


def test_predicted_labels_of_two_classes_follow_the_rule_of_the_positive_class():
    assert load([0, 1], predicted=[1, 1]).classes == (0, 1)


@given(st.integers(2, 400).flatmap(lambda k: st.permutations(range(k))))
def test_classes_are_sorted_and_codes_point_at_them(order):
    names = [f"class {i:03}" for i in order]
    truth = [names[i] for i in range(len(names))]
    rows = load(truth, predicted=truth[::-1], positive=names[0] if len(names) == 2 else None)
    if len(names) > 2:
        assert rows.classes == tuple(sorted(names))
    assert rows.truth.dtype == (np.uint8 if len(names) <= 256 else np.uint16)
    assert [rows.classes[code] for code in rows.truth] == truth
    assert [rows.classes[code] for code in rows.predicted["predicted"]] == truth[::-1]
