"""Measures of a model by its task, and by the rows that have a label: one interface for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, final

from thresher._util.did_you_mean import attribute_here, nearest
from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import stand_in
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.curves.kinds import CURVES
from thresher.design_warnings import DesignWarning
from thresher.errors import Note, TaskError, ended, keyword
from thresher.evaluation.assumptions import beyond, score_hints
from thresher.evaluation.subject import Subject, Unavailable, need_scores, need_two_classes
from thresher.evaluation.within_folds import has_fits
from thresher.inference.estimates.methods import (
    estimate_of_scores,
    methods_of,
    methods_of_posteriors,
    summaries_of_scores,
)
from thresher.inference.estimates.of_matrices import estimate, summaries
from thresher.measures import find, measures
from thresher.measures.averaging import class_averages, split_average
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.registry import Measure, known
from thresher.measures.several_classes import of_label_sets, of_posteriors
from thresher.predictions import Predictions
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.differences.difference import Difference
    from thresher.inference.judged import Powered

NO_INTERVAL = Note("no-formula", "no interval, as no formula gives one")
"""Reason of a measure at a fixed value of another that no formula serves."""


ValueOf = Callable[[Subject, MeasureSpec], float]
"""Value of a measure of a subject on rows as they are labelled."""

Estimates = dict[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTreatment:
    """Functions of a subject that partly labelled rows change; by default they change nothing.

    `rows` prepares rows with a threshold, `power` gives a value with a judge, `bounds` are over all possible labels.
    """

    rows: Callable[[Predictions, Any], Predictions] = lambda rows, _threshold: rows
    estimates: Callable[[Subject, Estimates, ValueOf], Estimates] = lambda _subject, found, _value_of: found
    power: Callable[[Subject, MeasureSpec, ValueOf], Powered | None] = lambda *_: None
    difference: Callable[..., Difference] = lambda *_, of_labelled, **__: of_labelled()
    shares: Callable[[Subject], list[float] | None] = lambda _subject: None
    notes: Callable[..., list[Note]] = lambda *_, **__: []
    warnings: Callable[[Subject], tuple[DesignWarning, ...]] = lambda _subject: ()
    bounds: Callable[..., Any] | None = None


def read(subject: Subject, spec: MeasureSpec) -> Estimate:
    """Measure of two classes as written on one line; undefined, with its reason, where its statistic is unavailable."""
    if spec.entry.of_classes or spec.entry.needs == "label sets":
        return _of_classes(subject, spec, spec.entry)
    statistic = subject.statistic("table" if spec.at is not None else spec.entry.needs)
    if spec.at is None and subject.has_several_classes:
        need_two_classes(subject, spec.entry)
    if isinstance(statistic, Unavailable):
        return Estimate(name=spec.text, value=math.nan, reason=statistic.reason)
    if spec.at is not None:
        return _at_point(subject, spec)
    if isinstance(statistic, ScoreTable) and spec.part is not None:
        from thresher.inference.curves.partial_areas import partial_area

        return replace(partial_area(statistic, spec.part, level=subject.level).raw, name=spec.text)
    if isinstance(statistic, ScoreTable):
        return estimate_of_scores(statistic, spec.entry.name, level=subject.level, **spec.parameters)
    if not isinstance(statistic, ConfusionMatrix):
        raise TaskError(f"{spec.title} is read from the evaluation of rows of another task.")
    options: dict[str, Any] = {"level": subject.level, "interval": subject.rate_interval}
    return estimate(statistic, spec.entry.name, **options, **spec.parameters)


def _of_classes(subject: Subject, spec: MeasureSpec, entry: Measure) -> Estimate:
    """Average of decisions over the classes, of any task; measures of posteriors are undefined for labels alone."""
    if not entry.how:
        if subject.task == "labels" and entry.needs == "posteriors":
            return Estimate(name=spec.text, value=math.nan, reason=_reason(subject.statistic("posteriors")))
        task = "multiclass" if entry.needs == "posteriors" else "multilabel"
        raise TaskError(f"{spec.title} belongs to a {task} task; {subject.name!r} is {subject.task}.")
    matrix = subject.statistic("matrix")
    if not isinstance(matrix, ConfusionMatrix):
        return Estimate(name=spec.text, value=math.nan, reason=_reason(matrix))
    how, rest = split_average(entry.name)
    options: dict[str, Any] = {"level": subject.level, "interval": subject.rate_interval}
    found: Estimate = matrix.average(rest, how=how, undefined=stand_in(subject.undefined), **options)
    return found


def _reason(found: object) -> Note | None:
    return found.reason if isinstance(found, Unavailable) else None


def _at_point(subject: Subject, spec: MeasureSpec) -> Estimate:
    """Measure at a fixed value of another: at the best observed threshold that keeps to it, or between thresholds."""
    if spec.at is None:
        raise TaskError(f"{spec.title} cannot be read at a point.")
    if spec.fixed is not None and 0 < spec.fixed[1] < 1:
        return _rate_estimate(subject, spec, spec.fixed)
    from thresher.curves.value_at import value_at

    found = value_at(subject.scores, spec.entry.name, at=spec.at.name, value=spec.at_value, rule=spec.rule,
                     **spec.parameters)  # fmt: skip
    reason = found.reason or methods_of(spec.entry.name).refused or NO_INTERVAL
    return Estimate(name=spec.text, value=found.value, reason=reason, n=subject.rows.effective)


def _rate_estimate(subject: Subject, spec: MeasureSpec, fixed: tuple[str, float, float, float]) -> Estimate:
    """Rate at a fixed rate, with the interval that takes in that the cut was estimated."""
    from thresher.inference.differences.fixed_point import operating_rate

    rows, (name, at, slope, constant) = subject.rows, fixed
    options = {"weights": rows.weights, "weight_kind": rows.weight_kind, "direction": rows.direction_of(subject.name)}
    found = operating_rate(rows.truth, rows.scores[subject.name], **{name: at}, **options)  # type: ignore[arg-type]
    if found is None:
        return Estimate(name=spec.text, value=math.nan, reason=Note("too-few-rows", "it needs two rows of each class"))
    facts = found.estimated(subject.level, None if subject.cluster is None else subject.cluster.codes)
    facts["low"], facts["high"] = sorted(slope * facts[end] + constant for end in ("low", "high"))
    return Estimate(
        name=spec.text, value=slope * found.value + constant, level=subject.level, n=rows.effective, **facts
    )


def decision_summaries(subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
    """The same of each of many subjects with the same options, such as groups, which are computed together."""
    matrices, options = [subject.confusion_matrix for subject in subjects], subjects[0].matrix_options
    summed = iter(summaries([matrix for matrix in matrices if matrix is not None], **options))
    found = []
    for subject, matrix in zip(subjects, matrices, strict=True):
        if matrix is None:
            names = (m.name for m in measures("cells", "matrix") if m.shown_by_default)
            found.append({name: _undecided(subject, name) for name in names})
            continue
        averages = class_averages(matrix, **options) if len(matrix.labels) > 2 else {}
        found.append(next(summed) | averages)
    return found


def registered_estimate(subject: Subject, entry: Measure) -> Estimate:
    """Measure of decisions between two classes."""
    if entry.needs == "table":
        need_scores(subject, entry.title)
    if entry.needs_parameters:
        raise AttributeError(_with_parameters(subject, entry))
    if subject.confusion_matrix is None:
        return _undecided(subject, entry.name)
    need_two_classes(subject, entry)
    return estimate(subject.confusion_matrix, entry, **subject.matrix_options)


def named_estimate(subject: Subject, name: str) -> Estimate:
    """Registered measure of scores or decisions by any of its names, or an average of one over the classes."""
    if (entry := known(name)) is not None:
        return registered_estimate(subject, entry)
    how, rest = split_average(name)
    if how and subject.confusion_matrix is not None:
        average: Estimate = subject.confusion_matrix.average(rest, how=how, **subject.matrix_options)
        return average
    if (of_labels := of_label_sets(name)) is not None:
        raise TaskError(f"{of_labels.title} belongs to a multilabel task, and {subject.name!r} is {subject.task}.")
    text = attribute_here(name) or _attribute_meant(subject, name) or f": {_unknown(name)}"
    raise AttributeError(f"a model's evaluation has no attribute {name!r}{ended(text)}")


def _unknown(name: str) -> str:
    """Sentence about a name that is not a measure."""
    try:
        find(name)
    except KeyError as error:
        return str(error.args[0])
    return ""


def _attribute_meant(subject: Subject, name: str) -> str:
    """An attribute nearer to the written name than any measure; empty if there is none."""
    own = [each for each in dir(type(subject)) if not each.startswith("_")] + [row.attribute for row in CURVES.values()]
    names = [each for entry in measures() for each in (entry.name, *entry.aliases)]
    near = nearest(name, [*own, *names], 1)
    return f": did you mean {near[0]}?" if near and near[0] in own else ""


def refuse_fitted(subject: Subject, name: str) -> None:
    """Refuse a measure of calibration that needs a fit to the score of one class."""
    if (entry := known(name)) is not None and entry.fitted:
        raise TaskError(f"{entry.title} needs the score of one class, and {subject.name!r} is {subject.task}.")


def _undecided(subject: Subject, name: str) -> Estimate:
    """A measure of decisions of a subject that makes none."""
    return Estimate(name=name, value=math.nan, reason=subject.threshold_reason, n=subject.rows.effective)


def _with_parameters(subject: Subject, entry: Measure) -> str:
    """Where a measure that takes parameters is read, in the subject's task."""
    if subject.task == "binary":
        return f"{entry.title} takes parameters: read it as model.at(threshold).{entry.name}(…)."
    if entry.name == "average_cost" and subject.task == "multiclass":
        return (
            "of several classes costs are a K×K matrix: model.decide("
            + keyword("costs", "…")
            + ").cost is the mean cost of a decision."
        )
    if entry.needs == "matrix":
        written = "".join(f":{name}=…" for name in entry.parameters)
        return f"{entry.title} takes parameters: read it as model.estimate('{entry.name}{written}')."
    if methods_of(entry.name).limits == "mean over cells":
        return f"{entry.title} is of two classes, with parameters: read it from a matrix of one class against the rest."
    return f"{entry.title} takes parameters: read it as model.confusion_matrix.average({entry.name!r}, …)."


