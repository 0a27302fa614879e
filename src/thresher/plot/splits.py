"""Which rows train and which test, split by split."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from thresher.conventions import SEED
from thresher.plot.legends import below, place_legend
from thresher.plot.looks import COLORS, drawer, new_axes, part_of_matplotlib
from thresher.resampling.split_roles import ROLES, SplitRoles, split_roles

SHADES = ("white", "#9EC5E3", "#3B79B0", COLORS[1], "#6B3FA0", COLORS[4])
"""Color of each role."""

MOST_ROWS = 2000


@drawer
def plot_splits(
    method: Any, truth: ArrayLike, ax: Any = None, *, groups: ArrayLike | None = None, rng: int = SEED, **style: Any
) -> Any:
    """Draw a line for each split of a method of resampling: rows that train, that test, and that do both; the axes.

    The numbers are those of `thresher.resampling.split_roles`; options as of `plot_roles`.

    Args:
        method: such as `KFold(k=5)` of `thresher.resampling`, or a text such as "kfold:5".
        truth: class of each row.
        ax: axes to draw on; new ones if none are given.
        groups: group of each row, for methods that keep groups whole.
        rng: seed of the splits.
        style: further options of matplotlib's `imshow`.

    Raises:
        InputError: truth and groups differ in length.
        OptionError: that is no method.
        MissingDependencyError: matplotlib is not installed.
    """
    return plot_roles(split_roles(method, truth, groups=groups, rng=rng), ax, **style)


@drawer
def plot_roles(found: SplitRoles, ax: Any = None, **style: Any) -> Any:
    """Draw what each row is in each split, a line for each; return the axes.

    Rows stand in their order, the first 2,000 of them; of more than 40 splits the first 40, which the title says. A row
    that a bootstrap drew several times is the darker. Of nested splits a line is a split inside.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    shown, rows = found.codes[:, :MOST_ROWS], found.codes.shape[1]
    ax = new_axes((6.4, 1.4 + 0.16 * len(shown))) if ax is None else ax
    colors = part_of_matplotlib("colors").ListedColormap(SHADES)
    ends = (0.5, shown.shape[1] + 0.5, len(shown) + 0.5, 0.5)
    options = {"aspect": "auto", "interpolation": "nearest", "cmap": colors, "vmin": 0, "vmax": len(SHADES) - 1}
    ax.imshow(shown, **{**options, "extent": ends, **style}).set_gid("thresher-splits")
    patch = part_of_matplotlib("patches").Patch
    roles = [(code, name) for code, name in enumerate(ROLES) if code and (shown == code).any()]
    handles = [patch(color=colors(code), label=name) for code, name in roles]
    parts = [f"the first {len(shown)} of {found.count:,} splits"] if found.count > len(shown) else []
    parts += [f"the first {MOST_ROWS:,} of {rows:,} rows"] if rows > MOST_ROWS else []
    ax.set(xlabel="Row", ylabel="Split")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
    ax.set_title("; ".join([found.method, *parts]), fontsize="small", wrap=True)
    ax.spines[:].set_visible(False)
    return place_legend(ax, handles=handles, **below(ax, len(handles)))
