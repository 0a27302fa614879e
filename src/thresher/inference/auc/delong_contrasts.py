"""Many AUCs on the same rows: their covariance, and tests of contrasts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher.conventions import LEVEL, Direction, Floats, WeightKind, confidence_level
from thresher.errors import InputError, Note, OptionError, Reasoned
from thresher.inference.auc.delong_rows import PlacedRows, placed_rows
from thresher.inference.auc.tests import delong_difference, errors_warned_of
from thresher.inference.differences.difference import symmetric_limits
from thresher.results import TestResult
from thresher.upward_import import plot_method, to_frame_method

NO_VARIANCE = 1e-12
"""An eigenvalue below this share of the largest possible variance of a contrast is rounding error."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucCovariance(Reasoned):
    """AUCs of models on the same rows with DeLong's covariance matrix; NaN if undefined."""

    models: tuple[str, ...]
    aucs: Floats
    covariance: Floats
    reason: Note | None = None

    plot, to_frame, to_dict = plot_method, to_frame_method, as_dict


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
    names, rows = _rows(y_true, scores, weights, weight_kind, direction)
    if reason := rows.reason():
        nan = np.full((len(names), len(names)), math.nan)
        return AucCovariance(models=names, aucs=nan[0], covariance=nan, reason=reason)
    _, covariance = rows.contrasts(np.eye(len(names)))
    return AucCovariance(models=names, aucs=np.array([rows.auc(i) for i in range(len(names))]), covariance=covariance)


def delong_pairwise_tests(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    level: float = LEVEL,
) -> dict[tuple[str, str], TestResult]:
    """DeLong's paired test of every pair of scores, by their names; each score is sorted once.

    The results equal `delong_test`; adjust their p values for their number (`adjust_p_values`).

    Raises:
        InputError: as `delong_covariance`.

    >>> found = delong_pairwise_tests([1, 1, 0, 0, 1, 0], {"a": [6, 5, 4, 3, 2, 1], "b": [6, 1, 5, 4, 3, 2]})
    >>> round(found["a", "b"].estimate, 4)
    0.3333

    Source: DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014.
    """
    names, rows = _rows(y_true, scores, weights, weight_kind, direction)
    pairs = combinations(range(len(names)), 2)
    return {(names[i], names[j]): delong_difference(rows, i, j).test(level=level) for i, j in pairs}


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
    names, rows = _rows(y_true, scores, weights, weight_kind, direction)
    matrix = _contrasts(contrast, len(names))
    confidence_level(level)
    facts: dict[str, Any] = {
        "method": "DeLong's test of contrasts" + (", effective size" if rows.is_effective else ""),
        "assumptions": "independent rows, many of each class",
        "source": "DeLong, DeLong & Clarke-Pearson 1988",
    }
    if reason := rows.reason():
        return TestResult(statistic=math.nan, p_value=math.nan, reason=reason, **facts)
    facts["warnings"] = errors_warned_of(rows, np.flatnonzero(matrix.any(axis=0)).tolist())
    values, covariance = rows.contrasts(matrix)
    statistic, df = _wald(values, covariance, matrix, min(rows.sizes))
    if len(matrix) == 1:
        low, high = symmetric_limits(float(values[0]), math.sqrt(covariance[0, 0]), (-math.inf, math.inf))(
            (1 - level) / 2
        )
        facts |= {"estimate": float(values[0]), "low": low, "high": high, "level": level}
    if statistic is None:
        reason = Note("no-spread", "a contrast differs from 0 but lacks a variance, so it cannot be tested")
        return TestResult(statistic=math.nan, p_value=math.nan, df=df, reason=reason, **facts)
    return TestResult(statistic=statistic, p_value=_chi2(statistic, df), df=df, **facts)


def _wald(values: Floats, covariance: Floats, matrix: Floats, size: float) -> tuple[float | None, float]:
    """Quadratic form on the directions with variance, and their number; None if another direction is not 0."""
    spread, directions = np.linalg.eigh(covariance)
    largest = float((np.abs(matrix).sum(axis=1) ** 2).max()) / size
    real = spread > NO_VARIANCE * max(largest, float(spread[-1]))
    along = directions.T @ values
    if (np.abs(along[~real]) > math.sqrt(NO_VARIANCE) * np.abs(matrix).max()).any():
        return None, float(real.sum())
    return float((along[real] ** 2 / spread[real]).sum()), float(real.sum())


def _chi2(statistic: float, df: float) -> float:
    from scipy.special import chdtrc

    return 1.0 if statistic == 0 else float(chdtrc(df, statistic))


def _contrasts(contrast: ArrayLike | None, k: int) -> Floats:
    if contrast is None:
        if k < 2:
            raise OptionError("one score cannot be compared: give two or more scores, or a contrast.")
        return np.hstack([np.ones((k - 1, 1)), -np.eye(k - 1)])
    matrix = np.atleast_2d(np.asarray(contrast, dtype=np.float64))
    if matrix.ndim != 2 or matrix.shape[1] != k or not np.isfinite(matrix).all() or not matrix.any(axis=1).all():
        raise OptionError(f"contrast has shape {matrix.shape}: a row needs a finite number for each of {k} scores.")
    return matrix


def _rows(
    y_true: ArrayLike, scores: Any, weights: Any, weight_kind: WeightKind, direction: Direction
) -> tuple[tuple[str, ...], PlacedRows]:
    columns = list(scores.values()) if isinstance(scores, Mapping) else list(scores)
    names = tuple(map(str, scores)) if isinstance(scores, Mapping) else tuple(str(i + 1) for i in range(len(columns)))
    if not columns:
        raise InputError("there are no scores to compare: give one or more.")
    rows = placed_rows(y_true, columns, weights=weights, weight_kind=weight_kind, direction=direction)
    return names, rows
