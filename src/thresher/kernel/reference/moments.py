"""Sums that variances of mean losses and of average precision are made of."""

from __future__ import annotations

import numpy as np

from thresher.kernel.reference.rows import first_bad
from thresher.kernel.reference.sums import check_counts
from thresher.kernel.values import Counts, Moments, Scores


def loss_moments(
    scores: Scores,
    positive: Counts,
    negative: Counts,
    positive_squares: Counts | None,
    negative_squares: Counts | None,
    _threads: int,
) -> Moments:
    """Sum w, w² and, for squared error, log loss and score l, w·l, w²·l and w²·l² over the rows of each class."""
    first_bad([("score_nan", np.isnan(scores)), ("score_range", (scores < 0) | (scores > 1))])
    check_counts(positive, negative)
    out = np.zeros((2, 11))
    for side, (counts, squares) in enumerate(((positive, positive_squares), (negative, negative_squares))):
        rows = np.flatnonzero(counts)
        # A class without weight at a score costs nothing there, even if the score rules it out.
        s, weight = scores[rows], counts[rows].astype(np.float64)
        square = weight if squares is None else squares[rows]
        with np.errstate(divide="ignore"):
            losses = ((1 - s) ** 2, -np.log(s), s) if side == 0 else (s**2, -np.log1p(-s), s)
        out[side, :2] = weight.sum(), square.sum()
        for k, loss in enumerate(losses):
            out[side, 2 + 3 * k : 5 + 3 * k] = (
                (weight * loss).sum(),
                (square * loss).sum(),
                (square * loss * loss).sum(),
            )
    return out


def precision_influence(
    positive: Counts,
    negative: Counts,
    positive_squares: Counts | None,
    negative_squares: Counts | None,
    scales: tuple[float, float],
    value: float,
) -> Moments:
    """Sum w²·part², w·part and w²·part over each class, part being what a row adds to P times average precision."""
    check_counts(positive, negative)
    tp, fp = np.cumsum(positive) * scales[0], np.cumsum(negative) * scales[1]
    # 0/0 is a score without rows at the top: nothing of it enters any sum.
    inverse = np.divide(1.0, tp + fp, out=np.zeros(tp.size), where=tp + fp > 0)
    tail = positive * scales[0] * inverse
    u = np.cumsum((tail * (fp * inverse))[::-1])[::-1]
    v = np.cumsum((tail * (tp * inverse))[::-1])[::-1]
    out = np.empty((2, 3))
    sides = (positive, positive_squares, tp * inverse - value + u), (negative, negative_squares, -v)
    for row, (counts, squares, part) in zip(out, sides, strict=True):
        square = counts if squares is None else squares
        row[:] = (square * part * part).sum(), (counts * part).sum(), (square * part).sum()
    return out
