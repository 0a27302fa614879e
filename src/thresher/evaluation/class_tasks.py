"""Measures of a model with several classes, or several labels a row, and one of these against the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, final

import numpy as np

from thresher import inference, multiclass
from thresher.conventions import Floats, resolve_undefined, stand_in
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.errors import Note, OptionError, TaskError
from thresher.evaluation.subject import Subject
from thresher.evaluation.tasks import decision_summaries, named_estimate, refuse_fitted
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.measures import Measure, find, measures
from thresher.measures.averaging import AVERAGES, averaged, combined
from thresher.measures.measure_text import HOWS, MeasureSpec, title_of
from thresher.measures.registry import known, spelling, statistic_of
from thresher.measures.several_classes import GUESSES, LabelSets, guesses_of, of_posteriors
from thresher.measures.shown import AREAS, OF_LABELS, UNASKED
from thresher.predictions import Predictions
from thresher.predictions.columns import counted
from thresher.predictions.judged import UNKNOWN, JudgedLabels
from thresher.predictions.probabilities import tied_rows
from thresher.results import NO_INTERVAL, Estimate


@final
class Multiclass:
    """Rows with a posterior for every class, decided for by the largest."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        decided = decision_summaries(subjects)
        return [_of_posteriors(subject) | found for subject, found in zip(subjects, decided, strict=True)]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        refuse_fitted(subject, name)
        if (entry := of_posteriors(name)) is None:
            return named_estimate(subject, name)
        return _value(subject, entry)

    def reads(self, _subject: Subject, spec: MeasureSpec, /) -> bool:
        return not spec.is_plain

    def notes(self, subject: Subject, _measured: Callable[[Subject, str], Estimate], /) -> list[Note]:
        rows = subject.rows
        lines = []
        if subject.name not in rows.predicted and (ties := tied_rows(rows.posteriors[subject.name])):
            what = "row has its largest posterior" if ties == 1 else "rows have their largest posterior"
            text = f"{ties:,} {what} in several classes; the first of them, in the order of the labels, is predicted"
            lines.append(Note("tied-classes", text))
        absent = [label for label, count in zip(rows.classes, rows.class_rows.tolist(), strict=True) if not count]
        if absent:
            shown = ", ".join(map(repr, absent[:5])) + (", …" if len(absent) > 5 else "")
            verb = "class {} has" if len(absent) == 1 else "classes {} have"
            text = f"{verb.format(shown)} no rows, so measures of {'it' if len(absent) == 1 else 'them'} are undefined"
            lines.append(Note("absent-class", text))
        return lines


def _of_posteriors(subject: Subject) -> dict[str, Estimate]:
    """Every measure of the posteriors by name."""
    k = len(subject.labels)
    names = [name for name, most in UNASKED.items() if k <= most]
    names += [f"top_{guesses}_accuracy" for guesses in GUESSES if guesses < k]
    # The rows are ranked once.
    credit = multiclass.top_k_accuracy(subject.posteriors, k=GUESSES)
    sums = dict(multiclass.loss_sums(subject.posteriors)) | {f"top_{k}_accuracy": each for k, each in credit.items()}
    return {name: _value(subject, entry, sums) for name in names if (entry := of_posteriors(name))}


def _value(subject: Subject, entry: Measure, sums: Mapping[str, LossSums] | None = None) -> Estimate:
    """Value of one measure of posteriors, with its analytic interval where there is one; `sums` are reused."""
    methods = methods_of_posteriors(entry.name)
    if methods.of_areas:
        found = subject.areas_of_rows[entry.name]
    elif methods.of_tuples:
        found = replace(
            inference.volume_interval(multiclass.posterior_volume(subject.posteriors), level=subject.level),
            name=entry.name,
        )
    elif entry.group == "guesses" or methods.losses is not None:
        known = _sums(subject, entry.name) if sums is None else sums[entry.name]
        found = inference.loss_sums_interval(known, entry.name, bounds=entry.bounds, level=subject.level)
    else:
        found = Estimate(
            name=entry.name, value=float(entry(subject.posteriors)), n=subject.rows.effective, reason=NO_INTERVAL
        )
    if not math.isnan(found.value):
        return found
    reason = found.reason or Note("no-rows", "a class is empty")
    return replace(found, value=resolve_undefined(found.value, subject.undefined, entry.title, reason), reason=reason)


