"""Convex hulls in ROC space: of one model with its slopes, of several with the owner of each vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import option
from thresher.plot.leads import plot_slopes
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, halo, unit_axes

if TYPE_CHECKING:
    from thresher.decisions.concavities import Concavity
    from thresher.decisions.hull import Hull
    from thresher.decisions.joint_hull import JointHull


SHORT = 0.08
"""Length of an edge below which there is no room for its slope."""


@drawer
def plot_hull(hull: Hull, ax: Any = None, *, slopes: bool = True, label: str = "convex hull", **style: Any) -> Any:
    """Draw a hull with its vertices, and the slope of each edge that has room for it; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
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
    """Draw the edge of the hull below which a ROC runs, on the axes of that ROC or alone; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = unit_axes(ax)
    words = f"{found.thresholds:,} thresholds, up to {found.depth:.3g} below the hull"
    look = {"color": COLORS[1], "linewidth": 2.4, "marker": "o", "markersize": 4, "gid": "thresher-concavity", **style}
    ax.plot(found.fpr, found.tpr, label=label or words, **look)
    return place_legend(ax)


@drawer
def plot_joint_hull(
    hull: JointHull, ax: Any = None, *, space: str = "roc", label: str = "joint hull", **style: Any
) -> Any:
    """Draw the hull over several models, each vertex in the color of the model that it belongs to; return the axes.

    With `space="slopes"` the stretches of slopes, skew × cost, on which each model is the best, on a ruler.

    Raises:
        OptionError: `space` is another one.
        MissingDependencyError: matplotlib is not installed.
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
            color = COLORS[place % len(COLORS)]
            ax.plot(
                *zip(*own, strict=True), color=color, marker="o", markersize=4, linestyle="none", label=name,
                gid="thresher-vertex",
            )  # fmt: skip
    return place_legend(ax)
