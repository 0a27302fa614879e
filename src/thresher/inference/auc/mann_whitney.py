"""Mann–Whitney's test of AUC = ½; exact, ties included, for few rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import option
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, Note
from thresher.inference.differences.difference import Alternative
from thresher.measures.areas import placements
from thresher.measures.binomial import normal_tail
from thresher.results import TestResult

SIDES = ("two-sided", "greater", "less")
MOST_EXACT = 60
"""Most rows for the exact distribution."""

SOURCE = "Mann & Whitney 1947; Streitberg & Röhmel 1986 (exact, with ties)"


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
    shared: Any = {"alternative": alternative, "source": SOURCE, "assumptions": "rows are independent"}
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
