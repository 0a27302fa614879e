"""Tests of two AUCs, on the same rows or on different ones: by the score method, and by DeLong's variance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal

from numpy.typing import ArrayLike

from thresher.conventions import LEVEL, Direction, WeightKind, option
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import few_errors
from thresher.errors import Note
from thresher.inference.auc.delong import (
    EFFECTIVE,
    DelongVariance,
    delong_interval,
    delong_variance,
    newcombe5,
    spread_of,
    too_few,
)
from thresher.inference.auc.delong_rows import PlacedRows, errors_warned_of, named_rows, placed_rows
from thresher.inference.auc.score_variance import AucPair, AucSpread
from thresher.inference.differences.difference import (
    NO_WIDTH,
    Alternative,
    Difference,
    apart,
    difference_of_values,
    ends_of,
    no_difference,
    rank_alike,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.limits import satterthwaite
from thresher.results import ZERO_BY_ZERO, TestResult

DELONG = {"paired": "DeLong's paired test", "unpaired": "DeLong's unpaired test"}
SCORE = {"paired": "DeLong's paired score test", "unpaired": "DeLong's unpaired score test"}
SOURCE = "DeLong, DeLong & Clarke-Pearson 1988"
OF_SCORE = f"{SOURCE}; Hanley & McNeil 1982"
SAME_ROWS = "independent rows, two or more of each class"
TWO_SAMPLES = "independent rows, two samples, two or more rows of each class in both"
CONSTANT = "DeLong's variance of the difference is 0, so it cannot be tested"


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

    V(δ) is the variance of the difference d if the true one is δ, from both AUCs' variances (`auc_interval`) and the
    correlation of DeLong's estimates (`AucPair`). The interval has the δ that the test does not reject, so it excludes
    0 exactly if p < 1 − level. With few positives DeLong's own variance is too small, and `delong_test` rejects too
    often; with many the two agree. A score against itself, or against one that ranks the rows alike, has difference 0
    and p = 1, exactly.

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
    return score_difference(rows).test(alternative=alternative, level=level)


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
    """Score test of AUC(a) = AUC(b) on different rows, as `auc_test` without correlation.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
        OptionError: an option has another value.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [6, 3, 5, 4, 1, 2]
    >>> round(auc_test_unpaired(y, a, y, b).p_value, 4)
    0.7028

    Simulated in docs/comparing.md.
    """
    tables = two_tables((y_a, y_b), (a, b), weights, weight_kind=weight_kind, direction=direction)
    return unpaired_score_difference(*tables).test(alternative=alternative, level=level)


def delong_test(
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
    """DeLong's test of AUC(a) = AUC(b) for two scores of the same rows: z = (AUC(a) − AUC(b))/SE.

    SE² = S10/P + S01/N, the variances of the differences of the two scores' placements, so shared parts cancel.
    `y_true` is 0 or 1, higher scores mean more positive unless `direction="lower"`. The interval is d ± z·SE inside
    [−1, 1]. A score against itself, or against one that ranks the rows alike, has difference 0 and p = 1, exactly. If
    SE is 0 otherwise (two scores that separate the classes perfectly), the interval combines Newcombe's method 5 of
    each (MOVER), and a difference other than 0 lacks a p value. Importance weights enter squared, with (Σw)²/Σw² for
    the numbers of rows; frequency weights count rows.

    `alternative="greater"` tests AUC(a) > AUC(b). NaN, with a reason, with fewer than two rows of a class.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
        OptionError: an option has another value.

    >>> y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4], [5, 9, 6, 4, 3, 2, 7, 8, 5, 1]
    >>> result = delong_test(y, a, b)
    >>> round(result.estimate, 4), round(result.p_value, 4)
    (0.24, 0.2693)
    >>> delong_test(y, a, [math.log(s) for s in a]).p_value
    1.0

    Source: DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014 (by ranks).
    """
    rows = placed_rows(y_true, [a, b], weights=weights, weight_kind=weight_kind, direction=direction)
    return delong_difference(rows).test(alternative=alternative, level=level)


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
    names, rows = named_rows(y_true, scores, weights, weight_kind, direction)
    pairs = combinations(range(len(names)), 2)
    return {(names[i], names[j]): delong_difference(rows, i, j).test(level=level) for i, j in pairs}


def delong_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    distribution: Literal["normal", "t"] = "normal",
    weights: tuple[ArrayLike, ArrayLike] | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """DeLong's test of AUC(a) = AUC(b) on different rows: D = (AUC(a) − AUC(b))/√(V(a) + V(b)).

    `distribution="t"` refers D to Student's t with Satterthwaite's degrees of freedom, (V(a) + V(b))²/(V(a)²/(n_a − 1)
    + V(b)²/(n_b − 1)), as pROC does; "normal" to the normal distribution. If both variances are 0, the interval
    combines Newcombe's method 5 of each (MOVER). NaN, with a reason, if a sample has fewer than two rows of a class.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight: names the row.
        OptionError: an option has another value.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [6, 3, 5, 4, 1, 2]
    >>> round(delong_test_unpaired(y, a, y, b).p_value, 4)
    0.7055

    Source: DeLong, DeLong & Clarke-Pearson 1988; Satterthwaite 1946.
    """
    option("distribution", distribution, ("normal", "t"))
    tables = two_tables((y_a, y_b), (a, b), weights, weight_kind=weight_kind, direction=direction)
    return unpaired_delong_difference(*tables, distribution=distribution).test(alternative=alternative, level=level)


def score_difference(rows: PlacedRows, first: int = 0, second: int = 1) -> Difference:
    """Difference of the AUCs of two of the models of the same rows, by the score method."""
    method = SCORE["paired"] + EFFECTIVE[rows.is_effective]
    if (found := _without_variance(rows, first, second, method, source=OF_SCORE)) is not None:
        return found
    parts = rows.covariances(first, second)
    one, two = (
        AucSpread.of(rows.auc(model), parts[0][i, i], parts[1][i, i], *rows.sizes)
        for i, model in enumerate((first, second))
    )
    pair = AucPair.of_same_rows(one, two, parts[0][0, 1] + parts[1][0, 1])
    return _of_pair(pair, method, SAME_ROWS)


def delong_difference(rows: PlacedRows, first: int = 0, second: int = 1) -> Difference:
    """Difference of the AUCs of two of the models of the same rows, by DeLong's variance."""
    method, facts = DELONG["paired"] + EFFECTIVE[rows.is_effective], {"assumptions": SAME_ROWS, "source": SOURCE}
    if (found := _without_variance(rows, first, second, method, **facts)) is not None:
        return found
    value, variance = rows.contrast(first, second)
    aucs = rows.auc(first), rows.auc(second)

    def intervals(level: float) -> Any:
        z = NormalDist().inv_cdf((1 + level) / 2)
        return tuple(newcombe5(auc, *rows.sizes, z) for auc in aucs)

    known: dict[str, Any] = {"value": value, "warnings": errors_warned_of(rows, (first, second)), **facts}
    return difference_of_values(aucs, math.sqrt(variance), intervals, method=method, why=CONSTANT, **known)


