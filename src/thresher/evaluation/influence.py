"""Influence of each row on a measure of a subject: its weight times the derivative of the value by that weight.

Rows of one cell of the confusion matrix, or of one class at one score, have the same derivative.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.evaluation.intervals import sample_of
from thresher.evaluation.subject import Subject
from thresher.inference.comparing.contributions import about_mean, row_derivatives, table_slopes
from thresher.inference.estimates.of_matrices import slopes_of
from thresher.inference.estimates.ranking import Slopes
from thresher.inference.judged import AllRows
from thresher.measures.measure_text import MeasureSpec


def influence(subject: Subject, spec: MeasureSpec, truth: NDArray[Any] | None = None) -> Floats | None:
    """Return the influence of each row on a measure, (n,), with the sum 0; None without a formula or a class.

    With `truth` each row has another label, while the counts stay.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import parse_measure
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> [influence(model, parse_measure(name)) for name in ("recall", "auc", "ece")]
    [array([ 0.25,  0.  , -0.25,  0.  ]), array([ 0.125, -0.125, -0.125,  0.125]), None]
    """
    if not _is_smooth(subject, spec):
        return None
    rows, found = subject.rows, None
    if spec.entry.needs == "table":
        found = row_derivatives(sample_of(subject), spec, truth)
    elif spec.entry.needs == "posteriors" and subject.task == "multiclass":
        found = _of_posteriors(subject, spec, rows.truth if truth is None else truth)
    elif (slopes := _of_decisions(subject, spec)) is not None:
        found = slopes.of(rows.truth if truth is None else truth, subject.decisions)
    if found is None or not np.isfinite(found).all():
        return None
    return found if rows.weights is None else found * rows.weights


def influence_of_all(subject: Subject, spec: MeasureSpec, gold: NDArray[np.intp], of_gold: Subject) -> AllRows | None:
    """Return the influence of all rows on a measure, from the counts of cells where these have it.

    `gold` are the places of the gold rows, and `of_gold` is the subject with these rows alone.
    """
    is_of_scores = spec.entry.needs == "table"
    slopes = None
    if _is_smooth(subject, spec):
        slopes = table_slopes(subject.scores, spec) if is_of_scores else _of_decisions(subject, spec)
    if slopes is None:
        found = influence(subject, spec)
        return None if found is None else AllRows.of(found, gold)
    if not np.isfinite(slopes.square):
        return None
    places = _places(subject.scores, sample_of(of_gold).score) if is_of_scores else of_gold.decisions
    found, weights = slopes.of(of_gold.rows.truth, places), subject.rows.weights
    found = found if weights is None else found * weights[gold]
    return AllRows(found, slopes.square, lambda: np.asarray(influence(subject, spec)))


def _is_smooth(subject: Subject, spec: MeasureSpec) -> bool:
    """Whether a formula may serve the measure."""
    return spec.at is None and spec.part is None and not spec.entry.fitted and subject.rows.counts is None


def _of_decisions(subject: Subject, spec: MeasureSpec) -> Slopes | None:
    """Derivatives by the cells of the confusion matrix; None without one, or for a measure of something else."""
    matrix = subject.confusion_matrix if spec.entry.needs in ("cells", "matrix") else None
    if matrix is None:
        return None
    squares = matrix.counts if matrix.squares is None else matrix.squares
    slopes: Floats = slopes_of(spec.entry, matrix, dict(spec.parameters))(matrix.counts[None].astype(float))[1]
    used, slopes = squares > 0, slopes.reshape(squares.shape)

    def of(truth: NDArray[Any], decided: NDArray[Any]) -> Floats:
        # The positive class is first.
        return np.asarray(slopes[truth, decided] if len(matrix.labels) > 2 else slopes[1 - truth, 1 - decided])

    return Slopes(of, float((slopes[used] ** 2 * squares[used]).sum()))


def _places(table: ScoreTable, score: Floats) -> NDArray[np.intp]:
    """Places of some scores of a table."""
    if table.direction == "lower":
        return np.searchsorted(table.scores, score)
    return table.scores.size - 1 - np.searchsorted(table.scores[::-1], score)


def _of_posteriors(subject: Subject, spec: MeasureSpec, truth: NDArray[Any]) -> Floats | None:
    """Derivatives of a mean over rows of posteriors, for rows with other labels."""
    from thresher.evaluation.several_classes import row_values

    of = (subject, replace(subject, predictions=replace(subject.rows, truth=truth, partial_labels=None)))
    values, others = (row_values(each, spec.entry.name) for each in of)
    return None if values is None or others is None else about_mean(values, others, subject.rows.weights)
