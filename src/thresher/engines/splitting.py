"""How often bins are halved so that the AUC is known to a tolerance, in about as few bins as can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats

FINEST = 40
"""Times that a bin is halved in one pass at the most."""

_STEPS = 48


def halvings(carried: Floats, goal: float, most: float, room: NDArray[np.int64]) -> NDArray[np.int64]:
    """Halvings of bins that carry so much of the bound each, after which they carry the goal, in at most so many parts.

    A bin of p positives and n negatives carries p·n/(2PN), and each halving takes half of that away where scores are
    spread evenly. K parts carry the least, (Σ√carried)²/K, where a bin has parts in proportion to √carried; here they
    are powers of two. `room` are the halvings that float64 leaves. A bin that is not halved is none of the parts.

    >>> room = np.array([40, 40, 40, 1])
    >>> halvings(np.array([0.16, 0.01, 0.0, 0.16]), 0.1, 1e6, room).tolist()
    [4, 2, 0, 1]
    >>> halvings(np.array([0.16, 0.01, 0.0, 0.16]), 0.1, 5, room).tolist()
    [1, 0, 0, 1]
    """
    with np.errstate(divide="ignore"):
        logs = np.log2(carried) / 2
    known = carried > 0

    def of(factor: float) -> NDArray[np.int64]:
        wanted = np.rint(np.where(known, logs + factor, 0.0))
        found: NDArray[np.int64] = np.clip(wanted, 0, np.minimum(room, FINEST)).astype(np.int64)
        return found

    def is_enough(halved: NDArray[np.int64]) -> bool:
        return float(np.ldexp(carried, -halved).sum()) <= goal

    def is_many(halved: NDArray[np.int64]) -> bool:
        return float(np.ldexp(1.0, halved[halved > 0]).sum()) > most

    # Both grow with the factor, so that the least that is enough, or the greatest that is not too many, is between.
    low, high = -1.0, 600.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        halved = of(middle)
        low, high = (low, middle) if is_many(halved) or is_enough(halved) else (middle, high)
    return of(low) if is_many(of(high)) else of(high)
