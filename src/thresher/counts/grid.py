"""Bins of scores whose width is a power of two, and how fine they must be."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts.edges import Table
from thresher.counts.merging import COLUMNS, begins

LEVELS = (-1020, 1000)
"""Least and greatest level of a grid, whose bins are 2**−level wide."""

NARROW = 2**32
"""Rows from which counts of bins are int64: a cache holds twice as many of uint32."""

_PLACES = ("negative", "positive", "negative_squares", "positive_squares")  # of what the kernel sums of a bin
_LARGEST = 2.0**52  # the number of a bin is a float64 that has its neighbours
_COVERED, _ROOM = 0.999, 2
_KNOWN = 0.9  # of the tolerance, to which the first rows know the AUC: that of all is no worse where they are alike
_FEW, _SAMPLED = 2**16, 2**18  # rows of the least window, and those by which a level is chosen
_RARE = 2**12  # scores of a class of which some stand for all: those of fewer share too few bins with others
_STARTS = 2**12  # places that a window may begin at


class Grid:
    """Bins [(first + i)/2**level, (first + i + 1)/2**level) of scores, of negative scores for direction "lower"."""

    def __init__(self, like: Table, level: int, most: int) -> None:
        """Grid of a level without counts, over that window of at most so many bins that holds most rows of a table."""
        first, span = _window(_rising(like), _rows(like), level, most)
        size = min(most, max(_ROOM * span, _FEW))
        self.level, self.first = level, first - (size - span) // 2
        self._scale = math.ldexp(1.0, level)
        self._like = _rows_of(like, slice(0))  # what kind of table it is
        weighted = like.weight_kind is not None
        self.counts: NDArray[Any] = np.zeros((size, 4), np.float64) if weighted else np.zeros((size, 2), np.uint32)
        self._held = 0.0

    def count(self, truth: NDArray[Any], rising: Floats, weights: Floats | None) -> NDArray[np.int64]:
        """Count rows; returns the numbers of those outside the window."""
        self._hold(truth.size)
        return kernel.bin_rows(truth, rising, weights, counts=self.counts, scale=self._scale, first=self.first)

    def _hold(self, rows: float) -> None:
        """Widen the counts before so many rows are added, if these may be too many."""
        self._held += rows
        if self._held >= NARROW and self.counts.dtype == np.uint32:
            self.counts = self.counts.astype(np.int64)

    def take(self, table: Table) -> Table | None:
        """Count the rows of a table; returns what lies outside the window, or in several bins, if anything."""
        self._hold(float(table.P + table.N))
        rising = _rising(table)
        numbers = _numbers(rising, self.level) - self.first
        inside = (numbers >= 0) & (numbers < len(self.counts))
        if table.widths is not None:
            with np.errstate(over="ignore"):
                ends = (rising + table.widths) * self._scale - self.first
            inside &= ends <= numbers + 1
        places = _kept(numbers, inside).astype(np.int64)
        for sums, name in zip(self.counts.T, _PLACES, strict=False):
            column = getattr(table, name)
            if column is not None:  # frequency weights have no Σw², and what is summed of it here is never read
                np.add.at(sums, places, _kept(column, inside).astype(sums.dtype, copy=False))
        return None if inside.all() else _rows_of(table, ~inside)

    def table(self) -> Table:
        """Table of the bins that have rows."""
        counts, like = self.counts, self._like
        filled = np.flatnonzero((counts[:, 0] > 0) | (counts[:, 1] > 0))[::-1]
        with np.errstate(over="ignore"):  # the lowest of the widest bins begins below all floats
            rising = np.maximum(np.ldexp((self.first + filled).astype(np.float64), -self.level), -sys.float_info.max)
        known = 4 if like.weight_kind == "importance" else 2
        columns: dict[str, Any] = {name: counts[filled, place] for place, name in enumerate(_PLACES[:known])}
        if known == 2 and (like.weight_kind is None or like.positive.dtype.kind == "i"):
            # Whole frequency weights give integer counts, which merge without rounding.
            whole = all(np.array_equal(column, np.rint(column)) for column in columns.values())
            columns = {name: column.astype(np.int64) if whole else column for name, column in columns.items()}
        scores = (rising if like.direction == "higher" else -rising) + 0.0
        return replace(like, scores=scores, **columns, binned=True, widths=np.full(filled.size, 1 / self._scale))


def best_level(table: Table, tolerance: float, most: int) -> int:
    """Level at which bins keep the AUC of these rows to the tolerance, nearly, or the finest whose window holds them.

    Where a class has no rows yet, nothing is known but where scores lie, and the finest level is taken.
    """
    if table.scores.size > _SAMPLED and min(map(np.count_nonzero, (table.positive, table.negative))) > _RARE:
        # At random, as of every fourth score no two are neighbours, which share a bin most often.
        share = _SAMPLED / table.scores.size
        table = _rows_of(table, np.random.default_rng(0).random(table.scores.size) < share)
    every = _rising(table)
    finite = np.isfinite(every)
    rising, rows = _kept(every, finite), _kept(_rows(table), finite)
    greatest = float(np.abs(rising).max(initial=0.0))
    # Beyond this level two neighbouring float64 of the largest score have a bin each.
    top = min(LEVELS[1], 52 - math.frexp(greatest)[1]) if greatest else LEVELS[1]
    top = min(top, level_of(table))
    total = rows.sum()

    def covers(level: int) -> bool:
        first, _ = _window(rising, rows, level, most)
        numbers = _numbers(rising, level) - first
        return bool(rows[(numbers >= 0) & (numbers < most)].sum() >= _COVERED * total)

    # Bins of this level cover scores from 0 to the greatest.
    finest = _last(covers, LEVELS[0], top, near=most.bit_length() - 1 - math.frexp(greatest)[1])
    if not (table.positive.any() and table.negative.any()):
        return finest
    pairs = float(table.P) * float(table.N)
    columns = [column.astype(np.float64) for column in (table.positive, table.negative)]

    def too_coarse(level: int) -> bool:
        starts = np.flatnonzero(begins(_numbers(every, level)))
        positive, negative = (np.add.reduceat(column, starts) for column in columns)
        return float(positive @ negative) / 2 > _KNOWN * tolerance * pairs

    # Those of this level are about as fine as must be where the scores of both classes are spread evenly.
    even = 1 - math.frexp(tolerance)[1] - math.frexp(greatest)[1]
    return min(finest, _last(too_coarse, LEVELS[0] - 1, finest, near=even) + 1)


def level_of(table: Table) -> int:
    """Level of the widest bin of a table, above which no grid holds it; the finest where there are scores alone."""
    widest = 0.0 if table.widths is None else float(table.widths.max(initial=0.0))
    return 1 - math.frexp(widest)[1] if widest else LEVELS[1]


def _rows_of(table: Table, kept: NDArray[np.bool_] | slice) -> Table:
    columns: dict[str, Any] = {
        name: None if (c := getattr(table, name)) is None else c[kept] for name in ("scores", "widths", *COLUMNS)
    }
    binned = columns["widths"] is not None and bool((columns["widths"] > 0).any())
    columns["widths"] = columns["widths"] if binned else None
    return replace(table, **columns, binned=binned, losses=None, rank_sums=None)


def _rising(table: Table) -> Floats:
    """Scores, turned about for direction "lower": the first is the greatest."""
    scores: Floats = table.scores if table.direction == "higher" else -table.scores
    return scores


def _rows(table: Table) -> Floats:
    rows: Floats = table.positive.astype(np.float64) + table.negative
    return rows


def _numbers(rising: Floats, level: int) -> Floats:
    """Number of each score's bin."""
    with np.errstate(over="ignore", under="ignore"):
        number: Floats = rising * math.ldexp(1.0, level)
    vanished = (number == 0) & (rising < 0)
    np.floor(number, out=number)
    number[vanished] = -1.0
    return number


