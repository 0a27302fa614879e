"""The incomplete beta function against SciPy's, and against the binomial tail it is for whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from thresher.measures.binomial import incomplete_beta

SHAPES = st.floats(0.05, 50) | st.floats(1, 3) | st.sampled_from([1.0, 2.0, 1e4, 1e6])


@given(SHAPES, SHAPES, st.lists(st.floats(0, 1), max_size=8))
def test_it_is_scipys(a, b, x):
    x = np.array([*x, 0.0, 1.0, a / (a + b)])
    assert incomplete_beta(a, b, x) == pytest.approx(betainc(a, b, x), rel=1e-8, abs=1e-13)


@pytest.mark.parametrize("severity", [1.0, 9.0, 999.0])
def test_shapes_of_the_h_measure_are_exact_to_rounding(severity):
    x = np.linspace(0, 1, 1001)
    for a, b in ((3.0, 2.0), (2.0, 1 + severity), (3.0, 1 + severity), (2.3, 1.7)):
        assert np.abs(incomplete_beta(a, b, x) - betainc(a, b, x)).max() < 1e-14 * (1 + severity)


def test_whole_numbers_give_the_binomial_tail():
    n, k, p = 12, 5, 0.3
    tail = sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))
    assert incomplete_beta(float(k), float(n - k + 1), np.array([p]))[0] == pytest.approx(tail, rel=1e-13)
