"""Influence of each row on a measure of a subject: its weight times the derivative of the value by that weight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.evaluation.intervals import sample_of
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.forms import Derivatives
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import slopes_of
from thresher.measures.areas import once_per_table
from thresher.measures.measure_text import MeasureSpec

WEIGHTLESS = 1e-12
"""Share of their weight that rows have whose influence is read, and that are not counted."""


def influence(subject: Subject, spec: MeasureSpec, truth: NDArray[Any] | None = None) -> Floats | None:
    """Return the influence of each row on a measure, (n,), with the sum 0; None without a formula or a class.

    With `truth` each row has another label, while the counts stay.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import parse_measure
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> [influence(model, parse_measure(name)) for name in ("recall", "auc", "ece")]
    [array([ 0.25,  0.  , -0.25,  0.  ]), array([ 0.125, -0.125, -0.125,  0.125]), None]
    """
    entry, rows = spec.entry, subject.rows
    if spec.at is not None or spec.part is not None or entry.fitted or rows.counts is not None:
        return None
    of = {"cells": _of_decisions, "matrix": _of_decisions, "table": _of_scores, "posteriors": _of_posteriors}
    truth = rows.truth if truth is None else truth
    found = of[entry.needs](subject, spec, truth) if entry.needs in of else None
    if found is None or not np.isfinite(found).all():
        return None
    return found if rows.weights is None else found * rows.weights


def _of_decisions(subject: Subject, spec: MeasureSpec, truth: NDArray[Any]) -> Floats | None:
    """Derivative by the cell of the confusion matrix that the row is in."""
    matrix = subject.confusion_matrix
    if matrix is None:
        return None
    is_own = truth is subject.rows.truth
    place = subject.compared.get("place in matrix") if is_own else None
    if place is None:
        place = _places(subject, truth, len(matrix.labels))
    if is_own:
        subject.compared["place in matrix"] = place
    slopes: Floats = slopes_of(spec.entry, matrix, dict(spec.parameters))(matrix.counts[None].astype(float))[1]
    return np.asarray(slopes.ravel()[place])


def _places(subject: Subject, truth: NDArray[Any], classes: int) -> NDArray[np.intp]:
    """Cell of each row in the confusion matrix, of two classes the positive one first."""
    place = truth.astype(np.intp) * classes + subject.decisions
    return np.asarray(place if classes > 2 else 3 - place)


def _of_scores(subject: Subject, spec: MeasureSpec, truth: NDArray[Any]) -> Floats | None:
    """Derivative by the formula of the measure: a mean of rows, a line of the AUC, or one of its own."""
    adds, side = methods_of(spec.entry.name), sample_of(subject)
    if adds.rows is not None:
        return _of_mean(subject, *(adds.rows(side.score, each == 1) for each in (side.rows.truth, truth)))
    if not (side.table.P and side.table.N):
        return None
    if adds.linear_in_auc is not None:
        return adds.linear_in_auc[0] * placements(side.table)[side.places, truth.astype(np.intp)]
    if not isinstance(adds.adds, Derivatives):
        return None
    weights: Floats = np.ones(len(truth)) if side.rows.weights is None else side.rows.weights
    if truth is side.rows.truth:
        return adds.adds.of(side.table, side.places, truth == 1, weights)
    # Rows with other labels stand behind the rows that are counted, nearly without weight.
    twice = np.tile(side.places, 2), np.concatenate([side.rows.truth, truth]) == 1
    return adds.adds.of(side.table, *twice, np.concatenate([weights, WEIGHTLESS * weights]))[len(truth) :]


@once_per_table
def placements(table: ScoreTable) -> Floats:
    """Derivative of the AUC by the weight of a negative and of a positive row at each score, (scores, 2)."""
    positive, negative = (np.asarray(part, dtype=np.float64) for part in (table.positive, table.negative))
    below, above = negative.sum() - np.cumsum(negative), np.cumsum(positive) - positive
    with np.errstate(invalid="ignore", divide="ignore"):
        of_positive = (below + negative / 2) / negative.sum()
        of_negative = (above + positive / 2) / positive.sum()
        area = float(of_positive @ positive / positive.sum())
        return np.stack([(of_negative - area) / negative.sum(), (of_positive - area) / positive.sum()], axis=1)


def _of_posteriors(subject: Subject, spec: MeasureSpec, truth: NDArray[Any]) -> Floats | None:
    """Derivative of a mean over rows; other measures of posteriors have none."""
    from thresher.evaluation.several_classes import row_values

    if subject.task != "multiclass" or row_values(subject, spec.entry.name) is None:
        return None
    of = (subject, replace(subject, predictions=replace(subject.rows, truth=truth, judged=None)))
    return _of_mean(subject, *(row_values(each, spec.entry.name) for each in of))


def _of_mean(subject: Subject, values: Any, others: Any) -> Floats:
    """Derivative of a weighted mean of values by the weight of rows with other values."""
    weights = subject.rows.weights
    total = float(len(values) if weights is None else weights.sum())
    mean = float(values.sum() if weights is None else values @ weights) / total
    return np.asarray((others - mean) / total)
