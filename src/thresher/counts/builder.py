"""Score tables of any number of rows in constant memory: exact while the scores are few, then in dyadic bins."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.calls import guarded
from thresher.conventions import Direction, Floats, WeightKind, option
from thresher.counts.edges import Edges
from thresher.counts.loss_sums import added, losses_of, losses_of_rows
from thresher.counts.merging import COLUMNS
from thresher.counts.row_columns import number_column, truth_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, OptionError
from thresher.frozen import check_alike
from thresher.sentences import keyword

EXACT_ROWS = 2**20
"""Distinct scores up to which a table stays exact, whatever the tolerance."""

BINS = 2**22
"""Bins of a table: 32 MB of counts, twice that from 2**32 rows on, 128 MB with weights."""

_LEVELS = (-1020, 1000)
"""Least and greatest level of a grid, whose bins are 2**−level wide."""

_PLACES = ("negative", "positive", "negative_squares", "positive_squares")  # of what the kernel sums of a bin
_LARGEST = 2.0**52  # the number of a bin is a float64 that has its neighbours
_NARROW = 2**32  # rows from which counts of bins are int64: a cache holds twice as many of uint32
_COVERED, _ROOM = 0.999, 2
_FEW, _SAMPLED = 2**16, 2**18  # rows of the least window, and those by which a level is chosen
_STARTS = 2**12  # places that a window may begin at


@guarded
class ScoreTableBuilder:
    """A score table in the making: `update` it with rows as they come, `merge` it with others, then take its `table`.

    With tolerance 0 every distinct score is kept. With another, up to about a million distinct scores are; beyond
    that, scores are counted in bins whose width is a power of two, chosen so that the AUC is known to half the
    tolerance by the first million, and memory stays constant. The table carries the bound that was reached
    (`error_bound`), which may be above the tolerance when later rows are unlike the first.

    `thresholds` become edges of bins, so that matrices there are exact. `weight_kind` is that of all weights; rows
    with and without weights do not mix.

    Raises:
        OptionError: an option has a value that it does not take.

    >>> builder = ScoreTable.builder(tolerance=1e-6)
    >>> builder.update([1, 0], [0.9, 0.4]).update([1, 0], [0.4, 0.1]).table().positive.tolist()
    [1, 1, 0]
    """

    tolerance: float
    direction: Direction
    weight_kind: WeightKind
    _most: int
    _bins: int
    _edges: Edges
    _exact: list[ScoreTable]
    _grid: _Grid | None
    _losses: Floats | None
    _weighted: bool | None

    def __init__(
        self,
        *,
        tolerance: float = 1e-6,
        direction: Direction = "higher",
        weight_kind: WeightKind = "importance",
        exact_rows: int = EXACT_ROWS,
        bins: int = BINS,
        thresholds: Sequence[float] = (),
    ) -> None:
        option("direction", direction, ("higher", "lower"))
        option("weight_kind", weight_kind, ("importance", "frequency"))
        if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0 <= tolerance < 1:
            raise OptionError(
                keyword("tolerance", repr(tolerance)) + ": how far the AUC may be off, from 0 (exact) to below 1."
            )
        self.tolerance = float(tolerance)
        self.direction = direction
        self.weight_kind = weight_kind
        self._most = exact_rows
        self._bins = bins
        self._edges = Edges(thresholds, direction)
        self._exact = []
        self._grid = None
        self._losses = None
        self._weighted = None

    def update(self, y_true: ArrayLike, y_score: ArrayLike, weights: ArrayLike | None = None) -> ScoreTableBuilder:
        """Count rows: truth 0 or 1, scores, and weights if all rows have some; returns the builder itself.

        Raises:
            InputError: what `ScoreTable.from_scores` refuses, or weights in some updates but not in others. The row is
                counted from the first of this update; those before it may be counted already.
        """
        options: dict[str, Any] = {"direction": self.direction, "weight_kind": self.weight_kind}
        if self._grid is None and (self.tolerance == 0 or np.size(y_score) <= 2 * self._most):
            return self.add(ScoreTable.from_scores(y_true, y_score, weights=weights, **options))
        truth, score = truth_column(y_true), number_column(y_score, "y_score")
        weight = None if weights is None else number_column(weights, "weights")
        if self._grid is None:
            return self._in_two(truth, score, weight, options)
        self._check_weights(weight is not None)
        try:
            strays = self._grid.count(truth, score if self.direction == "higher" else -score, weight)
        except (kernel.KernelInputError, TypeError, ValueError) as error:
            raise InputError(f"{error}.") from error
        self._add_losses(truth, score, weight)
        self._edges.add_rows(truth, score, weight)
        if not strays.size:
            return self
        own = None if weight is None else weight[strays]
        return self._take(ScoreTable.from_scores(truth[strays], score[strays], weights=own, **options), are_new=False)

    def _add_losses(self, truth: NDArray[Any], score: Floats, weight: Floats | None) -> None:
        """Add the losses of rows to the sums, unless these are lost already, or the scores no probabilities."""
        if self._losses is None or np.isnan(self._losses).any():
            return
        squares = weight is not None and self.weight_kind == "importance"
        self._losses = self._losses + losses_of_rows(truth, score, weight, squares=squares)

    def _in_two(self, truth: Any, score: Floats, weight: Floats | None, options: dict[str, Any]) -> ScoreTableBuilder:
        """Count many rows of which the first settle the bins, so that the others need not be sorted."""
        head = 2 * self._most
        try:
            for rows in (slice(head), slice(head, None)):
                self.update(truth[rows], score[rows], None if weight is None else weight[rows])
        except InputError:
            ScoreTable.from_scores(truth, score, weights=weight, **options)  # which numbers the rows from the first
            raise
        return self

    def add(self, table: ScoreTable) -> ScoreTableBuilder:
        """Count the rows of a table, of scores or of bins; returns the builder itself.

        Raises:
            InputError: the table has another direction, a prior, or weights of another kind.
        """
        check_alike(self, table, ("direction",))
        if table.prior is not None or table.positive.ndim > 1 or (table.binned and table.widths is None):
            raise InputError("a builder adds single tables without a prior, whose bins have widths.")
        if not table.scores.size:
            return self
        self._take(table)
        self._edges.add_table(table)
        return self

    def merge(self, other: ScoreTableBuilder) -> ScoreTableBuilder:
        """Count what another builder has counted; returns the builder itself.

        Raises:
            InputError: the other has another direction, or weights of another kind.
        """
        return self.add(other.table())

    def table(self) -> ScoreTable:
        """The table of all rows so far."""
        parts = [*self._exact, *([] if self._grid is None else [self._grid.table()])]
        if not parts:
            return ScoreTable.empty(direction=self.direction)
        whole = sum(parts[1:], parts[0])
        return whole if self._grid is None else self._edges.cut(replace(whole, losses=self._losses))

    @property
    def nbytes(self) -> int:
        """Bytes that the counts so far take.

        >>> ScoreTable.builder(tolerance=0).update([1, 0], [0.9, 0.4]).nbytes
        48
        """
        columns: list[NDArray[Any] | None] = [
            getattr(table, name) for table in self._exact for name in ("scores", *COLUMNS)
        ]
        of_bins = 0 if self._grid is None else int(self._grid.counts.nbytes)
        return sum(int(c.nbytes) for c in columns if c is not None) + of_bins

    def _check_weights(self, weighted: bool) -> None:
        if self._weighted not in (None, weighted):
            raise InputError("some rows have weights and others have none: give weights in every update, or in none.")
        self._weighted = weighted

    def _take(self, table: ScoreTable, *, are_new: bool = True) -> ScoreTableBuilder:
        """Keep a table as it is: like sizes are put together, so that a score is merged a few times only.

        While there are bins the losses of rows that `are_new` are added to the sums at once.
        """
        if table.weight_kind not in (None, self.weight_kind):
            raise InputError(f"a builder of {self.weight_kind} weights cannot count {table.weight_kind} weights.")
        self._check_weights(table.weight_kind is not None)
        if table.weight_kind is None and table.positive.dtype.kind == "f":
            raise InputError("a builder counts rows, and these counts are not whole: say which weights they are of.")
        if self._grid is not None and are_new:
            self._losses = added(self._losses, losses_of(table))
        self._exact.append(table)
        while len(self._exact) > 1 and self._exact[-2].scores.size <= 2 * self._exact[-1].scores.size:
            self._exact[-2:] = [self._exact[-2] + self._exact[-1]]
        if self.tolerance > 0 and sum(each.scores.size for each in self._exact) > self._most:
            self._settle()
        return self

    def _settle(self) -> None:
        """Count in bins what is kept, or in wider ones once too much lies outside of them."""
        self._exact = [sum(self._exact[1:], self._exact[0])]
        if self._exact[0].scores.size <= self._most or self._fits():
            return
        whole = self.table()
        self._losses = losses_of(whole)
        if self._grid is None:
            level = _best_level(whole, self.tolerance, self._bins)
        else:
            level = min(self._grid.level - 1, _level_of(whole))
        while True:
            self._grid = _Grid(whole, level, self._bins)
            left = self._grid.take(whole)
            self._exact = [] if left is None else [left]
            if left is None or left.scores.size <= self._most // 2 or level <= _LEVELS[0]:
                return
            level -= 1

    def _fits(self) -> bool:
        """Whether few rows are left in hand once those that the bins can hold are counted there."""
        if self._grid is None or _level_of(self._exact[0]) < self._grid.level:
            return False
        left = self._grid.take(self._exact[0])
        self._exact = [] if left is None else [left]
        return left is None or left.scores.size <= self._most // 2


class _Grid:
    """Bins [(first + i)/2**level, (first + i + 1)/2**level) of scores, of negative scores for direction "lower"."""

    def __init__(self, like: ScoreTable, level: int, most: int) -> None:
        """Grid of a level without counts, over that window of at most so many bins that holds most rows of a table."""
        first, span = _window(_rising(like), _rows(like), level, most)
        size = min(most, max(_ROOM * span, _FEW))
        self.level, self.first = level, first - (size - span) // 2
        self._scale = math.ldexp(1.0, level)
        self._like = like
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
        if self._held >= _NARROW and self.counts.dtype == np.uint32:
            self.counts = self.counts.astype(np.int64)

    def take(self, table: ScoreTable) -> ScoreTable | None:
        """Count the rows of a table; returns what lies outside the window, if anything."""
        self._hold(float(table.P + table.N))
        numbers = _numbers(_rising(table), self.level) - self.first
        inside = (numbers >= 0) & (numbers < len(self.counts))
        places = _kept(numbers, inside).astype(np.int64)
        for sums, name in zip(self.counts.T, _PLACES, strict=False):
            column = getattr(table, name)
            if column is not None:  # frequency weights have no Σw², and what is summed of it here is never read
                np.add.at(sums, places, _kept(column, inside).astype(sums.dtype, copy=False))
        return None if inside.all() else _rows_of(table, ~inside)

    def table(self) -> ScoreTable:
        """Table of the bins that have rows."""
        counts, like = self.counts, self._like
        filled = np.flatnonzero((counts[:, :2] > 0).any(axis=1))[::-1]
        with np.errstate(over="ignore"):  # the lowest of the widest bins begins below all floats
            rising = np.maximum(np.ldexp((self.first + filled).astype(np.float64), -self.level), -sys.float_info.max)
        known = 4 if like.weight_kind == "importance" else 2
        columns: dict[str, Any] = {name: counts[filled, place] for place, name in enumerate(_PLACES[:known])}
        if known == 2 and (like.weight_kind is None or like.positive.dtype.kind == "i"):
            # Whole frequency weights give integer counts, which merge without rounding.
            whole = all(np.array_equal(column, np.rint(column)) for column in columns.values())
            columns = {name: column.astype(np.int64) if whole else column for name, column in columns.items()}
        return ScoreTable(
            scores=(rising if like.direction == "higher" else -rising) + 0.0,
            **columns,
            direction=like.direction,
            weight_kind=like.weight_kind,
            binned=True,
            widths=np.full(filled.size, math.ldexp(1.0, -self.level)),
        )


def _best_level(table: ScoreTable, tolerance: float, most: int) -> int:
    """Level at which bins keep the AUC of these rows to half the tolerance, or the finest whose window holds them.

    One level more than needed is taken, as later rows may be unlike these. Where a class has no rows yet, nothing is
    known but where scores lie, and the finest level is taken.
    """
    if table.scores.size > _SAMPLED:
        table = _rows_of(table, np.arange(table.scores.size) % (table.scores.size // _SAMPLED) == 0)
    rising, rows = _rising(table), _rows(table)
    greatest = float(np.abs(rising[np.isfinite(rising)]).max(initial=0.0))
    # Beyond this level two neighbouring float64 of the largest score have a bin each.
    top = min(_LEVELS[1], 52 - math.frexp(greatest)[1]) if greatest else _LEVELS[1]
    top = min(top, _level_of(table))

    def covers(level: int) -> bool:
        first, _ = _window(rising, rows, level, most)
        numbers = _numbers(rising, level) - first
        finite = np.isfinite(rising)
        return bool(rows[finite & (numbers >= 0) & (numbers < most)].sum() >= _COVERED * rows[finite].sum())

    finest = _last(covers, _LEVELS[0], top)
    if not (table.positive.any() and table.negative.any()):
        return finest
    pairs = float(table.P) * float(table.N)

    def too_coarse(level: int) -> bool:
        starts = np.flatnonzero(np.append(True, np.diff(_numbers(rising, level)) != 0))
        both = [np.add.reduceat(column.astype(np.float64), starts) for column in (table.positive, table.negative)]
        return float(both[0] @ both[1]) / 2 > tolerance / 2 * pairs

    return min(finest, _last(too_coarse, _LEVELS[0] - 1, finest) + 2)


def _level_of(table: ScoreTable) -> int:
    """Level of the widest bin of a table, above which no grid holds it; the finest where there are scores alone."""
    widest = 0.0 if table.widths is None else float(table.widths.max(initial=0.0))
    return 1 - math.frexp(widest)[1] if widest else _LEVELS[1]


def _rows_of(table: ScoreTable, kept: NDArray[np.bool_]) -> ScoreTable:
    columns: dict[str, Any] = {
        name: None if (c := getattr(table, name)) is None else c[kept] for name in ("scores", "widths", *COLUMNS)
    }
    binned = columns["widths"] is not None and bool((columns["widths"] > 0).any())
    return ScoreTable(
        **{**columns, "widths": columns["widths"] if binned else None},
        direction=table.direction, weight_kind=table.weight_kind, binned=binned,
    )  # fmt: skip


def _rising(table: ScoreTable) -> Floats:
    """Scores, turned about for direction "lower": the first is the greatest."""
    return table.scores if table.direction == "higher" else -table.scores


def _rows(table: ScoreTable) -> Floats:
    rows: Floats = table.positive.astype(np.float64) + table.negative
    return rows


def _numbers(rising: Floats, level: int) -> Floats:
    """Number of each score's bin."""
    with np.errstate(over="ignore", under="ignore"):
        product: Floats = rising * math.ldexp(1.0, level)
    number: Floats = np.floor(product)
    number[(product == 0) & (rising < 0)] = -1.0
    return number


def _window(rising: Floats, rows: Floats, level: int, most: int) -> tuple[int, int]:
    """First bin and length of a window of at most so many bins that holds the most rows, or nearly so."""
    finite = np.isfinite(rising)
    numbers = _numbers(_kept(rising, finite), level)[::-1]
    usable = np.abs(numbers) < _LARGEST
    if not usable.any():
        return 0, 1
    held = np.append(0.0, np.cumsum(_kept(_kept(rows, finite)[::-1], usable)))
    numbers = _kept(numbers, usable)
    starts = np.arange(0, numbers.size, max(numbers.size // _STARTS, 1))
    if numbers[-1] - numbers[0] < most:
        starts = starts[:1]
    ends = np.searchsorted(numbers, numbers[starts] + most, side="left")
    best = int(np.argmax(held[ends] - held[starts]))
    first = int(numbers[starts[best]])
    return first, int(numbers[ends[best] - 1]) - first + 1


def _kept(column: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Some rows of a column, which is not copied where these are all."""
    return column if rows.all() else column[rows]


def _last(holds: Any, low: int, high: int) -> int:
    """Greatest whole number in low … high for which a test holds that, once it fails, fails for all greater ones."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
