"""Rows that come in order, the most positive first, become bins and exact sums: what a ranking says in little memory.

Of the rows nothing stays but sums, the vertices of both convex hulls of the ROC, the points that are quoted most, and
bins of about equally many rows between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.counts.merging import COLUMNS
from thresher.counts.rank_sums import RankSums
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SHARES = (0.001, 0.005, *(k / 100 for k in range(1, 10)), *(k / 20 for k in range(2, 21)))
"""Rates at which other rates are quoted: the row that reaches each stands for itself."""

ELEVEN = tuple(k / 10 for k in range(11))
"""Recalls beyond which the largest precision is asked for: hulls end there."""


class Reducing:
    """A table in the making of all rows of `like`, a table of coarse bins of the same rows.

    >>> like = ScoreTable(
    ...     scores=np.array([0.0]), positive=np.array([2]), negative=np.array([2]), binned=True, widths=np.array([1.0])
    ... )
    >>> reducing = Reducing(like, step=4)
    >>> reducing.add(ScoreTable.from_scores([1, 0], [0.9, 0.6]))
    >>> reducing.add(ScoreTable.from_scores([1, 0], [0.4, 0.1]))
    >>> reducing.table().scores.tolist(), reducing.table().error_bound  # few rows all stand for themselves
    ([0.9, 0.6, 0.4, 0.1], 0.0)
    """

    def __init__(self, like: ScoreTable, *, step: int, cuts: Sequence[float] = ()) -> None:
        self._like, self._step = like, step
        self._sign = 1.0 if like.direction == "higher" else -1.0
        self._cuts = np.sort(self._sign * np.asarray(cuts, dtype=np.float64))
        self._totals = like.P.item(), like.N.item()
        self._before: list[Any] = [0, 0]
        self._misses = _Misses(*self._totals, weighted=like.weight_kind is not None)
        self._areas = np.zeros(3)
        self._kept: list[dict[str, NDArray[Any]]] = []

    def add(self, chunk: ScoreTable) -> None:
        """Take the next rows, all of them less positive than those before; scores rise with positivity."""
        if not chunk.scores.size:
            return
        tp, fp = (np.cumsum(c) + b for c, b in zip((chunk.positive, chunk.negative), self._before, strict=True))
        self._misses.add(chunk, tp, fp)
        self._areas += _areas(chunk, *self._before)
        single = self._outstanding(chunk, tp, fp)
        self._kept.append(_runs(chunk, single, self._step, self._cuts))
        self._before = [tp[-1].item(), fp[-1].item()]

    def _outstanding(self, chunk: ScoreTable, tp: NDArray[Any], fp: NDArray[Any]) -> Rows:
        """Rows that stand for themselves: vertices of hulls, and the rows that reach a share of a class or of both."""
        p, n = self._totals
        recalls = _reached(tp, self._before[0], np.array(ELEVEN) * p)
        ends = np.unique(np.append(recalls + 1, chunk.scores.size))
        rows = [recalls, _reached(tp, self._before[0], np.array(SHARES) * p),
                _reached(fp, self._before[1], np.array(SHARES) * n),
                _reached(tp + fp, sum(self._before), np.array([float(p)]))]  # fmt: skip
        if p and n:
            rates, before = tp / p + fp / n, self._before[0] / p + self._before[1] / n
            rows.append(_reached(rates, before, np.array([1.0])))
        for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            part = chunk.positive[start:end], chunk.negative[start:end]
            rows += [start + kernel.hull(*part), start + kernel.hull(*part[::-1])]
        return np.unique(np.concatenate(rows)).astype(np.int64)

    def table(self) -> ScoreTable:
        """Table of all rows, with their sums.

        Raises:
            InputError: the rows are not those of the coarse bins.
        """
        like = self._like
        if not np.allclose(self._before, self._totals, rtol=1e-9, atol=1e-9):
            raise InputError("the rows changed while they were counted: count them once more.")
        columns: dict[str, Any] = {name: np.concatenate([kept[name] for kept in self._kept]) for name in self._kept[0]}
        for name in COLUMNS:
            before = getattr(like, name)
            columns[name] = None if before is None else columns[name].astype(before.dtype, copy=False)
        scores, widths = self._sign * columns.pop("scores") + 0.0, columns.pop("widths")
        if not (widths > 0).any():
            return replace(like, scores=scores, **columns, binned=False, widths=None, losses=None, rank_sums=None)
        p, n = columns["positive"].sum().item(), columns["negative"].sum().item()
        areas = kernel.PrAreas(*(float(area / p) if p else np.nan for area in self._areas))
        sums = RankSums(
            placements=self._misses.sums(p, n), precision=areas,
            positive=columns["positive"], negative=columns["negative"],
        )  # fmt: skip
        return replace(like, scores=scores, **columns, binned=True, widths=widths, rank_sums=sums)


class _Misses:
    """Sums of what rows miss of the other class: of a positive twice the negatives above it, and those tied once."""

    def __init__(self, p: Any, n: Any, *, weighted: bool) -> None:
        self._totals = p, n
        self._weighted = weighted
        self._twice: Any = 0
        self._moments: list[list[Any]] = [[0, 0, 0], [0, 0, 0]]  # Σq, Σq·m and Σq·m² of both classes

    def add(self, chunk: ScoreTable, tp: NDArray[Any], fp: NDArray[Any]) -> None:
        """Take rows, with what is predicted positive at each."""
        p = self._totals[0]
        misses = 2 * fp - chunk.negative, 2 * (p - tp) + chunk.positive
        columns = chunk.positive, chunk.negative
        squares = chunk.positive_squares, chunk.negative_squares
        if not self._weighted and max(self._totals) < 2**30:
            self._twice += int(columns[0] @ misses[0])
            added: list[list[Any]] = [
                _whole_moments(column, miss) for column, miss in zip(columns, misses, strict=True)
            ]
        else:
            self._twice += float(columns[0] @ misses[0].astype(np.float64))
            added = [
                _moments(column if square is None else square, miss / (2.0 * max(total, 1e-300)))
                for column, square, miss, total in zip(columns, squares, misses, self._totals[::-1], strict=True)
            ]
        self._moments = [[a + b for a, b in zip(*both, strict=True)] for both in zip(self._moments, added, strict=True)]

    def sums(self, p: Any, n: Any) -> kernel.DelongSums:
        """Sums of squares about the AUC, as DeLong's variance is made of them."""
        if not p or not n:
            return kernel.DelongSums(0 if not self._weighted else 0.0, np.nan, np.nan, p, n)
        twice_u = 2 * p * n - self._twice
        (_, a, b), (_, c, d) = self._moments
        if isinstance(self._twice, int):
            return kernel.DelongSums(
                twice_u, (p * b - a * a) / (4 * n * n * p), (n * d - c * c) / (4 * p * p * n), p, n
            )
        miss = self._twice / (2.0 * p * n)
        sum10, sum01 = (_about(miss, *each) for each in self._moments)
        return kernel.DelongSums(twice_u, sum10, sum01, p, n)


