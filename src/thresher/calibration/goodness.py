"""Tests of calibration: Hosmer and Lemeshow's in groups of rows, Spiegelhalter's without groups."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from thresher.calibration.readable import check_bins, readable
from thresher.conventions import Floats, option
from thresher.counts.groups import Groups, equal_count, joined_at
from thresher.counts.scores import ScoreTable
from thresher.curves.points import Table
from thresher.errors import Note, OptionError, keyword
from thresher.measures.calibration import sums
from thresher.results import TestResult

IMPORTANCE = Note(
    "no-test", "importance weights leave no count of rows to test; frequency weights (", keyword("weight_kind"), ") do"
)


def hosmer_lemeshow_test(
    table: Table, *, groups: int = 10, rows: Literal["test", "training"] = "test", min_expected: float = 1.0
) -> TestResult:
    """Test calibration by Hosmer and Lemeshow: observed against expected counts in groups of about equal size.

    χ² = Σ over groups of (O − E)²/(E·(1 − E/n)), E being the sum of the scores; groups are cut at quantiles of the
    scores. On test rows the scores are given, and χ² has one degree of freedom per group; on the rows that the
    model was fitted to it has two fewer, which `rows="training"` takes. Equal scores stay together, so that
    there may be fewer groups than `groups`. Neighboring groups are merged until each expects `min_expected` rows
    of each class: with fewer the test rejects calibrated scores up to 13 % of the time at 5 %. The method names
    the number of groups. A row that was certain and wrong makes χ² infinite. NaN, with a reason, for importance
    weights, at a prevalence that was set, where all rows together promise fewer than that, and with fewer than 3 groups
    on training rows.

    Raises:
        OptionError: fewer than 2 groups, neither "test" nor "training", or a negative `min_expected`.

    Hosmer & Lemeshow (1980); Hosmer, Lemeshow & Sturdivant (2013), sections 5.2.2 and 5.2.5.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1] * 5, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 5)
    >>> hosmer_lemeshow_test(table, groups=3)
    TestResult(Hosmer–Lemeshow, 3 groups, test rows: statistic = 4.366, df = 3, p = 0.2246)
    """
    option("rows", rows, ("test", "training"))
    scores = readable(table, "the Hosmer–Lemeshow test")
    if not min_expected >= 0:
        raise OptionError(f"min_expected={min_expected!r}: a number of at least 0 is needed.")
    cut = equal_count(scores, check_bins(groups, 2))
    found = _merged(cut, min_expected)
    df = len(found) - (2 if rows == "training" else 0)
    merged = f" merged from {len(cut)}" if len(found) < len(cut) else ""
    method = f"Hosmer–Lemeshow, {len(found)} group{'' if len(found) == 1 else 's'}{merged}, {rows} rows"
    facts: dict[str, Any] = {"source": "Hosmer & Lemeshow 1980", "assumptions": "rows are independent"}
    reason = _no_count(scores)
    # A row that was certain and wrong is no chance, however few rows its group has.
    statistic = math.inf if math.isinf(_chi_square(cut)) else _chi_square(found)
    if math.isfinite(statistic) and _expected(found).min() < min_expected:
        reason = reason or Note(
            "too-few-rows", f"the scores promise fewer than {min_expected:g} rows of one of the classes"
        )
    if df <= 0:
        reason = reason or Note("too-few-rows", f"{df + 2} groups leave no degrees of freedom")
    if reason:
        return TestResult(method=method, statistic=math.nan, p_value=math.nan, reason=reason, **facts)
    from scipy.special import gammaincc

    p_value = float(gammaincc(df / 2, statistic / 2))
    return TestResult(method=method, statistic=statistic, df=df, p_value=p_value, **facts)


def spiegelhalter_test(table: Table) -> TestResult:
    """Test calibration by Spiegelhalter: the Brier score against its expectation by the scores.

    Z = Σ w(y − s)(1 − 2s)/√(Σ w²(1 − 2s)²·s(1 − s)), standard normal when the scores are the true probabilities; above
    0 the Brier score is worse than promised. Scores of ½ say nothing of it. NaN, with a reason, when every score is 0,
    ½ or 1: then nothing is left to chance. A score of 0 or 1 that is wrong counts in the numerator alone.

    Spiegelhalter (1986); Redelmeier, Bloch & Hickam (1991).

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> spiegelhalter_test(table)
    TestResult(Spiegelhalter's Z: statistic = 1.601, p = 0.1093)
    """
    scores = readable(table, "Spiegelhalter's test")
    g = sums(scores)
    s, squares = g.score, g.positive_weights + g.negative_weights
    top = float(((g.positive * (1 - s) - g.negative * s) * (1 - 2 * s)).sum())
    variance = float((squares * (1 - 2 * s) ** 2 * s * (1 - s)).sum())
    method, source = "Spiegelhalter's Z", "Spiegelhalter 1986"
    if not variance > 0:
        reason = Note("no-spread", "every score is 0, ½ or 1, which leaves nothing to chance")
        return TestResult(method=method, statistic=math.nan, p_value=math.nan, reason=reason, source=source)
    z = top / math.sqrt(variance)
    p_value = math.erfc(abs(z) / math.sqrt(2))
    return TestResult(method=method, statistic=z, p_value=p_value, source=source, assumptions="rows are independent")


def _expected(found: Groups) -> Floats:
    """Return the expected positives and negatives of each group."""
    return np.stack([found.weight * found.score, found.weight * (1 - found.score)])


def _merged(found: Groups, least: float) -> Groups:
    """Join groups from the lowest scores on until each expects enough of both classes; the rest joins the last."""
    place, group, expected = [], 0, np.zeros(2)
    for of_group in _expected(found).T:
        place.append(group)
        expected = expected + of_group
        if expected.min() >= least:
            group, expected = group + 1, np.zeros(2)
    return joined_at(found, np.minimum(place, max(0, group - 1)))


def _chi_square(found: Groups) -> float:
    """Return Σ (O − E)²/E over positives and negatives of each group; an empty cell that expects none adds 0."""
    s, share, weight = found.score, found.share, found.weight
    spread = s * (1 - s)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(share == s, 0.0, weight * (share - s) ** 2 / spread)
    return float(parts.sum())


def _no_count(scores: ScoreTable) -> Note | None:
    """Return why the counts of a table are not numbers of rows."""
    if scores.prior is not None:
        return Note("no-test", "a prevalence was set, and the test is of the rows as they are")
    return IMPORTANCE if scores.positive_squares is not None or scores.weight_kind == "importance" else None
