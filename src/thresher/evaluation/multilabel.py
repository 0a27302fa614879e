"""What is known about one model of a task in which a row may have several labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from thresher import inference
from thresher.conventions import Floats, resolve_undefined, stand_in
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.errors import TaskError
from thresher.evaluation.decided import refuse_fitted
from thresher.evaluation.intervals import to_resample
from thresher.evaluation.reading import read
from thresher.evaluation.subject import Subject
from thresher.measures import Measure, find, measures
from thresher.measures.averaging import AVERAGES, averaged, combined
from thresher.measures.label_sets import LabelSets
from thresher.measures.measure_text import Wanted
from thresher.measures.registry import known, statistic_of
from thresher.measures.shown import AREAS, OF_LABELS
from thresher.measures.spelling import spelling
from thresher.measures.titles import HOWS, title_of
from thresher.results import NO_INTERVAL, Estimate

if TYPE_CHECKING:
    from thresher.inference.multiclass.bootstrap import Statistic


@final
class Multilabel:
    """Rows that may have several labels: a score for each, cut at a threshold, or the predicted sets of labels."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure by name: those of the scores first, then those of the decisions."""
        return [_resampled(subject, _by_formula(subject)) for subject in subjects]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """A measure of several labels."""
        refuse_fitted(subject, name)
        entry, shown = known(name, "label sets"), _by_formula(subject)
        found = shown.get(spelling(name) if entry is None else entry.name)
        if found is None and entry is not None:
            found = _of_registered(subject, entry)
        if found is not None:
            return _resampled(subject, {found.name: found})[found.name]
        try:
            title = find(name).title
        except KeyError:
            raise TaskError(
                f"{name!r} is no measure of {subject.name!r}, whose task is multilabel; it has {', '.join(shown)}."
            ) from None
        raise TaskError(
            f"{title} is of two classes, and the task of {subject.name!r} is multilabel: read "
            f"model.classes[label].{name}, or an average such as macro_{name}."
        )

    def value(self, subject: Subject, wanted: Wanted) -> Estimate:
        """A measure as it is written on one line."""
        return self.estimate(subject, wanted.entry.name) if wanted.is_plain else read(subject, wanted)

    def notes(self, subject: Subject) -> list[str]:
        """What a reader must know about the numbers."""
        rows, said = subject.rows, []
        if subject.threshold is None and subject.name not in rows.predicted:
            said.append(subject.threshold_reason)
        for count, which in ((0, "no row"), (len(rows), "every row")):
            found = [label for label, n in zip(rows.classes, rows.class_rows.tolist(), strict=True) if n == count]
            if found:
                shown = ", ".join(map(repr, found[:5])) + (", …" if len(found) > 5 else "")
                plural = "" if len(found) == 1 else "s"
                said.append(f"{which} has the label{plural} {shown}, so its areas are undefined")
        return said


def _by_formula(subject: Subject) -> dict[str, Estimate]:
    """Every measure by name, without what a bootstrap makes of it."""
    found: dict[str, Estimate] = {}
    rows = subject.rows
    if subject.name in rows.posteriors:
        found |= _areas(subject)
    table = subject.statistic("label sets")
    if not isinstance(table, LabelSets):
        first = [entry.name for entry in measures("label sets")]
        names = (*first, *(f"{how}_{m}" for how in HOWS for m in OF_LABELS))
        return found | {
            n: Estimate(name=n, value=math.nan, n=subject.n, reason=subject.threshold_reason) for n in names
        }
    found |= _row_means(subject, table)
    found |= _averages(subject, table)
    return found


def _resampled(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates, those without an analytic interval with one from the bootstrap when it was asked for."""
    if subject.bootstrap is None or not (bare := to_resample(subject, found)):
        return found
    from thresher.inference.multiclass.bootstrap import replicates, resampled, unrolled

    rows = unrolled(subject.rows)
    again = replace(subject, predictions=rows, bootstrap=None)
    drawn = replicates(rows, statistic_of_labels(again, bare), subject.bootstrap)
    bounds = [bounds_of_labels(n) for n in bare]
    return found | resampled([found[n] for n in bare], bounds, drawn, subject.bootstrap, level=subject.level)


def bounds_of_labels(name: str) -> tuple[float, float]:
    """Range of a measure of several labels; averages are those of shares."""
    entry = known(name, "label sets")
    return (0.0, 1.0) if entry is None else entry.bounds


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
    """Reason of an average in which some labels have no value; with values for all, no row has any label."""
    gone = [repr(label) for label, value in zip(labels, values.tolist(), strict=True) if math.isnan(value)]
    if not gone:
        return "no row has a label"
    return f"{title} is undefined for label {', '.join(gone[:5])}{', …' if len(gone) > 5 else ''}"


def _row_means(subject: Subject, table: LabelSets) -> dict[str, Estimate]:
    """Measures that are means over rows, with the intervals of means."""
    frequency = subject.rows.weight_kind == "frequency"
    values = {"subset_accuracy": (table.different == 0).astype(np.float64), "hamming_loss": table.different}
    cells = table.row_cells()
    for name in OF_LABELS:
        entry = find(name)
        values[f"samples_{name}"] = np.asarray(entry.on(statistic_of(entry, cells)))
    found = {}
    for name, given in values.items():
        missing = int(np.isnan(given).sum())
        each = given
        if missing and not math.isnan(stand_in(subject.undefined)):
            each = np.where(np.isnan(given), stand_in(subject.undefined), given)
        elif missing:
            reason = f"it is 0/0 in {missing:,} rows, which have no label or are decided to have none"
            found[name] = _estimate(subject, name, math.nan, reason)
            continue
        sums = LossSums.of(each, table.weights, frequency=frequency)
        found[name] = inference.loss_sums_interval(sums, name, bounds=(0.0, 1.0), level=subject.level)
    return found


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


def _of_registered(subject: Subject, entry: Measure) -> Estimate:
    """Measure of label sets that is not among those shown unasked."""
    table = subject.statistic("label sets")
    if not isinstance(table, LabelSets):
        return Estimate(name=entry.name, value=math.nan, n=subject.n, reason=subject.threshold_reason)
    return _estimate(subject, entry.name, float(entry.on(table)), "it is 0/0")


def _estimate(subject: Subject, name: str, value: float, reason: str) -> Estimate:
    if not math.isnan(value):
        return Estimate(name=name, value=value, n=subject.n, reason=NO_INTERVAL)
    title = title_of(name)
    return Estimate(
        name=name, value=resolve_undefined(value, subject.undefined, title, reason), n=subject.n, reason=reason
    )


def statistic_of_labels(subject: Subject, names: Sequence[str]) -> Statistic:
    """Values of some measures, (R, names), from how often each row is drawn, (R, n)."""
    from thresher.inference.multiclass.bootstrap import ByWeights

    undefined = stand_in(subject.undefined)

    def values(weights: Floats) -> list[float]:
        kept = np.flatnonzero(weights)
        rows = replace(subject.rows.take(kept), weights=weights[kept], weight_kind="importance")
        drawn = replace(subject, predictions=rows, undefined=undefined)
        (found,) = Multilabel().measures([drawn])
        return [(found[name] if name in found else Multilabel().estimate(drawn, name)).value for name in names]

    return ByWeights(values, subject.rows.weights)
