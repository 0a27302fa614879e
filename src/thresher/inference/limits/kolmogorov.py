"""Quantiles of Kolmogorov's distribution without scipy, whose import takes longer than a million rows."""

from __future__ import annotations

import math

HALVINGS = 60
TERMS = 20


def kolmogorov_quantile(tail: float) -> float:
    """Number that Kolmogorov's variable, the limit of √n times the largest distance, exceeds with a chance in (0, 1).

    >>> round(kolmogorov_quantile(0.05), 6)
    1.358099

    Kolmogorov 1933.
    """
    # The first term of the series is never below the whole.
    low, high = 0.0, math.sqrt(math.log(2 / tail) / 2)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _exceeded(middle) > tail else (low, middle)
    return (low + high) / 2


def _exceeded(distance: float) -> float:
    """2·Σ (−1)^(k−1)·exp(−2k²x²); of small distances by Jacobi's other form of the series."""
    if distance > 1:
        return sum((2 if k % 2 else -2) * math.exp(-2 * (k * distance) ** 2) for k in range(1, TERMS))
    if distance < 0.04:
        return 1.0
    powers = (math.exp(-(((2 * k - 1) * math.pi / distance) ** 2) / 8) for k in range(1, TERMS))
    return 1 - math.sqrt(2 * math.pi) / distance * sum(powers)
