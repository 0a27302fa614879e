"""Bands and parts of curves, and the binormal model of a ROC, drawn on the curve's axes or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.curves.precision_recall import precision_recall_curve
from thresher.curves.roc import roc_curve
from thresher.errors import InputError
from thresher.plot.curves import plot_curve
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, short_number, shown_estimate, unit_axes

if TYPE_CHECKING:
    from thresher.inference.curves.band import Band
    from thresher.inference.curves.binormal import BinormalRoc
    from thresher.inference.curves.partial_areas import PartialAreaEstimate

AXES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "precision_recall": ("recall", "precision"),
    "cumulative_gain": ("predicted_prevalence", "true_positive_rate"),
}
"""Names of the axes of a band by its curve."""


@drawer
def plot_band(
    band: Band, ax: Any = None, *, color: str | None = None, label: str | None = None, legend: bool = True, **style: Any
) -> Any:
    """Shade a band, and return the axes; on new ones the curve's values are drawn with it.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    color = color or color_of(0)
    is_alone = ax is None or not ax.has_data()
    ax = unit_axes(ax, *AXES.get(band.name, ("x", band.name)))
    if is_alone:
        ax.plot(band.x, band.y, color=color, linewidth=1.8, gid="thresher-curve")
    kind = "simultaneous" if band.is_simultaneous else "pointwise"
    text = f"{100 * band.level:g}% {kind} band" if label is None else label
    options = {"alpha": 0.15, "linewidth": 0, "label": text, "gid": "thresher-band", "color": color, **style}
    ax.fill_between(band.x, band.low, band.high, **options)
    return place_legend(ax) if legend else ax


@drawer
def plot_binormal(
    model: BinormalRoc, ax: Any = None, *, color: str | None = None, label: str | None = None, **style: Any
) -> Any:
    """Draw the smooth ROC of a binormal model, on a ROC that is drawn already or alone, and return the axes."""
    ax = unit_axes(ax)
    x = np.linspace(0.0, 1.0, 401)
    text = f"binormal model (area {shown_estimate(model.area)})" if label is None else label
    options = {
        "linestyle": "-.",
        "linewidth": 1.4,
        "color": color or GRAY,
        "label": text,
        "gid": "thresher-model",
        **style,
    }
    ax.plot(x, model.tpr(x), **options)
    return place_legend(ax)


@drawer
def plot_part(found: PartialAreaEstimate, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the curve with the part shaded whose area was taken, and return the axes.

    Raises:
        InputError: the area does not know its table.
    """
    if found.table is None:
        raise InputError("this partial area does not know its table: take it by partial_area().")
    curve = (precision_recall_curve if found.part.is_precision else roc_curve)(found.table)
    named = label or f"area {shown_estimate(found.raw)} of {short_number(found.most)}"
    return plot_curve(curve, ax, label=named, region=str(found.part), **style)
