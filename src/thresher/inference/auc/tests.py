"""Tests of one AUC against ½ (Mann–Whitney), and of two on the same rows or on different ones (DeLong, scores)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, Direction, WeightKind, option
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import few_errors
from thresher.errors import InputError, Note
from thresher.inference.auc import delong, delong_rows
from thresher.inference.auc.delong import DelongVariance
from thresher.inference.auc.score_variance import AucPair
from thresher.inference.differences import difference
from thresher.inference.differences.difference import Alternative, Difference
from thresher.inference.limits import satterthwaite
from thresher.measures.areas import placements
from thresher.measures.binomial import normal_tail
from thresher.results import TestResult

TWO_SAMPLES = "independent rows, two samples, two or more rows of each class in both"


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
    rows = delong_rows.placed_rows(y_true, [a, b], weights=weights, weight_kind=weight_kind, direction=direction)
    return delong_rows.score_difference(rows).test(alternative=alternative, level=level)


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
    rows = delong_rows.placed_rows(y_true, [a, b], weights=weights, weight_kind=weight_kind, direction=direction)
    return delong_rows.delong_difference(rows).test(alternative=alternative, level=level)


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
    names, rows = delong_rows.named_rows(y_true, scores, weights, weight_kind, direction)
    pairs = combinations(range(len(names)), 2)
    return {(names[i], names[j]): delong_rows.delong_difference(rows, i, j).test(level=level) for i, j in pairs}


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


def unpaired_score_difference(a: ScoreTable, b: ScoreTable) -> Difference:
    """Difference of the AUCs of two tables of different rows, by the score method."""
    found, size, reason = two_variances(a, b)
    if reason is not None:
        return difference.undefined_difference("DeLong's unpaired score test", reason)
    pair = AucPair(first=delong.spread_of(found[0]), second=delong.spread_of(found[1]))
    return delong_rows.pair_difference(pair, "DeLong's unpaired score test" + size, TWO_SAMPLES)


def unpaired_delong_difference(
    a: ScoreTable, b: ScoreTable, *, distribution: Literal["normal", "t"] = "normal"
) -> Difference:
    """Difference of the AUCs of two tables of different rows, by DeLong's variance."""
    (found, size, reason), method = two_variances(a, b), "DeLong's unpaired test"
    if reason is not None:
        return difference.undefined_difference(method, reason)
    variances, df = [each.variance for each in found], None
    error, method = math.sqrt(sum(variances)), method + size
    if distribution == "t" and error >= difference.NO_WIDTH:
        df = satterthwaite(variances, [each.positives + each.negatives - 1 for each in found])
        method += ", Student's t with Satterthwaite's degrees of freedom"
    facts: dict[str, Any] = {"assumptions": TWO_SAMPLES, "source": delong_rows.SOURCE}
    facts["warnings"] = few_errors(min(each.errors for each in found))
    return difference.difference_of_values(
        (found[0].auc, found[1].auc),
        error,
        lambda level: difference.ends_of(delong.delong_interval(each, level=level) for each in (a, b)),
        method=method,
        why=delong_rows.CONSTANT,
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
    found = delong.delong_variance(a), delong.delong_variance(b)
    why = [
        delong.delong_interval(t).reason if math.isnan(f.auc) else delong.too_few(f)
        for t, f in zip((a, b), found, strict=True)
    ]
    reasons = (f"in the {name} sample " + text for name, text in zip(("first", "second"), why, strict=True) if text)
    return found, delong.EFFECTIVE[any(f.is_effective for f in found)], next(reasons, None)


SIDES = ("two-sided", "greater", "less")
MOST_EXACT = 60
"""Most rows for the exact distribution."""


def mann_whitney_test(table: ScoreTable, *, alternative: Alternative = "two-sided", method: str = "auto") -> TestResult:
    """Test that positives and negatives have the same distribution of scores, by U = AUC·P·N, ties ½.

    "exact" counts, among all ways to call P of the rows positive, the ones with U at least as far from P·N/2: the
    distribution of the rank sum given the mid-ranks, so ties are exact too. "normal" is z = (|U − P·N/2| − ½)/σ, σ² =
    P·N/12·((n + 1) − Σ(t³ − t)/(n(n − 1))) over ties of t rows. "auto" is exact up to 60 rows. `statistic` is U,
    `estimate` the AUC. If all scores are equal, p = 1. Undefined without rows of a class.

    Raises:
        InputError: the rows have importance weights, or the table is a batch.
        OptionError: an option has another value.

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> mann_whitney_test(table)
    TestResult(Mann–Whitney U, exact: statistic = 5, p = 0.4, estimate = 0.8333)

    Source: Mann & Whitney 1947; Streitberg & Röhmel 1986 (exact, with ties).
    """
    option("alternative", alternative, SIDES)
    option("method", method, ("auto", "exact", "normal"))
    positive, negative = _whole(table)
    p, n = int(positive.sum()), int(negative.sum())
    is_exact = method == "exact" or (method == "auto" and p + n <= MOST_EXACT)
    named = f"Mann–Whitney U, {'exact' if is_exact else 'normal approximation'}"
    source = "Mann & Whitney 1947; Streitberg & Röhmel 1986 (exact, with ties)"
    shared: Any = {"alternative": alternative, "source": source, "assumptions": "rows are independent"}
    if not p or not n:
        gone = " and ".join(name for name, rows in (("positives", p), ("negatives", n)) if not rows)
        reason = Note("no-rows", f"there are no {gone}")
        return TestResult(method=named, statistic=math.nan, p_value=math.nan, reason=reason, **shared)
    twice_u = int(placements(table).twice_u)
    if is_exact:
        p_value = _exact(positive, negative, twice_u, alternative)
    else:
        p_value = _normal(p, n, twice_u, positive + negative, alternative)
    return TestResult(method=named, statistic=twice_u / 2, p_value=p_value, estimate=twice_u / (2 * p * n), **shared)


def rank_sum_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", method: str = "auto"
) -> TestResult:
    """Wilcoxon's rank-sum test of two independent samples: Mann–Whitney's, with U of the first sample.

    `estimate` is the chance that a value of `a` exceeds one of `b`, ties ½.

    Raises:
        InputError: a value is NaN.
        OptionError: an option has another value.

    >>> rank_sum_test([10, 7, 1], [5, -3])
    TestResult(Mann–Whitney U, exact: statistic = 5, p = 0.4, estimate = 0.8333)

    Source: Wilcoxon 1945; Mann & Whitney 1947.
    """
    samples = [np.asarray(sample, dtype=np.float64).ravel() for sample in (a, b)]
    table = ScoreTable.from_scores(np.repeat([1, 0], [s.size for s in samples]), np.concatenate(samples))
    return mann_whitney_test(table, alternative=alternative, method=method)


