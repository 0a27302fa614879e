"""Sums over the rows of several scores: both implementations against loops over rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel import reference

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)

SCORE = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-3, 3))
LEVELS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 2.0]), max_size=3)


@st.composite
def cases(draw):
    k, n = draw(st.integers(1, 3)), draw(st.integers(0, 9))
    row = st.tuples(st.integers(0, 1), st.sampled_from([0.0, 1.0, 2.5]), st.lists(SCORE, min_size=k, max_size=k))
    rows = draw(st.lists(row, min_size=n, max_size=n))
    levels = draw(st.lists(LEVELS, min_size=k, max_size=k))
    return rows, levels, draw(st.lists(st.booleans(), min_size=k, max_size=k)), draw(st.booleans())


def loss(kind, score, label):
    if kind == 2:
        return score
    if kind == 0:
        return (score - label) ** 2
    own = score if label else 1 - score
    return (-math.log(score) if label else -math.log1p(-score)) if own > 0 else math.inf


def same(got, want):
    return got == pytest.approx(want, rel=1e-11, abs=1e-11, nan_ok=True)


@both
@given(cases())
def test_sums_are_those_of_a_loop(use, case):
    rows, levels, lower, weighted = case
    k = len(levels)
    scores = np.array([r[2] for r in rows], dtype=np.float64).reshape(len(rows), k).T
    placements = scores * 0.5 - 0.1
    truth, weights = np.array([r[0] for r in rows], dtype=np.uint8), np.array([r[1] for r in rows])
    with brute.using(use):
        found = kernel.paired_rows(truth, scores, placements, weights if weighted else None, levels=levels, lower=lower)
    counted = [(y, w if weighted else 1.0, s, [0.5 * x - 0.1 for x in s]) for y, w, s in rows if w or not weighted]
    usable = [not lower[i] and all(0 <= s[i] <= 1 for _, _, s, _ in counted) for i in range(k)]
    for side, label in enumerate((1, 0)):
        own = [(w, v) for y, w, _, v in counted if y == label]
        assert same(found.totals[side], sum(w for w, _ in own))
        for i in range(k):
            assert same(found.first[side, i], sum(w * v[i] for w, v in own))
            for j in range(k):
                assert same(found.second[side, i, j], sum(w * v[i] * v[j] for w, v in own))
    for kind in range(3):
        for i in range(k):
            if not usable[i]:
                assert np.isnan(found.losses[kind, i])
                continue
            each = [(w, loss(kind, s[i], y), y, s) for y, w, s, _ in counted]
            assert same(found.losses[kind, i], sum(w * x for w, x, _, _ in each))
            for j in (j for j in range(k) if usable[j]):
                apart = [w * (x - loss(kind, s[j], y)) ** 2 for w, x, y, s in each]
                assert i == j or same(found.squares[kind, i, j], sum(apart))
    check_states(found, counted, levels, lower)


def check_states(found, counted, levels, lower):
    def state(i, score):
        reached = sum(score <= level if lower[i] else score >= level for level in levels[i])
        return sum(len(levels[h]) + 1 for h in range(i)) + reached

    expected = np.zeros_like(found.reached)
    for y, w, s, _ in counted:
        at = [state(i, score) for i, score in enumerate(s)]
        for one in at:
            for two in at:
                expected[1 - y, one, two] += w
    assert same(found.reached, expected)


def test_many_rows_cross_blocks_and_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    n, options = 70_001, {"levels": [[0.5, 0.1], [], [0.3]], "lower": [False, False, True]}
    truth, scores, placed = rng.integers(0, 2, n).astype(np.uint8), rng.random((3, n)), rng.normal(size=(3, n))
    with brute.using(reference):
        expected = kernel.paired_rows(truth, scores, placed, **options)
    one, two = (kernel.paired_rows(truth, scores, placed, threads=threads, **options) for threads in (1, 2))
    for got, again, want in zip(one, two, expected, strict=True):
        assert np.array_equal(got, again, equal_nan=True)
        assert got == pytest.approx(want, rel=1e-10, abs=1e-9, nan_ok=True)


def test_columns_that_do_not_fit_are_refused():
    scores = np.zeros((2, 3))
    for truth, placed, levels, lower in (
        (np.zeros(2, np.uint8), scores, [[], []], [False, False]),
        (np.zeros(3, np.uint8), scores[:1], [[], []], [False, False]),
        (np.zeros(3, np.uint8), scores, [[]], [False]),
        (np.zeros(3, np.uint8), scores, [[], []], [False]),
    ):
        with pytest.raises(ValueError, match="must be"):
            kernel.paired_rows(truth, scores, placed, levels=levels, lower=lower)
