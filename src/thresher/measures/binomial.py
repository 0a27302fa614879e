"""The exact upper tail of a binomial distribution in NumPy: importing scipy takes a third of a small report's time."""

from __future__ import annotations

import math

import numpy as np

_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""Coefficients of Stirling's series for ln n!, in 1/n, 1/n³, …; the next term is below 1e-16 from n = 16 on."""

SUMMED = 10**10
"""Trials up to which the terms are added up: half a million of them; beyond, Edgeworth's series is as exact."""


def at_least(successes: int, trials: int, rate: float) -> float:
    """Chance of at least so many successes: Σ_{j ≥ k} C(n, j)·p^j·(1 − p)^(n − j), to a relative error below 1e-9.

    Of more than 10¹⁰ trials by Edgeworth's series, to 1e-10 of 1.

    >>> round(at_least(8, 10, 0.5), 12)
    0.0546875
    """
    if successes <= 0:
        return 1.0
    if successes > trials or rate <= 0:
        return 0.0
    if rate >= 1:
        return 1.0
    if trials > SUMMED:
        return _by_edgeworth(successes, trials, rate)
    if successes <= trials * rate:
        # The other tail is the one whose terms fall; the two add up to 1.
        return 1.0 - _falling_tail(trials - successes + 1, trials, 1 - rate)
    return _falling_tail(successes, trials, rate)


def _by_edgeworth(k: int, n: int, p: float) -> float:
    """Normal tail with the terms of the skewness; scipy's incomplete beta function was off by 6e-4 before 1.16."""
    deviation = math.sqrt(n * p * (1 - p))
    x = (k - 0.5 - n * p) / deviation
    skew = (1 - 2 * p) * (x * x - 1) / (6 * deviation) * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, math.erfc(x / math.sqrt(2)) / 2 + skew))


def _falling_tail(k: int, n: int, p: float) -> float:
    """Sum from a first term not below the mean: each term is the one before times a ratio below 1 that falls."""
    # Ten standard deviations past the first term the rest is less than exp(−50) of it.
    many = min(n - k, int(10 * math.sqrt(n * p * (1 - p))) + 100)
    j = np.arange(k, k + many, dtype=np.float64)
    terms = np.cumprod((n - j) / (j + 1) * (p / (1 - p)))
    return min(1.0, exactly(k, n, p) * (1.0 + float(terms.sum())))


def exactly(k: int, n: int, p: float) -> float:
    """Chance of exactly k successes by the saddle-point form, whose parts do not cancel [Loader 2000].

    >>> round(exactly(2, 4, 0.5), 12)
    0.375
    """
    if k in (0, n):
        return math.exp(n * math.log(p if k else 1 - p))
    exponent = _stirling(n) - _stirling(k) - _stirling(n - k) - _deviance(k, n * p) - _deviance(n - k, n * (1 - p))
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def _stirling(n: int) -> float:
    """ln n! minus Stirling's approximation of it."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    return sum(c / float(n) ** power for c, power in zip(_SERIES, (1, 3, 5, 7, 9), strict=True))


def _deviance(x: int, mean: float) -> float:
    """x·ln(x/mean) − (x − mean)."""
    return x * math.log1p((x - mean) / mean) - (x - mean)
