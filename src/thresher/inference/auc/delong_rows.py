"""Placements of the same rows by several models, and what DeLong's tests take from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import Direction, Floats, WeightKind, option
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.dataclass import dataclass
from thresher.errors import InputError

CHUNK = 1 << 13
"""Rows whose deviations are in memory at a time: in the nearest cache, and too few for BLAS to start threads."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedRows:
    """What every row misses of the other class by each of k models (see `kernel.placements`), with the weights.

    `positive` are k columns of P, `negative` k of N; `weights` of both classes are None without weights. `squares` are
    what multiplies a squared deviation: Σw² counts for importance weights, Σw for frequency weights.
    """

    scores: Sequence[Floats]
    positive: Sequence[NDArray[Any]]
    negative: Sequence[NDArray[Any]]
    weights: tuple[Floats, Floats] | None
    squares: tuple[Floats, Floats] | None
    totals: tuple[float, float]
    sizes: tuple[float, float]
    is_effective: bool

    def reason(self) -> str | None:
        """Why there is no test on these rows; None when there is one."""
        names = ("positives", "negatives")
        if lacking := [name for name, total in zip(names, self.totals, strict=True) if not total]:
            return f"there are no {' and no '.join(lacking)}"
        for name, size in zip(names, self.sizes, strict=True):
            # Sums of squares of equal weights give 2 only up to rounding.
            if size < 2 - 1e-9:
                kind = "effective " if self.is_effective else ""
                return f"DeLong's variance needs two {kind}rows of each class, and there is {size:.3g} of the {name}"
        return None

    def auc(self, model: int) -> float:
        """AUC of a model: 1 − Σ w·missed/(2PN)."""
        p, n = self.totals
        missed = _total(self.positive[model], self._weights(0))
        return float((2 * p * n - missed) / (2 * p * n))

    def contrast(self, first: int, second: int) -> tuple[float, float]:
        """AUC(first) − AUC(second) and its variance, from the differences of the placements, which are exact."""
        p, n = self.totals
        # The first misses less where it is better.
        up = self.positive[second] - self.positive[first]
        down = self.negative[second] - self.negative[first]
        value = float(_total(up, self._weights(0)) / (2 * p * n))
        variance = self._mean_variance(up / (2 * n), 0) + self._mean_variance(down / (2 * p), 1)
        return value, variance

    def contrasts(self, matrix: Floats) -> tuple[Floats, Floats]:
        """L·AUC and its covariance L·S·Lᵀ, from the placements that L combines."""
        (values, of_positives), (_, of_negatives) = (self._moments(lambda x: -(matrix @ x), side) for side in (0, 1))
        # A contrast that does not add up to 0 also takes its share of the constant 1 in AUC = 1 − missed.
        return values + matrix.sum(axis=1), of_positives + of_negatives

    def covariances(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Covariance matrices of two AUCs: the part of the positives, S10/P, and that of the negatives, S01/N."""
        if self.positive[first].dtype == np.int32:
            of_positives, of_negatives = (self._exact_covariances([first, second], side) for side in (0, 1))
        else:
            of_positives, of_negatives = (self._moments(lambda x: x[[first, second]], side)[1] for side in (0, 1))
        return of_positives, of_negatives

    def _exact_covariances(self, models: Sequence[int], side: int) -> Floats:
        """Covariances of means over one class, of what each row misses as a share of the other class.

        Rows that count once miss whole numbers: (nΣxy − ΣxΣy)/(4m²n²(n − 1)) is rounded once, by its division.
        """
        n, m = int(self.totals[side]), int(self.totals[1 - side])
        columns = [(self.positive, self.negative)[side][model] for model in models]
        sums = [int(column.sum()) for column in columns]
        apart = [[n * kernel.products(x, y) - a * b for y, b in zip(columns, sums, strict=True)]
                 for x, a in zip(columns, sums, strict=True)]  # fmt: skip
        return np.array([[value / (4 * m**2 * n**2 * (n - 1)) for value in row] for row in apart])

    def _moments(self, of: Callable[[NDArray[Any]], NDArray[Any]], side: int) -> tuple[Floats, Floats]:
        """Means over one class `of` what is missed, as shares of the other, and the covariances of these means.

        `of` is linear: its means are those of what is missed, which are exact without weights.
        """
        total, size, other = self.totals[side], self.sizes[side], self.totals[1 - side]
        missed, weights = (self.positive, self.negative)[side], self._weights(side)
        squares = None if self.squares is None else self.squares[side]
        means = of(np.array([[_total(column, weights) / total] for column in missed]))
        square: Any = 0.0
        for start in range(0, missed[0].size, CHUNK):
            part = slice(start, start + CHUNK)
            apart = of(np.stack([column[part] for column in missed])) - means
            square += (apart if squares is None else apart * squares[part]) @ apart.T
        return means[:, 0] / (2 * other), square / (2 * other) ** 2 / total**2 * size / (size - 1)

    def ranks_alike(self, first: int, second: int) -> bool:
        """Whether both models put the rows into the same order, ties included."""
        one, two = (np.unique(self.scores[model], return_inverse=True)[1] for model in (first, second))
        return np.array_equal(one, two)

    def _weights(self, side: int) -> Floats | None:
        return None if self.weights is None else self.weights[side]

    def _mean_variance(self, values: Floats, side: int) -> float:
        """Variance of the mean of one class's values; with weights of 1 it is Σ(x − x̄)²/(n(n − 1))."""
        total, size, weights = self.totals[side], self.sizes[side], self._weights(side)
        deviations = values - _total(values, weights) / total
        square = np.dot(deviations, deviations if self.squares is None else deviations * self.squares[side])
        return float(square) / total**2 * size / (size - 1) if size > 1 else math.nan


def placed_rows(
    y_true: ArrayLike,
    scores: Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
) -> PlacedRows:
    """Placements by every model of the same rows; rows of weight 0 count for nothing.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
    """
    option("direction", direction, ("higher", "lower"))
    option("weight_kind", weight_kind, ("importance", "frequency"))
    truth = truth_column(y_true)
    columns = [number_column(column, f"score {i + 1}") for i, column in enumerate(scores)]
    weight = weight_column(weights, weight_kind)
    for name, column in [*((f"score {i + 1}", c) for i, c in enumerate(columns)), ("weights", weight)]:
        if column is not None and column.shape != truth.shape:
            raise InputError(
                f"{name} has shape {column.shape} and the truth {truth.shape}: a paired test takes the same rows."
            )
    found = _placements(truth, columns if direction == "higher" else [-column for column in columns], weight)
    split = None if weight is None else (weight[truth != 0], weight[truth == 0])
    importance = weight_kind == "importance"
    totals: tuple[float, float] = (found[0].positive.size, found[0].negative.size)
    squares, sizes = None, totals
    if split is not None:
        totals = float(split[0].sum()), float(split[1].sum())
        squares = (split[0] ** 2, split[1] ** 2) if importance else split
        sizes = (_size(split[0]), _size(split[1])) if importance else totals
    return PlacedRows(
        scores=columns if weight is None else [column[weight > 0] for column in columns],
        positive=[sides.positive for sides in found],
        negative=[sides.negative for sides in found],
        weights=split,
        squares=squares,
        totals=totals,
        sizes=sizes,
        is_effective=split is not None and importance,
    )


def _placements(truth: NDArray[Any], columns: Sequence[Floats], weight: Floats | None) -> list[kernel.Placements]:
    """Placements by one score after the other, of which no matrix is made."""
    try:
        found = (kernel.placements(truth, column[None], weight) for column in columns)
        return [kernel.Placements(positive[0], negative[0]) for positive, negative in found]
    except (kernel.KernelInputError, TypeError, ValueError) as error:
        raise InputError(f"{error}.") from error


def _size(weights: Floats) -> float:
    """Effective number of rows, (Σw)²/Σw²."""
    squares = float(np.dot(weights, weights))
    return float(weights.sum()) ** 2 / squares if squares else math.nan


def _total(values: NDArray[Any], weights: Floats | None) -> float | int:
    """Weighted sum; of whole numbers without weights a whole number, which nothing rounds."""
    if weights is not None:
        return float(np.dot(values, weights))
    return int(values.sum()) if values.dtype.kind == "i" else float(values.sum())
