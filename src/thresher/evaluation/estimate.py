"""Any measure of any subject, with its interval, and the notes that hold of an evaluation whatever is read from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from thresher.conventions import Task, confidence_level, resolve_undefined, stand_in
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import Note, keyword, of_each_model
from thresher.evaluation.assumptions import ASSUMED, COUNTED, at_own_cut
from thresher.evaluation.intervals import draws_clusters, reading_with_bootstrap, with_bootstrap, with_clusters
from thresher.evaluation.subject import TASKS, Subject, Unavailable, need_scores
from thresher.evaluation.tasks import NO_INTERVAL, Binary, HardLabels, LabelTreatment, TaskKind, read
from thresher.evaluation.within_folds import NOTE, fits_of, folds_used, has_fits, whole_folds, within_folds
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.comparing.design import row_warnings
from thresher.inference.estimates.methods import lacks_probabilities, ranks_rows
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.registry import Measure, reason_undefined
from thresher.predictions import Predictions
from thresher.predictions.rows import LabelsKind
from thresher.results import ZERO_BY_ZERO, Estimate

RULES = {"best": "at the best observed cut", "interpolated": "interpolated between the cuts"}
"""Rules of a measure at a fixed value of another one; the curves go on between the cuts, by lot."""


@cache
def kind_of(task: Task) -> TaskKind:
    """Return the functions of a task; several classes or labels are imported only when needed."""
    if task == "multiclass":
        from thresher.evaluation.class_tasks import Multiclass

        return Multiclass()
    if task == "multilabel":
        from thresher.evaluation.class_tasks import Multilabel

        return Multilabel()
    return Binary() if task == "binary" else HardLabels()


UNCHANGED = LabelTreatment()


def treatment_of(rows: Predictions) -> LabelTreatment:
    """Return the treatment of rows without a label."""
    return UNCHANGED if rows.partial_labels is None else _treatment(rows.partial_labels.kind, rows.task)


@cache
def _treatment(kind: LabelsKind, task: Task) -> LabelTreatment:
    if kind == "judge" and task == "multilabel":
        from thresher.evaluation.judged_labels import JUDGED_LABELS

        return JUDGED_LABELS
    if kind == "judge":
        from thresher.evaluation.judged import JUDGED

        return JUDGED
    from thresher.evaluation.verified import BOUNDED, WEIGHTED

    return WEIGHTED if kind == "weight" else BOUNDED


def measures_of(subject: Subject) -> dict[str, Estimate]:
    """Every measure by name: measures of the scores first, then measures of the confusion matrix."""
    return measures_of_each([subject])[0]


def measures_of_each(subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
    """The same of each of many subjects of one model, such as its groups, which are computed together."""
    every = kind_of(subjects[0].task).measures(subjects)
    drawn = (with_bootstrap(subject, found) for subject, found in zip(subjects, every, strict=True))
    return [adjusted_for_design(subject, found) for subject, found in zip(subjects, drawn, strict=True)]


def adjusted_for_design(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates with the intervals that clusters, folds and partly labelled rows need."""
    rows = subject.predictions
    if rows.fold is not None or (rows.cluster if subject.bootstrap is None else subject.cluster) is not None:
        found = with_clusters(subject, within_folds(subject, found, _measured), value_of)
    return treatment_of(rows).estimates(subject, found, plain_value)


def _measured(subject: Subject, spec: MeasureSpec) -> Estimate:
    """Estimate of a measure as the user wrote it, with the subject's bootstrap."""
    kind = kind_of(subject.task)
    if not kind.reads(subject, spec):
        found = kind.estimate(subject, spec.entry.name)
        return with_bootstrap(subject, {found.name: found})[found.name]
    found = reading_with_bootstrap(subject, read(subject, spec), spec)
    if spec.at is None or math.isnan(found.value):
        return found
    rule = RULES[spec.rule]
    if found.low is not None:
        return replace(found, method=f"{found.method}, {rule}")
    return replace(found, reason=(found.reason or NO_INTERVAL) + f"; read {rule}")


def notes_of(subject: Subject) -> list[Note]:
    """Notes on the numbers of one subject."""
    of_task = kind_of(subject.task).notes(subject, estimate_of)
    return treatment_of(subject.predictions).notes(subject, plain_value) + of_task


def worth_of_labels(subject: Subject, measure: str) -> list[Note]:
    """Notes on the worth of a judge's labels for a measure."""
    return treatment_of(subject.predictions).notes(subject, plain_value, headline=measure)


def estimate_of(subject: Subject, name: str) -> Estimate:
    """One measure by its name alone."""
    found, rows = kind_of(subject.task).estimate(subject, name), subject.predictions
    if subject.bootstrap is not None:
        found = with_bootstrap(subject, {found.name: found})[found.name]
    elif rows.partial_labels is None and rows.fold is None and rows.cluster is None:
        return found
    return adjusted_for_design(subject, {name: found})[name]


def measured_value(
    subject: Subject, spec: MeasureSpec, *, level: float, bootstrap: Bootstrap | None = None, every: bool = False
) -> Estimate:
    """Estimate of a measure; undefined, with its reason, where it needs a threshold and there is none.

    With `bootstrap`, here or in the subject, a measure without an analytic interval has one by resampling; with
    `every` so has each other.
    """
    subject = replace(
        at_own_cut(subject, spec), level=level, bootstrap=bootstrap or subject.bootstrap, is_resampled=every
    )
    return adjusted_for_design(subject, {spec.text: _measured(subject, spec)})[spec.text]


