"""From rows to counts: one sort, then sums within equal scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.rounding import kept_apart, rounded, rounded_bits
from thresher.kernel.values import (
    Concordance,
    Counts,
    CurveName,
    CurvePoints,
    JointCounts,
    KernelInputError,
    Placements,
    Rows,
    Scores,
    TableArrays,
    ThresholdArrays,
    Truth,
)


def keep_memory(more: int) -> None:
    """Nothing is kept: NumPy's arrays are of the system's memory."""


def first_bad(checks: list[tuple[str, Any]]) -> None:
    """Raise for the first row that fails a check; within a row the checks rank as listed."""
    bad = np.logical_or.reduce([mask for _, mask in checks])
    if bad.any():
        row = int(bad.argmax())
        raise KernelInputError(next(kind for kind, mask in checks if mask[row]), row)


def weight_checks(weights: Scores | None) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return the fault of each weight."""
    return (
        []
        if weights is None
        else [
            ("weight_nan", np.isnan(weights)),
            ("weight_negative", weights < 0),
            ("weight_infinite", np.isinf(weights)),
        ]
    )


def check_rows(truth: Truth, scores: Scores, weights: Scores | None) -> None:
    """Refuse labels other than 0 and 1, NaN scores, and weights that are negative or not finite.

    Zero-weight rows are checked like the others: a NaN score is a fault of the data, whatever it weighs.
    """
    first_bad([("truth", truth > 1), ("score_nan", np.isnan(scores)), *weight_checks(weights)])


def score_table(truth: Truth, scores: Scores, weights: Scores | None, squares: bool, _threads: int) -> TableArrays:
    """Count both classes at every distinct score, whole counts in the smallest type that holds all."""
    table = _table(truth, scores, weights, squares)
    if weights is not None:
        return table
    counts = narrowed(table.positive, table.negative)
    return TableArrays(table.scores, *counts, *(counts if squares else (None, None)))


def narrowed(*columns: Counts) -> list[Counts]:
    """Return whole counts in the smallest type of int8, int32 and int64 that holds all."""
    most = max(int(column.max(initial=0)) for column in columns)
    kind = next(kind for kind in (np.int8, np.int32, np.int64) if most <= np.iinfo(kind).max)
    return [column.astype(kind) for column in columns]


def _table(truth: Truth, scores: Scores, weights: Scores | None, squares: bool = False) -> TableArrays:
    """Count both classes at every distinct score, falling.

    Weights are added in row order within a score and class, one after the other (`bincount` does), so that the
    result does not depend on how the sort was done.
    """
    check_rows(truth, scores, weights)
    if weights is not None:
        counted = weights > 0
        truth, scores, weights = truth[counted], scores[counted], weights[counted]
    order = np.argsort(-scores, kind="stable")
    falling, truth = scores[order] + 0.0, truth[order]
    first = np.ones(falling.size, dtype=np.bool_)
    first[1:] = falling[1:] != falling[:-1]
    group = np.cumsum(first) - 1
    distinct = falling[first]

    def total(values: Scores | None) -> list[Counts]:
        kind = np.int64 if values is None else np.float64
        sums = np.bincount(2 * group + truth, weights=values, minlength=2 * distinct.size).astype(kind, copy=False)
        return [sums[1::2], sums[::2]]

    ordered = None if weights is None else weights[order]
    sums = total(ordered) + (total(None if ordered is None else ordered * ordered) if squares else [None, None])
    return TableArrays(distinct, *sums)


def twice_mann_whitney(positive: Counts, negative: Counts) -> Concordance:
    """Count, for every negative, twice the positives above it and once those tied with it."""
    p, n = total(positive), total(negative)
    if positive.dtype == np.int64 and 2 * int(p) * int(n) >= 2**63:
        positive, negative = positive.astype(object), negative.astype(object)
    pairs = np.sum(negative * (2 * (np.cumsum(positive) - positive) + positive))
    return Concordance(int(pairs) if isinstance(p, int) else float(pairs), p, n)


