"""Precision–recall–gain: the precision–recall curve on axes where always-positive is 0 and lines are straight."""

from __future__ import annotations

import numpy as np

from thresher.conventions import divide
from thresher.curves.curve import Curve, Line
from thresher.curves.points import Floats, Table, points


def precision_recall_gain_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Precision gain against recall gain: (x − π)/((1 − π)·x) of precision and of recall, from recall gain 0 on.

    F1-isometrics are parallel lines, points of one model may be joined by straight ones, and the area is linear in the
    expected F1. Always positive is at (1, 0); precision below the prevalence has a gain below 0. Where the recall
    crosses π the point between two thresholds is put in. Undefined (NaN) without positives or without negatives.

    Raises:
        InputError: the table is a batch.

    Flach & Kull (2015), Precision-recall-gain curves.

    >>> from thresher.counts import ScoreTable
    >>> curve = precision_recall_gain_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.round(3).tolist(), curve.y.round(3).tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.5, 0.0])
    """
    found = points(table, keep)
    share = float(divide(found.positives, found.n))
    least = share * found.positives
    tp, fp, cuts = found.tp, found.fp, found.thresholds
    after = int(np.searchsorted(tp, least, side="left"))
    if 0 < after < tp.size and tp[after] > least:
        part = (least - tp[after - 1]) / (tp[after] - tp[after - 1])
        tp = np.insert(tp, after, least)
        fp = np.insert(fp, after, fp[after - 1] + part * (fp[after] - fp[after - 1]))
        cuts = np.insert(cuts, after, cuts[after])
    tp, fp, cuts = tp[after:], fp[after:], cuts[after:]
    return Curve(
        name="precision_recall_gain",
        x=_gain(divide(tp, found.positives), share),
        y=_gain(divide(tp, tp + fp), share),
        thresholds=cuts,
        x_name="recall_gain",
        y_name="precision_gain",
        interpolation="linear",
        references=(Line(text="always positive", x=(0.0, 1.0), y=(0.0, 0.0)),),
        notes=found.notes,
        area_name="precision_recall_gain_area",
        is_thinned=found.is_thinned,
    )


def _gain(rate: Floats, share: float) -> Floats:
    return divide(rate - share, (1 - share) * rate)
