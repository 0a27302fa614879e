"""Intervals for the difference of two proportions, on the same rows or on different ones, and for their ratios."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.conventions import LEVEL
from thresher.errors import InputError
from thresher.inference.proportions.intervals import Interval, normal_quantile, wilson_interval
from thresher.predictions.class_tables import agreement_table


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
    shares: tuple[float, float], trials: tuple[float, float], *, level: float = LEVEL, correlation: float = 0.0
) -> tuple[float, float]:
    """The same limits from the two shares and their (effective) trials."""
    wilson = wilson_interval(np.array(shares) * trials, trials, level=level)
    one, two = zip(wilson.low.tolist(), wilson.high.tolist(), strict=True)
    return newcombe_from(*shares, one, two, correlation)


def newcombe_from(
    p: float, q: float, one: tuple[float, float], two: tuple[float, float], correlation: float = 0.0
) -> tuple[float, float]:
    """The same limits from the two shares and their Wilson limits."""
    low, high = mover_limits(p, q, one, two, correlation)
    return max(-1.0, low), min(1.0, high)


def mover_limits(
    a: float, b: float, one: tuple[float, float], two: tuple[float, float], correlation: float = 0.0
) -> tuple[float, float]:
    """Limits of a − b from an interval of each (MOVER): d ∓ √((a − l₁)² + (u₂ − b)² − 2ρ(a − l₁)(u₂ − b)).

    Without the `correlation` ρ of paired values, which is mostly positive, they are conservative.

    Source: Zou & Donner 2008.
    """
    ends = (a - one[0], two[1] - b), (one[1] - a, b - two[0])
    down, up = (math.sqrt(max(0.0, x * x + y * y - 2 * correlation * x * y)) for x, y in ends)
    return a - b - down, a - b + up


def newcombe_paired_difference(table: Any, *, level: float = LEVEL) -> tuple[float, float]:
    """Limits of p₁ − p₂ on the same rows, from [[both, first only], [second only, neither]] (Newcombe's method 10).

    The two Wilson intervals are combined as for independent samples, less the correlation φ of the two outcomes
    (continuity-corrected if positive). A named table goes by its names, True and False. Inside [−1, 1]; NaN without
    rows.

    >>> [round(x, 4) for x in newcombe_paired_difference([[36, 12], [2, 0]])]
    [0.0569, 0.3404]

    Source: Newcombe 1998b.
    """
    counts = agreement_table(table).astype(np.float64)
    if counts.shape != (2, 2):
        raise InputError(f"a table of agreement has two rows and two columns, not the shape {counts.shape}.")
    (e, f), (g, h) = counts.tolist()
    n = e + f + g + h
    if not n:
        return math.nan, math.nan
    return newcombe_of_shares(((e + f) / n, (e + g) / n), (n, n), level=level, correlation=_correlation(e, f, g, h, n))


def _correlation(e: float, f: float, g: float, h: float, n: float) -> float:
    """φ of the 2×2 table, its numerator shrunk by n/2 if positive; 0 with an empty margin."""
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    if margins == 0:
        return 0.0
    excess = e * h - f * g
    return (max(excess - n / 2, 0.0) if excess > 0 else excess) / math.sqrt(margins)


Table = tuple[float, float, float, float]


def likelihood_ratio_interval(
    *, tp: float, fp: float, fn: float, tn: float, negative: bool = False, level: float = LEVEL
) -> Interval:
    """Interval of LR+ = TPR/FPR, or with `negative` of LR− = FNR/TNR, as ln LR ± z·SE.

    SE² = 1/a − 1/P + 1/b − 1/N, with a of the P positives and b of the N negatives in the compared numbers (TP and FP,
    or FN and TN). For a ratio of 0 or ∞, or of two certainties (TPR = FPR = 1), ½ is added to each cell, the method
    says so, and the limit on the side of the value is 0 or ∞. Both limits are NaN without positives, without negatives,
    or at 0/0. Where both rates are near 1 it may cover as little as 67 %; `ConfusionMatrix.estimate` combines Wilson's
    limits instead (docs/coverage.md).

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

    With an empty cell ½ is added to each, the method says so, and the limit on the side of the value is 0 or ∞. Both
    limits are NaN without rows of a true or predicted class.

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
    """Limits on the log scale; with ½ added to each cell if the ratio or its error is at an edge."""
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
    a, b, c, d = (np.float64(cell) for cell in cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = a / (a + c) / (b / (b + d))
        # c/(a·P) = 1/a − 1/P, without the cancellation.
        variance = c / (a * (a + c)) + d / (b * (b + d))
        return float(value), float(np.log(value)), float(np.sqrt(variance))


def _log_odds_ratio(cells: Table) -> tuple[float, float, float]:
    a, b, c, d = (np.float64(cell) for cell in cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = a * d / (b * c)
        return float(value), float(np.log(value)), float(np.sqrt(1 / a + 1 / b + 1 / c + 1 / d))