def total(counts: Counts) -> int | float:
    """Add counts one after the other, as the cumulative columns do, so that both agree to the last bit."""
    if not counts.size:
        return 0 if counts.dtype == np.int64 else 0.0
    last: int | float = np.cumsum(counts)[-1].item()
    return last


def count_rounded(
    truth: Truth, scores: Scores, weights: Scores | None, counts: Counts, pages: NDArray[np.int32], apart: Rows,
    bits: int, lower: bool,
) -> Rows:  # fmt: skip
    """Add rows to the counts of their rounded scores; return those without a place."""
    check_rows(truth, scores, weights)
    near_one, word = rounded_bits(scores, bits, lower)
    at_half = (word >> np.uint64(52)).astype(np.int64)
    page = pages[at_half + 4096 * (near_one & (at_half < 1022))]
    mantissa = (word & np.uint64(2**52 - 1)) >> np.uint64(53 - bits)
    place = ((page.astype(np.int64) >> 1) << (bits - 1)) | mantissa.astype(np.int64)
    inside = (page >= 0) & ~((page & 1 != 0) & np.isin(place, apart))
    at = place[inside], truth[inside]
    if weights is None:
        np.add.at(counts, at, 1)
    else:
        np.add.at(counts[:, :2], at, weights[inside])
        np.add.at(counts[:, 2:], at, weights[inside] ** 2)
    return np.flatnonzero(~inside)


def merged_scores(a: Scores, b: Scores, lower: bool) -> tuple[Scores, Rows, Rows]:
    """Merge the scores of two tables; return them and the merged row of each original score."""
    sign = 1.0 if lower else -1.0
    rising, row = np.unique(sign * np.concatenate([a, b]), return_inverse=True)
    return sign * rising, row[: a.size], row[a.size :]


def joint_cells(
    scores: Sequence[Scores], positive: Counts, negative: Counts | None, bits: int, lower: Truth,
    thresholds: Sequence[Scores], most: int,
) -> JointCounts | None:  # fmt: skip
    """Put rows with equal rounded scores together; None beyond the allowed number of cells."""
    if negative is None:
        first_bad([("truth", positive > 1)])
        positive, negative = positive.astype(np.int64), 1 - positive.astype(np.int64)
    near = np.stack([
        kept_apart(column, rounded(column, bits, bool(low)), cuts, bool(low))
        for column, low, cuts in zip(scores, lower, thresholds, strict=True)
    ])  # fmt: skip
    order = np.lexsort(near[::-1])
    near = near[:, order]
    starts = np.flatnonzero(np.append(True, (near[:, 1:] != near[:, :-1]).any(axis=0))[: order.size])
    if starts.size > most:
        return None
    sums = [np.add.reduceat(rows[order], starts) if starts.size else rows for rows in (positive, negative)]
    return JointCounts(near[:, starts], *sums)


def concordance(truth: Truth, scores: Scores, weights: Scores | None, threads: int) -> Concordance:
    """Count the pairs of a positive and a negative that the score puts in order."""
    table = _table(truth, scores, weights)
    return twice_mann_whitney(table.positive, table.negative)


def confusion(truth: NDArray[Any], predicted: NDArray[Any], k: int, weights: Scores | None, _threads: int) -> Counts:
    """Count the rows of every pair of true and predicted class."""
    bad_truth, bad_predicted = ((codes < 0) | (codes >= k) for codes in (truth, predicted))
    first_bad([("truth_code", bad_truth), ("predicted_code", bad_predicted), *weight_checks(weights)])
    cell = truth.astype(np.int64) * k + predicted.astype(np.int64)
    kind = np.int64 if weights is None else np.float64
    return np.bincount(cell, weights=weights, minlength=k * k).astype(kind, copy=False).reshape(k, k)


