"""Thresholds that no other beats in both rates, as rows to choose from by eye."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.cli.rows import ModelRows
from thresher.conventions import divide
from thresher.decisions.operating import non_dominated
from thresher.decisions.valid_range import ratio_at

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation


def undominated(model: ModelEvaluation, prevalence: float | None) -> ModelRows:
    """Rows of one model; the costs are the ratios of a false positive's to a false negative's for which it is best.

    A threshold off the hull is the cheapest for no costs, so that these cells are undefined.
    """
    table = model.table if prevalence is None else model.table.with_prevalence(prevalence)
    rows = non_dominated(table)
    low, high = np.full(rows.size, np.nan), np.full(rows.size, np.nan)
    if table.P and table.N:
        hull = model.hull
        share = hull.prevalence if prevalence is None else prevalence
        place = np.minimum(np.searchsorted(hull.rows, rows), hull.rows.size - 1)
        on = hull.rows[place] == rows
        ratios = [[ratio_at(slope, share) for slope in slopes] for slopes in hull.slope_intervals[place[on]].tolist()]
        low[on], high[on] = np.reshape(ratios, (-1, 2)).T
    cells = table.cells
    shown = {
        "threshold": table.thresholds[rows], "TP": table.tp[rows], "FP": table.fp[rows], "FN": table.fn[rows],
        "TN": table.tn[rows], "TPR": divide(table.tp[rows], table.P), "FPR": divide(table.fp[rows], table.N),
        "precision": divide(cells.tp, cells.pred_pos)[rows], "cost_ratio_low": low, "cost_ratio_high": high,
    }  # fmt: skip

    def columns(start: int, stop: int) -> Mapping[str, Any]:
        return {name: column[start:stop] for name, column in shown.items()}

    return ModelRows(model.name, int(rows.size), columns)
