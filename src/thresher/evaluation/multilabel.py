"""What is known about one model of a task in which a row may have several labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import resolve_undefined, stand_in
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.errors import TaskError
from thresher.evaluation.measured import to_resample
from thresher.evaluation.multiclass import ClassViews
from thresher.inference import loss_sums_interval
from thresher.inference.class_bootstrap import ByWeights, Statistic, replicates, resampled, unrolled
from thresher.measures import Measure, find, measures
from thresher.measures.averaging import AVERAGES, averaged, combined
from thresher.measures.label_sets import LabelSets
from thresher.measures.registry import known, spelling, statistic_of
from thresher.measures.titles import HOWS, title_of
from thresher.results import NO_INTERVAL, Estimate

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation

__all__ = ["ClassViews", "estimate_of", "measures_of", "notes_of", "statistic_of_labels"]

Floats = NDArray[np.float64]

DECISIONS = ("precision", "recall", "f1", "jaccard")
"""Measures of decisions that are averaged over the labels and over the rows."""

AREAS = ("auc", "average_precision")


def measures_of(model: ModelEvaluation) -> dict[str, Estimate]:
    """Every measure by name: those of the scores first, then those of the decisions."""
    found: dict[str, Estimate] = {}
    rows = model.predictions
    if model.name in rows.posteriors:
        found |= _areas(model)
    table = model.statistic("label sets")
    if not isinstance(table, LabelSets):
        first = [entry.name for entry in measures("label sets")]
        names = (*first, *(f"{how}_{m}" for how in HOWS for m in DECISIONS))
        return found | {n: Estimate(name=n, value=math.nan, n=model.n, reason=model.threshold_reason) for n in names}
    found |= _row_means(model, table)
    found |= _averages(model, table)
    return _resampled(model, found)


def estimate_of(model: ModelEvaluation, name: str) -> Estimate | None:
    """Estimate of a measure of several labels.

    Raises:
        TaskError: the measure belongs to another task.
    """
    key = spelling(name)
    entry = known(name, "label sets")
    found = model.measures.get(key if entry is None else entry.name)
    if found is not None:
        return found
    if entry is not None:
        return _of_registered(model, entry)
    try:
        title = find(key).title
    except KeyError:
        raise TaskError(
            f"{name!r} is no measure of {model.name!r}, whose task is multilabel; it has {', '.join(model.measures)}."
        ) from None
    raise TaskError(
        f"{title} is of two classes, and the task of {model.name!r} is multilabel: read model.classes[label].{name}, "
        f"or an average such as macro_{name}."
    )


def notes_of(model: ModelEvaluation) -> list[str]:
    """What a reader must know about the numbers of one model."""
    rows, said = model.predictions, []
    if model.threshold is None and model.name not in rows.predicted:
        said.append(model.threshold_reason)
    for count, which in ((0, "no row"), (len(rows), "every row")):
        found = [label for label, n in zip(rows.classes, rows.class_rows.tolist(), strict=True) if n == count]
        if found:
            shown = ", ".join(map(repr, found[:5])) + (", …" if len(found) > 5 else "")
            said.append(f"{which} has the label{'' if len(found) == 1 else 's'} {shown}, so its areas are undefined")
    return said


def _areas(model: ModelEvaluation) -> dict[str, Estimate]:
    """Averages over the labels of the areas of their scores, and the areas of all scores together."""
    rows = model.predictions
    scores, truth, w = rows.posteriors[model.name], rows.truth, rows.weights
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
            found[f"{how}_{name}"] = _estimate(model, f"{how}_{name}", float(value), reason)
    return found


def _undefined_for(title: str, labels: Sequence[Any], values: Floats) -> str:
    """Reason of an average in which some labels have no value; with values for all, no row has any label."""
    gone = [repr(label) for label, value in zip(labels, values.tolist(), strict=True) if math.isnan(value)]
    if not gone:
        return "no row has a label"
    return f"{title} is undefined for label {', '.join(gone[:5])}{', …' if len(gone) > 5 else ''}"


def _row_means(model: ModelEvaluation, table: LabelSets) -> dict[str, Estimate]:
    """Measures that are means over rows, with the intervals of means."""
    frequency = model.predictions.weight_kind == "frequency"
    values = {"subset_accuracy": (table.different == 0).astype(np.float64), "hamming_loss": table.different}
    cells = table.row_cells()
    for name in DECISIONS:
        entry = find(name)
        values[f"samples_{name}"] = np.asarray(entry.on(statistic_of(entry, cells)))
    found = {}
    for name, given in values.items():
        missing = int(np.isnan(given).sum())
        each = given
        if missing and not math.isnan(stand_in(model.undefined)):
            each = np.where(np.isnan(given), stand_in(model.undefined), given)
        elif missing:
            reason = f"it is 0/0 in {missing:,} rows, which have no label or are decided to have none"
            found[name] = _estimate(model, name, math.nan, reason)
            continue
        sums = LossSums.of(each, table.weights, frequency=frequency)
        found[name] = loss_sums_interval(sums, name, bounds=(0.0, 1.0), level=model.level)
    return found


def _averages(model: ModelEvaluation, table: LabelSets) -> dict[str, Estimate]:
    """Macro, micro and weighted averages over the labels."""
    found, cells, number = {}, table.cells(), stand_in(model.undefined)
    for name in DECISIONS:
        for how in AVERAGES:
            value, values = averaged(find(name), cells, how, number)
            values = np.where(np.isnan(values), number, values)
            reason = "no row has a label" if how == "micro" else _undefined_for(name, model.predictions.classes, values)
            found[f"{how}_{name}"] = _estimate(model, f"{how}_{name}", float(value), reason)
    return found


def _of_registered(model: ModelEvaluation, entry: Measure) -> Estimate:
    """Measure of label sets that is not among those shown unasked."""
    table = model.statistic("label sets")
    if not isinstance(table, LabelSets):
        return Estimate(name=entry.name, value=math.nan, n=model.n, reason=model.threshold_reason)
    return _estimate(model, entry.name, float(entry.on(table)), "it is 0/0")


def _estimate(model: ModelEvaluation, name: str, value: float, reason: str) -> Estimate:
    if not math.isnan(value):
        return Estimate(name=name, value=value, n=model.n, reason=NO_INTERVAL)
    title = title_of(name)
    return Estimate(name=name, value=resolve_undefined(value, model.undefined, title, reason), n=model.n, reason=reason)


def _resampled(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates, those without an analytic interval with one from the bootstrap when it was asked for."""
    if model.bootstrap is None or not (bare := to_resample(model, found)):
        return found
    rows = unrolled(model.predictions)
    again = replace(model, predictions=rows, bootstrap=None)
    drawn = replicates(rows, statistic_of_labels(again, bare), model.bootstrap)
    bounds = [(0.0, 1.0)] * len(bare)
    return found | resampled([found[n] for n in bare], bounds, drawn, model.bootstrap, level=model.level)


def statistic_of_labels(model: ModelEvaluation, names: Sequence[str]) -> Statistic:
    """Values of some measures, (R, names), from how often each row is drawn, (R, n)."""
    undefined = stand_in(model.undefined)

    def values(weights: Floats) -> list[float]:
        kept = np.flatnonzero(weights)
        rows = replace(model.predictions.take(kept), weights=weights[kept], weight_kind="importance")
        found = replace(model, predictions=rows, undefined=undefined).measures
        return [found[name].value for name in names]

    return ByWeights(values, model.predictions.weights)
