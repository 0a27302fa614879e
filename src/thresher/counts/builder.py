"""Score tables of any number of rows: exact while the scores are few, then of rounded scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.calls import guarded
from thresher.conventions import Direction, Floats, WeightKind, option
from thresher.counts.merging import COLUMNS
from thresher.counts.pages import Pages, address
from thresher.counts.rounding import BITS, as_counted, check_resolution
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, OptionError
from thresher.frozen import check_alike
from thresher.sentences import keyword

EXACT_ROWS = 2**20
"""Distinct scores up to which a table stays exact by default."""

IN_HAND = 2**21
"""Rows that are put into order together."""

SPARSE = 8
"""Places of a page for each row, or distinct score, up to which it is opened for those of its sign and exponent."""

FINEST = 18
"""Bits up to which rows are counted in pages: finer scores are about as many as the rows, and are put into order."""

IN_TABLES = 2**16
"""Distinct rounded scores that are kept in tables, at least, before they are counted in pages."""


@guarded
class ScoreTableBuilder:
    """A score table in the making: `update` it with rows as they come, `merge` it with others, then take its `table`.

    With resolution "exact" every distinct score is kept. With a number of significant bits, 8 to 24, scores are
    rounded to it, so that memory grows with the distinct rounded scores alone. By default scores are exact as long as
    there are at most `exact_rows` distinct ones, and all are rounded to 16 bits from then on. Scores are rounded by
    their value alone: tables of parts add up to the table of the whole, bit for bit.

    Matrices at the `thresholds` are exact all the same. `weight_kind` is that of all weights; rows with and without
    weights do not mix. `rows_in_hand` are kept until they are put into order together.

    Raises:
        OptionError: an option has a value that it does not take.

    >>> builder = ScoreTable.builder(resolution=16)
    >>> table = builder.update([1, 0], [0.9, 0.4]).update([1, 0], [0.4, 0.1]).table()
    >>> table.positive.tolist(), table.resolution
    ([1, 1, 0], 16)
    """

    resolution: int | None
    direction: Direction
    weight_kind: WeightKind

    def __init__(
        self,
        *,
        resolution: int | str | None = None,
        direction: Direction = "higher",
        weight_kind: WeightKind = "importance",
        exact_rows: int = EXACT_ROWS,
        rows_in_hand: int = IN_HAND,
        thresholds: Sequence[float] = (),
    ) -> None:
        option("direction", direction, ("higher", "lower"))
        option("weight_kind", weight_kind, ("importance", "frequency"))
        if any(math.isnan(each) for each in thresholds):
            raise OptionError(keyword("thresholds", "nan") + ": a threshold is a number on the scale of the scores.")
        self.resolution = None if resolution is None else check_resolution(resolution)
        self.direction = direction
        self.weight_kind = weight_kind
        self._most = exact_rows if resolution is None else math.inf
        self._in_hand = rows_in_hand
        self._in_tables = IN_TABLES
        self._cuts = sorted({float(each) for each in thresholds if math.isfinite(each)})
        self._rows: list[tuple[NDArray[Any], Floats, Floats | None]] = []
        self._tables: list[ScoreTable] = []
        self._pages: Pages | None = None
        self._weighted: bool | None = None

    def update(self, y_true: ArrayLike, y_score: ArrayLike, weights: ArrayLike | None = None) -> ScoreTableBuilder:
        """Count rows: truth 0 or 1, scores, and weights if all rows have some; returns the builder itself.

        Raises:
            InputError: what `ScoreTable.from_scores` refuses, or weights in some updates but not in others. The row is
                counted from the first of this update; those before it may be counted already.
        """
        truth, score = truth_column(y_true), number_column(y_score, "y_score")
        weight = weight_column(weights, self.weight_kind)
        self._check_weights(weight is not None)
        if self._is_paged:
            return self._count(truth, score, weight)
        if not _is_sound(truth, score, weight):
            self._table_of(truth, score, weight)  # which names the row
        # The caller may write to the columns again.
        self._rows.append((truth.astype(np.uint8), score.copy(), None if weight is None else weight.copy()))
        if sum(held.size for held, _, _ in self._rows) >= self._in_hand:
            self._order()
        return self

    def add(self, table: ScoreTable) -> ScoreTableBuilder:
        """Count the rows of a table; returns the builder itself.

        Raises:
            InputError: the table has another direction, a prior, weights of another kind, or coarser scores.
        """
        check_alike(self, table, ("direction",))
        if self.resolution is not None and table.resolution is not None and table.resolution < self.resolution:
            raise InputError(
                f"the scores of this table are rounded to {table.resolution} bits, and a builder of {self.resolution} "
                "bits cannot count them. Use one of as few bits, or add up tables."
            )
        if table.prior is not None or table.positive.ndim > 1:
            raise InputError("a builder adds single tables without a prior.")
        if not table.scores.size:
            return self
        if table.weight_kind not in (None, self.weight_kind):
            raise InputError(f"a builder of {self.weight_kind} weights cannot count {table.weight_kind} weights.")
        self._check_weights(table.weight_kind is not None)
        if table.weight_kind is None and table.positive.dtype.kind == "f":
            raise InputError("a builder counts rows, and these counts are not whole: say which weights they are of.")
        return self._take(table)

    def merge(self, other: ScoreTableBuilder) -> ScoreTableBuilder:
        """Count what another builder has counted; returns the builder itself.

        Raises:
            InputError: the other has another direction, or weights of another kind.
        """
        return self.add(other.table())

    def table(self) -> ScoreTable:
        """The table of all rows so far."""
        self._order()
        parts = list(self._tables)
        if self._pages is not None:
            scores, columns = self._pages.columns()
            falling = slice(None, None, -1 if self.direction == "higher" else 1)
            found: Any = {name: column[falling] for name, column in columns.items()}
            found |= {"direction": self.direction, "weight_kind": self._pages.weights, "resolution": self.resolution}
            parts.append(ScoreTable(scores=scores[falling], **found))
        return sum(parts[1:], parts[0]) if parts else ScoreTable.empty(direction=self.direction)

    @property
    def _is_paged(self) -> bool:
        return self.resolution is not None and self.resolution <= FINEST

    @property
    def nbytes(self) -> int:
        """Bytes that the counts so far take.

        >>> ScoreTable.builder(resolution="exact").update([1, 0], [0.9, 0.4]).nbytes
        18
        """
        held = [column for rows in self._rows for column in rows]
        held += [getattr(table, name) for table in self._tables for name in ("scores", *COLUMNS)]
        pages = 0 if self._pages is None else self._pages.counts.nbytes
        return pages + sum(column.nbytes for column in held if column is not None)

    def _check_weights(self, weighted: bool) -> None:
        if self._weighted not in (None, weighted):
            raise InputError("some rows have weights and others have none: give weights in every update, or in none.")
        self._weighted = weighted

    def _table_of(self, truth: Any, score: Floats, weight: Floats | None) -> ScoreTable:
        return ScoreTable.from_scores(
            truth, score, weights=weight, weight_kind=self.weight_kind, direction=self.direction
        )

    def _order(self) -> None:
        """Put the rows in hand into order, and count them."""
        if not self._rows:
            return
        columns = list(zip(*self._rows, strict=True))
        self._rows = []
        weight = None if columns[2][0] is None else np.concatenate(columns[2])
        self._take(self._table_of(np.concatenate(columns[0]), np.concatenate(columns[1]), weight))

    def _take(self, table: ScoreTable) -> ScoreTableBuilder:
        """Keep a table as it is: like sizes are put together, so that a score is merged a few times only."""
        if self.resolution is not None:
            table = table.rounded(self.resolution, self._cuts)
        self._tables.append(table)
        while len(self._tables) > 1 and self._tables[-2].scores.size <= 2 * self._tables[-1].scores.size:
            self._tables[-2:] = [self._tables[-2] + self._tables[-1]]
        distinct = sum(each.scores.size for each in self._tables)
        if not self._is_paged:
            # Rows that are put into order are at least as many as those they are merged with, so that each is merged
            # a few times only.
            self._in_hand = max(self._in_hand, distinct)
            if self.resolution is None and distinct > self._most:
                self._round()
        elif distinct > self._in_tables:
            self._file()
        return self

    def _round(self) -> None:
        """Round all scores from now on, if there are too many distinct ones."""
        whole = sum(self._tables[1:], self._tables[0])
        self._tables = [whole]
        if whole.scores.size > self._most:
            self.resolution, self._tables = BITS, []
            self._take(whole)

    def _paged(self) -> Pages:
        if self._pages is None:
            assert self.resolution is not None
            weights = self.weight_kind if self._weighted else None
            self._pages = Pages(self.resolution, self._cuts, self.direction, weights)
        return self._pages

    def _file(self) -> None:
        """Count in pages what is kept in tables, where there is enough of a page."""
        pages, whole = self._paged(), sum(self._tables[1:], self._tables[0])
        pages.open(_common(whole.scores, pages))
        left = pages.take(whole.scores, {n: column for n in COLUMNS if (column := getattr(whole, n)) is not None})
        self._tables = [whole.rows(left)] if left.any() else []
        self._in_tables = max(self._in_tables, 2 * int(np.count_nonzero(left)))

    def _count(self, truth: NDArray[Any], score: Floats, weight: Floats | None) -> ScoreTableBuilder:
        """Count rows by their rounded scores."""
        pages = self._paged()
        try:
            strays = pages.count(truth, score, weight)
            if strays.size and pages.open(_common(score[strays], pages)):
                strays = strays[pages.count(truth[strays], score[strays], None if weight is None else weight[strays])]
        except (kernel.KernelInputError, TypeError, ValueError) as error:
            raise InputError(f"{error}.") from error
        if not strays.size:
            return self
        near = as_counted(score[strays], self.resolution, self._cuts, self.direction)
        return self._take(self._table_of(truth[strays], near, None if weight is None else weight[strays]))


def _is_sound(truth: NDArray[Any], score: Floats, weight: Floats | None) -> bool:
    """Whether the rows can be counted."""
    fits = truth.shape == score.shape and (weight is None or weight.shape == score.shape) and score.ndim == 1
    is_weight = weight is None or bool(((weight >= 0) & (weight < np.inf)).all())
    return fits and is_weight and bool(((truth == 0) | (truth == 1)).all()) and not np.isnan(score).any()


def _common(scores: Floats, pages: Pages) -> list[int]:
    """Pages that hold many of some scores."""
    found, many = np.unique(address(scores, pages.bits, pages.direction)[0], return_counts=True)
    common: list[int] = found[many * SPARSE >= 1 << (pages.bits - 1)].tolist()
    return common