def _whole_moments(column: NDArray[Any], miss: NDArray[Any]) -> list[int]:
    """Σq, Σq·m and Σq·m² as whole numbers: the squares of both halves of m fit where that of m does not."""
    rows = np.flatnonzero(column)
    q, high, low = column[rows], miss[rows] >> 16, miss[rows] & 0xFFFF
    squares = (int(q @ (high * high)) << 32) + (int(q @ (high * low)) << 17) + int(q @ (low * low))
    return [int(q.sum()), int(q @ miss[rows]), squares]


def _moments(column: NDArray[Any], miss: Floats) -> list[float]:
    weighted = column * miss
    return [float(column.sum()), float(weighted.sum()), float(weighted @ miss)]


def _about(center: float, zeroth: float, first: float, second: float) -> float:
    """Σq(m − c)²; what is less than the rounding of its parts is 0."""
    found = second - 2 * center * first + center * center * zeroth
    return found if found > 1e-13 * second else 0.0


def _areas(chunk: ScoreTable, tp: Any, fp: Any) -> Floats:
    """What rows add to P times the areas under the precision–recall curve, behind what was predicted before."""
    positive, negative = np.append(tp, chunk.positive), np.append(fp, chunk.negative)
    total = positive.sum()
    if not total:
        return np.zeros(3)
    areas = np.array(kernel.pr_areas(positive, negative)) * float(total)
    return areas - (float(tp) * tp / (tp + fp) if tp else 0.0)


def _reached(sums: NDArray[Any], before: Any, wanted: Floats) -> Rows:
    """First rows whose running sum reaches each number that no row before did."""
    wanted = wanted[(wanted > before) & (wanted <= sums[-1])]
    return np.searchsorted(sums, wanted).astype(np.int64)


def _runs(chunk: ScoreTable, single: Rows, step: int, cuts: Floats) -> dict[str, NDArray[Any]]:
    """Rows put together between those that stand for themselves, and between cuts, called by their last score."""
    rising, size = chunk.scores, chunk.scores.size
    above = size - np.searchsorted(rising[::-1], np.append(cuts, 0.0), side="left")
    ends = np.flatnonzero(np.isinf(rising))
    starts = np.concatenate([np.arange(0, size, step), single, single + 1, above, ends, ends + 1])
    starts = np.unique(starts[starts < size])
    last = np.append(starts[1:], size) - 1
    columns = {name: np.add.reduceat(c, starts) for name in COLUMNS if (c := getattr(chunk, name)) is not None}
    widths = np.zeros(starts.size)
    many = last > starts
    low, high = rising[last[many]], rising[starts[many]]
    end = np.nextafter(high, np.inf)
    width = end - low
    widths[many] = np.where(low + width < end, np.nextafter(width, np.inf), width)
    return {"scores": rising[last], "widths": widths, **columns}
