"""Exact counts of one model at a few thresholds, and the band of its ROC, for a drawing or a slider."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.analysis.thresholds import CHOSEN
from thresher.conventions import Floats, sentinel
from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.counts.decimal_cuts import decimal_cut, decimal_cuts
from thresher.errors import InputError, OptionError, RowsNeededError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.band import Band
from thresher.inference.curves.bands import roc_band

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.evaluation import ModelEvaluation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliderPoints:
    """Exact counts at the thresholds that a drawing or a slider offers.

    `cuts` are its thresholds as short decimals that decide the same rows. `chosen` is the row of the model's own
    threshold; None without one. `total` is the number of distinct scores; the table may
    keep fewer.
    """

    table: ThresholdTable
    cuts: Floats
    chosen: int | None
    total: int


def points_of(
    model: ModelEvaluation, keep: int, *, own: bool = False, chosen: Iterable[ChosenThreshold] = ()
) -> SliderPoints:
    """Return thinned thresholds, with the rows of the chosen ones and, when it decides, of the model's `own`."""
    table, total = model.thin(keep), int(model.scores.scores.size)
    for each in chosen:
        table = _with_row(table, each.threshold, each.matrix)[1]
    row = None
    if model.threshold is not None and own:
        row, table = _with_row(table, model.threshold, model.at(model.threshold))
    cuts = decimal_cuts(model.scores, table.thresholds)
    if row is not None:
        cuts[row] = shown_threshold(model)
    return SliderPoints(table=table, cuts=cuts, chosen=row, total=total)


def shown_threshold(model: ModelEvaluation) -> float | None:
    """Threshold of a model as it was given, or as the shortest decimal that decides as the one that was chosen."""
    is_chosen = model.threshold is not None and model.threshold_reason.code == CHOSEN.code
    return decimal_cut(model.scores, model.threshold) if is_chosen and model.threshold is not None else model.threshold


def _with_row(table: ThresholdTable, threshold: float, matrix: ConfusionMatrix) -> tuple[int, ThresholdTable]:
    """Table with a row for a given threshold, and its place; a kept score already has its row."""
    if threshold == sentinel(table.direction):
        return 0, table
    sign = -1.0 if table.direction == "higher" else 1.0
    place = 1 + int(np.searchsorted(sign * table.thresholds[1:], sign * threshold, side="right"))
    if place > 1 and table.thresholds[place - 1] == threshold:
        return place - 1, table
    new: dict[str, Any] = {"tp": matrix.counts[0, 0], "fp": matrix.counts[1, 0]}
    if matrix.squares is not None:
        new |= {"tp_squares": matrix.squares[0, 0], "fp_squares": matrix.squares[1, 0]}
    columns: dict[str, Any] = {name: _inserted(getattr(table, name), place, new[name]) for name in new}
    columns["thresholds"] = np.insert(table.thresholds, place, threshold)
    return place, replace(table, **columns)


def _inserted(column: NDArray[Any], place: int, value: float) -> NDArray[Any]:
    """Cumulative column with one more value between its neighbors: sums of weights differ in their last digits."""
    return np.insert(column, place, np.clip(value, column[place - 1], column[min(place, column.size - 1)]))


POINTS = 41
"""False positive rates at which the band of a drawing is found, closer where the curve climbs."""

REPLICATES, QUICK = 400, 20_000
"""Replicates of a drawing's band, and rows up to which they take no time that is noticed."""


def drawn_band(model: ModelEvaluation) -> Band | None:
    """Return the simultaneous band of a model's ROC; None without one, as for many rows with weights or clusters."""
    x, rows = np.linspace(0.0, 1.0, POINTS) ** 2, model.predictions
    is_whole = rows.cluster is not None
    try:
        if model.n <= QUICK:
            config = Bootstrap(n=REPLICATES, rng=model.rng)
            data = rows if is_whole or rows.weights is not None else model.scores
            return roc_band(data, config=config, level=model.level, x=x, model=model.name)
        return None if is_whole else roc_band(model.scores, kind="kolmogorov", level=model.level, x=x)
    except (InputError, OptionError, RowsNeededError):
        return None
