"""Labels become codes, against a dictionary, for every type, width and layout."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.metrics import confusion_matrix
from thresher.metrics.inputs import labels as labels_module
from thresher.metrics.inputs.labels import binary_truth, encode, positive_label

COLUMNS = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=60).map(lambda v: np.array(v, dtype=np.int64)),
    st.lists(st.integers(-5, 5), min_size=1, max_size=60).map(lambda v: np.array(v, dtype=np.int8)),
    st.lists(st.integers(250, 300), min_size=1, max_size=60).map(lambda v: np.array(v, dtype=np.uint16)),
    st.lists(st.integers(2**64 - 9, 2**64 - 1), min_size=1, max_size=20).map(lambda v: np.array(v, dtype=np.uint64)),
    st.lists(st.booleans(), min_size=1, max_size=60).map(np.array),
    st.lists(st.floats(-3, 3).map(round).map(float), min_size=1, max_size=60).map(np.array),
    st.lists(st.text(max_size=5), min_size=1, max_size=60).map(lambda v: np.array(v, dtype=np.str_)),
    st.lists(st.sampled_from(["no", "yes", "maybe"]), min_size=1).map(lambda v: np.array(v, dtype=object)),
)


@given(COLUMNS, st.booleans())
def test_encode(column, strided):
    if strided:
        column = np.repeat(column, 2)[::2]
    labels, codes = encode(column)
    expected = sorted(set(column.tolist()))
    assert labels.tolist() == expected
    assert [expected[code] for code in codes] == column.tolist()
    assert codes.dtype.kind in "iu"


def test_long_text_columns():
    rng = np.random.default_rng(0)
    names = np.array(["setosa", "versicolor", "virginica", "", "é"])
    codes = rng.integers(0, 5, 50_000)
    for column in (names[codes], names.astype(">U12")[codes], np.repeat(names[codes], 2)[::2]):
        labels, found = encode(column)
        assert labels.tolist() == sorted(names.tolist())
        assert (labels[found] == names[codes]).all()


def test_many_distinct_texts():
    column = np.random.default_rng(1).permutation(5000).astype(str)
    labels, codes = encode(column)
    assert labels.tolist() == sorted(column.tolist())
    assert (labels[codes] == column).all()


def test_text_and_numbers_do_not_mix():
    with pytest.raises(ValueError, match=r"Mix of label input types \(string and number\)"):
        confusion_matrix(np.array(["a"]), np.array([1]))


def test_positive_label():
    assert positive_label("b", np.array(["a", "b"])) == "b"
    for plain in ([0, 1], [-1, 1], [0], [1], [-1], [0.0, 1.0], [False, True]):
        assert positive_label(None, np.array(plain)) == 1
    for unclear in ([1, 2], ["0", "1"], [0, 1, 2]):
        with pytest.raises(ValueError, match="pos_label is not specified"):
            positive_label(None, np.array(unclear))


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_binary_truth_in_every_dress(values):
    expected = [int(v) for v in values]
    dresses = [
        values,
        expected,
        tuple(expected),
        np.array(values),
        *(np.array(expected, dtype=t) for t in ("i1", "u1", "i2", "i4", "i8", "u8", "f4", "f8", ">i4")),
        np.repeat(np.array(expected), 3)[::3],
        np.array(expected)[:, None],
        np.array([-1, 1])[expected],
    ]
    for dress in dresses:
        found = binary_truth(dress)
        assert found.dtype == np.uint8
        assert found.tolist() == expected
    assert binary_truth(np.array(["n", "p"])[expected], "p").tolist() == expected
    assert binary_truth(np.array(["n", "p"], dtype=object)[expected], "n").tolist() == [1 - v for v in expected]


def test_binary_truth_does_not_copy_uint8():
    column = np.array([0, 1, 1], dtype=np.uint8)
    assert np.shares_memory(binary_truth(column), column)


def test_wide_spans_of_whole_numbers_are_sorted():
    column = np.array([2**40, -(2**40), 2**40])
    assert labels_module.WIDEST_SPAN < 2**41
    labels, codes = encode(column)
    assert labels.tolist() == [-(2**40), 2**40]
    assert codes.tolist() == [1, 0, 1]
