"""Functions of several score columns, one for every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import ConditionalSums, Counts, Multiplicities, Rows, Scores

MOST_ROWS = 2**31 - 1
"""Twice the pairs of n cells and n others are below 2^63 up to here."""

MOST_DRAWN = 255
"""Times that a resample can hold a row."""

MOST_SETS = 4


def conditional_sums(
    codes: Any,
    scores: Any,
    weights: Any = None,
    *,
    squared: bool = True,
    coefficients: Any = None,
    threads: int | None = None,
) -> ConditionalSums:
    """Return what AUCs of several classes and their variances are made of; each column is sorted once.

    ``codes`` (n,) integers 0 … K − 1; ``scores`` (n, K) without NaN, ±inf allowed, read as they lie in memory;
    ``weights`` (n,) finite and ≥ 0. Counts are int64 without weights, float64 with them.

    * ``twice`` (K, K): [k, l] is twice the pairs of a row of class k above one of l by column k, tied pairs once; 0 on
      the diagonal. AUC(k given l) = [k, l] / (2·n_k·n_l).
    * ``micro`` (K,): twice the pairs of any true cell (a row's score of its own class) above another cell of column k.
    * ``moments`` (K, 2, 3): Σω, Σω·m and Σω·m² of what the rows of class k, and all others, miss by column k: the share
      of the others above a row (below it, for others), tied ones once halved. ω is w² (``squared``) or w.
    * with ``coefficients`` (J, K, K), J ≤ 4, ``influence`` (J, n): for a row of class c, Σ_l C[c, l]·Pr(it is above a
      random row of l by column c) + Σ_k C[k, c]·Pr(a random row of k is above it by column k), l, k ≠ c: the class
      means of these sum to twice Σ C[k, l]·AUC(k given l). ``own`` (n,): twice the other cells below a row's true
      cell, ties once; ``others`` (n,): twice the true cells above the row's other cells, ties once. Else all None.

    Raises `KernelInputError` for the first row with a bad value.

    >>> conditional_sums([0, 1, 1], [[0.6, 0.4], [0.6, 0.4], [0.1, 0.9]]).twice.tolist()
    [[0, 3], [3, 0]]

    Hand and Till (2001).
    """
    rows, matrix, importance = class_rows(codes, scores, weights)
    sets = None if coefficients is None else np.ascontiguousarray(coefficients, dtype=np.float64)
    if sets is not None and (sets.shape[1:] != (matrix.shape[1],) * 2 or len(sets) > MOST_SETS):
        raise ValueError(f"coefficients must have shape (J, K, K) with J ≤ {MOST_SETS}, not {sets.shape}")
    used = min(checks.threads(threads, matrix.size), max(1, matrix.shape[1]))
    return use.conditional_sums(rows, matrix, importance, squared, sets, used)


def conditional_replicates(
    codes: Any, scores: Any, drawn: Any, weights: Any = None, *, threads: int | None = None
) -> tuple[Counts, Counts]:
    """Return ``twice`` (R, K, K) and ``micro`` (R, K) of `conditional_sums` for R resamples of the same rows.

    ``drawn`` (R, n) uint8 says how often each row is in each. A column is sorted once for up to 64 resamples.

    >>> drawn = np.array([[1, 1], [2, 0]], dtype=np.uint8)
    >>> twice, micro = conditional_replicates([0, 1], [[0.6, 0.4], [0.3, 0.7]], drawn)
    >>> twice[:, 0, 1].tolist(), micro.sum(axis=1).tolist()
    ([2, 0], [8, 8])
    """
    rows, matrix, importance = class_rows(codes, scores, weights)
    times: Multiplicities = np.ascontiguousarray(drawn)
    if times.dtype != np.uint8 or times.ndim != 2 or times.shape[1] != rows.size:
        raise ValueError(f"drawn must be uint8 of shape (R, {rows.size}), not {times.dtype} {times.shape}")
    if rows.size > MOST_ROWS // MOST_DRAWN and times.sum(axis=1, dtype=np.int64).max(initial=0) > MOST_ROWS:
        raise ValueError(f"a resample holds more than {MOST_ROWS:,} rows, so that its pairs could not be counted")
    used = min(checks.threads(threads, times.size * matrix.shape[1]), max(1, matrix.shape[1]))
    return use.conditional_replicates(rows, matrix, importance, times, used)


def class_rows(codes: Any, scores: Any, weights: Any) -> tuple[Rows, Scores, Scores | None]:
    """Return codes, the matrix of scores (in place where possible) and weights, of one length."""
    if np.size(codes) > MOST_ROWS:
        raise ValueError(
            f"at most {MOST_ROWS:,} rows of several classes are taken, not {np.size(codes):,}: the pairs of more rows "
            "could not be counted"
        )
    rows: Rows = np.array(checks.as_codes(np.asarray(codes), "codes"), dtype=np.int64)
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[0] != rows.size:
        raise ValueError(f"scores must have one row for each of {rows.size} codes, not shape {matrix.shape}")
    if not _readable(matrix):
        flat = checks.as_floats(np.ascontiguousarray(matrix).reshape(-1), "scores")
        matrix = flat.reshape(matrix.shape)
    importance = None if weights is None else checks.as_floats(weights, "weights")
    if importance is not None:
        checks.same_length(rows, importance, "codes and weights")
    return rows, matrix, importance


def _readable(matrix: NDArray[Any]) -> bool:
    """Whether a matrix is float64 in whole, forward steps, one of which is a single number."""
    aligned = matrix.dtype == np.float64 and matrix.flags.aligned and matrix.size > 0
    return aligned and all(step > 0 and step % 8 == 0 for step in matrix.strides) and 8 in matrix.strides
