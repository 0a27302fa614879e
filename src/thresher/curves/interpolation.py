"""Interpolations of a curve between its points, by name, for `curve.at` and `curve.area`.

Between two neighboring thresholds some of the equal scores can be taken and the others left. TP and FP then grow
along a straight line, which is straight in ROC space, bent in precision–recall space, and neither rule may be used
for the other curve.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.registration import later

Floats = NDArray[np.float64]
Interpolation = Literal["linear", "davis-goadrich", "trapezoid", "step", "linear in x·y", "threshold", "points"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One interpolation: in words, the value at given abscissas, and the area under the whole curve or a part of it.

    None in place of a function says that there is no such value.
    """

    text: str
    at: Callable[[Floats, Floats, Floats], Floats] | None
    area: Callable[[Floats, Floats], float] | None
    partial: Callable[[Floats, Floats, float, float], float] | None = None


def _linear_at(x: Floats, y: Floats, values: Floats) -> Floats:
    """Interpolate linearly between neighbors; of equal abscissas the last point counts."""
    right = np.minimum(np.searchsorted(x, values, side="right"), x.size - 1)
    left = np.maximum(right - 1, 0)
    return _between(x, y, values, left, right)


def _between(x: Floats, y: Floats, values: Floats, left: NDArray[np.intp], right: NDArray[np.intp]) -> Floats:
    """Return the straight line from point `left` to point `right`, clamped to them."""
    width = x[right] - x[left]
    share = np.divide(values - x[left], width, out=np.ones_like(values), where=width > 0)
    return np.asarray(y[left] + np.clip(share, 0, 1) * (y[right] - y[left]))


def _linear_area(x: Floats, y: Floats) -> float:
    return float(np.trapezoid(y, x))


def _first_reaching(x: Floats, values: Floats) -> NDArray[np.intp]:
    """Return the first point with x ≥ each value; of equal abscissas the first has the fewest false positives."""
    return np.minimum(np.searchsorted(x, values, side="left"), x.size - 1)


def _from_first_positive(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the points with recall above 0; before them precision is constant, so recall 0 plays no part."""
    return x[x > 0], y[x > 0]


def _false_positives(x: Floats, y: Floats) -> Floats:
    """Return FP as a multiple of P, from recall and precision."""
    return np.asarray(x * (1 - y) / y)


def _straight(x: Floats, y: Floats, values: Floats) -> Floats:
    """Return the straight line between the neighboring points at values of x, constant before the first."""
    right = _first_reaching(x, values)
    return _between(x, y, values, np.maximum(right - 1, 0), right)


def _at_points(x: Floats, y: Floats, values: Floats, inside: Floats) -> Floats:
    """Return y itself where a value is the x of a point or before the first one, else the value inside."""
    right = _first_reaching(x, values)
    return np.where((right == 0) | (x[right] == values), y[right], inside)


def _davis_goadrich_at(x: Floats, y: Floats, values: Floats) -> Floats:
    """Return the precision at a recall: TP/(TP + FP) with FP on the straight line between the neighboring points."""
    x, y = _from_first_positive(x, y)
    fp = _straight(x, _false_positives(x, y), values)
    return _at_points(x, y, values, np.divide(values, values + fp, out=np.ones_like(values), where=values > 0))


def _davis_goadrich_area(x: Floats, y: Floats) -> float:
    x, y = _from_first_positive(x, y)
    rise, growth = (np.diff(c, prepend=0.0) for c in (x, _false_positives(x, y)))
    # Neither falls; a difference below 0 is a rounding error of the two quotients.
    return kernel.pr_areas(np.maximum(rise, 0.0), np.maximum(growth, 0.0)).davis_goadrich


def _trapezoid_at(x: Floats, y: Floats, values: Floats) -> Floats:
    x, y = _from_first_positive(x, y)
    return _at_points(x, y, values, _straight(x, y, values))


def _trapezoid_area(x: Floats, y: Floats) -> float:
    x, y = _from_first_positive(x, y)
    return float(x[0] * y[0] + np.trapezoid(y, x))


def _step_at(x: Floats, y: Floats, values: Floats) -> Floats:
    x, y = _from_first_positive(x, y)
    return y[_first_reaching(x, values)]


def _step_area(x: Floats, y: Floats) -> float:
    x, y = _from_first_positive(x, y)
    return float(np.sum(np.diff(x, prepend=0.0) * y))


def _product_at(x: Floats, y: Floats, values: Floats) -> Floats:
    """Read a ratio with a numerator linear in x, such as the lift over the share of rows taken."""
    product = _straight(x, x * y, values)
    return _at_points(x, y, values, np.divide(product, values, out=np.zeros_like(values), where=values > 0))


def _threshold_at(x: Floats, y: Floats, values: Floats) -> Floats:
    """Read the decisions at a threshold: the last point with a threshold not below it."""
    if x[0] > 0:
        row = len(x) - 1 - np.searchsorted(x[:0:-1], values, side="left")
    else:
        row = np.searchsorted(x[1:], values, side="right")
    return y[np.where(values == x[0], 0, row)]


PRECISION = later("thresher.curves.partial_precision:partial_precision")

RULES: dict[Interpolation, Rule] = {
    "linear": Rule(text="straight lines between the points", at=_linear_at, area=_linear_area,
                   partial=later("thresher.curves.partial:integral")),
    "davis-goadrich": Rule(
        text="FP linear in TP between the points, constant before the first (Davis & Goadrich 2006)",
        at=_davis_goadrich_at, area=_davis_goadrich_area,
        partial=partial(PRECISION, interpolation="davis-goadrich"),
    ),
    "trapezoid": Rule(
        text="straight lines between the points, constant before the first", at=_trapezoid_at, area=_trapezoid_area,
        partial=partial(PRECISION, interpolation="trapezoid"),
    ),
    "step": Rule(
        text="the first point with at least that x", at=_step_at, area=_step_area,
        partial=partial(PRECISION, interpolation="step"),
    ),
    "linear in x·y": Rule(text="x·y straight between the points", at=_product_at, area=None),
    "threshold": Rule(text="constant down to the next observed score", at=_threshold_at, area=None),
    "points": Rule(text="none: only the points", at=None, area=None),
}  # fmt: skip
"""Interpolations by name."""
