"""Tests of tables of counts: Bowker's symmetry, χ² of truth and prediction, and Fisher's of two shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.counts.given_counts import refuse_shares
from thresher.errors import InputError
from thresher.inference.differences.difference import Alternative, PValue
from thresher.measures.binomial import exactly
from thresher.predictions.class_tables import class_table
from thresher.results import TestResult


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
        raise InputError(f"counts of shape {table.shape}: symmetry is of a square table.")
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
    """Pearson's χ² test that the prediction does not depend on the truth at all; n·φ² for a 2×2 table.

    Expected counts are row·column/n; rows and columns without counts are left out. `correction` is Yates's, for 2×2
    tables. A table of one row or column, or of none, has 0 and p = 1.

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
"""Ratio of two probabilities below which they are the same number but for rounding."""


def fisher_mid_p(successes: tuple[int, int], trials: tuple[int, int]) -> PValue:
    """The p values of two shares x₁/n₁ and x₂/n₂, given x₁ + x₂: half of what is as likely as the observed counts.

    P(x₁ = k) = C(n₁, k)·C(n₂, t − k)/C(n₁ + n₂, t) with t = x₁ + x₂. Two-sided: of all k that are less likely than the
    observed one, and half of those as likely. Fisher's own test counts these whole, and is too careful.

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
    """Chance of k of the successes in the first sample: of binomials of any one rate, given their sum."""
    rate = total / sum(trials)
    if rate in (0.0, 1.0):
        return 1.0
    both = exactly(k, trials[0], rate) * exactly(total - k, trials[1], rate)
    return both / exactly(total, sum(trials), rate)
