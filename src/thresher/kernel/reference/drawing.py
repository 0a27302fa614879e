"""From a score table to the rows worth drawing: hull vertices, grid crossings, the error of a thinner line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.sums import check_counts
from thresher.kernel.values import Counts, Rows, Scores


def _turns_right(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which inner points lie strictly above the chord of their neighbours."""
    left = (x[1:-1] - x[:-2]) * (y[2:] - y[1:-1])
    right = (y[1:-1] - y[:-2]) * (x[2:] - x[1:-1])
    return np.asarray(right > left, dtype=np.bool_)


def hull(positive: Counts, negative: Counts) -> Rows:
    """Return the rows that are vertices of the upper convex hull of the ROC, the last point included.

    The hull starts at (0, 0), which is no row. Points on an edge are left out; of equal points the first is taken.
    A point on or below the chord of its neighbours is no vertex, whichever other points go at the same time; when
    none is left the chain is strictly concave, which makes it the hull.
    """
    check_counts(positive, negative)
    tp, fp = np.cumsum(positive), np.cumsum(negative)
    rows = np.flatnonzero((positive > 0) | (negative > 0))
    if not rows.size:
        return rows
    if positive.dtype == np.int64 and int(tp[-1]) * int(fp[-1]) >= 2**62:
        tp, fp = tp.astype(object), fp.astype(object)
    while True:
        x, y = np.append([0], fp[rows]), np.append([0], tp[rows])
        # The sentinel is before the first row and the last point always stays.
        keep = np.append(_turns_right(x, y), True)
        if keep.all():
            return rows.astype(np.int64)
        rows = rows[keep]


def fold(positive: Counts, negative: Counts) -> tuple[Counts, Counts]:
    """Put neighboring rows without positives together."""
    check_counts(positive, negative)
    level = positive == 0
    starts = np.flatnonzero(~(level & np.append(False, level[:-1])))
    return positive[starts], np.add.reduceat(negative, starts) if starts.size else negative


def cumulate_at(positive: Counts, negative: Counts, indices: Rows) -> tuple[Counts, Counts]:
    """Return TP and FP at the given rows."""
    check_counts(positive, negative)
    return np.cumsum(positive)[indices], np.cumsum(negative)[indices]


def rates(positive: Counts, negative: Counts) -> tuple[Scores, Scores]:
    """Return TPR and FPR; the rate of an absent class is taken as 0."""
    tp, fp = np.cumsum(positive).astype(np.float64), np.cumsum(negative).astype(np.float64)
    return (tp / tp[-1] if tp.size and tp[-1] else tp), (fp / fp[-1] if fp.size and fp[-1] else fp)


def first_reaching(positive: Counts, negative: Counts, path: Scores, sizes: Scores) -> tuple[Rows, Rows]:
    """Return the first rows at which TPR + FPR reaches each of ``path``, and TP + FP each of ``sizes``.

    Both grids rise. A value that no row reaches gives the number of rows.
    """
    check_counts(positive, negative)
    tpr, fpr = rates(positive, negative)
    size = np.cumsum(positive).astype(np.float64) + np.cumsum(negative).astype(np.float64)
    return np.searchsorted(tpr + fpr, path), np.searchsorted(size, sizes)


def polyline_deviation(positive: Counts, negative: Counts, indices: Rows) -> tuple[float, float, float]:
    """Return how far the line through (0, 0) and the given rows leaves any row.

    In TPR at equal FPR, in FPR at equal TPR, and in precision at equal recall with FP linear in TP.
    """
    check_counts(positive, negative)
    tp = np.append(0, np.cumsum(positive)).astype(np.float64)
    fp = np.append(0, np.cumsum(negative)).astype(np.float64)
    if tp.size == 1:
        return 0.0, 0.0, 0.0
    points = np.append(0, indices + 1)
    end = np.minimum(np.searchsorted(points, np.arange(tp.size)), points.size - 1)
    left, right = points[np.maximum(end - 1, 0)], points[end]
    up, along = tp[right] - tp[left], fp[right] - fp[left]
    done_up, done_along = tp - tp[left], fp - fp[left]
    # Where an edge is upright or level every row it replaces lies on it.
    with np.errstate(divide="ignore", invalid="ignore"):
        off_tp = np.where(along > 0, np.abs(done_up - up * (done_along / along)), 0.0)
        off_fp = np.where(up > 0, np.abs(done_along - along * (done_up / up)), 0.0)
        drawn = np.where(up > 0, fp[left] + along * (done_up / up), fp)
        off_precision = np.where(tp > 0, np.abs(tp / (tp + fp) - tp / (tp + drawn)), 0.0)
    vertical = off_tp.max() / tp[-1] if tp[-1] else 0.0
    horizontal = off_fp.max() / fp[-1] if fp[-1] else 0.0
    return float(vertical), float(horizontal), float(off_precision.max())
