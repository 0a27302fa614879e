"""The share of different rows in a bootstrap sample against the number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes
from thresher.resampling.distinct import LIMIT

if TYPE_CHECKING:
    from thresher.resampling.distinct import DistinctRows


@drawer
def plot_distinct(found: DistinctRows, ax: Any = None, **style: Any) -> Any:
    """Draw the expected share on a logarithmic axis, one sample of each size, and 63.2 %; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((6.4, 3.6)) if ax is None else ax
    ax.axhline(LIMIT, color=GRAY, linewidth=1, linestyle="--", label=f"1 − 1/e = {100 * LIMIT:.1f} %",
               gid="thresher-reference limit")  # fmt: skip
    look = {"color": COLORS[0], "linewidth": 1.8, "label": "expected, 1 − (1 − 1/n)ⁿ", "gid": "thresher-curve", **style}
    ax.plot(found.n, found.expected, **look)
    ax.plot(found.n, found.sampled, color=COLORS[1], marker="o", markersize=4, linestyle="none", label="one sample",
            gid="thresher-sampled")  # fmt: skip
    ax.set(xscale="log", xlabel="Rows n", ylabel="Share of different rows\nin a sample of n draws", ylim=(0, 1.05))
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)
