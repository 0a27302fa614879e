"""Discounted cumulative gain of graded relevance, with ties averaged or taken in order."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.ranking.ties import tie_groups

Array = NDArray[np.float64]
Ties = Literal["average", "order"]


def discounts(count: int, *, k: int | None = None, base: float = 2.0) -> Array:
    """Weight of each rank: 1/log_base(rank + 1) for ranks 1 … k, 0 after.

    >>> discounts(3, k=2).round(4).tolist()
    [1.0, 0.6309, 0.0]
    """
    weights = np.log(base) / np.log(np.arange(2, count + 2))
    if k is not None:
        weights[k:] = 0.0
    return np.asarray(weights)


def discounted_gain(
    gains: Array, scores: Array, *, k: int | None = None, base: float = 2.0, ties: Ties = "average"
) -> Array:
    """Discounted cumulative gain of every row, Σ gain at rank r / log_base(r + 1).

    `gains` and `scores` are (n, m): n queries, m items. With ties="average" the gains of items of equal score are
    replaced by their mean, which is the expectation over all orders of them; "order" takes ties in the order that
    NumPy's sort happens to give. Järvelin and Kekäläinen (2002); McSherry and Najork (2008) for ties.

    >>> discounted_gain(np.array([[3.0, 2.0]]), np.array([[0.1, 0.4]])).round(4).tolist()
    [3.8928]
    """
    weights = discounts(gains.shape[1], k=k, base=base)
    if ties == "order":
        ranking = np.argsort(scores)[:, ::-1]
        return np.asarray(np.take_along_axis(gains, ranking, axis=1) @ weights)
    groups = tie_groups(scores)
    shared = np.concatenate([[0.0], np.cumsum(weights)])
    share = shared[groups.ends] - shared[groups.ends - groups.sizes]
    return groups.per_row(groups.sums(gains) / groups.sizes * share)


def normalized_gain(gains: Array, scores: Array, *, k: int | None = None, ties: Ties = "average") -> Array:
    """Discounted gain over the largest that any order of the row's items reaches; NaN where that is 0.

    >>> normalized_gain(np.array([[3.0, 2.0], [0.0, 0.0]]), np.array([[0.9, 0.4], [0.9, 0.4]])).tolist()
    [1.0, nan]
    """
    best = discounted_gain(gains, gains, k=k, ties="order")
    return divide(discounted_gain(gains, scores, k=k, ties=ties), best)
