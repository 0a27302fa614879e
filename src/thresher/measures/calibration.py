"""Measures of how well scores agree, as probabilities, with the shares of positives that they come with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.counts.groups import Groups, class_scales, condensed, cuts_at, grouped, joined
from thresher.counts.scores import ScoreTable
from thresher.measures.areas import NO_RESCALING, once_per_table, per_table
from thresher.measures.conditions import DOMAINS, TABLE_CONDITIONS
from thresher.measures.probability import NO_ROWS, NOT_PROBABILITIES
from thresher.measures.registry import measure

Array = NDArray[np.float64]

WHOLE = "a whole number ≥ 1"
DOMAINS[WHOLE] = lambda value: isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1
ALL_ZERO = "there are no positives and every score is 0"

PROBABILITIES = (NO_ROWS, NOT_PROBABILITIES, NO_RESCALING)

# A measure's row of data stays a row.
# fmt: off


@measure("observed minus expected", text="π − mean of s", needs="table", better="neither", bounds=(-1.0, 1.0),
         undefined=PROBABILITIES, source="Van Calster et al. 2019")
@per_table
def calibration_difference(t: ScoreTable) -> float:
    """Prevalence less the mean score: above 0 when the scores are too low on the whole."""
    g = sums(t)
    return g.prevalence - mean_score(g) if len(g) else np.nan


@measure("o:e ratio", "observed over expected", text="π/mean of s", needs="table", better="neither",
         bounds=(0.0, np.inf), undefined=(*PROBABILITIES, ALL_ZERO), source="Debray et al. 2017")
@per_table
def observed_expected_ratio(t: ScoreTable) -> float:
    """Positives over those that the scores add up to: above 1 when the scores are too low on the whole."""
    with np.errstate(over="ignore"):
        return float(divide(sums(t).positive.sum(), sums(t).expected))


@measure("ece", text="Σ over bins of n_b/n·|share of positives − mean score|", needs="table", better="lower",
         undefined=PROBABILITIES, where={"bins": WHOLE}, source="Naeini et al. 2015; Guo et al. 2017")
@per_table
def expected_calibration_error(t: ScoreTable, bins: int = 10) -> float:
    """Mean distance of the share of positives from the mean score over equally wide bins; depends on their number."""
    found = equal_width_sums(t, bins)
    return min(1.0, float((found.weight * gaps(found)).sum() / found.total)) if len(found) else np.nan


@measure("mce", text="max over bins of |share of positives − mean score|", needs="table", better="lower",
         undefined=PROBABILITIES, where={"bins": WHOLE}, source="Naeini et al. 2015")
@per_table
def maximum_calibration_error(t: ScoreTable, bins: int = 10) -> float:
    """Largest distance of the share of positives from the mean score over equally wide bins, however few rows."""
    found = equal_width_sums(t, bins)
    return float(gaps(found).max()) if len(found) else np.nan


@measure("mcb", text="Brier − Brier of the isotonic fit", needs="table", better="lower", undefined=PROBABILITIES,
         source="Dimitriadis, Gneiting & Jordan 2021")
@per_table
def brier_miscalibration(t: ScoreTable) -> float:
    """Part of the Brier score that recalibration could save: what the best monotone map of the scores takes off."""
    return _corp(t)[0]


@measure("dsc", text="π·(1 − π) − Brier of the isotonic fit", needs="table", bounds=(0.0, 0.25),
         undefined=PROBABILITIES, source="Dimitriadis, Gneiting & Jordan 2021")
@per_table
def brier_discrimination(t: ScoreTable) -> float:
    """What the isotonic fit's Brier score gains on that of always forecasting the prevalence; at most 1/4."""
    return _corp(t)[1]


@measure("unc", text="π·(1 − π)", needs="table", better="neither", bounds=(0.0, 0.25), undefined=PROBABILITIES,
         source="Murphy 1973")
@per_table
def brier_uncertainty(t: ScoreTable) -> float:
    """Brier score of always forecasting the prevalence; Brier = miscalibration − discrimination + uncertainty."""
    return _corp(t)[2]


# fmt: on


@once_per_table
def sums(t: ScoreTable) -> Groups:
    """Sums of every distinct score, or of narrow groups of many; none when the scores are not probabilities."""
    if not t.is_probability or t.positive.ndim > 1:
        return grouped(t, np.zeros(1, dtype=np.int64))
    return condensed(t)


@once_per_table
def blocks(t: ScoreTable) -> Groups:
    """Blocks of the isotonic regression of truth on score, rising: neighbors are pooled until the shares rise.

    They are the edges of the ROC's convex hull (`thresher.decisions.roc_hull`).
    """
    if not t.P or not t.N:
        return grouped(t, np.array([0, t.scores.size]))
    return grouped(t, np.append(0, t.hull_rows + 1))


def equal_width_sums(t: ScoreTable, bins: int) -> Groups:
    """Sums in equally wide bins of [0, 1]; none when the scores are not probabilities."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    found = joined(sums(t), edges)
    return grouped(t, cuts_at(t, edges)) if found is None else found


def mean_score(g: Groups) -> float:
    """Mean score over all groups."""
    return float(g.weight @ g.score / g.total)


def gaps(g: Groups) -> Array:
    """Distance of the share of positives from the mean score, per group."""
    return np.abs(g.share - g.score)


def _readable(t: ScoreTable) -> bool:
    """Whether there are rows whose scores are probabilities."""
    return bool(t.is_probability and len(sums(t)))


def _corp(t: ScoreTable) -> tuple[float, float, float]:
    """Miscalibration, discrimination, uncertainty of the Brier score."""
    if not _readable(t) or not any(class_scales(t)):
        return np.nan, np.nan, np.nan
    from thresher.measures.probability import brier_score

    fitted = blocks(t)
    share, weight = fitted.share, fitted.weight / fitted.total
    gained = float(weight @ (share - fitted.prevalence) ** 2)
    spread = fitted.prevalence * (1 - fitted.prevalence)
    return max(0.0, float(brier_score(t)) - float(weight @ (share * (1 - share)))), min(gained, spread), spread


TABLE_CONDITIONS[ALL_ZERO] = lambda t: _readable(t) and sums(t).prevalence == 0 and not sums(t).expected