def without_interval(subject: Subject, entry: Measure) -> Estimate:
    """Estimate of a measure without an interval, for thousands of folds that are averaged."""
    statistic = subject.statistic(entry.needs)
    if isinstance(statistic, Unavailable):
        return Estimate(name=entry.name, value=math.nan, reason=statistic.reason)
    value = float(entry(statistic))
    reason = (reason_undefined(entry, statistic) or ZERO_BY_ZERO) if math.isnan(value) else None
    value = resolve_undefined(value, subject.undefined, entry.title, reason or "")
    return Estimate(name=entry.name, value=value, reason=reason)


def estimate(
    subject: Subject, measure: str, *, bootstrap: Bootstrap | int | None = None, level: float | None = None
) -> Estimate:
    """`Estimate` of a measure by its name, with parameters after a colon, or at a fixed value of another measure.

    "auc", "f_beta:beta=2", or "sensitivity@specificity=0.95": there the threshold is the best observed one that
    keeps to the fixed value, and the interval of a rate takes in that it was estimated; ",interpolated" at the end
    reads between the cuts, on the straight lines of ROC space, with an interval by the bootstrap. `bootstrap` makes
    the interval of any measure by resampling; measures without a formula use the evaluation's bootstrap.

    Raises:
        UnknownMeasureError: there is no such measure.
        OptionError: a parameter, a fixed value or the level is invalid.
        TaskError: the measure belongs to another task.
        UndefinedError: the measure is undefined, and the evaluation has `undefined="raise"`.

    >>> import thresher as th
    >>> rows = th.load_example("breast_cancer")
    >>> forest = th.evaluate(rows, label="diagnosis", positive="malignant", scores="random_forest")["random_forest"]
    >>> forest.estimate("sensitivity@specificity=0.95").format(3)
    '0.915 [0.836, 0.958]'

    Source of the interval at a fixed rate: Pepe 2003, section 5.2; Bahadur 1966; Hall & Sheather 1988.
    """
    config = None if bootstrap is None else as_bootstrap(bootstrap, subject.rng)
    level = subject.level if level is None else confidence_level(level)
    asked = parse_measure(measure)
    scored = asked.at is not None or asked.entry.needs == "table"
    if scored and not (subject.task in TASKS and asked.at is None):
        need_scores(subject, asked.title)
    found = measured_value(subject, asked, level=level, bootstrap=config, every=config is not None)
    unfit = scored and subject.task == "binary" and lacks_probabilities(asked.entry, subject.scores)
    if not math.isnan(found.value) or unfit:
        return found
    value = resolve_undefined(found.value, subject.undefined, asked.title, found.reason or ZERO_BY_ZERO)
    return replace(found, value=value)


def value_of(subject: Subject, measure: MeasureSpec) -> float:
    """Value of a measure of a subject, without its interval; NaN where it is undefined.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import parse_measure
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> value_of(model, parse_measure("auc")), value_of(model, parse_measure("recall"))
    (0.75, 0.5)
    """
    if (known := treatment_of(subject.predictions).power(subject, measure, plain_value)) is not None:
        return known.value
    if ranks_rows(measure) and has_fits(subject):
        parts = fits_of([subject])[0]
        return math.fsum(plain_value(part, measure) for (part,) in parts) / len(parts) if parts else math.nan
    return plain_value(subject, measure)


def plain_value(subject: Subject, measure: MeasureSpec) -> float:
    """Value on the rows as they are labelled, without folds and a judge."""
    entry = measure.entry
    if measure.at is not None:
        from thresher.curves.value_at import value_at

        options: dict[str, Any] = {"at": measure.at.name, "value": measure.at_value, "rule": measure.rule}
        return value_at(subject.scores, entry.name, **options, **measure.parameters).value
    if measure.part is not None:
        from thresher.curves.regions import part_area

        return part_area(subject.scores, measure.part).raw
    if subject.task == "multilabel":
        return kind_of(subject.task).estimate(subject, entry.name).value
    statistic: Any = subject.statistic(entry.needs)
    found = math.nan if isinstance(statistic, Unavailable) else float(entry(statistic, **measure.parameters))
    return stand_in(subject.undefined) if math.isnan(found) else found


def remarks(evaluation: Any) -> tuple[Note, ...]:
    """Notes that need no measure; a report adds those on the measures and comparisons that it shows."""
    said = list(evaluation.predictions.notes)
    labelled = evaluation.predictions.predicted
    scored = [m for m in evaluation.values() if m.name not in labelled]
    assumed = [m.name for m in scored if m.threshold_reason.code == ASSUMED]
    if assumed:
        why = "threshold 0.5 was assumed because every score is in [0, 1]; "
        said.append(Note(ASSUMED, why, keyword("threshold", "…"), " sets another"))
    counted = {m.name: m.threshold_reason for m in scored if m.threshold_reason.code == COUNTED}
    for cut in dict.fromkeys(counted.values()):
        of = [name for name, each in counted.items() if each == cut]
        whose = "" if len(of) == len(evaluation) else f" for {' and '.join(of)}"
        said.append(Note(COUNTED, f"threshold {cut}, is taken{whose}; ", keyword("threshold", "…"), " sets another"))
    if any(map(has_fits, evaluation.values())):
        kept, left_out = whole_folds(evaluation.predictions)
        used = folds_used(len(kept), left_out)
        said += [NOTE, "ranking measures: " + used] if used is not None and kept else [NOTE]
    said += of_each_model({name: model.remarks for name, model in evaluation.items()})
    return tuple(dict.fromkeys([*said, *(replace(warning, where="").note for warning in design_warnings(evaluation))]))


def design_warnings(evaluation: Any) -> tuple[DesignWarning, ...]:
    """Warnings on the rows, for every measure; estimates and comparisons have further ones of their own."""
    models = evaluation.values()
    found = [w for m in models for w in row_warnings(m.predictions, draws_clusters=draws_clusters(m))]
    found += [w for m in models for w in treatment_of(m.predictions).warnings(m)]
    return distinct(found)
