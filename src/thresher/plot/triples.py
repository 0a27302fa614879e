"""Triples of rows of three classes by the order of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.plot.bars import OTHER, draw_bars
from thresher.plot.looks import COLORS, drawer, new_axes

if TYPE_CHECKING:
    from thresher.multiclass.triples import Triples


@drawer
def plot_triples(found: Triples, ax: Any = None, **style: Any) -> Any:
    """Draw how many triples have each order of scores, the right one first, and how many tie; return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    words = [" < ".join(map(str, order)) for order in found.orders]
    numbers = dict(zip([f"{words[0]} (right)", *words[1:], "tied"], [*found.counts, found.tied], strict=True))
    colors = [COLORS[0], *[OTHER] * (len(words) - 1), COLORS[4]]
    texts = [f"{count:,} ({count / found.total:.1%})" for count in numbers.values()]
    ax = new_axes((6.4, 3.0)) if ax is None else ax
    ax = draw_bars(ax, numbers, colors, {"gid": "thresher-triples", **style}, texts)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel=f"Triples, of {found.total:,}")
    ax.set_title(f"volume {found.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    return ax
