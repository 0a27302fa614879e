"""Rankings of the labels of each row, for rows that may carry several labels.

All take `relevant` (n, m) bool and `scores` (n, m), and give one value a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.ranking.gain import tie_groups

Array = NDArray[np.float64]
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
    """How many labels score at least as high as the lowest relevant one: the list to read to meet all of them.

    0 for a row without relevant labels; lower is better, at best the number of relevant labels.

    >>> coverage(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [2]
    """
    lowest = np.where(relevant, scores, np.inf).min(axis=1, keepdims=True)
    met = (scores >= lowest).sum(axis=1)
    return np.where(relevant.any(axis=1), met, 0)


def misordered_share(relevant: Mask, scores: Array) -> Array:
    """Share of a row's (relevant, irrelevant) pairs in which the irrelevant label scores at least as high.

    NaN for a row whose labels are all relevant or none. In [0, 1], lower is better; a tie counts in full.

    >>> misordered_share(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [0.5]
    """
    groups = tie_groups(scores)
    inside = groups.sums(relevant.astype(np.float64))
    total = relevant.sum(axis=1).astype(np.float64)
    not_above = groups.spread(total) - groups.running(inside) + inside
    wrong = groups.per_row((groups.sizes - inside) * not_above)
    return divide(wrong, total * (relevant.shape[1] - total))
