"""The interval of an AUC that holds with few positives too: the values that its score test does not reject."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

from thresher.conventions import LEVEL, confidence_level
from thresher.counts.scores import ScoreTable
from thresher.inference.auc._score_variance import AucSpread
from thresher.inference.auc.delong import DelongVariance, delong_interval, delong_variance, estimate_without_limits
from thresher.results import Estimate

METHOD = "DeLong, score limits"


def auc_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the AUC with the score interval {x: (x − A)² ≤ z²·V(x)}, the default of an evaluation.

    V(x) = x(1 − x)·(r + λ·max(h(x) − r, 0)), a variance at the value that is held against the AUC A, as in Wilson's
    interval of a proportion. r is DeLong's variance over A(1 − A); h(x) is what is supposed of it before the rows are
    seen, half of its largest value for the smaller class and that of exponential scores for the larger one
    (`AucSpread.supposed`); λ = 4/(4 + e) weighs it by the number e of rows that the errors of a class are spread over.
    Few errors, as with few positives or near an AUC of 1, say little about r; with many the interval tends to DeLong's.
    It needs no other method where DeLong's variance is 0, and there is no value at which it changes its form.

    The standard error is DeLong's. With fewer than two rows of a class it is unknown: an AUC of 0 or 1 has an interval
    all the same, from h alone, any other a reason in its place. With importance weights the numbers of rows are
    effective ones, (Σw)²/Σw²; frequency weights count rows.

    Raises:
        OptionError: the level is not strictly between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> auc_interval(table)
    Estimate(auc = 0.76 [0.3689, 0.9449], 95% DeLong, score limits)

    Simulated in docs/coverage.md; Wilson 1927; Hanley & McNeil 1982; DeLong, DeLong & Clarke-Pearson 1988.
    """
    confidence_level(level)
    if not table.P or not table.N:
        return delong_interval(table, level=level)
    return score_interval_of(delong_variance(table), "", level=level)


def score_interval_of(found: DelongVariance, missing: str, *, level: float) -> Estimate:
    """Estimate of an AUC whose variance is known; `missing` says which class has no rows."""
    base = estimate_without_limits(found, missing, level)
    if base.reason is not None:
        return base
    limits = spread_of(found).limits(NormalDist().inv_cdf((1 + level) / 2))
    effective = ", effective size" if found.is_effective else ""
    # An AUC is a quotient, whose last bit may lie above the limit that was found for it.
    low, high = min(float(limits[0]), found.auc), max(float(limits[1]), found.auc)
    return replace(base, low=low, high=high, method=METHOD + effective)


def spread_of(found: DelongVariance) -> AucSpread:
    """What an AUC and DeLong's variance say of its spread."""
    return AucSpread.of(found.auc, found.of_positives, found.of_negatives, found.positives, found.negatives)
