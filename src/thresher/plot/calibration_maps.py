"""A recalibration map as a picture, and groups of a reliability diagram with the uncertainty of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError
from thresher.inference.proportions.intervals import wilson_interval
from thresher.plot.curves import dress_calibration
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, line_look, new_axes

if TYPE_CHECKING:
    from thresher.calibration.cox import CoxCalibration
    from thresher.calibration.diagram import Reliability
    from thresher.calibration.maps import ClasswiseMap

POINTS = 401


@drawer
def plot_map(found: Any, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw a map of one score with the line of no change, on the axes of a reliability diagram or alone."""
    x, y = found.points
    is_alone = ax is None or not ax.has_data()
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if is_alone and found.method != "platt" and x[0] >= 0 and x[-1] <= 1:
        ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="unchanged", gid="thresher-reference")
    options = {"color": color_of(2), "linewidth": 1.8, "label": label or f"{found.method} map", "gid": "thresher-map"}
    ax.plot(x, y, **{**options, **style})
    if is_alone:
        ax.set(xlabel="Score", ylabel="Probability", ylim=(-0.01, 1.01))
    return place_legend(ax)


@drawer
def plot_class_maps(found: ClasswiseMap, ax: Any = None, **style: Any) -> Any:
    """Draw the map of each class against the rest, before rows are divided by their sums; return the axes."""
    names = found.labels or [f"class {place}" for place in range(len(found.maps))]
    for place, (name, each) in enumerate(zip(names, found.maps, strict=True)):
        look = line_look(place)
        ax = plot_map(each, ax, label=name, **look, **style)
    return ax


@drawer
def plot_recalibration(found: CoxCalibration, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the share of positives that the intercept and slope of a score amount to, against it; return the axes.

    Raises:
        InputError: intercept and slope are undefined.
    """
    if np.isnan(found.slope):
        raise InputError(
            f"intercept and slope are undefined and cannot be drawn: {found.slope_reason or found.reason}."
        )
    x = np.linspace(0.0, 1.0, POINTS)[1:-1]
    y = 1 / (1 + np.exp(-(found.intercept + found.slope * np.log(x / (1 - x)))))
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if not ax.has_data():
        ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated", gid="thresher-reference")
    words = f"intercept {found.intercept:.3g}, slope {found.slope:.3g}"
    ax.plot(x, y, **{"color": color_of(2), "linewidth": 1.8, "label": label or words, "gid": "thresher-map", **style})
    dress_calibration(ax)
    return place_legend(ax)


LARGEST = 90.0
"""Area of the dot of a group that has all the weight, in points²; every dot has a tenth of it at least."""


@drawer
def plot_reliability(found: Reliability, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the share of positives of each group at its mean score, with Wilson's interval; return the axes.

    The level line of a group runs from its least to its greatest score, and its dot is as large as its weight.
    """
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated", gid="thresher-reference")
    limits = wilson_interval(found.share * found.rows, found.rows)
    look = {"color": color_of(0), "linewidth": 1.6, **style}
    color = look["color"]
    ax.vlines(found.score, limits.low, limits.high, color=color, alpha=0.5, linewidth=1.2, gid="thresher-interval")
    ax.hlines(found.share, found.low, found.high, **{**look, "gid": "thresher-group"})
    sizes = LARGEST * (0.1 + 0.9 * found.weight / (found.weight.sum() or 1.0))
    name = label or f"{found.method.replace('_', ' ')}, {len(found)} groups, {100 * limits.level:g} % intervals"
    ax.scatter(found.score, found.share, s=np.asarray(sizes), color=color, label=name, gid="thresher-point", zorder=3)
    dress_calibration(ax)
    return place_legend(ax)
