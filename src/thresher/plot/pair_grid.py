"""Every positive beside every negative: concordant, tied and discordant pairs, with the ROC as their border."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.counts import ScoreTable
from thresher.errors import InputError
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, drawer, new_axes, part_of_matplotlib

MOST = 400
"""Rows of a class up to which the grid is drawn: more are narrower than a dot of the screen."""


@drawer
def plot_pair_grid(table: ScoreTable, ax: Any = None, **style: Any) -> Any:
    """Draw the grid of positives (upwards) and negatives (to the right) by falling score; return the axes.

    A cell is a pair: concordant if the positive has the higher score, tied, or discordant. The share of concordant
    cells, ties counted half, is the AUC.

    Raises:
        InputError: a class has no rows, more than 400, or weights.
        MissingDependencyError: matplotlib is not installed.
    """
    grid = pair_grid(table)
    ax = new_axes((5.6, 4.8)) if ax is None else ax
    colors = part_of_matplotlib("colors").ListedColormap([COLORS[1], "#DDDDDD", COLORS[0]])
    ends = (0.5, grid.shape[1] + 0.5, 0.5, grid.shape[0] + 0.5)
    options = {"cmap": colors, "vmin": 0, "vmax": 2, "extent": ends, "origin": "lower", "interpolation": "nearest"}
    ax.imshow(grid, **{**options, "alpha": 0.75, **style}).set_gid("thresher-pairs")
    x, y = (np.append(0, np.cumsum(counts)) + 0.5 for counts in (table.negative, table.positive))
    ax.plot(x, y, color="black", linewidth=1.4, gid="thresher-curve")
    patch = part_of_matplotlib("patches").Patch
    names = {2: "concordant", 1: "tied", 0: "discordant"}
    handles = [
        patch(color=colors(code), label=f"{name} ({int((grid == code).sum()):,})") for code, name in names.items()
    ]
    ax.set(xlabel="Negatives by falling score", ylabel="Positives by falling score")
    return place_legend(ax, "upper left", handles=handles, bbox_to_anchor=(1.0, 1.0))


def pair_grid(table: ScoreTable) -> Any:
    """(P, N) array, both by falling score: 2 where the positive has the higher score, 1 where they tie, 0 else."""
    both = table.positive, table.negative
    if any(counts.dtype.kind == "f" or not 0 < counts.sum() <= MOST for counts in both):
        raise InputError(f"a grid of pairs takes 1 to {MOST} rows of each class, without weights.")
    rank = np.arange(len(table.scores))
    ups, downs = (np.repeat(rank, counts) for counts in both)
    return 1 + np.sign(downs[None, :] - ups[:, None])
