"""Score tables of any number of rows: exact while the scores are few, then of rounded scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.front_door import guarded
from thresher._util.frozen_values import check_alike
from thresher.conventions import Direction, Floats, WeightKind, option
from thresher.counts.rounding import BITS, COLUMNS, as_counted, check_resolution, rounded, sum_of
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, OptionError, keyword

PAGES = 8192
"""Signs and exponents of scores, and, in the second half, of 1 − score for scores in (0.5, 1)."""

NARROW = 2**32
"""Rows from which counts are int64: a cache holds twice as many uint32."""

MOST_EXPONENT = 1023 + 960
"""Scores with a larger exponent are not rounded, and are not in pages."""

_PLACES = ("negative", "positive", "negative_squares", "positive_squares")  # the kernel's sums of a score


class Pages:
    """Counts of both classes at rounded scores, at the place that their bits give."""

    def __init__(
        self, bits: int, thresholds: Sequence[float], direction: Direction, weights: WeightKind | None
    ) -> None:
        """No page is open yet; scores that a threshold parts from others of the same place are never counted."""
        self.bits, self.direction, self.weights = bits, direction, weights
        kind, width = (np.uint32, 2) if weights is None else (np.float64, 4)
        self.counts: NDArray[Any] = np.zeros((0, width), kind)
        self._slots = np.full(PAGES, -1, np.int32)
        self._open: list[int] = []
        cuts = np.array(sorted(thresholds), dtype=np.float64)
        self._parted = cuts[rounded(cuts, bits, direction) != cuts]
        self._apart = np.zeros(0, np.int64)
        self._held = 0.0

    def count(self, truth: NDArray[Any], scores: Floats, weights: Floats | None = None) -> NDArray[np.int64]:
        """Count rows; return the numbers of those without a place."""
        self._hold(float(truth.size))
        return kernel.count_rounded(
            truth, scores, weights, counts=self.counts, pages=self._slots, apart=self._apart, bits=self.bits,
            lower=self.direction == "lower",
        )  # fmt: skip

    def take(self, scores: Floats, columns: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Count the columns of a table; return which of its rows are outside the pages."""
        self._hold(float(sum(columns[name].sum() for name in _PLACES[:2])))
        page, mantissa = address(scores, self.bits, self.direction)
        slot = self._slots[page]
        places = ((slot.astype(np.int64) >> 1) << (self.bits - 1)) | mantissa
        # Named thresholds, and means of merged scores, are not rounded scores.
        is_rounded: NDArray[np.bool_] = rounded(scores, self.bits, self.direction) == scores
        inside = is_rounded & (slot >= 0) & ~np.isin(places, self._apart)
        for sums, name in zip(self.counts.T, _PLACES, strict=False):
            if name in columns:  # frequency weights have no Σw², and its sum here is never read
                np.add.at(sums, places[inside], columns[name][inside].astype(sums.dtype, copy=False))
        return ~inside

    def open(self, pages: Sequence[int]) -> None:
        """Make room for the scores of some pages."""
        new = [page for page in pages if self._slots[page] < 0 and (page & 2047) < MOST_EXPONENT]
        if not new:
            return
        self._slots[new] = 2 * np.arange(len(self._open), len(self._open) + len(new), dtype=np.int32)
        self._open += new
        more = np.zeros((len(new) << (self.bits - 1), self.counts.shape[1]), self.counts.dtype)
        self.counts = np.concatenate([self.counts, more])
        page, mantissa = address(self._parted, self.bits, self.direction)
        slots = self._slots[page]
        self._slots[page[slots >= 0]] |= 1
        known = (slots[slots >= 0].astype(np.int64) >> 1) << (self.bits - 1)
        self._apart = np.unique(known | mantissa[slots >= 0])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Scores that have rows, most positive first, and their counts."""
        first = self._scores(np.array(self._open, dtype=np.uint64), np.uint64(0))
        pages = np.argsort(first if self.direction == "lower" else -first)
        places = 1 << (self.bits - 1)
        filled, scores = [], []
        for slot in pages.tolist():
            here = self.counts[slot * places : (slot + 1) * places]
            at = np.flatnonzero((here[:, 0] > 0) | (here[:, 1] > 0))
            near = self._scores(np.uint64(self._open[slot]), at.astype(np.uint64))
            falls = near.size > 1 and bool(near[0] > near[-1])
            order = slice(None, None, 1 if falls == (self.direction == "higher") else -1)
            filled.append(here[at[order]])
            scores.append(near[order])
        known = 4 if self.weights == "importance" else 2
        kind = np.int64 if self.weights is None else np.float64
        none = np.zeros(0, kind)
        found = {
            name: np.concatenate([none, *(here[:, place] for here in filled)], dtype=kind)
            for place, name in enumerate(_PLACES[:known])
        }
        # Whole frequency weights give integer counts, which merge without rounding.
        if self.weights == "frequency" and all(np.array_equal(column, np.rint(column)) for column in found.values()):
            found = {name: column.astype(np.int64) for name, column in found.items()}
        return {"scores": np.concatenate([np.zeros(0), *scores]), **found}

    def _scores(self, page: Any, mantissa: Any) -> Floats:
        """Scores at places of pages."""
        words = ((page & np.uint64(4095)) << np.uint64(52)) | (mantissa << np.uint64(53 - self.bits))
        near: Floats = words.view(np.float64)
        found: Floats = np.where(page >= PAGES // 2, 1.0 - near, near)
        return found

    def _hold(self, rows: float) -> None:
        """Widen the counts if `rows` more may overflow them."""
        self._held += rows
        if self._held >= NARROW and self.counts.dtype == np.uint32:
            self.counts = self.counts.astype(np.int64)


def address(scores: Floats, bits: int, direction: Direction) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the page of each score and its place there, as the kernel finds them.

    >>> [each.tolist() for each in address(np.array([0.25, 0.75, 1.0, -2.0]), 8, "higher")]
    [[1021, 5117, 1023, 3072], [0, 0, 0, 0]]
    """
    near = rounded(scores, bits, direction)
    near_one = (near > 0.5) & (near < 1)
    words = np.where(near_one, 1.0 - near, near).view(np.uint64)
    page = (words >> np.uint64(52)).astype(np.int64) + PAGES // 2 * near_one
    return page, ((words & np.uint64(2**52 - 1)) >> np.uint64(53 - bits)).astype(np.int64)


