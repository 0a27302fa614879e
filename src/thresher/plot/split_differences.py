"""Two models split by split: each difference, and the mean with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes, part_of_matplotlib

if TYPE_CHECKING:
    from thresher.resampling.split_differences import SplitDifferences


@drawer
def plot_split_differences(found: SplitDifferences, ax: Any = None, **style: Any) -> Any:
    """Draw the difference of each split, first minus second, with the mean and its interval; return the axes.

    A split without a value has no point; repeats stand apart.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((6.4, 3.6)) if ax is None else ax
    compared, values = found.comparison, found.differences
    ax.axhline(0.0, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference none")
    if compared.low is not None and compared.high is not None:
        words = f"{100 * compared.level:g}% interval, p = {compared.p_value:.2g}"
        ax.axhspan(compared.low, compared.high, color=COLORS[1], alpha=0.15, linewidth=0, label=words,
                   gid="thresher-interval")  # fmt: skip
    if compared.is_defined:
        mean = f"mean difference {compared.difference:.3g}"
        ax.axhline(compared.difference, color=COLORS[1], linewidth=1.6, label=mean, gid="thresher-mean")
    x = np.arange(1, len(values) + 1)
    look = {"color": COLORS[0], "marker": "o", "linestyle": "none", "gid": "thresher-difference", **style}
    ax.plot(x, values, **look)
    ax.vlines(x, 0.0, values, color=look["color"], linewidth=1, alpha=0.5)
    for start in x[1:][np.diff(found.repeat) > 0]:
        ax.axvline(start - 0.5, color=GRAY, linewidth=0.6, linestyle=":")
    ax.set(xlabel="Split", ylabel=f"{compared.title}\n{' − '.join(map(str, compared.models))}")
    ax.xaxis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator(integer=True))
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)
