"""Several views at once: a panel of all models; one model at other prevalences, row by row, pair by pair, as a map.

A recalibration map as a picture, and groups of a reliability diagram with the uncertainty of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.calibration.fitting import fit_map_table
from thresher.counts import ScoreTable
from thresher.counts.thresholds import threshold_text
from thresher.errors import InputError, keyword
from thresher.inference.proportions.intervals import wilson_interval
from thresher.measures.calibration import isotonic_blocks
from thresher.plot.curves import dress_calibration, plot_curve, plot_curves
from thresher.plot.legends import place_legend, size_of, wrap
from thresher.plot.looks import (
    GRAY,
    SMALL,
    color_of,
    draw_codes,
    drawer,
    is_column,
    line_look,
    new_axes,
    part_of_matplotlib,
    short_number,
    styled,
)
from thresher.plot.scores import plot_model_scores, scored

if TYPE_CHECKING:
    from thresher.calibration.calibration_tests import CoxCalibration
    from thresher.calibration.diagram import Reliability
    from thresher.calibration.maps import ClasswiseMap
    from thresher.curves.curve import Curve
    from thresher.evaluation import Evaluation, ModelEvaluation


PREVALENCES = (0.5, 0.1, 0.01)
MOST_ROWS = 60


@drawer
def plot_elsewhere(
    model: ModelEvaluation, ax: Any = None, *, prevalences: Sequence[float] = PREVALENCES, at: Any = None, **style: Any
) -> Any:
    """Draw ROC, precision–recall and lift side by side at some shares of positives; return the array of three axes.

    The ROC is the same at all of them. `at` are thresholds whose points are marked in all three pictures, by default
    the model's threshold.
    """
    ax = new_axes((12.6, 4.8), 1, 3) if ax is None else ax
    marks: Any = model.threshold if at is None else at
    options = {"at": () if marks is None else marks, **style}
    plot_curve(model.roc, ax[0], **{"label": "at every prevalence", "color": GRAY, **options})
    for place, make in ((1, model.pr_at), (2, model.lift_at)):
        curves = {f"{100 * share:.3g} % positive": make(share) for share in prevalences}
        plot_curves(curves, ax[place], **{"references": False, **options})
    return ax


@drawer
def plot_rows(model: ModelEvaluation, ax: Any = None, *, threshold: float | None = None, **style: Any) -> Any:
    """Draw the rows by falling score with their truth and decision, and the counts; return the axes.

    Of more than 60 rows those around the threshold are drawn, which the title says; the counts are of all.
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
    shades = np.column_stack([truth == positive, prediction == positive]).astype(float)
    draw_codes(ax, shades, ("#D6E4F0", color_of(0)), {}, style)[0].set_gid("thresher-rows")
    for (line, column), shade in np.ndenumerate(shades):
        ax.text(column, line, str(positive if shade else negative), ha="center", va="center", fontsize=SMALL,
                color="white" if shade else "black", gid="thresher-row")  # fmt: skip
    ax.axhline(above - start - 0.5, color=color_of(1), linewidth=2, gid="thresher-threshold")
    ax.set_xticks([0, 1], ["Truth", "Predicted"])
    ax.set_yticks(range(len(row)), [f"row {which}: {value:.4g}" for which, value in zip(row, score, strict=True)])
    counts = ", ".join(f"{name.upper()} {float(getattr(cells, name)):,.10g}" for name in ("tp", "fp", "fn", "tn"))
    part = "" if len(row) == listing.height else f"\n{len(row)} rows around it, of {listing.height:,}"
    ax.set_title(f"threshold {threshold_text(cut)}: {counts}{part}", fontsize=SMALL)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


@drawer
def plot_hull_as_map(model: ModelEvaluation, ax: Any = None, **style: Any) -> Any:
    """Draw the hull of the ROC beside the isotonic map of the scores; return the array of both axes.

    An edge of the hull is a block of scores that are pooled, in the same color: the steeper the edge, the larger the
    share of positives that the map gives.
    """
    ax = new_axes((10.0, 4.8), 1, 2) if ax is None else ax
    data, hull, blocks = model.scores, model.hull, isotonic_blocks(model.scores)
    plot_curve(model.roc, ax[0], color=GRAY, legend=False)
    plot_map(fit_map_table(data), ax[1], color=GRAY, label="isotonic map")
    for place in range(len(blocks.low)):
        edge = len(blocks.low) - 1 - place  # the hull begins with the highest scores
        look = styled({"color": color_of(edge), "linewidth": 3, "marker": "."}, style)
        ax[0].plot(hull.fpr[edge : edge + 2], hull.tpr[edge : edge + 2], gid="thresher-edge", **look)
        ends, share = (blocks.low[place], blocks.high[place]), blocks.share[place]
        ax[1].plot(ends, (share, share), gid="thresher-block", **look)
    ax[0].set_title("hull: an edge is a block", fontsize=SMALL)
    ax[1].set_title("pooled blocks: the share of positives in each", fontsize=SMALL)
    place_legend(ax[1])
    return ax


