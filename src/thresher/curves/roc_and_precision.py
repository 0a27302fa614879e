"""The curves of two rates: ROC and detection error tradeoff, precision and recall, and their gains."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import divide, option
from thresher.curves.curve import Curve, Floats, Line, Points, Table, full_area, points
from thresher.curves.lines import Interpolation

DIAGONAL = Line(text="chance", x=(0.0, 1.0), y=(0.0, 1.0))


def roc_curve(
    table: Table,
    *,
    keep: int | None = None,
    drop_collinear: bool = False,
    between_classes: bool = False,
    midpoints: bool = False,
) -> Curve:
    """Compute the true positive rate against the false positive rate, from (0, 0) at the sentinel to (1, 1).

    TPR = TP/P, FPR = FP/N. Equal scores move together, a slanted step. The curve read at an FPR is the largest TPR
    there. Undefined (NaN) where a class is empty. A prior changes nothing.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score; the `ConfusionMatrix` of a hard classifier is one point
            between the corners.
        keep: largest number of thresholds, for drawing large tables; up to half are vertices of the hull.
        drop_collinear: drop the points inside straight stretches; the curve and its area stay the same.
        between_classes: drop cuts between neighboring scores that only have rows of one and the same class.
        midpoints: put each threshold half-way down to the next score, as pROC does, and the last at −inf; the
            decisions stay the same.

    Fawcett (2006), algorithm 1.

    >>> from thresher.counts import ScoreTable
    >>> curve = roc_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.x.tolist()
    [0.0, 0.0, 0.0, 0.5, 0.5, 1.0]
    >>> curve.thresholds.tolist()
    [inf, 10.0, 7.0, 5.0, 1.0, -3.0]
    """
    found = points(table, keep, scaled=False)
    thresholds = _midpoints(found.thresholds) if midpoints else found.thresholds
    rows = np.ones(thresholds.size, dtype=np.bool_)
    if drop_collinear or between_classes:
        rows[1:-1] = _turns(np.diff(found.tp), np.diff(found.fp), is_line=drop_collinear)
    return found.curve(
        "roc",
        ("false_positive_rate", found.fpr[rows]),
        ("true_positive_rate", found.tpr[rows]),
        thresholds=thresholds[rows],
        references=(DIAGONAL,),
        area_name="auc",
        full_area=full_area(table, "auc") if found.is_thinned else None,
        prevalence=found.prevalence,
    )


def _turns(up: Floats, along: Floats, *, is_line: bool) -> Any:
    """Return the inner points where the line turns, else those that are not between two steps of the same class."""
    if is_line:  # judged on counts: their products are exact below 2**53
        return up[:-1] * along[1:] != up[1:] * along[:-1]
    rises, runs = up > 0, along > 0
    return (rises[:-1] != rises[1:]) | (runs[:-1] != runs[1:]) | (rises[:-1] == runs[:-1])


def _midpoints(thresholds: Floats) -> Floats:
    """Return the cuts half-way between neighboring scores; beyond the last score the cut is the opposite infinity.

    Any cut from a score down to the next one, itself excluded, makes the same decisions. Where the middle is that
    next one (it is infinite, or the two are neighboring floats) the cut stays at the score.
    """
    upper, lower = thresholds[1:-1], thresholds[2:]
    middle = upper / 2 + lower / 2
    middle = np.where(middle == lower, upper, middle)
    return np.concatenate([thresholds[:1], middle, -thresholds[:1]])[: thresholds.size]


def coverage_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Count true positives against false positives, from (0, 0) to (N, P); each step is as long as its rows.

    Equal scores move together, a slanted step. Sums of weights where rows have them; a prior changes nothing.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        keep: largest number of thresholds.

    Fürnkranz and Flach (2005).

    >>> from thresher.counts import ScoreTable
    >>> curve = coverage_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    """
    found = points(table, keep, scaled=False)
    chance = Line(text="chance", x=(0.0, found.negatives), y=(0.0, found.positives))
    columns = ("false_positives", found.fp), ("true_positives", found.tp)
    return found.curve("coverage", *columns, references=(chance,), prevalence=found.prevalence)


def det_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Compute the false negative rate against the false positive rate, to be drawn on normal-deviate axes.

    FNR = FN/P, FPR = FP/N. Of two classes with normal scores of equal spread the curve is a straight line there.
    x and y are the rates; `deviates` maps them to the axes, with 0 and 1 at −∞ and +∞. Read at an FPR it is the
    smallest FNR there. Undefined (NaN) where a class is empty. A prior changes nothing.

    Martin, Doddington, Kamm, Ordowski & Przybocki (1997).

    >>> from thresher.counts import ScoreTable
    >>> curve = det_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    found = points(table, keep, scaled=False)
    misses = (found.positives - found.tp) / found.positives if found.positives else np.full(found.tp.size, np.nan)
    chance = Line(text="chance", x=(0.0, 1.0), y=(1.0, 0.0))
    columns = ("false_positive_rate", found.fpr), ("false_negative_rate", misses)
    return found.curve("det", *columns, references=(chance,), axes="normal deviate")


def deviates(rates: ArrayLike) -> Any:
    """Compute the normal deviates Φ⁻¹(rate) of rates in [0, 1]: −∞ at 0, 0 at ½, +∞ at 1.

    >>> deviates([0.0, 0.5, 0.975]).round(2).tolist()
    [-inf, 0.0, 1.96]
    """
    from scipy.special import ndtri

    found: Floats = ndtri(np.asarray(rates, dtype=np.float64))
    return found


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
