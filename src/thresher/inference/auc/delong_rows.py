"""Placements of the same rows by several models, for tests: covariance of many AUCs, contrasts, and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.conventions import LEVEL, Direction, Floats, WeightKind, confidence_level, option
from thresher.counts.row_columns import number_column, truth_column, weight_column
from thresher.design_warnings import CONDITIONS, DesignWarning, few_errors
from thresher.errors import InputError, Note, OptionError, Reasoned
from thresher.inference.auc.delong import EFFECTIVE, newcombe5
from thresher.inference.auc.score_variance import AucPair, AucSpread
from thresher.inference.differences import difference
from thresher.inference.differences.difference import Difference
from thresher.inference.strata import Contributions, Stratum, split
from thresher.results import ZERO_BY_ZERO, Shown, TestResult

CLASSES = ("positives", "negatives")
SOURCE = "DeLong, DeLong & Clarke-Pearson 1988"
OF_SCORE = f"{SOURCE}; Hanley & McNeil 1982"
SAME_ROWS = "independent rows, two or more of each class"
CONSTANT = "DeLong's variance of the difference is 0, so it cannot be tested"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedRows:
    """Half rows of the other class that every row misses, by each of k models, with the weights.

    `missed` has k columns of positives and k of negatives (`kernel.placements`); `strata` are these classes.
    """

    scores: Sequence[Floats]
    missed: tuple[Sequence[NDArray[Any]], Sequence[NDArray[Any]]]
    strata: tuple[Stratum, ...]
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
        of_class = zip(self.strata, self.missed, self.totals[::-1], strict=True)
        one, two = (
            stratum.covariance([missed[first], missed[second]]) / (2 * other) ** 2
            for stratum, missed, other in of_class
        )
        return one, two


def placed_rows(
    y_true: ArrayLike,
    scores: Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
) -> PlacedRows:
    """Placements of the same rows by every model; rows of weight 0 are ignored."""
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
    risen, positive = columns if direction == "higher" else [-column for column in columns], truth != 0
    try:  # one score after the other, without a matrix
        found = [kernel.placements(truth, column[None], weight) for column in risen]
    except (kernel.KernelInputError, TypeError, ValueError) as error:
        raise InputError(f"{error}.") from error
    return PlacedRows(
        scores=columns if weight is None else [column[weight > 0] for column in columns],
        missed=([sides.positive[0] for sides in found], [sides.negative[0] for sides in found]),
        strata=split((positive, ~positive), weight, weight_kind),
        is_effective=weight is not None and weight_kind == "importance",
    )


NO_VARIANCE = 1e-12
"""An eigenvalue below this share of the largest possible variance of a contrast is rounding error."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucCovariance(Shown, Reasoned):
    """AUCs of models on the same rows with DeLong's covariance matrix; NaN if undefined."""

    models: tuple[str, ...]
    aucs: Floats
    covariance: Floats
    reason: Note | None = None


def delong_covariance(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
) -> AucCovariance:
    """AUCs of several scores of the same rows, and their covariance matrix S10/P + S01/N.

    `scores` are named (a dictionary) or numbered from 1 (a list). It takes one sort per score and one matrix product.

    Raises:
        InputError: no scores, unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight.

    >>> found = delong_covariance([1, 1, 0, 0], {"a": [4, 2, 3, 1], "b": [4, 3, 2, 1]})
    >>> found.aucs.tolist(), found.covariance.round(4).tolist()
    ([0.75, 1.0], [[0.125, 0.0], [0.0, 0.0]])

    Source: DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014.
    """
    names, rows = named_rows(y_true, scores, weights, weight_kind, direction)
    if reason := rows.reason():
        nan = np.full((len(names), len(names)), math.nan)
        return AucCovariance(models=names, aucs=nan[0], covariance=nan, reason=reason)
    _, covariance = rows.contrasts(np.eye(len(names)))
    return AucCovariance(models=names, aucs=np.array([rows.auc(i) for i in range(len(names))]), covariance=covariance)


