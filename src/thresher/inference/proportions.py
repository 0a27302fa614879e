"""Intervals for proportions: so many successes in so many trials."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, confidence_level, divide
from thresher.errors import InputError

ROUNDING = 1e-9
"""Relative excess of successes over trials that rounding of weighted sums explains."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper limit, numbers or arrays of one shape, at a confidence level."""

    low: Any
    high: Any
    level: float
    method: str


def normal_quantile(level: float) -> float:
    """Standard normal quantile of a two-sided interval: 1.96 at 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence_level(level) / 2)


def wilson_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Score interval of a proportion: all p with |x/n − p| ≤ z·√(p(1 − p)/n).

    It lies in [0, 1], has positive width, and touches 0 at x = 0 and 1 at x = n. Arrays are taken element by
    element; x and n need not be whole (effective sizes). Without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = wilson_interval(9, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.5958, 0.9821)

    Source: Wilson 1927; Brown, Cai & DasGupta 2001.
    """
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    wrong = ~((x >= 0) & (x <= n * (1 + ROUNDING)) & np.isfinite(n))
    if wrong.any():
        raise InputError(f"{x[wrong][0]:g} successes in {n[wrong][0]:g} trials are no proportion.")
    low, high = _roots(np.minimum(x, n), n, normal_quantile(level))
    return Interval(_plain(low), _plain(high), float(level), "Wilson")


def _roots(x: NDArray[np.float64], n: NDArray[np.float64], z: float) -> tuple[Any, Any]:
    """Roots of (n + z²)p² − (2x + z²)p + x²/n = 0; the smaller from their product, so that nothing cancels."""
    # Without trials p is NaN, and so is all that follows.
    p = divide(x, n)
    larger = x + z * z / 2 + z * np.sqrt(x * (1 - p) + z * z / 4)
    return np.asarray(p * x / larger), np.where(p == 1, 1.0, np.minimum(larger / (n + z * z), 1.0))


def _plain(value: NDArray[np.float64]) -> Any:
    return float(value) if value.ndim == 0 else value
