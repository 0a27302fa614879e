"""Growth exponents against the textbook's regression, and memory against blocks of known size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.resampling.growth import growth_exponent
from thresher.resampling.timing import memory_way, peak_memory


@given(st.floats(-2, 4), st.floats(1e-6, 1e6), st.lists(st.integers(2, 10**6), min_size=2, max_size=8, unique=True))
def test_a_power_law_has_its_exponent(b, a, sizes):
    n = np.array(sizes, dtype=float)
    found = growth_exponent(n, a * n**b)
    assert found.exponent == pytest.approx(b, abs=1e-8)
    assert found.factor == pytest.approx(a, rel=1e-5)
    assert found.last == pytest.approx(b, abs=1e-4)
    assert found.predict(1000) == pytest.approx(a * 1000**b, rel=1e-6)
    if len(sizes) > 2:
        assert found.low <= b + 1e-6
        assert found.high >= b - 1e-6


def test_interval_is_that_of_the_textbook():
    n = np.array([100, 200, 400, 800, 1600.0])
    y = np.array([1.1, 1.9, 4.3, 7.4, 17.0])
    found = growth_exponent(n, y, level=0.9)
    want = stats.linregress(np.log(n), np.log(y))
    half = stats.t.ppf(0.95, 3) * want.stderr
    assert found.exponent == pytest.approx(want.slope)
    assert (found.low, found.high) == pytest.approx((want.slope - half, want.slope + half))
    assert found.r_squared == pytest.approx(want.rvalue**2)
    assert found.last == pytest.approx(np.log(17 / 7.4) / np.log(2))


def test_a_constant_start_bends_the_line():
    n = np.geomspace(100, 100_000, 7)
    bent = growth_exponent(n, 1e4 + n * (1 + 0.001 * np.sin(n)))
    assert bent.is_curved
    assert bent.last > bent.exponent
    assert "bent" in str(bent)
    assert not growth_exponent(n, n * np.exp(0.05 * np.random.default_rng(1).standard_normal(7))).is_curved


def test_what_has_no_interval_or_no_logarithm_says_so():
    two = growth_exponent([10, 20], [1, 4])
    assert (two.exponent, two.low, two.high) == (pytest.approx(2), None, None)
    assert two.reason_code == "no-spread"
    zero = growth_exponent([10, 20, 40], [0, 1, 2])
    assert np.isnan(zero.exponent)
    assert str(zero).startswith("undefined: a value is not positive")
    assert zero.to_dict()["exponent"] is None


def filled(size):
    block = np.ones(size // 8)
    return block[:3].sum()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["traced", "process"])
@pytest.mark.parametrize("megabytes", [20, 60])
def test_peak_is_that_of_the_block(way, megabytes):
    if memory_way("auto") != "process" and way == "process":
        pytest.skip("this system does not let a process set its peak back")
    size = megabytes * 10**6
    filled(10**6)
    assert peak_memory(lambda: filled(size), way) == pytest.approx(size, rel=0.15)
    # What was allocated before does not count, also when it was freed.
    kept = np.ones(3 * 10**6)
    assert peak_memory(lambda: filled(size), way) == pytest.approx(size, rel=0.15)
    del kept


@pytest.mark.parametrize("value", [1048576.0, 7.1e6, 0.1 + 0.2])
def test_one_value_at_every_size_does_not_grow_at_all(value):
    sizes = [11, 22, 43, 76, 108]
    for values in ([value] * 5, [value, *[value * (1 + 2e-16)] * 4]):
        found = growth_exponent(sizes, values)
        assert (found.exponent, found.low, found.high, found.last, found.is_curved) == (0, 0, 0, 0, False)
        assert str(found) == "n^0 [0, 0]"
        assert found.predict(50) == pytest.approx(value)
    assert str(growth_exponent(sizes, 3 * np.array(sizes) ** 2.0)) == "n^2 [2, 2]"
