"""For every pair of classes: how often a row of the first outscores a row of the second, by the first's own score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.values import Counts, Scores


def conditional_concordance(codes: NDArray[np.int64], scores: Scores, weights: Scores | None, threads: int) -> Counts:
    """Count, for every class k and every class l, twice the pairs (k above l) by column k, tied pairs once.

    A row of class l has, by column k, the rows of class k above it and those tied with it; these are added up by l.
    """
    k = scores.shape[1]
    importance = np.ones(codes.size, dtype=np.int64) if weights is None else weights
    twice = np.zeros((k, k), dtype=importance.dtype)
    for column in range(k):
        order = np.argsort(-scores[:, column], kind="stable")
        falling, own = scores[order, column], codes[order]
        weight = importance[order]
        first = np.ones(falling.size, dtype=np.bool_)
        first[1:] = falling[1:] != falling[:-1]
        group = np.cumsum(first) - 1
        mine = np.zeros(first.sum(), dtype=importance.dtype)
        np.add.at(mine, group[own == column], weight[own == column])
        reached = 2 * np.cumsum(mine) - mine
        np.add.at(twice[column], own, weight * reached[group])
        twice[column, column] = 0
    return twice