EXACT_ROWS = 2**20
"""Distinct scores up to which a table stays exact by default."""

IN_HAND = 2**21
"""Rows that are put into order together."""

SPARSE = 8
"""Places per row, or distinct score, up to which a page is opened for a sign and exponent."""

SAMPLE = 2**20
"""Approximate sample for choosing pages: finding the page of a row takes longer than counting it."""

IN_TABLES = 2**16
"""Distinct rounded scores that are kept in tables, at least, before they are counted in pages."""


@guarded
class ScoreTableBuilder:
    """A score table in the making: `update` it with rows as they come, `merge` it with others, then take its `table`.

    With resolution "exact" every distinct score is kept. With a number of significant bits, 8 to 24, scores are
    rounded to it, so that memory grows with the distinct rounded scores alone. By default scores are exact as long as
    there are at most `exact_rows` distinct ones, and all are rounded to 16 bits from then on. Scores are rounded by
    their value alone: tables of parts add up to the table of the whole, bit for bit.

    Matrices at the `thresholds` stay exact. All weights are of one `weight_kind`; rows with and without weights do not
    mix. `rows_in_hand` are kept until they are put into order together.

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
        self._hand: list[NDArray[Any]] = []
        self._held = 0
        self._tables: list[ScoreTable] = []
        self._pages: Pages | None = None
        self._weighted: bool | None = None

    def update(self, y_true: ArrayLike, y_score: ArrayLike, weights: ArrayLike | None = None) -> ScoreTableBuilder:
        """Count rows: truth 0 or 1, scores, and weights if all rows have some; returns the builder itself.

        Raises:
            InputError: as `ScoreTable.from_scores`, or weights in some updates but not in others. The row is
                counted from the first of this update; those before it may be counted already.
        """
        truth, score = truth_column(y_true), number_column(y_score, "y_score")
        weight = weight_column(weights, self.weight_kind)
        self._check_weights(weight is not None)
        rows = [truth, score] if weight is None else [truth, score, weight]
        if self._pages is not None:
            rows = self._strays(self._pages, rows)
        elif not _is_sound(truth, score, weight):
            self._table_of(rows)  # which names the row
        return self._put(rows) if rows[0].size >= self._in_hand else self._keep(rows)

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
        if table.prior is not None or table.columns[0].ndim > 1:
            raise InputError("a builder adds single tables without a prior.")
        if not table.scores.size:
            return self
        if table.weight_kind not in (None, self.weight_kind):
            raise InputError(f"a builder of {self.weight_kind} weights cannot count {table.weight_kind} weights.")
        self._check_weights(table.weight_kind is not None)
        if table.weight_kind is None and table.columns[0].dtype.kind == "f":
            raise InputError("a builder counts rows, and these counts are not whole: say which weights they are of.")
        return self._take(table)._file()

    def merge(self, other: ScoreTableBuilder) -> ScoreTableBuilder:
        """Add the counts of another builder, and return the builder itself.

        Raises:
            InputError: the other has another direction, or weights of another kind.
        """
        return self.add(other.table())

    def table(self) -> ScoreTable:
        """The table of all rows so far."""
        if rows := self._from_hand():
            self._take(self._table_of(rows))
        parts = list(self._tables)
        if self._pages is not None:
            found: dict[str, Any] = dict(self._pages.columns())
            found |= {"direction": self.direction, "weight_kind": self._pages.weights, "resolution": self.resolution}
            parts.append(ScoreTable(**found))
        return sum_of(parts) if parts else ScoreTable.empty(direction=self.direction)

    @property
    def nbytes(self) -> int:
        """Bytes that the counts so far take.

        >>> ScoreTable.builder(resolution="exact").update([1, 0], [0.9, 0.4]).nbytes
        18
        """
        held = [vars(table)[name] for table in self._tables for name in ("scores", *COLUMNS)]
        pages = 0 if self._pages is None else self._pages.counts.nbytes
        rows = self._held * sum(column.itemsize for column in self._hand)
        return pages + rows + sum(int(column.nbytes) for column in held if column is not None)

    def _check_weights(self, weighted: bool) -> None:
        if self._weighted not in (None, weighted):
            raise InputError("some rows have weights and others do not. Give weights in every update, or in none.")
        self._weighted = weighted

    def _table_of(self, rows: list[NDArray[Any]]) -> ScoreTable:
        truth, score, *weights = rows
        table = ScoreTable.from_scores(
            truth, as_counted(score, self.resolution, self._cuts, self.direction),
            weights=weights[0] if weights else None, weight_kind=self.weight_kind, direction=self.direction,
        )  # fmt: skip
        return table if self.resolution is None else replace(table, resolution=self.resolution)

    def _keep(self, rows: list[NDArray[Any]]) -> ScoreTableBuilder:
        """Copy rows to those in hand, as the caller may overwrite the columns."""
        if self._hand and self._held + rows[0].size > self._hand[0].size:
            self._put(self._from_hand())
        if not self._hand:  # of memory that is not written to, the system takes none
            self._hand = [np.empty(self._in_hand, kind) for kind in (np.uint8, np.float64, np.float64)[: len(rows)]]
        end = self._held + rows[0].size
        for column, values in zip(self._hand, rows, strict=True):
            column[self._held : end] = values
        self._held = end
        return self

    def _from_hand(self) -> list[NDArray[Any]]:
        rows = [column[: self._held] for column in self._hand]
        self._hand, self._held = [], 0
        return rows

    def _put(self, rows: list[NDArray[Any]]) -> ScoreTableBuilder:
        """Count rows in pages if they fill some, as more of the kind will come, and else put them into order."""
        if common := self._common(rows[1]):
            pages = self._paged()
            pages.open(common)
            rows = self._strays(pages, rows)
        return self._take(self._table_of(rows))._file() if rows[0].size else self

    def _strays(self, pages: Pages, rows: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Count rows in pages; return those without a place."""
        try:
            strays = pages.count(*rows)
        except (kernel.KernelInputError, TypeError, ValueError) as error:
            raise InputError(f"{error}.") from error
        return [column[strays] for column in rows]

    def _take(self, table: ScoreTable) -> ScoreTableBuilder:
        """Keep a table unchanged: similar sizes are merged, so that a score is merged only a few times."""
        if self.resolution is not None:
            table = table.rounded(self.resolution, self._cuts)
        self._tables.append(table)
        while len(self._tables) > 1 and self._tables[-2].scores.size <= 2 * self._tables[-1].scores.size:
            self._tables[-2:] = [sum_of(self._tables[-2:])]
        distinct = sum(each.scores.size for each in self._tables)
        if self.resolution is None:
            # Rows that are put into order are at least as many as those they are merged with, so that each is merged
            # a few times only.
            self._in_hand = max(self._in_hand, distinct)
            if distinct > self._most:
                self._round()
        return self

    def _round(self) -> None:
        """Round all scores from now on, if there are too many distinct ones."""
        whole = sum_of(self._tables)
        self._tables = [whole]
        if whole.scores.size > self._most:
            self.resolution, self._tables = BITS, []
            self._take(whole)

    def _common(self, scores: Floats) -> list[int]:
        """Pages that hold many of some scores."""
        if self.resolution is None or scores.size * SPARSE < 1 << (self.resolution - 1):
            return []
        step = max(scores.size // SAMPLE, 1)
        many = step * np.bincount(address(scores[::step], self.resolution, self.direction)[0])
        common: list[int] = np.flatnonzero(many * SPARSE >= 1 << (self.resolution - 1)).tolist()
        return common

    def _paged(self) -> Pages:
        if self._pages is None:
            assert self.resolution is not None
            weights = self.weight_kind if self._weighted else None
            self._pages = Pages(self.resolution, self._cuts, self.direction, weights)
        return self._pages

    def _file(self) -> ScoreTableBuilder:
        """Count the scores of tables in pages, once there are many on a page."""
        if self.resolution is None or sum(each.scores.size for each in self._tables) <= self._in_tables:
            return self
        pages, whole = self._paged(), sum_of(self._tables)
        pages.open(self._common(whole.scores))
        left = pages.take(whole.scores, {n: column for n in COLUMNS if (column := getattr(whole, n)) is not None})
        self._tables = [whole.rows(left)] if left.any() else []
        self._in_tables = max(self._in_tables, 2 * int(np.count_nonzero(left)))
        return self


def _is_sound(truth: NDArray[Any], score: Floats, weight: Floats | None) -> bool:
    """Return whether the rows can be counted."""
    fits = truth.shape == score.shape and (weight is None or weight.shape == score.shape) and score.ndim == 1
    is_weight = weight is None or bool(((weight >= 0) & (weight < np.inf)).all())
    return fits and is_weight and bool(((truth == 0) | (truth == 1)).all()) and not np.isnan(score).any()
