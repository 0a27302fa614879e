"""McNemar's test: do two models err equally often on the same rows? And the interval of the difference."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, confidence_level, option
from thresher.errors import InputError
from thresher.inference.differences import newcombe_paired_difference
from thresher.results import TestResult

Method = Literal["exact", "mid-p", "chi2", "chi2-corrected"]
METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")


def mcnemar_test(table: ArrayLike, *, method: Method = "mid-p", level: float = LEVEL) -> TestResult:
    """McNemar's test from the 2×2 table of agreement: rows first model right, wrong; columns second model right, wrong.

    With b and c the discordant counts (only the first right, only the second right): exact is the two-sided binomial
    test of b among b + c at ½; mid-p takes half of the observed outcome's probability; χ² = (b−c)²/(b+c), or
    (|b−c|−1)²/(b+c) corrected, with 1 degree of freedom. Without discordant pairs p = 1. The estimate is the difference of
    the two accuracies, (b − c)/n, with Newcombe's paired interval.

    Raises:
        InputError: the table is not 2×2 whole counts.
        OptionError: an option has another value.

    >>> mcnemar_test([[10, 0], [0, 10]]).p_value
    1.0
    >>> round(mcnemar_test([[59, 6], [16, 80]], method="exact").p_value, 4)
    0.0525

    Source: McNemar 1947; Edwards 1948 (correction); Lancaster 1961, Fagerland et al. 2013 (mid-p).
    """
    option("method", method, METHODS)
    counts = _counts(table)
    b, c, n = int(counts[0, 1]), int(counts[1, 0]), int(counts.sum())
    statistic, p = _exact(b, c, method) if method in ("exact", "mid-p") else _chi2(b, c, method)
    low, high = newcombe_paired_difference(counts, level=level)
    return TestResult(
        method=f"McNemar's test, {method}",
        statistic=statistic,
        p_value=p,
        df=1.0 if method.startswith("chi2") else None,
        estimate=(b - c) / n if n else math.nan,
        low=low,
        high=high,
        level=confidence_level(level),
        assumptions="independent rows" + ("" if method in ("exact", "mid-p") else ", b + c ≥ 25"),
        source="McNemar 1947",
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


def _exact(b: int, c: int, method: str) -> tuple[float, float]:
    """Two-sided binomial p of the smaller count at ½; with equal counts it is 1, mid-p takes the half off there too."""
    from scipy.special import bdtr, gammaln

    small, total = min(b, c), b + c
    if total == 0:
        return 0.0, 1.0
    if method == "exact":
        return float(small), 1.0 if b == c else min(1.0, 2 * float(bdtr(small, total, 0.5)))
    log_mass = gammaln(total + 1) - gammaln(small + 1) - gammaln(total - small + 1) - total * math.log(2)
    mass = math.exp(float(log_mass))
    return float(small), 1 - mass if b == c else 2 * float(bdtr(small, total, 0.5)) - mass


def _chi2(b: int, c: int, method: str) -> tuple[float, float]:
    from scipy.special import chdtrc

    gap = max(0, abs(b - c) - (1 if method == "chi2-corrected" else 0))
    statistic = gap**2 / (b + c) if b + c else 0.0
    return statistic, float(chdtrc(1, statistic)) if statistic else 1.0


def _counts(table: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(table)
    if counts.shape != (2, 2) or not np.array_equal(counts, np.rint(counts)) or (counts < 0).any():
        raise InputError(
            "the table of agreement is 2×2 with whole counts ≥ 0: [[both, first only], [second only, neither]]."
        )
    return counts.astype(np.int64)
