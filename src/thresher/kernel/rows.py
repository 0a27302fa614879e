"""Functions of rows: truth, scores and weights in, counts out."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import (
    Concordance,
    Counts,
    CurveName,
    CurvePoints,
    JointCounts,
    Placements,
    Rows,
    Scores,
    TableArrays,
)

PAGES, MOST_BITS = 8192, 24
"""Pages of rounded scores, and the bits of a score."""


def score_table(
    truth: Any,
    scores: Any,
    weights: Any = None,
    *,
    squares: bool = False,
    threads: int | None = None,
) -> TableArrays:
    """Count both classes at every distinct score.

    ``truth`` (n,) uint8 or bool of 0 and 1; ``scores`` (n,) without NaN, ±inf allowed, −0.0 equal to 0.0; ``weights``
    (n,) finite and ≥ 0. Returns the distinct scores, strictly falling, with the weight of each class there: without
    weights counts of the smallest type of int8, int32 and int64 that holds all, with them float64 sums in row order. A
    score with only zero-weight rows is left out. ``squares`` adds Σw² of both classes (the counts themselves without
    weights). Raises `KernelInputError` for the first row with a bad value.

    >>> import numpy as np
    >>> table = score_table(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9])
    >>> table.scores.tolist(), table.positive.tolist(), table.negative.tolist()
    ([0.9, 0.2], [1, 1], [0, 1])
    """
    rows = checks.rows(truth, scores, weights)
    return use.score_table(*rows, squares, checks.threads(threads, 2 * rows[0].size))


def count_rounded(
    truth: Any,
    scores: Any,
    weights: Any = None,
    *,
    counts: Counts,
    pages: NDArray[np.int32],
    apart: Rows,
    bits: int,
    lower: bool = False,
) -> Rows:
    """Add rows to ``counts`` in place by their rounded scores; return the rows without a place.

    Scores keep ``bits`` significant bits: those in (0.5, 1) by their distance from 1, others by their own value, 0 or
    2**−960 if smaller. The score is rounded down, or up with ``lower``. Sign and exponent are its page, a number below
    4,096, and 4,096 more for the former unless it is rounded to 0.5. ``pages`` (8192) int32 holds twice the place of a
    page's counts, plus one if the page has places ``apart`` (rising), which are not counted; −1 for a closed page.
    ``counts`` (2**(bits − 1) a page, 2) int64 of negatives and positives, or uint32 (the caller ensures fewer than
    2**32 rows); with ``weights`` (…, 4) float64 of Σw of both and Σw² of both. Errors are as in `score_table`; rows
    before the bad one stay counted.

    >>> import numpy as np
    >>> pages = np.full(8192, -1, dtype=np.int32)
    >>> pages[1020] = 0  # from 1/8 to 1/4
    >>> counts = np.zeros((128, 2), dtype=np.int64)
    >>> none = np.zeros(0, dtype=np.int64)
    >>> count_rounded(np.array([1, 0], dtype=np.uint8), [0.126, 0.9], counts=counts, pages=pages, apart=none, bits=8)
    array([1])
    >>> np.argwhere(counts).tolist()
    [[1, 1]]
    """
    codes, values, importance = checks.rows(truth, scores, weights)
    kinds, width = (("int64", "uint32"), 2) if importance is None else (("float64",), 4)
    fits = counts.ndim == 2 and counts.shape[1] == width and counts.dtype.name in kinds
    if not (fits and counts.flags.c_contiguous and counts.flags.writeable):
        raise ValueError(f"counts must be a writable (places, {width}) array of {' or '.join(kinds)}")
    are_pages = pages.shape == (PAGES,) and pages.dtype == np.int32 and pages.flags.c_contiguous
    if not are_pages or not 2 <= bits <= MOST_BITS or (int(pages.max()) >> 1) + 1 > len(counts) >> (bits - 1):
        raise ValueError(f"pages must be {PAGES:,} int32, and each open page needs room in the counts")
    places = np.ascontiguousarray(apart, dtype=np.int64)
    return use.count_rounded(codes, values, importance, counts, pages, places, bits, lower)


def rounded(scores: Any, bits: int, *, lower: bool = False) -> Scores:
    """Round scores to ``bits`` significant bits, in (0.5, 1) relative to 1 − score, as `count_rounded` does.

    Those beyond ±2**960, and NaN, stay as they are.

    >>> rounded([0.1, 0.9], 8).tolist(), rounded([0.1, 0.9], 8, lower=True).tolist()
    ([0.099609375, 0.89990234375], [0.10009765625, 0.900390625])
    """
    if not 2 <= bits <= MOST_BITS:
        raise ValueError(f"bits must be between 2 and {MOST_BITS}, not {bits}")
    return use.rounded(checks.as_floats(scores, "scores"), bits, lower)


def merged_scores(a: Any, b: Any, *, lower: bool = False) -> tuple[Scores, Rows, Rows]:
    """Merge the scores of two tables; return them and the merged row of each original score.

    Scores fall strictly, or rise with ``lower``.

    >>> [each.tolist() for each in merged_scores([0.9, 0.4], [0.9, 0.5])]
    [[0.9, 0.5, 0.4], [0, 2], [0, 1]]
    """
    return use.merged_scores(checks.as_floats(a, "a"), checks.as_floats(b, "b"), lower)


def joint_cells(
    scores: Sequence[Any],
    positive: Any,
    negative: Any | None,
    *,
    bits: int,
    lower: Sequence[bool],
    thresholds: Sequence[Sequence[float]],
    most: int,
) -> JointCounts | None:
    """Add up rows with equal rounded scores; return None for more than ``most`` cells.

    ``scores`` has a column (rows,) per model, without NaN. Each is rounded to ``bits`` as `count_rounded` does, up
    where its ``lower`` is true, and moved to the last of its ``thresholds`` in between. ``positive`` and ``negative``
    (rows,) int64 or float64 are the weights of each row; with None for ``negative`` each row counts once, and
    ``positive`` is its truth, as `score_table` takes it.

    >>> found = joint_cells(
    ...     [[0.51, 0.2, 0.52]], [1, 0, 1], [0, 1, 0], bits=4, lower=[False], thresholds=[[]], most=9
    ... )
    >>> found.scores.tolist(), found.positive.tolist(), found.negative.tolist()
    ([[0.1875, 0.5]], [0, 2], [1, 0])
    """
    columns = [checks.as_floats(column, "scores") for column in scores]
    if negative is None:
        positive = checks.as_truth(positive)
    else:
        positive, negative = checks.table(positive, negative)
    if not columns or any(column.size != positive.size for column in columns):
        raise ValueError("each column of scores must be as long as the counts")
    if not len(columns) == len(lower) == len(thresholds) or not 2 <= bits <= MOST_BITS or most >= 2**31:
        raise ValueError(f"there must be 2 to {MOST_BITS} bits, and a direction and thresholds for every model")
    cuts = [np.sort(np.asarray(each, dtype=np.float64)) for each in thresholds]
    ends = np.array(lower, dtype=np.uint8)
    return use.joint_cells(columns, positive, negative, bits, ends, cuts, most)


def concordance(truth: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> Concordance:
    """Return (twice_u, P, N): pairs of a positive and a negative in order count 2, tied ones 1.

    AUC = twice_u / (2·P·N), undefined when P or N is 0. Without weights all three are exact whole numbers. Arguments
    and errors are as in `score_table`. Mann and Whitney (1947).

    >>> import numpy as np
    >>> concordance(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9])
    Concordance(twice_u=3, positives=2, negatives=1)
    """
    rows = checks.rows(truth, scores, weights)
    return use.concordance(*rows, checks.threads(threads, 2 * rows[0].size))


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
    importance = checks.as_weights(weights, rows, "truth")
    return use.confusion(rows, columns, classes, importance, checks.threads(threads, rows.size))


def curve_points(
    truth: Any,
    scores: Any,
    weights: Any = None,
    *,
    curve: CurveName,
    drop: bool = False,
    rising: bool = False,
    threads: int | None = None,
) -> CurvePoints:
    """Return (x, y, thresholds) of the ROC (FPR, TPR) or of the precision–recall curve (recall, precision).

    The first point is the one at which nothing is predicted positive, with threshold +inf: (0, 0), or (0, 1) by
    convention; then one for every distinct score, falling. ``drop`` leaves out redundant points: on the ROC those
    half-way between their neighbors, on the precision–recall curve those with the recall of both neighbors. ``rising``
    gives the same points in the opposite order. A rate of an absent class is NaN. Arguments and errors are as in
    `score_table`.

    >>> points = curve_points(np.array([1, 0, 1], dtype=np.uint8), [0.2, 0.2, 0.9], curve="roc")
    >>> points.x.tolist(), points.y.tolist(), points.thresholds.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0], [inf, 0.9, 0.2])
    """
    rows = checks.rows(truth, scores, weights)
    used = checks.threads(threads, 2 * rows[0].size)
    if rows[2] is None:
        points = use.curve_points(*rows[:2], curve, drop, rising, used)
    else:
        from thresher.kernel.reference.rows import points_of

        points = points_of(use.score_table(*rows, False, used).cumulated(), curve, drop, rising)
    x, y, thresholds = points
    first, last = (-1, 0) if rising else (0, -1)
    if x.size > 1:
        # NaN where the class is absent, which makes the whole rate undefined; else 0.
        x[first] = x[last] - x[last]
        y[first] = y[last] - y[last] if curve == "roc" else 1.0
    thresholds[first] = np.inf
    return points


def average_precision(truth: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> float:
    """Return Σ (R_k − R_{k−1})·P_k over falling distinct scores, the step area under precision and recall.

    NaN without positives. Arguments and errors are as in `score_table`. `pr_areas` gives the same from a table.

    >>> round(average_precision(np.array([1, 0, 1], dtype=np.uint8), [0.9, 0.5, 0.2]), 6)
    0.833333
    """
    rows = checks.rows(truth, scores, weights)
    used = checks.threads(threads, 2 * rows[0].size)
    if rows[2] is None:
        return use.average_precision(*rows[:2], used)
    table = use.score_table(*rows, False, used)
    return use.pr_areas(table.positive, table.negative, used).step


def placements(truth: Any, scores: Any, weights: Any = None, *, threads: int | None = None) -> Placements:
    """Return twice the weight of the misranked rows of the other class, for every row by each score; ties count once.

    ``truth`` (n,) uint8 or bool; ``scores`` (k, n), one score a row, without NaN, ±inf allowed; ``weights`` (n,) finite
    and ≥ 0. ``positive`` (k, P): twice the weight of the negatives above each positive, once the weight of tied ones;
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
    importance, used = checks.as_weights(weights, codes, "truth"), checks.threads(threads, codes.size)
    return use.placements(codes, flat.reshape(matrix.shape), importance, used)


def extent(values: Any, *, threads: int | None = None) -> tuple[float, float]:
    """Return the least and the greatest of some numbers of any shape; both are NaN where one is, and for no numbers.

    >>> extent([0.5, -1.0, 2.0])
    (-1.0, 2.0)
    """
    column = checks.as_floats(np.ravel(values, order="K"), "values")
    return use.extent(column, checks.threads(threads, column.size))


def squared_error(truth: Any, probabilities: Any, *, threads: int | None = None) -> float:
    """Return Σ (p − y)² over rows of a truth y of 0 and 1 (uint8 or bool) and probabilities p of its 1.

    The same to the last bit for any number of threads. Raises `KernelInputError` for the first row with a truth other
    than 0 and 1, or a probability outside [0, 1]. Brier (1950).

    >>> squared_error(np.array([True, False]), [0.5, 1.0])
    1.25
    """
    codes, values = checks.as_truth(truth), checks.as_floats(probabilities, "probabilities")
    checks.same_length(codes, values, "truth and probabilities")
    return use.squared_error(codes, values, checks.threads(threads, codes.size))