def _window(rising: Floats, rows: Floats, level: int, most: int) -> tuple[int, int]:
    """First bin and length of a window of at most so many bins that holds the most rows, or nearly so."""
    finite = np.isfinite(rising)
    rising, rows = _kept(rising, finite), _kept(rows, finite)
    low, high = _numbers(rising[[-1, 0]], level) if rising.size else (0.0, 0.0)
    if low > -_LARGEST and high < _LARGEST and high - low < most:
        return int(low), int(high - low) + 1
    numbers = _numbers(rising, level)[::-1]
    usable = np.abs(numbers) < _LARGEST
    if not usable.any():
        return 0, 1
    held = np.append(0.0, np.cumsum(_kept(rows[::-1], usable)))
    numbers = _kept(numbers, usable)
    starts = np.arange(0, numbers.size, max(numbers.size // _STARTS, 1))
    ends = np.searchsorted(numbers, numbers[starts] + most, side="left")
    best = int(np.argmax(held[ends] - held[starts]))
    first = int(numbers[starts[best]])
    return first, int(numbers[ends[best] - 1]) - first + 1


def _kept(column: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Some rows of a column, which is not copied where these are all."""
    return column if rows.all() else column[rows]


def _last(holds: Callable[[int], bool], low: int, high: int, *, near: int) -> int:
    """Greatest whole number in low … high for which a test holds that, once it fails, fails for all greater ones.

    It is looked for from `near`, further and further away.
    """
    at, step = min(max(near, low), high), 1
    if at == low or holds(at):
        low = at
        while low < high and holds(at := min(low + step, high)):
            low, step = at, 2 * step
        high = max(at - 1, low)
    else:
        high = at - 1
        while low < (at := max(high + 1 - step, low)) and not holds(at):
            high, step = at - 1, 2 * step
        low = at
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
