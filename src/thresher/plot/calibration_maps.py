"""A recalibration map as a picture: the probability that it gives each score."""

from __future__ import annotations

from typing import Any

from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes


@drawer
def plot_map(found: Any, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw a map of one score with the line of no change, on the axes of a reliability diagram or alone.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    x, y = found.points
    is_alone = ax is None or not ax.has_data()
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if is_alone and found.method != "platt" and x[0] >= 0 and x[-1] <= 1:
        ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="unchanged", gid="thresher-reference")
    options = {"color": COLORS[2], "linewidth": 1.8, "label": label or f"{found.method} map", "gid": "thresher-map"}
    ax.plot(x, y, **{**options, **style})
    if is_alone:
        ax.set(xlabel="Score", ylabel="Probability", ylim=(-0.01, 1.01))
        ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)
