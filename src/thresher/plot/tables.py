"""Counts as pictures: rates at every threshold, the path of a listing, curves of each score, rows of a bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.curves.curve import Curve, Line
from thresher.curves.listing import ends_of_steps
from thresher.curves.measure_curve import measure_curve, rates_by_threshold
from thresher.measures.titles import title_of
from thresher.plot.annotations import MOST_NAMES
from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes
from thresher.resampling.split_roles import LIMIT

if TYPE_CHECKING:
    from thresher.counts import Counts, ThresholdTable
    from thresher.curves.listing import Listing
    from thresher.resampling.split_roles import DistinctRows


@drawer
def plot_thresholds(table: ThresholdTable, ax: Any = None, *, measures: Sequence[str] = (), **options: Any) -> Any:
    """Draw both rates against the threshold, or the `measures` that are named; return the axes.

    Options as of `thresher.plot.plot_curve`.

    Raises:
        InputError: the table is a batch.
        UnknownMeasureError: there is no such measure.
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
    """Draw one kind of picture of every score that was counted; return the axes. Options as of an evaluation's.

    Raises:
        OptionError: there is no such kind.
    """
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
