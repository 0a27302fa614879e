"""`ThresholdTable`: the confusion matrix at every threshold, the cumulative view of a `ScoreTable`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, share_of
from thresher.conventions import Direction, Floats, WeightKind, divide, sentinel
from thresher.counts.cells import Cells
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.measured import Measured
from thresher.counts.scores import ScoreTable, rank_of
from thresher.counts.sweeps import cumulated
from thresher.errors import InputError, RowsNeededError
from thresher.results import to_frame
from thresher.upward_import import plot_method

ROUNDING = 1e-9
"""Relative excess that the rounding of sums explains."""


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdTable(ByFields, Measured[NDArray[np.float64]]):
    """TP, FP, FN, TN at the sentinel and at every distinct score, thresholds falling (rising for "lower").

    Row 0 is the sentinel: nothing is predicted positive. The last row predicts every row positive. Leading axes of `tp`
    and `fp` are a batch. Cumulative counts of different tables cannot be added: add the `ScoreTable`s. Every registered
    measure is an attribute, with one value per threshold. A `thinned` table has only some of the thresholds, with exact
    counts: enough to draw, not to answer for thresholds in between. `backend` names the dataframe library that the data
    came in, if any. `resolution` comes from the `ScoreTable`.

    >>> table = ThresholdTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> table.thresholds.tolist()
    [inf, 0.9, 0.6, 0.4, 0.1]
    >>> table.true_positive_rate.tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    thresholds: NDArray[np.float64]
    tp: NDArray[Any]
    fp: NDArray[Any]
    tp_squares: NDArray[np.float64] | None = None
    fp_squares: NDArray[np.float64] | None = None
    direction: Direction = "higher"
    weight_kind: WeightKind | None = None
    resolution: int | None = None
    thinned: bool = False
    prior: float | None = None
    backend: str | None = field(default=None, compare=False)

    plot = plot_method

    @classmethod
    def from_table(cls, table: ScoreTable, *, keep: int | None = None) -> ThresholdTable:
        """Cumulative view of a score table; `keep` bounds the thresholds to those that a drawing needs.

        The thinned table has the hull's vertices, or evenly spaced ones of more than half of `keep`, and the rows
        that bound the distance to the full ROC; its counts are exact.
        """
        rows = None
        if keep is not None and table.scores.size > keep:
            known: Any = {"vertices": table.hull_rows, "running": table.running}
            rows = kernel.thin(*table.columns, keep, **known)
        tp, fp = _cumulative(*table.columns, None) if rows is None else from_zero(cumulated(table, rows))
        tp_squares, fp_squares = _cumulative(table.positive_squares, table.negative_squares, rows)
        scores = table.scores if rows is None else table.scores[rows]
        return cls(
            thresholds=np.concatenate([[sentinel(table.direction)], scores]),
            tp=tp,
            fp=fp,
            tp_squares=tp_squares,
            fp_squares=fp_squares,
            direction=table.direction,
            weight_kind=table.weight_kind,
            resolution=table.resolution,
            thinned=rows is not None,
            prior=table.prior,
        )

    @classmethod
    def from_scores(cls, y_true: ArrayLike, y_score: ArrayLike, **options: Any) -> ThresholdTable:
        """Table of checked 0/1 truth and scores, with the options of `ScoreTable.from_scores`."""
        return cls.from_table(ScoreTable.from_scores(y_true, y_score, **options))

    def __len__(self) -> int:
        return int(self.thresholds.size)

    @property
    def P(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all positives."""
        return self.tp[..., -1]

    @property
    def N(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all negatives."""
        return self.fp[..., -1]

    @property
    def fn(self) -> NDArray[Any]:
        """False negatives at every threshold."""
        return np.asarray(self.tp[..., -1:] - self.tp)

    @property
    def tn(self) -> NDArray[Any]:
        """True negatives at every threshold."""
        return np.asarray(self.fp[..., -1:] - self.fp)

    @property
    def cells(self) -> Cells:
        """Cells as measures read them, scaled to the prior when one was set."""
        return self.cells_of(slice(None))

    def cells_of(self, rows: slice) -> Cells:
        """Cells of selected rows."""
        tp, fp = self.tp[..., rows].astype(np.float64), self.fp[..., rows].astype(np.float64)
        p, n = (column[..., -1:].astype(np.float64) for column in (self.tp, self.fp))
        cells = Cells(tp, fp, p - tp, n - fp)
        return cells if self.prior is None else cells.at_prevalence(self.prior)

    @property
    def scores(self) -> ScoreTable:
        """Per-score counts that this table accumulates.

        Raises:
            RowsNeededError: the table is thinned.
        """
        if self.thinned:
            raise RowsNeededError("a thinned table has lost the scores between its thresholds: use the full table.")
        squares = [None if s is None else np.diff(s, axis=-1) for s in (self.tp_squares, self.fp_squares)]
        return ScoreTable(
            scores=self.thresholds[1:],
            positive=np.diff(self.tp, axis=-1),
            negative=np.diff(self.fp, axis=-1),
            positive_squares=squares[0],
            negative_squares=squares[1],
            direction=self.direction,
            weight_kind=self.weight_kind,
            resolution=self.resolution,
            prior=self.prior,
        )

    def index(self, threshold: float) -> int:
        """Row of the decisions that a threshold makes: the last one that it does not cut off.

        Raises:
            InputError: the threshold is NaN.
            RowsNeededError: the table is thinned, and the threshold is not one of its own.
        """
        row = rank_of(self.thresholds[1:], threshold, self.direction)
        if self.thinned and self.thresholds[row] != threshold:
            raise RowsNeededError(f"a thinned table lacks the counts at {threshold!r}. Use the full table.")
        return row

    def at(self, threshold: float, *, labels: tuple[Any, Any] = (1, 0)) -> ConfusionMatrix:
        """Confusion matrix of the rule "positive iff score >= threshold" (<= for direction "lower").

        >>> table = ThresholdTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        >>> table.at(0.5).counts.tolist()
        [[1, 1], [1, 1]]
        """
        return self.row(self.index(threshold), labels=labels)

    def row(self, index: int, *, labels: tuple[Any, Any] = (1, 0)) -> ConfusionMatrix:
        """Confusion matrix at one row of the table, 0 being the sentinel."""
        counts, squares = _matrix(self.tp, self.fp, index), None
        if self.tp_squares is not None and self.fp_squares is not None:
            squares = _possible(_matrix(self.tp_squares, self.fp_squares, index), counts)
        return ConfusionMatrix(
            counts=counts,
            labels=labels,
            squares=squares,
            weight_kind=self.weight_kind,
            prior=self.prior,
        )

    def with_prevalence(self, prevalence: float | None = None, *, skew: float | None = None) -> ThresholdTable:
        """Same decisions at another share of positives, or skew r = N/P; a second call replaces the first."""
        return replace(self, prior=share_of(prevalence, skew))

    def __repr__(self) -> str:
        return f"ThresholdTable({len(self) - 1} thresholds, {self.P} positive, {self.N} negative)"

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Columns of the table: threshold, tp, fp, fn, tn, and the two rates of the ROC."""
        return {
            "threshold": self.thresholds,
            **{"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn},
            "true_positive_rate": divide(self.tp, self.tp[..., -1:]),
            "false_positive_rate": divide(self.fp, self.fp[..., -1:]),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Columns of `to_dict()` as a dataframe of the library that the data came in, or of the one named.

        Raises:
            InputError: the table is a batch of tables.
            MissingDependencyError: no dataframe library is installed.
        """
        if self.tp.ndim > 1:
            raise InputError("a batch of tables does not fit one dataframe. Use to_dict() for its arrays.")
        return to_frame(self.to_dict(), backend or self.backend)


def _cumulative(positive: Any, negative: Any, rows: NDArray[Any] | None) -> Any:
    """Running sums of both classes from 0 on; at some rows only, without the columns in between."""
    if positive is None or negative is None:
        return None, None
    if rows is not None:
        return from_zero(kernel.cumulate_at(positive, negative, rows))
    sums = [column.cumsum(axis=-1) for column in (positive, negative)]
    return tuple(np.concatenate([np.zeros((*c.shape[:-1], 1), c.dtype), c], axis=-1) for c in sums)


def from_zero(sums: Any) -> Any:
    """Sums at some rows after the sentinel's zeros."""
    return tuple(np.concatenate([np.zeros(1, dtype=column.dtype), column]) for column in sums)


def _possible(squares: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
    """Σw² of cells, at most (Σw)² and not lost in the subtraction of far larger sums: then the cell is as one row."""
    one_row = counts.astype(np.float64) ** 2
    lost = (squares <= 0) | (squares > one_row * (1 + ROUNDING))
    return np.where(lost, one_row, squares)


def _matrix(tp: NDArray[Any], fp: NDArray[Any], i: int) -> NDArray[Any]:
    positive = np.stack([tp[..., i], tp[..., -1] - tp[..., i]], -1)
    return np.stack([positive, np.stack([fp[..., i], fp[..., -1] - fp[..., i]], -1)], -2)


SHORT = 6
"""Significant digits of an unchanged threshold."""

MOST = 22
"""Decimals up to which powers of ten are exact in float64."""


def decimal_cut(table: ScoreTable | ThresholdTable, threshold: float) -> float:
    """Return the shortest decimal that decides as a threshold does; see `decimal_cuts`.

    >>> table = ScoreTable.from_scores([1, 0, 1], [0.5201016, 0.5199874, 0.1234567])
    >>> decimal_cut(table, 0.5201016), decimal_cut(table, 0.5199874), decimal_cut(table, 0.25)
    (0.52, 0.5, 0.25)
    """
    return float(decimal_cuts(table, [threshold])[0])


def decimal_cuts(table: ScoreTable | ThresholdTable, thresholds: ArrayLike) -> Floats:
    """Return of each threshold the shortest decimal in the gap between it and the next score that it cuts off.

    Rounded to six digits, 0.5201012 is 0.520101 and may take lower scores in, and 0.5201016 is 0.520102 and leaves
    out the row that made it. Thresholds of at most six digits stay unchanged, as do all in a thinned table, which
    lacks the next score.
    """
    given = np.array(thresholds, dtype=np.float64, ndmin=1)
    if isinstance(table, ThresholdTable) and table.thinned:
        return given
    scores = table.thresholds[1:] if isinstance(table, ThresholdTable) else table.scores
    away = 1.0 if table.direction == "higher" else -1.0
    rank = np.array([rank_of(scores, each, table.direction) for each in given.tolist()], dtype=np.intp)
    least, at = _least(scores, away, rank), away * given
    found, todo = given.copy(), np.array([np.isfinite(t) and float(f"{t:.{SHORT}g}") != t for t in given.tolist()])
    for digits in range(MOST + 1):
        step = 10.0**digits
        with np.errstate(over="ignore"):
            tried = np.floor(at * step) / step
        fits = todo & (tried >= least) & (tried <= at)
        found[fits], todo = away * tried[fits] + 0.0, todo & ~fits
    with np.errstate(over="ignore"):
        single = given.astype(np.float32)
    for place in np.flatnonzero((single == given) & (found != given)):
        written_so = float(str(single[place]))  # 0.7 for 0.699999988
        is_short = len(repr(written_so)) <= len(repr(float(found[place])))
        if is_short and rank_of(scores, written_so, table.direction) == rank[place]:
            found[place] = written_so
    return found


def _least(scores: Floats, away: float, rank: NDArray[np.intp]) -> Floats:
    """Least number above the score at each rank; −∞ after the last."""
    inside = rank < scores.size
    found = np.full(rank.size, -np.inf)
    found[inside] = np.nextafter(away * scores[rank[inside]], np.inf)
    return found


def threshold_text(threshold: float) -> str:
    """Return the digits of a threshold in full, so that its text decides the same rows.

    >>> threshold_text(7.0), threshold_text(0.1 + 0.2)
    ('7', '0.30000000000000004')
    """
    short = f"{threshold:.{SHORT}g}"
    return short if float(short) == threshold else repr(float(threshold))
