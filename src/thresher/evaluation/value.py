"""A measure as written on one line (`auc`, `f_beta:beta=2`, `recall@fpr=0.01`), read from a model's evaluation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from thresher.curves.value_at import value_at
from thresher.errors import TaskError
from thresher.inference.class_measures import ClassMeasure
from thresher.inference.compare_measure import Wanted
from thresher.inference.fixed_point import operating_rate
from thresher.inference.measured import estimate
from thresher.inference.score_measures import ScoreMeasure, score_estimate
from thresher.inference.scored import estimate_of_scores
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.counts import ScoreTable
    from thresher.evaluation.model import ModelEvaluation
    from thresher.inference.bootstrap import Bootstrap

CLASS_TASKS = ("multiclass", "multilabel")
"""Tasks whose measures are read from all classes at once."""

NO_INTERVAL = "no interval for this reading yet"


def measured_value(
    model: ModelEvaluation, wanted: Wanted, *, level: float, bootstrap: Bootstrap | None = None
) -> Estimate:
    """Estimate of a measure; undefined, with its reason, where it needs a threshold and there is none.

    With `bootstrap`, here or in the evaluation, a measure without an analytic interval has one by resampling.
    """
    bootstrap = bootstrap or model.bootstrap
    if model.task in CLASS_TASKS and wanted.at is None and not wanted.parameters:
        of_classes: Estimate = replace(model, level=level, bootstrap=bootstrap)._estimate(wanted.entry.name)
        return of_classes
    found = _by_formula(model, wanted, level)
    if bootstrap is None or found.low is not None or math.isnan(found.value):
        return found
    from thresher.evaluation.compare import side_of
    from thresher.inference.compare_bootstrap import interval_by_resampling

    return interval_by_resampling(side_of(model), wanted, bootstrap, level=level)


def _by_formula(model: ModelEvaluation, wanted: Wanted, level: float) -> Estimate:
    if isinstance(wanted.entry, ClassMeasure):
        return _of_classes(model, wanted, wanted.entry, level)
    if wanted.at is not None:
        return _at_point(model, wanted, level)
    if wanted.entry.needs == "table":
        if model.task != "binary":
            return Estimate(name=wanted.text, value=math.nan, reason=f"{model.name!r} has predicted labels only")
        return _of_scores(model.scores, wanted, level)
    matrix = model.confusion_matrix
    if matrix is None:
        return Estimate(name=wanted.text, value=math.nan, reason=model.threshold_reason)
    return estimate(matrix, wanted.entry.name, level=level, interval=model.rate_interval, **wanted.parameters)


def _of_classes(model: ModelEvaluation, wanted: Wanted, entry: ClassMeasure, level: float) -> Estimate:
    """Average of decisions over the classes, of any task; what needs posteriors is undefined for labels alone."""
    if entry.block != "decisions":
        if model.task == "labels":
            return Estimate(name=wanted.text, value=math.nan, reason=f"{model.name!r} has predicted labels only")
        raise TaskError(f"{wanted.title} belongs to a multiclass task, and {model.name!r} is {model.task}.")
    if model.confusion_matrix is None:
        return Estimate(name=wanted.text, value=math.nan, reason=model.threshold_reason)
    how, _, rest = entry.name.partition("_")
    found: Estimate = model.confusion_matrix.average(rest, how=how, level=level, interval=model.rate_interval)
    return found


def _of_scores(table: ScoreTable, wanted: Wanted, level: float) -> Estimate:
    if isinstance(wanted.entry, ScoreMeasure):
        return score_estimate(table, wanted.entry, level=level)
    return estimate_of_scores(table, wanted.entry.name, level=level)


def _at_point(model: ModelEvaluation, wanted: Wanted, level: float) -> Estimate:
    """Measure at a fixed value of another: the best observed threshold that keeps to it."""
    if model.task != "binary" or wanted.at is None:
        return Estimate(name=wanted.text, value=math.nan, reason=f"{model.name!r} has predicted labels only")
    if wanted.fixed is not None and 0 < wanted.fixed[1] < 1:
        return _rate_estimate(model, wanted, wanted.fixed, level)
    found = value_at(model.scores, wanted.entry.name, at=wanted.at.name, value=wanted.at_value, rule="best",
                     **wanted.parameters)  # fmt: skip
    return Estimate(name=wanted.text, value=found.value, reason=found.reason or NO_INTERVAL, n=model.n)


def _rate_estimate(
    model: ModelEvaluation, wanted: Wanted, fixed: tuple[str, float, float, float], level: float
) -> Estimate:
    """Rate at a fixed rate, with the interval that takes in that the cut was estimated."""
    rows, (name, at, slope, constant) = model.predictions, fixed
    options = {"weights": rows.weights, "weight_kind": rows.weight_kind, "direction": rows.direction}
    found = operating_rate(rows.truth, rows.scores[model.name], **{name: at}, **options)  # type: ignore[arg-type]
    if found is None:
        return Estimate(name=wanted.text, value=math.nan, reason="it needs two rows of each class")
    low, high, error, method = found.estimated(level)
    limits = sorted((slope * low + constant, slope * high + constant))
    return Estimate(
        name=wanted.text,
        value=slope * found.value + constant,
        standard_error=error,
        low=limits[0],
        high=limits[1],
        level=level,
        method=method,
        n=model.n,
    )
