"""A chosen threshold as a picture: its criterion over all thresholds, and where resamples would have put it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError
from thresher.plot.curves import plot_curve
from thresher.plot.legends import below, place_legend
from thresher.plot.looks import COLORS, GRAY, drawer

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.decisions.operating import Choice

BINS = 40


@drawer
def plot_choice(choice: Choice, ax: Any = None, **style: Any) -> Any:
    """Draw the criterion against the threshold with the point that it prefers, and return the axes.

    The title says for which ratios of costs the threshold stays the cheapest. Options as of `thresher.plot.plot_curve`.

    Raises:
        InputError: the choice does not know its criterion.
        MissingDependencyError: matplotlib is not installed.
    """
    ax = plot_curve(choice.curve, ax, **{"label": "all rows", **style})
    for threshold in choice.thresholds[1:]:
        ax.axvline(threshold, color=GRAY, linewidth=0.8, linestyle=":", gid="thresher-tie")
    words = choice.criterion[:1].upper() + choice.criterion[1:]
    ax.set(xlabel="Threshold", ylabel=words, title=None)
    ax.set_title(_range_of_validity(choice), fontsize="small")
    return ax


@drawer
def plot_chosen(chosen: ChosenThreshold, ax: Any = None, **style: Any) -> Any:
    """Draw the choice, and under it the thresholds that its resamples chose, if there are any; return the axes.

    Raises:
        InputError: the choice does not know its criterion.
        MissingDependencyError: matplotlib is not installed.
    """
    if chosen.choice is None:
        raise InputError("this threshold was not chosen over all thresholds, so that there is nothing to draw.")
    ax = plot_choice(chosen.choice, ax, **style)
    if chosen.resampled is not None:
        known = chosen.resampled.thresholds[np.isfinite(chosen.resampled.thresholds)]
        beside = ax.twinx()
        label = f"chosen again on {known.size:,} resamples"
        beside.hist(known, bins=BINS, color=COLORS[4], alpha=0.5, label=label, gid="thresher-resampled")
        beside.set(ylim=(0, 4 * beside.get_ylim()[1]), yticks=[])
        beside.spines[:].set_visible(False)
        ax.set_zorder(beside.get_zorder() + 1)
        ax.patch.set_visible(False)
        handles = ax.get_legend_handles_labels()[0] + beside.get_legend_handles_labels()[0]
        place_legend(ax, handles=handles, **below(ax))
    return ax


def _range_of_validity(choice: Choice) -> str:
    """For which ratios of costs the threshold is the cheapest, in words."""
    valid = choice.best.valid
    if valid is None:
        return "the cheapest for no ratio of costs"
    low, high = (f"{end:.3g}" if np.isfinite(end) else "∞" for end in valid.cost_ratios)
    return f"the cheapest where a false positive costs {low} to {high} times a false negative"
