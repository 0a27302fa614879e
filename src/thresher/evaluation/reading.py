"""A measure as written on one line (`auc`, `f_beta:beta=2`, `recall@fpr=0.01`), read from a subject's statistic."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from thresher.conventions import stand_in
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.curves.value_at import value_at
from thresher.errors import TaskError
from thresher.evaluation.intervals import side_of, to_resample
from thresher.evaluation.subject import Subject, Unavailable, need_two_classes
from thresher.inference.curves.partial_areas import partial_area
from thresher.inference.differences.fixed_point import operating_rate
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import estimate
from thresher.inference.estimates.of_scores import estimate_of_scores
from thresher.measures import Measure
from thresher.measures.averaging import split_average
from thresher.measures.measure_text import Wanted
from thresher.results import Estimate

NO_INTERVAL = "no interval for this reading yet"
RULES = {"best": "at the best observed cut", "interpolated": "interpolated between the cuts"}
"""Rules of a measure at a fixed value of another one; the curves go on between the cuts, by lot."""


def read(subject: Subject, wanted: Wanted) -> Estimate:
    """Estimate of a measure of two classes; undefined, with its reason, where the statistic it needs is unavailable.

    A measure without an analytic interval has one by resampling when the subject has a bootstrap.
    """
    found = _by_formula(subject, wanted)
    served = {wanted.text: found} if methods_of(wanted.entry.name).refused is None else {}
    if not to_resample(subject, served) or subject.bootstrap is None:
        return _with_rule(found, wanted)
    from thresher.inference.comparing.resampling import interval_by_resampling

    options: dict[str, Any] = {"level": subject.level, "undefined": stand_in(subject.undefined)}
    return _with_rule(interval_by_resampling(side_of(subject), wanted, subject.bootstrap, **options), wanted)


def _with_rule(found: Estimate, wanted: Wanted) -> Estimate:
    """Estimate at a fixed value of another measure that says where it is read: a curve between cuts reads otherwise."""
    if wanted.at is None or math.isnan(found.value):
        return found
    rule = RULES[wanted.rule]
    if found.low is not None:
        return replace(found, method=f"{found.method}, {rule}")
    return replace(found, reason=f"{found.reason or NO_INTERVAL}; it is read {rule}")


def _by_formula(subject: Subject, wanted: Wanted) -> Estimate:
    if wanted.entry.of_classes or wanted.entry.needs == "label sets":
        return _of_classes(subject, wanted, wanted.entry)
    statistic = subject.statistic("table" if wanted.at is not None else wanted.entry.needs)
    if wanted.at is None and subject.has_several_classes:
        need_two_classes(subject, wanted.entry)
    if isinstance(statistic, Unavailable):
        return Estimate(name=wanted.text, value=math.nan, reason=statistic.reason)
    if wanted.at is not None:
        return _at_point(subject, wanted)
    if isinstance(statistic, ScoreTable) and wanted.part is not None:
        return replace(partial_area(statistic, wanted.part, level=subject.level).raw, name=wanted.text)
    if isinstance(statistic, ScoreTable):
        return estimate_of_scores(statistic, wanted.entry.name, level=subject.level, **wanted.parameters)
    if not isinstance(statistic, ConfusionMatrix):
        raise TaskError(f"{wanted.title} is read from the evaluation of rows of another task.")
    options: dict[str, Any] = {"level": subject.level, "interval": subject.rate_interval}
    return estimate(statistic, wanted.entry.name, **options, **wanted.parameters)


def _of_classes(subject: Subject, wanted: Wanted, entry: Measure) -> Estimate:
    """Average of decisions over the classes, of any task; what needs posteriors is undefined for labels alone."""
    if not entry.how:
        if subject.task == "labels" and entry.needs == "posteriors":
            return Estimate(name=wanted.text, value=math.nan, reason=_reason(subject.statistic("posteriors")))
        task = "multiclass" if entry.needs == "posteriors" else "multilabel"
        raise TaskError(f"{wanted.title} belongs to a {task} task, and {subject.name!r} is {subject.task}.")
    matrix = subject.statistic("matrix")
    if not isinstance(matrix, ConfusionMatrix):
        return Estimate(name=wanted.text, value=math.nan, reason=_reason(matrix))
    how, rest = split_average(entry.name)
    options: dict[str, Any] = {"level": subject.level, "interval": subject.rate_interval}
    found: Estimate = matrix.average(rest, how=how, undefined=stand_in(subject.undefined), **options)
    return found


def _reason(found: object) -> str:
    return found.reason if isinstance(found, Unavailable) else ""


def _at_point(subject: Subject, wanted: Wanted) -> Estimate:
    """Measure at a fixed value of another: at the best observed threshold that keeps to it, or between thresholds."""
    if wanted.at is None:
        raise TaskError(f"{wanted.title} is not read at a point.")
    if subject.predictions is not None and wanted.fixed is not None and 0 < wanted.fixed[1] < 1:
        return _rate_estimate(subject, wanted, wanted.fixed)
    found = value_at(subject.scores, wanted.entry.name, at=wanted.at.name, value=wanted.at_value, rule=wanted.rule,
                     **wanted.parameters)  # fmt: skip
    n = subject.n if subject.predictions is None else subject.predictions.counted
    reason = found.reason or methods_of(wanted.entry.name).refused or NO_INTERVAL
    return Estimate(name=wanted.text, value=found.value, reason=reason, n=n)


def _rate_estimate(subject: Subject, wanted: Wanted, fixed: tuple[str, float, float, float]) -> Estimate:
    """Rate at a fixed rate, with the interval that takes in that the cut was estimated."""
    rows, (name, at, slope, constant) = subject.rows, fixed
    options = {"weights": rows.weights, "weight_kind": rows.weight_kind, "direction": rows.direction_of(subject.name)}
    found = operating_rate(rows.truth, rows.scores[subject.name], **{name: at}, **options)  # type: ignore[arg-type]
    if found is None:
        return Estimate(name=wanted.text, value=math.nan, reason="it needs two rows of each class")
    low, high, error, method = found.estimated(subject.level)
    limits = sorted((slope * low + constant, slope * high + constant))
    return Estimate(
        name=wanted.text,
        value=slope * found.value + constant,
        standard_error=error,
        low=limits[0],
        high=limits[1],
        level=subject.level,
        method=method,
        n=rows.counted,
    )
