"""The compiled functions of several classes; `Native` has them as methods."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.calling import at, run
from thresher.kernel.values import ConditionalSums, Counts, Multiplicities, Rows, Scores

SETS = 4
"""Sets of coefficients that are followed side by side (native/conditional.cpp)."""


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
    sets, laid, influence, own, others = 0, None, None, None, None
    if coefficients is not None:
        sets, laid = len(coefficients), np.zeros((k, k, SETS))
        laid[:, :, :sets] = coefficients.T
        influence, own, others = np.zeros((n, SETS)), np.zeros(n, kind), np.zeros(n, kind)
    steps = _steps(matrix)
    run(
        matrix.size,
        lambda cancel, bad: library.thresher_conditional(
            at(codes), _start(matrix), at(weights), n, k, *steps, squared, threads, cancel, at(twice), at(micro),
            at(moments), at(laid), at(influence), at(own), at(others), bad,
        ),
    )  # fmt: skip
    return ConditionalSums(twice, micro, moments, None if influence is None else influence.T[:sets], own, others)


def conditional_replicates(
    library: ctypes.CDLL, codes: Rows, matrix: Scores, weights: Scores | None, drawn: Multiplicities, threads: int
) -> tuple[Counts, Counts]:
    """Counts of pairs of every resample, by class and of the micro average."""
    n, k = matrix.shape
    kind = np.dtype(np.int64 if weights is None else np.float64)
    twice, micro = np.zeros((len(drawn), k, k), kind), np.zeros((len(drawn), k), kind)
    steps = _steps(matrix)
    run(
        drawn.size * k,
        lambda cancel, bad: library.thresher_conditional_replicates(
            at(codes), _start(matrix), at(weights), n, k, *steps, at(drawn), len(drawn), threads, cancel,
            at(twice), at(micro), bad,
        ),
    )  # fmt: skip
    return twice, micro


def ordinal_volume(
    library: ctypes.CDLL,
    codes: Rows,
    scores: Scores,
    classes: int,
    weights: Scores | None,
    drawn: Multiplicities | None,
    threads: int,
) -> tuple[Scores, Scores | None]:
    """The volume and each row's part in it, or the volumes of resamples."""
    count = 1 if drawn is None else len(drawn)
    values = np.full(count, np.nan)
    influence = np.full(scores.size, np.nan) if drawn is None else None
    run(
        scores.size * count,
        lambda cancel, bad: library.thresher_ordinal_volume(
            at(codes), at(scores), at(weights), scores.size, classes, at(drawn), count, threads, cancel,
            at(values), at(influence), bad,
        ),
    )  # fmt: skip
    return values, influence


def assignment(library: ctypes.CDLL, matrix: Scores, tuples: Rows, tolerance: float, threads: int) -> Scores:
    """Credit of every tuple of rows."""
    credit = np.empty(len(tuples))
    steps = _steps(matrix)
    run(
        tuples.size,
        lambda cancel, bad: library.thresher_assignment(
            _start(matrix),
            matrix.shape[1],
            *steps,
            at(tuples),
            len(tuples),
            tolerance,
            threads,
            cancel,
            at(credit),
            bad,
        ),
    )
    return credit


def _start(matrix: NDArray[Any]) -> int | None:
    """Where the numbers of a matrix begin, however they lie."""
    address: int = matrix.__array_interface__["data"][0]
    return address if matrix.size else None


def _steps(matrix: NDArray[Any]) -> tuple[int, int]:
    """Distance of neighboring rows and of neighboring columns, in numbers."""
    across, along = matrix.strides
    return across // matrix.itemsize, along // matrix.itemsize