@final
class Binary:
    """Rows of two classes with a score: decided for at a threshold, or as was predicted beside the score."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        tables, (first, *_) = [subject.scores for subject in subjects], subjects
        scored = summaries_of_scores(tables, level=first.level, undefined=first.undefined)
        return [found | decided for found, decided in zip(scored, decision_summaries(subjects), strict=True)]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        entry = known(name)
        if entry is None:
            _refuse_classes(subject, name)
            return named_estimate(subject, name)
        if entry.fitted:
            return read(subject, parse_measure(entry.name))
        if entry.needs == "table":
            return estimate_of_scores(subject.scores, entry, level=subject.level, undefined=subject.undefined)
        return registered_estimate(subject, entry)

    def reads(self, _subject: Subject, _wanted: MeasureSpec, /) -> bool:
        return True

    def notes(self, subject: Subject, measured: Callable[[Subject, str], Estimate], /) -> list[Note]:
        decides = subject.name in subject.predictions.predicted
        lines = [subject.threshold_reason] if subject.threshold is None and not decides else []
        if subject.threshold_reason.code == "given-threshold" and decides:
            text = "the matrix is of its predicted labels, not of the threshold that was given"
            lines.append(Note("unused-threshold", text, parameter="threshold"))
        if not decides:
            lines += beyond(subject.scores, subject.threshold, subject.labels)
        if has_fits(subject):  # the order of scores from several fits is meaningless
            return lines
        of_several = len(subject.predictions.scores) > 1
        area, model = lambda: measured(subject, "auc"), subject.name if of_several else None
        return lines + score_hints(subject.scores, area, model)


@final
class HardLabels:
    """Rows of two classes or more with predicted labels and no scores, or their confusion matrix."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        return decision_summaries(subjects)

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """A measure of the decisions, or an average of one over the classes."""
        refuse_fitted(subject, name)
        _refuse_classes(subject, name)
        return named_estimate(subject, name)

    def reads(self, subject: Subject, spec: MeasureSpec, /) -> bool:
        """Measures of the matrix of several classes are found by name."""
        of_matrix = subject.has_several_classes and spec.entry.needs in ("cells", "matrix")
        return not (of_matrix and spec.is_plain)

    def notes(self, _subject: Subject, _measured: Callable[[Subject, str], Estimate], /) -> list[Note]:
        return []


def _refuse_classes(subject: Subject, name: str) -> None:
    """Refuse a measure of the posteriors of several classes; losses are of two classes too."""
    entry = of_posteriors(name)
    if entry is not None and methods_of_posteriors(entry.name).losses is None:
        raise TaskError(f"{entry.title} belongs to a multiclass task, and {subject.name!r} is {subject.task}.")


class TaskKind(Protocol):
    """Functions of a task: values with intervals by formula, before bootstrap, clusters and folds."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure by name, measures of the scores first, of several subjects with the same options."""

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """One measure by its name; raises AttributeError or TaskError if the subject lacks it."""

    def reads(self, subject: Subject, spec: MeasureSpec, /) -> bool:
        """Whether a measure written on one line is read from a statistic of two classes, and not found by name."""

    def notes(self, subject: Subject, measured: Callable[[Subject, str], Estimate], /) -> list[Note]:
        """Notes on the numbers; `measured` estimates a measure."""
