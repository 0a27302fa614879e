"""Prediction-powered values where a row may have several labels, each with its own gold rows.

A label is a task of two classes with its own λ. The macro average is the mean of their values, so its error in a row is
the mean of theirs; the weighted average also has the errors of the shares of the labels. A micro average reads every
entry, a row and a label, as a row of two classes, and the entries of a row as a cluster; the gold entries of a label
weigh as much as all of its entries. A mean over rows is one of the rows with all labels from people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from thresher.conventions import Floats, stand_in
from thresher.evaluation import judged as one_label
from thresher.evaluation.class_tasks import one_class, row_values
from thresher.evaluation.intervals import measure_named
from thresher.evaluation.several_classes import bounds_of
from thresher.evaluation.subject import Subject
from thresher.evaluation.tasks import LabelTreatment, ValueOf
from thresher.inference.comparing.rows import once_per_sample
from thresher.inference.judged import AllRows, Errors, Powered, errors_at, influence_of_means
from thresher.inference.limits import limited
from thresher.measures.averaging import split_average
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.several_classes import LabelSets
from thresher.predictions import Predictions
from thresher.predictions.judged import JudgedLabels
from thresher.results import Estimate


class _Label(NamedTuple):
    """Prediction-powered value of one label with its errors, and the errors of the gold rows alone."""

    known: Powered
    errors: Errors
    alone: Errors


def _estimate(subject: Subject, name: str, found: Estimate, value_of: ValueOf) -> Estimate | None:
    measure = measure_named(subject, name)
    known = None if measure is None or math.isnan(found.value) else power(subject, measure, value_of)
    if known is None or not known.variance > 0:
        return None
    bounds, error = bounds_of(name), math.sqrt(known.variance)
    value = min(max(known.value, bounds[0]), bounds[1])
    found = replace(found, value=value, n=known.worth, reason=None)
    method = f"{one_label.METHOD if known.weight else one_label.GOLD_ALONE}, delta method"
    return limited(found, error, bounds, level=subject.level, method=method, df=max(known.units - 1, 1.0))


def read_labels(subject: Subject, measure: MeasureSpec, value_of: ValueOf) -> tuple[Powered, Errors] | None:
    """Prediction-powered value of a measure of several labels, and its errors; None without a formula."""
    judged, (how, base) = one_label.judged_of(subject), split_average(measure.entry.name)
    if judged is None or judged.people is None or not measure.is_plain:
        return None
    if not how:
        return _mean_over_rows(subject, judged, measure.entry.name)
    views = _views(subject)
    if how == "micro":
        return _of_entries(subject, judged, views, parse_measure(base), value_of)
    values = [_of_label(view, base, value_of) for view in views]
    shares = [_of_label(view, "prevalence", value_of) for view in views] if how == "weighted" else []
    return None if None in values or None in shares else _average(judged, values, shares)


power = partial(one_label.power_of, read=read_labels)


@once_per_sample
def _views(subject: Subject) -> list[Subject]:
    """Each label against its absence."""
    return [one_class(subject, code) for code in range(len(subject.labels))]


def _of_label(view: Subject, base: str, value_of: ValueOf) -> Any:
    """`_Label` of a measure; None without a formula."""
    found = one_label.influence_of(view, parse_measure(base), value_of)
    return None if found is None else _Label(*one_label.powered_errors(*found), errors_at(*found, 0.0))


def _average(judged: JudgedLabels, values: list[_Label], shares: list[_Label]) -> tuple[Powered, Errors]:
    """Mean over the labels, or their mean weighted by the shares of rows that have them."""

    def mean(of: str) -> tuple[float, Floats, Floats]:
        """Value, and its derivatives by the values and the shares."""
        x, p = (np.array([getattr(each.known, of) for each in some]) for some in (values, shares))
        parts = p / p.sum() if shares else np.full(x.size, 1 / x.size)
        value = float(parts @ x)
        return value, parts, (x - value) / p.sum() if shares else p

    value, *slopes = mean("value")
    terms = [list(zip(part, some, strict=True)) for part, some in zip(slopes, (values, shares), strict=True)]
    errors, alone = (
        _summed(judged, [[(slope, getattr(each, of)) for slope, each in some] for some in terms])
        for of in ("errors", "alone")
    )
    weight, gold = np.mean([(each.known.weight, each.errors.gold.size) for each in values], axis=0).tolist()
    without = replace(alone, unlike=None).variance
    variance = errors.variance if weight else without
    known = Powered(
        value=value, weight=weight, variance=variance, units=errors.units, gold=mean("gold")[0],
        judge=mean("judge")[0], worth=gold * without / variance if weight and variance > 0 else gold,
    )  # fmt: skip
    return known, errors


def _summed(judged: JudgedLabels, terms: Sequence[Sequence[tuple[float, Errors]]]) -> Errors:
    """Errors by row, times their derivatives; the judge may err in each label by itself."""
    labels = [errors.labelling.gold for _, errors in terms[0]]
    gold, every = np.unique(np.concatenate(labels)), np.zeros(len(judged.rows))
    own, unlike, wrong = np.zeros(gold.size), np.zeros((len(labels), gold.size)), np.zeros(gold.size)
    for some in terms:
        for of_label, (slope, errors) in zip(unlike, some, strict=False):
            places = np.searchsorted(gold, errors.labelling.gold)
            own[places] += slope * errors.gold
            of_label[places] += slope * (errors.gold if errors.unlike is None else errors.unlike[0])
            every += slope * errors.slope * errors.every.of_rows() if errors.slope else 0.0
    for _, errors in terms[0]:
        own_gold = errors.labelling.gold
        wrong[np.searchsorted(gold, own_gold)] += np.asarray(errors.labelling.wrong) * (gold.size / own_gold.size)
    # Expected errors of every label, not of one drawn among them.
    labelling = replace(terms[0][0][1].labelling, gold=gold, wrong=wrong / len(labels))
    return Errors(own, AllRows.of(every, gold), 1.0, labelling, unlike * math.sqrt(len(labels)))


ENTRIES = "entries"
"""Name of a model whose rows are the entries of another."""


def _of_entries(
    subject: Subject, judged: JudgedLabels, views: Sequence[Subject], base: MeasureSpec, value_of: ValueOf
) -> tuple[Powered, Errors] | None:
    """Micro average: a measure of all entries together."""
    n, parts = len(judged.rows), [view.rows for view in views]
    labels: list[Any] = [part.partial_labels for part in parts]
    every = _joined([each.rows for each in labels])
    places = np.concatenate([code * n + each.gold for code, each in enumerate(labels)])
    of_judge = JudgedLabels(rows=every, gold=places, judges={judged.name: every.truth[places]})
    entries = replace(subject, name=ENTRIES, predictions=replace(_joined(parts), partial_labels=of_judge))
    if (found := one_label.influence_of(entries, base, value_of)) is None:
        return None
    units = one_label.labelling_of(subject, judged).clusters
    labelling = replace(found[1], clusters=np.tile(np.arange(n) if units is None else units, len(labels)))
    known, errors = one_label.powered_errors(found[0], labelling)
    return replace(known, worth=known.worth / len(labels)), errors


def _joined(parts: Sequence[Predictions]) -> Predictions:
    """Rows of all labels, of equal weight, as rows of one model of two classes."""

    def column(of: str) -> dict[str, Any]:
        found = [array for each in parts for array in getattr(each, of).values()]
        return {ENTRIES: np.concatenate(found)} if found else {}

    weights = [each.row_weights for each in parts]
    return Predictions(
        truth=np.concatenate([each.truth for each in parts]), classes=(0, 1), task=parts[0].task,
        scores=column("scores"), predicted=column("predicted"),
        weights=np.concatenate([each / each.sum() for each in weights]), weight_kind="importance",
    )  # fmt: skip


def _mean_over_rows(subject: Subject, judged: JudgedLabels, name: str) -> tuple[Powered, Errors] | None:
    """Mean over the rows; a judge's error is in one label of a row."""
    rows, number = [subject, *one_label.readings(subject, judged)], stand_in(subject.undefined)
    tables = [each for row in rows if isinstance(each := row.statistic("label sets"), LabelSets)]
    if not tables or name not in row_values(tables[1]):
        return None
    flips = np.eye(len(subject.labels), dtype=tables[1].truth.dtype)
    found = [row_values(t)[name] for t in (*tables, *(replace(tables[1], truth=tables[1].truth ^ f) for f in flips))]
    values = [np.where(np.isnan(each), number, each) for each in found]
    if not all(np.isfinite(each).all() for each in values):
        return None
    shares = [each.rows.row_weights / each.rows.row_weights.sum() for each in rows]
    of_all = AllRows.of_mean(values[2], shares[2], judged.gold)
    influence = influence_of_means(values[:2], shares[0], of_all, np.stack(values[3:]))
    return one_label.powered_errors(influence, one_label.labelling_of(subject, judged))


JUDGED_LABELS = LabelTreatment(
    estimates=partial(one_label.with_judge, of=_estimate), power=power, warnings=one_label.few_gold_rows,
    difference=partial(one_label.judged_difference, read=read_labels),
    notes=partial(one_label.notes_of, headline="macro_f1", read=read_labels),
)  # fmt: skip
