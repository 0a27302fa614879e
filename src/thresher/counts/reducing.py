"""Rows that come in order, the most positive first, become bins and exact sums: what a ranking says in little memory.

Of the rows nothing stays but sums, the vertices of both convex hulls of the ROC, the points that are quoted most, and
bins of about equally many rows between them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts.held import Held
from thresher.counts.loss_sums import SHAPE, added, losses_of
from thresher.counts.merging import COLUMNS
from thresher.counts.rank_sums import RankSums
from thresher.counts.refining import CHANGED
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError

Rows = NDArray[np.int64]

SHARES = (0.001, 0.005, *(k / 100 for k in range(1, 10)), *(k / 20 for k in range(2, 21)))
"""Rates at which other rates are quoted: the row that reaches each stands for itself."""

ELEVEN = tuple(k / 10 for k in range(11))
"""Recalls beyond which the largest precision is asked for: hulls end there."""

NONE: Rows = np.zeros(0, dtype=np.int64)


class Reduced(NamedTuple):
    """What is kept of some rows: sums of what they miss, areas and losses, and the bins they become."""

    misses: tuple[Any, Sequence[Sequence[Any]]]
    areas: Floats
    losses: Floats | None
    runs: dict[str, NDArray[Any]]


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
        self._losses = _no_losses(like)
        self._kept: list[dict[str, NDArray[Any]]] = []

    def add(self, chunk: ScoreTable) -> None:
        """Take the next rows, all of them less positive than those before; scores rise with positivity."""
        if chunk.scores.size:
            self.take(self.begin(chunk)())

    def begin(self, chunk: ScoreTable) -> Callable[[], Reduced]:
        """What is to be found of the next rows, as work that any thread may do; the results are taken in this order."""
        running = _Running(chunk, *self._before)
        self._before = list(running.ends)
        return lambda: self._part(chunk, running)

    def _part(self, chunk: ScoreTable, running: _Running) -> Reduced:
        corners = _ChunkCorners.of(chunk)
        single = self._outstanding(chunk, running, corners)
        return Reduced(
            misses=self._misses.of(chunk, running, corners),
            areas=_areas(corners, *running.starts),
            losses=None if self._losses is None else losses_of(chunk),
            runs=_runs(chunk, single, self._step, self._cuts),
        )

    def take(self, part: Reduced) -> None:
        """Take what was found of the next rows."""
        self._misses.take(*part.misses)
        self._areas += part.areas
        self._losses = added(self._losses, part.losses)
        self._kept.append(part.runs)

    def _outstanding(self, chunk: ScoreTable, running: _Running, corners: _ChunkCorners) -> Rows:
        """Rows that stand for themselves: vertices of hulls, and the rows that reach a share of a class or of both."""
        p, n = self._totals
        recalls = running.reached(np.array(ELEVEN) * p, lambda tp, _: tp)
        ends = np.unique(np.append(recalls + 1, chunk.scores.size))
        rows = [recalls, running.reached(np.array(SHARES) * p, lambda tp, _: tp),
                running.reached(np.array(SHARES) * n, lambda _, fp: fp),
                running.reached(np.array([float(p)]), lambda tp, fp: tp + fp)]  # fmt: skip
        if p and n:
            rows.append(running.reached(np.array([1.0]), lambda tp, fp: tp / p + fp / n))
        last = np.searchsorted(corners.rows, ends - 1, side="right")
        for start, end in zip(np.append(0, last[:-1]), last, strict=True):
            part = corners.positive[start:end], corners.negative[start:end]
            rows += [corners.rows[start + kernel.hull(*columns)] for columns in (part, part[::-1])]
        return np.unique(np.concatenate(rows)).astype(np.int64)

    def table(self) -> ScoreTable:
        """Table of all rows, with their sums.

        Raises:
            InputError: the rows are not those of the coarse bins.
        """
        like = self._like
        if not np.allclose(self._before, self._totals, rtol=1e-9, atol=1e-9):
            raise InputError(CHANGED)
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
        losses = like.losses if self._losses is None else self._losses
        return replace(like, scores=scores, **columns, binned=True, widths=widths, losses=losses, rank_sums=sums)


class _ChunkCorners(NamedTuple):
    """Counts of which hulls, areas and sums of misses are those of a chunk, and the last row of each.

    Where fewer than half of the rows have positives, neighbouring ones without are put together.
    """

    positive: NDArray[Any]
    negative: NDArray[Any]
    rows: Rows

    @classmethod
    def of(cls, chunk: ScoreTable) -> _ChunkCorners:
        has = chunk.positive > 0
        if chunk.positive.dtype != np.int64 or 2 * np.count_nonzero(has) > has.size:
            return cls(chunk.positive, chunk.negative, np.arange(has.size))
        return cls(*kernel.fold(chunk.positive, chunk.negative), np.flatnonzero(has | np.append(has[1:], True)))


def _no_losses(like: ScoreTable) -> Floats | None:
    """Losses of no rows; None where those of all are known."""
    if like.losses is not None:
        return None
    return np.zeros(SHAPE) if like.direction == "higher" else np.full(SHAPE, np.nan)


class _Running:
    """What is predicted positive at each row of a chunk, and before it."""

    def __init__(self, chunk: ScoreTable, tp: Any, fp: Any) -> None:
        self._columns = chunk.positive, chunk.negative
        self.starts = tp, fp
        is_whole = chunk.positive.dtype.kind == "i"  # sums of weights are added one after the other, as they run
        self.ends: tuple[Any, Any] = (
            (tp + int(chunk.positive.sum()), fp + int(chunk.negative.sum()))
            if is_whole
            else tuple(sums[-1].item() for sums in self.sums())
        )

    def sums(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Running sums of both classes."""
        tp, fp = (np.cumsum(c) + start for c, start in zip(self._columns, self.starts, strict=True))
        return tp, fp

    def reached(self, wanted: Floats, of: Callable[[Any, Any], Any]) -> Rows:
        """First rows at which a number of both sums reaches each of those wanted that no row before did."""
        wanted = wanted[(wanted > of(*self.starts)) & (wanted <= of(*self.ends))]
        return np.searchsorted(of(*self.sums()), wanted).astype(np.int64) if wanted.size else NONE


