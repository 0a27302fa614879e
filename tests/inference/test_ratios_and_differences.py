"""Intervals of likelihood and odds ratios and of differences: definitions, published examples, edges, coverage."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from thresher.counts import ConfusionMatrix
from thresher.inference.estimates.of_matrices import estimates
from thresher.inference.proportions.differences import (
    diagnostic_odds_ratio_interval,
    likelihood_ratio_interval,
    newcombe_difference,
    newcombe_of_shares,
    newcombe_paired_difference,
)
from thresher.inference.proportions.intervals import normal_quantile, wilson_interval
from thresher.measures import find

cells = st.tuples(*[st.integers(0, 60)] * 4)
NEWCOMBE_1998A = {
    # Table II of Newcombe (1998a), method 10: first successes and trials, second ones, 95 % limits.
    ((56, 70), (48, 80)): (0.0524, 0.3339),
    ((9, 10), (3, 10)): (0.1705, 0.8090),
    ((6, 7), (2, 7)): (0.0582, 0.8062),
    ((5, 56), (0, 29)): (-0.0381, 0.1926),
    ((0, 10), (0, 20)): (-0.1611, 0.2775),
    ((0, 10), (0, 10)): (-0.2775, 0.2775),
    ((10, 10), (0, 20)): (0.6791, 1.0),
    ((10, 10), (0, 10)): (0.6075, 1.0),
}
NEWCOMBE_1998B = {
    # Newcombe (1998b), the paired method 10: e, f, g, h, 95 % limits.
    (36, 12, 2, 0): (0.0569, 0.3404),
}


@pytest.mark.parametrize(("samples", "limits"), NEWCOMBE_1998A.items())
def test_published_differences_of_different_rows(samples, limits) -> None:
    (x, m), (y, n) = samples
    assert newcombe_difference((x, y), (m, n)) == pytest.approx(limits, abs=5.1e-5)
    low, high = newcombe_difference((y, x), (n, m))
    assert (-high, -low) == pytest.approx(limits, abs=5.1e-5)


@pytest.mark.parametrize(("table", "limits"), NEWCOMBE_1998B.items())
def test_published_differences_on_the_same_rows(table, limits) -> None:
    e, f, g, h = table
    assert newcombe_paired_difference([[e, f], [g, h]]) == pytest.approx(limits, abs=5.1e-5)
    low, high = newcombe_paired_difference([[e, g], [f, h]])
    assert (-high, -low) == pytest.approx(limits, abs=5.1e-5)


@given(cells)
def test_differences_hold_the_difference_and_stay_inside(counts: tuple[int, int, int, int]) -> None:
    e, f, g, h = counts
    n = sum(counts)
    low, high = newcombe_paired_difference([[e, f], [g, h]])
    if n:
        assert -1 <= low <= (f - g) / n <= high <= 1
        if f or g:
            assert low < high
    else:
        assert math.isnan(low)
        assert math.isnan(high)
    low, high = newcombe_difference((e, g), (e + f, g + h))
    if e + f and g + h:
        assert -1 <= low <= e / (e + f) - g / (g + h) <= high <= 1
        assert low < high
    else:
        assert math.isnan(low)
        assert math.isnan(high)


def test_independent_samples_by_hand() -> None:
    one, two = wilson_interval(9, 10, level=0.9), wilson_interval(3, 10, level=0.9)
    low, high = newcombe_difference((9, 3), (10, 10), level=0.9)
    assert low == pytest.approx(0.6 - math.sqrt((0.9 - one.low) ** 2 + (two.high - 0.3) ** 2), rel=1e-14)
    assert high == pytest.approx(0.6 + math.sqrt((one.high - 0.9) ** 2 + (0.3 - two.low) ** 2), rel=1e-14)
    assert newcombe_of_shares((0.9, 0.3), (10, 10), level=0.9) == pytest.approx((low, high), rel=1e-14)


def test_paired_by_hand() -> None:
    """Newcombe's φ: the numerator loses n/2 when positive, and nothing when negative."""
    for (e, f, g, h), excess in (((36, 12, 2, 0), -24), ((20, 6, 4, 20), 400 - 24 - 25), ((5, 5, 5, 6), 0)):
        n = e + f + g + h
        phi = excess / math.sqrt((e + f) * (g + h) * (e + g) * (f + h))
        one, two = wilson_interval(e + f, n), wilson_interval(e + g, n)
        p, q = (e + f) / n, (e + g) / n
        a, b, c, d = p - one.low, two.high - q, one.high - p, q - two.low
        expected = (
            p - q - math.sqrt(a * a - 2 * phi * a * b + b * b),
            p - q + math.sqrt(c * c - 2 * phi * c * d + d * d),
        )
        assert newcombe_paired_difference([[e, f], [g, h]]) == pytest.approx(expected, rel=1e-12)


