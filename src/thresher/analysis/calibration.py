"""Calibration of one model: its curve with a band, its numbers with tests, its drawing, and its recalibration."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.calibration.calibration_tests import cox_calibration
from thresher.calibration.decompositions import Decomposition, decomposition
from thresher.calibration.diagram import Method, calibration_curve, score_histogram, why_not
from thresher.conventions import Direction, Floats
from thresher.counts import ScoreTable
from thresher.curves.curve import Curve
from thresher.errors import InputError, Note, Reasoned, TaskError
from thresher.evaluation.assumptions import default_threshold
from thresher.evaluation.estimate import adjusted_for_design, estimate
from thresher.evaluation.intervals import draws_clusters, withheld
from thresher.evaluation.subject import LARGEST, Subject
from thresher.inference.calibration import (
    LARGE,
    CalibrationSummary,
    calibration_band,
    calibration_summary,
    calibration_tests,
    resampled_distances,
)
from thresher.inference.curves.bands import Band
from thresher.inference.estimates.row_means import LOGITS, clipped_share, logit_estimates
from thresher.measures.fitted import CLIP
from thresher.predictions import Predictions
from thresher.results import Estimate, TestResult

S = TypeVar("S", bound=Subject)

OF_CLASSES = ("temperature", "classwise")
"""Methods of maps that take the probabilities of K classes."""


def reliability_curve(model: Subject, *, method: Method = "isotonic", bins: int = 10) -> Curve:
    """Return the share of positives by score; `method` is "isotonic", "equal_width" or "equal_count", with `bins`.

    The isotonic curve has the consistency band of a calibrated score as series.

    Raises:
        TaskError: the model lacks a single score.
        InputError: the scores are not probabilities of the positive class.
        OptionError: no such method, or fewer than one bin.

    >>> import thresher as th
    >>> model = th.evaluate([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])["score"]
    >>> model.calibration_curve.at(0.5), model.reliability(method="equal_width", bins=2).y.round(3).tolist()
    (0.5, [0.333, 0.667])
    """
    curve = calibration_curve(_scores(model, "a reliability diagram"), method=method, bins=bins)
    if method != "isotonic":
        return replace(curve, backend=model.backend)
    band = consistency_band(model)
    limits = {f"consistency_{side}": np.interp(curve.x, band.x, getattr(band, side)) for side in ("low", "high")}
    said = Note("consistency-band", band.reason or f"band: {100 * band.level:g}% {band.method}")
    return replace(curve, series=limits | dict(curve.series), notes=(*curve.notes, said), backend=model.backend)


def consistency_band(model: Subject, **options: Any) -> Band:
    """Return the band of a calibrated score of independent rows; its method reports clusters."""
    found = calibration_band(model.scores, level=model.level, **options)
    if model.cluster is None:
        return found
    return replace(found, method=f"{found.method}; it assumes independent rows, but these rows are in clusters")


def summary_of(model: Subject) -> CalibrationSummary:
    """Calibration of a model: in the large, intercept and slope, calibration errors, decompositions and tests.

    Raises:
        TaskError: the model lacks a single score.

    >>> import thresher as th
    >>> model = th.evaluate([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])["score"]
    >>> model.calibration.brier
    Decomposition(Brier score 0.1667 = miscalibration 0.08333 − discrimination 0.1667 + uncertainty 0.25)
    """
    found = calibration_summary(_scores(model, "calibration"), level=model.level)
    estimates = dict(found.estimates)
    if model.bootstrap is not None and found.reason is None:
        # Weights and clusters belong to rows, which the table of scores omits.
        estimates |= resampled_distances(model.rows, model.bootstrap, level=model.level, model=model.name)
    estimates = adjusted_for_design(model, estimates)
    if draws_clusters(model) and found.reason is None:
        estimates |= {name: estimate(model, name) for name in (*LARGE, *LOGITS)}
    return replace(found, estimates=estimates, tests=withheld(model, found.tests))


def murphy_curve_of(model: Subject) -> Curve:
    """Return the mean elementary score by threshold, a component of every proper score.

    Raises:
        TaskError: the model lacks a single score.
        InputError: the scores are not probabilities of the positive class.
    """
    from thresher.calibration.decompositions import murphy_curve

    return replace(murphy_curve(_scores(model, "a Murphy diagram")), backend=model.backend)


def recalibrated(model: S, found: Any) -> S:
    """Same model with its scores, or its posteriors, put through a map that was fitted on other rows.

    Of two classes a map of `thresher.calibration.fit_map`: the threshold is 0.5, the default of probabilities, and high
    ones are positive, whatever the scores were. Of K classes one of `fit_temperature` or `fit_classwise`. Labels that
    were predicted beside the scores are left out, and a note says so: they were decided by the scores as they were.

    Raises:
        TaskError: the model has neither one score nor posteriors.
        InputError: the scores do not fit the map.

    Warns:
        SameRowsWarning: the map was fitted on these very rows, where it looks better than it is.

    >>> import thresher as th
    >>> from thresher.calibration import TemperatureMap
    >>> model = th.evaluate([0, 1, 2], [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.6, 0.2, 0.2]])["model"]
    >>> model.recalibrated(TemperatureMap(temperature=2.0)).posteriors.matrix[0].round(3).tolist()
    [0.464, 0.268, 0.268]
    """
    if model.task == "multiclass":
        return _of_classes(model, found)
    from thresher.calibration.fitting import SAME_ROWS, SameRowsWarning, digest

    table = _scores(model, "recalibration")
    if found.method in OF_CLASSES:
        raise InputError(
            f"a {found.method} map is of the probabilities of K classes, and {model.name!r} has one score."
        )
    if found.fitted_on == digest(table):
        warnings.warn(SAME_ROWS + ".", SameRowsWarning, stacklevel=2)
    rows = _mapped_counts(model, found) if model.rows.counts is not None else _mapped_rows(model, found)
    threshold, reason = default_threshold(rows.scores[model.name])
    return replace(model, predictions=rows, threshold=threshold, threshold_reason=reason)


def _mapped_rows(model: Subject, found: Any) -> Predictions:
    rows = _without_labels(model)
    mapped = np.asarray(found.transform(rows.scores[model.name]), dtype=np.float64)
    upwards: dict[str, Direction] = {**{name: rows.direction_of(name) for name in rows.scores}, model.name: "higher"}
    return replace(rows, direction=upwards, scores={**rows.scores, model.name: mapped})


def _mapped_counts(model: Subject, found: Any) -> Predictions:
    """Rows of counts of mapped scores, without named thresholds."""
    from thresher.calibration.fitting import apply_map
    from thresher.evaluation.counted_rows import made_over, predictions_of

    counts = made_over(model.rows.counts, model.name, lambda table: apply_map(found, table, same_rows="ignore"))
    return predictions_of(replace(counts, thresholds={}))


def _of_classes(model: S, found: Any) -> S:
    """Same model with mapped posteriors; the largest decides."""
    if found.method not in OF_CLASSES:
        raise InputError(
            f"a {found.method} map is of one score, and {model.name!r} has the posteriors of several classes: fit one "
            f"with fit_temperature or fit_classwise."
        )
    from thresher.calibration.fitting import SAME_ROWS, SameRowsWarning, class_digest

    given = model.posteriors
    matrix = given.probabilities("recalibration")
    if getattr(found, "labels", ()) not in ((), tuple(map(str, given.labels))):
        raise InputError(
            f"the map is of the classes {', '.join(found.labels)}, and these are {', '.join(map(str, given.labels))}."
        )
    if found.fitted_on == class_digest(given.codes, matrix, given.weights):
        warnings.warn(SAME_ROWS + ".", SameRowsWarning, stacklevel=3)
    rows = _without_labels(model)
    mapped = np.asarray(found.transform(matrix), dtype=np.float64)
    rows = replace(rows, posteriors={**rows.posteriors, model.name: mapped})
    return replace(model, predictions=rows, threshold=None, threshold_reason=LARGEST)


def _without_labels(model: Subject) -> Predictions:
    """Rows without the labels that the model predicted, which belong to its scores before the map."""
    rows = model.rows
    if model.name not in rows.predicted:
        return rows
    others = {name: codes for name, codes in rows.predicted.items() if name != model.name}
    text = f"{model.name}: the predicted labels are left out, as they were decided by the scores before the map"
    return replace(rows, predicted=others, notes=(*rows.notes, Note("labels-left-out", text)))


def _scores(model: Subject, what: str) -> ScoreTable:
    """Score table of a model that has one score."""
    if model.task != "binary":
        raise TaskError(f"{what} needs the score of one class, and {model.name!r} is of the task {model.task}.")
    return model.scores


SAMPLES, GROUPS = 200, 256
"""Truths drawn for a band, and their groups of scores: enough for a drawing."""

BINS = 40
"""Bars of the histogram of scores."""

POINTS = 400
"""Points of a drawn line at most."""

FINE = 100 * BINS
"""Narrow bins: every bar holds equally many wherever the axes end."""

ENDS = (0.02, 0.05, 0.1, 0.2, 0.5)
SEEN = 0.995
"""Ends of a drawing's axes: the least one that holds this share of the rows, else 1."""

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
class CalibrationFindings(Reasoned):
    """Calibration of one model; only a `reason`, without numbers, when its scores are not probabilities.

    `certain_errors` counts the rows predicted with probability 0 or 1 that were wrong, which make the log loss
    infinite; None where weights hide the number of rows.
    """

    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    brier: Decomposition | None = None
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    drawing: Drawing | None = None
    reason: Note | None = None
    moved: str | None = None
    certain_errors: int | None = None


