"""Measures of the calibration of one score that need a fit: computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from thresher.counts.scores import ScoreTable
from thresher.late import late
from thresher.measures.areas import NO_RESCALING, per_table
from thresher.measures.conditions import TABLE_CONDITIONS
from thresher.measures.probability import NO_ROWS, NOT_PROBABILITIES
from thresher.measures.registry import measure

CLIP = 1e-6
"""How far from 0 and 1 a summary takes scores to be, which else have no logit; every estimate that it moves says so."""

NO_SLOPE, NO_SHIFT = "the scores and classes determine no slope", "the scores and classes determine no shift"
READABLE = (NO_ROWS, NOT_PROBABILITIES, NO_RESCALING)
TABLE_CONDITIONS[NO_SLOPE] = lambda t: not _unreadable(t) and _cox(t).slope_reason is not None
TABLE_CONDITIONS[NO_SHIFT] = lambda t: not _unreadable(t) and _cox(t).reason is not None


def per_fit(formula: Callable[[ScoreTable], float]) -> Callable[[ScoreTable], Any]:
    """Apply a fit to every table of a batch, scores that no row has left out; NaN where the scores rank only."""

    def of_one(t: ScoreTable) -> float:
        return np.nan if _unreadable(t) else float(formula(t))

    @per_table
    def of_parts(t: ScoreTable) -> float:
        columns = {name: getattr(t, name) for name in ("scores", "positive", "negative")}
        some = (t.positive > 0) | (t.negative > 0)
        return of_one(replace(t, **{name: column[some] for name, column in columns.items()}))

    @wraps(formula)
    def over_batch(t: ScoreTable) -> Any:
        return of_one(t) if t.positive.ndim == t.negative.ndim == 1 else of_parts(t)

    return over_batch


def _unreadable(t: ScoreTable) -> bool:
    return late("formulas").why_not(t) is not None


def _cox(t: ScoreTable) -> Any:
    return late("formulas").cox_calibration(t, clip=CLIP)


# A measure's row of data stays a row.
# fmt: off


@measure(text="b of logit Pr(y = 1) = a + b·logit(s)", needs="table", group="calibration", better="neither",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SLOPE), fitted=True, source="Cox 1958")
@per_fit
def calibration_slope(t: ScoreTable) -> float:
    """Slope of the truth on the logit of the score: 1 is right, below 1 the scores are too extreme."""
    return float(late("formulas").line_of_logits(t, clip=CLIP)[1])


@measure(text="a of logit Pr(y = 1) = a + logit(s)", needs="table", group="calibration", better="neither",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SHIFT), fitted=True, source="Cox 1958")
@per_fit
def calibration_intercept(t: ScoreTable) -> float:
    """Shift of the logits that fits best at slope 1: above 0 the scores are too low on the whole."""
    return float(late("formulas").shift_of_logits(t, clip=CLIP))


@measure("ace", text="Σ over 10 bins of equal count of n_b/n·|share of positives − mean score|", needs="table",
         group="calibration", better="lower", undefined=READABLE, fitted=True, source="Nixon et al. 2019")
@per_fit
def adaptive_calibration_error(t: ScoreTable) -> float:
    """Expected calibration error over bins with equally many rows."""
    return float(late("formulas").adaptive_calibration_error(t))


@measure(text="√(Σ_b n_b/n·((share − mean score)² − share·(1 − share)/(n_b − 1)))", needs="table", group="calibration",
         better="lower", undefined=READABLE, fitted=True, source="Kumar, Liang & Ma 2019")
@per_fit
def debiased_calibration_error(t: ScoreTable) -> float:
    """Root mean squared calibration error less what chance adds to it."""
    return float(late("formulas").debiased_calibration_error(t))


@measure(text="∫ |mean of K(s, t)·(y − s)| dt, K a normal kernel as wide as the error itself", needs="table",
         group="calibration", better="lower", undefined=READABLE, fitted=True, source="Błasiok & Nakkiran 2024")
@per_fit
def smooth_calibration_error(t: ScoreTable) -> float:
    """Calibration error without bins."""
    return float(late("formulas").smooth_calibration_error(t))
