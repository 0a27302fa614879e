"""Who leads where: one curve over another along the FPR, models of a joint hull along the slopes, lots on an edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes, once, unit_axes

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.decisions.joint_hull import JointHull
    from thresher.decisions.randomized import RandomizedClassifier


@drawer
def plot_dominance(found: Dominance, ax: Any = None, **style: Any) -> Any:
    """Shade who leads at which false positive rate, with the crossings; on the axes of a ROC or on a ruler alone.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    is_alone = ax is None
    ax = new_axes((6.4, 1.6)) if is_alone else ax
    for lead in found.leads:
        color = GRAY if lead.leader is None else COLORS[found.models.index(lead.leader) % len(COLORS)]
        label = once(ax, "together" if lead.leader is None else f"{lead.leader} leads")
        ax.axvspan(*lead.fpr, **{"color": color, "alpha": 0.2, "linewidth": 0, "label": label,
                                 "gid": "thresher-lead", **style})  # fmt: skip
    for fpr, tpr in found.crossings:
        if is_alone:
            ax.axvline(fpr, color="black", linewidth=0.8, gid="thresher-crossing")
        else:
            ax.plot([fpr], [tpr], color="black", marker="x", linestyle="none", gid="thresher-crossing")
    if is_alone:
        ax.set(xlim=(0, 1), yticks=[], xlabel="False positive rate (1 − specificity)")
        ax.spines[["top", "right", "left"]].set_visible(False)
    return place_legend(ax)


@drawer
def plot_slopes(hull: JointHull, ax: Any = None, **style: Any) -> Any:
    """Draw a ruler of slopes, skew × cost, with the stretches on which each model is the best; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((6.4, 1.0 + 0.35 * len(hull.models))) if ax is None else ax
    ends = np.array([end for name in hull.models for pair in hull.intervals(name) for end in pair])
    inside = ends[np.isfinite(ends) & (ends > 0)]
    low, high = (inside.min() / 4, inside.max() * 4) if inside.size else (0.25, 4.0)
    for place, name in enumerate(hull.models):
        for first, last in hull.intervals(name):
            left, right = max(first, low), min(last, high)
            options = {"color": COLORS[place % len(COLORS)], "height": 0.6, "gid": "thresher-best", **style}
            ax.barh(place, right - left, left=left, **options)
        if not hull.intervals(name):
            ax.text(np.sqrt(low * high), place, "never the best", ha="center", va="center", color=GRAY)
    ax.set_yticks(range(len(hull.models)), hull.models)
    ax.set(xscale="log", xlim=(low, high), ylim=(len(hull.models) - 0.5, -0.5))
    ax.set_xlabel("Slope: (negatives / positives)\n× (cost of a false positive / cost of a false negative)")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


@drawer
def plot_randomized(found: RandomizedClassifier, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Mark the point that lots reach between two thresholds of the hull, and return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = unit_axes(ax)
    cuts = f"threshold {found.liberal:.4g} with probability {found.weight:.3g}, else {found.conservative:.4g}"
    options = {"color": COLORS[1], "marker": "D", "linestyle": "none", "gid": "thresher-point", "clip_on": False}
    ax.plot([found.fpr], [found.tpr], **{**options, "label": label or cuts, **style})
    return place_legend(ax)
