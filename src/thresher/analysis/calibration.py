"""Calibration of one model: the numbers with their tests, and what its reliability diagram is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.reliability import consistency_band, logits_of
from thresher.calibration.cox import cox_calibration
from thresher.calibration.decompositions import Decomposition, decomposition
from thresher.calibration.diagram import calibration_curve, score_histogram
from thresher.calibration.readable import why_not
from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.dataclass import dataclass
from thresher.evaluation.intervals import withheld
from thresher.inference.calibration.summary import calibration_tests
from thresher.inference.scores.calibration_means import clipped_words
from thresher.measures.fitted import CLIP
from thresher.plain import plain_text
from thresher.results import Estimate, TestResult

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

SAMPLES, GROUPS = 200, 256
"""Truths that are drawn for a band, and the groups of scores they are drawn for: a drawing needs no more."""

BINS = 40
"""Bars of the histogram of scores."""

POINTS = 400
"""Points of a drawn line at most."""

FINE = 100 * BINS
"""Narrow bins, of which every bar holds equally many wherever the axes end."""

ENDS = (0.02, 0.05, 0.1, 0.2, 0.5)
SEEN = 0.995
"""Where the axes of a drawing end: at the least of these that holds so large a share of the rows, else at 1."""

MEASURES = ("observed_expected_ratio", "expected_calibration_error")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing:
    """Isotonic reliability curve, the band that a calibrated score would stay in, and the histogram of the scores.

    Both axes run from 0 to `end`, above which the share `beyond` of the rows scores.
    """

    x: Floats
    y: Floats
    band_x: Floats
    low: Floats
    high: Floats
    edges: Floats
    positive: Floats
    negative: Floats
    band: str
    end: float = 1.0
    beyond: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationFindings:
    """Calibration of one model; without numbers, and with a `reason`, when its scores are no probabilities.

    `certain_errors` counts the rows predicted with probability 0 or 1 that were wrong, which make the log loss
    infinite; None where weights do not tell how many rows these are.
    """

    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    brier: Decomposition | None = None
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    drawing: Drawing | None = None
    reason: str | None = None
    moved: str | None = None
    certain_errors: int | None = None


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
        tests=withheld(model, calibration_tests(scores, cox)),
        drawing=_drawing(model) if drawn and scores.P and scores.N else None,
        certain_errors=_certain_errors(scores),
    )


def _certain_errors(scores: ScoreTable) -> int | None:
    if scores.weight_kind == "importance":
        return None
    return round(float(scores.positive[scores.scores == 0].sum() + scores.negative[scores.scores == 1].sum()))


def _drawing(model: ModelEvaluation) -> Drawing:
    curve = calibration_curve(model.scores).thin(POINTS)
    band = consistency_band(model, n=SAMPLES, groups=GROUPS)
    bars = score_histogram(model.scores, bins=FINE)
    end, beyond = _seen(bars.positive + bars.negative)
    inside = round(end * bars.positive.size)
    positive, negative = (part[:inside].reshape(BINS, -1).sum(axis=1) for part in (bars.positive, bars.negative))
    return Drawing(
        x=curve.x,
        y=curve.y,
        band_x=band.x,
        low=band.low,
        high=band.high,
        edges=end * np.linspace(0.0, 1.0, BINS + 1),
        positive=positive,
        negative=negative,
        band=f"{100 * band.level:g} % {band.method}",
        end=end,
        beyond=beyond,
    )


def _seen(fine: NDArray[Any]) -> tuple[float, float]:
    """Where the axes of a drawing end, and the share of the rows above, from the weights of narrow bins."""
    total = float(fine.sum())
    above = {end: float(fine[round(end * fine.size) :].sum()) / total for end in ENDS}
    return next(((end, share) for end, share in above.items() if share <= 1 - SEEN), (1.0, 0.0))