PANEL = {
    "roc": ("ROC", "False positive rate", "True positive rate"),
    "pr": ("Precision–recall", "Recall", "Precision"),
    "scores": ("Scores", "Score", "Share of the class"),
    "calibration": ("Calibration", "Score", "Share of positives"),
    "cost": ("Cost curve", "Probability cost", "Expected cost"),
}
"""Kinds of picture, with the titles of each and of its axes: small fields have room for short words."""

MOST_LETTERS = 40
"""Letters of a line of the legend."""

MOST_BANDS = 2
"""Models up to which bands of consistency are told apart."""


@drawer
def plot_panel(evaluation: Evaluation, *, legend: bool = True, **options: Any) -> Any:
    """Draw ROC, precision–recall, scores, calibration and cost in one figure with one legend, and return the figure.

    A model has one color in all fields. Scores are the first model's, negatives in gray; calibration needs
    probabilities, and its place says so where there are none. One column wide, fields are in three rows of two.

    Raises:
        TaskError: no model has scores of two classes.
        MissingDependencyError: matplotlib is not installed.
    """
    models = scored(evaluation)
    axes = new_axes((5.0, 8.0), 3, 2) if is_column() else new_axes((12.0, 7.6), 2, 3)
    first = next(iter(models))
    for (kind, (title, x, y)), ax in zip(PANEL.items(), axes.flat, strict=False):
        if kind == "scores":
            plot_model_scores(models[first], ax, colors=(color_of(0), GRAY)).get_legend().remove()
        elif kind == "calibration" and not all(model.scores.is_probability for model in models.values()):
            ax.text(0.5, 0.5, "the scores are\nno probabilities", transform=ax.transAxes, ha="center", va="center")
            ax.set_axis_off()
        else:
            drawn = {name: _shown(model, kind, len(models)) for name, model in models.items()}
            # A threshold is a point of the other curves only.
            given = {name: value for name, value in options.items() if (kind, name) != ("cost", "at")}
            plot_curves(drawn, ax, legend=False, **given)
        ax.set(xlabel=x, ylabel=y)
        is_of_first = kind == "scores" and len(models) > 1
        ax.set_title(f"{title}: {first}" if is_of_first else title, fontsize="medium")
    axes.flat[-1].set_axis_off()
    if legend:
        _put_legend(axes, models)
    return axes.flat[0].figure


def _shown(model: ModelEvaluation, kind: str, models: int) -> Curve:
    """Return the curve of a model, without its band among many models."""
    curve = model.curve(kind)
    return replace(curve, series={}) if kind == "calibration" and models > MOST_BANDS else curve


def _put_legend(axes: Any, models: Any) -> None:
    """Draw one legend for all fields: each model with its areas, both classes, the gray lines."""
    line, patch = part_of_matplotlib("lines").Line2D, part_of_matplotlib("patches").Patch
    drawn = [each for each in axes.flat[0].lines if each.get_gid() == "thresher-curve"]
    handles = []
    for (name, model), own in zip(models.items(), drawn, strict=False):
        areas = f"AUC {short_number(model.auc.value)}, AP {short_number(model.average_precision.value)}"
        look = {"color": own.get_color(), "linestyle": own.get_linestyle(), "linewidth": own.get_linewidth()}
        handles.append(line([], [], label=f"{wrap(name, MOST_LETTERS)}\n{areas}", **look))
    classes = axes.flat[2].get_legend_handles_labels()[0][:2]
    handles += [
        *classes,
        line([], [], color=GRAY, linewidth=1, linestyle="--", label="chance; calibrated;\nno model; threshold"),
        line([], [], color=GRAY, marker="o", linestyle="none", label="equal costs"),
    ]
    if any(each.get_gid() == "thresher-band" for ax in axes.flat for each in ax.collections):
        handles.append(patch(color=GRAY, alpha=0.3, label="consistency band"))
    figure, look = axes.flat[-1].figure, {"handles": handles, "fontsize": SMALL, "frameon": False}
    legend = axes.flat[-1].legend(loc="center", **look)
    if size_of(legend)[1] > figure.get_figheight() / len(axes):
        legend.remove()
        legend = figure.legend(loc="outside lower center", ncols=axes.shape[1], **look)
        figure.set_figheight(figure.get_figheight() + size_of(legend)[1])


MOST = 400
"""Rows of a class up to which the grid is drawn: more are narrower than a dot of the screen."""


