"""Placements of each row among the other class, by several scores of the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import Placements


def placements(truth: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> Placements:
    """Return, by each score, what every positive and every negative misses of the other class.

    ``truth`` (n,) uint8 or bool; ``scores`` (k, n), one score a row, without NaN, ±inf allowed; ``weights`` (n,) finite
    and ≥ 0. ``positive`` (k, P): twice the weight of the negatives above each positive, once that of those tied;
    ``negative`` (k, N): the same for the positives below each negative. Both are in the order of rows: float64 with
    weights, else int32, and int64 from 2**30 rows on. The share of negatives below a positive is 1 − missed/(2N), of
    which DeLong's variances and covariances are made; the AUC is 1 − Σ w·missed/(2PN). Two scores that rank the rows
    alike get equal arrays, to the last bit. Raises `KernelInputError` for the first row with a bad value. Each score is
    sorted once.

    >>> found = placements(np.array([1, 0, 1], dtype=np.uint8), [[3.0, 2.0, 1.0], [3.0, 1.0, 1.0]])
    >>> found.positive.tolist(), found.negative.tolist()
    ([[0, 2], [0, 1]], [[2], [1]])

    DeLong et al. (1988); Sun and Xu (2014).
    """
    codes = checks.as_truth(truth).copy()
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[1] != codes.size:
        raise ValueError(f"scores must have one column for each of {codes.size} truths, not shape {matrix.shape}")
    flat = checks.as_floats(np.ascontiguousarray(matrix).reshape(-1), "scores")
    importance = None if weights is None else checks.as_floats(weights, "weights")
    if importance is not None:
        checks.same_length(codes, importance, "truth and weights")
    used = checks.threads(threads, codes.size)
    return use.placements(codes, flat.reshape(matrix.shape), importance, used)


def products(a: Any, b: Any, *, threads: int | None = None) -> int:
    """Return Σ a·b of two columns of int32 that are not negative, as placements are; nothing is rounded.

    >>> column = np.array([2**31 - 1, 3], dtype=np.int32)
    >>> products(column, column) == (2**31 - 1) ** 2 + 9
    True
    """
    one, two = (np.ascontiguousarray(column, dtype=np.int32) for column in (a, b))
    checks.same_length(one, two, "both columns")
    return use.products(one, two, checks.threads(threads, one.size))
