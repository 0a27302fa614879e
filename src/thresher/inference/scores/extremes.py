"""Intervals of the Kolmogorov–Smirnov distance and of the equal error rate, which resampling moves to one side."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, Floats, confidence_level
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.inference.limits.delta import ClassSizes, class_sizes, student_quantile
from thresher.inference.proportions.differences import newcombe_of_shares
from thresher.inference.proportions.intervals import score_roots
from thresher.measures import find
from thresher.measures.areas import crossing, gaps
from thresher.results import Estimate

STRICTER = 5
"""The lower limit of a largest distance errs so many times less often than half of what the interval may."""

WINDOW = 0.25
"""How far TPR + FPR is followed to either side of the equal error point for the slope of the ROC there."""


def ks_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the Kolmogorov–Smirnov distance between the scores of the classes, max |TPR − FPR|.

    The distance at the threshold of the largest one is a difference of two shares with Newcombe's limits. As it was
    chosen to be the largest, its lower limit takes the quantile of (1 − level)/5, and is 0 where Smirnov's asymptotic
    test does not tell the classes apart: √(ln(2/(1 − level))/2·(1/P + 1/N)) ≥ KS. The upper limit takes 1 − level.
    Measured, 95 % intervals hold the distance 94 to 99 % of the time, from 5 positives on (docs/coverage.md).

    >>> table = ScoreTable.from_scores([1, 1, 1, 0, 1, 0, 1, 0, 0, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> ks_interval(table)
    Estimate(ks_statistic = 0.6 [0, 0.8573], 95% Newcombe at the largest distance, conservative)

    Sources: Smirnov 1948; Newcombe 1998a; the two quantiles by simulation.
    """
    tail, sizes = 1 - confidence_level(level), class_sizes(table)
    value = find("ks_statistic")(table)
    found = Estimate(name="ks_statistic", value=value, n=sizes.total)
    if math.isnan(value):
        return found
    shares, trials = _at_gap(table, sizes)
    low = newcombe_of_shares(shares, trials, level=1 - 2 * tail / STRICTER)[0]
    # With a level of ½ or less the one-sided limit would lie below the value.
    high = newcombe_of_shares(shares, trials, level=max(1 - 2 * tail, level / 2))[1]
    distance = math.sqrt(math.log(2 / tail) / 2 * (1 / sizes.positives + 1 / sizes.negatives))
    limits = min(max(low, 0.0) if value > distance else 0.0, value), max(high, value)
    return _filled(found, limits, level, "Newcombe at the largest distance, conservative", sizes)


def equal_error_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the equal error rate e, with Wilson's interval of an effective number of rows.

    Both error rates have the variance e(1 − e) per row of their class, and where the curves cross that of the negatives
    counts by the slope r of the ROC: e(1 − e)·(1/P + r²/N)/(1 + r)², that of a share of n = (1 + r)²/(1/P + r²/N)
    rows. r is read between the points where TPR + FPR is ¼ less and more. The quantile is Student's with
    min(P, N) − 1 degrees of freedom.

    >>> table = ScoreTable.from_scores([1, 1, 1, 0, 1, 0, 1, 0, 0, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> equal_error_interval(table)
    Estimate(equal_error_rate = 0.2 [0.03614, 0.625], 95% Wilson, effective size at the slope of the ROC, Student's t)

    Sources: Wilson 1927; the variance is that of a crossing of two independent curves.
    """
    confidence_level(level)
    sizes, value = class_sizes(table), find("equal_error_rate")(table)
    found = Estimate(name="equal_error_rate", value=value, n=sizes.total)
    if math.isnan(value):
        return found
    p, n = sizes.positives, sizes.negatives
    slope = _slope(table, sizes)
    rows = (1 + slope) ** 2 / (1 / p + slope**2 / n)
    quantile = student_quantile((1 + level) / 2, max(1.0, min(p, n) - 1))
    error = math.sqrt(value * (1 - value) / rows)
    low, high = score_roots(np.asarray(value * rows), np.asarray(rows), quantile)
    method = "Wilson, effective size at the slope of the ROC, Student's t"
    return replace(_filled(found, (float(low), float(high)), level, method, sizes), standard_error=error or None)


def ks_contributions(table: ScoreTable, place: Any, truth: Any, weights: Floats) -> Floats:
    """What rows at a `place` among the scores add to both rates at the cut of the largest distance, as it is."""
    row, sign = _largest_gap(table)
    return _of_rates(sign * (place <= row), truth, weights, (1.0, -1.0))


def equal_error_contributions(table: ScoreTable, place: Any, truth: Any, weights: Floats) -> Floats:
    """What rows at a `place` among the scores add to both rates where they are equal, by the slope r of the ROC."""
    at = crossing(table, tp=1 / float(table.P), fp=1 / float(table.N), target=1)
    slope = _slope(table, class_sizes(table))
    called = np.where(place < at.row, 1.0, np.where(place == at.row, at.share, 0.0))
    return _of_rates(called, truth, weights, (-1 / (1 + slope), slope / (1 + slope)))


def _of_rates(called: Any, truth: Any, weights: Floats, by: tuple[float, float]) -> Floats:
    """Rows that are called positive, less the rate of their class, over its weight, times what each rate counts."""
    found = np.zeros(len(truth))
    for of_class, factor in zip((truth, ~truth), by, strict=True):
        own, weight = called[of_class], weights[of_class]
        found[of_class] = factor * (own - np.average(own, weights=weight)) / weight.sum()
    return found


def _at_gap(table: ScoreTable, sizes: ClassSizes) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two shares at the largest distance, the larger first, and how many rows each is of."""
    row, sign = _largest_gap(table)
    tp, fp = cumulated(table, np.array([row]))
    tpr, fpr = float(tp[0]) / float(table.P), float(fp[0]) / float(table.N)
    pair, trials = (tpr, fpr), (sizes.positives, sizes.negatives)
    return (pair, trials) if sign > 0 else (pair[::-1], trials[::-1])


def _largest_gap(table: ScoreTable) -> tuple[int, int]:
    """Last score that the cut of the largest distance makes positive, and 1 where TPR is the larger there, else −1."""
    found = gaps(table)
    return (int(found.above_row), 1) if found.above >= found.below else (int(found.below_row), -1)


def _slope(table: ScoreTable, sizes: ClassSizes) -> float:
    """Slope of the ROC about the equal error point, drawn to 1 by half a row of each class."""
    p, n = float(table.P), float(table.N)
    first, last = (crossing(table, tp=1 / p, fp=1 / n, target=target) for target in (1 - WINDOW, 1 + WINDOW))
    half = (1 / sizes.positives + 1 / sizes.negatives) / 2
    return ((last.tp - first.tp) / p + half) / ((last.fp - first.fp) / n + half)


def _filled(found: Estimate, limits: tuple[float, float], level: float, method: str, sizes: ClassSizes) -> Estimate:
    effective = ", effective size" if sizes.is_effective and "effective" not in method else ""
    low, high = min(limits[0], found.value), max(limits[1], found.value)
    return replace(found, low=low, high=high, level=float(level), method=method + effective)