def test_likelihood_ratios_by_hand() -> None:
    """Limits of Simel et al.: exp(ln LR ± z·√(1/a − 1/P + 1/b − 1/N))."""
    z = normal_quantile(0.95)
    for negative, (a, b) in ((False, (90, 140)), (True, (210, 9560))):
        ratio = (a / 300) / (b / 9700)
        error = math.sqrt(1 / a - 1 / 300 + 1 / b - 1 / 9700)
        interval = likelihood_ratio_interval(tp=90, fp=140, fn=210, tn=9560, negative=negative)
        assert (interval.low, interval.high) == pytest.approx(
            (ratio * math.exp(-z * error), ratio * math.exp(z * error)), rel=1e-12
        )
    interval = diagnostic_odds_ratio_interval(tp=90, fp=140, fn=210, tn=9560, level=0.9)
    error = normal_quantile(0.9) * math.sqrt(1 / 90 + 1 / 140 + 1 / 210 + 1 / 9560)
    ratio = 90 * 9560 / (140 * 210)
    assert (interval.low, interval.high) == pytest.approx(
        (ratio * math.exp(-error), ratio * math.exp(error)), rel=1e-12
    )


def test_estimates_of_ratios_by_hand() -> None:
    """MOVER: the distances of the logarithms, or logits, to Wilson's limits add up in squares."""
    matrix = ConfusionMatrix.from_cells(tp=9, fp=4, fn=1, tn=36)
    (low_p, high_p), (low_q, high_q) = ((of.low, of.high) for of in (wilson_interval(9, 10), wilson_interval(4, 40)))

    def limits(value: float, of: Callable[[float], float]) -> tuple[float, float]:
        down = math.hypot(math.log(of(0.9) / of(low_p)), math.log(of(high_q) / of(0.1)))
        up = math.hypot(math.log(of(high_p) / of(0.9)), math.log(of(0.1) / of(low_q)))
        return value * math.exp(-down), value * math.exp(up)

    for name, value, of in (("positive_likelihood_ratio", 9, float), ("odds_ratio", 81, lambda p: p / (1 - p))):
        found = matrix.estimate(name)
        assert found.value == pytest.approx(value, rel=1e-12)
        assert (found.low, found.high) == pytest.approx(limits(value, of), rel=1e-9)
    swapped = ConfusionMatrix.from_cells(tp=1, fp=36, fn=9, tn=4).estimate("negative_likelihood_ratio")
    found = matrix.estimate("positive_likelihood_ratio")
    assert (swapped.low, swapped.high) == pytest.approx((found.low, found.high), rel=1e-9)
    empty = ConfusionMatrix.from_cells(tp=9, fp=0, fn=1, tn=40).estimate("lr_plus")
    assert (empty.low, empty.high) == pytest.approx((0.9 / wilson_interval(0, 40).high, math.inf), rel=1e-9)


FUNCTIONS = {
    "lr_plus": 0.954, "lr_minus": 0.954, "odds_ratio": 0.950, "lift": 0.963, "prevalence_threshold": 0.953,
    "f1": 0.969, "fowlkes_mallows": 0.977, "kappa": 0.977, "mcc": 0.961, "markedness": 0.960, "informedness": 0.953,
    "geometric_mean": 0.952,
}  # fmt: skip
"""Mean coverage over the grid of rates."""


@pytest.mark.parametrize(("name", "mean"), FUNCTIONS.items())
def test_exact_coverage_of_functions_of_both_rates(name: str, mean: float) -> None:
    """The sum over all tables of 10 positives and 40 negatives: at least 90 %, or with a warning."""
    tables = [(tp, fp, 10 - tp, 40 - fp) for tp in range(11) for fp in range(41)]
    every = estimates(
        [ConfusionMatrix.from_counts([[tp, fn], [fp, tn]], labels=(1, 0)) for tp, fp, fn, tn in tables], name
    )
    low, high = (
        np.array([math.nan if end is None else end for end in ends]).reshape(11, 41)
        for ends in zip(*((each.low, each.high) for each in every), strict=True)
    )
    is_warned = np.array([bool(each.warnings) for each in every]).reshape(11, 41)
    covered = []
    for tpr, fpr in product((0.02, 0.05, 0.1, 0.5, 0.9, 0.95, 0.98), repeat=2):
        truth = ConfusionMatrix.from_cells(tp=1000 * tpr, fp=4000 * fpr, fn=1000 * (1 - tpr), tn=4000 * (1 - fpr))
        value = float(find(name)(truth))
        of_tables = binom.pmf(range(11), 10, tpr)[:, None] * binom.pmf(range(41), 40, fpr) * ~np.isnan(low)
        contains = (low <= value * (1 + 1e-9) + 1e-12) & (high >= value * (1 - 1e-9) - 1e-12)
        covered.append(float((of_tables * contains).sum() / of_tables.sum()))
        assert float((of_tables * (contains | is_warned)).sum() / of_tables.sum()) > 0.9, (tpr, fpr)
    assert np.mean(covered) == pytest.approx(mean, abs=0.001)


def test_an_empty_cell_is_said() -> None:
    interval = diagnostic_odds_ratio_interval(tp=10, fp=0, fn=4, tn=20)
    assert interval.high == math.inf
    assert interval.method == "log method, ½ added to each cell"
    center, error = math.log(10.5 * 20.5 / (0.5 * 4.5)), math.sqrt(1 / 10.5 + 1 / 0.5 + 1 / 4.5 + 1 / 20.5)
    assert interval.low == pytest.approx(math.exp(center - normal_quantile(0.95) * error), rel=1e-12)
    certain = likelihood_ratio_interval(tp=10, fp=20, fn=0, tn=0)
    assert certain.low < 1 < certain.high
