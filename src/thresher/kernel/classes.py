"""Functions of several classes: pairs of rows by the score of each class, and volumes under the ROC surface."""

from __future__ import annotations

import operator
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
    """Return the sums behind the AUCs of several classes and their variances; each column is sorted once.

    ``codes`` (n,) integers 0 … K − 1; ``scores`` (n, K) without NaN, ±inf allowed, of any memory order; ``weights``
    (n,) finite and ≥ 0. Counts are int64 without weights, float64 with them.

    * ``twice`` (K, K): [k, l] is twice the pairs of a row of class k above one of l by column k, tied pairs once; 0 on
      the diagonal. AUC(k given l) = [k, l] / (2·n_k·n_l).
    * ``micro`` (K,): twice the pairs of any true cell (a row's score of its own class) above another cell of column k.
    * ``moments`` (K, 2, 3): Σω, Σω·m and Σω·m² of the shares m that the rows of class k, and all others, miss by column
      k: the share of the others above a row (below it, for others), tied ones once halved. ω is w² (``squared``) or w.
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
    times = _drawn(drawn, rows.size)
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
    return rows, matrix, checks.as_weights(weights, rows, "codes")


def _drawn(drawn: Any, rows: int) -> Multiplicities:
    """Return how often each row is in each resample."""
    times: Multiplicities = np.ascontiguousarray(drawn)
    if times.dtype != np.uint8 or times.ndim != 2 or times.shape[1] != rows:
        raise ValueError(f"drawn must be uint8 of shape (R, {rows}), not {times.dtype} {times.shape}")
    return times


def _readable(matrix: NDArray[Any]) -> bool:
    """Whether a matrix is float64 in whole, forward steps, with one step of a single number."""
    aligned = matrix.dtype == np.float64 and matrix.flags.aligned and matrix.size > 0
    return aligned and all(step > 0 and step % 8 == 0 for step in matrix.strides) and 8 in matrix.strides


MOST_CLASSES = 16
"""An assignment is sought over all 2^K sets of classes."""


def ordinal_volume(
    codes: Any, scores: Any, classes: int, weights: Any = None, *, drawn: Any = None, threads: int | None = None
) -> tuple[Scores, Scores | None]:
    """Return the chance that one row of each class, drawn at random, have scores that rise with the class.

    ``codes`` (n,) 0 … K − 1, ``scores`` (n,) without NaN, ``classes`` = K, ``weights`` (n,) ≥ 0. m rows tied where the
    order is otherwise right count 1/m!. Returns the value (1,) and each row's part in it (n,): the chance given that
    this row is the one of its class; or with ``drawn`` (R, n) uint8, how often each row is in a resample, values (R,)
    and None. NaN where a class is without weight. O(n log n) once, then O(n) for each resample, and O(m²) for m classes
    side by side at one score. Raises `KernelInputError` for the first row with a bad value.

    >>> value, parts = ordinal_volume([0, 1, 2, 1], [1.0, 2.0, 2.0, 0.5], 3)
    >>> value.tolist(), parts.tolist()
    ([0.25], [0.25, 0.5, 0.25, 0.0])

    Mossman (1999); Nakas and Yiannoutsos (2004).
    """
    if operator.index(classes) < 1:
        raise ValueError(f"classes must be at least 1, not {classes}")
    rows, column, importance = class_rows(codes, np.asarray(scores)[:, None], weights)
    values: Scores = np.ascontiguousarray(column[:, 0])
    times = None if drawn is None else _drawn(drawn, values.size)
    used = checks.threads(threads, values.size * (1 if times is None else len(times)))
    return use.ordinal_volume(rows, values, classes, importance, times, used)


def assignment_credit(scores: Any, tuples: Any, *, tolerance: float = 1e-12, threads: int | None = None) -> Scores:
    """Return for each tuple of K rows whether giving row i to class i has the largest sum of scores: 1/m of m ties.

    ``scores`` (n, K) finite, K ≤ 16; ``tuples`` (T, K) row numbers, one of each class in order. Sums within the
    tolerance are tied.

    >>> assignment_credit([[0.6, 0.4], [0.5, 0.5], [0.2, 0.8]], [[0, 1], [0, 2], [1, 0], [1, 1]]).tolist()
    [1.0, 1.0, 0.0, 0.5]
    """
    chosen = np.array(tuples, dtype=np.int64, order="C")
    matrix = np.asarray(scores)
    _, matrix, _ = class_rows(np.zeros(len(matrix), dtype=np.int64), matrix, None)
    rows, classes = matrix.shape
    if not 1 <= classes <= MOST_CLASSES:
        raise ValueError(f"assignments are of 1 to {MOST_CLASSES} classes, not {classes}")
    if chosen.ndim != 2 or chosen.shape[1] != classes:
        raise ValueError(f"tuples must have one row number for each of {classes} classes, not shape {chosen.shape}")
    if chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < rows:
        raise ValueError(f"tuples name rows 0 … {rows - 1}")
    if not np.isfinite(matrix).all():
        raise ValueError("scores must be finite")
    return use.assignment(matrix, chosen, float(tolerance), checks.threads(threads, 8 * chosen.size))
