"""Rankings in the rows of a matrix: discounted cumulative gain, labels of each row, and groups of equal scores."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide

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
    replaced by their mean, which is the expectation over all orders of them; "order" takes ties in the order of
    NumPy's sort. Järvelin and Kekäläinen (2002); McSherry and Najork (2008) for ties.

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


class TieGroups(NamedTuple):
    """Rows sorted by falling score and cut where the score changes.

    `order` (n, m) lists the columns of each row, falling; `starts` are the positions in the flattened order at
    which a group begins; `first` is the first group of every row; `ends` the position after each group
    within its row, which is the number of items that score at least as much.
    """

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    first: NDArray[np.intp]
    ends: NDArray[np.intp]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Items in each group."""
        return np.diff(self.starts, append=self.order.size)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of an (n, m) matrix, given by column, over each group."""
        ordered = np.take_along_axis(values, self.order, axis=1)
        return np.asarray(np.add.reduceat(ordered.ravel(), self.starts))

    def per_row(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of one value a group over the groups of each row."""
        return np.asarray(np.add.reduceat(values, self.first))

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """One value a row, repeated for each group of the row."""
        return np.repeat(values, np.diff(self.first, append=self.starts.size))

    def running(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cumulative sum over the groups of each row, the group itself included."""
        total = np.cumsum(values)
        before = total[self.first] - values[self.first]
        return np.asarray(total - self.spread(before))


def tie_groups(scores: NDArray[np.float64]) -> TieGroups:
    """Sort each row of an (n, m) matrix, n and m at least 1, and find its groups of equal scores."""
    order = np.argsort(-scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    new = np.ones(scores.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(new)
    width = scores.shape[1]
    first = np.searchsorted(starts, np.arange(scores.shape[0]) * width)
    ends = np.diff(starts, append=scores.size) + starts % width
    return TieGroups(order, starts, first, ends)


def found_in_first(positive: NDArray[np.float64], negative: NDArray[np.float64], k: float) -> float:
    """Positives among the k rows of highest score, by expectation over the orders of tied rows.

    `positive` and `negative` are the counts (or weights) of both classes at every distinct score, falling. Tied rows
    across the cut share it: each is among the first k with the same chance. McSherry and Najork (2008).
    """
    size = positive + negative
    before = np.cumsum(size) - size
    taken = np.clip(k - before, 0.0, size) / size
    return float(positive @ taken)


Mask = NDArray[np.bool_]


def label_precision(relevant: Mask, scores: Array) -> Array:
    """Mean, over a row's relevant labels, of the share of relevant ones among those scored at least as high.

    NaN for a row without relevant labels. In (0, 1], higher is better. Tsoumakas, Katakis and Vlahavas (2010).

    >>> label_precision(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [0.5]
    """
    groups = tie_groups(scores)
    inside = groups.sums(relevant.astype(np.float64))
    precision = groups.running(inside) / groups.ends
    return divide(groups.per_row(inside * precision), relevant.sum(axis=1))


def coverage(relevant: Mask, scores: Array) -> Array:
    """Count the labels that score at least as high as the lowest relevant one: the list to read to meet all of them.

    0 for a row without relevant labels; lower is better, at best the number of relevant labels.

    >>> coverage(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [2]
    """
    lowest = np.where(relevant, scores, np.inf).min(axis=1, keepdims=True)
    met = (scores >= lowest).sum(axis=1)
    return np.where(relevant.any(axis=1), met, 0)


def misordered_share(relevant: Mask, scores: Array) -> Array:
    """Share of a row's (relevant, irrelevant) pairs in which the irrelevant label scores at least as high.

    NaN for a row without such a pair. In [0, 1], lower is better; a tie counts in full.

    >>> misordered_share(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [0.5]
    """
    groups = tie_groups(scores)
    inside = groups.sums(relevant.astype(np.float64))
    total = relevant.sum(axis=1).astype(np.float64)
    not_above = groups.spread(total) - groups.running(inside) + inside
    wrong = groups.per_row((groups.sizes - inside) * not_above)
    return divide(wrong, total * (relevant.shape[1] - total))
