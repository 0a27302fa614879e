"""Interval of the mean of a loss, from its sums."""

from __future__ import annotations

import math
from dataclasses import replace

from thresher.conventions import LEVEL, confidence_level
from thresher.counts.loss_sums import LossSums
from thresher.inference.limits.delta import limits, scale_words
from thresher.inference.proportions.intervals import normal_quantile, wilson_interval
from thresher.inference.scores.losses import ALIKE, FEW, INFINITE, ROUNDING
from thresher.results import Estimate

BOUNDS: dict[str, tuple[float, float]] = {"log_loss": (0.0, math.inf), "brier_score": (0.0, 2.0)}


def loss_sums_interval(
    sums: LossSums, name: str, *, bounds: tuple[float, float] | None = None, level: float = LEVEL
) -> Estimate:
    """Estimate of a mean loss: on the logit scale of its bounds, on the log scale for [0, ∞).

    `bounds` are those of "log_loss" and "brier_score" (of several classes, [0, 2]), and [0, 1] for any other name, such
    as a top-k accuracy. Where the rows do not vary the interval is Wilson's on the scale of the bounds; the log loss
    then has none.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> from thresher.multiclass import top_k_accuracy
    >>> sums = top_k_accuracy([0, 2, 1, 0], [[0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1]], k=2)
    >>> loss_sums_interval(sums[2], "top_2_accuracy")
    Estimate(top_2_accuracy = 0.75 [0.1802, 0.9762], 95% mean of the rows, logit scale)
    """
    confidence_level(level)
    low, high = bounds or BOUNDS.get(name, (0.0, 1.0))
    found = Estimate(name=name, value=sums.mean, n=sums.n)
    error = sums.standard_error
    if math.isnan(sums.mean):
        return replace(found, reason="there are no rows")
    if math.isinf(sums.mean):
        return replace(found, reason=INFINITE)
    if math.isnan(error):
        return replace(found, reason=FEW)
    effective = ", effective size" if sums.is_effective else ""
    if error**2 * sums.n <= ROUNDING * sums.mean**2:
        if math.isinf(high):
            return replace(found, reason=ALIKE)
        wilson = wilson_interval((sums.mean - low) / (high - low) * sums.n, sums.n, level=level)
        ends = [low + (high - low) * float(limit) for limit in (wilson.low, wilson.high)]
        method = f"Wilson, as the rows do not vary{effective}"
        return replace(found, low=ends[0], high=ends[1], level=level, method=method)
    ends = list(limits(sums.mean, error, (low, high), normal_quantile(level)))
    method = f"mean of the rows{effective}{scale_words((low, high))}"
    return replace(found, standard_error=error, low=ends[0], high=ends[1], level=level, method=method)
