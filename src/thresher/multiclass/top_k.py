"""Whether the true class is among the k that a row scores highest."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def top_k_credit(
    codes: NDArray[np.intp], scores: Array, k: int, *, ties: Literal["share", "last column first"] = "share"
) -> Array:
    """Credit of every row, in [0, 1], for its true class being among the k highest scores ("second guess" at k = 2).

    `codes` (n,) index the columns of `scores` (n, K). Classes tied across the cut share it,
    clip((k − #greater)/#tied, 0, 1); with ties="last column first" they are taken from the highest
    column down, which gives 0 or 1.

    >>> top_k_credit(np.array([0, 2]), np.array([[0.4, 0.4, 0.2], [0.5, 0.3, 0.2]]), 1).tolist()
    [0.5, 0.0]
    """
    own = np.take_along_axis(scores, codes[:, None], axis=1)
    greater = (scores > own).sum(axis=1)
    tied = scores == own
    if ties == "share":
        return np.asarray(np.clip((k - greater) / tied.sum(axis=1), 0.0, 1.0))
    before = (tied & (np.arange(scores.shape[1]) > codes[:, None])).sum(axis=1)
    return np.asarray(greater + before < k, dtype=np.float64)
