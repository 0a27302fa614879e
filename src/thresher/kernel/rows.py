"""Functions of rows: truth, scores and weights in, counts out."""

from __future__ import annotations

import math
import operator
from typing import Any

from thresher.kernel import backend, checks
from thresher.kernel.values import Concordance, Counts, Rows, SpreadRows, TableArrays, ThresholdArrays

MOST_CUTS = 2**24
"""Of rows that are spread: more would take more memory than rows."""


def score_table(
    truth: Any, scores: Any, weights: Any = None, *, squares: bool = False, threads: int | None = None
) -> TableArrays:
    """Count both classes at every distinct score.

    ``truth`` (n,) uint8 or bool of 0 and 1; ``scores`` (n,) without NaN, ±inf allowed, −0.0 equal to 0.0;
    ``weights`` (n,) finite and ≥ 0. Returns the distinct scores, strictly falling, with the weight of each class
    there: int64 counts without weights, float64 sums in row order with them. A score that only has rows of
    weight 0 has no row in the table. ``squares`` adds Σw² of both classes (the counts themselves without
    weights). Raises `KernelInputError` for the first row with a bad value.

    >>> import numpy as np
    >>> table = score_table(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9])
    >>> table.scores.tolist(), table.positive.tolist(), table.negative.tolist()
    ([0.9, 0.2], [1, 1], [0, 1])
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    return backend.active().score_table(codes, values, importance, squares, checks.threads(threads, 2 * codes.size))


def threshold_table(truth: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> ThresholdArrays:
    """Return (thresholds, tp, fp): at every distinct score, falling, the rows of each class that reach it.

    Arguments, types and errors are those of `score_table`, whose columns added up these are. There is no row in
    which nothing is predicted positive.

    >>> import numpy as np
    >>> thresholds, tp, fp = threshold_table(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9])
    >>> thresholds.tolist(), tp.tolist(), fp.tolist()
    ([0.9, 0.2], [1, 2], [0, 1])
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    return backend.active().threshold_table(codes, values, importance, checks.threads(threads, 2 * codes.size))


def bin_rows(truth: Any, scores: Any, weights: Any = None, *, counts: Counts, scale: float, first: int) -> Rows:
    """Add rows to ``counts`` in place and return the numbers of those whose score is in no bin.

    Bin i holds the scores in [(first + i)/scale, (first + i + 1)/scale). ``scale`` is a power of two, so that the
    product is exact and every engine finds the same bin. ``counts`` (bins, 2) int64 of negatives and positives, or
    uint32 of fewer than 2**32 rows, which the caller sees to; with ``weights`` (bins, 4) float64 of Σw of both and Σw²
    of both. Errors are those of `score_table`; what was counted before the bad row stays counted.

    >>> import numpy as np
    >>> counts = np.zeros((2, 2), dtype=np.int64)
    >>> bin_rows(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.7, 1.5], counts=counts, scale=2.0, first=0).tolist()
    [2]
    >>> counts.tolist()
    [[0, 1], [1, 0]]
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    kinds, width = (("int64", "uint32"), 2) if importance is None else (("float64",), 4)
    fits = counts.ndim == 2 and counts.shape[1] == width and counts.dtype.name in kinds
    if not (fits and counts.flags.c_contiguous and counts.flags.writeable):
        raise ValueError(f"counts must be a writable (bins, {width}) array of {' or '.join(kinds)}")
    if not (math.frexp(scale)[0] == 0.5 and math.isfinite(scale)):
        raise ValueError(f"scale must be a power of two, not {scale}")
    return backend.active().bin_rows(codes, values, importance, counts, scale, float(first))


def spread_rows(truth: Any, scores: Any, weights: Any = None, *, cuts: Any) -> SpreadRows:
    """Put rows side by side that lie between the same two of the cuts, which fall; rows of one stretch stay in order.

    Stretch k holds the scores below cuts[k − 1] from cuts[k] on; the first has no upper end, and the last no lower one.
    Errors are those of `score_table`.

    >>> import numpy as np
    >>> found = spread_rows(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.5, 0.9], cuts=[0.5])
    >>> found.scores.tolist(), found.truth.tolist(), found.starts.tolist()
    ([0.5, 0.9, 0.2], [0, 1, 1], [0, 2, 3])
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    ends = checks.as_floats(cuts, "cuts")
    if ends.size > MOST_CUTS or not (ends[:-1] > ends[1:]).all():
        raise ValueError(f"cuts must fall, and be at most {MOST_CUTS:,}")
    return backend.active().spread_rows(codes, values, importance, ends.copy())


def concordance(
    truth: Any, scores: Any, weights: Any = None, *, finite: bool = False, threads: int | None = None
) -> Concordance:
    """Return (twice_u, P, N): pairs of a positive and a negative in order count 2, tied ones 1.

    AUC = twice_u / (2·P·N), undefined when P or N is 0. Without weights all three are exact whole numbers.
    Arguments and errors are those of `score_table`; with ``finite`` infinite scores are refused, too.
    Mann and Whitney (1947).

    >>> import numpy as np
    >>> concordance(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9])
    Concordance(twice_u=3, positives=2, negatives=1)
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    return backend.active().concordance(codes, values, importance, finite, checks.threads(threads, 2 * codes.size))


def confusion(truth: Any, predicted: Any, k: int, weights: Any = None, *, threads: int | None = None) -> Counts:
    """Count the rows of every pair of true class (row) and predicted class (column).

    ``truth`` and ``predicted`` (n,) codes 0 … k − 1 as uint8, uint16, int32 or int64; ``weights`` (n,) finite and
    ≥ 0. Returns (k, k) int64, or with weights float64 sums in row order. Raises `KernelInputError` for the first
    row with a code out of range or a bad weight.

    >>> import numpy as np
    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    rows, columns = checks.as_codes(truth, "truth"), checks.as_codes(predicted, "predicted")
    checks.same_length(rows, columns, "truth and predicted")
    classes = operator.index(k)
    if not 0 <= classes <= checks.MOST_CLASSES:
        raise ValueError(f"k must be between 0 and {checks.MOST_CLASSES}, not {classes}")
    importance = None if weights is None else checks.as_floats(weights, "weights")
    if importance is not None:
        checks.same_length(rows, importance, "truth and weights")
    return backend.active().confusion(rows, columns, classes, importance, checks.threads(threads, rows.size))
