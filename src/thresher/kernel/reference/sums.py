"""From a score table to numbers (areas, variances, extremes, moments of losses) and to the rows worth drawing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, narrowed, total, twice_mann_whitney
from thresher.kernel.values import (
    Counts,
    DelongSums,
    Extremes,
    KernelInputError,
    Leads,
    Moments,
    PrAreas,
    RangeSums,
    Rows,
    Scores,
)

# Below this the power series of the two logarithmic means is exact to the last bit with twelve terms.
SMALL = 0.05
TERMS = 12


def checked_counts(*columns: Counts) -> list[Counts]:
    """Return counts as int64 or float64; refuse those that are negative, not finite, or too many to add up."""
    columns = tuple(column if column.dtype.kind == "f" else column.astype(np.int64) for column in columns)
    bad = np.stack(columns)
    first_bad(
        [
            ("count_nan", np.isnan(bad).any(axis=0)),
            ("count_negative", (bad < 0).any(axis=0)),
            ("count_infinite", np.isinf(bad).any(axis=0)),
        ]
    )
    for column in columns:
        # An overflow of a sum of non-negative numbers shows as the first cumulative count below zero.
        if column.dtype == np.int64 and column.size and (over := np.cumsum(column) < 0).any():
            raise KernelInputError("count_overflow", int(over.argmax()))
    return list(columns)


def delong_sums(
    positive: Counts, negative: Counts, positive_squares: Counts | None, negative_squares: Counts | None,
    _threads: int,
) -> DelongSums:  # fmt: skip
    """Sum the squared deviations of both placements from the AUC.

    A positive has the placement V10 = (negatives below + ½ tied)/N, a negative V01 = (positives above + ½ tied)/P, and
    both average to the AUC. The terms are their distances from it, (P·a − 2U)/(2PN) with a whole number a = 2·below +
    tied: for counts the numerator is exact, so nothing cancels near AUC = 1. With float weights the table is read from
    the end at which the placements are small, for the same reason.
    """
    known = None if positive_squares is None or negative_squares is None else (positive_squares, negative_squares)
    squares = known and checked_counts(*known)
    positive, negative = checked_counts(positive, negative)
    squares = squares or [positive, negative]
    twice_u, p, n = twice_mann_whitney(positive, negative)
    if not p or not n:
        return DelongSums(twice_u, math.nan, math.nan, p, n)
    if positive.dtype == np.int64:
        if 2 * p * n >= 2**62:
            positive, negative = positive.astype(object), negative.astype(object)
        miss10 = 2 * (np.cumsum(negative) - negative) + negative
        miss01 = 2 * (p - np.cumsum(positive)) + positive
        twice_miss = 2 * p * n - twice_u
        from_auc10 = ((p * miss10 - twice_miss) / (2 * p * n)).astype(np.float64)
        from_auc01 = ((n * miss01 - twice_miss) / (2 * p * n)).astype(np.float64)
    else:
        if twice_u < p * n:
            # Read backwards, a table has the same deviations with the opposite sign.
            positive, negative = positive[::-1], negative[::-1]
            squares = [column[::-1] for column in squares]
        miss10 = (np.cumsum(negative) - negative + negative / 2) / n
        miss01 = ((np.cumsum(positive[::-1]) - positive[::-1])[::-1] + positive / 2) / p
        miss = float(np.sum(positive * miss10)) / p
        from_auc10, from_auc01 = miss10 - miss, miss01 - miss
    sum10 = float(np.sum(squares[0] * from_auc10**2))
    sum01 = float(np.sum(squares[1] * from_auc01**2))
    return DelongSums(twice_u, sum10, sum01, p, n)


def logarithmic_means(z: Scores) -> tuple[Scores, Scores]:
    """Return ∫₀¹ dt/(1+tz) = ln(1+z)/z and ∫₀¹ t·dt/(1+tz) = (z − ln(1+z))/z² without cancellation."""
    small = z < SMALL
    safe = np.where(small, 1.0, z)
    log = np.log1p(safe)
    zero, one = log / safe, (safe - log) / safe**2
    series_zero, series_one = np.zeros_like(z), np.zeros_like(z)
    for k in range(TERMS, 0, -1):
        series_zero = 1 / k - np.where(small, z, 0.0) * series_zero
        series_one = 1 / (k + 1) - np.where(small, z, 0.0) * series_one
    return np.where(small, series_zero, zero), np.where(small, series_one, one)


def pr_areas(positive: Counts, negative: Counts, _threads: int) -> PrAreas:
    """Integrate precision over recall by the step, trapezoid and Davis–Goadrich rules.

    Every rule is constant from recall 0 to the first point with TP > 0, so the conventional point (0, 1) enters
    none. Davis–Goadrich: FP is linear in TP between points, so over a step from (TP, S = TP + FP) to
    (TP + d, S + e) the mean precision is ∫₀¹ (TP + t·d)/(S + t·e) dt, two positive terms with z = e/S.
    """
    positive, negative = checked_counts(positive, negative)
    p = total(positive)
    if not p:
        return PrAreas(math.nan, math.nan, math.nan)
    tp = np.cumsum(positive).astype(np.float64)
    size = tp + np.cumsum(negative)
    rows = np.flatnonzero(positive > 0)
    # Rows without positives leave the recall where it is; their precision is the start of the next step.
    start = rows[1:] - 1
    rise, tp0, size0 = positive[rows].astype(np.float64), tp[start], size[start]
    after = tp[rows] / size[rows]
    growth = (rise[1:] + negative[rows[1:]]) / size0
    zero, one = logarithmic_means(growth)
    before = tp0 / size0
    first = rise[0] * after[0]
    step = np.sum(rise * after)
    trapezoid = first + np.sum(rise[1:] * (before + after[1:]) / 2)
    exact = first + np.sum(rise[1:] * (before * zero + rise[1:] / size0 * one))
    return PrAreas(float(step / p), float(trapezoid / p), float(exact / p))


def extremes(positive: Counts, negative: Counts) -> Extremes:
    """Find the first rows with the largest TPR − FPR and the largest FPR − TPR.

    The last row has difference 0, as has the point before the first, so neither maximum is below 0.
    """
    positive, negative = checked_counts(positive, negative)
    p, n = total(positive), total(negative)
    if not p or not n:
        return Extremes(-1, math.nan, -1, math.nan)
    whole = positive.dtype == np.int64
    if whole and int(p) * int(n) >= 2**62:
        positive, negative = positive.astype(object), negative.astype(object)
    gap = np.cumsum(positive) * n - np.cumsum(negative) * p
    if not whole:
        # Rounding could leave a trace here, which would be reported as a distance.
        gap[-1] = 0.0
    above, below = int(np.argmax(gap)), int(np.argmin(gap))
    # Python divides two whole numbers with a single rounding, however large they are.
    number = int if whole else float
    return Extremes(above, number(gap[above]) / (p * n), below, -number(gap[below]) / (p * n))


def range_sums(
    scores: Scores | None, positive: Counts, negative: Counts, squares: tuple[Scores, Scores] | None,
    ranges: tuple[Rows, Rows], _threads: int,
) -> RangeSums:  # fmt: skip
    """Add the rows from each start to before each end: counts, counts times scores, and squares."""
    starts, ends = ranges
    positive, negative = checked_counts(positive, negative)

    def added(column: Counts) -> Counts:
        # A sum up to the same row would be the row itself, and one row more follows the last.
        sums = np.add.reduceat(np.append(column, column.dtype.type(0)), np.stack([starts, ends], axis=1).ravel())[::2]
        return np.where(starts < ends, sums, column.dtype.type(0))

    others = [] if scores is None else [positive * scores, negative * scores]
    others += squares or ()
    if not starts.size:
        return RangeSums(positive[:0], negative[:0], np.empty((len(others), 0)))
    sums = np.array([added(column) for column in others]).reshape(len(others), starts.size)
    return RangeSums(added(positive), added(negative), sums)


def loss_moments(
    scores: Scores, positive: Counts, negative: Counts, positive_squares: Counts | None,
    negative_squares: Counts | None, _threads: int,
) -> Moments:  # fmt: skip
    """Sum w, w² and, for squared error, log loss and score l, w·l, w²·l and w²·l² over the rows of each class."""
    first_bad([("score_nan", np.isnan(scores)), ("score_range", (scores < 0) | (scores > 1))])
    positive, negative = checked_counts(positive, negative)
    out = np.zeros((2, 11))
    for side, (counts, squares) in enumerate(((positive, positive_squares), (negative, negative_squares))):
        rows = np.flatnonzero(counts)
        # A class without weight at a score costs nothing there, even if the score rules it out.
        s, weight = scores[rows], counts[rows].astype(np.float64)
        square = weight if squares is None else squares[rows]
        with np.errstate(divide="ignore"):
            losses = ((1 - s) ** 2, -np.log(s), s) if side == 0 else (s**2, -np.log1p(-s), s)
        out[side, :2] = weight.sum(), square.sum()
        for k, loss in enumerate(losses):
            out[side, 2 + 3 * k : 5 + 3 * k] = (
                (weight * loss).sum(),
                (square * loss).sum(),
                (square * loss * loss).sum(),
            )
    return out


def precision_influence(
    positive: Counts, negative: Counts, positive_squares: Counts | None, negative_squares: Counts | None,
    scales: tuple[float, float], value: float,
) -> Moments:  # fmt: skip
    """Sum w²·part², w·part and w²·part over each class; a part is a row's contribution to P times average precision."""
    positive, negative = checked_counts(positive, negative)
    tp, fp = np.cumsum(positive) * scales[0], np.cumsum(negative) * scales[1]
    # 0/0 is a score without rows at the top: nothing of it enters any sum.
    inverse = np.divide(1.0, tp + fp, out=np.zeros(tp.size), where=tp + fp > 0)
    tail = positive * scales[0] * inverse
    u = np.cumsum((tail * (fp * inverse))[::-1])[::-1]
    v = np.cumsum((tail * (tp * inverse))[::-1])[::-1]
    out = np.empty((2, 3))
    sides = (positive, positive_squares, tp * inverse - value + u), (negative, negative_squares, -v)
    for row, (counts, squares, part) in zip(out, sides, strict=True):
        square = counts if squares is None else squares
        row[:] = (square * part * part).sum(), (counts * part).sum(), (square * part).sum()
    return out


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
        left = (x[1:-1] - x[:-2]) * (y[2:] - y[1:-1])
        right = (y[1:-1] - y[:-2]) * (x[2:] - x[1:-1])
        # The sentinel is before the first row and the last point always stays.
        keep = np.append(right > left, True).astype(np.bool_)
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
