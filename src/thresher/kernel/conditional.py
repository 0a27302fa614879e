"""Functions of several score columns, one for every class."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.kernel import backend, checks
from thresher.kernel.values import Counts


def conditional_concordance(codes: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> Counts:
    """Return (K, K) counts: [k, l] is twice the pairs of a row of class k above one of l by column k, tied pairs once.

    ``codes`` (n,) integers 0 … K − 1; ``scores`` (n, K) without NaN, ±inf allowed; ``weights`` (n,) finite and ≥ 0.
    int64 without weights, float64 with them; 0 on the diagonal. AUC(k given l) = [k, l] / (2·n_k·n_l). Each column
    is sorted once. Raises `KernelInputError` for the first row with a bad value. Hand and Till (2001).

    >>> conditional_concordance([0, 1, 1], [[0.6, 0.4], [0.6, 0.4], [0.1, 0.9]]).tolist()
    [[0, 3], [3, 0]]
    """
    rows = np.ascontiguousarray(checks.as_codes(np.asarray(codes), "codes"), dtype=np.int64)
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[0] != rows.size:
        raise ValueError(f"scores must have one row for each of {rows.size} codes, not shape {matrix.shape}")
    flat = checks.as_floats(np.ascontiguousarray(matrix.T).reshape(-1), "scores")
    columns = flat.reshape(matrix.shape[1], rows.size)
    importance = None if weights is None else checks.as_floats(weights, "weights")
    if importance is not None:
        checks.same_length(rows, importance, "codes and weights")
    return backend.active().conditional_concordance(rows, columns, importance, checks.threads(threads, flat.size))
