"""When two values count as equal: sums of rounded numbers differ in the last digits, and ties are to be returned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-12
"""Relative difference below which two values tie: far above rounding, far below what counts can tell apart."""


def attaining(
    values: NDArray[np.float64], *, lowest: bool, eligible: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """Places of the lowest (highest) value and of all that tie with it; NaN is no value.

    >>> attaining(np.array([np.nan, 2.0, 0.1 + 0.2, 0.3]), lowest=True).tolist()
    [2, 3]
    """
    counted = ~np.isnan(values) if eligible is None else ~np.isnan(values) & eligible
    places: NDArray[np.intp] = np.flatnonzero(counted)
    if not places.size:
        return places
    best = values[places].min() if lowest else values[places].max()
    if not np.isfinite(best):
        return np.asarray(places[values[places] == best])
    finite = values[places][np.isfinite(values[places])]
    slack = TOLERANCE * float(np.abs(finite).max())
    return np.asarray(places[np.abs(values[places] - best) <= slack])
