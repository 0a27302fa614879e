"""Thresholds that no other beats in both rates, with the costs for which each is the cheapest; to choose by eye."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.conventions import divide
from thresher.curves.listing import Listing
from thresher.curves.points import Table, threshold_table
from thresher.decisions.hull import roc_hull
from thresher.decisions.operating import non_dominated
from thresher.decisions.valid_range import ratio_at


def undominated(table: Table) -> Listing:
    """Rows of the threshold table that no other row beats: threshold, counts, rates, precision, and cost ratios.

    The ratios are those of a false positive's cost to a false negative's, from low to high, for which the threshold is
    the cheapest; NaN for a threshold off the hull, which is the cheapest for none.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> found = undominated(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> found["threshold"].tolist(), found["cost_ratio_low"].round(3).tolist()
    ([7.0, 1.0], [1.0, 0.0])
    """
    whole = threshold_table(table)
    rows = non_dominated(whole)
    low, high = np.full(rows.size, np.nan), np.full(rows.size, np.nan)
    if whole.P and whole.N:
        hull = roc_hull(replace(whole, prior=None))
        share = float(hull.prevalence) if whole.prior is None else whole.prior
        place = np.minimum(np.searchsorted(hull.rows, rows), hull.rows.size - 1)
        on = hull.rows[place] == rows
        ratios = [[ratio_at(slope, share) for slope in slopes] for slopes in hull.slope_intervals[place[on]].tolist()]
        low[on], high[on] = np.reshape(ratios, (-1, 2)).T
    cells = whole.cells
    shown = {
        "threshold": whole.thresholds[rows], "TP": whole.tp[rows], "FP": whole.fp[rows], "FN": whole.fn[rows],
        "TN": whole.tn[rows], "TPR": divide(whole.tp[rows], whole.P), "FPR": divide(whole.fp[rows], whole.N),
        "precision": divide(cells.tp, cells.pred_pos)[rows], "cost_ratio_low": low, "cost_ratio_high": high,
    }  # fmt: skip
    return Listing(shown, whole.backend)
