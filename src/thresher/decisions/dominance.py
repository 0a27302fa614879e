"""Dominance: whether one ROC curve lies above another everywhere, else where they cross and who leads where."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.curves.points import Table, threshold_table
from thresher.decisions.hull import both_classes

Floats = NDArray[np.float64]
LARGEST = 2**62
TIE = 1e-12
"""Distance in rates below which two curves of weighted sums count as touching; counts are compared exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A stretch on which one curve lies above the other; `leader` is None where they run together."""

    leader: str | None
    fpr: tuple[float, float]
    tpr: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """Who leads where, from the conservative end on.

    `dominant` is the model that is never below and somewhere above; None when the curves cross, or are one. Crossings
    are points (FPR, TPR) at which the lead changes. On the same rows the answer for the precision–recall curves is the
    same, with the Davis–Goadrich interpolation and from the first points with true positives on: at a TPR the curve
    with the smaller FPR has the higher precision.
    """

    models: tuple[str, str]
    dominant: str | None
    crossings: tuple[tuple[float, float], ...]
    leads: tuple[Lead, ...]

    @property
    def is_one_curve(self) -> bool:
        """Whether the two curves are the same."""
        return all(lead.leader is None for lead in self.leads)


def dominance(first: Table, second: Table, *, names: tuple[str, str] = ("first", "second")) -> Dominance:
    """Compare two ROC curves at every point, in one merge of their thresholds.

    Turned by 45° a ROC is a function: of v = TPR − FPR over u = TPR + FPR, which rises at every threshold. So one curve
    is above another exactly where its v is larger at the same u. Both are straight between thresholds, so that their
    difference can change its sign only once between neighboring thresholds of either. For counts with the same numbers
    of positives and negatives the signs are exact.

    Raises:
        InputError: a class has no rows, or a table is a batch.

    Provost, Fawcett and Kohavi (1998); Davis and Goadrich (2006), theorem 3.2.

    >>> from thresher.counts import ScoreTable
    >>> y = [1, 0, 1, 0]
    >>> found = dominance(ScoreTable.from_scores(y, [4, 3, 2, 1]), ScoreTable.from_scores(y, [3, 4, 2, 1]))
    >>> found.dominant, found.crossings, [(lead.leader, lead.fpr) for lead in found.leads]
    ('first', (), [('first', (0.0, 0.5)), (None, (0.5, 1.0))])
    """
    curves = [_Turned.of(table) for table in (first, second)]
    exact = curves[0].totals == curves[1].totals and all(curve.is_whole for curve in curves)
    lines = [curve.scaled(exact) for curve in curves]
    u = np.union1d(lines[0][0], lines[1][0])
    signs = _signs(u, lines, exact)
    widths = [float(curves[0].totals[i]) for i in (0, 1)]
    points = _points(u, lines[0], widths, exact)
    return _told(names, *_split(signs, points, lines, u))


@dataclass(frozen=True, slots=True)
class _Turned:
    tp: NDArray[Any]
    fp: NDArray[Any]
    totals: tuple[Any, Any]

    @classmethod
    def of(cls, table: Table) -> _Turned:
        both_classes(table)
        rows = threshold_table(table)
        return cls(rows.tp, rows.fp, (rows.tp[-1].item(), rows.fp[-1].item()))

    @property
    def is_whole(self) -> bool:
        return self.tp.dtype.kind == "i" and 4 * self.totals[0] * self.totals[1] < LARGEST

    def scaled(self, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """U and v of every threshold, in units of 1/(P·N) when whole."""
        p, n = self.totals
        tpr, fpr = (self.tp * n, self.fp * p) if exact else (self.tp / p, self.fp / n)
        return tpr + fpr, tpr - fpr


def _segment(u: NDArray[Any], line: tuple[NDArray[Any], NDArray[Any]]) -> Any:
    """Ends of the segment that holds each u."""
    right = np.clip(np.searchsorted(line[0], u), 1, line[0].size - 1)
    return right - 1, right


def _share(u: NDArray[Any], start: NDArray[Any], stop: NDArray[Any]) -> Floats:
    """Part of each segment that lies before u; weights too small to move a rate make a segment without length."""
    length = stop - start
    return np.asarray(np.divide(u - start, length, out=np.ones(u.size), where=length > 0))


def _gap(u: NDArray[Any], lines: Any) -> tuple[Floats, Any]:
    """Difference of v, first less second, with the segments' ends."""
    ends = [_segment(u, line) for line in lines]
    found = []
    for (x, y), (a, b) in zip(lines, ends, strict=True):
        found.append(y[a] + _share(u, x[a], x[b]) * (y[b] - y[a]))
    return np.asarray(found[0] - found[1], dtype=np.float64), ends


