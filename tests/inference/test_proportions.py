"""Intervals of a proportion against their definitions, R and their coverage."""

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import load
from thresher.inference.proportions.intervals import (
    agresti_coull_interval,
    clopper_pearson_interval,
    jeffreys_interval,
    normal_quantile,
    wilson_interval,
)

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_both_limits_are_where_the_score_test_just_rejects(counts: tuple[int, int], level: float) -> None:
    x, n = counts
    interval = wilson_interval(x, n, level=level)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    assert 0 <= interval.low <= x / n <= interval.high <= 1
    assert interval.low < interval.high
    assert (interval.low == 0) == (x == 0)
    assert (interval.high == 1) == (x == n)
    for p in (interval.low, interval.high):
        assert abs(x / n - p) == pytest.approx(z * math.sqrt(p * (1 - p) / n), rel=1e-6, abs=1e-12)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_the_textbook_form_and_symmetry(counts: tuple[int, int], level: float) -> None:
    x, n = counts
    z2 = Fraction(normal_quantile(level)) ** 2
    center = (x + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (Fraction(x * (n - x), n) + z2 / 4)) / float(n + z2)
    interval, mirrored = wilson_interval(x, n, level=level), wilson_interval(n - x, n, level=level)
    assert (interval.low, interval.high) == pytest.approx((float(center) - half, float(center) + half), abs=1e-14)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((interval.low, interval.high), abs=1e-15)


@pytest.mark.parametrize(
    ("make", "name", "rtol"), [(wilson_interval, "wilson", 1e-10), (clopper_pearson_interval, "clopper_pearson", 1e-9)]
)
def test_prop_test_and_binom_test_of_r(make: Any, name: str, rtol: float) -> None:
    compared = 0
    for file in ("breast_cancer", "digit_eight"):
        for key, entry in load(file)["results"].items():
            value = entry["value"]
            if "/proportion" in key and f"{name}_0.95" in value:
                for level in (0.95, 0.9):
                    found = make(value["successes"], value["trials"], level=level)
                    expected = value[f"{name}_{level:g}"]
                    np.testing.assert_allclose([found.low, found.high], expected, rtol=rtol, atol=1e-15, err_msg=key)
                    compared += 1
    assert compared >= 60


@pytest.mark.parametrize(("x", "n"), [(0, 10**15), (1, 10**15), (10**15 - 1, 10**15), (10**15, 10**15), (0, 1), (1, 1)])
def test_nothing_cancels_at_the_ends(x: int, n: int) -> None:
    interval = wilson_interval(x, n)
    assert interval.low < interval.high
    z2 = normal_quantile(0.95) ** 2
    if x == 0:
        assert (interval.low, interval.high) == (0, pytest.approx(z2 / (n + z2), rel=1e-14))
    elif x == n:
        assert (interval.low, interval.high) == (pytest.approx(n / (n + z2), rel=1e-14), 1)
    elif x == 1:
        # Limits of the mean of a Poisson count of 1 by the same score test.
        exact = [(1 + z2 / 2 - math.sqrt(z2 + z2 * z2 / 4)) / n, (1 + z2 / 2 + math.sqrt(z2 + z2 * z2 / 4)) / n]
        assert [interval.low, interval.high] == pytest.approx(exact, rel=1e-12)


def test_arrays_and_effective_sizes() -> None:
    interval = wilson_interval([0, 2.5, 5], [5, 5, 5])
    assert interval.low.shape == (3,)
    assert interval.low[0] == 0
    assert interval.high[2] == 1
    assert wilson_interval(2.5, 5).low == interval.low[1]
    assert wilson_interval(np.ones((2, 1)), np.full((1, 3), 4)).low.shape == (2, 3)
    tiny = wilson_interval(0.02, 0.1)
    assert 0 < tiny.low < 0.2 < tiny.high < 1
    assert type(tiny.low) is float


def test_rounding_of_weighted_sums_is_no_excess() -> None:
    total = sum([0.1] * 10)
    assert wilson_interval(1.0, total).high == 1
    assert wilson_interval(total + 1e-15, total).high == 1


OTHERS = [clopper_pearson_interval, jeffreys_interval, agresti_coull_interval]


@given(st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.95]))
def test_clopper_pearson_limits_are_where_a_binomial_tail_has_its_chance(counts: tuple[int, int], level: float) -> None:
    x, n = counts
    interval = clopper_pearson_interval(x, n, level=level)

    def tail(p: float, ks: range) -> float:
        return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in ks)

    if x > 0:
        assert tail(interval.low, range(x, n + 1)) == pytest.approx((1 - level) / 2, rel=1e-8)
    if x < n:
        assert tail(interval.high, range(x + 1)) == pytest.approx((1 - level) / 2, rel=1e-8)


def test_jeffreys_limits_are_quantiles_of_the_posterior_and_as_published() -> None:
    """Table 5 of Brown, Cai & DasGupta 2001, n = 10; quantiles by scipy.stats."""
    interval = jeffreys_interval(range(6), [10] * 6)
    np.testing.assert_allclose(interval.low, [0, 0.011, 0.044, 0.093, 0.153, 0.224], atol=5.1e-4)
    np.testing.assert_allclose(interval.high, [0.217, 0.381, 0.503, 0.606, 0.696, 0.776], atol=5.1e-4)
    x = np.arange(1, 40)
    interval = jeffreys_interval(x, 40, level=0.9)
    np.testing.assert_allclose(interval.low, stats.beta.ppf(0.05, x + 0.5, 40.5 - x), rtol=1e-10)
    np.testing.assert_allclose(interval.high, stats.beta.ppf(0.95, x + 0.5, 40.5 - x), rtol=1e-10)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_every_interval_holds_the_share_mirrors_and_has_width(counts: tuple[int, int], level: float) -> None:
    x, n = counts
    for make in OTHERS:
        interval, mirrored = make(x, n, level=level), make(n - x, n, level=level)
        assert 0 <= interval.low < interval.high <= 1
        if level >= 0.8:
            assert interval.low <= x / n <= interval.high
        assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((interval.low, interval.high), abs=1e-9)
    wilson, added = wilson_interval(x, n, level=level), agresti_coull_interval(x, n, level=level)
    assert added.low <= wilson.low + 1e-12
    assert wilson.high <= added.high + 1e-12


@pytest.mark.parametrize("make", [wilson_interval, *OTHERS])
def test_arrays_and_no_trials(make: Any) -> None:
    interval = make([0, 1, 0], [5, 5, 0])
    assert interval.low[0] == 0
    assert np.isnan(interval.low).tolist() == np.isnan(interval.high).tolist() == [False, False, True]
    assert type(make(2.5, 5.5).low) is float
