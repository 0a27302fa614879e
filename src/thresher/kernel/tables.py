"""Functions of a score table: two columns of counts in, numbers out.

The columns are (m,) int8, int32, int64 or float64, non-negative, most positive score first; sums of whole counts are
int64. A row in which both are 0 changes nothing. Every function raises `KernelInputError` when a count is negative, NaN
or infinite, or when whole counts add up to more than 2**63 − 1.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import (
    Counts,
    DelongSums,
    Extremes,
    Leads,
    LossMoments,
    Moments,
    PrAreas,
    RangeSums,
    Rows,
)


def delong_sums(
    positive: Any, negative: Any, positive_squares: Any = None, negative_squares: Any = None, *,
    threads: int | None = None,
) -> DelongSums:  # fmt: skip
    """Return (twice_u, sum10, sum01, P, N), from which the AUC and its DeLong variance follow.

    sum10 = Σ positive·(V10 − AUC)² with V10 the share of negatives below a score plus half of those tied with it;
    sum01 = Σ negative·(V01 − AUC)² with V01 the share of positives above plus half of those tied. With the Σw²
    columns of a weighted table these replace the weights in the two sums. Both are NaN when a class is empty.
    Var(AUC) = sum10/(P(P − 1)) + sum01/(N(N − 1)) for counts. DeLong et al. (1988); Sun and Xu (2014).

    >>> delong_sums([1, 0, 1], [0, 1, 0])
    DelongSums(twice_u=2, sum10=0.5, sum01=0.0, positives=2, negatives=1)
    """
    first, second = checks.table(positive, negative)
    squares = None, None
    if positive_squares is not None or negative_squares is not None:
        squares = _squares(positive_squares, negative_squares, first)
    return use.delong_sums(first, second, *squares, checks.threads(threads, first.size))


def pr_areas(positive: Any, negative: Any, *, threads: int | None = None) -> PrAreas:
    """Return the step, trapezoid and Davis–Goadrich areas under the precision–recall curve.

    step = Σ (R_k − R_{k−1})·P_k, known as average precision; trapezoid joins the points (recall, precision) by
    straight lines; Davis–Goadrich lets FP grow linearly with TP between points, integrated exactly. All are
    constant from recall 0 to the first point with TP > 0: the drawn point (0, 1) enters none. NaN without
    positives. Davis and Goadrich (2006); Keilwagen, Grosse and Grau (2014).

    >>> areas = pr_areas([1, 0, 1], [0, 1, 0])
    >>> round(areas.step, 6), round(areas.trapezoid, 6), round(areas.davis_goadrich, 6)
    (0.833333, 0.791667, 0.797267)
    """
    first, second = checks.table(positive, negative)
    return use.pr_areas(first, second, checks.threads(threads, first.size))


def extremes(positive: Any, negative: Any) -> Extremes:
    """Return where TPR − FPR is largest and where FPR − TPR is, with both values (each ≥ 0).

    The larger is the two-sample Kolmogorov–Smirnov distance. The first row that attains a maximum is named; a
    distance of 0 is attained at the last row at the latest. Row −1 and NaN when a class is empty. Exact for
    counts: compared as whole numbers, rounded once.

    >>> extremes([1, 0, 1], [0, 1, 0])
    Extremes(above_row=0, above=0.5, below_row=1, below=0.5)
    """
    return use.extremes(*checks.table(positive, negative))


def hull(positive: Any, negative: Any) -> Rows:
    """Return the rows that are vertices of the upper convex hull of the ROC, rising.

    The hull starts at (0, 0), which is not a row, and ends at (1, 1), which is always returned. Points inside an edge
    are left out; of equal points the first is taken. Exact for counts. Fawcett and Niculescu-Mizil (2007).

    >>> hull([1, 0, 1], [0, 1, 0]).tolist()
    [0, 2]
    """
    return use.hull(*checks.table(positive, negative))


def fold(positive: Any, negative: Any, *, threads: int | None = None) -> tuple[Counts, Counts]:
    """Return the counts with neighboring rows of negatives alone put together: the same ROC by fewer points.

    Areas under the curves, DeLong's sums, the variance of average precision and the largest distances are the same,
    too. Whole counts have the smallest type that holds all.

    >>> positive, negative = fold([1, 0, 0, 1, 1], [0, 2, 1, 0, 1])
    >>> positive.tolist(), negative.tolist()
    ([1, 0, 1, 1], [0, 3, 0, 1])
    """
    first, second = checks.table(positive, negative)
    return use.fold(first, second, checks.threads(threads, first.size))


def cumulate_at(positive: Any, negative: Any, indices: Any) -> tuple[Counts, Counts]:
    """Return TP and FP at rows ``indices`` (which must not fall), without cumulative columns in memory.

    >>> tp, fp = cumulate_at([1, 0, 1], [0, 1, 0], [0, 2])
    >>> tp.tolist(), fp.tolist()
    ([1, 2], [0, 1])
    """
    first, second = checks.table(positive, negative)
    return use.cumulate_at(first, second, checks.as_rows(indices, first.size))


def range_sums(
    positive: Any,
    negative: Any,
    starts: Any,
    ends: Any,
    *,
    scores: Any = None,
    squares: tuple[Any, Any] | None = None,
    threads: int | None = None,
) -> RangeSums:
    """Return the sums of the rows from each of ``starts`` to before each of ``ends``; both never fall.

    ``others`` has Σw·s of positives and of negatives where there are ``scores``, then Σw² of both with ``squares``.
    Whole counts are added exactly; the same to the last bit for any number of threads. The table is a checked one.

    >>> found = range_sums([1, 0, 1], [0, 1, 0], [0, 1], [2, 3], scores=[0.5, 0.25, 0.0])
    >>> found.positive.tolist(), found.negative.tolist(), found.others.tolist()
    ([1, 1], [1, 1], [[0.5, 0.0], [0.25, 0.25]])
    """
    first, second = checks.table(positive, negative)
    values = None if scores is None else checks.as_floats(scores, "scores")
    if values is not None:
        checks.same_length(values, first, "scores and counts")
    both = None if squares is None else _squares(*squares, first)
    ranges = checks.as_rows(starts, first.size + 1), checks.as_rows(ends, first.size + 1)
    checks.same_length(*ranges, "starts and ends")
    if (ranges[0] > ranges[1]).any():
        raise ValueError("a range does not end before it starts")
    return use.range_sums(values, first, second, both, ranges, checks.threads(threads, first.size))


def thin(
    positive: Any, negative: Any, keep: int, *, vertices: Rows | None = None, running: Running | None = None
) -> Rows:
    """Choose at most ``keep`` rows (at least 1) so that lines through them draw the ROC and the PR curve.

    Taken are: the last row; the hull vertices (evenly spaced ones, if they would fill more than half); and the rows on
    both sides of every line of two grids, one of equal steps of TPR + FPR (a third of the rest) and one of equal ratios
    of TP + FP, which follows the start of a PR curve. A dropped row and its kept neighbors share a step of the first
    grid, so its distance from the line, upwards or sideways, is below the length of that step. With one class empty its
    rate counts as 0. ``vertices`` are the hull's and ``running`` the table's sums, if known already. Linear.

    >>> thin([1] * 100, [0, 1] * 50, 12).size <= 12
    True
    """
    columns = checks.table(positive, negative)
    count, most = columns[0].size, operator.index(keep)
    if most < 1:
        raise ValueError(f"keep must be at least 1, not {most}")
    if vertices is None:  # which checks the counts of any table, also of one that is kept whole
        vertices = use.hull(*columns)
    if count <= most:
        return np.arange(count)
    if vertices.size > most // 2:
        vertices = vertices[np.linspace(0, vertices.size - 1, most // 2).astype(np.int64)]
    free = most - vertices.size - 1
    steps = free // 3
    path = 2 * np.arange(1, steps + 1) / (steps + 1)
    crossings = _crossings(columns, path, (free - 2 * steps) // 2, running)
    chosen = np.concatenate([vertices, crossings - 1, crossings, [count - 1]])
    return np.unique(chosen[(chosen >= 0) & (chosen < count)]).astype(np.int64)


def _crossings(columns: tuple[Counts, Counts], path: Any, ratios: int, running: Running | None) -> Rows:
    """Return the first rows beyond each line of both grids, none in a table without rows of either class."""
    if running is None:
        total = float(sum(column.sum(dtype=np.float64) for column in columns))
        occupied = np.flatnonzero((columns[0] > 0) | (columns[1] > 0))[:1]
    else:
        total = float(sum(running.totals))
        occupied = running.first(np.add, np.array([1]))
    if not total or not occupied.size:
        return np.zeros(0, dtype=np.int64)
    sizes = np.geomspace(float(sum(column[occupied[0]] for column in columns)), total, ratios + 2)[1:-1]
    if running is None:
        tp, fp = (np.cumsum(column).astype(np.float64) for column in columns)
        p, n = (column[-1] or 1.0 for column in (tp, fp))
        return np.append(np.searchsorted(tp / p + fp / n, path), np.searchsorted(tp + fp, sizes))
    p, n = (float(each) or 1.0 for each in running.totals)
    return np.append(running.first(lambda tp, fp: tp / p + fp / n, path), running.first(_size, sizes))


def _size(tp: Counts, fp: Counts) -> Any:
    return tp.astype(np.float64) + fp


def leads(positive: Any, negative: Any, positive2: Any, negative2: Any) -> Leads:
    """Return stretches of the first ROC, from (0, 0) to (1, 1), with the upper curve on each.

    ``kinds`` is 1 where the first curve is above, −1 where the second is, 0 where they coincide; ``fpr`` and ``tpr``
    are the ends of the stretches on the first curve, one more than stretches. Neighbors differ in kind. One merge of
    both tables, linear; exact for counts, even of different totals. Sums of weights count as touching where they differ
    by at most 1e-12 in TPR − FPR. Each table has (m,) columns of its own length; all have rows of both classes.

    >>> leads([1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1])
    Leads(kinds=array([1, 0], dtype=int8), fpr=array([0. , 0.5, 1. ]), tpr=array([0. , 0.5, 1. ]))
    """
    tables = [checks.table(positive, negative), checks.table(positive2, negative2)]
    columns = [column for table in tables for column in table]
    if any(not column.any() for column in columns):
        raise ValueError("a ROC needs positives and negatives in both tables")
    is_real = any(column.dtype == np.float64 for column in columns) or not _fits(columns)
    return use.leads(*(column.astype(np.float64 if is_real else np.int64, copy=False) for column in columns))


def _fits(columns: list[Any]) -> bool:
    """Whether products of counts in units that both tables share stay within 127 bits."""
    p, n, p2, n2 = (int(column.sum()) for column in columns)
    # A sum that is not above 0 has overflowed, which the checks of the counts tell.
    return min(p, n, p2, n2) <= 0 or math.lcm(p, p2) * math.lcm(n, n2) < 2**125


def loss_moments(
    scores: Any,
    positive: Any,
    negative: Any,
    positive_squares: Any = None,
    negative_squares: Any = None,
    *,
    threads: int | None = None,
) -> LossMoments:
    """Return the sums of the squared error, the log loss and the score of each row, and of their squares, per class.

    ``scores`` (m,) are probabilities in [0, 1], in any order; ``…_squares`` Σw² per score, the counts when None. A
    certain and wrong score makes the log loss +inf; nothing is clipped. A class without weight at a score costs
    nothing there. Raises `KernelInputError` for a score outside [0, 1].

    >>> loss_moments([0.5], [1], [1]).first("brier_score").tolist()
    [0.25, 0.25]
    """
    values = checks.as_floats(scores, "scores")
    first, second = checks.table(positive, negative)
    checks.same_length(values, first, "scores and counts")
    squares = _squares(positive_squares, negative_squares, first)
    return LossMoments(use.loss_moments(values, first, second, *squares, checks.threads(threads, values.size)))


def precision_influence(
    positive: Any,
    negative: Any,
    positive_squares: Any = None,
    negative_squares: Any = None,
    *,
    value: float,
    scales: tuple[float, float] = (1.0, 1.0),
) -> Moments:
    """Return Σw²·part², Σw·part and Σw²·part over the positives, then over the negatives, as (2, 3).

    A part is a row's contribution to P times the average precision ``value``. With TP, FP and S = TP + FP at a score,
    scaled by ``scales``, that is TP/S − value + Σ pos·FP/S² for a positive and −Σ pos·TP/S² for a negative, the sums
    over this score and all below. Linear.

    >>> precision_influence([1, 0], [0, 1], value=1.0).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    first, second = checks.table(positive, negative)
    squares = _squares(positive_squares, negative_squares, first)
    return use.precision_influence(first, second, *squares, scales, float(value))


