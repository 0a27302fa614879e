"""Functions of rows that give the points of a curve, or the area under one, without a table in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import CurveName, CurvePoints


def curve_points(
    truth: Any,
    scores: Any,
    weights: Any = None,
    *,
    curve: CurveName,
    drop: bool = False,
    rising: bool = False,
    finite: bool = False,
    threads: int | None = None,
) -> CurvePoints:
    """Return (x, y, thresholds) of the ROC (FPR, TPR) or of the precision–recall curve (recall, precision).

    The first point is the one at which nothing is predicted positive, with threshold +inf: (0, 0), or (0, 1) by
    convention; then one for every distinct score, falling. ``drop`` leaves out those that say nothing: on the ROC the
    ones half-way between their neighbors, on the precision–recall curve the ones with the recall of both neighbors.
    ``rising`` gives the same points in the opposite order. A rate of an absent class is NaN. Arguments and errors are
    those of `score_table`; with ``finite`` infinite scores are refused, too.

    >>> points = curve_points(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9], curve="roc")
    >>> points.x.tolist(), points.y.tolist(), points.thresholds.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0], [inf, 0.9, 0.2])
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    count = checks.threads(threads, 2 * codes.size)
    points = use.curve_points(codes, values, importance, finite, curve, drop, rising, count)
    x, y, thresholds = points
    first, last = (-1, 0) if rising else (0, -1)
    if x.size > 1:
        # NaN where the class is absent, which makes the whole rate undefined; else 0.
        x[first] = x[last] - x[last]
        y[first] = y[last] - y[last] if curve == "roc" else 1.0
    thresholds[first] = np.inf
    return points


def average_precision(
    truth: Any, scores: Any, weights: Any = None, *, finite: bool = False, threads: int | None = None
) -> float:
    """Return Σ (R_k − R_{k−1})·P_k over falling distinct scores, the step area under precision and recall.

    NaN without positives. Arguments and errors are those of `score_table`; with ``finite`` infinite scores are
    refused, too. `pr_areas` gives the same from a table.

    >>> round(average_precision(np.array([1, 0, 1], dtype=np.uint8), [0.9, 0.5, 0.2]), 6)
    0.833333
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    count = checks.threads(threads, 2 * codes.size)
    return use.average_precision(codes, values, importance, finite, count)