def _sums(subject: Subject, name: str) -> LossSums:
    """Sums of the contributions of rows to a mean."""
    guesses = guesses_of(name)
    if guesses is None:
        losses: LossSums = multiclass.loss_sums(subject.posteriors)[name]
        return losses
    if guesses >= len(subject.labels):
        raise OptionError(f"top_{guesses}_accuracy is 1 with {len(subject.labels)} classes.")
    credit: LossSums = multiclass.top_k_accuracy(subject.posteriors, k=guesses)[guesses]
    return credit


@final
class Multilabel:
    """Rows that may have several labels: a score for each, cut at a threshold, or the predicted sets of labels."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        return [_by_formula(subject) for subject in subjects]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        refuse_fitted(subject, name)
        entry, shown = known(name, "label sets"), _by_formula(subject)
        found = shown.get(spelling(name) if entry is None else entry.name)
        if found is None and entry is not None:
            found = _of_label_sets(subject, entry)
        if found is not None:
            return found
        try:
            title = find(name).title
        except KeyError:
            raise TaskError(
                f"{name!r} is not a measure of {subject.name!r}, a multilabel task; it has {', '.join(shown)}."
            ) from None
        raise TaskError(
            f"{title} is of two classes, and the task of {subject.name!r} is multilabel: read "
            f"model.classes[label].{name}, or an average such as macro_{name}."
        )

    def reads(self, _subject: Subject, spec: MeasureSpec, /) -> bool:
        return not spec.is_plain

    def notes(self, subject: Subject, _measured: Callable[[Subject, str], Estimate], /) -> list[Note]:
        rows, said = subject.rows, []
        if subject.threshold is None and subject.name not in rows.predicted:
            said.append(subject.threshold_reason)
        for count, which in ((0, "no row"), (len(rows), "every row")):
            found = [label for label, n in zip(rows.classes, rows.class_rows.tolist(), strict=True) if n == count]
            if found:
                shown = ", ".join(map(repr, found[:5])) + (", …" if len(found) > 5 else "")
                plural = "" if len(found) == 1 else "s"
                text = f"{which} has the label{plural} {shown}, so its areas are undefined"
                said.append(Note("one-class", text))
        return said


def _by_formula(subject: Subject) -> dict[str, Estimate]:
    """Every measure by name, before any bootstrap."""
    found: dict[str, Estimate] = {}
    rows = subject.rows
    if subject.name in rows.posteriors:
        found |= _areas(subject)
    table = subject.statistic("label sets")
    if not isinstance(table, LabelSets):
        first = [entry.name for entry in measures("label sets")]
        names = (*first, *(f"{how}_{m}" for how in HOWS for m in OF_LABELS))
        return found | {
            n: Estimate(name=n, value=math.nan, n=subject.rows.effective, reason=subject.threshold_reason)
            for n in names
        }
    found |= _row_means(subject, table)
    found |= _averages(subject, table)
    return found


def _areas(subject: Subject) -> dict[str, Estimate]:
    """Averages over the labels of the areas of their scores, and the areas of all scores together."""
    rows = subject.rows
    scores, truth, w = rows.posteriors[subject.name], rows.truth, rows.weights
    tables = [ScoreTable.from_scores(truth[:, k], scores[:, k], weights=w) for k in range(len(rows.classes))]
    every = ScoreTable.from_scores(
        truth.ravel(), scores.ravel(), weights=None if w is None else np.repeat(w, len(rows.classes))
    )
    support = np.array([float(table.P) for table in tables])
    found = {}
    for name in AREAS:
        entry = find(name)
        values = np.array([entry(table) for table in tables])
        reason = _undefined_for(entry.title, rows.classes, values)
        for how in AVERAGES:
            value = entry(every) if how == "micro" else combined(values, how, support)
            found[f"{how}_{name}"] = _estimate(subject, f"{how}_{name}", float(value), reason)
    return found


def _undefined_for(title: str, labels: Sequence[Any], values: Floats) -> str:
    """Reason for an undefined average: some labels are without a value, or no row has any label."""
    gone = [repr(label) for label, value in zip(labels, values.tolist(), strict=True) if math.isnan(value)]
    if not gone:
        return "no row has a label"
    return f"{title} is undefined for label {', '.join(gone[:5])}{', …' if len(gone) > 5 else ''}"


def row_values(table: LabelSets) -> dict[str, Floats]:
    """Values of each row, (n,), of measures that are means over rows; NaN for 0/0."""
    values = {"subset_accuracy": (table.different == 0).astype(np.float64), "hamming_loss": table.different}
    cells = table.row_cells()
    for name in OF_LABELS:
        entry = find(name)
        values[f"samples_{name}"] = np.asarray(entry.on(statistic_of(entry, cells)))
    return values


def _row_means(subject: Subject, table: LabelSets) -> dict[str, Estimate]:
    """Measures that are means over rows, with the intervals of means."""
    frequency, found = subject.rows.weight_kind == "frequency", {}
    for name, given in row_values(table).items():
        gone = np.isnan(given)
        missing = round(subject.rows.take(np.flatnonzero(gone)).counted) if gone.any() else 0
        each = given
        if missing and not math.isnan(stand_in(subject.undefined)):
            each = np.where(gone, stand_in(subject.undefined), given)
        elif missing:
            lacking = LACKING.get(name, "true and predicted labels")
            reason = f"it is 0/0 in {counted(missing, 'row')} without {lacking}"
            found[name] = _estimate(subject, name, math.nan, reason)
            continue
        sums = LossSums.of(each, table.weights, frequency=frequency)
        found[name] = inference.loss_sums_interval(sums, name, bounds=(0.0, 1.0), level=subject.level)
    return found


LACKING = {"samples_precision": "predicted labels", "samples_recall": "true labels"}
"""Labels that a row lacks where a mean over rows is 0/0."""


def _averages(subject: Subject, table: LabelSets) -> dict[str, Estimate]:
    """Macro, micro and weighted averages over the labels."""
    found, cells, number = {}, table.cells(), stand_in(subject.undefined)
    for name in OF_LABELS:
        for how in AVERAGES:
            value, values = averaged(find(name), cells, how, number)
            values = np.where(np.isnan(values), number, values)
            reason = "no row has a label" if how == "micro" else _undefined_for(name, subject.rows.classes, values)
            found[f"{how}_{name}"] = _estimate(subject, f"{how}_{name}", float(value), reason)
    return found


def _of_label_sets(subject: Subject, entry: Measure) -> Estimate:
    """Measure of label sets that is not among those shown unasked."""
    table = subject.statistic("label sets")
    if not isinstance(table, LabelSets):
        return Estimate(name=entry.name, value=math.nan, n=subject.rows.effective, reason=subject.threshold_reason)
    return _estimate(subject, entry.name, float(entry.on(table)), "it is 0/0")


def _estimate(subject: Subject, name: str, value: float, reason: str) -> Estimate:
    if not math.isnan(value):
        return Estimate(name=name, value=value, n=subject.rows.effective, reason=NO_INTERVAL)
    value = resolve_undefined(value, subject.undefined, title_of(name), reason)
    return Estimate(name=name, value=value, n=subject.rows.effective, reason=Note("undefined", reason))


S = TypeVar("S", bound=Subject)

ONE_CLASS = Note(
    "largest-probability", "predicted by the largest probability of all classes, not by a threshold on this one"
)


def one_class(model: S, code: int) -> S:
    """Model on the rows of one class against the rest; a label of several has its own gold rows."""
    name, judged, rows = f"{model.name}: {model.labels[code]}", model.rows.partial_labels, model.rows
    own = judged
    if isinstance(judged, JudgedLabels):
        gold, every = judged.gold, _of_class(model, judged.rows, code)
        if judged.people is not None:
            gold = np.flatnonzero(judged.people.truth[:, code] != UNKNOWN)
            rows = judged.people.take(gold)
        own = replace(judged, rows=every, gold=gold, judges={judged.name: every.truth[gold]}, people=None)
    rows = replace(_of_class(model, rows, code), partial_labels=own)
    is_multilabel = model.task == "multilabel"
    cut: dict[str, Any] = {} if is_multilabel else {"threshold": None, "threshold_reason": ONE_CLASS}
    return replace(model, name=name, predictions=rows, **cut)


def _of_class(model: Subject, rows: Predictions, code: int) -> Predictions:
    """Rows of a model with one class as positive."""
    label, own = rows.classes[code], model.name
    name, scored = f"{own}: {label}", own in rows.posteriors
    if model.task == "multilabel":
        truth, decided = rows.truth[:, code], rows.predicted[own][:, code] if own in rows.predicted else None
    else:
        truth, decided = (rows.truth == code).astype(np.uint8), (rows.decided(own) == code).astype(np.uint8)
    return replace(
        rows, truth=truth, classes=(f"not {label}", label), task="binary" if scored else "labels",
        scores={name: rows.posteriors[own][:, code]} if scored else {}, posteriors={},
        predicted={} if decided is None else {name: decided}, notes=(),
    )  # fmt: skip
