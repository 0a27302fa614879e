"""The line through the points of a curve, and its annotations: thresholds, steps, parts, lines of equal value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import in_precision, option
from thresher.counts.thresholds import threshold_text
from thresher.curves.curve import Curve
from thresher.curves.lines import spread_rows
from thresher.curves.partial_areas import first_fpr_reaching, value_beside
from thresher.curves.regions import Part, part_of
from thresher.curves.roc_and_precision import deviates
from thresher.decisions.costs import Costs
from thresher.decisions.isometrics import contours, precision_of_f_beta
from thresher.errors import OptionError, keyword
from thresher.plot.looks import GRAY, SMALL, halo, once, part_of_matplotlib
from thresher.plot.roc_space import plot_contours, read_anti_diagonal

LINES = "thresher-contours"
F_LEVELS = (0.2, 0.4, 0.6, 0.8, 0.9)
MOST_NAMES = 40
"""Steps up to which each is named; more names than that cover each other."""

SPREAD = 8
"""Thresholds that are named along a curve."""

OF_ROC, OF_PRECISION = ("roc",), ("precision_recall", "interpolated_precision_recall")
OVER_SCORES = ("calibration", "decision")
"""Curves whose x axis is the score or the threshold probability itself."""


def mark_points(ax: Any, curve: Curve, thresholds: Any, color: str, lowest: float) -> None:
    """Mark the points of some thresholds on the line of a curve, or on both lines of a KS plot."""
    for threshold in thresholds:
        for point in _points_at(curve, float(threshold)):
            x, y = point
            if curve.axes == "normal deviate":
                x, y = (float(deviates([min(max(rate, lowest), 1 - lowest)])[0]) for rate in point)
            ax.plot([x], [y], color=color, marker="o", linestyle="none", gid="thresher-point", clip_on=False)
            _name(ax, x, y, threshold_text(float(threshold)), color)


def _points_at(curve: Curve, threshold: float) -> list[tuple[float, float]]:
    """Return the points of a threshold: the last whose rows all reach it; none where no row does and y is undefined."""
    cuts = curve.thresholds
    if curve.name == "cost" or not cuts.size:
        raise OptionError(f"at={threshold:g}: a threshold is not a point of a {curve.title}. Mark it on the ROC.")
    if curve.name in OVER_SCORES:
        if not cuts[0] <= threshold <= cuts[-1]:
            ends = f"{cuts[0]:.4g} to {cuts[-1]:.4g}"
            raise OptionError(f"at={threshold:g} is not on the {curve.title}, which runs from {ends}.")
        return [(threshold, float(np.interp(threshold, curve.x, curve.y)))]
    sign = 1.0 if cuts[0] < cuts[-1] else -1.0
    cut = in_precision(cuts, threshold, "higher" if sign < 0 else "lower")
    place = int(np.searchsorted(sign * cuts, sign * cut, side="right")) - 1
    if place < 0:
        return []
    x = threshold if curve.interpolation == "threshold" else float(curve.x[place])
    return [(x, float(y[place])) for y in _lines(curve)]


def name_steps(ax: Any, curve: Curve, labels: str | Sequence[str], color: str) -> None:
    """Name the points of a curve: by their thresholds, a few along the line, or by one text for each threshold."""
    start = 1 if curve.thresholds.size and np.isinf(curve.thresholds[0]) else 0
    if isinstance(labels, str):
        option("labels", labels, ("thresholds",))
        for place in _spread(curve, start):
            _name(ax, curve.x[place], _lines(curve)[0][place], f"{curve.thresholds[place]:.4g}", color)
        return
    texts = list(labels)
    if len(texts) != len(curve) - start or len(texts) > MOST_NAMES:
        raise OptionError(
            f'the labels are "thresholds" or one text for each of the {len(curve) - start} thresholds, '
            f"at most {MOST_NAMES}, not {len(texts)}."
        )
    for place, text in enumerate(texts, start):
        x, y = ((values[place] + values[max(place - 1, 0)]) / 2 for values in (curve.x, _lines(curve)[0]))
        _name(ax, x, y, text, color)


def shade_part(ax: Any, curve: Curve, part: Part | str, color: str) -> None:
    """Shade the region whose area a partial area is, between its limits."""
    part = part_of(part) if isinstance(part, str) else part
    if curve.name not in (OF_PRECISION if part.is_precision else OF_ROC):
        other = "precision–recall curve" if part.is_precision else "ROC"
        raise OptionError(f"region='{part}' is a part of the {other}, and this is a {curve.title}.")
    shade = {"alpha": 0.25, "linewidth": 0, "color": color, "gid": "thresher-region", "label": once(ax, str(part))}
    low, high = part.low, part.high
    line = path(curve)
    if part.region == "tpr_range":
        rates, x = _within(line.y, line.x, low, high)
        ax.fill_betweenx(rates, x, 1.0, **shade)
        return
    floor = low if part.region == "two_way" else 0.0
    if part.region == "two_way":
        low = min(first_fpr_reaching(line.x, line.y, floor), high)
    ax.fill_between(*_within(line.x, line.y, low, high), floor, **shade)


def draw_iso_lines(ax: Any, curve: Curve, measure: str, costs: Costs | None) -> None:
    """Draw lines of equal value of a measure behind a ROC, or of F1 behind a precision–recall curve."""
    if costs is not None and measure != "cost":
        raise OptionError(keyword("costs") + f" belongs to iso='cost', not to iso={measure!r}.")
    if any(drawn.get_gid() == LINES for drawn in (*ax.lines, *ax.collections)):
        return
    if curve.name in OF_PRECISION:
        option("iso", measure, ("f1",))
        recall = np.linspace(0.005, 1.0, 200)
        own = np.interp(recall, curve.x, curve.y) if len(curve) else recall
        for level in F_LEVELS:
            precision = precision_of_f_beta(level, recall)
            ax.plot(recall, precision, color=GRAY, linewidth=0.8, gid=LINES, zorder=1)
            # The name stands at the right, where the curve is farthest from the line.
            is_room = (recall > 0.6) & (recall < 0.93) & (precision < 0.95)
            far = int(np.nanargmax(np.where(is_room, np.abs(precision - own), np.nan)))
            _name(ax, recall[far], precision[far], f"F1 {level:g}", GRAY, shift=(0, 3), ha="center", gid=None)
        return
    if curve.name not in OF_ROC or curve.prevalence is None or not 0 < curve.prevalence < 1:
        raise OptionError(f"iso={measure!r}: lines of equal value belong to a ROC of rows of both classes.")
    if measure == "cost":
        costs = costs or Costs(fp=1, fn=1)
        four: dict[str, Any] = {f"cost_{name}": float(getattr(costs, name)) for name in ("fp", "fn", "tp", "tn")}
        surface = contours("average_cost", prevalence=curve.prevalence, **four)
    else:
        surface = contours(measure, prevalence=curve.prevalence)
    plot_contours(surface, ax)


def mark_equal_rates(ax: Any, curve: Curve, color: str) -> None:
    """Draw TPR = 1 − FPR and mark where a ROC meets it: one point, as TPR + FPR rises from 0 to 2."""
    if curve.name not in OF_ROC:
        raise OptionError(f"anti_diagonal=True belongs to a ROC, and this is a {curve.title}.")
    place = np.interp(1.0, curve.x + curve.y, np.arange(len(curve)))
    point = [float(np.interp(place, np.arange(len(curve)), rates)) for rates in (curve.x, curve.y)]
    read_anti_diagonal(ax, (point[0], point[1]), color)


def shade_ties(ax: Any, curve: Curve, color: str) -> None:
    """Outline the rectangle between the best and the worst order of rows that tie: its diagonal is the curve."""
    rectangle = part_of_matplotlib("patches").Rectangle
    shade = {"facecolor": color, "alpha": 0.12, "edgecolor": color, "linestyle": ":", "gid": "thresher-tie"}
    is_long = len(curve) > 2 * MOST_POINTS  # a step that is long enough to be seen is there to every row that is drawn
    rows = spread_rows((curve.x, curve.y), MOST_POINTS)[1:] if is_long else np.arange(1, len(curve))
    run, rise = (values[rows] - values[rows - 1] for values in (curve.x, curve.y))
    for place in np.flatnonzero((run > 0) & (rise > 0))[:MOST_NAMES]:
        start = rows[place] - 1
        ax.add_patch(rectangle((curve.x[start], curve.y[start]), run[place], rise[place], **shade))


def _within(x: Any, y: Any, low: float, high: float) -> tuple[Any, Any]:
    """Return the part of a polyline between two abscissas, with both ends."""
    inside = (x > low) & (x < high)
    ends = value_beside(x, y, low, "right"), value_beside(x, y, high, "left")
    return np.concatenate([[low], x[inside], [high]]), np.concatenate([ends[:1], y[inside], ends[1:]])


def _spread(curve: Curve, start: int) -> list[int]:
    """Return points at about equal distances along the line, from `start` on."""
    if len(curve) <= start:
        return []
    x, y = (values[start:] / (np.ptp(values[start:]) or 1.0) for values in (curve.x, _lines(curve)[0]))
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    wanted = np.linspace(0.0, along[-1], SPREAD)
    return sorted(set((start + np.clip(np.searchsorted(along, wanted), 0, len(x) - 1)).tolist()))


def _lines(curve: Curve) -> list[Any]:
    """Return the drawn values of a curve: for a KS plot both distributions, as their gap is not a line."""
    is_gap = curve.interpolation == "threshold" and curve.series
    return list(curve.series.values()) if is_gap else [curve.y]


def _name(ax: Any, x: float, y: float, text: str, color: str, *, shift: Any = (6, -10), **style: Any) -> None:
    own = {"fontsize": SMALL, "color": color, "gid": "thresher-name", "annotation_clip": False}
    look = own | {"path_effects": halo(), **style}
    ax.annotate(text, (x, y), shift, textcoords="offset points", **look)


Floats = NDArray[np.float64]

MOST_POINTS = 2000
"""More points than a plot of this size can show."""

GRID = 400
"""Steps in which a bent line is drawn over the full width."""


class Path(NamedTuple):
    """Abscissas, ordinates, and matplotlib's name for how they are joined."""

    x: Floats
    y: Floats
    drawstyle: str = "default"


