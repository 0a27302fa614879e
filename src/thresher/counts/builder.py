"""Score tables of any number of rows in constant memory: exact while the scores are few, then in dyadic bins."""

from __future__ import annotations

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
from thresher.counts.grid import LEVELS, Grid, best_level, level_of
from thresher.counts.loss_sums import added, losses_of, losses_of_rows
from thresher.counts.merging import COLUMNS
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, OptionError
from thresher.frozen import check_alike
from thresher.sentences import keyword

EXACT_ROWS = 2**20
"""Distinct scores up to which a table stays exact, whatever the tolerance."""

BINS = 2**22
"""Bins of a table: 32 MB of counts, twice that from 2**32 rows on, 128 MB with weights."""


@guarded
class ScoreTableBuilder:
    """A score table in the making: `update` it with rows as they come, `merge` it with others, then take its `table`.

    With tolerance 0 every distinct score is kept. With another, up to about a million distinct scores are; beyond
    that, scores are counted in bins whose width is a power of two, chosen so that the AUC is known to
    the tolerance by the first million, and memory stays constant. The table carries the bound that was reached
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
    _grid: Grid | None
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
        weight = weight_column(weights, self.weight_kind)
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
        parts: list[ScoreTable] = [*self._exact, *([] if self._grid is None else [self._grid.table()])]
        if not parts:
            return ScoreTable.empty(direction=self.direction)
        whole = sum(parts[1:], parts[0])
        return whole if self._grid is None else self._edges.cut(replace(whole, losses=self._losses))

    @property
    def is_binned(self) -> bool:
        """Whether scores are counted in bins by now.

        >>> ScoreTable.builder().is_binned
        False
        """
        return self._grid is not None

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
        if self._grid is None and table.binned and self.tolerance > 0 and 2 * table.scores.size > self._most:
            self._begin(table)
        if self._grid is not None:
            self._losses = added(self._losses, losses_of(table)) if are_new else self._losses
            left = self._grid.take(table)
            if left is None:
                return self
            table = left
        self._exact.append(table)
        while len(self._exact) > 1 and self._exact[-2].scores.size <= 2 * self._exact[-1].scores.size:
            self._exact[-2:] = [self._exact[-2] + self._exact[-1]]
        if self.tolerance > 0 and sum(each.scores.size for each in self._exact) > self._most:
            self._settle()
        return self

    def _begin(self, like: ScoreTable) -> None:
        """Count in bins as wide as those of a table, of which two might be more than is kept."""
        whole = self.table()
        self._losses, self._grid = losses_of(whole), Grid(like, level_of(like), self._bins)
        left = self._grid.take(whole)
        self._exact = [] if left is None else [left]

    def _settle(self) -> None:
        """Count in bins what is kept, or in wider ones once too much lies outside of them."""
        self._exact = [sum(self._exact[1:], self._exact[0])]
        if self._exact[0].scores.size <= self._most:
            return
        whole = self.table()
        self._losses = losses_of(whole)
        if self._grid is None:
            level = best_level(whole, self.tolerance, self._bins)
        else:
            level = min(self._grid.level - 1, level_of(whole))
        while True:
            self._grid = Grid(whole, level, self._bins)
            left = self._grid.take(whole)
            self._exact = [] if left is None else [left]
            if left is None or left.scores.size <= self._most // 2 or level <= LEVELS[0]:
                return
            level -= 1
