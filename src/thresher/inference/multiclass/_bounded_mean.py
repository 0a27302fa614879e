"""Intervals of U-statistics of several classes with values in [0, 1], from their value and variance."""

from __future__ import annotations

import math
from dataclasses import replace

from thresher.conventions import LEVEL, confidence_level
from thresher.inference.limits.delta import limits
from thresher.inference.proportions.intervals import normal_quantile, wilson_interval
from thresher.results import Estimate

NO_WIDTH = 1e-12
"""A smaller standard error is the rounding of a zero."""


def bounded_estimate(
    name: str, value: float, variance: float, *, n: float, smallest: float, words: str, level: float = LEVEL
) -> Estimate:
    """Estimate of a mean over tuples of one row of each class, symmetric on the logit scale.

    Where the variance is 0 the interval is Wilson's for `smallest` trials: rows make that many tuples with no row in
    common, so that no such mean varies more than one of that many independent values in [0, 1]. `words` say
    where the variance is from.

    >>> bounded_estimate("hand_till", 0.9, 0.0004, n=100, smallest=20, words="structural components")
    Estimate(hand_till = 0.9 [0.8534, 0.9329], 95% structural components, logit scale)
    """
    confidence_level(level)
    found = Estimate(name=name, value=value, n=n)
    if smallest < 2 - 1e-9 or math.isnan(variance):
        return replace(found, reason=f"no interval, as its variance needs two rows of each class, not {smallest:.3g}")
    error = math.sqrt(variance)
    if error < NO_WIDTH or value in (0, 1):
        wilson = wilson_interval(min(max(value, 0.0), 1.0) * smallest, smallest, level=level)
        method = f"Wilson, {smallest:.4g} tuples without a common row, as {words} have no width here"
        return replace(found, low=float(wilson.low), high=float(wilson.high), level=level, method=method)
    low, high = limits(value, error, (0.0, 1.0), normal_quantile(level))
    return replace(found, standard_error=error, low=low, high=high, level=level, method=f"{words}, logit scale")
