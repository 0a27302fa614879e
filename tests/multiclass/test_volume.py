"""Volumes under the ROC surface by their definitions: every tuple, every assignment."""

import math
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.inference import volume_interval
from thresher.multiclass import ordinal_volume, posterior_volume

WEIGHT = st.sampled_from([1.0, 0.5, 3.0])


def members_of(codes, classes):
    return [np.flatnonzero(codes == k) for k in range(classes)]


def order_credit(scores):
    if any(a > b for a, b in pairwise(scores)):
        return 0.0
    _, sizes = np.unique(scores, return_counts=True)
    return 1 / math.prod(math.factorial(m) for m in sizes)


def assignment_credit(table):
    """Of K rows: the identity among all assignments with the largest sum."""
    k = len(table)
    sums = [sum(table[i][order[i]] for i in range(k)) for order in permutations(range(k))]
    best = [total >= max(sums) - 1e-12 for total in sums]
    return best[0] / sum(best)


def over_tuples(credit, codes, weights, classes):
    """Mean credit over tuples, and the variance of U-statistics from the conditional means of rows."""
    members = members_of(codes, classes)
    total = every = 0.0
    parts = {i: [0.0, 0.0] for i in range(len(codes))}
    for rows in product(*members):
        w, c = math.prod(weights[i] for i in rows), credit(rows)
        total, every = total + w * c, every + w
        for i in rows:
            parts[i][0] += w / weights[i] * c
            parts[i][1] += w / weights[i]
    h = np.array([a / b if b else np.nan for a, b in parts.values()])
    variance = 0.0
    for rows in members:
        w = weights[rows]
        n = w.sum() ** 2 / (w**2).sum()
        mean = w @ h[rows] / w.sum()
        variance += (w**2 @ (h[rows] - mean) ** 2) / w.sum() ** 2 * (n / (n - 1) if n > 1 + 1e-12 else np.nan)
    return total / every, h, variance


@st.composite
def rows_of_classes(draw, columns, sizes):
    classes = draw(columns)
    counts = draw(st.lists(st.integers(1, sizes), min_size=classes, max_size=classes))
    codes = np.repeat(np.arange(classes), counts)
    n = len(codes)
    table = draw(st.lists(st.lists(st.integers(0, 4), min_size=classes, max_size=classes), min_size=n, max_size=n))
    weights = np.array(draw(st.lists(WEIGHT, min_size=n, max_size=n)))
    return codes, np.array(table, dtype=float), weights


@given(rows_of_classes(st.sampled_from([3, 4]), 4), st.booleans())
@settings(max_examples=examples(60))
def test_ordinal_volume(case, weighted):
    codes, table, weights = case
    w = weights if weighted else np.ones(len(codes))
    scores = table[:, 0]
    classes = table.shape[1]
    want, h, variance = over_tuples(lambda rows: order_credit(scores[list(rows)]), codes, w, classes)
    found = ordinal_volume(codes, scores, weights=w if weighted else None)
    assert found.value == pytest.approx(want, rel=1e-12, abs=1e-15)
    assert found.parts == pytest.approx(h, rel=1e-11, abs=1e-14)
    assert found.variance == pytest.approx(variance, rel=1e-9, abs=1e-15, nan_ok=True)
    assert found.chance == 1 / math.factorial(classes)


@given(rows_of_classes(st.sampled_from([2, 3, 4]), 3), st.booleans(), st.booleans())
@settings(max_examples=examples(60))
def test_posterior_volume(case, weighted, normalized):
    codes, table, weights = case
    w = weights if weighted else np.ones(len(codes))
    classes = table.shape[1]
    p = (table + 1) / (table + 1).sum(axis=1, keepdims=True) if normalized else table
    want, h, variance = over_tuples(lambda rows: assignment_credit(p[list(rows)]), codes, w, classes)
    found = posterior_volume(codes, p, weights=w if weighted else None, scores=not normalized)
    assert found.exact
    assert found.value == pytest.approx(want, rel=1e-12, abs=1e-15)
    assert found.parts == pytest.approx(h, rel=1e-11, abs=1e-14)
    assert found.variance == pytest.approx(variance, rel=1e-9, abs=1e-15, nan_ok=True)


def blurred(n, classes, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    scores = np.exp(np.eye(classes)[codes] * 1.5 + rng.normal(size=(n, classes)) * spread)
    return codes, scores / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
def test_random_tuples_come_near_to_all_of_them(weighted):
    codes, p = blurred(90, 3)
    weights = np.random.default_rng(1).integers(1, 4, 90).astype(float) if weighted else None
    exact = posterior_volume(codes, p, weights=weights)
    gaps, spreads = [], []
    for seed in range(20):
        found = posterior_volume(codes, p, weights=weights, exact_up_to=0, tuples=4_000, rng=seed)
        assert not found.exact
        gaps.append((found.value - exact.value) / found.sampling_error)
        spreads.append(found.variance / exact.variance)
    assert abs(np.mean(gaps)) < 3.5 / math.sqrt(20)
    assert 0.5 < np.std(gaps) < 1.6
    assert np.mean(spreads) == pytest.approx(1, abs=0.15)
    assert (
        posterior_volume(codes, p, exact_up_to=0, rng=3).value == posterior_volume(codes, p, exact_up_to=0, rng=3).value
    )


def test_ties_are_found_whatever_the_rounding_of_sums():
    """0.1 + 0.2 is not 0.3 in floating point, and yet the two assignments tie."""
    p = [[0.1, 0.3, 0.6], [0.0, 0.2, 0.8], [0.0, 0.0, 1.0]]
    assert posterior_volume([0, 1, 2], p).value == pytest.approx(0.5)


def test_order_of_classes_is_given_or_that_of_numbers():
    scores = [3.0, 1.0, 2.0]
    assert ordinal_volume(["high", "low", "mid"], scores, order=["low", "mid", "high"]).value == 1
    assert ordinal_volume([30, 10, 20], scores).value == 1
    assert ordinal_volume([30, 10, 20], scores, order=[30, 20, 10]).value == 0


def test_absent_classes_are_named():
    found = ordinal_volume([1, 2, 2], [1.0, 2.0, 3.0], order=[1, 2, 3])
    assert math.isnan(found.value)
    assert "class 3 is empty" in found.reason
    assert volume_interval(found).reason == found.reason
    assert math.isnan(posterior_volume([0, 1], np.full((2, 3), 1 / 3), labels=range(3)).value)


def test_frequency_weights_repeat_rows():
    codes, p = blurred(24, 3)
    times = np.random.default_rng(2).integers(1, 4, 24)
    rows = np.repeat(np.arange(24), times)
    for weighted, repeated in (
        (posterior_volume(codes, p, weights=times, weight_kind="frequency"), posterior_volume(codes[rows], p[rows])),
        (
            ordinal_volume(codes, p[:, 2], weights=times, weight_kind="frequency"),
            ordinal_volume(codes[rows], p[rows, 2]),
        ),
    ):
        assert weighted.value == pytest.approx(repeated.value, rel=1e-12)
        assert weighted.variance == pytest.approx(repeated.variance, rel=1e-9)
        assert weighted.smallest == repeated.smallest
