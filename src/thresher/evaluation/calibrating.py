"""Calibration of an evaluated model: its curve with a band, its summary, and what it is after a recalibration map."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.calibration.diagram import Method, calibration_curve
from thresher.calibration.fitting import SAME_ROWS, SameRowsWarning, digest
from thresher.calibration.murphy import murphy_curve
from thresher.curves.curve import Curve
from thresher.errors import TaskError
from thresher.evaluation.assumed import default_threshold
from thresher.inference.calibration_bands import calibration_band
from thresher.inference.calibration_values import CalibrationSummary, calibration_summary

if TYPE_CHECKING:
    from thresher.counts import ScoreTable
    from thresher.evaluation.model import ModelEvaluation


def reliability_curve(model: ModelEvaluation, *, method: Method = "isotonic", bins: int = 10) -> Curve:
    """Share of positives against the score; `method` is "isotonic", "equal_width" or "equal_count", of so many `bins`.

    The isotonic curve has the band that a calibrated score would stay in as series.

    Raises:
        TaskError: the model has no single score.
        InputError: the scores are not probabilities of the positive class.
        OptionError: no such method, or fewer than one bin.

    >>> import thresher as th
    >>> model = th.evaluate([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])["score"]
    >>> model.calibration_curve.at(0.5), model.reliability(method="equal_width", bins=2).y.round(3).tolist()
    (0.5, [0.333, 0.667])
    """
    curve = calibration_curve(_scores(model, "a reliability diagram"), method=method, bins=bins)
    if method != "isotonic":
        return replace(curve, backend=model.predictions.backend)
    band = calibration_band(model.scores, level=model.level)
    limits = {f"consistency_{side}": np.interp(curve.x, band.x, getattr(band, side)) for side in ("low", "high")}
    said = band.reason or f"band: {100 * band.level:g}% {band.method}"
    return replace(
        curve, series=limits | dict(curve.series), notes=(*curve.notes, said), backend=model.predictions.backend
    )


def summary_of(model: ModelEvaluation) -> CalibrationSummary:
    """Calibration of a model: in the large, intercept and slope, calibration errors, decompositions and tests.

    Raises:
        TaskError: the model has no single score.

    >>> import thresher as th
    >>> model = th.evaluate([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])["score"]
    >>> model.calibration.brier
    Decomposition(Brier score 0.1667 = miscalibration 0.08333 − discrimination 0.1667 + uncertainty 0.25)
    """
    return calibration_summary(_scores(model, "calibration"), level=model.level, bootstrap=model.bootstrap)


def murphy_curve_of(model: ModelEvaluation) -> Curve:
    """Mean elementary score at every threshold, of which every proper score is a mixture.

    Raises:
        TaskError: the model has no single score.
        InputError: the scores are not probabilities of the positive class.
    """
    return replace(murphy_curve(_scores(model, "a Murphy diagram")), backend=model.predictions.backend)


def recalibrated(model: ModelEvaluation, found: Any) -> ModelEvaluation:
    """Same model with its scores put through a map of `thresher.calibration.fit_map` that was fitted on other rows.

    The threshold is 0.5, the default of probabilities, and high ones are positive, whatever the scores were.

    Raises:
        TaskError: the model has no single score.
        InputError: the scores do not fit the map.

    Warns:
        SameRowsWarning: the map was fitted on these very rows, where it looks better than it is.
    """
    if found.fitted_on == digest(_scores(model, "recalibration")):
        warnings.warn(SAME_ROWS + ".", SameRowsWarning, stacklevel=2)
    rows = model.predictions
    mapped = np.asarray(found.transform(rows.scores[model.name]), dtype=np.float64)
    threshold, reason = default_threshold(mapped)
    # The rows have one direction for all models, so that others whose low scores are positive cannot stay.
    others = rows.scores if rows.direction == "higher" else {}
    return replace(
        model,
        predictions=replace(rows, direction="higher", scores={**others, model.name: mapped}),
        threshold=threshold,
        threshold_reason=reason,
    )


def _scores(model: ModelEvaluation, what: str) -> ScoreTable:
    """Score table of a model that has one score."""
    if model.task != "binary":
        raise TaskError(f"{what} needs the score of one class, and {model.name!r} is of the task {model.task}.")
    return model.scores
