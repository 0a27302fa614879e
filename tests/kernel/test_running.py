"""Sums from those of stretches against cumulative columns."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel.tables import STRETCH

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


def columns(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of which some rows, the first among them, have none."""
    rng = np.random.default_rng(rows)
    positive, negative = rng.integers(0, 3, (2, rows))
    positive[:2] = negative[:2] = 0
    return positive, negative


@pytest.mark.parametrize("rows", [1, STRETCH, 5 * STRETCH + 1, 40 * STRETCH - 1])
def test_sums_at_rows(rows: int) -> None:
    positive, negative = columns(rows)
    running, at = kernel.Running(positive, negative), np.array([0, rows // 2, rows // 2, rows - 1])
    for asked in (at, at[:0], np.arange(rows)):
        want = kernel.cumulate_at(positive, negative, asked)
        assert all(np.array_equal(*pair) for pair in zip(running.at(asked), want, strict=True))
    assert running.totals == (positive.sum(), negative.sum())


@pytest.mark.parametrize("rows", [1, STRETCH, 5 * STRETCH + 1, 40 * STRETCH - 1])
def test_first_rows_that_reach(rows: int) -> None:
    positive, negative = columns(rows)
    size = np.cumsum(positive + negative)
    targets = np.unique(np.concatenate([[0, 1], size[:: max(1, rows // 9)], size[-1:], size[-1:] + 1]))
    found = kernel.Running(positive, negative).first(np.add, targets)
    assert found.tolist() == np.searchsorted(size, targets).tolist()


@pytest.mark.parametrize("rows", [400, 20_000])
def test_rows_of_a_drawing_are_the_same_without_a_sweep(rows: int) -> None:
    positive, negative = columns(rows)
    vertices = kernel.hull(positive, negative)
    want = kernel.thin(positive, negative, 200)
    running = kernel.Running(positive, negative)
    for known in (None, running):
        found = kernel.thin(positive, negative, 200, vertices=vertices, running=known)
        assert found.tolist() == want.tolist()


@both
@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 2, *[st.floats(0, 1e3)] * 3), max_size=30),
    st.lists(st.integers(0, 30), max_size=8),
    st.booleans(),
)
def test_sums_of_ranges_are_those_of_their_rows(use, rows, marks, is_whole):
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    counts = [table[:, k].astype(np.int64) if is_whole else table[:, k] / 3 for k in (0, 1)]
    squares = None if is_whole else (table[:, 3], table[:, 4])
    marks = np.sort(np.minimum(np.array(marks, dtype=np.int64), len(rows)))
    starts, ends = marks[: marks.size // 2], marks[marks.size - marks.size // 2 :]
    with brute.using(use):
        found = kernel.range_sums(*counts, starts, ends, scores=table[:, 2], squares=squares)
        bare = kernel.range_sums(*counts, starts, ends)
    assert bare.others.shape == (0, starts.size)
    assert found.positive.dtype == counts[0].dtype
    columns = [*counts, counts[0] * table[:, 2], counts[1] * table[:, 2], *(squares or ())]
    got = [found.positive, found.negative, *found.others]
    for column, sums in zip(columns, got, strict=True):
        want = [math.fsum(column[a:b]) for a, b in zip(starts, ends, strict=True)]
        assert sums.tolist() == pytest.approx(want, rel=1e-13)
    assert np.array_equal(bare.positive, found.positive)
    assert np.array_equal(bare.negative, found.negative)


def test_sums_of_long_ranges_are_right_to_the_last_bits():
    rng = np.random.default_rng(1)
    positive, negative, scores = rng.random(30_000), rng.random(30_000), rng.random(30_000)
    starts = np.sort(rng.integers(0, 20_000, 300))
    ends = np.sort(starts + rng.integers(0, 10_000, 300))
    found = kernel.range_sums(positive, negative, starts, ends, scores=scores)
    want = [math.fsum(positive[a:b] * scores[a:b]) for a, b in zip(starts, ends, strict=True)]
    assert found.others[0].tolist() == pytest.approx(want, rel=1e-15)


@both
def test_sums_of_a_table_without_rows_are_zero(use):
    none = np.zeros(0)
    with brute.using(use):
        for _ in range(9):  # of memory that others have written to
            found = kernel.range_sums(none, none, [0] * 9, [0] * 9, scores=none, squares=(none, none))
            assert not any(column.any() for column in found)
            _ = np.full((4, 9), 7.0)
