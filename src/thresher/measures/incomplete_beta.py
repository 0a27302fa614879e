"""The regularized incomplete beta function in NumPy: importing scipy takes a third of a small report's time."""

from __future__ import annotations

import math

import numpy as np

from thresher.conventions import Floats

MOST_TERMS = 100_000
"""Terms of the continued fraction; about √max(a, b) are needed."""

TINY = 1e-300


def incomplete_beta(a: float | Floats, b: float | Floats, x: Floats) -> Floats:
    """Chance that a Beta(a, b) variable is at most x: ∫₀ˣ t^(a−1)·(1 − t)^(b−1) dt/B(a, b).

    `a` and `b` are > 0, `x` in [0, 1], of shapes that go together; to about 1e-15·(a + b), at best 1e-14.

    >>> incomplete_beta(2.0, 2.0, np.array([0.0, 0.25, 1.0])).round(6).tolist()
    [0.0, 0.15625, 1.0]

    Source: Didonato & Morris 1992; the continued fraction is evaluated by Lentz's method.
    """
    # The fraction converges fast up to about the mean; beyond it the other tail is asked for. Both are found at once:
    # of the few values of a small table most of the time is that of NumPy's calls.
    turned = x > (a + 1) / (a + b + 2)
    own, other = np.where(turned, b, a), np.where(turned, a, b)
    at, rest = np.where(turned, 1 - x, x), np.where(turned, x, 1 - x)
    with np.errstate(divide="ignore"):
        log_front = own * np.log(at) + other * np.log(rest)
    tail = np.exp(log_front + (_log_gamma(a + b) - _log_gamma(a) - _log_gamma(b))) / own * _fraction(own, other, at)
    return np.asarray(np.where(turned, 1 - tail, tail))


def _log_gamma(values: float | Floats) -> Floats:
    return np.reshape([math.lgamma(value) for value in np.ravel(values)], np.shape(values))


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """1/(1 + d₁/(1 + d₂/(1 + …))) by running ratios of numerators and of denominators."""
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
        value *= step
        # Rounding leaves a step of one last place, so that waiting for none would only pile it up.
        if not (np.abs(step - 1) > 5e-16).any():
            break
    return value


def _away_from_0(values: Floats) -> Floats:
    return np.where(np.abs(values) < TINY, TINY, values)
