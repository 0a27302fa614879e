"""The precision–recall curve, and the curve of their gains over always predicting positive."""

from __future__ import annotations

from typing import Literal

import numpy as np

from thresher.conventions import divide, option
from thresher.curves.curve import Curve, Line
from thresher.curves.interpolation import Interpolation
from thresher.curves.points import Floats, Points, Table, full_area, points

Between = Literal["davis-goadrich", "step", "trapezoid", "highest"]

AREAS: dict[Between, tuple[Interpolation, str]] = {
    "davis-goadrich": ("davis-goadrich", "pr_auc_davis_goadrich"),
    "step": ("step", "average_precision"),
    "trapezoid": ("trapezoid", "pr_auc_trapezoid"),
    "highest": ("step", "area under interpolated precision"),
}
"""How the line runs, and which of the areas under it that makes."""


def precision_recall_curve(
    table: Table, *, keep: int | None = None, interpolation: Between = "davis-goadrich"
) -> Curve:
    """Compute precision against recall, one point at every observed score.

    Recall R = TP/P, precision P = TP/(TP + FP), at the table's prevalence. There is no point where nothing is
    predicted positive: (0, 1) is drawn by convention and enters no number. From recall 0 to the first point with
    TP > 0 precision is constant. Undefined (NaN) without positives.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        keep: largest number of thresholds, for drawing large tables.
        interpolation: how the line runs, and with it the meaning of `area()`. "davis-goadrich": FP grows linearly
            with TP, so precision is not linear in recall; "step": no interpolation, the area is the average
            precision; "trapezoid": straight lines, which are out of reach for any classifier; "highest": the
            interpolated precision p_interp(r), the highest precision at recall r or more.

    Raises:
        OptionError: there is no such interpolation.

    Davis & Goadrich (2006); Manning, Raghavan & Schütze (2008), section 8.4.

    >>> from thresher.counts import ScoreTable
    >>> curve = precision_recall_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.667, 0.5])
    """
    option("interpolation", interpolation, tuple(AREAS))
    found = points(table, keep).without_sentinel()
    precision = divide(found.tp, found.taken)
    rule, area = AREAS[interpolation]
    base = float(divide(found.positives, found.n))
    is_highest = interpolation == "highest"
    if is_highest:
        precision = np.maximum.accumulate(precision[::-1])[::-1]
    return found.curve(
        "interpolated_precision_recall" if is_highest else "precision_recall",
        ("recall", found.tpr),
        ("precision", precision),
        interpolation=rule,
        references=(Line(text=f"prevalence {base:.3g}", x=(0.0, 1.0), y=(base, base)),),
        drawn_from=(0.0, 1.0),
        area_name=area,
        full_area=full_area(table, area) if found.is_thinned and not is_highest else None,
        prevalence=found.prevalence,
    )


def precision_recall_gain_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Compute precision gain against recall gain, (x − π)/((1 − π)·x) of both, from recall gain 0 on.

    F1-isometrics are parallel lines, points of one model may be joined by straight ones, and the area is linear in the
    expected F1. Always positive is at (1, 0); precision below the prevalence has a gain below 0. Where the recall
    crosses π the point between two thresholds is put in. Undefined (NaN) without positives or without negatives.

    Flach & Kull (2015), Precision-recall-gain curves.

    >>> from thresher.counts import ScoreTable
    >>> curve = precision_recall_gain_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.round(3).tolist(), curve.y.round(3).tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.5, 0.0])
    """
    found = points(table, keep)
    x, y, cuts = _gains(found)
    always = Line(text="always positive", x=(0.0, 1.0), y=(0.0, 0.0))
    columns, area = (("recall_gain", x), ("precision_gain", y)), "precision_recall_gain_area"
    return found.curve("precision_recall_gain", *columns, thresholds=cuts, references=(always,), area_name=area)


def _gains(found: Points) -> tuple[Floats, Floats, Floats]:
    """Return the recall gain from 0 on, precision gain and the thresholds."""
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
    return _gain(divide(tp, found.positives), share), _gain(divide(tp, tp + fp), share), cuts


def _gain(rate: Floats, share: float) -> Floats:
    return divide(rate - share, (1 - share) * rate)
