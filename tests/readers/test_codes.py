"""Codes of labels against a dictionary over Python objects, for every kind of column and block."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.kernel.values import TextColumn
from thresher.predictions.columns import code_type
from thresher.predictions.labels import kind
from thresher.readers import codes
from thresher.readers.codes import Encoder, distinct_dictionary, distinct_numbers, distinct_objects


def decoded(block):
    """Rows of a block as (kind, value), None where missing."""
    codes, values = block
    return [None if code == len(values) else (kind(values[code]), values[code]) for code in codes]


def expected(values):
    return [None if codes.is_missing(v) or (isinstance(v, str) and not v.strip()) else (kind(v), v) for v in values]


def check(block, values):
    assert decoded(block) == expected(values)
    assert len({(kind(v), v) for v in block[1]}) == len(block[1])
    assert set(np.unique(block[0]).tolist()) >= set(range(len(block[1])))


INTEGERS = st.lists(st.one_of(st.integers(-3, 3), st.integers(-(2**62), 2**62)), max_size=40)
TEXT = st.text(st.sampled_from("ab é€\x00😀"), max_size=20)
TEXTS = st.one_of(  # of any length, all short, all of one length, many distinct ones
    st.lists(TEXT, max_size=40),
    st.lists(st.text(st.sampled_from("ab\x00"), max_size=7), max_size=60),
    st.integers(1, 20).flatmap(lambda n: st.lists(st.text(st.sampled_from("ab"), min_size=n, max_size=n), max_size=40)),
)


@given(INTEGERS)
def test_integers(values):
    check(distinct_numbers(np.array(values, dtype=np.int64)), values)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
@given(st.data())
def test_integers_of_every_width_and_range(dtype, data):
    limits = np.iinfo(dtype)
    values = data.draw(st.lists(st.integers(int(limits.min), int(limits.max)), max_size=20))
    check(distinct_numbers(np.array(values, dtype=dtype)), values)
    few = [value % 3 for value in values]
    check(distinct_numbers(np.array(few, dtype=dtype)), few)


@given(
    st.lists(st.one_of(st.sampled_from([0.0, 1.0, -0.0, math.nan, 0.5]), st.floats(allow_infinity=True)), max_size=40)
)
def test_floats_with_missing_ones(values):
    check(distinct_numbers(np.array(values, dtype=np.float64)), values)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 7]), st.booleans()), max_size=40))
def test_a_mask_of_missing_values(pairs):
    values = np.array([value for value, _ in pairs], dtype=np.int64)
    missing = np.array([gone for _, gone in pairs], dtype=bool)
    check(distinct_numbers(values, missing), [None if gone else value for value, gone in pairs])


@given(st.lists(st.booleans(), max_size=40))
def test_truth_values_stay_truth_values(values):
    block = distinct_numbers(np.array(values, dtype=bool))
    check(block, values)
    assert all(type(value) is bool for value in block[1])


OBJECTS = st.one_of(
    st.none(), st.just(math.nan), st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, 1.0, 0.5]),
    st.sampled_from(["", " ", "1", "yes", "yes ", "True"]), st.sampled_from([b"1", np.int8(1), np.float32(1), np.nan]),
)  # fmt: skip


@given(st.lists(OBJECTS, max_size=40))
def test_objects_of_different_types_stay_apart_though_python_holds_them_equal(values):
    codes, found = distinct_objects(values)
    for value, code in zip(values, codes, strict=True):
        if expected([value]) == [None]:
            assert code == len(found)
        else:
            assert type(found[code]) is type(value)
            assert found[code] == value


@given(TEXTS)
def test_texts_of_an_arrow_array(values):
    data = [value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, data)]).astype(np.int32)
    check(codes.distinct_texts(TextColumn(np.frombuffer(b"".join(data), dtype=np.uint8), offsets)), values)


@given(st.lists(st.tuples(TEXT, st.booleans()), max_size=40))
def test_texts_with_nulls_whose_bytes_mean_nothing(pairs):
    data = [value.encode() for value, _ in pairs]
    offsets = np.cumsum([0, *map(len, data)]).astype(np.int64)
    missing = np.array([gone for _, gone in pairs], dtype=bool)
    block = codes.distinct_texts(TextColumn(np.frombuffer(b"".join(data), dtype=np.uint8), offsets), missing)
    check(block, [None if gone else value for value, gone in pairs])


@given(st.lists(st.text(st.sampled_from("ab é€😀"), max_size=9), max_size=40))
def test_texts_of_numpy(values):
    check(codes.distinct_fixed(np.array(values, dtype="U9")), values)


def string_views(values):
    """Arrow's view layout by hand, long texts alternating between two buffers."""
    views, buffers = bytearray(), [bytearray(), bytearray()]
    for row, value in enumerate(values):
        data = value.encode()
        views += len(data).to_bytes(4, "little")
        if len(data) <= 12:
            views += data.ljust(12, b"\xff" if row % 3 == 9 else b"\0")
            continue
        at = row % 2
        views += data[:4] + at.to_bytes(4, "little") + len(buffers[at]).to_bytes(4, "little")
        buffers[at] += data
    return np.frombuffer(bytes(views), dtype=np.uint8), [np.frombuffer(bytes(b), dtype=np.uint8) for b in buffers]


