"""Hulls and thinned curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


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
        thin = kernel.thin(positive, negative, keep)
    rows = thin.indices.tolist()
    assert len(rows) <= keep
    assert rows == sorted(set(rows))
    if positive.size <= keep:
        assert rows == list(range(positive.size))
        assert thin[1:] == (0.0, 0.0, 0.0, 0.0)
        return
    assert rows[-1] == positive.size - 1
    want = brute.deviation(positive, negative, rows)
    assert thin[1:4] == pytest.approx(want, rel=1e-9, abs=1e-15)
    assert thin.vertical <= thin.bound
    assert thin.horizontal <= thin.bound


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_a_thousand_rows_draw_a_hundred_thousand(use, weighted):
    rng = np.random.default_rng(9)
    truth = (rng.random(100_000) < 0.05).astype(np.uint8)
    with brute.using(use):
        table = kernel.score_table(truth, rng.normal(size=100_000) + truth, rng.random(100_000) if weighted else None)
        thin = kernel.thin(table.positive, table.negative, 1_000)
        vertices = kernel.hull(table.positive, table.negative)
        tp, fp = kernel.cumulate_at(table.positive, table.negative, thin.indices)
    assert 500 < thin.indices.size <= 1_000
    assert set(vertices.tolist()) <= set(thin.indices.tolist())
    assert max(thin.vertical, thin.horizontal) <= thin.bound < 0.01
    assert thin.precision < 0.05
    cumulative = np.cumsum(table.positive), np.cumsum(table.negative)
    at_all = np.interp(cumulative[1], np.append(0, fp), np.append(0, tp))
    inside = np.diff(cumulative[1], prepend=0) > 0
    assert np.max(np.abs(at_all - cumulative[0])[inside]) / tp[-1] <= thin.vertical + 1e-3


@both
def test_a_curve_made_of_vertices_is_thinned_evenly(use):
    """Every row is a hull vertex, so the hull alone would not fit."""
    negative = np.arange(1, 5_001)
    positive = negative[::-1].copy()
    with brute.using(use):
        assert kernel.hull(positive, negative).size == 5_000
        thin = kernel.thin(positive, negative, 200)
    assert thin.indices.size <= 200
    assert max(thin.vertical, thin.horizontal) <= thin.bound < 0.07
    assert thin.vertical < 0.001


@both
def test_thinning_one_class_or_nothing(use):
    with brute.using(use):
        assert kernel.thin(np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64), 5).indices.tolist() == [49]
        only = kernel.thin(np.ones(50, dtype=np.int64), np.zeros(50, dtype=np.int64), 10)
        assert only.indices[-1] == 49
        assert only[1:4] == (0.0, 0.0, 0.0)
        assert kernel.thin([], [], 3).indices.size == 0
