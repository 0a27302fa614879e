"""Pictures in ROC space: lines of equal value, convex hulls of one model or several, and who leads where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import option
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, halo, new_axes, once, unit_axes

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.decisions.hull import Concavity, Hull
    from thresher.decisions.isometrics import Contours, IsoLine, Touch
    from thresher.decisions.joint_hull import JointHull, RandomizedClassifier

LEVELS = 9
"""Contour lines that are drawn when none are named."""

ANTI_DIAGONAL = "thresher-anti-diagonal"

SEVERAL = {"color": "colors", "linewidth": "linewidths", "linestyle": "linestyles"}
"""Names of a line's options for contours."""


@drawer
def plot_iso_line(
    line: IsoLine,
    ax: Any = None,
    *,
    label: str | None = None,
    legend: bool = True,
    anti_diagonal: bool = False,
    **style: Any,
) -> Any:
    """Draw a line of equal value in ROC space, and return the axes, new ones if none are given.

    Args:
        line: the line to draw; one that misses the unit square is left out.
        ax: axes to draw on, such as a ROC's.
        label: name in the legend, by default the measure and its value.
        legend: whether to draw a legend.
        anti_diagonal: whether to draw the line on which sensitivity and specificity are equal, and mark where this one
            meets it: a line of equal accuracy has its accuracy there as the TPR.
        style: further options of matplotlib's `plot`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = unit_axes(ax)
    text = f"{_words(line.measure)} {line.value:.3g}" if label is None else label
    options = {"color": GRAY, "linewidth": 1.2, "linestyle": "-.", "label": text, "gid": "thresher-isometric", **style}
    if line.ends is not None:
        ax.plot(*line.ends, **options)
    if anti_diagonal:
        read_anti_diagonal(ax, line.anti_diagonal, options["color"])
    return place_legend(ax) if legend else ax


@drawer
def plot_touch(touch: Touch, ax: Any = None, *, label: str | None = None, legend: bool = True, **style: Any) -> Any:
    """Draw the best line and the vertices that it touches, and return the axes; options as of `plot_iso_line`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = plot_iso_line(touch.line, ax, label=label, legend=False, **style)
    color = style.get("color", GRAY)
    ax.plot(touch.fpr, touch.tpr, color=color, marker="o", markersize=5, linestyle="none", gid="thresher-touch")
    return place_legend(ax) if legend else ax


@drawer
def plot_contours(surface: Contours, ax: Any = None, *, levels: Any = LEVELS, **style: Any) -> Any:
    """Draw lines of equal value of a measure with their values on them, and return the axes.

    Args:
        surface: the surface to draw; where the measure is undefined or infinite there are no lines.
        ax: axes to draw on, such as a ROC's; new ones if none are given.
        levels: values to draw, or about how many.
        style: further options of matplotlib's `contour`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = unit_axes(ax)
    values = np.ma.masked_invalid(surface.values)
    if values.count() and np.ptp(values.compressed()) > 0:
        named = {SEVERAL.get(name, name): value for name, value in style.items()}
        shade = {} if "cmap" in style else {"colors": GRAY}
        drawn = ax.contour(surface.fpr, surface.tpr, values, levels=levels, **{**shade, "linewidths": 0.8, **named})
        ax.clabel(drawn, fontsize="x-small", fmt="%.3g")
        drawn.set_gid("thresher-contours")
    else:
        why = "undefined" if not values.count() else f"{values.compressed()[0]:.3g} everywhere"
        ax.text(0.5, 0.5, f"{_words(surface.measure)}: {why}", transform=ax.transAxes, ha="center", color=GRAY)
    return place_legend(ax) if ax.get_legend() else ax  # one that was there before may hide the lines


def read_anti_diagonal(ax: Any, point: tuple[float, float], color: str) -> None:
    """Draw TPR = 1 − FPR, once, and mark the point at which it is met, where sensitivity and specificity are equal."""
    if not any(drawn.get_gid() == ANTI_DIAGONAL for drawn in ax.lines):
        ax.plot([0, 1], [1, 0], color=GRAY, linewidth=1, linestyle=(0, (1, 2)), zorder=1, gid=ANTI_DIAGONAL)
    text = f"sensitivity = specificity = {point[1]:.3g}"
    ax.plot(*([end] for end in point), color=color, marker="s", linestyle="none", label=text, gid="thresher-equal",
            clip_on=False)  # fmt: skip


def _words(measure: str) -> str:
    return measure.replace("_", " ")


SHORT = 0.08
"""Length of an edge below which there is no room for its slope."""


@drawer
def plot_hull(hull: Hull, ax: Any = None, *, slopes: bool = True, label: str = "convex hull", **style: Any) -> Any:
    """Draw a hull with its vertices, and the slope of each edge that has room for it; return the axes."""
    ax = unit_axes(ax)
    options = {"color": GRAY, "linewidth": 1.2, "marker": ".", "label": label, "gid": "thresher-hull", **style}
    ax.plot(hull.fpr, hull.tpr, **options)
    if slopes:
        long = np.hypot(np.diff(hull.fpr), np.diff(hull.tpr)) >= SHORT
        for i, slope in ((i, hull.slopes[i]) for i in np.flatnonzero(long)):
            x, y = (hull.fpr[i] + hull.fpr[i + 1]) / 2, (hull.tpr[i] + hull.tpr[i + 1]) / 2
            text = "∞" if slope == float("inf") else f"{slope:.3g}"
            ax.annotate(text, (x, y), (4, -9), textcoords="offset points", fontsize="x-small", color=GRAY,
                        path_effects=halo())  # fmt: skip
    return place_legend(ax)


@drawer
def plot_concavity(found: Concavity, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the edge of the hull below which a ROC runs, on the axes of that ROC or alone; return the axes."""
    ax = unit_axes(ax)
    words = f"{found.thresholds:,} thresholds, up to {found.depth:.3g} below the hull"
    look = {
        "color": color_of(1),
        "linewidth": 2.4,
        "marker": "o",
        "markersize": 4,
        "gid": "thresher-concavity",
        **style,
    }
    ax.plot(found.fpr, found.tpr, label=label or words, **look)
    return place_legend(ax)