class _Misses:
    """Sums of what rows miss of the other class: of a positive twice the negatives above it, and those tied once."""

    def __init__(self, p: Any, n: Any, *, weighted: bool) -> None:
        self._totals = p, n
        self._weighted = weighted
        self._twice: Any = 0
        self._moments: list[list[Any]] = [[0, 0, 0], [0, 0, 0]]  # Σq, Σq·m and Σq·m² of both classes

    def of(self, chunk: ScoreTable, running: _Running, corners: _ChunkCorners) -> tuple[Any, Sequence[Sequence[Any]]]:
        """Sums of rows, with what is predicted positive at each."""
        p, columns = self._totals[0], (chunk.positive, chunk.negative)
        if not self._weighted and max(self._totals) < 2**30:
            found = kernel.miss_sums(corners.positive, corners.negative, before=running.starts, positives=p)
            return found.positive[1], found
        tp, fp = running.sums()
        misses = 2 * fp - chunk.negative, 2 * (p - tp) + chunk.positive
        squares = chunk.positive_squares, chunk.negative_squares
        return float(columns[0] @ misses[0].astype(np.float64)), [
            _moments(column if square is None else square, miss / (2.0 * max(total, 1e-300)))
            for column, square, miss, total in zip(columns, squares, misses, self._totals[::-1], strict=True)
        ]

    def take(self, twice: Any, moments: Sequence[Sequence[Any]]) -> None:
        """Add such sums."""
        self._twice += twice
        each = zip(self._moments, moments, strict=True)
        self._moments = [[a + b for a, b in zip(*both, strict=True)] for both in each]

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


def _moments(column: NDArray[Any], miss: Floats) -> list[float]:
    weighted = column * miss
    return [float(column.sum()), float(weighted.sum()), float(weighted @ miss)]


def _about(center: float, zeroth: float, first: float, second: float) -> float:
    """Σq(m − c)²; what is less than the rounding of its parts is 0."""
    found = second - 2 * center * first + center * center * zeroth
    return found if found > 1e-13 * second else 0.0


