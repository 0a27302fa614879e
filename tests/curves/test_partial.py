"""Partial areas against sums over a fine grid, and their known extremes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.curves.partial_areas import area_over_fpr, area_over_tpr, two_way_area

GRID = (np.arange(20_000) + 0.5) / 20_000
LIMITS = st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.7, 1.0])


@st.composite
def curves(draw):
    steps = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=8))
    fp, tp = np.cumsum(np.array([(0, 0), *steps], dtype=np.float64), axis=0).T
    if not fp[-1] or not tp[-1]:
        return np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
    return fp / fp[-1], tp / tp[-1]


def on_grid(x, y):
    """The polyline as a function on the grid; upright edges are given no width."""
    return np.interp(GRID, x + np.arange(x.size) * 1e-12, y)


@given(curves(), LIMITS, LIMITS)
def test_areas_are_sums_over_the_region(curve, a, b):
    fpr, tpr = curve
    if a < b:
        inside = (a < GRID) & (b > GRID)
        assert area_over_fpr(fpr, tpr, a, b).raw == pytest.approx((on_grid(fpr, tpr) * inside).mean(), abs=1e-3)
        right = (1 - on_grid(tpr, fpr)) * inside
        assert area_over_tpr(fpr, tpr, a, b).raw == pytest.approx(right.mean(), abs=1e-3)
    if b > 0 and a < 1:
        want = np.maximum(on_grid(fpr, tpr) - a, 0) * (b > GRID)
        assert two_way_area(fpr, tpr, b, a).raw == pytest.approx(want.mean(), abs=1e-3)


@given(LIMITS, LIMITS)
def test_chance_is_a_half_and_perfection_one(a, b):
    line, corner = (np.array([0.0, 1.0]),) * 2, (np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    regions = []
    if a < b:
        regions += [lambda c: area_over_fpr(*c, a, b), lambda c: area_over_tpr(*c, a, b)]
    if b > 0 and a < 1:
        regions.append(lambda c: two_way_area(*c, b, a))
    for region in regions:
        assert region(line).corrected == pytest.approx(0.5, abs=1e-12)
        assert region(corner).corrected == pytest.approx(1.0)
        assert region(corner).normalized == pytest.approx(1.0)
