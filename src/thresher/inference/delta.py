"""Delta-method intervals for any smooth measure of a confusion matrix, on a scale where its range has no edge.

Proof of the variance: a measure f of the cell weights W_c is unchanged when all of them are multiplied, so
Σ_c W_c·∂f/∂W_c = 0 (Euler). The linear part of f(Ŵ) − f(W) is then Σ_rows w·g_c with g_c = ∂f/∂W_c and mean 0, and its
variance is Σ_c g_c²·Σw² over the rows of cell c. Unweighted rows have Σw² = count, which is the multinomial delta method.
A prior only changes f, so the same formula serves at another prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Formula = Callable[[Array], Array]

STEP = 1e-5
"""Share of a cell that the central difference moves: its error is of order STEP² ≈ 1e-10, far below any interval's."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits with the standard error and the method that gave them."""

    low: float
    high: float
    standard_error: float
    method: str


def delta_interval(
    counts: Array, squares: Array, formula: Formula, *, bounds: tuple[float, float], level: float
) -> Interval | None:
    """Interval of formula(counts) for counts of any shape, `squares` being Σw² per cell; None where undefined.

    `formula` takes counts with leading batch axes. The interval is symmetric on the logit scale of the bounds, on the log
    scale for [0, ∞), and plain for other ranges, so that it never leaves the range. On the edge of the range, where the
    variance vanishes, ½ is added to every cell first, and `method` says so.

    Source: Agresti 2013, section 16.1; Takahashi et al. 2022 for F-measures.
    """
    value, error = _value_and_error(counts, squares, formula)
    method = "delta method"
    if not math.isfinite(value) and not (math.isinf(value) and bounds[1] == math.inf):
        return None
    centre = value
    if error == 0 or not math.isfinite(error) or value in bounds:
        scale = squares.sum() / counts.sum()
        centre, error = _value_and_error(counts + 0.5 * scale, squares + 0.5 * scale**2, formula)
        method = "delta method, ½ added to each cell"
    if not math.isfinite(centre) or not math.isfinite(error):
        return None
    low, high = _limits(centre, error, bounds, NormalDist().inv_cdf((1 + level) / 2))
    return Interval(min(low, value), max(high, value), error, f"{method}{_SCALES[_scale_of(bounds)]}")


def _value_and_error(counts: Array, squares: Array, formula: Formula) -> tuple[float, float]:
    """Value and its standard error √(Σ g²·Σw²); a cell without rows adds nothing to the sum."""
    filled = np.flatnonzero(counts.ravel() > 0)
    steps = STEP * counts.ravel()[filled]
    moved = np.zeros((filled.size, counts.size))
    moved[np.arange(filled.size), filled] = steps
    moved = moved.reshape(filled.size, *counts.shape)
    with np.errstate(invalid="ignore", over="ignore"):
        slopes = (formula(counts + moved) - formula(counts - moved)) / (2 * steps)
    value = float(formula(counts))
    return value, math.sqrt(float((slopes**2 * squares.ravel()[filled]).sum()))


_SCALES: dict[str, str] = {"logit": ", logit scale", "log": ", log scale", "plain": ""}


def _scale_of(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if math.isfinite(low) and math.isfinite(high):
        return "logit"
    return "log" if low == 0 else "plain"


def _limits(centre: float, error: float, bounds: tuple[float, float], z: float) -> tuple[float, float]:
    """Limits symmetric on a scale where the range has no edge; the slope of the scale carries the error over."""
    low, high = bounds
    scale = _scale_of(bounds)
    if scale == "plain":
        return max(low, centre - z * error), min(high, centre + z * error)
    if scale == "log":
        half = z * error / centre
        return centre * math.exp(-half), centre * math.exp(half)
    share = (centre - low) / (high - low)
    if not 0 < share < 1:
        return (max(low, centre - z * error), min(high, centre + z * error))
    half = z * error / (high - low) / (share * (1 - share))
    middle = math.log(share / (1 - share))
    return tuple(low + (high - low) * _expit(middle + side * half) for side in (-1, 1))  # type: ignore[return-value]


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def formula_on_counts(matrix: Any, entry: Any, **parameters: float) -> Formula:
    """Measure as a function of raw K×K counts, the matrix's prior applied on the way."""
    from dataclasses import replace

    def formula(counts: Array) -> Array:
        return np.asarray(entry(replace(matrix, counts=counts, squares=None), **parameters))

    return formula
