"""Scores rounded to significant bits, in NumPy: the definition for every implementation of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.values import Scores

TINY, HUGE = 2.0**-960, 2.0**960
"""Scores nearer to 0 become 0 or this, and larger ones stay: beyond them SQL's arithmetic would over- or underflow."""

MANTISSA = 53


def rounded(scores: Scores, bits: int, lower: bool) -> Scores:
    """Return scores rounded to ``bits`` significant bits, down, or up with ``lower``."""
    near_one, words = rounded_bits(scores, bits, lower)
    near = words.view(np.float64)
    found: Scores = np.where(np.abs(scores) <= HUGE, np.where(near_one, 1.0 - near, near) + 0.0, scores)
    return found


def rounded_bits(scores: Scores, bits: int, lower: bool) -> tuple[NDArray[np.bool_], NDArray[np.uint64]]:
    """Return which scores are in (½, 1), and the rounded bits of 1 − s there, of s elsewhere."""
    near_one = (scores > 0.5) & (scores < 1)
    near = np.where(near_one, 1.0 - scores, scores)
    dropped = (np.uint64(1) << np.uint64(MANTISSA - bits)) - np.uint64(1)
    is_away = (near_one | (scores < 0)) != lower
    least = np.where(is_away & (near != 0), np.copysign(TINY, near), 0.0)
    words = np.where(np.abs(near) < TINY, least, near).view(np.uint64)
    words = (words + np.where(is_away, dropped, np.uint64(0))) & ~dropped
    return near_one, words


def kept_apart(scores: Scores, near: Scores, thresholds: Sequence[float] | Scores, lower: bool) -> Scores:
    """Return rounded scores, moved to the last threshold between them and their ``scores``."""
    cuts = np.sort(np.asarray(thresholds, dtype=np.float64))
    found: Scores = (
        np.minimum(near, np.append(cuts, np.inf)[np.searchsorted(cuts, scores, "left")])
        if lower
        else np.maximum(near, np.append(-np.inf, cuts)[np.searchsorted(cuts, scores, "right")])
    )
    return found
