"""Placements of the same rows by several models, for DeLong's tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Direction, Floats, WeightKind, option
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.errors import InputError, Note
from thresher.inference.differences.difference import rank_alike
from thresher.inference.strata import Contributions, Stratum, split

CLASSES = ("positives", "negatives")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedRows:
    """Half rows of the other class that every row misses, by each of k models, with the weights.

    `missed` has k columns of positives and k of negatives (`kernel.placements`); `strata` are these classes.
    """

    scores: Sequence[Floats]
    missed: tuple[Sequence[NDArray[Any]], Sequence[NDArray[Any]]]
    strata: tuple[Stratum, Stratum]
    is_effective: bool

    @property
    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        return self.strata[0].total, self.strata[1].total

    @property
    def sizes(self) -> tuple[float, float]:
        """Effective numbers of positives and negatives."""
        return self.strata[0].size, self.strata[1].size

    def reason(self) -> Note | None:
        """Why a test is impossible on these rows; None if it is not."""
        if lacking := [name for name, total in zip(CLASSES, self.totals, strict=True) if not total]:
            return Note("no-rows", f"there are no {' and no '.join(lacking)}")
        for name, size in zip(CLASSES, self.sizes, strict=True):
            # Sums of squares of equal weights give 2 only up to rounding.
            if size < 2 - 1e-9:
                kind = "effective " if self.is_effective else ""
                needs = f"DeLong's variance needs two {kind}rows of each class"
                return Note("too-few-rows", f"{needs}, and there is {size:.3g} of the {name}")
        return None

    def auc(self, model: int) -> float:
        """AUC of a model: 1 − Σ w·missed/(2PN)."""
        p, n = self.totals
        return float((2 * p * n - self.strata[0].sum(self.missed[0][model])) / (2 * p * n))

    def contrast(self, first: int, second: int) -> tuple[float, float]:
        """AUC(first) − AUC(second) and its variance, from the exact differences of the placements."""
        p, n = self.totals
        # The first misses less where it is better.
        up, down = (columns[second] - columns[first] for columns in self.missed)
        value = float(self.strata[0].sum(up) / (2 * p * n))
        return value, Contributions(self.strata, (up / (2 * n), down / (2 * p))).variance

    def contrasts(self, matrix: Floats) -> tuple[Floats, Floats]:
        """L·AUC and its covariance L·S·Lᵀ, from linear combinations of the placements."""
        p, n = self.totals
        values = matrix.sum(axis=1)  # a contrast that does not add up to 0 also takes its share of the 1 in 1 − missed
        values = values - [self._combined(row, 0, self.strata[0].sum) / (2 * p * n) for row in matrix]
        pairs = zip(self.strata, (0, 1), (2 * n, 2 * p), strict=True)
        parts = (
            stratum.covariance([self._combined(row, side, lambda x: x) / other for row in matrix])
            for stratum, side, other in pairs
        )
        return values, np.sum([*parts], axis=0)

    def _combined(self, row: Floats, side: int, of: Callable[[NDArray[Any]], Any]) -> Any:
        """Linear combination of a function of the columns of one class."""
        return sum(factor * of(column) for factor, column in zip(row, self.missed[side], strict=True) if factor)

    def covariances(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Covariance matrices of two AUCs: S10/P from the positives, S01/N from the negatives."""
        of = self._exact_covariance if self.missed[0][first].dtype == np.int32 else self._covariance
        return of((first, second), 0), of((first, second), 1)

    def _covariance(self, models: Sequence[int], side: int) -> Floats:
        other = 2 * self.totals[1 - side]
        return self.strata[side].covariance([self.missed[side][model] / other for model in models])

    def _exact_covariance(self, models: Sequence[int], side: int) -> Floats:
        """Covariance of means over one class of the missed shares of the other class.

        Rows that count once miss integers, so (nΣxy − ΣxΣy)/(4m²n²(n − 1)) is rounded once, by its division.
        """
        n, m = int(self.totals[side]), int(self.totals[1 - side])
        columns = [self.missed[side][model] for model in models]
        sums = [int(column.sum()) for column in columns]
        apart = [[n * kernel.products(x, y) - a * b for y, b in zip(columns, sums, strict=True)]
                 for x, a in zip(columns, sums, strict=True)]  # fmt: skip
        return np.array([[value / (4 * m**2 * n**2 * (n - 1)) for value in row] for row in apart])

    def ranks_alike(self, first: int, second: int) -> bool:
        """Whether both models put the rows into the same order, ties included."""
        return rank_alike(self.scores[first], self.scores[second])


def placed_rows(
    y_true: ArrayLike,
    scores: Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
) -> PlacedRows:
    """Placements of the same rows by every model; rows of weight 0 are ignored.

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
    positive = truth != 0
    return PlacedRows(
        scores=columns if weight is None else [column[weight > 0] for column in columns],
        missed=([sides.positive for sides in found], [sides.negative for sides in found]),
        strata=_strata(positive, weight, weight_kind),
        is_effective=weight is not None and weight_kind == "importance",
    )


def _strata(positive: NDArray[np.bool_], weight: Floats | None, kind: WeightKind) -> tuple[Stratum, Stratum]:
    first, second = split((positive, ~positive), weight, kind)
    return first, second


def _placements(truth: NDArray[Any], columns: Sequence[Floats], weight: Floats | None) -> list[kernel.Placements]:
    """Placements by one score after the other, without a matrix."""
    try:
        found = (kernel.placements(truth, column[None], weight) for column in columns)
        return [kernel.Placements(positive[0], negative[0]) for positive, negative in found]
    except (kernel.KernelInputError, TypeError, ValueError) as error:
        raise InputError(f"{error}.") from error
