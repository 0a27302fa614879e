"""Measures of a subject's decisions, and of its scores, by a registered name: what several tasks have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.curves.kinds import CURVES
from thresher.elsewhere import attribute_here
from thresher.errors import TaskError
from thresher.evaluation.intervals import resampled, resamples_all, side_of, to_resample
from thresher.evaluation.subject import Subject, need_scores, need_two_classes
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import estimate, summaries
from thresher.inference.estimates.of_scores import estimate_of_scores
from thresher.measures import find, measures
from thresher.measures.averaging import class_averages, split_average
from thresher.measures.label_sets import of_label_sets
from thresher.measures.registry import Measure, known
from thresher.nearest import nearest
from thresher.results import Estimate
from thresher.sentences import ended, keyword


def decision_measures(subject: Subject) -> dict[str, Estimate]:
    """Every measure of the decisions by name; undefined where the subject makes none."""
    return decisions_of_each([subject])[0]


def decisions_of_each(subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
    """The same of each of many subjects with the same options, such as groups, which are computed together."""
    matrices, options = [subject.confusion_matrix for subject in subjects], subjects[0].matrix_options
    summed = iter(summaries([matrix for matrix in matrices if matrix is not None], **options))
    found = []
    for subject, matrix in zip(subjects, matrices, strict=True):
        if matrix is None:
            names = (m.name for m in measures("cells", "matrix") if m.is_unasked)
            found.append({name: _undecided(subject, name) for name in names})
            continue
        averages = class_averages(matrix, **options) if len(matrix.labels) > 2 else {}
        found.append(of_decisions(subject, next(summed) | averages))
    return found


def registered(subject: Subject, name: str) -> Estimate:
    """A measure of scores or decisions, or an average of one over the classes.

    Raises:
        AttributeError: there is none of this name, or it takes parameters.
        TaskError: it belongs to another task.
    """
    how, rest = split_average(name)
    if how and subject.confusion_matrix is not None:
        average: Estimate = subject.confusion_matrix.average(rest, how=how, **subject.matrix_options)
        return of_decisions(subject, {average.name: average})[average.name] if len(subject.labels) > 2 else average
    try:
        entry = find(name)
    except KeyError as error:
        if (of_labels := of_label_sets(name)) is not None:
            raise TaskError(
                f"{of_labels.title} belongs to a multilabel task, and {subject.name!r} is {subject.task}."
            ) from None
        said = attribute_here(name) or _attribute_meant(subject, name) or f": {error.args[0]}"
        raise AttributeError(f"a model's evaluation has no attribute {name!r}{ended(said)}") from None
    if entry.needs == "table":
        need_scores(subject, entry.title)
        found = estimate_of_scores(subject.scores, entry.name, level=subject.level, undefined=subject.undefined)
        return of_scores(subject, {entry.name: found})[entry.name]
    if entry.needs_parameters:
        raise AttributeError(_with_parameters(subject, entry))
    if subject.confusion_matrix is None:
        return _undecided(subject, entry.name)
    need_two_classes(subject, entry)
    found = estimate(subject.confusion_matrix, entry.name, **subject.matrix_options)
    return of_decisions(subject, {entry.name: found})[entry.name]


def _attribute_meant(subject: Subject, name: str) -> str:
    """An attribute that is no measure, and nearer to what was written than any measure is; empty without one."""
    own = [each for each in dir(type(subject)) if not each.startswith("_")] + [row.attribute for row in CURVES.values()]
    names = [each for entry in measures() for each in (entry.name, *entry.aliases)]
    near = nearest(name, [*own, *names], 1)
    return f": did you mean {near[0]}?" if near and near[0] in own else ""


def of_scores(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of measures of scores, those that a bootstrap serves with its interval."""
    names = to_resample(subject, found)
    return found | resampled(subject, {n: found[n] for n in names}, subject.rows, subject.name) if names else found


def of_decisions(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of measures of decisions, with intervals from a bootstrap where it serves them."""
    several = len(subject.labels) > 2
    if not (several or resamples_all(subject)) or not (names := to_resample(subject, found)):
        return found
    wanted = {name: found[name] for name in names}
    if several:
        from thresher.evaluation.class_bootstrap import resampled_estimates

        return found | resampled_estimates(subject, wanted)
    from thresher.inference.comparing.resampling import CUT, decided_rows

    return found | resampled(subject, wanted, decided_rows(side_of(subject)), "first", threshold=CUT)


def refuse_fitted(subject: Subject, name: str) -> None:
    """Refuse a measure of calibration that needs a fit to the score of one class.

    Raises:
        TaskError: it is one.
    """
    if (entry := known(name)) is not None and entry.fitted:
        raise TaskError(f"{entry.title} needs the score of one class, and {subject.name!r} is {subject.task}.")


def _undecided(subject: Subject, name: str) -> Estimate:
    """A measure of decisions of a subject that makes none."""
    return Estimate(name=name, value=math.nan, reason=subject.threshold_reason, n=subject.n)


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
