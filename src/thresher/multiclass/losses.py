"""Log loss and Brier score of K probabilities, row by row and in sums; mutual information of a matrix."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts import ConfusionMatrix
from thresher.counts.loss_sums import LossSums
from thresher.counts.losses import blocks
from thresher.errors import InputError
from thresher.measures import agreement
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of

Array = NDArray[np.float64]


def log_losses(
    y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None = None, **rows: Unpack[RowOptions]
) -> Array:
    """Loss −ln p of every row, (n,), p being the probability of its true class: in [0, ∞), +inf where p is 0.

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
    """Loss Σ_k (p_k − y_k)² of every row, (n,), in [0, 2]; twice the binary loss for two classes.

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
    """Sums of both losses, "log_loss" and "brier_score", whose means are the measures; sums of parts add up.

    `thresher.inference.loss_sums_interval` gives their intervals.

    >>> sums = loss_sums([0, 1, 2, 1], [[0.8, 0.1, 0.1], [0.25, 0.5, 0.25], [0.4, 0.2, 0.4], [0.1, 0.8, 0.1]])
    >>> {name: round(part.mean, 4) for name, part in sums.items()}
    {'log_loss': 0.5139, 'brier_score': 0.2638}
    """
    given = rows_of(y_true, posteriors, **rows)
    frequency = given.weight_kind == "frequency"
    losses = {"log_loss": log_losses(given), "brier_score": brier_losses(given)}
    return {name: LossSums.of(loss, given.weights, frequency=frequency) for name, loss in losses.items()}


def mutual_information(matrix: ConfusionMatrix | ArrayLike) -> float:
    """Bits that the decisions tell about the truth: Σ_kl p_kl·log₂(p_kl/(p_k·p_l)), from K×K counts, truth in rows.

    From 0 to log₂ K, higher is better; NaN without rows. Permuting the predicted labels changes nothing, so that
    consistent errors are rewarded like hits: read it beside the accuracy. As a share of the truth's entropy it is the
    measure `relative_classifier_information` of a `ConfusionMatrix`.

    Raises:
        InputError: the counts are not square.

    >>> mutual_information([[5, 0], [0, 5]]), mutual_information([[0, 5], [5, 0]])
    (1.0, 1.0)
    >>> round(mutual_information([[8, 2], [1, 9]]), 4)
    0.3973

    Shannon (1948); Sindhwani et al. (2001).
    """
    counts = matrix.scaled if isinstance(matrix, ConfusionMatrix) else np.asarray(matrix, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(f"counts of shape {counts.shape} are no K×K matrix.")
    return float(agreement.mutual_information.on(counts))
