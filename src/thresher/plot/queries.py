"""Ranked lists query by query: which of two runs is better, and where relevant results stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.measures.titles import title_of
from thresher.plot.legends import below, place_legend
from thresher.plot.looks import COLORS, GRAY, SMALL, drawer, new_axes, part_of_matplotlib

if TYPE_CHECKING:
    from thresher.counts.ranked import RankedLists
    from thresher.ranking.outcomes import Outcomes

MOST_NAMES = 40
"""Queries up to which each is named, and lists that are drawn."""

MOST_RANKS = 100
SHADES = ("white", "#DDDDDD", "#F3E2C7", "#9EC5E3", "#3B79B0", "#0B3C68")
ROLES = ("no result", "not judged", "not relevant", "relevance 1", "relevance 2", "relevance 3 and more")


@drawer
def plot_outcomes(found: Outcomes, ax: Any = None, **style: Any) -> Any:
    """Draw the difference of two runs on each query, first minus second, from the largest on; return the axes.

    The legend says how often who wins. A query without a value in both runs has no bar.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    order = np.argsort(-found.difference, kind="stable")
    order = order[np.isfinite(found.difference[order])]
    ax = new_axes((max(4.8, min(9.6, 1.6 + 0.24 * len(order))), 3.6)) if ax is None else ax
    won, places = np.array(found.winner, dtype=object)[order], np.arange(len(order))
    patch, handles = part_of_matplotlib("patches").Patch, []
    for run, times, color in zip(found.runs, (found.wins, found.losses), COLORS, strict=False):
        own = won == run
        look = {"color": color, "gid": f"thresher-wins {run}", **style}
        ax.bar(places[own], found.difference[order][own], **look)
        handles.append(patch(color=look["color"], label=f"{run} better: {times:,}"))
    tied = won == "tie"
    handles += ax.plot(places[tied], found.difference[order][tied], color=GRAY, marker="o", markersize=3.5,
                       linestyle="none", label=f"tied: {found.ties:,}", gid="thresher-ties")  # fmt: skip
    ax.axhline(0.0, color=GRAY, linewidth=1, gid="thresher-reference none")
    names = [found.queries[i] for i in order] if len(order) <= MOST_NAMES else []
    ax.set_xticks(places if names else [], names, rotation=90 if len(names) > 8 else 0, fontsize=SMALL)
    ax.set(xlabel=f"Query, of {len(found.queries):,}", ylabel=f"{title_of(found.measure)}\n{' − '.join(found.runs)}")
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax, handles=handles)


@drawer
def plot_lists(found: RankedLists, ax: Any = None, **style: Any) -> Any:
    """Draw the relevance of each result, a line for each query and its ranks to the right; return the axes.

    The first 40 queries and 100 ranks are drawn, which the title says where there are more.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    lists, ranks = min(len(found), MOST_NAMES), min(int(found.lengths.max(initial=1)), MOST_RANKS)
    shades = np.zeros((max(lists, 1), ranks))
    for line in range(lists):
        own = found.relevance[found.starts[line] : found.starts[line + 1]][:ranks]
        shades[line, : len(own)] = np.clip(own, -1, 3) + 2
    ax = new_axes((6.4, 1.6 + 0.2 * lists)) if ax is None else ax
    colors = part_of_matplotlib("colors").ListedColormap(SHADES)
    ends = (0.5, ranks + 0.5, len(shades) - 0.5, -0.5)
    options = {"cmap": colors, "vmin": 0, "vmax": 5, "aspect": "auto", "interpolation": "nearest", "extent": ends}
    ax.imshow(shades, **{**options, **style}).set_gid("thresher-lists")
    patch = part_of_matplotlib("patches").Patch
    codes = [code for code in range(1, len(ROLES)) if (shades == code).any()]
    handles = [patch(color=SHADES[code], label=ROLES[code]) for code in codes]
    ax.set_yticks(range(lists), found.queries[:lists], fontsize=SMALL)
    parts = [f"the first {lists} of {len(found):,} queries"] if lists < len(found) else []
    parts += [f"the first {ranks} ranks"] if ranks < found.lengths.max(initial=0) else []
    ax.set(xlabel="Rank", ylabel="Query")
    ax.xaxis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
    ax.set_title("; ".join(parts), fontsize=SMALL)
    ax.spines[:].set_visible(False)
    return place_legend(ax, handles=handles, **below(ax, 3))