def delong_contrast_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    contrast: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    level: float = LEVEL,
) -> TestResult:
    """Test of L·AUC = 0 for several scores of the same rows: χ² = (L·AUC)ᵀ(L·S·Lᵀ)⁻(L·AUC), df its rank.

    `contrast` is L, one or several rows with one number per score; by default all AUCs are compared with the first,
    which tests that all are equal. Redundant rows (a model given twice) leave the degrees of freedom as they are. With
    one row the estimate is L·AUC with its interval.

    NaN, with a reason, with fewer than two rows of a class, or if a contrast other than 0 lacks a variance.

    Raises:
        InputError: as `delong_covariance`.
        OptionError: the contrast does not have one number for each score.

    >>> scores = {"a": [4, 2, 3, 1, 5], "b": [4, 3, 2, 1, 6], "c": [1, 4, 3, 2, 5]}
    >>> result = delong_contrast_test([1, 1, 0, 0, 1], scores)
    >>> result.df, round(result.p_value, 4)
    (2.0, 0.3189)

    Source: DeLong, DeLong & Clarke-Pearson 1988.
    """
    names, rows = named_rows(y_true, scores, weights, weight_kind, direction)
    matrix = _contrasts(contrast, len(names))
    confidence_level(level)
    facts: dict[str, Any] = {
        "method": "DeLong's test of contrasts" + EFFECTIVE[rows.is_effective],
        "assumptions": "independent rows, many of each class",
        "source": SOURCE,
    }
    if reason := rows.reason():
        return TestResult(statistic=math.nan, p_value=math.nan, reason=reason, **facts)
    facts["warnings"] = errors_warned_of(rows, np.flatnonzero(matrix.any(axis=0)).tolist())
    values, covariance = rows.contrasts(matrix)
    statistic, df = _wald(values, covariance, matrix, min(rows.sizes))
    if len(matrix) == 1:
        limits_at = difference.symmetric_limits(float(values[0]), math.sqrt(covariance[0, 0]), (-math.inf, math.inf))
        low, high = limits_at((1 - level) / 2)
        facts |= {"estimate": float(values[0]), "low": low, "high": high, "level": level}
    if statistic is None:
        reason = Note("no-spread", "a contrast differs from 0 but lacks a variance, so it cannot be tested")
        return TestResult(statistic=math.nan, p_value=math.nan, df=df, reason=reason, **facts)
    from scipy.special import chdtrc

    return TestResult(statistic=statistic, p_value=float(chdtrc(df, statistic)) if statistic else 1.0, df=df, **facts)


def _wald(values: Floats, covariance: Floats, matrix: Floats, size: float) -> tuple[float | None, float]:
    """Quadratic form on the directions with variance, and their number; None if another direction is not 0."""
    spread, directions = np.linalg.eigh(covariance)
    largest = float((np.abs(matrix).sum(axis=1) ** 2).max()) / size
    real = spread > NO_VARIANCE * max(largest, float(spread[-1]))
    along = directions.T @ values
    if (np.abs(along[~real]) > math.sqrt(NO_VARIANCE) * np.abs(matrix).max()).any():
        return None, float(real.sum())
    return float((along[real] ** 2 / spread[real]).sum()), float(real.sum())


def _contrasts(contrast: ArrayLike | None, k: int) -> Floats:
    if contrast is None:
        if k < 2:
            raise OptionError("one score cannot be compared: give two or more scores, or a contrast.")
        return np.hstack([np.ones((k - 1, 1)), -np.eye(k - 1)])
    matrix = np.atleast_2d(np.asarray(contrast, dtype=np.float64))
    if matrix.ndim != 2 or matrix.shape[1] != k or not np.isfinite(matrix).all() or not matrix.any(axis=1).all():
        raise OptionError(f"contrast has shape {matrix.shape}: a row needs a finite number for each of {k} scores.")
    return matrix


def named_rows(
    y_true: ArrayLike, scores: Any, weights: Any, weight_kind: WeightKind, direction: Direction
) -> tuple[tuple[str, ...], PlacedRows]:
    columns = list(scores.values()) if isinstance(scores, Mapping) else list(scores)
    names = tuple(map(str, scores)) if isinstance(scores, Mapping) else tuple(str(i + 1) for i in range(len(columns)))
    if not columns:
        raise InputError("there are no scores to compare: give one or more.")
    rows = placed_rows(y_true, columns, weights=weights, weight_kind=weight_kind, direction=direction)
    return names, rows


