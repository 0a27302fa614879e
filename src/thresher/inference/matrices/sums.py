"""What intervals of measures of a confusion matrix start from: counts and squared weights, or why there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix
from thresher.inference.limits.delta import DeltaInterval
from thresher.results import Estimate

FIXED = "no interval, as no change of the counts changes this value"
FIXED_BY_PRIOR = "no interval, as the prevalence that was set decides this value"
NO_SQUARES = "no interval, as the squared weights, which give the effective number of rows, are not known"
NO_KIND = "no interval, as the counts are not whole, and what their weights mean (weight_kind) is not known"


def with_squares(matrix: ConfusionMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts, and the sums of the squared weights of each cell, which without weights are the counts."""
    counts = matrix.counts.astype(np.float64)
    return counts, counts if matrix.squares is None else matrix.squares


def with_delta(
    found: Estimate, interval: DeltaInterval, counts: NDArray[Any], squares: NDArray[Any], level: float
) -> Estimate:
    """Estimate with a delta interval, which holds its value, and the effective number of rows that it rests on."""
    return replace(
        found,
        standard_error=interval.standard_error,
        low=min(interval.low, found.value),
        high=max(interval.high, found.value),
        level=float(level),
        method=interval.method,
        n=float(counts.sum()) ** 2 / float(squares.sum()),
    )


def obstacle(matrix: ConfusionMatrix) -> str | None:
    """Why the measures of a matrix have no interval; None when they have one."""
    if matrix.weight_kind == "importance" and matrix.squares is None:
        return NO_SQUARES
    if matrix.weight_kind is None and not np.array_equal(matrix.counts, np.rint(matrix.counts)):
        return NO_KIND
    return None