def _without_variance(rows: PlacedRows, first: int, second: int, method: str, **facts: Any) -> Difference | None:
    """Difference of models that rank the rows alike, or of rows without a variance; None if it has one."""
    reason = rows.reason()
    if not all(rows.totals):
        return undefined_difference(method, reason or ZERO_BY_ZERO)
    aucs = rows.auc(first), rows.auc(second)
    if aucs[0] == aucs[1] and rank_alike(rows.scores[first], rows.scores[second]):
        return no_difference(method=f"{method}; both rank the rows alike", **facts)
    return None if reason is None else Difference(value=apart(*aucs), method=method, reason=reason, **facts)


def unpaired_score_difference(a: ScoreTable, b: ScoreTable) -> Difference:
    """Difference of the AUCs of two tables of different rows, by the score method."""
    found, size, reason = two_variances(a, b)
    if reason is not None:
        return undefined_difference(SCORE["unpaired"], reason)
    pair = AucPair(first=spread_of(found[0]), second=spread_of(found[1]))
    return _of_pair(pair, SCORE["unpaired"] + size, TWO_SAMPLES)


def unpaired_delong_difference(
    a: ScoreTable, b: ScoreTable, *, distribution: Literal["normal", "t"] = "normal"
) -> Difference:
    """Difference of the AUCs of two tables of different rows, by DeLong's variance."""
    found, size, reason = two_variances(a, b)
    if reason is not None:
        return undefined_difference(DELONG["unpaired"], reason)
    variances, df = [each.variance for each in found], None
    error, method = math.sqrt(sum(variances)), DELONG["unpaired"] + size
    if distribution == "t" and error >= NO_WIDTH:
        df = satterthwaite(variances, [each.positives + each.negatives - 1 for each in found])
        method += ", Student's t with Satterthwaite's degrees of freedom"
    facts: dict[str, Any] = {"assumptions": TWO_SAMPLES, "source": SOURCE}
    facts["warnings"] = few_errors(min(each.errors for each in found))
    return difference_of_values(
        (found[0].auc, found[1].auc),
        error,
        lambda level: ends_of(delong_interval(each, level=level) for each in (a, b)),
        method=method,
        why=CONSTANT,
        df=df,
        **facts,
    )


def two_tables(
    truths: tuple[ArrayLike, ArrayLike], scores: tuple[ArrayLike, ArrayLike],
    weights: tuple[ArrayLike, ArrayLike] | None, **options: Any,
) -> tuple[ScoreTable, ScoreTable]:  # fmt: skip
    """Score tables of two samples of different rows; options as for `ScoreTable.from_scores`."""
    each: tuple[ArrayLike | None, ArrayLike | None] = (None, None) if weights is None else weights
    both = zip(truths, scores, tuple(each), strict=True)
    first, second = (ScoreTable.from_scores(y, s, weights=w, **options) for y, s, w in both)
    return first, second


def two_variances(a: ScoreTable, b: ScoreTable) -> tuple[tuple[DelongVariance, DelongVariance], str, Note | None]:
    """Variances of the AUCs of two samples, words for their effective size, and the reason if untestable."""
    found = delong_variance(a), delong_variance(b)
    why = [delong_interval(t).reason if math.isnan(f.auc) else too_few(f) for t, f in zip((a, b), found, strict=True)]
    reasons = (f"in the {name} sample " + text for name, text in zip(("first", "second"), why, strict=True) if text)
    return found, EFFECTIVE[any(f.is_effective for f in found)], next(reasons, None)


def _of_pair(pair: AucPair, method: str, assumptions: str) -> Difference:
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
        source=OF_SCORE,
        is_for_unequal=True,
    )
