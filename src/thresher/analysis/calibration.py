"""Calibration of one model: the numbers with their tests, and what its reliability diagram is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.reliability import logits_of
from thresher.calibration.cox import cox_calibration
from thresher.calibration.decompositions import Decomposition, decomposition
from thresher.calibration.diagram import calibration_curve, score_histogram
from thresher.calibration.goodness import spiegelhalter_test
from thresher.calibration.readable import why_not
from thresher.inference.calibration.bands import calibration_band
from thresher.inference.calibration.summary import recalibration_test
from thresher.inference.scores.calibration_fits import clipped_words
from thresher.measures.fitted import CLIP
from thresher.plain import plain_text
from thresher.results import Estimate, TestResult

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

Floats = NDArray[np.float64]

SAMPLES, GROUPS = 200, 256
"""Truths that are drawn for a band, and the groups of scores they are drawn for: a drawing needs no more."""

BINS = 40
"""Bars of the histogram of scores."""

POINTS = 400
"""Points of a drawn line at most."""

MEASURES = ("observed_expected_ratio", "expected_calibration_error")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing:
    """Isotonic reliability curve, the band that a calibrated score would stay in, and the histogram of the scores."""

    x: Floats
    y: Floats
    band_x: Floats
    low: Floats
    high: Floats
    edges: Floats
    positive: Floats
    negative: Floats
    band: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationFindings:
    """Calibration of one model; without numbers, and with a `reason`, when its scores are no probabilities."""

    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    brier: Decomposition | None = None
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    drawing: Drawing | None = None
    reason: str | None = None
    moved: str | None = None


def calibration_findings(model: ModelEvaluation, *, drawn: bool) -> CalibrationFindings | None:
    """Calibration of a model of one score; None for other tasks."""
    if model.task != "binary":
        return None
    scores = model.scores
    if reason := why_not(scores):
        return CalibrationFindings(reason=plain_text(reason))
    cox = cox_calibration(scores, clip=CLIP)
    found = {name: model.measures[name] for name in MEASURES if name in model.measures}
    return CalibrationFindings(
        moved=clipped_words(cox) if cox.moved else None,
        estimates=found | logits_of(model, cox),
        brier=decomposition(scores),
        tests={"recalibration": recalibration_test(scores, cox), "spiegelhalter": spiegelhalter_test(scores)},
        drawing=_drawing(model) if drawn and scores.P and scores.N else None,
    )


def _drawing(model: ModelEvaluation) -> Drawing:
    curve = calibration_curve(model.scores).thin(POINTS)
    band = calibration_band(model.scores, level=model.level, n=SAMPLES, groups=GROUPS)
    bars = score_histogram(model.scores, bins=BINS)
    return Drawing(
        x=curve.x,
        y=curve.y,
        band_x=band.x,
        low=band.low,
        high=band.high,
        edges=bars.edges,
        positive=bars.positive,
        negative=bars.negative,
        band=f"{100 * band.level:g} % {band.method}",
    )
