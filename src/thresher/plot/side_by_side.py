"""One model beside itself: at other prevalences, row by row at a threshold, and its hull beside its calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.calibration.fitting import fit_map_table
from thresher.counts.decimal_cuts import written
from thresher.errors import InputError
from thresher.measures.calibration import isotonic_blocks
from thresher.plot.calibration_maps import plot_map
from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, SMALL, draw_shades, drawer, new_axes, part_of_matplotlib, styled
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

PREVALENCES = (0.5, 0.1, 0.01)
MOST_ROWS = 60


@drawer
def plot_elsewhere(
    model: ModelEvaluation, ax: Any = None, *, prevalences: Sequence[float] = PREVALENCES, at: Any = None, **style: Any
) -> Any:
    """Draw ROC, precision–recall and lift side by side at some shares of positives; return the array of three axes.

    The ROC is the same at all of them. `at` are thresholds whose points are marked in all three pictures, by default
    that of the model.

    Raises:
        OptionError: a prevalence is no share.
        MissingDependencyError: matplotlib is not installed.
    """
    if ax is None:
        ax = part_of_matplotlib("pyplot").subplots(1, 3, figsize=(12.6, 4.8), layout="constrained")[1]
    marks: Any = model.threshold if at is None else at
    options = {"at": () if marks is None else marks, **style}
    plot_curve(model.roc, ax[0], **{"label": "at every prevalence", "color": GRAY, **options})
    for place, make in ((1, model.pr_at), (2, model.lift_at)):
        curves = {f"{100 * share:.3g} % positive": make(share) for share in prevalences}
        plot_curves(curves, ax[place], **{"references": False, **options})
    return ax


@drawer
def plot_rows(model: ModelEvaluation, ax: Any = None, *, threshold: float | None = None, **style: Any) -> Any:
    """Draw the rows by falling score with their truth and what the threshold predicts, and its counts; the axes.

    Of more than 60 rows those around the threshold are drawn, which the title says; the counts are of all.

    Raises:
        InputError: there is no threshold.
        MissingDependencyError: matplotlib is not installed.
    """
    cut = model.threshold if threshold is None else threshold
    if cut is None:
        raise InputError("a picture of rows takes a threshold: " + keyword("threshold", "T") + ".")
    listing, cells = model.listing(at=cut), model.at(cut).cells
    negative, positive = model.predictions.classes
    above = int((listing["prediction"] == positive).sum())
    start = min(max(above - MOST_ROWS // 2, 0), max(listing.height - MOST_ROWS, 0))
    shown = slice(start, start + MOST_ROWS)
    truth, prediction, score, row = (listing[name][shown] for name in ("truth", "prediction", "score", "row"))
    ax = new_axes((4.8, 1.2 + 0.28 * len(row))) if ax is None else ax
    colors = part_of_matplotlib("colors").ListedColormap(["#D6E4F0", COLORS[0]])
    shades = np.column_stack([truth == positive, prediction == positive]).astype(float)
    options = {"cmap": colors, "aspect": "auto", "vmin": 0, "vmax": 1}
    draw_shades(ax, shades, options, style).set_gid("thresher-rows")
    for (line, column), shade in np.ndenumerate(shades):
        ax.text(column, line, str(positive if shade else negative), ha="center", va="center", fontsize=SMALL,
                color="white" if shade else "black", gid="thresher-row")  # fmt: skip
    ax.axhline(above - start - 0.5, color=COLORS[1], linewidth=2, gid="thresher-threshold")
    ax.set_xticks([0, 1], ["Truth", "Predicted"])
    ax.set_yticks(range(len(row)), [f"row {which}: {value:.4g}" for which, value in zip(row, score, strict=True)])
    counts = ", ".join(f"{name.upper()} {float(getattr(cells, name)):,.10g}" for name in ("tp", "fp", "fn", "tn"))
    part = "" if len(row) == listing.height else f"\n{len(row)} rows around it, of {listing.height:,}"
    ax.set_title(f"threshold {written(cut)}: {counts}{part}", fontsize=SMALL)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


@drawer
def plot_hull_as_map(model: ModelEvaluation, ax: Any = None, **style: Any) -> Any:
    """Draw the hull of the ROC beside the isotonic map of the scores; return the array of both axes.

    An edge of the hull is a block of scores that are pooled, in the same color: the steeper the edge, the larger the
    share of positives that the map gives.

    Raises:
        InputError: a class has no rows.
        MissingDependencyError: matplotlib is not installed.
    """
    if ax is None:
        ax = part_of_matplotlib("pyplot").subplots(1, 2, figsize=(10.0, 4.8), layout="constrained")[1]
    data, hull, blocks = model.scores, model.hull, isotonic_blocks(model.scores)
    plot_curve(model.roc, ax[0], color=GRAY, legend=False)
    plot_map(fit_map_table(data), ax[1], color=GRAY, label="isotonic map")
    for place in range(len(blocks.low)):
        edge = len(blocks.low) - 1 - place  # the hull begins with the highest scores
        look = styled({"color": COLORS[edge % len(COLORS)], "linewidth": 3, "marker": "."}, style)
        ax[0].plot(hull.fpr[edge : edge + 2], hull.tpr[edge : edge + 2], gid="thresher-edge", **look)
        ends, share = (blocks.low[place], blocks.high[place]), blocks.share[place]
        ax[1].plot(ends, (share, share), gid="thresher-block", **look)
    ax[0].set_title("hull: an edge is a block", fontsize=SMALL)
    ax[1].set_title("pooled blocks: the share of positives in each", fontsize=SMALL)
    place_legend(ax[1])
    return ax