def _squares(positive: Any, negative: Any, counts: Any) -> tuple[Any, Any]:
    """Both columns of squares, or neither."""
    if positive is None and negative is None:
        return None, None
    if positive is None or negative is None:
        raise ValueError("give both columns of squares or neither")
    first, second = checks.as_floats(positive, "positive_squares"), checks.as_floats(negative, "negative_squares")
    checks.same_length(first, counts, "counts and squares")
    checks.same_length(second, counts, "counts and squares")
    return first, second


STRETCH = 128
"""Rows between two sums that are kept."""

LONG = 1 << 14
"""Rows from which on these sums are worth their sweep."""

Amount = Callable[[Counts, Counts], Any]


class Running:
    """TP and FP at any row of a table of whole counts, and the first row at which an amount made of them is reached.

    >>> running = Running(np.array([1, 0, 1]), np.array([0, 1, 0]))
    >>> running.at(np.array([0, 2])), running.first(lambda tp, fp: tp + fp, np.array([2]))
    ((array([1, 2]), array([0, 1])), array([1]))
    """

    def __init__(self, positive: Counts, negative: Counts) -> None:
        self._columns = checks.table(positive, negative)
        starts = np.arange(0, positive.size, STRETCH)
        sums = self._sums(starts, np.append(starts[1:], positive.size)[: starts.size])
        self._before = [np.append(0, np.cumsum(column)) for column in sums]

    @property
    def ends(self) -> tuple[Counts, Counts]:
        """TP and FP at the last row of each stretch."""
        tp, fp = self._before
        return tp[1:], fp[1:]

    @property
    def totals(self) -> tuple[np.int64, np.int64]:
        """Positives and negatives of all rows."""
        tp, fp = self._before
        return tp[-1], fp[-1]

    def at(self, rows: Rows) -> tuple[Counts, Counts]:
        """TP and FP at rows, which do not fall."""
        rows = np.asarray(rows, dtype=np.int64)
        stretches = rows // STRETCH
        tp, fp = self._sums(stretches * STRETCH, rows + 1)
        return self._before[0][stretches] + tp, self._before[1][stretches] + fp

    def split(self, k: int) -> Counts:
        """Positives, then negatives, of the first ``k`` rows and of the others, (2, 2)."""
        taken = [column.sum() for column in self.at(np.array([k - 1] * (k > 0), dtype=np.int64))]
        return np.array([[count, total - count] for count, total in zip(taken, self.totals, strict=True)])

    def first(self, amount: Amount, targets: NDArray[Any]) -> Rows:
        """First row at which an amount of TP and FP that never falls reaches each target, else how many there are."""
        stretches = np.searchsorted(amount(*self.ends), targets)
        inside = amount(*self._inside(np.minimum(stretches, self._before[0].size - 2)))
        found = stretches * STRETCH + np.count_nonzero(inside < targets[:, None], axis=1)
        return np.where(stretches == self._before[0].size - 1, self._columns[0].size, found)

    def _sums(self, starts: Rows, ends: Rows) -> tuple[Counts, Counts]:
        used = checks.threads(None, int((ends - starts).sum()))
        found = use.range_sums(None, *self._columns, None, (starts, ends), used)
        return found.positive, found.negative

    def _inside(self, stretches: Rows) -> tuple[Counts, Counts]:
        """TP and FP at every row of some stretches, one a line; beyond the last row as at it."""
        rows = stretches[:, None] * STRETCH + np.arange(STRETCH)
        kept = rows < self._columns[0].size
        rows = np.minimum(rows, self._columns[0].size - 1)
        tp, fp = (
            before[stretches][:, None] + np.cumsum(column[rows] * kept, axis=1)
            for before, column in zip(self._before, self._columns, strict=True)
        )
        return tp, fp