def _whole(table: ScoreTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Integer counts by rising score, as this is a test of rows."""
    if table.positive.ndim > 1:
        raise InputError("the test takes one table, not a batch of tables.")
    if table.weight_kind == "importance" or table.positive.dtype.kind == "f" or table.negative.dtype.kind == "f":
        raise InputError("Mann–Whitney's test counts rows; with importance weights use auc_interval.")
    return table.positive[::-1].astype(np.int64), table.negative[::-1].astype(np.int64)


def _exact(positive: NDArray[np.int64], negative: NDArray[np.int64], twice_u: int, alternative: Alternative) -> float:
    """Share of the ways to choose the positives that are as extreme, in exact integers."""
    ties = positive + negative
    p, n = int(positive.sum()), int(ties.sum())
    twice_ranks = 2 * (np.cumsum(ties) - ties) + ties + 1
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(p))]
    done = 0
    for rank, tied in zip(twice_ranks.tolist(), ties.tolist(), strict=True):
        # All rows of one rank at once: choosing j of them counts (tied over j) times.
        choices = [math.comb(tied, j) for j in range(tied + 1)]
        for size in range(min(p, done + tied), 0, -1):
            found = dict(ways[size])
            for j in range(1, min(tied, size) + 1):
                for total, count in ways[size - j].items():
                    found[total + j * rank] = found.get(total + j * rank, 0) + count * choices[j]
            ways[size] = found
        done += tied
    observed, middle = twice_u + p * (p + 1), p * (n + 1)
    far: Callable[[int], bool] = {
        "greater": lambda total: total >= observed,
        "less": lambda total: total <= observed,
        "two-sided": lambda total: abs(total - middle) >= abs(observed - middle),
    }[alternative]
    return sum(count for total, count in ways[p].items() if far(total)) / math.comb(n, p)


def _normal(p: int, q: int, twice_u: int, rows: NDArray[np.int64], alternative: Alternative) -> float:
    n, ties = p + q, rows.astype(object)
    variance = p * q / 12 * ((n + 1) - int((ties**3 - ties).sum()) / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    distance = twice_u / 2 - p * q / 2
    signed = {"greater": distance, "less": -distance, "two-sided": abs(distance)}[alternative]
    return normal_tail((signed - 0.5) / math.sqrt(variance), 2 if alternative == "two-sided" else 1)
