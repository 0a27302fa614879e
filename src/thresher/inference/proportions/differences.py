"""Newcombe's score intervals for the difference of two proportions, on the same rows or on different ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import LEVEL
from thresher.inference.proportions.intervals import wilson_interval


def newcombe_difference(
    successes: tuple[float, float], trials: tuple[float, float], *, level: float = LEVEL
) -> tuple[float, float]:
    """Limits of p₁ − p₂ for two independent samples: Newcombe's hybrid of the two Wilson intervals (method 10).

    low = d − √((p₁−l₁)² + (u₂−p₂)²), high = d + √((u₁−p₁)² + (p₂−l₂)²). Inside [−1, 1]; NaN when a sample is empty.

    >>> [round(x, 4) for x in newcombe_difference((56, 48), (70, 80))]
    [0.0524, 0.3339]

    Source: Newcombe 1998a.
    """
    if not all(trials):
        return math.nan, math.nan
    return newcombe_of_shares((successes[0] / trials[0], successes[1] / trials[1]), trials, level=level)


def newcombe_of_shares(
    shares: tuple[float, float], trials: tuple[float, float], *, level: float = LEVEL
) -> tuple[float, float]:
    """The same limits from the two shares, each of a number of trials that may be an effective one."""
    p, q = shares
    one, two = (wilson_interval(share * n, n, level=level) for share, n in zip(shares, trials, strict=True))
    down = math.hypot(p - float(one.low), float(two.high) - q)
    up = math.hypot(float(one.high) - p, q - float(two.low))
    return max(-1.0, p - q - down), min(1.0, p - q + up)


def newcombe_paired_difference(table: ArrayLike, *, level: float = LEVEL) -> tuple[float, float]:
    """Limits of p₁ − p₂ on the same rows, from [[both, first only], [second only, neither]] (Newcombe's method 10).

    The two Wilson intervals are combined as for independent samples, with the correlation φ of the two outcomes
    (continuity-corrected when positive) taken off. Inside [−1, 1]; NaN without rows.

    >>> [round(x, 4) for x in newcombe_paired_difference([[36, 12], [2, 0]])]
    [0.0569, 0.3404]

    Source: Newcombe 1998b.
    """
    (e, f), (g, h) = np.asarray(table, dtype=np.float64).tolist()
    n = e + f + g + h
    if not n:
        return math.nan, math.nan
    first, second = (wilson_interval(s, n, level=level) for s in (e + f, e + g))
    p, q = (e + f) / n, (e + g) / n
    phi = _correlation(e, f, g, h, n)
    dl1, du1, dl2, du2 = p - float(first.low), float(first.high) - p, q - float(second.low), float(second.high) - q
    down = math.sqrt(max(0.0, dl1**2 - 2 * phi * dl1 * du2 + du2**2))
    up = math.sqrt(max(0.0, du1**2 - 2 * phi * du1 * dl2 + dl2**2))
    return max(-1.0, p - q - down), min(1.0, p - q + up)


def _correlation(e: float, f: float, g: float, h: float, n: float) -> float:
    """φ of the 2×2 table, its numerator brought n/2 nearer to 0 when positive; 0 when a margin is empty."""
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    if margins == 0:
        return 0.0
    excess = e * h - f * g
    return (max(excess - n / 2, 0.0) if excess > 0 else excess) / math.sqrt(margins)
