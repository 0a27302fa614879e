"""`ScoreTable`: the weight of each class at every distinct score; all that one score's measures need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import Direction, WeightKind, option, sentinel
from thresher.counts.confusion import ConfusionMatrix
from thresher.errors import InputError
from thresher.frozen import check_alike, check_prevalence, freeze, same_fields

SCHEMA = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable:
    """One row per distinct score, most positive first, with the weight of the positives and negatives that have it.

    `scores` fall strictly (rise, for direction "lower"). `positive` and `negative` have the scores as last axis;
    leading axes are a batch (replicates, folds). They are int64 when rows count once or have whole frequency
    weights, float64 sums of weights otherwise; `…_squares` hold Σw² for importance weights. `binned` says that a
    score stands for a bin of scores: then the AUC is known to ±½·Σ pos·neg/(P·N). `prior` is a prevalence that
    counts are scaled to when they are read.

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
    binned: bool = False
    prior: float | None = None

    def __post_init__(self) -> None:
        for name in ("scores", "positive", "negative", "positive_squares", "negative_squares"):
            array = getattr(self, name)
            if array is None:
                continue
            if array.shape[-1:] != self.scores.shape:
                raise InputError(f"{name} of shape {array.shape} does not fit {self.scores.size} scores.")
            object.__setattr__(self, name, freeze(array))

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
            InputError: a truth that is not 0 or 1, a NaN score, a negative or NaN weight: names the row.
        """
        option("direction", direction, ("higher", "lower"))
        option("weight_kind", weight_kind, ("importance", "frequency"))
        score = np.asarray(y_score, dtype=np.float64)
        weight = None if weights is None else np.asarray(weights, dtype=np.float64)
        keep_squares = weight is not None and weight_kind == "importance"
        try:
            arrays = kernel.score_table(
                _truth(y_true),
                score if direction == "higher" else -score,
                weight,
                squares=keep_squares,
                threads=threads,
            )
        except kernel.KernelInputError as error:
            raise InputError(str(error)) from error
        return cls(
            scores=arrays.scores if direction == "higher" else 0.0 - arrays.scores,
            positive=_whole(arrays.positive, weight_kind, weight),
            negative=_whole(arrays.negative, weight_kind, weight),
            positive_squares=arrays.positive_squares,
            negative_squares=arrays.negative_squares,
            direction=direction,
            weight_kind=None if weights is None else weight_kind,
        )

    @classmethod
    def empty(cls, *, direction: Direction = "higher") -> ScoreTable:
        """Table of no rows: adding it changes nothing."""
        none = np.zeros(0, dtype=np.int64)
        return cls(scores=np.zeros(0), positive=none, negative=none, direction=direction)

    @property
    def P(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all positives."""
        return self.positive.sum(axis=-1)

    @property
    def N(self) -> Any:  # noqa: N802  the field's own symbol
        """Weight of all negatives."""
        return self.negative.sum(axis=-1)

    @property
    def prevalence(self) -> float:
        """Share of positives: the prior when one was set, else that of the rows; NaN without rows."""
        if self.prior is not None:
            return self.prior
        total = float(self.P + self.N)
        return float(self.P) / total if total else float("nan")

    @property
    def error_bound(self) -> float:
        """Largest possible error of the AUC: ½·Σ pos·neg/(P·N) over bins; 0 when the table is exact."""
        if not self.binned:
            return 0.0
        pairs = float(np.dot(self.positive.astype(np.float64), self.negative.astype(np.float64)))
        return 0.5 * pairs / (float(self.P) * float(self.N))

    @property
    def is_probability(self) -> bool:
        """Whether the scores can be read as probabilities of the positive class: all in [0, 1], higher is positive."""
        if self.direction != "higher" or self.scores.size == 0:
            return False
        return bool(self.scores[-1] >= 0 and self.scores[0] <= 1)

    def rank_of(self, threshold: float) -> int:
        """Number of distinct scores that a threshold makes positive (score >= threshold, <= for "lower").

        Raises:
            InputError: the threshold is NaN.
        """
        if np.isnan(threshold):
            raise InputError("a threshold is a number, not NaN.")
        if threshold == sentinel(self.direction):
            return 0
        sign = -1.0 if self.direction == "higher" else 1.0
        return int(np.searchsorted(sign * self.scores, sign * threshold, side="right"))

    def at(self, threshold: float, *, labels: tuple[Any, Any] = (1, 0)) -> ConfusionMatrix:
        """Confusion matrix of the rule "positive iff score >= threshold" (<= for direction "lower").

        >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        >>> table.at(0.5).counts.tolist()
        [[1, 1], [1, 1]]
        """
        k = self.rank_of(threshold)
        squares = None
        if self.positive_squares is not None and self.negative_squares is not None:
            squares = _matrix(self.positive_squares, self.negative_squares, k)
        return ConfusionMatrix(
            counts=_matrix(self.positive, self.negative, k),
            labels=labels,
            squares=squares,
            weight_kind=self.weight_kind,
            prior=self.prior,
        )

    def with_prevalence(self, prevalence: float) -> ScoreTable:
        """Same scores at another share of positives; a second call replaces the first."""
        return replace(self, prior=check_prevalence(prevalence))

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        if not self.scores.size or not other.scores.size:
            check_alike(self, other, ("direction",))
            return self if self.scores.size else other
        check_alike(self, other, ("direction", "weight_kind", "prior", "binned"))
        return _merged(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScoreTable) and same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ScoreTable({self.scores.size} distinct scores, {self.P} positive, {self.N} negative)"


def _truth(y_true: ArrayLike) -> NDArray[Any]:
    truth = np.asarray(y_true)
    if truth.dtype.kind in "iuf" and truth.dtype != np.uint8:
        odd = np.flatnonzero((truth != 0) & (truth != 1))
        if odd.size:
            raise InputError(f"the truth has {truth[odd[0]]!r} in row {odd[0] + 1}; a score table takes 0 and 1.")
        return truth.astype(np.uint8)
    return truth


def _whole(sums: NDArray[Any], kind: WeightKind, weights: NDArray[np.float64] | None) -> NDArray[Any]:
    """Frequency weights that are whole give integer counts, which merge without rounding."""
    if weights is None or kind != "frequency" or not np.array_equal(sums, np.rint(sums)):
        return sums
    return np.asarray(sums).astype(np.int64)


def _matrix(positive: NDArray[Any], negative: NDArray[Any], k: int) -> NDArray[Any]:
    rows = [np.stack([c[..., :k].sum(axis=-1), c[..., k:].sum(axis=-1)], -1) for c in (positive, negative)]
    return np.stack(rows, -2)


def _merged(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    sign = -1.0 if a.direction == "higher" else 1.0
    scores, where = np.unique(sign * np.concatenate([a.scores, b.scores]), return_inverse=True)

    def summed(name: str) -> NDArray[Any] | None:
        left, right = getattr(a, name), getattr(b, name)
        if left is None or right is None:
            return None
        shape = (*np.broadcast_shapes(left.shape[:-1], right.shape[:-1]), scores.size)
        out = np.zeros(shape, dtype=np.result_type(left, right))
        out[..., where[: a.scores.size]] += left
        out[..., where[a.scores.size :]] += right
        return out

    columns = {n: summed(n) for n in ("positive", "negative", "positive_squares", "negative_squares")}
    return replace(a, scores=sign * scores + 0.0, **columns)
