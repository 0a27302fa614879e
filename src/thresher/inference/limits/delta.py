"""Delta-method intervals for any smooth measure of a confusion matrix, on a scale where its range has no edge.

Proof of the variance: a measure f of the cell weights W_c is unchanged when all of them are multiplied, so
Σ_c W_c·∂f/∂W_c = 0 (Euler). The linear part of f(Ŵ) − f(W) is then Σ_rows w·g_c with g_c = ∂f/∂W_c and mean 0, and
its variance is Σ_c g_c²·Σw² over the rows of cell c. Unweighted rows have Σw² = count, which is the multinomial delta
method. A prior only changes f, so the same formula serves at another prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thresher.conventions import Floats
from thresher.inference.proportions.intervals import normal_quantile

Formula = Callable[[Floats], Floats]
Slopes = Callable[[Floats], tuple[float, Floats]]
"""Value of a measure on K×K counts, and its derivative by each of them (0 or anything finite where a count is 0)."""

STEP = 1e-5
"""Share of a cell that the central difference moves: its error is of order STEP² ≈ 1e-10, far below any interval's."""

NO_WIDTH = 1e-7
"""A smaller standard deviation of one row's part in a measure is the rounding of a zero."""

LARGEST = 700.0
"""Exponent beyond which e to it is taken as infinite: such a limit knows nothing."""

ROWS_ADDED = 2.0
"""Rows that are spread evenly over the cells where the variance vanishes: ½ in each cell of two classes."""


@dataclass(frozen=True, slots=True)
class DeltaInterval:
    """Limits with the standard error (None where it vanishes) and the method that gave them."""

    low: float
    high: float
    standard_error: float | None
    method: str


def delta_interval(
    counts: Floats, squares: Floats, slopes: Slopes, *, bounds: tuple[float, float], level: float
) -> DeltaInterval | None:
    """Interval of a measure on K×K counts, `squares` being Σw² per cell; None where it has no variance at all.

    It is symmetric on the logit scale of the bounds, on the log scale for [0, ∞), and plain and cut to the bounds for
    other ranges, so that it never leaves the range. Where the value is on an edge of its range, or the variance
    vanishes, two rows are spread over the cells first (½ each for two classes), and `method` says so: the value stays
    inside the interval.

    Source: Agresti 2013, section 16.1; Takahashi et al. 2022 for averages over classes.
    """
    value, error = _value_and_error(counts, squares, slopes)
    center, spread, method = value, error, "delta method"
    rows = float(counts.sum()) ** 2 / float(squares.sum())
    if not math.isfinite(error) or error * math.sqrt(rows) < NO_WIDTH or not bounds[0] < value < bounds[1]:
        weight = float(squares.sum() / counts.sum())
        added = ROWS_ADDED / counts.size * weight
        center, spread = _value_and_error(counts + added, squares + added * weight, slopes)
        method, error = f"delta method, {_added(counts.size)} added to each cell", math.nan
    if not (math.isfinite(center) and math.isfinite(spread)) or spread * math.sqrt(rows) < NO_WIDTH:
        return None
    low, high = limits(center, spread, bounds, normal_quantile(level))
    # Rounding may take the value past its range, or to nothing where weights of very different size cancel.
    value = min(max(value, bounds[0]), bounds[1]) if math.isfinite(value) else center
    return DeltaInterval(
        min(low, value), max(high, value), error if math.isfinite(error) else None, method + scale_words(bounds)
    )


def numeric(formula: Formula) -> Slopes:
    """Slopes of a formula on counts with leading batch axes, by central differences, all of them in one call."""

    def slopes(counts: Floats) -> tuple[float, Floats]:
        filled = np.flatnonzero(counts.ravel() > 0)
        steps = STEP * counts.ravel()[filled]
        batch = np.tile(counts.ravel(), (2 * filled.size + 1, 1))
        rows = np.arange(filled.size)
        batch[rows, filled] += steps
        batch[filled.size + rows, filled] -= steps
        with np.errstate(invalid="ignore", over="ignore"):
            found = formula(batch.reshape(-1, *counts.shape))
            slope = np.zeros(counts.size)
            slope[filled] = (found[: filled.size] - found[filled.size : -1]) / (2 * steps)
        return float(found[-1]), slope.reshape(counts.shape)

    return slopes


def limits(center: float, error: float, bounds: tuple[float, float], z: float) -> tuple[float, float]:
    """Limits symmetric on a scale where the range has no edge; the slope of the scale carries the error over.

    >>> [round(limit, 4) for limit in limits(0.9, 0.05, (0.0, 1.0), 1.96)]
    [0.7518, 0.9639]
    """
    low, high = bounds
    if _scale_of(bounds) == "log" and center > 0:
        half = z * error / center
        return center * math.exp(-half), center * math.exp(half) if half < LARGEST else math.inf
    share = (center - low) / (high - low) if math.isfinite(high - low) else math.nan
    if not 0 < share < 1:
        return max(low, center - z * error), min(high, center + z * error)
    half = z * error / (high - low) / (share * (1 - share))
    middle = math.log(share / (1 - share))
    return tuple(low + (high - low) * _expit(middle + side * half) for side in (-1, 1))  # type: ignore[return-value]


def scale_words(bounds: tuple[float, float]) -> str:
    """What to add to a method's name for the scale of its limits."""
    return {"logit": ", logit scale", "log": ", log scale", "plain": ""}[_scale_of(bounds)]


def _scale_of(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if math.isfinite(low) and math.isfinite(high):
        return "logit"
    return "log" if low == 0 else "plain"


def _value_and_error(counts: Floats, squares: Floats, slopes: Slopes) -> tuple[float, float]:
    """Value and its standard error √(Σ g²·Σw²)."""
    value, slope = slopes(counts)
    with np.errstate(invalid="ignore", over="ignore"):
        return value, math.sqrt(float((slope**2 * squares).sum()))


def _added(cells: int) -> str:
    return "½" if cells == 4 else f"{ROWS_ADDED:g}/{cells}"


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
