"""How much better than the best pair of edges of bins a pair of thresholds inside of bins may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts.cells import Cells
from thresher.counts.thresholds import ThresholdTable
from thresher.decisions.criteria import Constraint
from thresher.decisions.objective import may_keep

Sides = Callable[[Cells], tuple[Floats, Floats]]
"""What the upper threshold adds at every row of a table, and what the lower one does."""


def corners_of_bins(rows: ThresholdTable) -> ThresholdTable | None:
    """TP and FP at the corners of what every bin may hold, a block for each of the four; None where it is not known.

    A threshold inside of a bin has TP and FP between those at its edges; of a score that stands for itself the corners
    are its edges. The last row has all rows, as a table needs it.
    """
    if rows.widths is None or rows.thinned:
        return None
    low, high = slice(0, -1), slice(1, None)
    wide = np.asarray(rows.widths) > 0
    ends = [(low, low), (high, high), (low, high), (high, low)]
    mixed = [(t, np.where(wide, rows.fp[f], rows.fp[t])) for t, f in ends]
    return ThresholdTable(
        thresholds=np.zeros(4 * wide.size + 1),
        tp=np.append(np.concatenate([rows.tp[t] for t, _ in mixed]), rows.tp[-1]),
        fp=np.append(np.concatenate([fp for _, fp in mixed]), rows.fp[-1]),
        prior=rows.prior,
    )


def _of_bins(values: Any) -> Any:
    return values[:-1].reshape(4, -1)


def cheaper_inside(rows: ThresholdTable, sides: Sides, value: float) -> float | None:
    """Most by which a pair inside of bins may cost less than a value; None where scores are distinct.

    The cost is the sum of what both thresholds add, each linear in its TP and FP, and so at least that of two corners.
    Where both are least at vertices of the ROC's hulls, which a table with sums of ranks has, nothing is cheaper.
    """
    if not rows.binned:
        return None
    if rows.rank_sums is not None and value <= sum(float(each.min()) for each in sides(rows.cells)) + 1e-12:
        return 0.0
    if (corners := corners_of_bins(rows)) is None:
        return math.inf
    yes, no = (_of_bins(each).min(axis=0) for each in sides(corners.cells))
    return max(value - float((np.minimum.accumulate(yes) + no).min()), 0.0)


def wider_inside(rows: ThresholdTable, bounds: tuple[Any, Any], decided: float) -> float | None:
    """Most by which a pair inside of bins may decide more, as a share of the rows, than one that keeps both bounds.

    A side that keeps its bound inside of a bin decides at most what it does at the end of it. A bin all of whose
    corners break the bound has no threshold that keeps it.
    """
    if not rows.binned:
        return None
    if (corners := corners_of_bins(rows)) is None:
        return math.inf
    cells, last = rows.cells, len(rows) - 1
    lower, upper = np.full((2, last), -np.inf)
    # Where a side decides nothing it keeps any bound.
    lower[-1] = upper[0] = 0.0
    for found, bound, gain in zip((lower, upper), bounds, (cells.pred_neg, cells.pred_pos), strict=True):
        inside = gain[:-1] if found is lower else gain[1:]
        if isinstance(bound, Constraint):
            keeps = _of_bins(may_keep(corners, bound)).any(axis=0)
            np.maximum(found, np.where(keeps, inside, -np.inf), out=found)
        elif bound is not None:
            row = rows.index(float(bound))
            found[:] = -np.inf
            # The bin before a lower threshold is the last that the upper one may be in, and the other way round.
            found[max(row - 1, 0) if found is lower else min(row, last - 1)] = gain[row]
    return _more(np.maximum.accumulate(upper) + lower, decided, float(cells.n[0]))


def more_accurate_inside(rows: ThresholdTable, sides: Sides, decided: float) -> float | None:
    """Most by which a pair inside of bins may decide more, as a share of the rows, at an accuracy.

    The errors that are too many are the sum of what both thresholds add, linear in TP and FP, at least that of two
    corners; for a lower threshold no upper one after the last that leaves the sum at 0 will do.
    """
    if not rows.binned:
        return None
    if (corners := corners_of_bins(rows)) is None:
        return math.inf
    cells = rows.cells
    g, h = (_of_bins(each).min(axis=0) for each in sides(corners.cells))
    n = float(cells.n[0])
    suffix = np.minimum.accumulate(g[::-1])[::-1]
    last = np.minimum(np.searchsorted(suffix, 1e-9 * n - h, side="right") - 1, np.arange(h.size))
    most = np.where(last >= 0, cells.pred_pos[1:][last] + cells.pred_neg[:-1], -np.inf)
    return _more(most, decided, n)


def _more(most: Floats, decided: float, n: float) -> float:
    return max(min(float(most.max(initial=0.0)), n) - decided, 0.0) / n
