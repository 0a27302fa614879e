"""Influence of each row on a measure of a subject: its weight times the derivative of the value by that weight.

Rows of one cell of the confusion matrix, or of one class at one score, have the same derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.evaluation.intervals import sample_of
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.forms import Derivatives, RowMean
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import slopes_of
from thresher.inference.judged import AllRows
from thresher.measures.areas import once_per_table
from thresher.measures.measure_text import MeasureSpec


class InfluenceCells(NamedTuple):
    """Derivative in each cell, the sum of squared influences, and the cell of a subject's rows with given labels."""

    slopes: Floats
    square: float
    place: Callable[[Subject, NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]


def influence(subject: Subject, spec: MeasureSpec, truth: NDArray[Any] | None = None) -> Floats | None:
    """Return the influence of each row on a measure, (n,), with the sum 0; None without a formula or a class.

    With `truth` each row has another label, while the counts stay.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import parse_measure
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> [influence(model, parse_measure(name)) for name in ("recall", "auc", "ece")]
    [array([ 0.25,  0.  , -0.25,  0.  ]), array([ 0.125, -0.125, -0.125,  0.125]), None]
    """
    rows = subject.rows
    if not _is_smooth(subject, spec):
        return None
    truth = rows.truth if truth is None else truth
    cells = _cells(subject, spec)
    found = _of_mean(subject, spec, truth) if cells is None else cells.slopes[cells.place(subject, truth)]
    if found is None or not np.isfinite(found).all():
        return None
    return found if rows.weights is None else found * rows.weights


def influence_of_all(subject: Subject, spec: MeasureSpec, gold: NDArray[np.intp], of_gold: Subject) -> AllRows | None:
    """Return the influence of all rows on a measure, from the counts of cells where these have it.

    `gold` are the places of the gold rows, and `of_gold` is the subject with these rows alone.
    """
    cells = _cells(subject, spec) if _is_smooth(subject, spec) else None
    if cells is None:
        found = influence(subject, spec)
        return None if found is None else AllRows.of(found, gold)
    if not np.isfinite(cells.square):
        return None
    found, weights = cells.slopes[cells.place(of_gold, of_gold.rows.truth)], subject.rows.weights
    found = found if weights is None else found * weights[gold]
    return AllRows(found, cells.square, lambda: _known(influence(subject, spec)))


def _known(found: Floats | None) -> Floats:
    assert found is not None  # as its squares are finite
    return found


def _is_smooth(subject: Subject, spec: MeasureSpec) -> bool:
    """Whether a formula may serve the measure."""
    return spec.at is None and spec.part is None and not spec.entry.fitted and subject.rows.counts is None


def _cells(subject: Subject, spec: MeasureSpec) -> InfluenceCells | None:
    """InfluenceCells with the derivatives of the measure; None for a mean over rows, and without a formula."""
    if spec.entry.needs in ("cells", "matrix"):
        return _of_decisions(subject, spec)
    return _of_scores(subject, spec) if spec.entry.needs == "table" else None


def _of_decisions(subject: Subject, spec: MeasureSpec) -> InfluenceCells | None:
    """Derivatives by the cells of the confusion matrix."""
    matrix = subject.confusion_matrix
    if matrix is None:
        return None
    squares = matrix.counts if matrix.squares is None else matrix.squares
    slopes: Floats = slopes_of(spec.entry, matrix, dict(spec.parameters))(matrix.counts[None].astype(float))[1]

    def place(of: Subject, truth: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        found = truth, of.decisions
        return found if len(matrix.labels) > 2 else (1 - found[0], 1 - found[1])  # the positive class is first

    used, slopes = squares > 0, slopes.reshape(squares.shape)
    return InfluenceCells(slopes, float((slopes[used] ** 2 * squares[used]).sum()), place)


def _of_scores(subject: Subject, spec: MeasureSpec) -> InfluenceCells | None:
    """Derivatives by the class and the score."""
    adds, table = methods_of(spec.entry.name), subject.scores
    if not (table.P and table.N):
        return None
    if adds.linear_in_auc is not None:
        slopes = placements(table) if adds.linear_in_auc[0] == 1 else adds.linear_in_auc[0] * placements(table)
    elif isinstance(adds.adds, Derivatives):
        slopes = adds.adds.of(table)
    else:
        return None
    squares: Any = table.negative_squares, table.positive_squares
    if table.weight_kind is None:
        squares = table.negative, table.positive
    square = sum(float(np.einsum("i,i,i->", *own)) for own in zip(slopes, slopes, squares, strict=True))

    def place(of: Subject, truth: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        side = sample_of(of)
        if of is subject:
            return truth, side.places
        if table.direction == "lower":
            return truth, np.searchsorted(table.scores, side.score)
        return truth, table.scores.size - 1 - np.searchsorted(table.scores[::-1], side.score)

    return InfluenceCells(slopes, square, place)


@once_per_table
def placements(table: ScoreTable) -> Floats:
    """Derivatives of the AUC by the weight of a negative and of a positive row at each score, (2, scores)."""
    p, n = float(table.P), float(table.N)
    found = np.empty((2, table.scores.size))
    np.cumsum(table.positive, out=found[0])
    np.cumsum(table.negative, out=found[1])
    found[0] -= table.positive / 2
    np.subtract(n, found[1], out=found[1])
    found[1] += table.negative / 2
    found /= [[p], [n]]
    found -= np.einsum("i,i->", found[1], table.positive) / p
    found /= [[n], [p]]
    return found


def _of_mean(subject: Subject, spec: MeasureSpec, truth: NDArray[Any]) -> Floats | None:
    """Derivative of a weighted mean over rows, of scores or of posteriors, by the weight of rows with other labels."""
    rows = subject.rows
    if spec.entry.needs == "table":
        adds = methods_of(spec.entry.name).adds
        if not isinstance(adds, RowMean):
            return None
        score = sample_of(subject).score
        values = adds.of(score, rows.truth == 1)
        others = values if truth is rows.truth else adds.of(score, truth == 1)
    elif spec.entry.needs == "posteriors" and subject.task == "multiclass":
        from thresher.evaluation.several_classes import row_values

        of = (subject, replace(subject, predictions=replace(rows, truth=truth, partial_labels=None)))
        values, others = (row_values(each, spec.entry.name) for each in of)
    else:
        return None
    if values is None:
        return None
    total = float(len(values) if rows.weights is None else rows.weights.sum())
    mean = float(values.sum() if rows.weights is None else values @ rows.weights) / total
    if not math.isfinite(mean):
        return None
    return np.asarray((others - mean) / total)