def _signs(u: NDArray[Any], lines: Any, exact: bool) -> NDArray[np.int8]:
    """Sign of the difference at every u; what floats cannot tell from 0 is decided in whole numbers."""
    gap, ends = _gap(u, lines)
    if not exact:
        return np.where(np.abs(gap) <= TIE, 0, np.sign(gap)).astype(np.int8)
    signs = np.sign(gap).astype(np.int8)
    near = np.flatnonzero(np.abs(gap) <= TIE * float(u[-1]))
    (x1, y1), (x2, y2) = lines
    b1, b2 = (right for _, right in ends)
    same = (x1[b1[near]] == u[near]) & (x2[b2[near]] == u[near])
    signs[near[same]] = np.sign(y1[b1[near[same]]] - y2[b2[near[same]]])
    for i in near[~same]:
        parts = []
        for (x, y), (a, b) in zip(lines, ends, strict=True):
            x0, x_1, y0, y_1 = (int(c) for c in (x[a[i]], x[b[i]], y[a[i]], y[b[i]]))
            parts.append((y0 * (x_1 - x0) + (int(u[i]) - x0) * (y_1 - y0), x_1 - x0))
        cross = parts[0][0] * parts[1][1] - parts[1][0] * parts[0][1]
        signs[i] = (cross > 0) - (cross < 0)
    return signs


def _points(u: NDArray[Any], line: Any, totals: list[float], exact: bool) -> Floats:
    """(FPR, TPR) of the first curve at every u."""
    a, b = _segment(u, line)
    x, y = line
    v = y[a] + _share(u, x[a], x[b]) * (y[b] - y[a])
    unit = totals[0] * totals[1] if exact else 1.0
    return np.stack([(u - v) / 2 / unit, (u + v) / 2 / unit], axis=-1)


def _split(signs: NDArray[np.int8], points: Floats, lines: Any, u: NDArray[Any]) -> tuple[Any, Any]:
    """Sign of every stretch between neighboring u, split where it changes, and the ends of the stretches."""
    left, right = signs[:-1], signs[1:]
    stretch = np.sign(left.astype(np.int16) + right)
    changes = np.flatnonzero(left * right < 0)
    gap, _ = _gap(u, lines)
    share = (gap[changes] / (gap[changes] - gap[changes + 1]))[:, None]
    crossed = points[changes] + share * (points[changes + 1] - points[changes])
    # A split stretch is the left sign up to the crossing and the right one from there.
    stretch[changes] = left[changes]
    kinds = np.insert(stretch, changes + 1, right[changes])
    ends = np.insert(points, changes + 1, crossed, axis=0)
    return kinds, ends


def _told(names: tuple[str, str], kinds: NDArray[Any], ends: Floats) -> Dominance:
    starts = np.append(0, np.flatnonzero(np.diff(kinds)) + 1)
    stops = np.append(starts[1:], kinds.size)
    who: dict[int, str | None] = {1: names[0], -1: names[1], 0: None}
    leads = tuple(
        Lead(
            leader=who[int(kinds[a])],
            fpr=(float(ends[a, 0]), float(ends[b, 0])),
            tpr=(float(ends[a, 1]), float(ends[b, 1])),
        )
        for a, b in zip(starts, stops, strict=True)
    )
    ahead = [lead for lead in leads if lead.leader is not None]
    crossings = tuple(
        (after.fpr[0], after.tpr[0]) for before, after in pairwise(ahead) if before.leader != after.leader
    )
    leaders = {lead.leader for lead in ahead}
    dominant = leaders.pop() if len(leaders) == 1 else None
    return Dominance(models=names, dominant=dominant, crossings=crossings, leads=leads)
