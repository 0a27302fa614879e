"""A measure as written on one line (`auc`, `f_beta:beta=2`, `recall@fpr=0.01`), read from a model's evaluation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.conventions import stand_in
from thresher.curves.value_at import value_at
from thresher.errors import TaskError
from thresher.evaluation.measured import to_resample, with_clusters
from thresher.evaluation.subject import TASKS, need_two_classes
from thresher.inference.compare_measure import Wanted
from thresher.inference.fixed_point import operating_rate
from thresher.inference.measured import estimate
from thresher.inference.scored import estimate_of_scores
from thresher.measures import Measure
from thresher.measures.averaging import split_average
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation
    from thresher.inference.bootstrap import Bootstrap

NO_INTERVAL = "no interval for this reading yet"
RULE = "at the best observed cut"
"""Rule of a measure at a fixed value of another one; the curves go on between the cuts, by lot."""


def measured_value(
    model: ModelEvaluation, wanted: Wanted, *, level: float, bootstrap: Bootstrap | None = None, every: bool = False
) -> Estimate:
    """Estimate of a measure; undefined, with its reason, where it needs a threshold and there is none.

    With `bootstrap`, here or in the evaluation, a measure without an analytic interval has one by resampling; with
    `every` so has each other.
    """
    model = replace(model, level=level, bootstrap=bootstrap or model.bootstrap, is_resampled=every)
    is_matrix = len(model.predictions.classes) > 2 and wanted.entry.needs in ("cells", "matrix")
    if (model.task in TASKS or is_matrix) and wanted.at is None and not wanted.parameters:
        of_classes: Estimate = model._estimate(wanted.entry.name)
        return of_classes
    found = _by_formula(model, wanted, level)
    if not to_resample(model, {wanted.text: found}) or model.bootstrap is None:
        return _with_rule(with_clusters(model, {wanted.text: found})[wanted.text], wanted)
    from thresher.evaluation.compare import side_of
    from thresher.inference.compare_bootstrap import interval_by_resampling

    options: dict[str, Any] = {"level": level, "undefined": stand_in(model.undefined)}
    return _with_rule(interval_by_resampling(side_of(model), wanted, model.bootstrap, **options), wanted)


def _with_rule(found: Estimate, wanted: Wanted) -> Estimate:
    """Estimate at a fixed value of another measure that says where it is read: a curve between cuts reads otherwise."""
    if wanted.at is None or math.isnan(found.value):
        return found
    if found.low is not None:
        return replace(found, method=f"{found.method}, {RULE}")
    return replace(found, reason=f"{found.reason or NO_INTERVAL}; it is read {RULE}")


def _by_formula(model: ModelEvaluation, wanted: Wanted, level: float) -> Estimate:
    if wanted.entry.of_classes or wanted.entry.needs == "label sets":
        return _of_classes(model, wanted, wanted.entry, level)
    if wanted.at is not None:
        return _at_point(model, wanted, level)
    if wanted.entry.needs == "table":
        if model.task != "binary":
            return _without_score(model, wanted)
        return estimate_of_scores(model.scores, wanted.entry.name, level=level)
    matrix = model.confusion_matrix
    if matrix is None:
        return Estimate(name=wanted.text, value=math.nan, reason=model.threshold_reason)
    need_two_classes(model, wanted.entry)
    return estimate(matrix, wanted.entry.name, level=level, interval=model.rate_interval, **wanted.parameters)


def _of_classes(model: ModelEvaluation, wanted: Wanted, entry: Measure, level: float) -> Estimate:
    """Average of decisions over the classes, of any task; what needs posteriors is undefined for labels alone."""
    if not entry.how:
        if model.task == "labels" and entry.needs == "posteriors":
            return _without_score(model, wanted)
        task = "multiclass" if entry.needs == "posteriors" else "multilabel"
        raise TaskError(f"{wanted.title} belongs to a {task} task, and {model.name!r} is {model.task}.")
    if model.confusion_matrix is None:
        return Estimate(name=wanted.text, value=math.nan, reason=model.threshold_reason)
    how, rest = split_average(entry.name)
    options: dict[str, Any] = {"level": level, "interval": model.rate_interval}
    found: Estimate = model.confusion_matrix.average(rest, how=how, undefined=stand_in(model.undefined), **options)
    return found


def _without_score(model: ModelEvaluation, wanted: Wanted) -> Estimate:
    """Estimate of what one score of two classes is needed for, by a model that has none."""
    has = "has predicted labels only" if model.task == "labels" else f"is of the task {model.task}"
    return Estimate(
        name=wanted.text, value=math.nan, reason=f"one score of two classes is needed, and {model.name!r} {has}"
    )


def _at_point(model: ModelEvaluation, wanted: Wanted, level: float) -> Estimate:
    """Measure at a fixed value of another: the best observed threshold that keeps to it."""
    if model.task != "binary" or wanted.at is None:
        return _without_score(model, wanted)
    if wanted.fixed is not None and 0 < wanted.fixed[1] < 1:
        return _rate_estimate(model, wanted, wanted.fixed, level)
    found = value_at(model.scores, wanted.entry.name, at=wanted.at.name, value=wanted.at_value, rule="best",
                     **wanted.parameters)  # fmt: skip
    return Estimate(
        name=wanted.text, value=found.value, reason=found.reason or NO_INTERVAL, n=model.predictions.counted
    )


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
        n=rows.counted,
    )
