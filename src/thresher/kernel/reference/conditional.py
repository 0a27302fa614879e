"""For every pair of classes: how the rows of the first stand above those of the second, by the first's own score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, weight_checks
from thresher.kernel.values import Counts, Kind, Scores


def conditional_concordance(codes: NDArray[np.int64], columns: Scores, weights: Scores | None, threads: int) -> Counts:
    """Count, for classes k and l, pairs of a row of k above one of l by column k twice, tied pairs once.

    ``columns`` (K, n) holds one class a row. A row of class l has, by column k, the rows of k above it, doubled, and
    those tied with it; these are added up by l.
    """
    checks: list[tuple[Kind, NDArray[np.bool_]]] = [("truth_code", (codes < 0) | (codes >= len(columns)))]
    first_bad(checks + ([] if weights is None else weight_checks(weights)))
    first_bad([("score_nan", np.isnan(columns).any(axis=0))])
    importance = np.ones(codes.size, dtype=np.int64) if weights is None else weights
    twice = np.zeros((len(columns), len(columns)), dtype=importance.dtype)
    for k, scores in enumerate(columns):
        distinct, group = np.unique(-scores, return_inverse=True)
        own = np.zeros(distinct.size, dtype=importance.dtype)
        np.add.at(own, group[codes == k], importance[codes == k])
        reached = 2 * np.cumsum(own) - own
        np.add.at(twice[k], codes, importance * reached[group])
        twice[k, k] = 0
    return twice
