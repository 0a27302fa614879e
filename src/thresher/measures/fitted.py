"""Measures of one score that need a fit (slopes, explained likelihood, distances from its recalibration)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from thresher.counts.scores import ScoreTable
from thresher.errors import Note
from thresher.measures.areas import NO_RESCALING, auc, per_table
from thresher.measures.calibration import NOT_PROBABILITIES, ONE_CLASS, root_brier_score
from thresher.measures.conditions import NO_NEGATIVES, NO_POSITIVES, NO_ROWS, TABLE_CONDITIONS
from thresher.measures.registry import measure
from thresher.upward_import import upward_import

CLIP = 1e-6
"""Distance from 0 and 1 to which summaries clip scores, to keep logits finite; clipped estimates say so."""

NO_SLOPE = Note("no-fit", "the scores and classes determine no slope")
NO_SHIFT = Note("no-fit", "the scores and classes determine no shift")
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
        return of_one(t) if all(column.ndim == 1 for column in t.columns) else of_parts(t)

    return over_batch


def _unreadable(t: ScoreTable) -> bool:
    return upward_import("formulas").why_not(t) is not None


def _cox(t: ScoreTable) -> Any:
    return upward_import("formulas").cox_calibration(t, clip=CLIP)


# A measure's row of data stays a row.
# fmt: off


@measure(text="b of logit Pr(y = 1) = a + b·logit(s)", needs="table", group="calibration", better="neither",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SLOPE), fitted=True, source="Cox 1958")
@per_fit
def calibration_slope(t: ScoreTable) -> float:
    """Slope of the truth on the logit of the score: 1 is right, below 1 the scores are too extreme."""
    return float(upward_import("formulas").line_of_logits(t, clip=CLIP)[1])


@measure(text="a of logit Pr(y = 1) = a + logit(s)", needs="table", group="calibration", better="neither",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SHIFT), fitted=True, source="Cox 1958")
@per_fit
def calibration_intercept(t: ScoreTable) -> float:
    """Shift of the logits that fits best at slope 1: above 0 the scores are too low on the whole."""
    return float(upward_import("formulas").shift_of_logits(t, clip=CLIP))


@measure("ace", text="Σ over 10 bins of equal count of n_b/n·|share of positives − mean score|", needs="table",
         group="calibration", better="lower", undefined=READABLE, fitted=True, source="Nixon et al. 2019")
@per_fit
def adaptive_calibration_error(t: ScoreTable) -> float:
    """Expected calibration error over bins with equally many rows."""
    return float(upward_import("formulas").adaptive_calibration_error(t))


@measure(text="√(Σ_b n_b/n·((share − mean score)² − share·(1 − share)/(n_b − 1)))", needs="table", group="calibration",
         better="lower", undefined=READABLE, fitted=True, source="Kumar, Liang & Ma 2019")
@per_fit
def debiased_calibration_error(t: ScoreTable) -> float:
    """Root mean squared calibration error, corrected for chance."""
    return float(upward_import("formulas").debiased_calibration_error(t))


@measure(text="∫ |mean of K(s, t)·(y − s)| dt, K a normal kernel as wide as the error itself", needs="table",
         group="calibration", better="lower", undefined=READABLE, fitted=True, source="Błasiok & Nakkiran 2024")
@per_fit
def smooth_calibration_error(t: ScoreTable) -> float:
    """Calibration error without bins."""
    return float(upward_import("formulas").smooth_calibration_error(t))


@measure("nagelkerke r squared", "r2", text="(1 − exp((L − L₀)/n))/(1 − exp(−L₀/n)), L = −2·log-likelihood",
         needs="table", group="probabilities", bounds=(-np.inf, 1.0), undefined=(*READABLE, ONE_CLASS), fitted=True,
         title="Nagelkerke's R²", source="Nagelkerke 1991")
@per_fit
def nagelkerke_r2(t: ScoreTable) -> float:
    """Share of the likelihood that the scores gain over the prevalence; below 0 they lose."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).r2)


@measure("d index", text="(L₀ − L* − 1)/n, L* of the recalibrated scores", needs="table", group="probabilities",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SLOPE), fitted=True, source="Harrell 2015")
@per_fit
def discrimination_index(t: ScoreTable) -> float:
    """Likelihood that the recalibrated scores gain, for each row: Harrell's D."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).discrimination)


@measure("q index", text="D − U = (L₀ − L + 1)/n", needs="table", group="probabilities", bounds=(-np.inf, np.inf),
         undefined=(*READABLE, NO_SLOPE), fitted=True, source="Harrell 2015")
@per_fit
def quality_index(t: ScoreTable) -> float:
    """Discrimination less unreliability, for each row: Harrell's Q."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).quality)


@measure(text="max of |s − recalibrated s|", needs="table", group="calibration", better="lower",
         undefined=(*READABLE, NO_SLOPE), fitted=True, title="Emax", source="Harrell 2015")
@per_fit
def emax(t: ScoreTable) -> float:
    """Largest distance of a score from its logistic recalibration."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).largest)


@measure(text="0.9 quantile of |s − recalibrated s|", needs="table", group="calibration", better="lower",
         undefined=(*READABLE, NO_SLOPE), fitted=True, title="E90", source="Harrell 2015")
@per_fit
def e90(t: ScoreTable) -> float:
    """Distance from their logistic recalibration that nine in ten rows keep within."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).ninth)


@measure("ici", "integrated calibration index", text="mean of |s − recalibrated s|", needs="table",
         group="calibration", better="lower", undefined=(*READABLE, NO_SLOPE), fitted=True, title="Eavg",
         source="Harrell 2015; Austin & Steyerberg 2019")
@per_fit
def eavg(t: ScoreTable) -> float:
    """Mean distance of the scores from their logistic recalibration."""
    return float(upward_import("formulas").overall_fit(t, clip=CLIP).mean)


@measure("squared error accuracy roc", text="(accuracy at 0.5 + AUC + 1 − √Brier)/3", needs="table",
         group="probabilities", undefined=(*READABLE, NO_POSITIVES, NO_NEGATIVES), fitted=True, title="SAR",
         source="Caruana & Niculescu-Mizil 2004")
@per_fit
def sar(t: ScoreTable) -> float:
    """Mean of accuracy at ½, area under the ROC and one minus the root Brier score."""
    return float((t.at(0.5).accuracy + auc(t) + 1 - root_brier_score(t)) / 3)


# fmt: on
