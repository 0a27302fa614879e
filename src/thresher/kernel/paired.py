"""Sums over the rows of several scores, from which these are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import backend, checks
from thresher.kernel.values import Cuts, PairedRows


def paired_rows(
    truth: Any,
    scores: NDArray[np.float64],
    placements: NDArray[np.float64],
    weights: Any = None,
    *,
    levels: Sequence[Sequence[float]],
    lower: Sequence[bool],
    threads: int | None = None,
) -> PairedRows:
    """Return the sums of rows that have k scores, and a placement by each: both (k, n) float64 without NaN.

    ``levels`` are the thresholds of each score, in any order; of a score that is ``lower`` for a more positive row they
    are reached from above. Losses of a score that is ``lower`` or leaves [0, 1] are NaN. Rows without weight add
    nothing. The same to the last bit for any number of threads.

    >>> scores = np.array([[0.9, 0.4], [0.6, 0.2]])
    >>> found = paired_rows(np.array([True, False]), scores, scores, levels=[[0.5], []], lower=[False, False])
    >>> found.totals.tolist(), found.second[0].tolist(), found.reached[0].tolist()
    ([1.0, 1.0], [[0.81, 0.54], [0.54, 0.36]], [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    """
    codes, values = checks.as_truth(truth), [np.ascontiguousarray(c, dtype=np.float64) for c in (scores, placements)]
    importance = None if weights is None else checks.as_floats(weights, "weights")
    k = len(levels)
    if any(column.shape != (k, codes.size) for column in values) or len(lower) != k:
        raise ValueError(f"scores and placements must be {k} columns of {codes.size} rows")
    if importance is not None:
        checks.same_length(codes, importance, "truth and weights")
    signs = np.where(np.asarray(lower, dtype=bool), -1.0, 1.0)
    rising = [np.sort(sign * np.asarray(own, dtype=np.float64)) for sign, own in zip(signs, levels, strict=True)]
    starts = np.cumsum([0, *map(len, rising)], dtype=np.int64)
    cuts = Cuts(signs, np.concatenate([*rising, np.zeros(0)]), starts)
    shapes = ((2,), (2, k), (2, k, k), (3, k), (3, k, k), (2, k + int(starts[-1]), k + int(starts[-1])))
    sizes = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    threads = checks.threads(threads, codes.size)
    flat = backend.active().paired_rows(codes, (values[0], values[1]), importance, cuts, int(sizes[-1]), threads)
    parts = [part.reshape(shape) for part, shape in zip(np.split(flat, sizes[:-1]), shapes, strict=True)]
    parts[3][:, signs < 0] = np.nan
    whole = [part if part.ndim < 3 else np.tril(part) + np.swapaxes(np.tril(part, -1), 1, 2) for part in parts]
    return PairedRows(*whole)
