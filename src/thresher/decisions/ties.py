"""When two values count as equal: sums of rounded numbers differ in the last digits, and ties are to be returned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-12
"""Relative difference below which two values tie: far above rounding, far below the differences of counts."""


def attaining(
    values: NDArray[np.float64], *, lowest: bool, eligible: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """Return the places of the lowest (highest) value and of all that tie with it; NaN is not a value.

    >>> attaining(np.array([np.nan, 2.0, 0.1 + 0.2, 0.3]), lowest=True).tolist()
    [2, 3]
    """
    counted = values if eligible is None else np.where(eligible, values, np.nan)
    low, high = (float(extreme(counted, initial=start)) for extreme, start in ((np.min, np.inf), (np.max, -np.inf)))
    if np.isnan(low):
        low, high = (float(extreme.reduce(counted)) for extreme in (np.fmin, np.fmax))
    best = low if lowest else high
    if not np.isfinite(best):
        return np.flatnonzero(counted == best)
    if not np.isfinite(low) or not np.isfinite(high):
        finite = counted[np.isfinite(counted)]
        low, high = float(finite.min()), float(finite.max())
    slack = TOLERANCE * max(abs(low), abs(high))
    return np.flatnonzero(counted <= best + slack if lowest else counted >= best - slack)
