"""Lines of equal value over ROC space as matplotlib plots: on a ROC that is drawn already, or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, drawer, unit_axes

if TYPE_CHECKING:
    from thresher.decisions.contours import Contours
    from thresher.decisions.isometrics import IsoLine, Touch

LEVELS = 9
"""Contour lines that are drawn when none are named."""

ANTI_DIAGONAL = "thresher-anti-diagonal"

SEVERAL = {"color": "colors", "linewidth": "linewidths", "linestyle": "linestyles"}
"""What contours call the options of a line."""


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
    """Draw a line of equal value where it lies in ROC space, and return the axes, new ones if none are given.

    Args:
        line: what to draw; nothing is drawn of a line that misses the unit square.
        ax: axes to draw on, such as those of a ROC.
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
        surface: what to draw; where the measure is undefined or infinite there are no lines.
        ax: axes to draw on, such as those of a ROC; new ones if none are given.
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
