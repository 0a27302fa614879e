"""What a report holds about the calibration of a model: the numbers, and what its reliability diagram is drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.calibration.cox import cox_calibration
from thresher.calibration.decompositions import Decomposition, decomposition
from thresher.calibration.diagram import calibration_curve, score_histogram
from thresher.calibration.goodness import spiegelhalter_test
from thresher.calibration.readable import why_not
from thresher.evaluation import ModelEvaluation
from thresher.evaluation.calibrating import logits_of
from thresher.inference.calibration_bands import calibration_band
from thresher.inference.calibration_fits import moved_words
from thresher.inference.calibration_values import recalibration_test
from thresher.measures.fitted import CLIP
from thresher.report.plain import finite, plain_text
from thresher.results import Estimate, TestResult

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
class CalibrationPart:
    """Calibration of one model; without numbers, and with a `reason`, when its scores are no probabilities."""

    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    brier: Decomposition | None = None
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    drawing: Drawing | None = None
    reason: str | None = None
    moved: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagram:
    """Reliability diagram of one model; `model` counts in the document's order."""

    model: int
    name: str
    drawing: Drawing
    description: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagrams:
    """Reliability diagrams side by side."""

    key: str
    title: str
    diagrams: tuple[Diagram, ...]
    lead: str = ""
    caption: str = ""


def calibration_part(model: ModelEvaluation, *, drawn: bool) -> CalibrationPart | None:
    """Calibration of a model of one score; None for other tasks."""
    if model.task != "binary":
        return None
    scores = model.scores
    if reason := why_not(scores):
        return CalibrationPart(reason=plain_text(reason))
    cox = cox_calibration(scores, clip=CLIP)
    found = {name: model.measures[name] for name in MEASURES if name in model.measures}
    return CalibrationPart(
        moved=moved_words(cox) if cox.moved else None,
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


def calibration_dict(part: CalibrationPart) -> dict[str, Any]:
    """Calibration as JSON types: estimates, the Brier score's parts, tests; without numbers the reason."""
    from thresher.report.json_form import estimate_dict

    if part.reason is not None:
        return {"reason": part.reason}
    brier = {} if part.brier is None else {k: v for k, v in part.brier.to_dict().items() if k != "loss"}
    return {
        "estimates": {name: estimate_dict(estimate) for name, estimate in part.estimates.items()},
        "brier": {name: finite(value) for name, value in brier.items()},
        "tests": {name: _test(test) for name, test in part.tests.items()},
    }


def _test(test: TestResult) -> dict[str, Any]:
    return {
        "method": test.method,
        "statistic": finite(test.statistic),
        "df": test.df,
        "p_value": finite(test.p_value),
        "reason": test.reason if math.isnan(test.p_value) else None,
    }
