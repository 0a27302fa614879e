"""The cost curve: cost of the best threshold for every mix of prevalence and costs."""

from __future__ import annotations

import math

import numpy as np

from thresher.conventions import divide, sentinel
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.curves.curve import Curve, Line, Mark
from thresher.curves.points import Floats, Table, notes, one_table

TRIVIAL = Line(text="the cheaper of all and none positive", x=(0.0, 0.5, 1.0), y=(0.0, 0.5, 0.0))


def cost_curve(table: Table) -> Curve:
    """Compute the cost curve: least normalized expected cost against probability cost, over all thresholds.

    x = PC(+) = π·c_FN/(π·c_FN + (1 − π)·c_FP), y = FNR·x + FPR·(1 − x), in [0, ½]; lower is better. Each threshold is a
    straight line in these axes and each edge of the ROC's hull a corner of the envelope, at x = 1/(1 + slope), so that
    it takes linear time. `thresholds` has the cheapest one from each corner to the next. The area under the curve is
    the mean cost if every x were as likely as any other. A prevalence that was set moves the mark, not the curve.
    Undefined (NaN) where a class is empty.

    Raises:
        RowsNeededError: the table is thinned.

    Drummond and Holte (2006).

    >>> from thresher.counts import ScoreTable
    >>> curve = cost_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.x.round(3).tolist(), curve.y.round(3).tolist(), curve.thresholds.tolist()
    ([0.0, 0.6, 1.0], [0.0, 0.2, 0.0], [7.0, 1.0, 1.0])
    """
    scores = one_table(table, "a cost curve")
    x, y, thresholds = _envelope(scores)
    is_defined = bool(scores.P and scores.N)
    return Curve(
        name="cost",
        x=x,
        y=y,
        thresholds=thresholds,
        x_name="probability_cost",
        y_name="normalized_expected_cost",
        interpolation="linear",
        references=(TRIVIAL,),
        marks=(_mark(float(scores.prevalence), x, y, thresholds),) if is_defined else (),
        notes=notes(scores),
        area_name="mean_normalized_cost",
    )


def _envelope(scores: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Return the corners of the lower envelope, and the cheapest threshold from each on; NaN where a class is empty."""
    if not scores.P or not scores.N:
        nothing = np.full(2, math.nan)
        return np.array([0.0, 1.0]), nothing, nothing
    rows = scores.hull_rows
    tp, fp = cumulated(scores, rows)
    tpr, fpr = (np.append(0.0, divide(c, c[-1])) for c in (tp, fp))
    thresholds = np.append(sentinel(scores.direction), scores.scores[rows])
    run, rise = np.diff(fpr), np.diff(tpr)
    starts = np.append(0.0, run / (run + rise))
    # The first vertex has no stretch when the first edge is upright, the last none when the last edge is level.
    cheapest = np.flatnonzero(np.diff(starts, append=1.0) > 0)
    cheapest = np.append(cheapest, cheapest[-1])
    x = np.append(starts[cheapest[:-1]], 1.0)
    y = (1 - tpr[cheapest]) * x + fpr[cheapest] * (1 - x)
    return x, y, thresholds[cheapest]


def _mark(share: float, x: Floats, y: Floats, thresholds: Floats) -> Mark:
    """Mark the lowest error rate: both errors cost the same at the table's prevalence."""
    at = min(int(np.searchsorted(x, share, side="right")), x.size - 1) - 1
    text = "equal costs at this prevalence: the lowest error rate"
    return Mark(text=text, x=share, y=float(np.interp(share, x, y)), threshold=float(thresholds[at]))
