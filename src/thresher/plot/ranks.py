"""Demšar's diagram of critical differences as a matplotlib plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference

STEP = 0.45
"""Distance of two bars, and of two names."""


@drawer
def plot_critical_difference(found: CriticalDifference, ax: Any = None, *, color: str = COLORS[0], **style: Any) -> Any:
    """Draw models on an axis of mean ranks, the best at the right, and return the axes, new ones if none are given.

    A bar joins models whose mean ranks no critical difference separates. With a control the bar reaches one critical
    difference to either side of it, cut at the ends of the axis: models beyond it differ from the control.

    Raises:
        MissingDependencyError: matplotlib is not installed.

    Source: Demšar 2006, figure 1.
    """
    k, cd = len(found.models), found.critical_difference
    bars = _bars(found)
    ax = _new_axes(k, len(bars)) if ax is None else ax
    ax.set_xlim(max(k, 1 + cd), 1)
    for i, (low, high) in enumerate(bars):
        look = {"color": color, "linewidth": 4, "solid_capstyle": "butt", "gid": "thresher-group", **style}
        ax.plot((low, high), [-STEP * (i + 1)] * 2, **look)
    ax.plot((1, 1 + cd), (1.2 * STEP,) * 2, color=GRAY, linewidth=1.6, marker="|", gid="thresher-cd", clip_on=False)
    ax.text(1 + cd / 2, 1.4 * STEP, f"CD = {cd:.2f}", ha="center", va="bottom", color=GRAY)
    _names(ax, found, -STEP * (len(bars) + 1))
    ax.set_title(f"Mean ranks, {found.method} at {100 * found.level:g} %", pad=12)
    ax.xaxis.set_ticks(range(1, k + 1))
    ax.xaxis.set_ticks_position("top")
    ax.spines["top"].set_position(("data", 0))
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.yaxis.set_visible(False)
    return ax


def _bars(found: CriticalDifference) -> list[tuple[float, float]]:
    """Ends of the bars: of the groups of two and more, or of the control's interval."""
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    if found.control is not None:
        center = rank[found.control]
        return [(center - found.critical_difference, center + found.critical_difference)]
    return [(rank[group[0]], rank[group[-1]]) for group in found.groups if len(group) > 1]


def _names(ax: Any, found: CriticalDifference, top: float) -> None:
    """Lines from every rank down and out to its name: the better half at the right, the others at the left."""
    k = len(found.models)
    better = (k + 1) // 2
    for i, (name, rank) in enumerate(zip(found.models, found.mean_ranks, strict=True)):
        right = i < better
        y = top - STEP * (i if right else k - 1 - i)
        edge = 1.0 if right else ax.get_xlim()[0]
        ax.plot((rank, rank, edge), (0, y, y), color=GRAY, linewidth=0.8, gid="thresher-model", clip_on=False)
        weight = "bold" if name == found.control else "normal"
        offset = (6 if right else -6, 0)
        ax.annotate(f"{name}  {rank:.2f}", (edge, y), offset, textcoords="offset points", va="center",
                    ha="left" if right else "right", fontweight=weight, annotation_clip=False)  # fmt: skip
    ax.set_ylim(top - STEP * better, 2.6 * STEP)


def _new_axes(models: int, bars: int) -> Any:
    return new_axes((6.4, 1.4 + 0.25 * ((models + 1) // 2 + bars)))
