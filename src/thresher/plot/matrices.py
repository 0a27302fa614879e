"""A confusion matrix as a table of shades or a point in ROC space, and its rule at other prevalences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import divide, option
from thresher.errors import InputError, OptionError, TaskError
from thresher.measures import find
from thresher.measures.measure_text import title_of
from thresher.measures.shown import MOVED
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, draw_shades, drawer, line_look, new_axes, unit_axes
from thresher.report.numbers import recognized

if TYPE_CHECKING:
    from thresher.counts import Cells, ConfusionMatrix
    from thresher.decisions.operating import OperatingPoint
    from thresher.measures.baselines import Baselines

LANDMARKS = (
    ("ideal", 0.0, 1.0), ("all positive", 1.0, 1.0), ("all negative", 0.0, 0.0), ("all wrong", 1.0, 0.0),
    ("random", 0.25, 0.25), ("random", 0.75, 0.75),
)  # fmt: skip
"""Rules that everyone should know, with their FPR and TPR."""

CORNERS = (("conservative", 0.3, 0.07), ("liberal", 0.8, 0.93))
"""Positions of rules that call few, or most, rows positive."""

MOST_NUMBERS = 20
"""Classes up to which every cell shows its count."""

PALEST = 0.18
"""Shade of a cell with a single error of many rows, which white would hide."""


@drawer
def plot_matrix(
    matrix: ConfusionMatrix,
    ax: Any = None,
    *,
    space: str = "table",
    landmarks: bool = False,
    **style: Any,
) -> Any:
    """Draw a confusion matrix and return the axes.

    Args:
        matrix: the matrix to draw; a batch is refused.
        ax: axes to draw on; new ones if none are given.
        space: "table" shades each cell by its share of the true class, with the count in it and the share recognized of
            each class at the right; "roc" marks the rule as a point (FPR, TPR); "prevalence" draws its precision,
            accuracy, F1 and negative predictive value (`measures=`) where positives are rarer or more frequent;
            "people" shows 1,000 people (`people=`) as dots.
        landmarks: whether to name points of ROC space beside it: the ideal rule, the rules that call all rows
            positive or negative, the one that is always wrong, and random ones on the diagonal.
        style: further options of matplotlib's `imshow` for the table, such as `cmap="Greens"`, else of its `plot`,
            such as `label=` and `color=` of the point.

    Raises:
        InputError: the matrix is a batch.
        OptionError: `space` has another value, or an option belongs to another one.
        TaskError: the matrix has more than two classes, and a point was asked for.
    """
    option("space", space, ("table", "roc", "prevalence", "people"))
    if matrix.counts.ndim > 2:
        raise InputError("a picture is of one matrix, and this is a batch of matrices.")
    if landmarks and space != "roc":
        raise OptionError(f"landmarks=True belongs to space='roc', not to space={space!r}.")
    if space in ("prevalence", "people"):
        return (plot_prevalences if space == "prevalence" else plot_people)(matrix, ax, **style)
    if space == "roc":
        ax = _point(matrix, ax, **style)
        return _name_landmarks(ax) if landmarks else ax
    return _table(matrix, ax, style)


def _table(matrix: ConfusionMatrix, ax: Any, style: dict[str, Any]) -> Any:
    """Draw each cell shaded by its share of the true class, with its count, and return the axes."""
    counts, k = matrix.scaled, len(matrix.labels)
    shares = divide(counts, counts.sum(axis=1, keepdims=True))
    ax = new_axes((2.2 + 0.7 * min(k, 12), 1.4 + 0.6 * min(k, 12))) if ax is None else ax
    shades = np.where(counts > 0, PALEST + (1 - PALEST) * shares, 0 * shares)
    draw_shades(ax, np.ma.masked_invalid(shades), {"cmap": "Blues", "vmin": 0, "vmax": 1, "aspect": "auto"}, style)
    for i, j in np.ndindex(k, k) if k <= MOST_NUMBERS else ():
        tone = "white" if shades[i, j] > 0.6 else "black" if counts[i, j] else GRAY
        ax.text(j, i, f"{counts[i, j]:,.10g}", ha="center", va="center", color=tone, gid="thresher-count")
    for i in range(k):
        text = "–" if math.isnan(shares[i, i]) else recognized(float(shares[i, i]))
        ax.text(k - 0.4, i, text, ha="left", va="center", color=GRAY, gid="thresher-recognized", fontsize="small")
    names = [str(name) for name in matrix.labels]
    ax.set_xticks(range(k), names, rotation=0 if k < 5 or max(map(len, names)) < 3 else 90)
    ax.set_yticks(range(k), names)
    ax.set(xlabel="Predicted", ylabel="Truth")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _point(
    matrix: ConfusionMatrix, ax: Any, *, label: str | None = None, color: str | None = None, **style: Any
) -> Any:
    cells = matrix.cells
    x, y = float(divide(cells.fp, cells.fp + cells.tn)), float(divide(cells.tp, cells.tp + cells.fn))
    is_alone = ax is None or not ax.has_data()
    ax = unit_axes(ax)
    if is_alone:
        chance = {"color": GRAY, "linewidth": 1, "linestyle": "--", "label": "chance"}
        ax.plot([0, 1], [0, 1], gid="thresher-reference chance", **chance)
    drawn = sum(1 for line in ax.lines if line.get_gid() == "thresher-point")
    options = {"marker": "o", "linestyle": "none", "color": color or color_of(drawn), **style}
    ax.plot([x], [y], label=label or f"FPR {x:.3g}, TPR {y:.3g}", gid="thresher-point", clip_on=False, **options)
    return place_legend(ax)


@drawer
def plot_operating_point(found: OperatingPoint, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Mark a chosen threshold in ROC space, and return the axes; options as of `plot_matrix`."""
    words = f"threshold {found.threshold:.4g}: FPR {found.fpr:.3g}, TPR {found.tpr:.3g}"
    return plot_matrix(found.matrix, ax, space="roc", label=label or words, **style)


