"""The compiled functions of several classes; `Native` has them as methods."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.calling import at, run
from thresher.kernel.values import ConditionalSums, Rows, Scores


def conditional_sums(
    library: ctypes.CDLL,
    codes: Rows,
    matrix: Scores,
    weights: Scores | None,
    squared: bool,
    coefficients: Scores | None,
    threads: int,
) -> ConditionalSums:
    """The sums of `thresher.kernel.reference.conditional`."""
    n, k = matrix.shape
    kind = np.dtype(np.int64 if weights is None else np.float64)
    twice, micro, moments = np.zeros((k, k), kind), np.zeros(k, kind), np.zeros((k, 2, 3))
    sets = 0 if coefficients is None else len(coefficients)
    influence = own = others = None
    if coefficients is not None:
        influence, own, others = np.zeros((sets, n)), np.zeros(n, kind), np.zeros(n, kind)
    steps = _steps(matrix)
    run(
        matrix.size,
        lambda cancel, bad: library.thresher_conditional(
            at(codes), _start(matrix), at(weights), n, k, *steps, squared, threads, cancel, at(twice), at(micro),
            at(moments), at(coefficients), sets, at(influence), at(own), at(others), bad,
        ),
    )  # fmt: skip
    return ConditionalSums(twice, micro, moments, influence, own, others)


def _start(matrix: NDArray[Any]) -> int | None:
    """Where the numbers of a matrix begin, however they lie."""
    address: int = matrix.__array_interface__["data"][0]
    return address if matrix.size else None


def _steps(matrix: NDArray[Any]) -> tuple[int, int]:
    """Distance of neighboring rows and of neighboring columns, in numbers."""
    across, along = matrix.strides
    return across // matrix.itemsize, along // matrix.itemsize
