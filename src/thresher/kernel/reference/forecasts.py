"""Truth as whole numbers, and the squared error of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad
from thresher.kernel.values import Scores, Truth


def binary_codes(values: NDArray[Any], threads: int) -> Truth:
    """Narrow whole numbers that are 0 and 1."""
    first_bad([("truth", (values < 0) | (values > 1))])
    return values.astype(np.uint8)


def squared_error(truth: NDArray[Any], probabilities: Scores, threads: int) -> float:
    """Add the squared distances of probabilities from the truth."""
    first_bad(
        [
            ("truth", (truth < 0) | (truth > 1)),
            ("score_nan", np.isnan(probabilities)),
            ("score_range", ~((probabilities >= 0) & (probabilities <= 1))),
        ]
    )
    return float(np.square(probabilities - truth).sum())
