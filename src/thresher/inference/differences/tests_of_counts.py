"""Tests of tables of counts: McNemar's with an interval, Bowker's symmetry, χ², and Fisher's of two shares."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, divide, option
from thresher.counts.row_columns import refuse_shares
from thresher.errors import InputError, Note
from thresher.inference.differences.difference import Alternative, Difference, PValue, symmetric_p
from thresher.inference.limits import student_quantile
from thresher.inference.proportions.differences import newcombe_paired_difference
from thresher.measures.binomial import at_least, exactly
from thresher.predictions.class_tables import agreement_table as agreement_of
from thresher.predictions.class_tables import class_table
from thresher.results import TestResult

Method = Literal["exact", "mid-p", "chi2", "chi2-corrected"]
METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")


def mcnemar_test(
    table: Any, *, method: Method = "mid-p", alternative: Alternative = "two-sided", level: float = LEVEL
) -> TestResult:
    """McNemar's test from the 2×2 table of agreement: rows first model right, wrong; columns second model right, wrong.

    b and c are the discordant counts (only the first right, only the second right). "exact" is the binomial test of b
    among b + c at ½; "mid-p" counts half of the observed outcome's probability; χ² = (b−c)²/(b+c), or (|b−c|−1)²/(b+c)
    corrected, with 1 degree of freedom. Without discordant pairs p = 1. The estimate is the difference of the two
    accuracies, (b − c)/n, with Newcombe's paired interval. `alternative="greater"`: the first is right more often. A
    named table, such as a crosstab, goes by its names: True and False, or 1 and 0.

    Raises:
        InputError: the table is not 2×2 whole counts.
        OptionError: an option has another value.

    >>> mcnemar_test([[10, 0], [0, 10]]).p_value
    1.0
    >>> round(mcnemar_test([[59, 6], [16, 80]], method="exact").p_value, 4)
    0.0525

    Source: McNemar 1947; Edwards 1948 (correction); Lancaster 1961, Fagerland et al. 2013 (mid-p).
    """
    return mcnemar_difference(table, method=method).test(alternative=alternative, level=level)


def mcnemar_difference(table: Any, *, method: Method = "mid-p") -> Difference:
    """Difference (b − c)/n of two shares of the same rows: McNemar's test with Newcombe's paired interval."""
    option("method", method, METHODS)
    counts = _counts(table)
    b, c, n = int(counts[0, 1]), int(counts[1, 0]), int(counts.sum())
    named = f"McNemar's test, {method}"
    if not n:
        return Difference(value=math.nan, method=named, reason=Note("no-rows", "there are no rows"))
    is_chi2 = method.startswith("chi2")
    gap = max(0, abs(b - c) - (method == "chi2-corrected"))
    root = math.copysign(gap / math.sqrt(b + c), b - c) if b + c else 0.0
    return Difference(
        value=(b - c) / n,
        method=f"{named}; Newcombe's paired interval",
        statistic=root**2 if is_chi2 else float(min(b, c)),
        is_signed=False,
        df=1.0 if is_chi2 else None,
        critical=(lambda tail: student_quantile(1 - tail, math.inf) ** 2) if is_chi2 else None,
        limits=lambda tail: newcombe_paired_difference(counts, level=1 - 2 * tail),
        p_value=symmetric_p(root) if is_chi2 else _by_binomial(b, c, 1.0 if method == "exact" else 0.5),
        assumptions="independent rows" + (", b + c ≥ 25" if is_chi2 else ""),
        source="McNemar 1947; Newcombe 1998b",
    )


def agreement_table(first_right: ArrayLike, second_right: ArrayLike) -> NDArray[np.int64]:
    """2×2 table of rows that both, only the first, only the second, and neither model got right.

    Raises:
        InputError: unequal lengths.

    >>> agreement_table([1, 1, 0], [1, 0, 0]).tolist()
    [[1, 1], [0, 1]]
    """
    a, b = np.asarray(first_right, dtype=bool), np.asarray(second_right, dtype=bool)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(f"the two models have {a.size} and {b.size} rows: a paired test takes the same rows of both.")
    return np.array([[np.sum(a & b), np.sum(a & ~b)], [np.sum(~a & b), np.sum(~a & ~b)]], dtype=np.int64)


def _by_binomial(b: int, c: int, share: float) -> PValue:
    """The p values of b among b + c at ½; `share` of the observed outcome's probability counts as extreme.

    Two-sided, b and c are equally extreme outcomes. If b = c they are one outcome: all outcomes are as extreme, and
    mid-p takes off half of its probability.
    """
    total = b + c
    if total == 0:
        return lambda _alternative: 1.0
    mass = exactly(min(b, c), total, 0.5)

    def tail(wins: int) -> float:
        # At ½ wins and losses are symmetric.
        return at_least(total - wins, total, 0.5) - (1 - share) * mass

    def p(alternative: Alternative) -> float:
        if alternative != "two-sided":
            return min(1.0, tail(c if alternative == "greater" else b))
        return 1 - (1 - share) * mass if b == c else min(1.0, 2 * tail(min(b, c)))

    return p


def _counts(table: Any) -> NDArray[np.int64]:
    counts = agreement_of(table)
    if counts.shape != (2, 2) or not np.array_equal(counts, np.rint(counts)) or (counts < 0).any():
        raise InputError(
            "the table of agreement is 2×2 with whole counts ≥ 0: [[both, first only], [second only, neither]]."
        )
    return counts.astype(np.int64)


def bowker_test(counts: Any) -> TestResult:
    """Bowker's test that two classifiers (or truth and prediction) trade classes equally often both ways.

    χ² = Σ over i < j of (nᵢⱼ − nⱼᵢ)²/(nᵢⱼ + nⱼᵢ), with a degree of freedom for each pair of classes with a count. With
    two classes it is McNemar's χ² without correction. A symmetric table gives 0 and p = 1. Named tables go by names.

    Raises:
        InputError: the table is not square, its names do not fit, or a count is negative or not finite.

    >>> round(bowker_test([[20, 10, 5], [3, 30, 15], [0, 5, 40]]).statistic, 4)
    13.7692

    Source: Bowker 1948.
    """
    from scipy.special import chdtrc

    table = _checked(class_table(counts, "counts").squared())
    if table.shape[0] != table.shape[1]:
        raise InputError(f"counts of shape {table.shape}: the test takes a square table.")
    upper = np.triu_indices(table.shape[0], 1)
    one, two = table[upper], table.T[upper]
    found = one + two > 0
    statistic = float(((one - two)[found] ** 2 / (one + two)[found]).sum())
    df = int(found.sum())
    return TestResult(
        method="Bowker's test of symmetry", statistic=statistic, df=float(df),
        p_value=float(chdtrc(df, statistic)) if statistic else 1.0,
        assumptions="independent rows, many of them off the diagonal", source="Bowker 1948",
    )  # fmt: skip


def chi_squared_test(counts: Any, *, correction: bool = False) -> TestResult:
    """Pearson's χ² test that the prediction is independent of the truth; n·φ² for a 2×2 table.

    Expected counts are row·column/n; rows and columns without counts are left out. `correction` is Yates's, for 2×2
    tables. A table with at most one row or column has 0 and p = 1.

    Raises:
        InputError: a count is negative or not finite, or the last row and column are sums.

    >>> round(chi_squared_test([[90, 10], [30, 70]]).statistic, 4)
    75.0

    Source: Pearson 1900; Yates 1934.
    """
    from scipy.special import chdtrc

    named = class_table(counts, "counts")
    named.refuse_sums()
    table = _checked(named.values)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    df = (table.shape[0] - 1) * (table.shape[1] - 1) if table.size else 0
    expected = divide(np.outer(table.sum(axis=1), table.sum(axis=0)), table.sum())
    gap = np.abs(table - expected)
    gap = np.maximum(gap - 0.5, 0) if correction and table.shape == (2, 2) else gap
    statistic = float((gap**2 / expected).sum()) if df > 0 else 0.0
    return TestResult(
        method="Pearson's χ² test" + (", Yates's correction" if correction and table.shape == (2, 2) else ""),
        statistic=statistic, p_value=float(chdtrc(df, statistic)) if df > 0 else 1.0, df=float(max(df, 0)),
        assumptions="independent rows, five or more expected in most cells", source="Pearson 1900",
    )  # fmt: skip


def _checked(counts: NDArray[Any]) -> NDArray[np.float64]:
    table = counts.astype(np.float64)
    if table.ndim != 2 or not (np.isfinite(table) & (table >= 0)).all():
        raise InputError("a table of counts has two axes and holds finite numbers ≥ 0.")
    refuse_shares(table)
    return table


ALIKE = 1 + 1e-9
"""Ratio of two probabilities that are equal up to rounding."""


def fisher_mid_p(successes: tuple[int, int], trials: tuple[int, int]) -> PValue:
    """The mid-p values of two shares x₁/n₁ and x₂/n₂, given x₁ + x₂.

    P(x₁ = k) = C(n₁, k)·C(n₂, t − k)/C(n₁ + n₂, t) with t = x₁ + x₂. Two-sided: the sum over all k less likely than the
    observed one, plus half of those equally likely. Fisher's own test counts these whole and is conservative.

    Source: Fisher 1935; Lancaster 1961.

    >>> round(fisher_mid_p((3, 0), (3, 4))("two-sided"), 4)
    0.0143
    """
    total = sum(successes)
    first = max(0, total - trials[1])
    last = min(trials[0], total)
    mass = [_chance(k, total, trials) for k in range(first, last + 1)]
    observed = mass[successes[0] - first]

    def p(alternative: Alternative) -> float:
        if alternative == "two-sided":
            among = [m for m in mass if m <= observed * ALIKE]
            alike = math.fsum(m for m in among if m * ALIKE >= observed)
            return min(1.0, math.fsum(among) - alike / 2)
        at = successes[0] - first
        beyond = mass[at + 1 :] if alternative == "greater" else mass[:at]
        return min(1.0, math.fsum(beyond) + observed / 2)

    return p


def _chance(k: int, total: int, trials: tuple[int, int]) -> float:
    """Chance of k of the successes in the first sample, from binomials of any one rate, given their sum."""
    rate = total / sum(trials)
    if rate in (0.0, 1.0):
        return 1.0
    both = exactly(k, trials[0], rate) * exactly(total - k, trials[1], rate)
    return both / exactly(total, sum(trials), rate)
