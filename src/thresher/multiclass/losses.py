"""Log loss and Brier score of K probabilities, top-k accuracy, and the mutual information of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts import ConfusionMatrix
from thresher.counts.loss_sums import BLOCK, LossSums, blocks
from thresher.errors import InputError, OptionError
from thresher.measures import threshold_metrics
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.predictions.class_tables import class_table

Array = NDArray[np.float64]


def log_losses(
    y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None = None, **rows: Unpack[RowOptions]
) -> Array:
    """Compute −ln p of the true class for every row, (n,), in [0, ∞]: +inf where p is 0.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`), or no probabilities.

    >>> log_losses([0, 1, 2], [[1, 0, 0], [0.25, 0.5, 0.25], [0.5, 0.5, 0]]).round(4).tolist()
    [0.0, 0.6931, inf]

    Good (1952).
    """
    given = rows_of(y_true, posteriors, **rows)
    own = given.probabilities("the log loss")[np.arange(len(given)), given.codes]
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(own) + 0.0)


def brier_losses(
    y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None = None, **rows: Unpack[RowOptions]
) -> Array:
    """Compute Σ_k (p_k − y_k)² of every row, (n,), in [0, 2]; twice the binary loss for two classes.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`), or no probabilities.

    >>> brier_losses([0, 1], [[1, 0, 0], [0.25, 0.5, 0.25]], labels=range(3)).tolist()
    [0.0, 0.375]

    Brier (1950).
    """
    given = rows_of(y_true, posteriors, **rows)
    matrix = given.probabilities("the Brier score")
    losses = np.empty(len(given))
    for part, error in blocks(*matrix.shape):
        error[:] = matrix[part]
        error[np.arange(len(error)), given.codes[part]] -= 1
        np.einsum("ij,ij->i", error, error, out=losses[part])
    return losses


def loss_sums(
    y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None = None, **rows: Unpack[RowOptions]
) -> dict[str, LossSums]:
    """Sum both losses, "log_loss" and "brier_score"; their means are the measures, and sums of parts add up.

    `thresher.inference.loss_sums_interval` gives their intervals.

    >>> sums = loss_sums([0, 1, 2, 1], [[0.8, 0.1, 0.1], [0.25, 0.5, 0.25], [0.4, 0.2, 0.4], [0.1, 0.8, 0.1]])
    >>> {name: round(part.mean, 4) for name, part in sums.items()}
    {'log_loss': 0.5139, 'brier_score': 0.2638}
    """
    given = rows_of(y_true, posteriors, **rows)
    frequency = given.weight_kind == "frequency"
    losses = {"log_loss": log_losses(given), "brier_score": brier_losses(given)}
    return {name: LossSums.of(loss, given.weights, frequency=frequency) for name, loss in losses.items()}


def mutual_information(matrix: Any) -> float:
    """Compute the mutual information of truth and decisions in bits: Σ_kl p_kl·log₂(p_kl/(p_k·p_l)).

    From 0 to log₂ K, higher is better; NaN without rows. Permuting the predicted labels changes nothing, so that
    consistent errors are rewarded like hits: read it beside the accuracy. As a share of the truth's entropy it is the
    measure `relative_classifier_information` of a `ConfusionMatrix`.

    Raises:
        InputError: the counts are not square, or the last row and column are sums.

    >>> mutual_information([[5, 0], [0, 5]]), mutual_information([[0, 5], [5, 0]])
    (1.0, 1.0)
    >>> round(mutual_information([[8, 2], [1, 9]]), 4)
    0.3973

    Shannon (1948); Sindhwani et al. (2001).
    """
    if isinstance(matrix, ConfusionMatrix):
        return float(threshold_metrics.mutual_information.on(matrix.scaled))
    counts = class_table(matrix, "counts").squared().astype(np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(f"counts of shape {counts.shape} are not a K×K matrix.")
    return float(threshold_metrics.mutual_information.on(counts))


Ranks = NDArray[np.int64]


def top_k_accuracy(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    k: int | Sequence[int] = (1, 2, 3, 5),
    **rows: Unpack[RowOptions],
) -> dict[int, LossSums]:
    """Compute the top-k accuracy for one or several k, as sums of each row's credit.

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
    """Count the classes that each row scores above its true one, and equal to it, itself included.

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
    """Compute the credit shared by classes tied across the cut: clip((k − #greater)/#tied, 0, 1)."""
    return np.asarray(np.clip((k - greater) / tied, 0.0, 1.0))


def top_k_credit(
    codes: NDArray[np.intp], scores: Array, k: int, *, ties: Literal["share", "last column first"] = "share"
) -> Array:
    """Compute the credit of each row, in [0, 1], for its true class among the k highest scores.

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
