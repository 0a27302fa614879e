"""Truth as whole numbers, and the squared error of probabilities: each in one pass that checks every value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import Truth


def binary_codes(values: NDArray[np.int64], *, threads: int | None = None) -> Truth:
    """Return whole numbers (n,) int64 that are 0 and 1 as uint8.

    Raises `KernelInputError` for the first that is neither.

    >>> binary_codes(np.array([0, 1, 1])).tolist()
    [0, 1, 1]
    """
    if values.dtype != np.int64 or values.ndim != 1:
        raise TypeError(f"values must be one column of int64, not {values.dtype} with {values.ndim} dimensions")
    column = np.ascontiguousarray(values)
    return use.binary_codes(column, checks.threads(threads, column.size))


def squared_error(truth: Any, probabilities: Any, *, threads: int | None = None) -> float:
    """Return Σ (p − y)² over rows of a truth y of 0 and 1 (uint8, bool or int64) and probabilities p of its 1.

    The same to the last bit for any number of threads. Raises `KernelInputError` for the first row whose truth is
    neither 0 nor 1, or whose probability lies outside [0, 1]. Brier (1950).

    >>> squared_error(np.array([1, 0]), [0.5, 1.0])
    1.25
    """
    wide = isinstance(truth, np.ndarray) and truth.dtype == np.int64 and truth.ndim == 1
    codes = np.ascontiguousarray(truth) if wide else checks.as_truth(truth)
    values = checks.as_floats(probabilities, "probabilities")
    checks.same_length(codes, values, "truth and probabilities")
    return use.squared_error(codes, values, checks.threads(threads, codes.size))
