"""Whether the true class is among the k that a row scores highest ("second guess" at k = 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts.loss_sums import LossSums
from thresher.counts.losses import BLOCK
from thresher.errors import OptionError
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]


def top_k_accuracy(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    k: int | Sequence[int] = (1, 2, 3, 5),
    **rows: Unpack[RowOptions],
) -> dict[int, LossSums]:
    """Top-k accuracy for one or several k: sums of each row's credit for its true class being among the k best.

    The credit is clip((k − #greater)/#tied, 0, 1), the true class itself among the tied: classes tied across the cut
    share it, as if the tie were broken at random. `.mean` of the sums is the accuracy, in [0, 1], higher is better; it
    is 1 for k ≥ K, and such k are left out.

    Raises:
        OptionError: a k is not a whole number ≥ 1.
        InputError: the rows are not in order (`Posteriors.of`).

    >>> found = top_k_accuracy([0, 2, 1], [[0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1]], k=(1, 2))
    >>> {k: part.mean for k, part in found.items()}
    {1: 0.5, 2: 0.6666666666666666}
    """
    given = rows_of(y_true, posteriors, **rows)
    wanted = (k,) if isinstance(k, int | np.integer) else tuple(k)
    for one in wanted:
        if isinstance(one, bool) or not isinstance(one, int | np.integer) or one < 1:
            raise OptionError(f"k={one!r}: the number of guesses is a whole number ≥ 1.")
    greater, tied = class_ranks(given.codes, given.matrix)
    frequency = given.weight_kind == "frequency"
    return {
        int(one): LossSums.of(shared_credit(greater, tied, one), given.weights, frequency=frequency)
        for one in wanted
        if one < given.classes
    }


def class_ranks(codes: NDArray[np.integer], scores: Array) -> tuple[Ranks, Ranks]:
    """How many classes each row scores above its true one, and how many equal to it, itself included.

    >>> class_ranks(np.array([0, 2]), np.array([[0.4, 0.4, 0.2], [0.5, 0.3, 0.2]]))
    (array([0, 2]), array([2, 1]))
    """
    rows, columns = scores.shape
    greater, tied = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    step = max(1, 8 * BLOCK // max(1, columns))
    for start in range(0, rows, step):
        part = slice(start, start + step)
        block = scores[part]
        own = np.take_along_axis(block, np.asarray(codes[part])[:, None], axis=1)
        greater[part] = np.count_nonzero(block > own, axis=1)
        tied[part] = np.count_nonzero(block == own, axis=1)
    return greater, tied


def shared_credit(greater: Ranks, tied: Ranks, k: int) -> Array:
    """Credit when classes tied across the cut share it: clip((k − #greater)/#tied, 0, 1)."""
    return np.asarray(np.clip((k - greater) / tied, 0.0, 1.0))


def top_k_credit(
    codes: NDArray[np.intp], scores: Array, k: int, *, ties: Literal["share", "last column first"] = "share"
) -> Array:
    """Credit of every row, in [0, 1], for its true class being among the k highest scores.

    `codes` (n,) index the columns of `scores` (n, K). Classes tied across the cut share it; with
    ties="last column first" they are taken from the highest column down, which gives 0 or 1 (scikit-learn's rule).

    >>> top_k_credit(np.array([0, 2]), np.array([[0.4, 0.4, 0.2], [0.5, 0.3, 0.2]]), 1).tolist()
    [0.5, 0.0]
    """
    if ties == "share":
        return shared_credit(*class_ranks(codes, scores), k)
    own = np.take_along_axis(scores, codes[:, None], axis=1)
    greater = (scores > own).sum(axis=1)
    before = ((scores == own) & (np.arange(scores.shape[1]) > codes[:, None])).sum(axis=1)
    return np.asarray(greater + before < k, dtype=np.float64)
