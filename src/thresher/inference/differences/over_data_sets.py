"""Tests of models over data sets beside Friedman's: Quade's, Kendall's concordance, and the sign test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import option
from thresher.errors import InputError
from thresher.inference.differences.folds import ALTERNATIVES, Alternative
from thresher.inference.differences.several_models import friedman_test, row_ranks
from thresher.measures.binomial import at_least
from thresher.results import TestResult


def quade_test(values: ArrayLike) -> TestResult:
    """Quade's test that k models are alike over data sets, those with a wide spread of values counting more.

    `values` is data sets × models. Ranks within each row are centered and multiplied by the rank Qᵢ of the row's range:
    Sᵢⱼ = Qᵢ·(rᵢⱼ − (k + 1)/2); F = (n − 1)·B/(A − B) with A = ΣSᵢⱼ² and B = Σⱼ(ΣᵢSᵢⱼ)²/n, on k − 1 and (n − 1)(k − 1)
    degrees of freedom. Equal columns give F = 0 and p = 1. Where A = B, F is infinite and p = (1/k!)ⁿ⁻¹, exact.

    Raises:
        InputError: fewer than two models or data sets, or a value that is not finite.

    >>> round(quade_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]).statistic, 4)
    3.8571

    Source: Quade 1979; Conover 1999, section 5.8.
    """
    from scipy.special import fdtrc

    ranks = row_ranks(values)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise InputError(f"values have the shape {ranks.shape}: Quade's test needs two data sets and two models.")
    table = np.asarray(values, dtype=np.float64)
    spread = row_ranks(np.ptp(table, axis=1)[None, :])[0]
    s = spread[:, None] * (ranks - (k + 1) / 2)
    a, b = float((s**2).sum()), float((s.sum(axis=0) ** 2).sum()) / n
    df = (k - 1.0, (n - 1.0) * (k - 1))
    if math.isclose(a, b, rel_tol=1e-12) and a > 0:
        f, p = math.inf, math.exp(-(n - 1) * math.lgamma(k + 1))
    else:
        f = (n - 1) * b / (a - b) if a else 0.0
        p = float(fdtrc(*df, f)) if f else 1.0
    return TestResult(
        method="Quade's test", statistic=f, p_value=p, df=df, assumptions="independent data sets of comparable scale",
        source="Quade 1979",
    )  # fmt: skip


def kendall_w_test(values: ArrayLike) -> TestResult:
    """Kendall's coefficient of concordance W of the rankings that data sets give to k models; its test is Friedman's.

    `estimate` is W = χ²_F/(n(k − 1)), corrected for ties: 1 where all rows rank the models alike, 0 where they cancel.

    Raises:
        InputError: fewer than two models, or a value that is not finite.

    >>> kendall_w_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]).estimate
    0.5625

    Source: Kendall & Babington Smith 1939.
    """
    found, (n, k) = friedman_test(values, form="chi2"), row_ranks(values).shape
    return TestResult(
        method="Kendall's coefficient of concordance", statistic=found.statistic, p_value=found.p_value, df=found.df,
        estimate=found.statistic / (n * (k - 1)), assumptions=found.assumptions,
        source="Kendall & Babington Smith 1939",
    )  # fmt: skip


def sign_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Sign test of paired values, exact binomial: a is above b as often as below; equal pairs are set aside.

    The statistic is the number of pairs in which a is larger, `estimate` their share. No difference gives p = 1.

    Raises:
        InputError: unequal lengths, or a value that is not finite.

    >>> sign_test([5, 6, 7, 8, 9], [1, 1, 1, 1, 1]).p_value
    0.0625

    Source: Arbuthnott 1710; Demšar 2006.
    """
    option("alternative", alternative, ALTERNATIVES)
    pair = [np.asarray(column, dtype=np.float64).ravel() for column in (a, b)]
    if pair[0].size != pair[1].size or not all(np.isfinite(column).all() for column in pair):
        raise InputError("the sign test takes pairs of finite numbers, as many of the one as of the other.")
    above, below = int((pair[0] > pair[1]).sum()), int((pair[0] < pair[1]).sum())
    n = above + below
    tails = {"greater": above, "less": below, "two-sided": max(above, below)}
    p = at_least(tails[alternative], n, 0.5) if n else 1.0
    return TestResult(
        method="sign test, exact", statistic=float(above), p_value=min(1.0, 2 * p if alternative == "two-sided" else p),
        estimate=above / n if n else None, alternative=alternative, assumptions="independent pairs",
        source="Demšar 2006",
    )  # fmt: skip
