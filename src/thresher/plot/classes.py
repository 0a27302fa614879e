"""Pictures of several classes: a curve or small picture for each, every pair, and the surface and triples of three."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import divide, option
from thresher.curves.kinds import CURVES
from thresher.errors import InputError, TaskError
from thresher.plot.bars import OTHER, draw_bars
from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.looks import GRAY, color_of, draw_shades, drawer, new_axes, shown_estimate

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation
    from thresher.inference.auc.delong_rows import AucCovariance
    from thresher.multiclass.hand_till import ConditionalAuc
    from thresher.multiclass.surface import RocSurface, Triples

TOGETHER = 7
"""Classes up to which curves share the same axes, one for each color."""

MOST_NUMBERS = 12
COLUMNS = 4


@drawer
def plot_class_curves(
    views: Mapping[Any, ModelEvaluation], ax: Any = None, *, kind: str = "roc", **options: Any
) -> Any:
    """Draw a curve of each class against the rest; of more than seven classes a small picture for each.

    Returns the axes, or the array of them.

    Raises:
        OptionError: there is no such curve.
    """
    option("kind", kind, tuple(CURVES))
    curves = {str(name): part.curve(kind) for name, part in views.items()}
    if len(curves) <= TOGETHER:
        return plot_curves(curves, ax, **options)
    lines = math.ceil(len(curves) / COLUMNS)
    ax = new_axes((2.4 * COLUMNS, 2.5 * lines), lines, COLUMNS) if ax is None else ax
    for each in np.ravel(ax)[len(curves) :]:
        each.set_axis_off()
    for place, ((name, curve), each) in enumerate(zip(curves.items(), np.ravel(ax), strict=False)):
        plot_curve(curve, each, **{"legend": False, **options})
        area = curve.summary
        each.set_title(name if area is None else f"{name}: {shown_estimate(area)}", fontsize="small")
        each.set_xlabel(each.get_xlabel() if place + COLUMNS >= len(curves) else None, fontsize="x-small")
        each.set_ylabel(each.get_ylabel() if place % COLUMNS == 0 else None, fontsize="x-small")
    return ax


@drawer
def plot_conditional_auc(found: ConditionalAuc, ax: Any = None, *, cmap: str = "viridis", **style: Any) -> Any:
    """Draw AUC(k given l), the score of class k (line) telling k from l (column), as shades; return the axes.

    The matrix is not symmetric: another score is used in each line.
    """
    look = {"cmap": cmap, "vmin": 0.5, "vmax": 1.0}
    ax = _shades(found.matrix, list(map(str, found.labels)), ax, "AUC", look, style)
    ax.set(xlabel="from rows of class", ylabel="Score of class tells its rows")
    return ax


@drawer
def plot_covariance(found: AucCovariance, ax: Any = None, *, cmap: str = "RdBu_r", **style: Any) -> Any:
    """Draw how the AUCs of several models go together, as shades of their correlation; return the axes.

    Raises:
        InputError: they are undefined.
    """
    if found.reason is not None:
        raise InputError(f"the covariance of these areas is undefined and cannot be drawn: {found.reason}.")
    spread = np.sqrt(np.diag(found.covariance))
    correlation = divide(found.covariance, np.outer(spread, spread))
    names = [f"{name} ({auc:.3f})" for name, auc in zip(found.models, found.aucs, strict=True)]
    look = {"cmap": cmap, "vmin": -1.0, "vmax": 1.0}
    return _shades(correlation, names, ax, "Correlation of the AUCs", look, style)


def _shades(matrix: Any, names: list[str], ax: Any, what: str, look: dict[str, Any], style: dict[str, Any]) -> Any:
    """Draw the number of every pair as a shade, with a color bar."""
    k = len(names)
    ax = new_axes((2.4 + 0.55 * min(k, 14), 1.6 + 0.5 * min(k, 14))) if ax is None else ax
    drawn = draw_shades(ax, np.ma.masked_invalid(matrix), {"aspect": "auto", **look}, style)
    for i, j in np.ndindex(k, k) if k <= MOST_NUMBERS else ():
        if not math.isnan(matrix[i, j]):
            shade = drawn.cmap(drawn.norm(matrix[i, j]))
            tone = "white" if np.dot(shade[:3], (0.3, 0.59, 0.11)) < 0.5 else "black"
            ax.text(j, i, f"{matrix[i, j]:.3f}", ha="center", va="center", color=tone, fontsize="small",
                    gid="thresher-auc")  # fmt: skip
    ax.set_xticks(range(k), names, rotation=0 if k < 5 and max(map(len, names)) < 12 else 90)
    ax.set_yticks(range(k), names)
    ax.figure.colorbar(drawn, ax=ax, label=what)
    ax.tick_params(length=0)
    return ax


@drawer
def plot_surface(surface: RocSurface, ax: Any = None, *, levels: Any = 9, **style: Any) -> Any:
    """Draw the ROC surface of three ordered classes as lines of equal share of the middle class; return the axes."""
    ax = new_axes((5.4, 4.8)) if ax is None else ax
    low, middle, high = (str(name) for name in surface.labels)
    lines = np.linspace(0.1, 0.9, levels) if isinstance(levels, int) else levels
    shades = ax.contourf(
        surface.first, surface.last, surface.middle.T, levels=[0, *lines, 1], **{"cmap": "Blues", **style}
    )
    ax.contour(surface.first, surface.last, surface.middle.T, levels=lines, colors=GRAY, linewidths=0.6)
    ax.figure.colorbar(shades, ax=ax, label=f"Share of {middle} between the cuts")
    ax.set(xlabel=f"Share of {low} below the lower cut", ylabel=f"Share of {high} above the upper cut", aspect="equal")
    ax.set_title(f"volume {surface.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    return ax


def several_classes(evaluation: Evaluation) -> dict[str, ModelEvaluation]:
    """Return the models with multiclass probabilities.

    Raises:
        TaskError: there are none.
    """
    found = {name: model for name, model in evaluation.items() if model.task == "multiclass"}
    if not found:
        raise TaskError("this picture needs a model with probabilities of several classes, and there is none.")
    return found


@drawer
def plot_triples(found: Triples, ax: Any = None, **style: Any) -> Any:
    """Draw how many triples have each order of scores, the right one first, and how many tie; return the axes."""
    words = [" < ".join(map(str, order)) for order in found.orders]
    numbers = dict(zip([f"{words[0]} (right)", *words[1:], "tied"], [*found.counts, found.tied], strict=True))
    colors = [color_of(0), *[OTHER] * (len(words) - 1), color_of(4)]
    texts = [f"{count:,} ({count / found.total:.1%})" for count in numbers.values()]
    ax = new_axes((6.4, 3.0)) if ax is None else ax
    ax = draw_bars(ax, numbers, colors, {"gid": "thresher-triples", **style}, texts)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel=f"Triples, of {found.total:,}")
    ax.set_title(f"volume {found.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    return ax