def errors_warned_of(rows: PlacedRows, models: Sequence[int]) -> tuple[DesignWarning, ...]:
    """Warning of models with few errors; e ≥ n·a, so many completely missed rows are always enough.

    With many errors the placements are not read again.
    """
    areas = {model: rows.auc(model) for model in models}
    least = CONDITIONS["few-errors"].least
    doubtful = {model: auc for model, auc in areas.items() if min(rows.sizes) * min(auc, 1 - auc) < 2 * least}
    parts = {model: rows.covariances(model, model) for model in doubtful}
    found = (
        AucSpread.of(doubtful[model], positive[0, 0], negative[0, 0], *rows.sizes)
        for model, (positive, negative) in parts.items()
    )
    return few_errors(min((float(spread.seen) for spread in found), default=least))


def score_difference(rows: PlacedRows, first: int = 0, second: int = 1) -> Difference:
    """Difference of the AUCs of two of the models of the same rows, by the score method."""
    method = "DeLong's paired score test" + EFFECTIVE[rows.is_effective]
    if (found := _without_variance(rows, first, second, method, source=OF_SCORE)) is not None:
        return found
    parts = rows.covariances(first, second)
    one, two = (
        AucSpread.of(rows.auc(model), parts[0][i, i], parts[1][i, i], *rows.sizes)
        for i, model in enumerate((first, second))
    )
    pair = AucPair.of_same_rows(one, two, parts[0][0, 1] + parts[1][0, 1])
    return pair_difference(pair, method, SAME_ROWS)


def delong_difference(rows: PlacedRows, first: int = 0, second: int = 1) -> Difference:
    """Difference of the AUCs of two of the models of the same rows, by DeLong's variance."""
    method, facts = "DeLong's paired test" + EFFECTIVE[rows.is_effective], {"assumptions": SAME_ROWS, "source": SOURCE}
    if (found := _without_variance(rows, first, second, method, **facts)) is not None:
        return found
    value, variance = rows.contrast(first, second)
    aucs = rows.auc(first), rows.auc(second)

    def intervals(level: float) -> Any:
        z = NormalDist().inv_cdf((1 + level) / 2)
        return tuple(newcombe5(auc, *rows.sizes, z) for auc in aucs)

    known: dict[str, Any] = {"value": value, "warnings": errors_warned_of(rows, (first, second)), **facts}
    return difference.difference_of_values(aucs, math.sqrt(variance), intervals, method=method, why=CONSTANT, **known)


def _without_variance(rows: PlacedRows, first: int, second: int, method: str, **facts: Any) -> Difference | None:
    """Difference of models that rank the rows alike, or of rows without a variance; None if it has one."""
    reason = rows.reason()
    if not all(rows.totals):
        return difference.undefined_difference(method, reason or ZERO_BY_ZERO)
    aucs = rows.auc(first), rows.auc(second)
    if aucs[0] == aucs[1] and difference.rank_alike(rows.scores[first], rows.scores[second]):
        return difference.no_difference(method=f"{method}; both rank the rows alike", **facts)
    return None if reason is None else Difference(value=difference.apart(*aucs), method=method, reason=reason, **facts)


def pair_difference(pair: AucPair, method: str, assumptions: str) -> Difference:
    """Difference of two AUCs by the score method."""

    def limits(tail: float) -> tuple[float, float]:
        low, high = pair.limits(NormalDist().inv_cdf(1 - tail))
        return float(low), float(high)

    statistic = float(pair.statistic())
    return Difference(
        value=float(pair.difference),
        method=method,
        limits=limits,
        p_value=difference.symmetric_p(statistic),
        statistic=statistic,
        standard_error=math.sqrt(max(0.0, float(pair.variance()))),
        against=lambda supposed: float(pair.statistic(supposed)),
        assumptions=assumptions,
        source=OF_SCORE,
        is_for_unequal=True,
    )
