"""The line that is drawn through the points of a curve, so that the picture agrees with the numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.curves.curve import Curve
from thresher.curves.roc import deviates

Floats = NDArray[np.float64]

MOST_POINTS = 2000
"""More points than a plot of this size can show."""

GRID = 400
"""Steps in which a bent line is drawn over the full width."""


class Path(NamedTuple):
    """Abscissas, ordinates, and matplotlib's name for how they are joined."""

    x: Floats
    y: Floats
    drawstyle: str = "default"


def shown(curve: Curve) -> Curve:
    """Return the curve with all points, or with 2,000 along the line and the vertices of the hull."""
    return curve if len(curve) <= 2 * MOST_POINTS else replace(curve, area_name=None).thin(MOST_POINTS, keep_hull=True)


def path(curve: Curve, line: str | None = None) -> Path:
    """Return the line through the points of a curve, or of one of its series, by its interpolation."""
    curve = shown(curve)
    y = curve.y if line is None else curve.series[line]
    if curve.axes == "normal deviate":
        return Path(deviates(_inside(curve.x)), deviates(_inside(y)))
    if curve.interpolation == "threshold":
        return _by_threshold(curve.x, y)
    if curve.interpolation in ("davis-goadrich", "linear in x·y"):
        return _bent(curve)
    if curve.interpolation in ("step", "trapezoid"):
        x, y = curve.x[curve.x > 0], y[curve.x > 0]
        drawstyle = "steps-pre" if curve.interpolation == "step" else "default"
        return Path(np.append(0.0, x), np.append(y[:1], y), drawstyle)
    return Path(curve.x, y)


def _bent(curve: Curve) -> Path:
    """Return the points from x = 0 on, with interpolated values between them."""
    if not len(curve) or np.isnan(curve.x).any():
        return Path(curve.x, curve.y)
    grid = np.linspace(0.0, curve.x[-1], GRID + 1)
    places = np.searchsorted(curve.x, grid)
    x, y = np.insert(curve.x, places, grid), np.insert(curve.y, places, curve.at(grid))
    # Points at recall 0 without true positives lie on the axis, below where the line begins.
    start = int(np.argmax(x > 0)) if (x > 0).any() else 0
    return Path(np.append(0.0, x[start:]), np.append(curve.at(0.0), y[start:]))


def _by_threshold(thresholds: Floats, y: Floats) -> Path:
    """Return steps over the finite, rising thresholds; the sentinel's value goes on beyond the last score."""
    falls = bool(thresholds.size) and thresholds[0] > 0
    finite = np.flatnonzero(np.isfinite(thresholds))
    if not finite.size:
        return Path(thresholds[:0], y[:0])
    x, values = thresholds[finite], y[finite]
    margin = 0.05 * float(np.ptp(x)) or 0.5
    beyond = x[0] + (margin if falls else -margin)
    x, values = np.append(beyond, x), np.append(y[0], values)
    if falls:
        return Path(x[::-1], values[::-1], "steps-pre")
    return Path(x, values, "steps-post")


def _inside(rates: Floats) -> Floats:
    """Return rates with 0 and 1, infinite as deviates, replaced by half the distance to the nearest other rate."""
    known = rates[(rates > 0) & (rates < 1)]
    low = float(known.min()) / 2 if known.size else 0.01
    high = 1 - (1 - float(known.max())) / 2 if known.size else 0.99
    return np.clip(rates, low, high)