@drawer
def plot_pair_grid(table: ScoreTable, ax: Any = None, **style: Any) -> Any:
    """Draw the grid of positives (upwards) and negatives (to the right) by falling score; return the axes.

    A cell is a pair: concordant if the positive has the higher score, tied, or discordant. The share of concordant
    cells, ties counted half, is the AUC.

    Raises:
        InputError: a class is empty, or has more than 400 rows, or weights.
        MissingDependencyError: matplotlib is not installed.
    """
    grid = pair_grid(table)
    ax = new_axes((5.6, 4.8)) if ax is None else ax
    ends = (0.5, grid.shape[1] + 0.5, 0.5, grid.shape[0] + 0.5)
    named = {2: "concordant", 1: "tied", 0: "discordant"}
    names = {code: f"{name} ({int((grid == code).sum()):,})" for code, name in named.items()}
    look = {"extent": ends, "origin": "lower", "alpha": 0.75, "aspect": "equal"}
    image, handles = draw_codes(ax, grid, (color_of(1), "#DDDDDD", color_of(0)), names, style, **look)
    image.set_gid("thresher-pairs")
    x, y = (np.append(0, np.cumsum(counts)) + 0.5 for counts in (table.negative, table.positive))
    ax.plot(x, y, color="black", linewidth=1.4, gid="thresher-curve")
    ax.set(xlabel="Negatives by falling score", ylabel="Positives by falling score")
    return place_legend(ax, "upper left", handles=handles, bbox_to_anchor=(1.0, 1.0))


def pair_grid(table: ScoreTable) -> Any:
    """Return a (P, N) array by falling scores: 2 for concordant pairs, 1 for ties, 0 for discordant pairs."""
    both = table.positive, table.negative
    if any(counts.dtype.kind == "f" or not 0 < counts.sum() <= MOST for counts in both):
        raise InputError(f"a grid of pairs takes 1 to {MOST} rows of each class, without weights.")
    rank = np.arange(len(table.scores))
    ups, downs = (np.repeat(rank, counts) for counts in both)
    return 1 + np.sign(downs[None, :] - ups[:, None])


POINTS = 401


@drawer
def plot_map(found: Any, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw a map of one score with the line of no change, on the axes of a reliability diagram or alone."""
    x, y = found.points
    is_alone = ax is None or not ax.has_data()
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if is_alone and found.method != "platt" and x[0] >= 0 and x[-1] <= 1:
        ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="unchanged", gid="thresher-reference")
    options = {"color": color_of(2), "linewidth": 1.8, "label": label or f"{found.method} map", "gid": "thresher-map"}
    ax.plot(x, y, **{**options, **style})
    if is_alone:
        ax.set(xlabel="Score", ylabel="Probability", ylim=(-0.01, 1.01))
    return place_legend(ax)


@drawer
def plot_class_maps(found: ClasswiseMap, ax: Any = None, **style: Any) -> Any:
    """Draw the map of each class against the rest, before rows are divided by their sums; return the axes."""
    names = found.labels or [f"class {place}" for place in range(len(found.maps))]
    for place, (name, each) in enumerate(zip(names, found.maps, strict=True)):
        look = line_look(place)
        ax = plot_map(each, ax, label=name, **look, **style)
    return ax


@drawer
def plot_recalibration(found: CoxCalibration, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the share of positives that the intercept and slope of a score amount to, against it; return the axes."""
    if np.isnan(found.slope):
        raise InputError(
            f"intercept and slope are undefined and cannot be drawn: {found.slope_reason or found.reason}."
        )
    x = np.linspace(0.0, 1.0, POINTS)[1:-1]
    y = 1 / (1 + np.exp(-(found.intercept + found.slope * np.log(x / (1 - x)))))
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if not ax.has_data():
        ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated", gid="thresher-reference")
    words = f"intercept {found.intercept:.3g}, slope {found.slope:.3g}"
    ax.plot(x, y, **{"color": color_of(2), "linewidth": 1.8, "label": label or words, "gid": "thresher-map", **style})
    dress_calibration(ax)
    return place_legend(ax)


LARGEST = 90.0
"""Area of the dot of a group that has all the weight, in points²; every dot has a tenth of it at least."""


@drawer
def plot_reliability(found: Reliability, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the share of positives of each group at its mean score, with Wilson's interval; return the axes.

    The level line of a group runs from its least to its greatest score, and its dot is as large as its weight.
    """
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated", gid="thresher-reference")
    limits = wilson_interval(found.share * found.rows, found.rows)
    look = {"color": color_of(0), "linewidth": 1.6, **style}
    color = look["color"]
    ax.vlines(found.score, limits.low, limits.high, color=color, alpha=0.5, linewidth=1.2, gid="thresher-interval")
    ax.hlines(found.share, found.low, found.high, **{**look, "gid": "thresher-group"})
    sizes = LARGEST * (0.1 + 0.9 * found.weight / (found.weight.sum() or 1.0))
    name = label or f"{found.method.replace('_', ' ')}, {len(found)} groups, {100 * limits.level:g} % intervals"
    ax.scatter(found.score, found.share, s=np.asarray(sizes), color=color, label=name, gid="thresher-point", zorder=3)
    dress_calibration(ax)
    return place_legend(ax)
