"""Series as plots: scores with bands (learning and robustness curves), and the time and memory of fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import option
from thresher.measures.titles import title_of
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, line_look, new_axes
from thresher.plot.names import name_lines
from thresher.resampling.growth import medians_of_known

if TYPE_CHECKING:
    from thresher.resampling.growth import Scalability
    from thresher.resampling.series import Series

DOTS: dict[str, Any] = {"marker": "o", "markersize": 3.5, "markevery": None, "linewidth": 1.6}


@drawer
def plot_series(
    series: Series, measure: str, ax: Any = None, *, color: str | None = None, legend: bool = True, **line: Any
) -> Any:
    """Draw one measure's lines with their bands on matplotlib axes, new ones if none are given, and return them.

    Args:
        series: the series to draw, a line for each model.
        measure: which of its measures.
        ax: axes to draw on.
        color: color of the lines; by default each of seven that color-blind readers tell apart.
        legend: whether several models are named: at their lines where there is room, else in a legend.
        line: further options of matplotlib's `plot`.
    """
    ax = new_axes((6.0, 4.0)) if ax is None else ax
    lines = [one for one in series.lines if one.measure == measure]
    drawn: dict[str, Any] = {}
    for i, one in enumerate(lines):
        shade = color or color_of(i)
        if np.isfinite(one.low).any():
            ax.fill_between(series.x, one.low, one.high, color=shade, alpha=0.15, linewidth=0, gid="thresher-band")
        options = line_look(i) | DOTS | {"color": shade, "label": one.model, **line}
        (drawn[one.model],) = ax.plot(series.x, one.values, gid="thresher-series", **options)
    if series.logarithmic:
        ax.set_xscale("log")
        ax.set_xticks(series.x, [f"{x:,.0f}" for x in series.x])
        ax.minorticks_off()
    ax.set_xlabel(f"{series.axis[:1].upper()}{series.axis[1:]}")
    name = title_of(measure)
    ax.set_ylabel(f"{name[:1].upper()}{name[1:]}")
    ax.grid(color=GRAY, alpha=0.2, linewidth=0.6)
    return place_legend(ax) if legend and len(lines) > 1 and not name_lines(ax, drawn) else ax


WORDS = {"fit_seconds": "Seconds to fit", "predict_seconds": "Seconds to predict", "memory": "Peak bytes of a fit"}
GROWTH = {"fit_seconds": "time_growth", "memory": "memory_growth"}


@drawer
def plot_scalability(found: Scalability, what: str = "fit_seconds", ax: Any = None, **style: Any) -> Any:
    """Draw the median of the splits for each number of rows, with their range, on logarithmic axes; return the axes.

    The legend says how each model grows. A failed fit is left out.

    Raises:
        OptionError: nothing of that name was measured.
    """
    option("what", what, tuple(name for name in WORDS if name != "memory" or found.memory_method is not None))
    ax = new_axes((6.0, 4.0)) if ax is None else ax
    for place, (model, usage) in enumerate(found.usage.items()):
        values = np.asarray(getattr(usage, what), dtype=np.float64)
        grown = getattr(usage, GROWTH[what]) if what in GROWTH else None
        look = line_look(place) | DOTS | {"label": f"{model}: {grown}" if grown else model, **style}
        known = np.isfinite(values).any(axis=1)
        rows = np.asarray(found.rows)[known]
        ends = np.nanmin(values[known], axis=1), np.nanmax(values[known], axis=1)
        ax.fill_between(rows, *ends, color=look["color"], alpha=0.15, linewidth=0, gid="thresher-band")
        ax.plot(found.rows, medians_of_known(values), gid="thresher-series", **look)
    ax.set(xscale="log", yscale="log", xlabel="Training rows", ylabel=WORDS[what])
    ax.set_xticks(found.rows, [f"{rows:,}" for rows in found.rows])
    ax.minorticks_off()
    ax.grid(color=GRAY, alpha=0.2, linewidth=0.6)
    return place_legend(ax)
