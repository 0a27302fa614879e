"""Triples of rows of three classes by the order of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.plot.looks import COLORS, drawer, new_axes

if TYPE_CHECKING:
    from thresher.multiclass.triples import Triples

OTHER, TIED = "#B8B8B8", COLORS[4]


@drawer
def plot_triples(found: Triples, ax: Any = None, **style: Any) -> Any:
    """Draw how many triples have each order of scores, the right one first, and how many tie; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    ax = new_axes((6.4, 3.0)) if ax is None else ax
    counts = [*found.counts, found.tied]
    colors = [COLORS[0], *[OTHER] * (len(counts) - 2), TIED]
    bars = ax.barh(range(len(counts)), counts, **{"color": colors, "height": 0.7, "gid": "thresher-triples", **style})
    ax.bar_label(bars, [f"{count:,} ({count / found.total:.1%})" for count in counts], padding=4, fontsize="small")
    words = [" < ".join(map(str, order)) for order in found.orders]
    ax.set_yticks(range(len(counts)), [f"{words[0]} (right)", *words[1:], "tied"])
    ax.set(xlabel=f"Triples, of {found.total:,}", ylim=(len(counts) - 0.5, -0.5))
    ax.margins(x=0.2)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_title(f"volume {found.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
