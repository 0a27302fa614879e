"""Volumes under the ROC surface of several classes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.conditional import class_rows
from thresher.kernel.values import Multiplicities, Scores

MOST_CLASSES = 16
"""An assignment is sought over all sets of classes, of which there are 2^K."""


def ordinal_volume(
    codes: Any, scores: Any, classes: int, weights: Any = None, *, drawn: Any = None, threads: int | None = None
) -> tuple[Scores, Scores | None]:
    """Return the chance that one row of each class, drawn at random, have scores that rise with the class.

    ``codes`` (n,) 0 … K − 1, ``scores`` (n,) without NaN, ``classes`` = K, ``weights`` (n,) ≥ 0. m rows tied where the
    order is otherwise right count 1/m!. Returns the value (1,) and each row's part in it (n,): the chance given that
    this row is the one of its class; or with ``drawn`` (R, n) uint8, how often each row is in a resample, values (R,)
    and None. NaN where a class has no weight. O(n log n) once, then O(n) for each resample, and O(m²) for m classes
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
    times: Multiplicities | None = None
    if drawn is not None:
        times = np.ascontiguousarray(drawn)
        if times.dtype != np.uint8 or times.ndim != 2 or times.shape[1] != values.size:
            raise ValueError(f"drawn must be uint8 of shape (R, {values.size}), not {times.dtype} {times.shape}")
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
