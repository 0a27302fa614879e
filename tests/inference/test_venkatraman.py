"""Venkatraman's tests against errors counted threshold by threshold, and ties against every way to break them."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.counts import ScoreTable
from thresher.curves import roc_curve
from thresher.inference.comparing.permutation import mid_ranks
from thresher.inference.comparing.resampling import (
    curve_errors,
    rank_errors,
    venkatraman_test,
    venkatraman_test_unpaired,
)


def errors(ranks, positive):
    """Errors when the k lowest ranks are called negative, k = 1 … n − 1."""
    return np.array([np.sum(positive & (ranks <= k)) + np.sum(~positive & (ranks > k)) for k in range(1, ranks.size)])


@given(st.integers(2, 12), st.integers(0, 1000))
def test_the_statistic_counts_errors(n, seed):
    rng = np.random.default_rng(seed)
    positive, first, second = rng.random(n) < 0.5, rng.permutation(n) + 1.0, rng.permutation(n) + 1.0
    want = np.abs(errors(first, positive) - errors(second, positive)).sum()
    assert rank_errors(first, second, positive) == pytest.approx(want)


def broken(values):
    """Every ranking that breaks the ties of some values."""
    groups = [np.flatnonzero(values == v) for v in np.unique(values)]
    for orders in product(*(permutations(group) for group in groups)):
        ranks = np.empty(values.size)
        ranks[[row for order in orders for row in order]] = np.arange(1.0, values.size + 1)
        yield ranks


def test_ties_count_by_expectation():
    positive = np.array([True, False, False, True, False, True])
    a, b = np.array([1.0, 1, 1, 2, 2, 3]), np.array([1.0, 2, 2, 1, 3, 2])
    mean = [np.mean([errors(ranks, positive) for ranks in broken(values)], axis=0) for values in (a, b)]
    want = np.abs(mean[0] - mean[1]).sum()
    assert rank_errors(mid_ranks(a), mid_ranks(b), positive) == pytest.approx(want)


@given(st.integers(0, 1000))
@settings(max_examples=examples(40))
def test_the_unpaired_statistic_is_the_area_between_error_curves(seed):
    """Against a fine grid of the share called positive, at the curves that the tables have."""
    rng = np.random.default_rng(seed)
    samples, share = [], 0.35
    for size in (12, 19):
        truth = (np.arange(size) % 3 == 0).astype(np.uint8)
        samples.append((truth, rng.normal(size=size).round(0)))
    grid, gaps = np.linspace(0, 1, 20_001), []
    for truth, score in samples:
        curve = roc_curve(ScoreTable.from_scores(truth, score))
        gaps.append(np.interp(grid, share * curve.y + (1 - share) * curve.x, curve.y))
    want = 2 * share * np.abs(gaps[0] - gaps[1]).mean()
    found = curve_errors(*((s[y == 1], s[y == 0]) for y, s in samples), share)
    assert found == pytest.approx(want, abs=2e-4)


def test_unequal_samples_mix_with_both_sizes():
    """κ = (P₁ + P₂)/(n₁ + n₂): with perfect and useless scores the statistic is known."""
    ya, yb = np.array([1, 0]), np.array([1, 1, 1, 0, 0, 0, 0, 0])
    found = venkatraman_test_unpaired(ya, [2, 1], yb, [1] * 8, n=10)
    share = 4 / 10
    # TPR = min(1, p/κ) against TPR = p: the area between them is (1 − κ)/2.
    assert found.statistic == pytest.approx(2 * share * (1 - share) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
def test_the_level_is_kept_and_a_difference_is_seen(paired):
    rng, rejected = np.random.default_rng(0), 0
    for _ in range(100):
        if paired:
            truth = (rng.random(40) < 0.5).astype(np.uint8)
            shared = rng.normal(size=40) + truth
            test = venkatraman_test(truth, shared + rng.normal(size=40), shared + rng.normal(size=40), n=99)
        else:
            ya, yb = (rng.random(30) < 0.5).astype(np.uint8), (rng.random(60) < 0.3).astype(np.uint8)
            test = venkatraman_test_unpaired(ya, rng.normal(size=30) + ya, yb, rng.normal(size=60) + yb, n=99)
        rejected += test.p_value <= 0.05
    assert rejected / 100 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 100)
    truth = np.arange(200) % 2
    good, bad = rng.normal(size=200) + 2 * truth, rng.normal(size=200)
    run = (
        venkatraman_test(truth, good, bad, n=99) if paired else venkatraman_test_unpaired(truth, good, truth, bad, n=99)
    )
    assert run.p_value == 0.01


def test_one_class_is_undefined():
    for test in (venkatraman_test([1, 1], [1, 2], [2, 1]), venkatraman_test_unpaired([1, 0], [1, 2], [1, 1], [2, 1])):
        assert np.isnan(test.p_value)
        assert test.reason_code == "no-rows"
