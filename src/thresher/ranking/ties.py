"""Groups of equal scores within each row of a matrix, most positive first; every per-row ranking reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
    """Sort each row of an (n, m) matrix, n and m at least 1, and find its groups of equal scores.

    >>> groups = tie_groups(np.array([[0.1, 0.9, 0.1]]))
    >>> groups.sizes.tolist(), groups.ends.tolist()
    ([1, 2], [1, 3])
    """
    order = np.argsort(-scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    new = np.ones(scores.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(new)
    width = scores.shape[1]
    first = np.searchsorted(starts, np.arange(scores.shape[0]) * width)
    ends = np.diff(starts, append=scores.size) + starts % width
    return TieGroups(order, starts, first, ends)
