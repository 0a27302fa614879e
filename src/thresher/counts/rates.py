"""A confusion matrix from what papers print: sensitivity, specificity, prevalence and the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import OptionError

NEAR = 1e-9
"""Counts so near to whole numbers are these: the rates were made of whole counts, and rounded in between."""


def counts_of_rates(*, sensitivity: float, specificity: float, prevalence: float, n: float) -> NDArray[Any]:
    """Counts [[TP, FN], [FP, TN]] of `n` rows, π of them positive: TP = n·π·TPR, TN = n·(1 − π)·TNR.

    Raises:
        OptionError: a rate is not in [0, 1], or `n` is not a positive number.

    >>> counts_of_rates(sensitivity=0.9, specificity=0.7, prevalence=0.5, n=200).tolist()
    [[90, 10], [30, 70]]
    """
    rates = {"sensitivity": sensitivity, "specificity": specificity, "prevalence": prevalence}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise OptionError(f"{name}={rate!r}: it is a share from 0 to 1.")
    if not (n > 0 and np.isfinite(n)):
        raise OptionError(f"n={n!r}: it is the number of rows, above 0.")
    positives, negatives = n * prevalence, n * (1 - prevalence)
    counts = np.array([
        [positives * sensitivity, positives * (1 - sensitivity)],
        [negatives * (1 - specificity), negatives * specificity],
    ])  # fmt: skip
    whole = np.rint(counts)
    if np.all(np.abs(counts - whole) <= NEAR * np.maximum(1, whole)):
        return np.asarray(whole.astype(np.int64))
    return counts
