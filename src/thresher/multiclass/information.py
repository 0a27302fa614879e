"""What decisions tell about the truth, whatever the labels are called."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.counts import ConfusionMatrix
from thresher.errors import InputError
from thresher.measures import agreement


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
