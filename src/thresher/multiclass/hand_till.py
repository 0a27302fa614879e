"""AUC of every class against every other, and Hand and Till's mean of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import divide
from thresher.frozen import freeze

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalAuc:
    """`matrix[k, l]` = AUC(k given l): a random row of class k above one of class l, by the score of k.

    The matrix is (K, K), not symmetric in general; NaN on the diagonal and wherever one of the two classes has no
    rows. `weights` (K,) is the weight of the rows of each class. Hand and Till (2001).
    """

    matrix: Array
    weights: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", freeze(self.matrix))
        object.__setattr__(self, "weights", freeze(self.weights))

    @property
    def absent(self) -> tuple[int, ...]:
        """Classes without rows, by their column."""
        return tuple(int(code) for code in np.flatnonzero(self.weights == 0))

    @property
    def pairs(self) -> Array:
        """Mean of AUC(k given l) and AUC(l given k) for every pair k < l, in order of k, then l."""
        both = (self.matrix + self.matrix.T) / 2
        return np.asarray(both[np.triu_indices_from(both, k=1)])

    @property
    def pair_weights(self) -> Array:
        """Share of all rows that are of one class of the pair, in the order of `pairs`."""
        share = divide(self.weights, self.weights.sum())
        return np.asarray((share[:, None] + share)[np.triu_indices_from(self.matrix, k=1)])

    @property
    def mean(self) -> float:
        """Hand and Till's M: the mean over all ordered pairs; NaN when some class has no rows."""
        return float(self.pairs.mean()) if self.pairs.size else float("nan")

    def present(self) -> ConditionalAuc:
        """Same values without the classes that have no rows."""
        kept = np.flatnonzero(self.weights)
        return ConditionalAuc(self.matrix[np.ix_(kept, kept)], self.weights[kept])


def conditional_auc(codes: NDArray[np.int64], scores: Array, *, weights: Array | None = None) -> ConditionalAuc:
    """AUC of every class against every other from class codes (n,) and scores (n, K), each column sorted once.

    >>> scores = np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.3, 0.3], [0.5, 0.1, 0.4]])
    >>> conditional_auc(np.array([0, 1, 0, 2]), scores).matrix.tolist()
    [[nan, 1.0, 0.5], [1.0, nan, 1.0], [1.0, 1.0, nan]]
    """
    twice = kernel.conditional_concordance(codes, scores, weights)
    totals = np.bincount(codes, weights=weights, minlength=scores.shape[1]).astype(np.float64)
    matrix = divide(twice, 2 * totals[:, None] * totals)
    np.fill_diagonal(matrix, np.nan)
    return ConditionalAuc(matrix, totals)
