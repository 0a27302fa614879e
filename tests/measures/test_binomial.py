import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import norm

from thresher.measures.binomial import SUMMED, _by_edgeworth, at_least, incomplete_beta, normal_tail


def by_definition(k: int, n: int, p: Fraction) -> Fraction:
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(max(0, k), n + 1)), Fraction(0))


@given(st.integers(1, 60), st.integers(-1, 62), st.integers(0, 16))
def test_the_sum_of_its_definition(n: int, k: int, sixteenths: int) -> None:
    exact = float(by_definition(k, n, Fraction(sixteenths, 16)))
    assert at_least(k, n, sixteenths / 16) == pytest.approx(exact, rel=1e-12, abs=0)


@given(st.integers(100, 10_000_000), st.floats(0.05, 0.95), st.floats(-8, 30))
def test_large_samples_against_the_incomplete_beta_function(n: int, p: float, deviations: float) -> None:
    k = min(n, max(1, round(n * p + deviations * math.sqrt(n * p * (1 - p)))))
    expected = float(betainc(k, n - k + 1, p))
    if expected > 1e-290:
        assert at_least(k, n, p) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("k", "n", "p", "value"),
    [(0, 5, 0.3, 1), (6, 5, 0.3, 0), (5, 5, 1.0, 1), (1, 5, 0.0, 0), (1, 1, 0.25, 0.25), (6, 5, 1.0, 0)],
)
def test_the_ends(k: int, n: int, p: float, value: float) -> None:
    assert at_least(k, n, p) == value


@pytest.mark.parametrize("n", [SUMMED, SUMMED + 1, 10**15])
def test_very_many_trials(n: int) -> None:
    """The normal approximation is within 1/√n of it."""
    for deviations in (-3.0, 0.0, 2.5):
        k = n // 2 + round(deviations * math.sqrt(n) / 2)
        assert at_least(k, n, 0.5) == pytest.approx(0.5 * math.erfc(deviations / math.sqrt(2)), abs=2 / math.sqrt(n))


@pytest.mark.parametrize("p", [0.5, 0.1, 0.9])
def test_the_series_goes_on_where_the_sum_ends(p: float) -> None:
    """Half a million terms of the definition beside it, in the body and in the tails."""
    for deviations in (-6.0, -2.0, 0.0, 1.0, 3.5):
        k = round(SUMMED * p + deviations * math.sqrt(SUMMED * p * (1 - p)))
        assert _by_edgeworth(k, SUMMED, p) == pytest.approx(at_least(k, SUMMED, p), abs=2e-10)


SHAPES = st.floats(0.05, 50) | st.floats(1, 3) | st.sampled_from([1.0, 2.0, 1e4, 1e6])


@pytest.mark.parametrize("severity", [1.0, 9.0, 999.0])
def test_shapes_of_the_h_measure_are_exact_to_rounding(severity):
    x = np.linspace(0, 1, 1001)
    for a, b in ((3.0, 2.0), (2.0, 1 + severity), (3.0, 1 + severity), (2.3, 1.7)):
        assert np.abs(incomplete_beta(a, b, x) - betainc(a, b, x)).max() < 1e-14 * (1 + severity)


def test_normal_tails_keep_their_digits() -> None:
    z = np.linspace(-35, 35, 1401)
    ours = np.array([[normal_tail(x), normal_tail(abs(x), 2), normal_tail(x, 6)] for x in z.tolist()])
    theirs = np.stack([norm.sf(z), 2 * norm.sf(abs(z)), np.minimum(1, 6 * norm.sf(z))], axis=1)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert math.isnan(normal_tail(math.nan))
