"""McNemar's test: do two models err equally often on the same rows? And the interval of the difference."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, option
from thresher.errors import InputError
from thresher.inference.differences.difference import (
    Alternative,
    Difference,
    PValue,
    normal_critical,
    symmetric_p,
)
from thresher.inference.proportions.differences import newcombe_paired_difference
from thresher.measures.binomial import at_least, exactly
from thresher.predictions.class_tables import agreement_table as agreement_of
from thresher.results import TestResult

Method = Literal["exact", "mid-p", "chi2", "chi2-corrected"]
METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")


def mcnemar_test(
    table: Any, *, method: Method = "mid-p", alternative: Alternative = "two-sided", level: float = LEVEL
) -> TestResult:
    """McNemar's test from the 2×2 table of agreement: rows first model right, wrong; columns second model right, wrong.

    With b and c the discordant counts (only the first right, only the second right): exact is the binomial test of b
    among b + c at ½; mid-p takes half of the observed outcome's probability; χ² = (b−c)²/(b+c), or (|b−c|−1)²/(b+c)
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
        return Difference(value=math.nan, method=named, reason="there are no rows")
    is_chi2 = method.startswith("chi2")
    root = _root(b, c, 1 if method == "chi2-corrected" else 0)
    return Difference(
        value=(b - c) / n,
        method=f"{named}; Newcombe's paired interval",
        statistic=root**2 if is_chi2 else float(min(b, c)),
        is_signed=False,
        df=1.0 if is_chi2 else None,
        critical=(lambda tail: normal_critical(tail) ** 2) if is_chi2 else None,
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

    Two-sided, both b and c are outcomes as extreme as the one observed, but when b = c they are one: then all outcomes
    are as extreme or more, and mid-p takes off half the probability of this one.
    """
    total = b + c
    if total == 0:
        return lambda _alternative: 1.0
    mass = exactly(min(b, c), total, 0.5)

    def tail(wins: int) -> float:
        # At ½ so few wins are as likely as so few losses.
        return at_least(total - wins, total, 0.5) - (1 - share) * mass

    def p(alternative: Alternative) -> float:
        if alternative != "two-sided":
            return min(1.0, tail(c if alternative == "greater" else b))
        return 1 - (1 - share) * mass if b == c else min(1.0, 2 * tail(min(b, c)))

    return p


def _root(b: int, c: int, correction: int) -> float:
    """Signed root of χ²; 0 without discordant pairs."""
    gap = max(0, abs(b - c) - correction)
    return math.copysign(gap / math.sqrt(b + c), b - c) if b + c else 0.0


def _counts(table: Any) -> NDArray[np.int64]:
    counts = agreement_of(table)
    if counts.shape != (2, 2) or not np.array_equal(counts, np.rint(counts)) or (counts < 0).any():
        raise InputError(
            "the table of agreement is 2×2 with whole counts ≥ 0: [[both, first only], [second only, neither]]."
        )
    return counts.astype(np.int64)
