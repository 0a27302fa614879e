"""Intervals for likelihood ratios and the diagnostic odds ratio, symmetric on the log scale."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from thresher.conventions import LEVEL
from thresher.errors import InputError
from thresher.inference.proportions.intervals import Interval, normal_quantile

Table = tuple[float, float, float, float]


def likelihood_ratio_interval(
    *, tp: float, fp: float, fn: float, tn: float, negative: bool = False, level: float = LEVEL
) -> Interval:
    """Interval of LR+ = TPR/FPR, or with `negative` of LR− = FNR/TNR, as ln LR ± z·SE.

    SE² = 1/a − 1/P + 1/b − 1/N, with a of the P positives and b of the N negatives in the numbers that are compared
    (TP and FP, or FN and TN). A ratio of 0 or ∞ has no logarithm, and one of two certainties (TPR = FPR = 1) has no
    SE: then ½ is added to each cell, the method says so, and the limit on the side of the value is 0 or ∞ itself.
    Both limits are NaN without positives, without negatives, or at 0/0.

    Raises:
        InputError: a cell is negative or not finite.
        OptionError: the level is not between 0 and 1.

    >>> interval = likelihood_ratio_interval(tp=90, fp=140, fn=210, tn=9560)
    >>> round(interval.low, 2), round(interval.high, 2), interval.method
    (16.37, 26.39, 'log method')
    >>> likelihood_ratio_interval(tp=5, fp=0, fn=1, tn=5).high
    inf

    Source: Simel, Samsa & Matchar 1991.
    """
    cells = (fn, tn, tp, fp) if negative else (tp, fp, fn, tn)
    if tp + fn == 0 or fp + tn == 0:
        cells = (0.0, 0.0, 0.0, 0.0)
    return _log_interval(cells, _log_ratio, level)


def diagnostic_odds_ratio_interval(*, tp: float, fp: float, fn: float, tn: float, level: float = LEVEL) -> Interval:
    """Interval of the odds ratio TP·TN/(FP·FN) as its logarithm ± z·√(1/TP + 1/FP + 1/FN + 1/TN) (Woolf).

    With an empty cell ½ is added to each, the method says so, and the limit on the side of the value is 0 or ∞.
    Both limits are NaN when a true class or a predicted class has no rows.

    Raises:
        InputError: a cell is negative or not finite.
        OptionError: the level is not between 0 and 1.

    >>> interval = diagnostic_odds_ratio_interval(tp=90, fp=140, fn=210, tn=9560)
    >>> round(interval.low, 2), round(interval.high, 2)
    (21.72, 39.43)

    Source: Woolf 1955; Haldane 1956 for the ½.
    """
    return _log_interval((tp, fp, fn, tn), _log_odds_ratio, level)


def _log_interval(cells: Table, ratio: Callable[[Table], tuple[float, float, float]], level: float) -> Interval:
    """Limits on the log scale; those of the cells with ½ added where the ratio or its error is on an edge."""
    if not all(math.isfinite(cell) and cell >= 0 for cell in cells):
        raise InputError(f"cells {cells} are not all finite and ≥ 0.")
    z = normal_quantile(level)
    value, center, error = ratio(cells)
    method = "log method"
    if math.isnan(value):
        return Interval(math.nan, math.nan, float(level), method)
    if value in (0, math.inf) or not error > 0:
        tp, fp, fn, tn = (cell + 0.5 for cell in cells)
        _, center, error = ratio((tp, fp, fn, tn))
        method = "log method, ½ added to each cell"
    low, high = math.exp(center - z * error), math.exp(center + z * error)
    return Interval(0.0 if value == 0 else low, math.inf if value == math.inf else high, float(level), method)


def _log_ratio(cells: Table) -> tuple[float, float, float]:
    """Ratio of the rates a/P and b/N, its logarithm and the error of that."""
    a, b, c, d = (np.float64(cell) for cell in cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = a / (a + c) / (b / (b + d))
        # c/(a·P) = 1/a − 1/P, without the cancellation.
        variance = c / (a * (a + c)) + d / (b * (b + d))
        return float(value), float(np.log(value)), float(np.sqrt(variance))


def _log_odds_ratio(cells: Table) -> tuple[float, float, float]:
    """Odds ratio, its logarithm and the error of that."""
    a, b, c, d = (np.float64(cell) for cell in cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = a * d / (b * c)
        return float(value), float(np.log(value)), float(np.sqrt(1 / a + 1 / b + 1 / c + 1 / d))
