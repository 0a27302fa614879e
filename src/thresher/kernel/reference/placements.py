"""By several scores at once: how much of the other class stands on the wrong side of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, weight_checks
from thresher.kernel.values import Counts, Kind, Placements, Scores, Truth

CHUNK = 1 << 16
"""Products below 2^47 that are added at a time."""


def placements(truth: Truth, columns: Scores, weights: Scores | None, threads: int) -> Placements:
    """Give each positive twice the weight of the negatives above it and each negative that of the positives below it.

    ``columns`` (k, n) holds one score a row. What is tied counts once.
    """
    checks: list[tuple[Kind, NDArray[np.bool_]]] = [("truth", truth > 1)]
    first_bad(checks + ([] if weights is None else weight_checks(weights)))
    first_bad([("score_nan", np.isnan(columns).any(axis=0))])
    importance = np.ones(truth.size, dtype=np.int64) if weights is None else weights
    is_positive = truth == 1
    found = Placements(
        np.zeros((len(columns), int(is_positive.sum())), dtype=importance.dtype),
        np.zeros((len(columns), int((~is_positive).sum())), dtype=importance.dtype),
    )
    for k, scores in enumerate(columns):
        # Distinct scores, rising: a negative misses the positives before it, a positive the negatives after it.
        distinct, group = np.unique(scores, return_inverse=True)
        positive, negative = (
            _sums(group[rows], importance[rows], distinct.size) for rows in (is_positive, ~is_positive)
        )
        found.positive[k] = _reached(negative[::-1])[::-1][group[is_positive]]
        found.negative[k] = _reached(positive)[group[~is_positive]]
    return found if weights is not None or truth.size >= 2**30 else Placements(*(c.astype(np.int32) for c in found))


def products(a: Counts, b: Counts, _threads: int) -> int:
    """Add up the products of whole numbers below 2^31; those with both halves of one fit where they do not."""
    first, second = a.astype(np.int64), b.astype(np.int64)
    parts = np.array_split(first, 1 + first.size // CHUNK), np.array_split(second, 1 + second.size // CHUNK)
    return sum((int((x >> 16) @ y) << 16) + int((x & 0xFFFF) @ y) for x, y in zip(*parts, strict=True))


def _sums(group: NDArray[np.int64], weights: Counts, size: int) -> Counts:
    """Weight of each distinct score."""
    sums = np.zeros(size, dtype=weights.dtype)
    np.add.at(sums, group, weights)
    return sums


def _reached(sums: Counts) -> Counts:
    """Twice what comes before, and once what is there: what is there is not in it twice, so nothing cancels."""
    before = np.concatenate([np.zeros(1, dtype=sums.dtype), np.cumsum(sums)[:-1]]) if sums.size else sums
    return np.asarray(2 * before + sums)
