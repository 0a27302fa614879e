"""Lines of a curve: interpolated between its points by name, for `at` and `area`, and thinned to the points to draw.

Between two neighboring thresholds some of the equal scores can be taken and the others left. TP and FP then grow
along a straight line, which is straight in ROC space, bent in precision–recall space, and neither rule may be used
for the other curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.registration import later

Rows = NDArray[np.int64]

PART = 1 << 16
"""Steps that are measured at once."""

BLOCK = 64
"""Steps that are known by their sum, and read only where a row is needed; PART is a multiple."""

ROUNDING = 1e-14
"""Height over an edge that may be rounding, in shares of the box."""


def spread_rows(lines: Sequence[Floats], n: int) -> Rows:
    """Return at most n rows equally far apart along lines of extent 1; the ends are kept.

    How far a row is along is the sum over the lines of the lengths of their steps up to it; the step from a sentinel,
    an infinite threshold, is without one.
    """
    last = len(lines[0]) - 1
    first = int(any(math.isinf(line[0]) for line in lines))
    inner = [line[first:] for line in lines]
    rows = first + (_bisected(inner, n) if all(map(_is_monotone, inner)) else _counted(inner, n))
    return np.unique(np.concatenate([[0], rows[1:-1], [last]]))


def hull_rows(x: Floats, y: Floats, rows: Rows) -> Rows:
    """Find the vertices of the upper hull of points that rise in both directions, from some of them.

    The hull of the known points is refined: the farthest point above each of its edges joins it, until there is
    none. An edge is looked at once, so that n points take a few passes.
    """
    found, done = rows, set[tuple[int, int]]()
    while True:
        found = found[upper_places(x[found].tolist(), y[found].tolist())]
        edges = [edge for edge in zip(found[:-1].tolist(), found[1:].tolist(), strict=True) if edge not in done]
        beyond = [row for edge in edges if (row := _farthest(x, y, *edge)) is not None]
        if not beyond:
            return found
        done.update(edges)
        found = np.union1d(found, beyond)


def _farthest(x: Floats, y: Floats, first: int, last: int) -> int | None:
    """Find the row between two that is highest above the line that joins them, if one is."""
    if last - first < 2:
        return None
    run, rise = x[last] - x[first], y[last] - y[first]
    height = (y[first : last + 1] - y[first]) * run - (x[first : last + 1] - x[first]) * rise
    place = int(height.argmax())
    return first + place if height[place] > ROUNDING * (x[-1] - x[0]) * (y[-1] - y[0]) else None


def upper_places(xs: Sequence[Any], ys: Sequence[Any]) -> list[int]:
    """Return the places of the upper hull of points that rise in both directions (Andrew's monotone chain)."""
    kept: list[int] = []
    for i in range(len(xs)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) < (ys[b] - ys[a]) * (xs[i] - xs[a]):
                break
            kept.pop()
        kept.append(i)
    return kept


def _is_monotone(line: Floats) -> bool:
    """Return whether a line of numbers never falls, or never rises; its ends are numbers, hence all points are."""
    if not np.isfinite(line[[0, -1]]).all():
        return False
    above, below = (slice(1, None), slice(None, -1)) if line[-1] >= line[0] else (slice(None, -1), slice(1, None))
    parts = (line[start : start + PART + 1] for start in range(0, len(line) - 1, PART))
    return all(bool((part[above] >= part[below]).all()) for part in parts)


def _bisected(lines: Sequence[Floats], n: int) -> Rows:
    """Find the first rows n equal steps apart on monotone lines, by bisection: few points are read."""
    scaled = [(line, float(line[0]), float(line[-1] - line[0]) or 1.0) for line in lines]

    def along(rows: Rows) -> Floats:
        return np.asarray(sum((line[rows] - start) / extent for line, start, extent in scaled))

    low, high = np.zeros(n, dtype=np.int64), np.full(n, len(lines[0]) - 1)
    steps = np.linspace(0.0, float(along(high[:1])[0]), n)
    while (low < high).any():
        middle = (low + high) // 2
        is_short = along(middle) < steps
        low, high = np.where(is_short, middle + 1, low), np.where(is_short, high, middle)
    return low


def _counted(lines: Sequence[Floats], n: int) -> Rows:
    """Find the same rows on lines that rise and fall: measure blocks of steps, then look into the needed ones."""
    last = len(lines[0]) - 1
    scaled = [(line, _extent(line)) for line in lines]
    ends = np.cumsum(np.concatenate([[0.0], sum(_block_sums(*each) for each in scaled)]))
    wanted = np.linspace(0.0, float(ends[-1]), n)
    block = np.clip(np.searchsorted(ends, wanted, side="left") - 1, 0, len(ends) - 2)
    places = np.minimum(BLOCK * block[:, None] + np.arange(BLOCK + 1), last)
    steps = sum(_lengths(line[places]) / extent for line, extent in scaled)
    along = ends[block][:, None] + np.cumsum(steps, axis=1)
    rows: Rows = np.minimum(BLOCK * block + 1 + (along < wanted[:, None]).sum(axis=1), last)
    return rows


def _block_sums(line: Floats, extent: float) -> Floats:
    """Measure a line within each block of steps: from end to end where it never turns, else part by part."""
    last = len(line) - 1
    if _is_monotone(line):
        return np.abs(np.diff(line[np.minimum(np.arange(0, last + BLOCK, BLOCK), last)])) / extent
    parts = (_lengths(line[start : start + PART + 1]) for start in range(0, last, PART))
    return np.concatenate([np.add.reduceat(steps, np.arange(0, len(steps), BLOCK)) for steps in parts]) / extent


def _lengths(line: Floats) -> Floats:
    """Return the length of each step along the last axis; 0 to or from a missing number."""
    with np.errstate(invalid="ignore"):
        steps: Floats = np.abs(np.diff(line, axis=-1))
    if not math.isfinite(float(steps.sum())):
        steps[~np.isfinite(steps)] = 0.0
    return steps


def _extent(line: Floats) -> float:
    """Return the range of the numbers of a line; 1 where all are missing or alike."""
    range_ = float(line.max()) - float(line.min())
    if not math.isfinite(range_):
        finite = line[np.isfinite(line)]
        range_ = float(np.ptp(finite)) if finite.size else 0.0
    return range_ or 1.0


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


def _first_reaching(x: Floats, values: Floats) -> NDArray[np.intp]:
    """Return the first point with x ≥ each value; of equal abscissas the first has the fewest false positives."""
    return np.minimum(np.searchsorted(x, values, side="left"), x.size - 1)


def _from_first_positive(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Read the points with recall above 0; before them precision is constant, so recall 0 plays no part."""
    return lambda x, y, *values: rule(x[x > 0], y[x > 0], *values)


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


@_from_first_positive
def _davis_goadrich_at(x: Floats, y: Floats, values: Floats) -> Floats:
    """Return the precision at a recall: TP/(TP + FP) with FP on the straight line between the neighboring points."""
    fp = _straight(x, _false_positives(x, y), values)
    return _at_points(x, y, values, np.divide(values, values + fp, out=np.ones_like(values), where=values > 0))


@_from_first_positive
def _davis_goadrich_area(x: Floats, y: Floats) -> float:
    rise, growth = (np.diff(c, prepend=0.0) for c in (x, _false_positives(x, y)))
    # Neither falls; a difference below 0 is a rounding error of the two quotients.
    return kernel.pr_areas(np.maximum(rise, 0.0), np.maximum(growth, 0.0)).davis_goadrich


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


PRECISION = later("thresher.curves.partial_areas:partial_precision")

RULES: dict[Interpolation, Rule] = {
    "linear": Rule(
        text="straight lines between the points", at=_linear_at, area=lambda x, y: float(np.trapezoid(y, x)),
        partial=later("thresher.curves.partial_areas:integral"),
    ),
    "davis-goadrich": Rule(
        text="FP linear in TP between the points, constant before the first (Davis & Goadrich 2006)",
        at=_davis_goadrich_at, area=_davis_goadrich_area,
        partial=partial(PRECISION, interpolation="davis-goadrich"),
    ),
    "trapezoid": Rule(
        text="straight lines between the points, constant before the first",
        at=_from_first_positive(lambda x, y, values: _at_points(x, y, values, _straight(x, y, values))),
        area=_from_first_positive(lambda x, y: float(x[0] * y[0] + np.trapezoid(y, x))),
        partial=partial(PRECISION, interpolation="trapezoid"),
    ),
    "step": Rule(
        text="the first point with at least that x",
        at=_from_first_positive(lambda x, y, values: y[_first_reaching(x, values)]),
        area=_from_first_positive(lambda x, y: float(np.sum(np.diff(x, prepend=0.0) * y))),
        partial=partial(PRECISION, interpolation="step"),
    ),
    "linear in x·y": Rule(text="x·y straight between the points", at=_product_at, area=None),
    "threshold": Rule(text="constant down to the next observed score", at=_threshold_at, area=None),
    "points": Rule(text="none: only the points", at=None, area=None),
}  # fmt: skip
"""Interpolations by name."""
