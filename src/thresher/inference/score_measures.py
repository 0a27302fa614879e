"""Measures of the calibration of one score that need a fit: what each is, and its value on a score table."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from thresher.calibration.cox import cox_calibration
from thresher.calibration.distances import (
    adaptive_calibration_error,
    debiased_calibration_error,
    smooth_calibration_error,
)
from thresher.calibration.readable import why_not
from thresher.conventions import LEVEL
from thresher.counts.scores import ScoreTable
from thresher.errors import OptionError
from thresher.inference.calibration_values import CLIP, LOGITS, logit_estimates
from thresher.inference.influence import class_sizes
from thresher.inference.scored import NO_INTERVAL
from thresher.measures.catalogue import fact_row
from thresher.measures.registry import spelling
from thresher.results import Estimate

INFINITY = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreMeasure:
    """One measure of a score table; called with a table it gives its value, NaN where the scores rank only."""

    name: str
    title: str
    text: str
    summary: str
    of: Callable[[ScoreTable], float]
    bounds: tuple[float, float] = (0.0, 1.0)
    better: Literal["higher", "lower", "neither"] = "lower"
    source: str = ""
    needs: str = "table"
    proportion: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    def __call__(self, table: ScoreTable) -> float:
        """Value of one table."""
        return math.nan if why_not(table) else float(self.of(table))

    def checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """No parameters; any is refused.

        Raises:
            OptionError: a parameter was given.
        """
        if given:
            raise OptionError(f"{self.title} does not take {next(iter(given))}=…; it takes no parameters.")
        return given


def _slope(table: ScoreTable) -> float:
    return cox_calibration(table, clip=CLIP).slope


def _intercept(table: ScoreTable) -> float:
    return cox_calibration(table, clip=CLIP).in_the_large


SCORE_MEASURES: dict[str, ScoreMeasure] = {
    each.name: each
    for each in (
        ScoreMeasure(
            name="calibration_slope",
            title="calibration slope",
            text="b of logit Pr(y = 1) = a + b·logit(s)",
            summary="Slope of the truth on the logit of the score: 1 is right, below 1 the scores are too extreme.",
            of=_slope,
            bounds=(-INFINITY, INFINITY),
            better="neither",
            source="Cox 1958",
        ),
        ScoreMeasure(
            name="calibration_intercept",
            title="calibration intercept",
            text="a of logit Pr(y = 1) = a + logit(s)",
            summary="Shift of the logits that fits best at slope 1: above 0 the scores are too low on the whole.",
            of=_intercept,
            bounds=(-INFINITY, INFINITY),
            better="neither",
            source="Cox 1958",
        ),
        ScoreMeasure(
            name="adaptive_calibration_error",
            title="adaptive calibration error",
            text="Σ over 10 bins of equal count of n_b/n·|share of positives − mean score|",
            summary="Expected calibration error over bins with equally many rows.",
            of=adaptive_calibration_error,
            source="Nixon et al. 2019",
            aliases=("ace",),
        ),
        ScoreMeasure(
            name="debiased_calibration_error",
            title="debiased calibration error",
            text="√(Σ_b n_b/n·((share − mean score)² − share·(1 − share)/(n_b − 1)))",
            summary="Root mean squared calibration error less what chance adds to it.",
            of=debiased_calibration_error,
            source="Kumar, Liang & Ma 2019",
        ),
        ScoreMeasure(
            name="smooth_calibration_error",
            title="smooth calibration error",
            text="∫ |mean of K(s, t)·(y − s)| dt, K a normal kernel as wide as the error itself",
            summary="Calibration error without bins.",
            of=smooth_calibration_error,
            source="Błasiok & Nakkiran 2024",
        ),
    )
}
"""By name."""


def score_measure(name: str) -> ScoreMeasure | None:
    """Measure of a name or alias; None when it is none.

    >>> score_measure("Calibration-Slope").better, score_measure("ace").name, score_measure("auc")
    ('neither', 'adaptive_calibration_error', None)
    """
    key = spelling(name)
    return SCORE_MEASURES.get(key) or next((m for m in SCORE_MEASURES.values() if key in m.aliases), None)


def nearest_score(name: str) -> str:
    """Hint at the name that a misspelled one is close to; empty when none is."""
    near = difflib.get_close_matches(name, SCORE_MEASURES, n=1, cutoff=0.8)
    return f" Of calibration there is {near[0]}." if near else ""


def score_estimate(table: ScoreTable, entry: ScoreMeasure, *, level: float = LEVEL) -> Estimate:
    """Estimate of one measure, with Wald's interval of intercept and slope; the distances have none by formula."""
    if reason := why_not(table):
        return Estimate(name=entry.name, value=math.nan, reason=reason)
    if entry.name in LOGITS:
        return logit_estimates(table, cox_calibration(table, clip=CLIP), level)[entry.name]
    return Estimate(name=entry.name, value=entry(table), n=class_sizes(table).total, reason=NO_INTERVAL)


def score_row(entry: ScoreMeasure) -> dict[str, Any]:
    """A measure of calibration as a row of the catalogue.

    >>> score_row(SCORE_MEASURES["calibration_slope"])["range"]
    '−∞ to ∞'
    """
    return fact_row(entry, aliases=entry.aliases, undefined=["the scores are no probabilities"])
