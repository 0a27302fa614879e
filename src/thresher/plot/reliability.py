"""Groups of a reliability diagram with the uncertainty of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.inference.proportions.intervals import wilson_interval
from thresher.plot.curves import dress_calibration
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.calibration.diagram import Reliability

LARGEST = 90.0
"""Area of the dot of a group that has all the weight, in points²; every dot has a tenth of it at least."""


@drawer
def plot_reliability(found: Reliability, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the share of positives of each group at its mean score, with Wilson's interval; return the axes.

    The level line of a group runs from its least to its greatest score, and its dot is as large as its weight.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated", gid="thresher-reference")
    limits = wilson_interval(found.share * found.rows, found.rows)
    look = {"color": COLORS[0], "linewidth": 1.6, **style}
    color = look["color"]
    ax.vlines(found.score, limits.low, limits.high, color=color, alpha=0.5, linewidth=1.2, gid="thresher-interval")
    ax.hlines(found.share, found.low, found.high, **{**look, "gid": "thresher-group"})
    sizes = LARGEST * (0.1 + 0.9 * found.weight / (found.weight.sum() or 1.0))
    name = label or f"{found.method.replace('_', ' ')}, {len(found)} groups, {100 * limits.level:g} % intervals"
    ax.scatter(found.score, found.share, s=np.asarray(sizes), color=color, label=name, gid="thresher-point", zorder=3)
    dress_calibration(ax)
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)