@drawer
def plot_baselines(found: Baselines, ax: Any = None, **style: Any) -> Any:
    """Mark the rules that look at nothing in ROC space, all of them on the diagonal; return the axes.

    The title has the no-information rate, the accuracy of always predicting the most frequent class.
    """
    if not found.points:
        raise InputError("rules that look at nothing are points in ROC space of two classes only.")
    ax = unit_axes(ax)
    ax.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference chance")
    for place, (name, (fpr, tpr)) in enumerate(found.points.items()):
        look = {"color": color_of(place), "marker": "o", "linestyle": "none", "label": name, "clip_on": False, **style}
        ax.plot([fpr], [tpr], gid="thresher-point", **look)
    text = f"no-information rate {found.no_information_rate:.3g}: always {found.most_frequent!r}"
    ax.set_title(text, fontsize="small")
    return place_legend(ax)


def _name_landmarks(ax: Any) -> Any:
    """Mark and name rules that everyone should know, and say which corner is which."""
    for name, x, y in LANDMARKS:
        ax.plot([x], [y], color=GRAY, marker="o", fillstyle="none", linestyle="none", gid="thresher-landmark",
                clip_on=False)  # fmt: skip
        shift, side = ((8, 4) if x < 0.5 else (-8, 4)), ("left" if x < 0.5 else "right")
        where = {"ha": side, "va": "bottom" if y < 0.5 else "top", "textcoords": "offset points"}
        if name == "random":
            shift, where["va"] = (8, -4), "top"
            where["ha"] = "left"
        ax.annotate(name, (x, y), shift, fontsize="small", color=GRAY, gid="thresher-landmark-name", **where)
    for name, x, y in CORNERS:
        ax.text(x, y, name, fontsize="small", color=GRAY, style="italic", ha="center", va="center")
    return place_legend(ax)


GRID = 201
PEOPLE, WIDE = 1000, 40
CELLS = {"tp": "true positives", "fn": "false negatives", "fp": "false positives", "tn": "true negatives"}


@drawer
def plot_prevalences(matrix: ConfusionMatrix, ax: Any = None, *, measures: Sequence[str] = MOVED, **style: Any) -> Any:
    """Draw measures of a rule against the share of positives, its two rates staying as they are; return the axes.

    The prevalence of the rows is marked.
    """
    cells = _two_classes(matrix)
    ax = new_axes((6.4, 4.0)) if ax is None else ax
    shares = np.linspace(0.0, 1.0, GRID)[1:-1]
    moved = [cells.at_prevalence(float(share)) for share in shares]
    for place, name in enumerate(measures):
        entry = find(name)
        values = [float(entry(each)) for each in moved]
        options = line_look(place) | {"linewidth": 1.8}
        ax.plot(shares, values, label=title_of(name), gid="thresher-curve", **{**options, **style})
    own = float((cells.tp + cells.fn) / cells.n)
    ax.axvline(own, color=GRAY, linewidth=1, linestyle="--", label=f"prevalence of the rows, {own:.3g}")
    ax.set(xlabel="Prevalence", ylabel="Value", xlim=(0, 1), ylim=(-0.01, 1.01))
    return place_legend(ax)


@drawer
def plot_people(matrix: ConfusionMatrix, ax: Any = None, *, people: int = PEOPLE, **style: Any) -> Any:
    """Draw a number of people as dots, the four cells in whole numbers that add up; return the axes."""
    counts = whole_people(_two_classes(matrix), people)
    ax = new_axes((6.4, 0.8 + 6.0 * people / WIDE**2)) if ax is None else ax
    first = 0
    for place, (name, words) in enumerate(CELLS.items()):
        y, x = np.divmod(np.arange(first, first + counts[name]), WIDE)
        color = (color_of(0), color_of(1), color_of(4), "#C8C8C8")[place]
        options = {"color": color, "marker": "o", "linestyle": "none", "markersize": 4, "gid": "thresher-people"}
        ax.plot(x, -y, label=f"{words} ({counts[name]:,})", **{**options, **style})
        first += counts[name]
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return place_legend(ax, "upper center", bbox_to_anchor=(0.5, -0.02), ncols=2)


def whole_people(cells: Cells, people: int) -> dict[str, int]:
    """Return the people in each cell, rounded by largest remainders so that they add up."""
    shares = np.array([float(getattr(cells, name)) for name in CELLS]) / float(cells.n) * people
    counts = np.floor(shares).astype(int)
    for place in np.argsort(counts - shares, kind="stable")[: people - counts.sum()]:
        counts[place] += 1
    return dict(zip(CELLS, counts.tolist(), strict=True))


def _two_classes(matrix: ConfusionMatrix) -> Cells:
    cells = matrix.cells
    if not float(cells.tp + cells.fn) or not float(cells.fp + cells.tn):
        raise TaskError("one class is empty, so its rate at another prevalence is unknown.")
    return cells
