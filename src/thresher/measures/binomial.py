"""Normal, binomial and beta distributions in NumPy: importing scipy takes a third of a small report's time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats

_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""Coefficients of Stirling's series for ln n!, in 1/n, 1/n³, …; the next term is below 1e-16 from n = 16 on."""

SUMMED = 10**10
"""Trials up to which the terms are added up: half a million of them; beyond, Edgeworth's series is as exact."""


def normal_tail(z: float, sides: int = 1) -> float:
    """Compute min(1, sides·(1 − Φ(z))) with full relative precision: the p value of a standard normal statistic z."""
    return min(sides * math.erfc(z / math.sqrt(2)) / 2, 1.0)  # NaN stays NaN


def at_least(successes: int, trials: int, rate: float) -> float:
    """Compute Pr(X ≥ k) = Σ_{j ≥ k} C(n, j)·p^j·(1 − p)^(n − j), to a relative error below 1e-9.

    Of more than 10¹⁰ trials by Edgeworth's series, to 1e-10 of 1.
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
    """Return the normal tail corrected for skewness; scipy's incomplete beta function was off by 6e-4 before 1.16."""
    deviation = math.sqrt(n * p * (1 - p))
    x = (k - 0.5 - n * p) / deviation
    skew = (1 - 2 * p) * (x * x - 1) / (6 * deviation) * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, normal_tail(x) + skew))


def _falling_tail(k: int, n: int, p: float) -> float:
    """Sum from a first term not below the mean: each term is the one before times a ratio below 1 that falls."""
    # Ten standard deviations past the first term the rest is less than exp(−50) of it.
    many = min(n - k, int(10 * math.sqrt(n * p * (1 - p))) + 100)
    j = np.arange(k, k + many, dtype=np.float64)
    terms = np.cumprod((n - j) / (j + 1) * (p / (1 - p)))
    return min(1.0, exactly(k, n, p) * (1.0 + float(terms.sum())))


def exactly(k: int, n: int, p: float) -> float:
    """Compute Pr(X = k) by the saddle-point form, a product without cancellation [Loader 2000].

    >>> round(exactly(2, 4, 0.5), 12)
    0.375
    """
    if k in (0, n):
        return math.exp(n * math.log(p if k else 1 - p))
    exponent = _stirling(n) - _stirling(k) - _stirling(n - k) - _deviance(k, n * p) - _deviance(n - k, n * (1 - p))
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def _stirling(n: int) -> float:
    """Return ln n! minus Stirling's approximation."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    return sum(c / float(n) ** power for c, power in zip(_SERIES, (1, 3, 5, 7, 9), strict=True))


def _deviance(x: int, mean: float) -> float:
    """Return x·ln(x/mean) − (x − mean)."""
    return x * math.log1p((x - mean) / mean) - (x - mean)


MOST_TERMS = 100_000
"""Terms of the continued fraction; about √max(a, b) are needed."""

TINY = 1e-300


def incomplete_beta(a: float | Floats, b: float | Floats, x: Floats, parts: Sequence[int] | None = None) -> Floats:
    """Compute the chance that a Beta(a, b) variable is at most x: ∫₀ˣ t^(a−1)·(1 − t)^(b−1) dt/B(a, b).

    `x` is of one axis and in [0, 1], in parts of the sizes `parts`, by default one; `a` and `b` are > 0, with one value
    per part along the last axis. Exact to about 1e-15·(a + b), at best 1e-14. A part has the same bits as alone.

    Source: Didonato & Morris 1992; the continued fraction is evaluated by Lentz's method.
    """
    # The fraction converges fast up to about the mean; beyond it the other tail is asked for. Both are found at once:
    # of the few values of a small table most of the time is that of NumPy's calls.
    sizes = np.array([x.size] if parts is None else parts)
    gammas = _log_gamma(np.add(a, b)) - _log_gamma(a) - _log_gamma(b)
    a, b, gammas = (np.repeat(np.atleast_1d(each), sizes, axis=-1) for each in (a, b, gammas))
    turned = x > (a + 1) / (a + b + 2)
    own, other = np.where(turned, b, a), np.where(turned, a, b)
    at, rest = np.where(turned, 1 - x, x), np.where(turned, x, 1 - x)
    with np.errstate(divide="ignore"):
        log_front = own * np.log(at) + other * np.log(rest)
    tail = np.exp(log_front + gammas) / own * _fraction(own, other, at, sizes)
    return np.asarray(np.where(turned, 1 - tail, tail))


def _log_gamma(values: float | Floats) -> Floats:
    return np.reshape([math.lgamma(value) for value in np.ravel(values)], np.shape(values))


def _fraction(a: Floats, b: Floats, x: Floats, sizes: NDArray[np.int64]) -> Floats:
    """Return 1/(1 + d₁/(1 + d₂/(1 + …))) by ratios of numerators and denominators, until no value of a part moves."""
    starts, going = np.cumsum(sizes) - sizes, np.ones(sizes.size, dtype=bool)
    c, d = np.ones(x.shape), 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = np.ones(x.shape)
        for term in (even, odd):
            d = 1 / _away_from_0(1 + term * d)
            c = _away_from_0(1 + term / c)
            step *= c * d
        value = np.where(np.repeat(going, sizes), value * step, value)
        # Rounding leaves a step of one last place, so that waiting for none would only pile it up.
        moves = np.logical_or.reduceat(np.abs(step - 1) > 5e-16, starts, axis=-1)
        going &= moves.reshape(-1, sizes.size).any(axis=0)
        if not going.any():
            break
    return value


def _away_from_0(values: Floats) -> Floats:
    return np.where(np.abs(values) < TINY, TINY, values)
