"""`ScoreTable`: the weight of each class at every distinct score; all that one score's measures need."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, fields, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, cached_property, check_prevalence, freeze, share_of, unchecked
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import Direction, WeightKind, direction_of, divide, in_precision, option
from thresher.counts import saved
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.rounding import COLUMNS, as_counted, check_resolution, sum_of
from thresher.counts.row_columns import checked_values, number_column, truth_column, weight_column
from thresher.counts.saved_fields import check_columns, check_table, column, mapping, one_of, wholes
from thresher.counts.sweeps import Sweeps, WholeCounts
from thresher.errors import InputError
from thresher.results import to_frame
from thresher.upward_import import plot_method

if TYPE_CHECKING:
    from thresher.counts.builder import ScoreTableBuilder
    from thresher.predictions import Predictions

KIND = "thresher.ScoreTable"
SCHEMA = 2


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable(ByFields, Sweeps):
    """One row per distinct score, most positive first, with the weight of the positives and negatives that have it.

    `scores` fall strictly (rise, for direction "lower"). `positive` and `negative` have the scores as last axis;
    leading axes are a batch (replicates, folds). They are int64 when rows count once or have whole frequency
    weights, float64 sums of weights otherwise; `columns` are both as stored, in as few bytes as whole counts need, and
    `…_squares` hold Σw² for importance weights. `resolution` is the number
    of significant bits that scores were rounded to, None where they are as given; see `auc_bound`. `prior` is a
    prevalence that counts are scaled to when they are read.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.9, 0.4, 0.1])
    >>> table.scores.tolist(), table.positive.tolist(), table.negative.tolist()
    ([0.9, 0.4, 0.1], [1, 1, 0], [1, 0, 1])
    """

    scores: NDArray[np.float64]
    positive: NDArray[Any]
    negative: NDArray[Any]
    positive_squares: NDArray[np.float64] | None = None
    negative_squares: NDArray[np.float64] | None = None
    direction: Direction = "higher"
    weight_kind: WeightKind | None = None
    resolution: int | None = None
    prior: float | None = None

    def __post_init__(self) -> None:
        held = vars(self)
        kinds = [held[name].dtype for name in COLUMNS[:2]]
        if kinds[0] != kinds[1] and {kind.kind for kind in kinds} == {"i"}:  # the kernel reads both by one type
            held.update({name: held[name].astype(np.result_type(*kinds), copy=False) for name in COLUMNS[:2]})
        for name in ("scores", *COLUMNS):
            array = held[name]
            if array is None:
                continue
            if array.shape[-1:] != self.scores.shape:
                raise InputError(f"{name} of shape {array.shape} does not fit {self.scores.size} scores.")
            view = held[name] = array.view()
            view.flags.writeable = False

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        weight_kind: WeightKind = "importance",
        direction: Direction = "higher",
        threads: int | None = None,
    ) -> ScoreTable:
        """Table of checked 0/1 truth and finite or infinite scores (`thresher.evaluate` takes labels of any kind).

        Raises:
            InputError: a truth that is not 0 or 1, a NaN score, a weight that is negative, NaN or a frequency but not
                whole: names the row.
        """
        option("direction", direction, ("higher", "lower"))
        option("weight_kind", weight_kind, ("importance", "frequency"))
        score = number_column(y_score, "y_score")
        weight = weight_column(weights, weight_kind)
        return cls._of_columns(truth_column(y_true), score, weight, weight_kind, direction, threads)

    @classmethod
    def _of_columns(
        cls, truth: NDArray[Any], score: NDArray[Any], weight: NDArray[Any] | None, kind: WeightKind,
        direction: Direction, threads: int | None = None,
    ) -> ScoreTable:  # fmt: skip
        """Table of columns of the right types; the kernel checks their values."""
        try:
            arrays = kernel.score_table(
                truth,
                score if direction == "higher" else np.negative(score),
                weight,
                squares=weight is not None and kind == "importance",
                threads=threads,
            )
        except InputError:
            raise
        except (kernel.KernelInputError, TypeError, ValueError) as error:
            raise InputError(f"{error}.") from error
        whole = weight is not None and kind == "frequency"
        return unchecked(
            cls,
            scores=arrays.scores if direction == "higher" else 0.0 - arrays.scores,
            # Frequency weights give integer counts, which merge without rounding.
            positive=arrays.positive.astype(np.int64) if whole else arrays.positive,
            negative=arrays.negative.astype(np.int64) if whole else arrays.negative,
            positive_squares=arrays.positive_squares,
            negative_squares=arrays.negative_squares,
            direction=direction,
            weight_kind=None if weight is None else kind,
        )

    @classmethod
    def of_rows(cls, rows: Predictions, model: str, places: Any = slice(None)) -> ScoreTable:
        """Table of the scores of one model on checked rows, or on those at some places."""
        weights, kind = None if rows.weights is None else rows.weights[places], rows.weight_kind or "importance"
        scores = rows.scores[model][places]
        return cls._of_columns(rows.truth[places], scores, weights, kind, direction_of(rows.direction, model))

    @classmethod
    def of_decisions(cls, matrix: ConfusionMatrix) -> ScoreTable:
        """Table of a hard classifier, with its predicted labels as scores 1 (positive) and 0.

        Raises:
            TaskError: the matrix has more than two classes.

        >>> matrix = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=[1, 0])
        >>> ScoreTable.of_decisions(matrix).positive.tolist()
        [90, 10]
        """
        _ = matrix.cells
        columns: dict[str, Any] = {"positive": matrix.counts[..., 0, :], "negative": matrix.counts[..., 1, :]}
        if matrix.squares is not None:
            columns |= {f"{name}_squares": matrix.squares[..., row, :] for row, name in enumerate(tuple(columns))}
        return cls(scores=np.array([1.0, 0.0]), weight_kind=matrix.weight_kind, prior=matrix.prior, **columns)

    @classmethod
    def from_counts(
        cls, scores: ArrayLike, positive: ArrayLike, negative: ArrayLike, *, direction: Direction = "higher"
    ) -> ScoreTable:
        """Table of the positives and negatives at each score, in any order, such as the leaves of a tree.

        Equal scores are put together, as no threshold parts them, and scores without rows are left out.

        Raises:
            InputError: lengths differ, a score is NaN, or a count is negative or not finite.

        >>> leaves = ScoreTable.from_counts([0.2, 0.9, 0.6], positive=[1, 8, 3], negative=[9, 1, 2])
        >>> leaves.scores.tolist(), leaves.positive.tolist()
        ([0.9, 0.6, 0.2], [8, 3, 1])
        """
        option("direction", direction, ("higher", "lower"))
        given = number_column(scores, "scores")
        if np.isnan(given).any():
            raise InputError(f"scores: row {int(np.flatnonzero(np.isnan(given))[0]) + 1} is NaN.")
        # -0.0 and 0.0 are one score.
        distinct, place = np.unique(given + 0.0, return_inverse=True)
        order = slice(None, None, -1 if direction == "higher" else 1)
        columns: dict[str, Any] = {}
        for name, counts in (("positive", checked_values(positive)), ("negative", checked_values(negative))):
            if counts.shape != given.shape:
                raise InputError(f"{name} of shape {counts.shape} does not fit {given.size} scores.")
            summed = np.zeros(distinct.size, dtype=counts.dtype)
            np.add.at(summed, place, counts)
            columns[name] = summed[order]
        table = cls(scores=distinct[order], **columns, direction=direction)
        has_rows = (table.positive > 0) | (table.negative > 0)
        return table if has_rows.all() else table.rows(has_rows)

    @classmethod
    def empty(cls, *, direction: Direction = "higher") -> ScoreTable:
        """Table of no rows: adding it changes nothing."""
        none = np.zeros(0, dtype=np.int64)
        return cls(scores=np.zeros(0), positive=none, negative=none, direction=direction)

    @classmethod
    def builder(cls, **options: Any) -> ScoreTableBuilder:
        """Table in the making, of any number of rows in constant memory: see `ScoreTableBuilder`."""
        from thresher.counts.builder import ScoreTableBuilder

        return ScoreTableBuilder(**options)

    @cached_property
    def P(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all positives."""
        return _total(self.columns[0]) if self.running is None else self.running.totals[0]

    @cached_property
    def N(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all negatives."""
        return _total(self.columns[1]) if self.running is None else self.running.totals[1]

    @property
    def prevalence(self) -> Any:
        """Share of positives: the prior when one was set, else the rows' own; NaN without rows."""
        return self.prior if self.prior is not None else divide(self.P, self.P + self.N)[()]

    @property
    def is_probability(self) -> bool:
        """Whether the scores can be read as probabilities of the positive class: all in [0, 1], higher is positive."""
        if self.direction != "higher" or self.scores.size == 0:
            return False
        return bool(self.scores[-1] >= 0 and self.scores[0] <= 1)

    def rank_of(self, threshold: float) -> int:
        """Number of distinct scores that a threshold makes positive (score >= threshold, <= for "lower").

        Raises:
            InputError: the threshold is NaN, or no number.
        """
        return rank_of(self.scores, threshold, self.direction)

    def at(self, threshold: float, *, labels: tuple[Any, Any] = (1, 0)) -> ConfusionMatrix:
        """Confusion matrix of the rule "positive iff score >= threshold" (<= for direction "lower").

        >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        >>> table.at(0.5).counts.tolist()
        [[1, 1], [1, 1]]
        """
        k, squares = rank_of(self.scores, threshold, self.direction), None
        if self.positive_squares is not None and self.negative_squares is not None:
            squares = _matrix(self.positive_squares, self.negative_squares, k)
        running = None if self.scores.size < kernel.LONG else self.running
        counts = _matrix(*self.columns, k) if running is None else running.split(k)
        return ConfusionMatrix(
            counts=counts,
            labels=labels,
            squares=squares,
            weight_kind=self.weight_kind,
            prior=self.prior,
        )

    def with_prevalence(self, prevalence: float | None = None, *, skew: float | None = None) -> ScoreTable:
        """Same scores at another share of positives, or skew r = N/P; a second call replaces the first."""
        counts: dict[str, Any] = dict(zip(COLUMNS, self.columns, strict=False))  # as stored
        return replace(self, prior=share_of(prevalence, skew), **counts)

    def flipped(self) -> ScoreTable:
        """Table of the opposite direction, for a score that is worse than random: low instead of high is positive.

        The ROC is turned about (½, ½), (FPR, TPR) becoming (1 − FPR, 1 − TPR), and the AUC becomes 1 − AUC.

        >>> table = ScoreTable.from_scores([0, 1], [0.9, 0.1]).flipped()
        >>> table.scores.tolist(), table.positive.tolist(), table.direction
        ([0.1, 0.9], [1, 0], 'lower')
        """
        columns: dict[str, Any] = {
            n: np.ascontiguousarray(c[..., ::-1]) for n in ("scores", *COLUMNS) if (c := vars(self)[n]) is not None
        }
        return replace(self, direction="lower" if self.direction == "higher" else "higher", **columns)

    def rounded(self, bits: int, thresholds: Sequence[float] = ()) -> ScoreTable:
        """Table of the same rows by scores rounded to `bits` significant bits; matrices at thresholds stay exact.

        A table of scores rounded to fewer bits stays unchanged.

        >>> ScoreTable.from_scores([1, 0, 1], [0.9001, 0.9, 0.4]).rounded(8).scores.tolist()
        [0.89990234375, 0.3984375]
        """
        if self.resolution is not None and self.resolution <= bits:
            return self
        scores = as_counted(self.scores, bits, thresholds, self.direction)
        starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1])) if scores.size else np.zeros(0, np.int64)
        columns: dict[str, Any] = {
            name: np.add.reduceat(column, starts, axis=-1)
            for name in COLUMNS
            if scores.size and (column := getattr(self, name)) is not None
        }
        return replace(self, scores=scores[starts], **columns, resolution=bits)

    def rows(self, kept: NDArray[np.bool_]) -> ScoreTable:
        """Table of selected scores."""
        columns: dict[str, Any] = {n: column[..., kept] for n in COLUMNS if (column := vars(self)[n]) is not None}
        return replace(self, scores=self.scores[kept], **columns)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        """Table of the rows of both.

        Where one is of rounded scores, the sum is, of as few significant bits.

        Raises:
            InputError: the direction, the kind of weights or the prior differ.
        """
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return sum_of((self, other))

    def save(self, path: str | Path) -> None:
        """Write the table as Parquet, one row per score, exact to the last bit; `load` reads it back.

        Columns are `score`, `positive` and `negative` (numbered, for a batch); kind, schema version and the
        rest of the table are in the file's metadata under the key `thresher`.
        """
        arrays = {name: array for name in COLUMNS if (array := getattr(self, name)) is not None}
        rest = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("scores", *COLUMNS)}
        form = {"kind": KIND, "schema": SCHEMA, "batch": {n: a.shape[:-1] for n, a in arrays.items()}, **rest}
        saved.write_parquet(path, {"score": self.scores, **saved.flattened(arrays)}, form)

    @classmethod
    def load(cls, path: str | Path) -> ScoreTable:
        """Table from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, it is damaged, no saved table, or of an unknown schema version.
        """
        columns, form = saved.read_parquet(path, KIND, SCHEMA)
        with saved.checked_form(KIND, path):
            batch = mapping(form, "batch")
            shapes = {one_of({"batch": name}, "batch", COLUMNS): wholes(batch, name, high=2**31) for name in batch}
            counts = saved.batched(columns, shapes)
            table = cls(
                scores=column(columns, "score", "f"),
                **counts,
                direction=one_of(form, "direction", ("higher", "lower")),
                weight_kind=one_of(form, "weight_kind", (None, "importance", "frequency")),
                resolution=form["resolution"] and check_resolution(form["resolution"]),
                prior=None if form["prior"] is None else check_prevalence(form["prior"]),
            )
            check_columns(columns, ["score", *saved.flattened(counts)])
            check_table(table, counts)
            return table

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types: lists of scores and weights, nested for a batch; the `reason` names infinite scores."""
        return fields_to_jsonable(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """Scores with the weight of both classes as a dataframe of the library named, else the first installed.

        Raises:
            InputError: the table is a batch of tables.
            MissingDependencyError: no dataframe library is installed.
        """
        if self.positive.ndim > 1:
            raise InputError("a batch of tables does not fit one dataframe. Use to_dict() for its columns.")
        return to_frame({"score": self.scores, "positive": self.positive, "negative": self.negative}, backend)

    plot = plot_method

    def __repr__(self) -> str:
        return f"ScoreTable({self.scores.size} distinct scores, {self.P} positive, {self.N} negative)"


for _name in ("positive", "negative"):
    setattr(ScoreTable, _name, WholeCounts(_name))


def rank_of(scores: NDArray[np.float64], threshold: float, direction: Direction) -> int:
    """Number of scores, most positive first, that a threshold makes positive; 0 for the sentinel's."""
    try:
        is_number = not math.isnan(threshold)
    except TypeError:
        is_number = False
    if not is_number:
        raise InputError(
            f"a threshold is a number, not {'NaN' if isinstance(threshold, float) else reprlib.repr(threshold)}."
        )
    if threshold == (math.inf if direction == "higher" else -math.inf):  # the sentinel
        return 0
    if direction == "lower":
        rank = int(np.searchsorted(scores, threshold, side="right"))
    else:
        rank = int(scores.size - np.searchsorted(scores[::-1], threshold, side="left"))
    is_at = in_precision(scores, threshold, direction, near=scores[rank : rank + 1]) != threshold
    return rank + int(is_at)


def _total(counts: NDArray[Any]) -> Any:
    """Sum over the scores: a number, or an array over the batch that cannot be written to."""
    total = counts.sum(axis=-1)
    return freeze(total) if isinstance(total, np.ndarray) else total


def _matrix(positive: NDArray[Any], negative: NDArray[Any], k: int) -> NDArray[Any]:
    rows = [np.stack([c[..., :k].sum(axis=-1), c[..., k:].sum(axis=-1)], -1) for c in (positive, negative)]
    return np.stack(rows, -2)
