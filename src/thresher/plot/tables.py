"""Counts and thresholds as pictures: rates at every threshold, a choice by its criterion, the path of a listing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.curves.curve import Curve, Line
from thresher.curves.listing import ends_of_steps
from thresher.curves.measure_curve import measure_curve, rates_by_threshold
from thresher.errors import InputError, capital
from thresher.inference.bootstrap.resampled_threshold import TAILS
from thresher.measures.measure_text import title_of
from thresher.plot.annotations import MOST_NAMES
from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes
from thresher.resampling.split_roles import LIMIT

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.counts import Counts, ThresholdTable
    from thresher.curves.listing import Listing
    from thresher.decisions.operating import Choice
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold
    from thresher.resampling.split_roles import DistinctRows


@drawer
def plot_thresholds(table: ThresholdTable, ax: Any = None, *, measures: Sequence[str] = (), **options: Any) -> Any:
    """Draw both rates against the threshold, or the `measures` that are named; return the axes.

    Options as of `thresher.plot.plot_curve`.
    """
    if not measures:
        return plot_curve(rates_by_threshold(table), ax, **options)
    curves = {title_of(name): measure_curve(table, x="threshold", y=name) for name in measures}
    ax = plot_curves(curves, ax, **options)
    ax.set(ylabel="Value")
    return ax


@drawer
def plot_listing(found: Listing, ax: Any = None, **options: Any) -> Any:
    """Draw the path of a listing, true positives over false positives, each step named by its rows or its threshold.

    Of more than 40 steps none is named. Options as of `thresher.plot.plot_curve`.
    """
    is_by_row = "row" in found
    ends = ends_of_steps(found)
    cuts = found["score" if is_by_row else "threshold"][ends].astype(np.float64)
    fp, tp = (found[name][ends].astype(np.float64) for name in ("fp", "tp"))
    if is_by_row:  # the sentinel of a listing by threshold is its first line
        falls = len(cuts) < 2 or cuts[0] > cuts[-1]
        cuts, fp, tp = np.append(np.inf if falls else -np.inf, cuts), np.append(0.0, fp), np.append(0.0, tp)
        names = [", ".join(map(str, rows)) for rows in np.split(found["row"], ends[:-1] + 1)]
    else:
        names = [f"{cut:.4g}" for cut in cuts[1:]]
    corners = (0.0, float(fp[-1])), (0.0, float(tp[-1]))
    path = Curve(
        name="coverage", x=fp, y=tp, thresholds=cuts, x_name="false_positives", y_name="true_positives",
        interpolation="linear", references=(Line(text="chance", x=corners[0], y=corners[1]),),
    )  # fmt: skip
    return plot_curve(path, ax, **{"label": "path", "labels": names if len(names) <= MOST_NAMES else None, **options})


@drawer
def plot_counts(found: Counts, ax: Any = None, *, kind: str = "roc", **options: Any) -> Any:
    """Draw one kind of picture of every score that was counted; return the axes. Options as of an evaluation's."""
    from thresher.evaluation import evaluate
    from thresher.plot.evaluations import plot_evaluation

    return plot_evaluation(evaluate(found), ax, kind=kind, **options)


@drawer
def plot_distinct(found: DistinctRows, ax: Any = None, **style: Any) -> Any:
    """Draw the expected share on a logarithmic axis, one sample of each size, and 63.2 %; return the axes."""
    ax = new_axes((6.4, 3.6)) if ax is None else ax
    ax.axhline(LIMIT, color=GRAY, linewidth=1, linestyle="--", label=f"1 − 1/e = {100 * LIMIT:.1f} %",
               gid="thresher-reference limit")  # fmt: skip
    look = {
        "color": color_of(0),
        "linewidth": 1.8,
        "label": "expected, 1 − (1 − 1/n)ⁿ",
        "gid": "thresher-curve",
        **style,
    }
    ax.plot(found.n, found.expected, **look)
    ax.plot(found.n, found.sampled, color=color_of(1), marker="o", markersize=4, linestyle="none", label="one sample",
            gid="thresher-sampled")  # fmt: skip
    ax.set(xscale="log", xlabel="Rows n", ylabel="Share of different rows\nin a sample of n draws", ylim=(0, 1.05))
    return place_legend(ax)


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
    title = "not the cheapest at any ratio of costs"
    if (valid := choice.best.valid) is not None:
        low, high = (f"{end:.3g}" if np.isfinite(end) else "∞" for end in valid.cost_ratios)
        title = f"the cheapest where a false positive costs {low} to {high} times a false negative"
    ax.set_title(title, fontsize="small")
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
