"""A partial area as a region of its curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.curves.precision_recall import precision_recall_curve
from thresher.curves.roc import roc_curve
from thresher.errors import InputError
from thresher.plot.curves import plot_curve
from thresher.plot.looks import drawer
from thresher.plot.numbers import short, shown

if TYPE_CHECKING:
    from thresher.inference.curves.partial_areas import PartialAreaEstimate


@drawer
def plot_part(found: PartialAreaEstimate, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the curve with the part shaded whose area was taken, and return the axes.

    Raises:
        InputError: the area does not know its table.
        MissingDependencyError: matplotlib is not installed.
    """
    if found.table is None:
        raise InputError("this partial area does not know its table: take it by partial_area().")
    curve = (precision_recall_curve if found.part.is_precision else roc_curve)(found.table)
    named = label or f"area {shown(found.raw)} of {short(found.most)}"
    return plot_curve(curve, ax, label=named, region=str(found.part), **style)
