"""Hulls and thinned curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


def step(positive, negative, keep):
    """Length of a step of TPR + FPR in a drawing of so many rows."""
    return 2 / ((keep - min(kernel.hull(positive, negative).size, keep // 2) - 1) // 3 + 1)


def deviation(positive, negative, rows):
    """`brute.deviation` in floats, for many rows."""
    tp, fp = (np.append(0.0, np.cumsum(column)) for column in (positive, negative))
    kept = np.append(0, rows + 1)
    ends = np.maximum(np.searchsorted(kept, np.arange(tp.size)), 1)
    left, right = kept[ends - 1], kept[ends]
    rise, run, up, along = tp[right] - tp[left], fp[right] - fp[left], tp - tp[left], fp - fp[left]
    with np.errstate(divide="ignore", invalid="ignore"):
        off_tp = np.where(run > 0, np.abs(up - rise * (along / run)), 0.0)
        drawn = np.where(rise > 0, fp[left] + run * (up / rise), fp)
        off_precision = np.where(tp > 0, np.abs(tp / (tp + fp) - tp / (tp + drawn)), 0.0)
    return off_tp.max() / (tp[-1] or 1), np.abs(drawn - fp).max() / (fp[-1] or 1), off_precision.max()


@both
@given(brute.tables(max_size=10))
def test_hull_rows_are_strictly_above_every_chord(use, table):
    with brute.using(use):
        got = kernel.hull(*table)
    assert got.dtype == np.int64
    assert got.tolist() == brute.hull(*table)


@both
def test_hull_of_shapes_known_by_heart(use):
    with brute.using(use):
        assert kernel.hull([], []).size == 0
        assert kernel.hull([0, 0], [0, 0]).size == 0
        # One class: a straight line to its end. Empty rows at the end repeat the last point.
        assert kernel.hull([2, 3, 0], [0, 0, 0]).tolist() == [1]
        assert kernel.hull([0, 0], [4, 1]).tolist() == [1]
        # Below the diagonal only the ends remain; on an edge the inner points go.
        assert kernel.hull([0, 5], [5, 0]).tolist() == [1]
        assert kernel.hull([1, 1, 1], [2, 2, 2]).tolist() == [2]
        assert kernel.hull([5, 0], [0, 5]).tolist() == [0, 1]


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_every_row_lies_on_or_below_the_hull(use, weighted):
    rng = np.random.default_rng(5)
    positive, negative = rng.integers(0, 4, (2, 5_000))
    if weighted:
        positive, negative = positive * rng.random(5_000), negative * rng.random(5_000)
    with brute.using(use):
        rows = kernel.hull(positive, negative)
    tp, fp = np.cumsum(positive), np.cumsum(negative)
    x, y = np.append(0, fp[rows]), np.append(0, tp[rows])
    assert np.all(tp <= np.interp(fp, x, y) + 1e-6)
    slopes = np.diff(y) / np.diff(x)
    assert np.all(np.diff(slopes) < 0)


@both
@given(brute.tables(max_size=25, most=3), st.integers(1, 30))
def test_thinned_rows_and_their_deviation(use, table, keep):
    positive, negative = table
    with brute.using(use):
        rows = kernel.thin(positive, negative, keep).tolist()
    assert len(rows) <= keep
    assert rows == sorted(set(rows))
    if positive.size <= keep:
        assert rows == list(range(positive.size))
        return
    assert rows[-1] == positive.size - 1
    assert max(brute.deviation(positive, negative, rows)[:2]) <= step(positive, negative, keep)


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_a_thousand_rows_draw_a_hundred_thousand(use, weighted):
    rng = np.random.default_rng(9)
    truth = (rng.random(100_000) < 0.05).astype(np.uint8)
    with brute.using(use):
        table = kernel.score_table(truth, rng.normal(size=100_000) + truth, rng.random(100_000) if weighted else None)
        rows = kernel.thin(table.positive, table.negative, 1_000)
        vertices = kernel.hull(table.positive, table.negative)
        tp, fp = kernel.cumulate_at(table.positive, table.negative, rows)
    assert 500 < rows.size <= 1_000
    assert set(vertices.tolist()) <= set(rows.tolist())
    vertical, horizontal, precision = deviation(table.positive, table.negative, rows)
    assert max(vertical, horizontal) <= step(table.positive, table.negative, 1_000) < 0.01
    assert precision < 0.05
    assert tp.tolist() == np.cumsum(table.positive)[rows].tolist()
    assert fp.tolist() == np.cumsum(table.negative)[rows].tolist()


@both
def test_a_curve_made_of_vertices_is_thinned_evenly(use):
    """Every row is a hull vertex, so the hull alone would not fit."""
    negative = np.arange(1, 5_001)
    positive = negative[::-1].copy()
    with brute.using(use):
        assert kernel.hull(positive, negative).size == 5_000
        rows = kernel.thin(positive, negative, 200)
    assert rows.size <= 200
    vertical, horizontal, _ = deviation(positive, negative, rows)
    assert max(vertical, horizontal) <= step(positive, negative, 200) < 0.07
    assert vertical < 0.001


@both
def test_thinning_one_class_or_nothing(use):
    with brute.using(use):
        assert kernel.thin(np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64), 5).tolist() == [49]
        only = kernel.thin(np.ones(50, dtype=np.int64), np.zeros(50, dtype=np.int64), 10)
        assert only[-1] == 49
        assert deviation(np.ones(50), np.zeros(50), only) == (0.0, 0.0, 0.0)
        assert kernel.thin([], [], 3).size == 0
