"""Score tests of two AUCs, on the same rows and on different ones: the default of a comparison."""

from __future__ import annotations

import math
from statistics import NormalDist

from numpy.typing import ArrayLike

from thresher.conventions import LEVEL, Direction, WeightKind
from thresher.counts.scores import ScoreTable
from thresher.inference.auc.delong import spread_of
from thresher.inference.auc.delong_rows import PlacedRows, placed_rows
from thresher.inference.auc.delong_tests import TWO_SAMPLES, two_tables, two_variances
from thresher.inference.auc.score_variance import AucPair, AucSpread
from thresher.inference.differences.difference import (
    Difference,
    apart,
    no_difference,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.differences.folds import Alternative
from thresher.results import TestResult

PAIRED = "DeLong's paired score test"
UNPAIRED = "DeLong's unpaired score test"
SOURCE = "DeLong, DeLong & Clarke-Pearson 1988; Hanley & McNeil 1982"


def auc_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Score test of AUC(a) = AUC(b) for two scores of the same rows: z = (d − δ)/√V(δ), here with δ = 0.

    V(δ) is the variance of the difference d if the true one is δ, made of those of both AUCs (`auc_interval`) and of
    the correlation of DeLong's estimates (`AucPair`). The interval holds the δ that the test does not reject, so that
    it excludes 0 exactly when p < 1 − level. With few positives DeLong's own variance is too small, and his test,
    `delong_test`, finds differences too often; with many the two agree. A score against itself, or against anything
    that ranks the rows alike, has difference 0 and p = 1, exactly.

    NaN, with a reason, with fewer than two rows of a class (effective ones, with importance weights).

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
        OptionError: an option has another value.

    >>> y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4], [5, 9, 6, 4, 3, 2, 7, 8, 5, 1]
    >>> result = auc_test(y, a, b)
    >>> round(result.estimate, 4), round(result.p_value, 4)
    (0.24, 0.2983)

    Simulated in docs/comparing.md; DeLong, DeLong & Clarke-Pearson 1988; Hanley & McNeil 1982.
    """
    rows = placed_rows(y_true, [a, b], weights=weights, weight_kind=weight_kind, direction=direction)
    return paired_auc_difference(rows).test(alternative=alternative, level=level)


def auc_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    weights: tuple[ArrayLike, ArrayLike] | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Score test of AUC(a) = AUC(b) on different rows; as `auc_test`, with no correlation.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
        OptionError: an option has another value.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [6, 3, 5, 4, 1, 2]
    >>> round(auc_test_unpaired(y, a, y, b).p_value, 4)
    0.7028

    Simulated in docs/comparing.md.
    """
    tables = two_tables((y_a, y_b), (a, b), weights, weight_kind=weight_kind, direction=direction)
    return unpaired_auc_difference(*tables).test(alternative=alternative, level=level)


def paired_auc_difference(rows: PlacedRows, first: int = 0, second: int = 1) -> Difference:
    """Difference of the AUCs of two of the models of the same rows."""
    method = PAIRED + (", effective size" if rows.is_effective else "")
    reason = rows.reason()
    if not all(rows.totals):
        return undefined_difference(method, str(reason))
    if rows.auc(first) == rows.auc(second) and rows.ranks_alike(first, second):
        return no_difference(method=f"{method}; both rank the rows alike", source=SOURCE)
    if reason is not None:
        return Difference(value=apart(rows.auc(first), rows.auc(second)), method=method, reason=reason, source=SOURCE)
    parts = rows.covariances(first, second)
    one, two = (
        AucSpread.of(rows.auc(model), parts[0][i, i], parts[1][i, i], *rows.sizes)
        for i, model in enumerate((first, second))
    )
    pair = AucPair.of_same_rows(one, two, parts[0][0, 1] + parts[1][0, 1])
    return _difference(pair, method, "independent rows, two or more of each class")


def unpaired_auc_difference(a: ScoreTable, b: ScoreTable) -> Difference:
    """Difference of the AUCs of two tables of different rows."""
    found, size, reason = two_variances(a, b)
    if reason is not None:
        return undefined_difference(UNPAIRED, reason)
    pair = AucPair(first=spread_of(found[0]), second=spread_of(found[1]))
    return _difference(pair, UNPAIRED + size, TWO_SAMPLES)


def _difference(pair: AucPair, method: str, assumptions: str) -> Difference:
    def limits(tail: float) -> tuple[float, float]:
        low, high = pair.limits(NormalDist().inv_cdf(1 - tail))
        return float(low), float(high)

    statistic = float(pair.statistic())
    return Difference(
        value=float(pair.difference),
        method=method,
        limits=limits,
        p_value=symmetric_p(statistic),
        statistic=statistic,
        standard_error=math.sqrt(max(0.0, float(pair.variance()))),
        against=lambda supposed: float(pair.statistic(supposed)),
        assumptions=assumptions,
        source=SOURCE,
        is_for_unequal=True,
    )
