"""Which rows train and which test, split by split."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import SEED
from thresher.errors import InputError
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, drawer, new_axes, part_of_matplotlib
from thresher.resampling.parts import row_parts
from thresher.resampling.splits import SplitRows

MOST_SPLITS = 40
MOST_ROWS = 2000


@drawer
def plot_splits(
    method: Any, truth: ArrayLike, ax: Any = None, *, groups: ArrayLike | None = None, rng: int = SEED, **style: Any
) -> Any:
    """Draw a line for each split of a method of resampling: rows that train, that test, and that do both; the axes.

    Rows stand in their order, the first 2,000 of them; of more than 40 splits the first 40, which the title says. A row
    that a bootstrap drew several times is the darker.

    Args:
        method: such as `KFold(k=5)` of `thresher.resampling`.
        truth: class of each row.
        ax: axes to draw on; new ones if none are given.
        groups: group of each row, for methods that keep groups whole.
        rng: seed of the splits.
        style: further options of matplotlib's `imshow`.

    Raises:
        InputError: truth and groups differ in length.
        MissingDependencyError: matplotlib is not installed.
    """
    table, count = split_table(method, truth, groups, rng)
    shown = table[:, :MOST_ROWS]
    ax = new_axes((6.4, 1.2 + 0.16 * len(shown))) if ax is None else ax
    colors = part_of_matplotlib("colors").ListedColormap(["white", "#9EC5E3", "#3B79B0", COLORS[1], "#6B3FA0"])
    options = {"aspect": "auto", "interpolation": "nearest", "cmap": colors, "vmin": 0, "vmax": 4, **style}
    ax.imshow(shown, **options).set_gid("thresher-splits")
    named = {1: "train", 2: "train, drawn more than once", 3: "test", 4: "train and test"}
    patch = part_of_matplotlib("patches").Patch
    handles = [patch(color=colors(code), label=name) for code, name in named.items() if (shown == code).any()]
    place_legend(ax, "upper left", handles=handles, bbox_to_anchor=(0, -0.12), ncols=len(handles))
    parts = [f"the first {len(shown)} of {count:,} splits"] if count > len(shown) else []
    parts += [f"the first {MOST_ROWS:,} of {table.shape[1]:,} rows"] if table.shape[1] > MOST_ROWS else []
    ax.set(ylabel="Split", title=None)
    ax.set_xlabel("Row", loc="right")  # the legend stands at the left
    ax.set_title("; ".join([method.summary, *parts]), fontsize="small")
    ax.spines[:].set_visible(False)
    return ax


def split_table(method: Any, truth: ArrayLike, groups: ArrayLike | None, rng: int) -> tuple[Any, int]:
    """Part of each row (column) in each split (line), and the number of splits.

    0: neither, 1: it trains, 2: it trains more than once, 3: it tests, 4: it does both.
    """
    codes = [
        None if given is None else np.unique(np.asarray(given), return_inverse=True)[1] for given in (truth, groups)
    ]
    if codes[0] is None or (codes[1] is not None and len(codes[0]) != len(codes[1])):
        raise InputError("truth and groups have one entry for each row.")
    rows = SplitRows(truth=codes[0], groups=codes[1])
    return row_parts(method.splits(rows, rng), rows.n, MOST_SPLITS), method.count(rows)
