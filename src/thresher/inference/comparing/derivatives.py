"""Derivatives of a measure of scores by the weights of rows, from its score table or row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.loss_sums import spread_about
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.inference.auc.delong_rows import placed_rows
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.estimates.forms import AreaLine, Derivatives, RowMean
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.ranking import Slopes
from thresher.kernel.values import LOSSES
from thresher.measures.areas import placements
from thresher.measures.calibration import moments
from thresher.measures.measure_text import MeasureSpec


def table_slopes(table: ScoreTable, asked: MeasureSpec) -> Slopes | None:
    """Return the derivatives of a measure of scores from their table; None without a formula or a class."""
    adds = methods_of(asked.entry.name).adds
    if isinstance(adds, RowMean) and asked.entry.name in LOSSES and (known := moments(table)) is not None:
        return _mean_slopes(table, adds, *known.of(asked.entry.name).sum(axis=0).tolist())
    if not isinstance(adds, (AreaLine, Derivatives)) or not (table.P and table.N):
        return None
    if isinstance(adds, AreaLine):
        return _area_slopes(table, adds.scale)
    return adds.of(table)


def _mean_slopes(table: ScoreTable, adds: RowMean, weight: float, first: float, *squares: float) -> Slopes:
    """Return the derivatives of a mean loss: a row's loss minus the mean, over the weight of all rows."""
    mean = first / weight

    def of(truth: NDArray[Any], places: NDArray[np.intp]) -> Floats:
        return np.asarray((adds.of(table.scores[places], truth == 1) - mean) / weight)

    return Slopes(of, spread_about(mean, *squares) / weight**2)


def _area_slopes(table: ScoreTable, scale: float) -> Slopes:
    """Return the derivatives of the AUC: a row's placement minus the AUC, over the weight of its class.

    The squares are DeLong's sums.
    """
    twice, of_positives, of_negatives, p, n = placements(table)
    area = twice / (2 * p * n)

    def of(truth: NDArray[Any], places: NDArray[np.intp]) -> Floats:
        order, (pos, neg) = np.argsort(places), (column[places] for column in table.columns)
        above = np.empty((2, places.size))
        above[:, order] = cumulated(table, places[order])
        beaten = np.where(truth == 1, 1 - (above[1] - neg / 2) / n, (above[0] - pos / 2) / p)
        return np.asarray((beaten - area) * np.where(truth == 1, scale / p, scale / n))

    return Slopes(of, scale**2 * (of_positives / p**2 + of_negatives / n**2))


def row_derivatives(side: ComparedSample, asked: MeasureSpec, truth: NDArray[Any] | None = None) -> Floats | None:
    """Return the derivative of a measure of scores by the weight of each row; None without a formula or a class.

    With `truth` each row has another label, while the counts stay.
    """
    adds, own = methods_of(asked.entry.name).adds, side.rows.truth
    if isinstance(adds, RowMean):
        values = adds.of(side.score, own == 1)
        others = values if truth is None else adds.of(side.score, truth == 1)
        return about_mean(values, others, side.rows.weights)
    if isinstance(adds, AreaLine) and truth is None:
        return _of_area(side, adds.scale)
    slopes = None if adds is None else table_slopes(side.table, asked)
    return None if slopes is None else slopes.of(own if truth is None else truth, side.places)


def about_mean(values: Floats, others: Floats, weights: Floats | None) -> Floats | None:
    """Return the derivatives of a mean of values by the weights of rows with other values; None if it is infinite."""
    total = float(len(values) if weights is None else weights.sum())
    mean = float(values.sum() if weights is None else values @ weights) / total
    return np.asarray((others - mean) / total) if math.isfinite(mean) else None


def _of_area(side: ComparedSample, scale: float) -> Floats | None:
    """Derivatives of the AUC, from placements: one sort of the scores, without a place in the table for each row."""
    placed = placed_rows(side.rows.truth, [side.score], **side.options)
    p, n = placed.totals
    if not (p and n):
        return None
    missed, found, positive = 1 - placed.auc(0), np.empty(len(side.rows)), side.rows.truth == 1
    for own, of_class, total in zip((positive, ~positive), placed.missed, (p, n), strict=True):
        found[own] = scale * missed / total - of_class[0] * (scale / (2 * p * n))
    return found
