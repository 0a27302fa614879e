"""Distributions that a number is read from: the posterior of a difference, and the costs that an H-measure weighs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.decisions.h_measure import HMeasure
    from thresher.inference.differences.folds import Posterior

POINTS = 801
FAR = 4.0
"""Scales of a posterior to either side of its mean."""


@drawer
def plot_posterior(found: Posterior, ax: Any = None, **style: Any) -> Any:
    """Draw the posterior of a difference with the region of practical equivalence and what lies where; the axes.

    Raises:
        InputError: all of it stands at one difference, which has no density.
        MissingDependencyError: matplotlib is not installed.
    """
    if not found.scale:
        raise InputError(f"every fold has the difference {found.mean:.4g}: a posterior without spread has no density.")
    from scipy import stats

    reach = max(FAR * found.scale, 1.2 * (abs(found.mean) + found.rope) - abs(found.mean))
    ends = sorted({found.mean - reach, -found.rope, found.rope, found.mean + reach})
    x = np.union1d(np.linspace(ends[0], ends[-1], POINTS), ends)
    y = stats.t(found.df, loc=found.mean, scale=found.scale).pdf(x)
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    parts = (
        (f"worse: {found.worse:.3f}", x <= -found.rope, COLORS[1]),
        (f"equivalent, within ±{found.rope:g}: {found.equivalent:.3f}", abs(x) <= found.rope, "#B8B8B8"),
        (f"better: {found.better:.3f}", x >= found.rope, COLORS[0]),
    )
    for name, where, color in parts:
        shade = {"color": color, "alpha": 0.4, "linewidth": 0, "gid": "thresher-part"}
        ax.fill_between(x, 0, y, where=where, label=name, **shade)
    _density(ax, x, y, found.method, style)
    ax.set(xlabel="Difference, first − second")
    return place_legend(ax)


@drawer
def plot_costs(found: HMeasure, ax: Any = None, **style: Any) -> Any:
    """Draw the distribution of costs over which an H-measure averages, with its mode; return the axes.

    Raises:
        InputError: the H-measure is undefined.
        MissingDependencyError: matplotlib is not installed.
    """
    if found.reason is not None:
        raise InputError(f"this H-measure is undefined, and has no picture: {found.reason}.")
    from scipy import stats

    x = np.linspace(0.0, 1.0, POINTS)
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    mode = (found.alpha - 1) / (found.alpha + found.beta - 2)
    ax.axvline(mode, color=GRAY, linestyle="--", linewidth=1, label=f"most weight at {mode:.3g}", gid="thresher-mode")
    _density(ax, x, stats.beta(found.alpha, found.beta).pdf(x), f"Beta({found.alpha:.4g}, {found.beta:.4g})", style)
    ax.set(xlabel="Share of the cost that a false positive carries", xlim=(0, 1))
    said = f"H = 1 − {found.loss:.3g}/{found.reference:.3g} = {found.value:.3f}"
    ax.set_title(said, fontsize="small")
    return place_legend(ax)


def _density(ax: Any, x: Any, y: Any, name: str, style: dict[str, Any]) -> None:
    look = {"color": "black", "linewidth": 1.4, "label": name, "gid": "thresher-density", **style}
    ax.plot(x, y, **look)
    ax.set(ylabel="Density", ylim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