def _areas(corners: _ChunkCorners, tp: Any, fp: Any) -> Floats:
    """What rows add to P times the areas under the precision–recall curve, behind what was predicted before."""
    positive, negative = np.append(tp, corners.positive), np.append(fp, corners.negative)
    total = positive.sum()
    if not total:
        return np.zeros(3)
    areas = np.array(kernel.pr_areas(positive, negative)) * float(total)
    return areas - (float(tp) * tp / (tp + fp) if tp else 0.0)


def _runs(chunk: ScoreTable, single: Rows, step: int, cuts: Floats) -> dict[str, NDArray[Any]]:
    """Rows put together between those that stand for themselves, and between cuts, called by their last score."""
    rising, size = chunk.scores, chunk.scores.size
    above = size - np.searchsorted(rising[::-1], np.append(cuts, 0.0), side="left")
    ends = np.flatnonzero(np.isinf(rising[[0, -1]])) * (size - 1)
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


class Ranges:
    """The rows of several groups by one score, of whose coarse bins the tables are.

    Scores are turned about for direction "lower", so that they rise with positivity.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([1, 1]), negative=np.array([0, 2]), binned=True,
    ...     widths=np.array([0.5, 0.5]),
    ... )
    >>> ranges = Ranges({(): bins}, most=2)
    >>> ranges.low, ranges.add((), np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.3, 0.1]), None)
    (0.5, None)
    >>> [part[()].scores.tolist() for part in ranges.chunks()], ranges.is_done
    ([[0.9]], False)
    """

    def __init__(self, tables: Mapping[Any, ScoreTable], *, most: int, share: float = 1.0) -> None:
        """Ranges of at most so many rows; `share` is how many rows a weight of 1 stands for, about."""
        like = next(iter(tables.values()))
        self._most, self._share, self._weight_kind = most, share, like.weight_kind
        sign = 1.0 if like.direction == "higher" else -1.0
        starts = np.concatenate([sign * table.scores for table in tables.values()])
        rows = np.concatenate([table.positive + table.negative for table in tables.values()])
        order = np.argsort(-starts, kind="stable")
        self._starts, self._ends = starts[order], np.cumsum(rows[order] * share, dtype=np.float64)
        self.is_done = False
        self._open(None)

    def _open(self, high: float | None) -> None:
        """Begin a range below a score, or at the top, of as many bins as there is room for."""
        first = 0 if high is None else int(np.searchsorted(-self._starts, -high, side="right"))
        before = self._ends[first - 1] if first else 0.0
        last = max(int(np.searchsorted(self._ends, before + self._most, side="right")), first + 1)
        self.high, self.low = high, float(self._starts[last - 1]) if last < self._starts.size else -np.inf
        self._held = Held(self._weight_kind)

    def following(self) -> None:
        """Go on with the next range below what was taken, if there is one."""
        self.is_done = self.low == -np.inf
        if not self.is_done:
            self._open(self.low)

    def add(self, key: Hashable, truth: NDArray[Any], rising: Floats, weights: Floats | None) -> None:
        """Keep those of the rows that lie in the range."""
        inside = rising >= self.low
        if self.high is not None:
            inside &= rising < self.high
        self._held.add(key, truth[inside], rising[inside], None if weights is None else weights[inside])
        if self._held.size > self._most:
            self._make_room()

    def _make_room(self) -> None:
        """Put equal scores together; where most differ, leave the lower half of them for later."""
        parts: dict[Hashable, list[ScoreTable]] = {key: [] for key in self._held.keys}
        for chunk in self.chunks():
            for key, table in chunk.items():
                parts[key].append(table)
        self._held = Held(self._weight_kind, parts)
        found = np.unique(np.concatenate([t.scores for tables in parts.values() for t in tables]))
        if found.size > 1 and self._held.size > self._most / 2:
            self.low = float(found[found.size // 2])
            self._held.leave(self.low)

    def chunks(self) -> Iterator[dict[Hashable, ScoreTable]]:
        """Tables of the distinct scores of the range, a part at a time, the most positive first, by group: once."""
        yield from self._held.chunks()