@drawer
def plot_joint_hull(
    hull: JointHull, ax: Any = None, *, space: str = "roc", label: str = "joint hull", **style: Any
) -> Any:
    """Draw the hull over several models, each vertex in the color of the model that it belongs to; return the axes.

    With `space="slopes"` the stretches of slopes, skew × cost, on which each model is the best, on a ruler.
    """
    option("space", space, ("roc", "slopes"))
    if space == "slopes":
        return plot_slopes(hull, ax, **style)
    ax = unit_axes(ax)
    points = [(vertex.fpr, vertex.tpr) for vertex in hull.vertices]
    options = {"color": GRAY, "linewidth": 1.2, "label": label, "gid": "thresher-hull", **style}
    ax.plot(*zip(*points, strict=True), **options)
    for place, name in enumerate(hull.models):
        own = [(v.fpr, v.tpr) for v in hull.vertices if name in v.thresholds]
        if own:
            color = color_of(place)
            ax.plot(
                *zip(*own, strict=True), color=color, marker="o", markersize=4, linestyle="none", label=name,
                gid="thresher-vertex",
            )  # fmt: skip
    return place_legend(ax)


@drawer
def plot_dominance(found: Dominance, ax: Any = None, **style: Any) -> Any:
    """Shade who leads at which false positive rate, with the crossings; on the axes of a ROC or on a ruler alone."""
    is_alone = ax is None
    ax = new_axes((6.4, 1.6)) if is_alone else ax
    for lead in found.leads:
        color = GRAY if lead.leader is None else color_of(found.models.index(lead.leader))
        label = once(ax, "together" if lead.leader is None else f"{lead.leader} leads")
        ax.axvspan(*lead.fpr, **{"color": color, "alpha": 0.2, "linewidth": 0, "label": label,
                                 "gid": "thresher-lead", **style})  # fmt: skip
    for fpr, tpr in found.crossings:
        if is_alone:
            ax.axvline(fpr, color=GRAY, linewidth=0.8, gid="thresher-crossing")
        else:
            ax.plot([fpr], [tpr], color=GRAY, marker="x", linestyle="none", gid="thresher-crossing")
    if is_alone:
        ax.set(xlim=(0, 1), yticks=[], xlabel="False positive rate (1 − specificity)")
        ax.spines["left"].set_visible(False)
    return place_legend(ax)


@drawer
def plot_slopes(hull: JointHull, ax: Any = None, **style: Any) -> Any:
    """Draw a ruler of slopes, skew × cost, with the stretches on which each model is the best; return the axes."""
    ax = new_axes((6.4, 1.0 + 0.35 * len(hull.models))) if ax is None else ax
    ends = np.array([end for name in hull.models for pair in hull.intervals(name) for end in pair])
    inside = ends[np.isfinite(ends) & (ends > 0)]
    low, high = (inside.min() / 4, inside.max() * 4) if inside.size else (0.25, 4.0)
    for place, name in enumerate(hull.models):
        for first, last in hull.intervals(name):
            left, right = max(first, low), min(last, high)
            options = {"color": color_of(place), "height": 0.6, "gid": "thresher-best", **style}
            ax.barh(place, right - left, left=left, **options)
        if not hull.intervals(name):
            ax.text(np.sqrt(low * high), place, "never the best", ha="center", va="center", color=GRAY)
    ax.set_yticks(range(len(hull.models)), hull.models)
    ax.set(xscale="log", xlim=(low, high), ylim=(len(hull.models) - 0.5, -0.5))
    ax.set_xlabel("Slope: (negatives / positives)\n× (cost of a false positive / cost of a false negative)")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


@drawer
def plot_randomized(found: RandomizedClassifier, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Mark the point that lots reach between two thresholds of the hull, and return the axes."""
    ax = unit_axes(ax)
    cuts = f"threshold {found.liberal:.4g} with probability {found.weight:.3g}, else {found.conservative:.4g}"
    options = {"color": color_of(1), "marker": "D", "linestyle": "none", "gid": "thresher-point", "clip_on": False}
    ax.plot([found.fpr], [found.tpr], **{**options, "label": label or cuts, **style})
    return place_legend(ax)
