"""Sums over the rows of a table that variances are made of: of losses, and of what a row adds to average precision."""

from __future__ import annotations

from typing import Any

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import LossMoments, Moments


def loss_moments(
    scores: Any,
    positive: Any,
    negative: Any,
    positive_squares: Any = None,
    negative_squares: Any = None,
    *,
    threads: int | None = None,
) -> LossMoments:
    """Return the sums of the squared error, the log loss and the score of each row, and of their squares, per class.

    ``scores`` (m,) are probabilities in [0, 1], in any order; ``…_squares`` Σw² per score, the counts when None. A
    certain and wrong score makes the log loss +inf; nothing is clipped. A class without weight at a score costs
    nothing there. Raises `KernelInputError` for a score outside [0, 1].

    >>> loss_moments([0.5], [1], [1]).first("brier_score").tolist()
    [0.25, 0.25]
    """
    values = checks.as_floats(scores, "scores")
    first, second = checks.table(positive, negative)
    checks.same_length(values, first, "scores and counts")
    squares = _squares(positive_squares, negative_squares, first)
    return LossMoments(use.loss_moments(values, first, second, *squares, checks.threads(threads, values.size)))


def precision_influence(
    positive: Any,
    negative: Any,
    positive_squares: Any = None,
    negative_squares: Any = None,
    *,
    value: float,
    scales: tuple[float, float] = (1.0, 1.0),
) -> Moments:
    """Return Σw²·part², Σw·part and Σw²·part over the positives, then over the negatives, as (2, 3).

    A part is what a row adds to P times the average precision ``value``. With TP, FP and S = TP + FP at a score,
    scaled by ``scales``, that is TP/S − value + Σ pos·FP/S² for a positive and −Σ pos·TP/S² for a negative, the sums
    over this score and all below. Linear.

    >>> precision_influence([1, 0], [0, 1], value=1.0).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    first, second = checks.table(positive, negative)
    squares = _squares(positive_squares, negative_squares, first)
    return use.precision_influence(first, second, *squares, scales, float(value))


def _squares(positive: Any, negative: Any, counts: Any) -> tuple[Any, Any]:
    """Both columns of squares, or neither."""
    if positive is None or negative is None:
        return None, None
    first, second = checks.as_floats(positive, "positive_squares"), checks.as_floats(negative, "negative_squares")
    checks.same_length(first, counts, "squares and counts")
    checks.same_length(second, counts, "squares and counts")
    return first, second