@pytest.mark.parametrize("longest", [12, 30])
@given(data=st.data())
def test_texts_of_an_arrow_view_array(longest, data):
    short = st.text(st.sampled_from("ab é€"), max_size=longest).filter(lambda text: len(text.encode()) <= longest)
    values = data.draw(st.lists(short, max_size=40))
    views, buffers = string_views(values)
    views = views.reshape(-1, 16)
    for missing in (None, np.arange(len(values)) % 3 == 0):
        want = [None if missing is not None and missing[row] else value for row, value in enumerate(values)]
        check(codes.distinct_texts(TextColumn.of_views(views, buffers, missing), missing), want)
        if codes.are_short(views):
            check(codes.distinct_short(views, missing), want)


@given(
    st.lists(st.integers(-1, 4), max_size=40),
    st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=5, max_size=5),
)
def test_coded_columns_forget_values_that_do_not_occur(indices, values):
    block = distinct_dictionary(np.array(indices, dtype=np.int64), values, None)
    assert decoded(block) == expected([None if i < 0 else values[i] for i in indices])


@given(st.lists(st.lists(st.one_of(st.integers(0, 600), st.none()), max_size=60), max_size=8))
def test_blocks_are_strung_together_whatever_their_code_types(parts):
    encoder = Encoder("x", "cluster")
    for part in parts:
        encoder.add(distinct_objects(part))
    column = encoder.finish()
    whole = [value for part in parts for value in part]
    assert decoded((column.codes, list(column.values))) == expected(whole)
    assert column.codes.dtype == code_type(len(column.values) + 1)


@pytest.mark.parametrize("distinct", [254, 255, 256, 257, 65_534, 65_535, 65_536])
def test_the_code_of_missing_values_is_never_that_of_a_label(distinct):
    encoder = Encoder("x", "cluster")
    encoder.add(distinct_objects([None]))
    encoder.add(distinct_numbers(np.arange(distinct)))
    encoder.add(distinct_objects([None, distinct - 1]))
    column = encoder.finish()
    assert len(column.values) == distinct
    assert np.flatnonzero(column.missing).tolist() == [0, distinct + 1]
    assert column.codes[-1] == distinct - 1


def test_one_label_seen_as_integer_float_and_numpy_scalar_has_one_code():
    encoder = Encoder("x")
    for part in ([0, 1], [1.0, 0.0], [np.int8(1), np.float32(0)]):
        encoder.add(distinct_objects(part))
    assert encoder.finish().values == (0, 1)


@given(
    st.lists(st.lists(st.one_of(st.integers(0, 9), st.integers(-(2**40), 2**40)), max_size=40), max_size=5), st.data()
)
def test_numbers_of_clusters_are_coded_all_at_once_and_of_groups_block_by_block(parts, data):
    gaps = [data.draw(st.lists(st.booleans(), min_size=len(part), max_size=len(part))) for part in parts]
    whole = [
        None if gap else v for part, gone in zip(parts, gaps, strict=True) for v, gap in zip(part, gone, strict=True)
    ]
    for role in ("cluster", "group"):
        encoder = Encoder("x", role)
        for part, gone in zip(parts, gaps, strict=True):
            missing = np.array(gone, dtype=bool)
            encoder.add_numbers(np.array(part, dtype=np.int64), missing if missing.any() else None)
        column = encoder.finish()
        assert decoded((column.codes, list(column.values))) == expected(whole)
