"""A chosen threshold as a picture: its criterion over all thresholds, and where resamples would have put it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError, capital
from thresher.inference.bootstrap.resampled_threshold import TAILS
from thresher.plot.curves import plot_curve
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.decisions.operating import Choice
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold

HISTOGRAM: dict[str, Any] = {"bins": 40, "alpha": 0.5, "gid": "thresher-resampled"}


@drawer
def plot_choice(choice: Choice, ax: Any = None, **style: Any) -> Any:
    """Draw the criterion against the threshold with the point that it prefers, and return the axes.

    The title says for which ratios of costs the threshold stays the cheapest. Options as of `thresher.plot.plot_curve`.
    """
    ax = plot_curve(choice.curve, ax, **{"label": "all rows", **style})
    for threshold in choice.thresholds[1:]:
        ax.axvline(threshold, color=GRAY, linewidth=0.8, linestyle=":", gid="thresher-tie")
    words = capital(choice.criterion)
    ax.set(xlabel="Threshold", ylabel=words, title=None)
    ax.set_title(_range_of_validity(choice), fontsize="small")
    return ax


@drawer
def plot_chosen(chosen: ChosenThreshold, ax: Any = None, **style: Any) -> Any:
    """Draw the choice, and under it the thresholds that its resamples chose, if there are any; return the axes."""
    ax = plot_choice(chosen.choice, ax, **style)
    if chosen.resampled is not None:
        known = chosen.resampled.thresholds[np.isfinite(chosen.resampled.thresholds)]
        beside = ax.twinx()
        label = f"chosen again on {known.size:,} resamples"
        beside.hist(known, color=color_of(4), label=label, **HISTOGRAM)
        beside.set(ylim=(0, 4 * beside.get_ylim()[1]), yticks=[])
        beside.spines[:].set_visible(False)
        ax.set_zorder(beside.get_zorder() + 1)
        ax.patch.set_visible(False)
        handles = ax.get_legend_handles_labels()[0] + beside.get_legend_handles_labels()[0]
        place_legend(ax, handles=handles, columns=1)
    return ax


@drawer
def plot_resampled(found: ResampledThreshold, ax: Any = None, **style: Any) -> Any:
    """Draw how often each threshold was chosen again, the one of all rows and the range of 95 %; return the axes.

    The title has the apparent value, and the one that is corrected for its optimism.

    Raises:
        InputError: no resample chose a threshold.
    """
    known = found.thresholds[np.isfinite(found.thresholds)]
    if not known.size:
        raise InputError("no resample chose a threshold, so that there is nothing to draw.")
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    ax.axvspan(found.quantile(TAILS[0]), found.quantile(TAILS[-1]), color=GRAY, alpha=0.12, linewidth=0,
               label="95 % of resamples", gid="thresher-interval")  # fmt: skip
    ax.hist(known, **{**HISTOGRAM, "color": color_of(4), "label": f"{known.size:,} resamples", **style})
    chosen = f"of all rows: {found.threshold:.4g}"
    ax.axvline(found.threshold, color=color_of(0), linewidth=1.6, label=chosen, gid="thresher-mark")
    ax.set(xlabel="Threshold", ylabel="Resamples")
    text = f"{found.criterion}: {found.apparent:.3g} on all rows, {found.corrected:.3g} corrected for optimism"
    ax.set_title(text, fontsize="small")
    return place_legend(ax)


def _range_of_validity(choice: Choice) -> str:
    """Describe the cost ratios for which the threshold is the cheapest."""
    valid = choice.best.valid
    if valid is None:
        return "the cheapest for no ratio of costs"
    low, high = (f"{end:.3g}" if np.isfinite(end) else "∞" for end in valid.cost_ratios)
    return f"the cheapest where a false positive costs {low} to {high} times a false negative"
