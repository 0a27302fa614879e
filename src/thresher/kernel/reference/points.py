"""From rows to the points of a curve, and to the average precision."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import check_finite, score_table, threshold_table, total
from thresher.kernel.values import CurveName, CurvePoints, Scores, ThresholdArrays, Truth


def needed(table: ThresholdArrays, curve: CurveName) -> NDArray[np.bool_]:
    """Say which thresholds a drawing of the curve needs: the first, the last, and those not told by their neighbors.

    A point of the ROC half-way between both neighbors is not needed; nor is one of the precision–recall curve with
    the same recall as both.
    """
    keep = np.ones(table.thresholds.size, dtype=np.bool_)
    if keep.size > 2:
        if curve == "roc":
            keep[1:-1] = (np.diff(table.fp, 2) != 0) | (np.diff(table.tp, 2) != 0)
        else:
            rises = np.diff(table.tp) != 0
            keep[1:-1] = rises[:-1] | rises[1:]
    return keep


def points_of(table: ThresholdArrays, curve: CurveName, drop: bool, rising: bool) -> CurvePoints:
    """Return the points of a curve from the counts at every threshold; the place of the first is left at 0."""
    tp, fp = table.tp.astype(np.float64), table.fp.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (fp / fp[-1:], tp / tp[-1:]) if curve == "roc" else (tp / tp[-1:], tp / (tp + fp))
    columns = x, y, table.thresholds
    if drop:
        keep = needed(table, curve)
        columns = x[keep], y[keep], table.thresholds[keep]
    if rising:
        return CurvePoints(*(np.append(column[::-1], 0.0) for column in columns))
    return CurvePoints(*(np.append(0.0, column) for column in columns))


def curve_points(
    truth: Truth,
    scores: Scores,
    weights: Scores | None,
    finite: bool,
    curve: CurveName,
    drop: bool,
    rising: bool,
    threads: int,
) -> CurvePoints:
    """Return the points of a curve from the top."""
    if finite:
        check_finite(scores)
    return points_of(threshold_table(truth, scores, weights, threads), curve, drop, rising)


def average_precision(truth: Truth, scores: Scores, weights: Scores | None, finite: bool, threads: int) -> float:
    """Add up precision times the recall gained, over the scores that positives have."""
    if finite:
        check_finite(scores)
    table = score_table(truth, scores, weights, False, threads)
    positives = total(table.positive)
    if not positives:
        return math.nan
    tp, fp = np.cumsum(table.positive), np.cumsum(table.negative)
    gained = table.positive > 0
    return float(np.sum(table.positive[gained] * (tp[gained] / (tp[gained] + fp[gained]))) / positives)