def shown(curve: Curve) -> Curve:
    """Return the curve with all points, or with 2,000 along the line and the vertices of the hull."""
    return curve if len(curve) <= 2 * MOST_POINTS else replace(curve, area_name=None).thin(MOST_POINTS, keep_hull=True)


def path(curve: Curve, line: str | None = None) -> Path:
    """Return the line through the points of a curve, or of one of its series, by its interpolation."""
    curve = shown(curve)
    y = curve.y if line is None else curve.series[line]
    if curve.axes == "normal deviate":
        return Path(deviates(_inside(curve.x)), deviates(_inside(y)))
    if curve.interpolation == "threshold":
        return _by_threshold(curve.x, y)
    if curve.interpolation in ("davis-goadrich", "linear in x·y"):
        return _bent(curve)
    if curve.interpolation in ("step", "trapezoid"):
        x, y = curve.x[curve.x > 0], y[curve.x > 0]
        drawstyle = "steps-pre" if curve.interpolation == "step" else "default"
        return Path(np.append(0.0, x), np.append(y[:1], y), drawstyle)
    return Path(curve.x, y)


def _bent(curve: Curve) -> Path:
    """Return the points from x = 0 on, with interpolated values between them."""
    if not len(curve) or np.isnan(curve.x).any():
        return Path(curve.x, curve.y)
    grid = np.linspace(0.0, curve.x[-1], GRID + 1)
    places = np.searchsorted(curve.x, grid)
    x, y = np.insert(curve.x, places, grid), np.insert(curve.y, places, curve.at(grid))
    # Points at recall 0 without true positives lie on the axis, below where the line begins.
    start = int(np.argmax(x > 0)) if (x > 0).any() else 0
    return Path(np.append(0.0, x[start:]), np.append(curve.at(0.0), y[start:]))


def _by_threshold(thresholds: Floats, y: Floats) -> Path:
    """Return steps over the finite, rising thresholds; the sentinel's value goes on beyond the last score."""
    falls = bool(thresholds.size) and thresholds[0] > 0
    finite = np.flatnonzero(np.isfinite(thresholds))
    if not finite.size:
        return Path(thresholds[:0], y[:0])
    x, values = thresholds[finite], y[finite]
    margin = 0.05 * float(np.ptp(x)) or 0.5
    beyond = x[0] + (margin if falls else -margin)
    x, values = np.append(beyond, x), np.append(y[0], values)
    if falls:
        return Path(x[::-1], values[::-1], "steps-pre")
    return Path(x, values, "steps-post")


def _inside(rates: Floats) -> Floats:
    """Return rates with 0 and 1, infinite as deviates, replaced by half the distance to the nearest other rate."""
    known = rates[(rates > 0) & (rates < 1)]
    low = float(known.min()) / 2 if known.size else 0.01
    high = 1 - (1 - float(known.max())) / 2 if known.size else 0.99
    return np.clip(rates, low, high)
