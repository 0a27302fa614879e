"""Quantiles of Student's distribution, mostly without scipy, whose import a report of one model would wait for."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

NORMAL_FROM = 1e6
"""Degrees of freedom from which the normal quantile is right to a millionth."""

FAR = 0.9995
"""Share beyond which, as with fewer than two degrees of freedom, the sum has lost too many digits."""

TOLERANCE = 1e-14
POINTS = 60


def student_quantile(share: float, df: float) -> float:
    """Value below which this share, in [½, 1), of Student's distribution with df ≥ 1 lies; df need not be whole.

    With t = √df·tan θ the share between 0 and t is Γ((df + 1)/2)/(√π·Γ(df/2))·∫₀^θ cos^(df − 1), a smooth integral.
    It grows ever more slowly with θ, so that Newton's steps from 0 never pass the solution.

    >>> round(student_quantile(0.975, 9), 4), round(student_quantile(0.975, 2.5), 4)
    (2.2622, 3.5747)
    """
    if df >= NORMAL_FROM:
        return NormalDist().inv_cdf(share)
    if df < 2 or share > FAR:
        from scipy.special import stdtrit

        return float(stdtrit(df, share))
    nodes, weights = _points()
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    angle, step = 0.0, 1.0
    while step > TOLERANCE * angle:
        inside = angle / 2 * float(weights @ np.cos(angle * (nodes + 1) / 2) ** (df - 1))
        step = ((share - 0.5) / constant - inside) / math.cos(angle) ** (df - 1)
        angle += max(step, 0.0)
    return math.sqrt(df) * math.tan(angle)


@cache
def _points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of Gauss's rule on [−1, 1], far beyond what the integral needs where df is 2 or more."""
    nodes = np.cos(math.pi * (np.arange(POINTS) + 0.75) / (POINTS + 0.5))
    for _ in range(6):  # Newton's steps to the zeros of Legendre's polynomial, from where they nearly are
        last, value = np.ones(POINTS), nodes
        for k in range(2, POINTS + 1):
            last, value = value, ((2 * k - 1) * nodes * value - (k - 1) * last) / k
        slope = POINTS * (last - nodes * value) / (1 - nodes**2)
        nodes = nodes - value / slope
    return nodes, 2 / ((1 - nodes**2) * slope**2)
