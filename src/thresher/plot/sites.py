"""A measure of several sites with their mean as a random effect: the forest picture of a meta-analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.measures.titles import title_of
from thresher.plot.forests import dress_forest
from thresher.plot.legends import below, place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.inference.differences.over_sites import RandomEffects

LARGEST = 120.0
"""Area of the square of the site of the largest weight, in points²."""

MOST = 60
"""Sites that a picture has room for: those of the largest weight."""


@drawer
def plot_sites(found: RandomEffects, ax: Any = None, *, color: str | None = None, **style: Any) -> Any:
    """Draw each site with its interval and a square as large as its weight, and the mean as a diamond; the axes.

    A bar below the diamond is where the value of a site to come is expected, where that can be said. Of more than 60
    sites those of the largest weight are drawn, which the title says.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    kept = sorted(range(len(found.each)), key=lambda i: -found.each[i].weight)[:MOST]
    shown = [found.each[i] for i in sorted(kept)]
    names = [f"{each.site} ({100 * each.weight:.3g} %)" for each in shown]
    names += ["mean of sites"] + ["a site to come"] * (found.prediction is not None)
    ax = new_axes((6.4, 1.6 + 0.3 * len(names))) if ax is None else ax
    tone = color or COLORS[0]
    ax.axvline(found.value, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference mean")
    for place, each in enumerate(shown):
        look = {"color": tone, "linewidth": 1.2, "gid": "thresher-interval", **style}
        ax.plot([each.low, each.high], [place, place], **look)
    weights = np.array([each.weight for each in shown])
    areas = LARGEST * weights / weights.max(initial=0.0)
    ax.scatter([each.value for each in shown], range(len(shown)), s=areas, marker="s", color=tone,
               label="site, its area the weight", gid="thresher-weight")  # fmt: skip
    _draw_mean(ax, found, len(shown))
    if found.prediction is not None:
        said = f"{100 * found.level:g}% prediction interval"
        ax.plot(found.prediction, [len(shown) + 1] * 2, color=COLORS[1], linewidth=4, solid_capstyle="butt", label=said,
                gid="thresher-prediction")  # fmt: skip
    dress_forest(ax, names, title_of(found.measure))
    title = f"between sites: τ = {found.tau:.3g}, I² = {100 * found.i2:.3g} %"
    title += f"; the {MOST} sites of the largest weight of {found.sites:,}" if found.sites > MOST else ""
    title += f"; {found.omitted:,} left out" if found.omitted else ""
    ax.set_title(title, fontsize="small")
    return place_legend(ax, **below(ax, 2))


def _draw_mean(ax: Any, found: RandomEffects, place: int) -> None:
    """The mean as a diamond as wide as its interval; where it has none, as a mark."""
    if found.low is None or found.high is None:
        ax.plot([found.value], [place], color=COLORS[1], marker="D", linestyle="none", label=f"mean: {found.reason}",
                gid="thresher-mean")  # fmt: skip
        return
    x, y = [found.low, found.value, found.high, found.value], [place, place - 0.3, place, place + 0.3]
    said = f"mean {found.value:.3g} [{found.low:.3g}, {found.high:.3g}]"
    ax.fill(x, y, color=COLORS[1], linewidth=0, label=said, gid="thresher-mean")
