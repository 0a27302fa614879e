"""The first k rows of one ranking: how many positives are among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def found_in_first(positive: NDArray[np.float64], negative: NDArray[np.float64], k: float) -> float:
    """Positives among the k rows of highest score, by expectation over the orders of tied rows.

    `positive` and `negative` are the counts (or weights) of both classes at every distinct score, falling. Tied rows
    across the cut share it: each is among the first k with the same chance. McSherry and Najork (2008).

    >>> found_in_first(np.array([1, 1, 0]), np.array([0, 1, 2]), 2)
    1.5
    """
    size = positive + negative
    before = np.cumsum(size) - size
    taken = np.clip(k - before, 0.0, size) / size
    return float(positive @ taken)