def calibration_findings(
    model: Subject, measures: Mapping[str, Estimate], *, drawn: bool
) -> CalibrationFindings | None:
    """Calibration of a model of one score, given its measures; None for other tasks."""
    if model.task != "binary":
        return None
    scores = model.scores
    if reason := why_not(scores):
        return CalibrationFindings(reason=reason)
    cox, (positive, negative) = cox_calibration(scores, clip=CLIP), scores.columns
    certain = positive[scores.scores == 0].sum() + negative[scores.scores == 1].sum()
    found = {name: measures[name] for name in MEASURES if name in measures}
    if draws_clusters(model):
        logits = {name: estimate(model, name) for name in LOGITS}
    else:
        logits = adjusted_for_design(model, logit_estimates(model.scores, cox, model.level))
    return CalibrationFindings(
        moved=clipped_share(cox) if cox.moved else None,
        estimates=found | logits,
        brier=decomposition(scores),
        tests=withheld(model, calibration_tests(scores, cox)),
        drawing=_drawing(model) if drawn and scores.P and scores.N else None,
        certain_errors=None if scores.weight_kind == "importance" else round(float(certain)),
    )


def _drawing(model: Subject) -> Drawing:
    curve = calibration_curve(model.scores).thin(POINTS)
    band = consistency_band(model, n=SAMPLES, groups=GROUPS)
    bars = score_histogram(model.scores, bins=FINE)
    fine = bars.positive + bars.negative
    above = {end: float(fine[round(end * FINE) :].sum()) / float(fine.sum()) for end in ENDS}
    end, beyond = next(((end, share) for end, share in above.items() if share <= 1 - SEEN), (1.0, 0.0))
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