def needed(table: ThresholdArrays, curve: CurveName) -> NDArray[np.bool_]:
    """Return which thresholds a drawing needs: the first, the last, and those not implied by their neighbors.

    A point of the ROC half-way between both neighbors is not needed; nor is one of the precision–recall curve with
    the same recall as both.
    """
    keep = np.ones(table.thresholds.size, dtype=np.bool_)
    if keep.size > 2:
        if curve == "roc":
            keep[1:-1] = (np.diff(table.fp, 2) != 0) | (np.diff(table.tp, 2) != 0)
        else:
            rises = np.diff(table.tp) != 0
            keep[1:-1] = rises[:-1] | rises[1:]
    return keep


def points_of(table: ThresholdArrays, curve: CurveName, drop: bool, rising: bool) -> CurvePoints:
    """Return the points of a curve from the counts at every threshold; the place of the first is left at 0."""
    tp, fp = table.tp.astype(np.float64), table.fp.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (fp / fp[-1:], tp / tp[-1:]) if curve == "roc" else (tp / tp[-1:], tp / (tp + fp))
    columns = x, y, table.thresholds
    if drop:
        keep = needed(table, curve)
        columns = x[keep], y[keep], table.thresholds[keep]
    if rising:
        return CurvePoints(*(np.append(column[::-1], 0.0) for column in columns))
    return CurvePoints(*(np.append(0.0, column) for column in columns))


def curve_points(truth: Truth, scores: Scores, curve: CurveName, drop: bool, rising: bool, threads: int) -> CurvePoints:
    """Return the points of a curve from the top."""
    return points_of(_table(truth, scores, None).cumulated(), curve, drop, rising)


def average_precision(truth: Truth, scores: Scores, threads: int) -> float:
    """Add up precision times the recall gained, over the scores that positives have."""
    table = _table(truth, scores, None)
    positives = total(table.positive)
    if not positives:
        return math.nan
    tp, fp = np.cumsum(table.positive), np.cumsum(table.negative)
    gained = table.positive > 0
    return float(np.sum(table.positive[gained] * (tp[gained] / (tp[gained] + fp[gained]))) / positives)


def placements(truth: Truth, columns: Scores, weights: Scores | None, threads: int) -> Placements:
    """Give each positive twice the weight of negatives above it, and each negative twice the weight of positives below.

    ``columns`` (k, n) holds one score a row. Ties count once.
    """
    first_bad([("truth", truth > 1), *weight_checks(weights)])
    first_bad([("score_nan", np.isnan(columns).any(axis=0))])
    kind = np.int64 if weights is None else np.float64
    is_positive = truth == 1
    found = Placements(
        np.zeros((len(columns), int(is_positive.sum())), dtype=kind),
        np.zeros((len(columns), int((~is_positive).sum())), dtype=kind),
    )
    for k, scores in enumerate(columns):
        # Distinct scores, rising: a negative misses the positives before it, a positive the negatives after it.
        distinct, group = np.unique(scores, return_inverse=True)
        both = np.bincount(2 * group + truth, weights, 2 * distinct.size)
        negative, positive = both[::2], both[1::2]
        found.positive[k] = _reached(negative[::-1])[::-1][group[is_positive]]
        found.negative[k] = _reached(positive)[group[~is_positive]]
    return found if weights is not None or truth.size >= 2**30 else Placements(*(c.astype(np.int32) for c in found))


def _reached(sums: Counts) -> Counts:
    """Return twice the sum before each item plus the item, without adding it twice: so nothing cancels."""
    before = np.concatenate([np.zeros(1, dtype=sums.dtype), np.cumsum(sums)[:-1]]) if sums.size else sums
    return np.asarray(2 * before + sums)


def extent(values: Scores, _threads: int) -> tuple[float, float]:
    """Find the least and the greatest number."""
    return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)


def squared_error(truth: NDArray[Any], probabilities: Scores, threads: int) -> float:
    """Add the squared distances of probabilities from the truth."""
    first_bad(
        [
            ("truth", (truth < 0) | (truth > 1)),
            ("score_nan", np.isnan(probabilities)),
            ("score_range", ~((probabilities >= 0) & (probabilities <= 1))),
        ]
    )
    return float(np.square(probabilities - truth).sum())
