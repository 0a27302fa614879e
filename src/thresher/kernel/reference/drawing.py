"""From a score table to the rows worth drawing: hull vertices, grid crossings, crossings of two curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import narrowed
from thresher.kernel.reference.sums import checked_counts
from thresher.kernel.values import Counts, Leads, Rows, Scores


def _turns_right(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which inner points are strictly above the chord of their neighbours."""
    left = (x[1:-1] - x[:-2]) * (y[2:] - y[1:-1])
    right = (y[1:-1] - y[:-2]) * (x[2:] - x[1:-1])
    return np.asarray(right > left, dtype=np.bool_)


def hull(positive: Counts, negative: Counts) -> Rows:
    """Return the rows that are vertices of the upper convex hull of the ROC, the last point included.

    The hull starts at (0, 0), which is not a row. Points on an edge are left out; of equal points the first is taken. A
    point on or below the chord of its neighbours is not a vertex, whichever other points go at the same time; when none
    is left the chain is strictly concave, which makes it the hull.
    """
    positive, negative = checked_counts(positive, negative)
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


def fold(positive: Counts, negative: Counts, _threads: int) -> tuple[Counts, Counts]:
    """Put neighboring rows without positives together."""
    positive, negative = checked_counts(positive, negative)
    level = positive == 0
    starts = np.flatnonzero(~(level & np.append(False, level[:-1])))
    joined = np.add.reduceat(negative, starts) if starts.size else negative
    first, second = positive[starts], joined
    if positive.dtype == np.int64:
        first, second = narrowed(first, second)
    return first, second


def cumulate_at(positive: Counts, negative: Counts, indices: Rows) -> tuple[Counts, Counts]:
    """Return TP and FP at the given rows."""
    positive, negative = checked_counts(positive, negative)
    return np.cumsum(positive)[indices], np.cumsum(negative)[indices]


TIE = 1e-12
"""Distance in rates below which two curves of weighted sums count as touching."""

Line = tuple[NDArray[Any], NDArray[Any]]


def leads(positive: Counts, negative: Counts, positive2: Counts, negative2: Counts) -> Leads:
    """Return the upper curve, stretch by stretch.

    Turned by 45° a ROC is a function: of v = TPR − FPR over u = TPR + FPR, which rises at every threshold. So one
    curve is above another exactly where its v is larger at the same u. Both are straight between thresholds, so that
    their difference can change its sign only once between neighboring thresholds of either.
    """
    positive, negative = checked_counts(positive, negative)
    positive2, negative2 = checked_counts(positive2, negative2)
    lines, unit = _turned([(positive, negative), (positive2, negative2)])
    u = np.unique(np.concatenate([line[0] for line in lines]))
    values = [_v_at(line, u) for line in lines]
    gap, signs = _gap(values, unit)
    kinds, ends = _split(signs, gap, _points(values[0], u, unit))
    first = np.append(True, kinds[1:] != kinds[:-1])
    ends = ends[np.append(np.flatnonzero(first), kinds.size)]
    return Leads(kinds[first].astype(np.int8), ends[:, 0].copy(), ends[:, 1].copy())


def _turned(tables: list[tuple[Counts, Counts]]) -> tuple[list[Line], int]:
    """U and v of every threshold, in units of 1/unit; unit is 0 for rates of weighted sums."""
    totals = [(c[0].sum().item(), c[1].sum().item()) for c in tables]
    whole = tables[0][0].dtype == np.int64
    (p, n), (p2, n2) = totals
    if whole:
        pp, nn = math.lcm(p, p2), math.lcm(n, n2)
    lines = []
    for (positive, negative), (own_p, own_n) in zip(tables, totals, strict=True):
        tp, fp = (np.append(np.zeros(1, dtype=c.dtype), np.cumsum(c)) for c in (positive, negative))
        if whole:
            # Python's whole numbers, where 64 bits are not enough.
            kind: Any = object if 2 * pp * nn >= 2**62 else np.int64
            y, x = (c.astype(kind) * k for c, k in ((tp, pp // own_p * nn), (fp, nn // own_n * pp)))
        else:
            y, x = tp / tp[-1], fp / fp[-1]
        lines.append((x + y, y - x))
    return lines, pp * nn if whole else 0


Quotient = tuple[NDArray[Any], NDArray[Any]]


def _v_at(line: Line, u: NDArray[Any]) -> Quotient:
    """V of a curve at every u, as numerator and denominator, which are exact for whole numbers."""
    x, y = line
    right = np.clip(np.searchsorted(x, u), 1, x.size - 1)
    left = right - 1
    length = x[right] - x[left]
    exact = (x[right] == u) | (length == 0)
    top = y[left].astype(object if length.dtype == object or y.dtype == np.int64 else np.float64) * length
    top = np.where(exact, y[right], top + (u - x[left]) * (y[right] - y[left]))
    return top, np.where(exact, 1, length)


def _gap(values: list[Quotient], unit: int) -> tuple[Scores, NDArray[np.int8]]:
    """Difference of v in rates, first less second, and its sign."""
    (a, b), (c, d) = values
    if unit:
        cross = a.astype(object) * d.astype(object) - c.astype(object) * b.astype(object)
        signs = np.array([(value > 0) - (value < 0) for value in cross], dtype=np.int8)
        scale = b.astype(object) * d.astype(object) * unit
        return np.array([top / bottom for top, bottom in zip(cross, scale, strict=True)], dtype=np.float64), signs
    gap = a / b - c / d
    gap = np.where(np.abs(gap) <= TIE, 0.0, gap)
    return gap, np.sign(gap).astype(np.int8)


def _points(first: Quotient, u: NDArray[Any], unit: int) -> Scores:
    """(FPR, TPR) of the first curve at every u."""
    v = np.asarray(first[0] / first[1], dtype=np.float64) / (unit or 1)
    along = np.asarray(u / (unit or 1), dtype=np.float64)
    return np.stack([(along - v) / 2, (along + v) / 2], axis=-1)


def _split(signs: NDArray[np.int8], gap: Scores, points: Scores) -> tuple[NDArray[Any], Scores]:
    """Sign of every stretch between neighboring u, split where it changes, and the ends of the stretches."""
    left, right = signs[:-1], signs[1:]
    stretch = np.sign(left.astype(np.int16) + right)
    changes = np.flatnonzero(left * right < 0)
    share = (gap[changes] / (gap[changes] - gap[changes + 1]))[:, None]
    crossed = points[changes] + share * (points[changes + 1] - points[changes])
    # A split stretch is the left sign up to the crossing and the right one from there.
    stretch[changes] = left[changes]
    return np.insert(stretch, changes + 1, right[changes]), np.insert(points, changes + 1, crossed, axis=0)
