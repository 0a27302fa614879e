"""Tests of square and other tables of counts: Bowker's symmetry, and χ² of truth and prediction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import divide
from thresher.counts import ConfusionMatrix
from thresher.errors import InputError
from thresher.results import TestResult


def bowker_test(counts: ArrayLike | ConfusionMatrix) -> TestResult:
    """Bowker's test that two classifiers (or truth and prediction) trade classes equally often both ways.

    χ² = Σ over i < j of (nᵢⱼ − nⱼᵢ)²/(nᵢⱼ + nⱼᵢ), with a degree of freedom for each pair of classes with a count. With
    two classes it is McNemar's χ² without correction. A symmetric table gives 0 and p = 1.

    Raises:
        InputError: the table is not square, or a count is negative or not finite.

    >>> round(bowker_test([[20, 10, 5], [3, 30, 15], [0, 5, 40]]).statistic, 4)
    13.7692

    Source: Bowker 1948.
    """
    from scipy.special import chdtrc

    table = _counts(counts)
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


def chi_squared_test(counts: ArrayLike | ConfusionMatrix, *, correction: bool = False) -> TestResult:
    """Pearson's χ² test that the prediction does not depend on the truth at all; n·φ² for a 2×2 table.

    Expected counts are row·column/n; rows and columns without counts are left out. `correction` is Yates's, for 2×2
    tables. A table of one row or column, or of none, has 0 and p = 1.

    Raises:
        InputError: a count is negative or not finite.

    >>> round(chi_squared_test([[90, 10], [30, 70]]).statistic, 4)
    75.0

    Source: Pearson 1900; Yates 1934.
    """
    from scipy.special import chdtrc

    table = _counts(counts)
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


def _counts(counts: ArrayLike | ConfusionMatrix) -> np.ndarray:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not (np.isfinite(table) & (table >= 0)).all():
        raise InputError("a table of counts has two axes and holds finite numbers ≥ 0.")
    return table
