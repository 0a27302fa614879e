"""A series of scores with its bands as a matplotlib plot: learning curves, robustness curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.measures.titles import title_of
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, drawer, new_axes
from thresher.plot.names import name_lines

if TYPE_CHECKING:
    from thresher.resampling.series import Series


@drawer
def plot_series(
    series: Series, measure: str, ax: Any = None, *, color: str | None = None, legend: bool = True, **line: Any
) -> Any:
    """Draw one measure's lines with their bands on matplotlib axes, new ones if none are given, and return them.

    Args:
        series: what to draw, a line for each model.
        measure: which of its measures.
        ax: axes to draw on.
        color: color of the lines; by default each of seven that color-blind readers tell apart.
        legend: whether several models are named: at their lines where there is room, else in a legend.
        line: further options of matplotlib's `plot`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((6.0, 4.0)) if ax is None else ax
    lines = [one for one in series.lines if one.measure == measure]
    drawn: dict[str, Any] = {}
    for i, one in enumerate(lines):
        shade = color or COLORS[i % len(COLORS)]
        if np.isfinite(one.low).any():
            ax.fill_between(series.x, one.low, one.high, color=shade, alpha=0.15, linewidth=0, gid="thresher-band")
        options = {"color": shade, "marker": "o", "markersize": 3.5, "linewidth": 1.6, "label": one.model, **line}
        (drawn[one.model],) = ax.plot(series.x, one.values, gid="thresher-series", **options)
    if series.logarithmic:
        ax.set_xscale("log")
        ax.set_xticks(series.x, [f"{x:,.0f}" for x in series.x])
        ax.minorticks_off()
    ax.set_xlabel(f"{series.axis[:1].upper()}{series.axis[1:]}")
    name = title_of(measure)
    ax.set_ylabel(f"{name[:1].upper()}{name[1:]}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E5E5E5", linewidth=0.6)
    ax.set_axisbelow(True)
    return place_legend(ax) if legend and len(lines) > 1 and not name_lines(ax, drawn) else ax
