"""For every pair of classes: how the rows of the first stand above those of the second, by the first's own score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, weight_checks
from thresher.kernel.values import ConditionalSums, Counts, Kind, Multiplicities, Scores

Codes = NDArray[np.int64]


def conditional_sums(
    codes: Codes, matrix: Scores, weights: Scores | None, squared: bool, coefficients: Scores | None, threads: int
) -> ConditionalSums:
    """Count, for classes k and l, pairs of a row of k above one of l by column k twice, tied pairs once; and so on.

    A row has, by column k, the rows of k above it, doubled, and those tied with it; these are added up by class.
    """
    check_class_rows(codes, matrix, weights)
    n, classes = matrix.shape
    w: Any = np.ones(n, dtype=np.int64) if weights is None else weights
    totals = np.zeros(classes, dtype=w.dtype)
    np.add.at(totals, codes, w)
    own_scores = matrix[np.arange(n), codes]
    twice, micro = np.zeros((classes, classes), w.dtype), np.zeros(classes, w.dtype)
    moments = np.zeros((classes, 2, 3))
    sets = 0 if coefficients is None else len(coefficients)
    influence, own, others = np.zeros((sets, n)), np.zeros(n, w.dtype), np.zeros(n, w.dtype)
    counted = w > 0
    for k, scores in enumerate(matrix.T):
        mine = codes == k
        reached, passed = _twice_above(scores, scores, mine * w), _twice_above(scores, scores, ~mine * w)
        np.add.at(twice[k], codes, w * reached)
        twice[k, k] = 0
        true_above = _twice_above(scores, own_scores, w)
        micro[k] = (w * true_above)[~mine].sum()
        others += np.where(~mine & counted, true_above, 0)
        own += _twice_below(own_scores, scores, ~mine * w) * counted
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = np.where(mine, passed / (2 * (w.sum() - totals[k])), 1 - reached / (2 * totals[k]))
        omega = w * w if squared else w
        for side, rows in enumerate((mine & counted, ~mine & counted)):
            moments[k, side] = [(omega * missed**power)[rows].sum() for power in range(3)]
        for j in range(sets):
            assert coefficients is not None
            influence[j] += _part(k, codes, scores, w, totals, coefficients[j, k]) * counted
    if coefficients is None:
        return ConditionalSums(twice, micro, moments, None, None, None)
    return ConditionalSums(twice, micro, moments, influence, own, others)


def conditional_replicates(
    codes: Codes, matrix: Scores, weights: Scores | None, drawn: Multiplicities, threads: int
) -> tuple[Counts, Counts]:
    """Count the same pairs in every resample: rows that are drawn so often weigh so much more."""
    check_class_rows(codes, matrix, weights)
    every: Any = np.ones(codes.size, dtype=np.int64) if weights is None else weights
    classes = matrix.shape[1]
    twice = np.zeros((len(drawn), classes, classes), every.dtype)
    micro = np.zeros((len(drawn), classes), every.dtype)
    for r, times in enumerate(drawn):
        rows = np.flatnonzero(times * every)
        found = conditional_sums(
            codes[rows], matrix[rows], (times * every)[rows].astype(np.float64), True, None, threads
        )
        twice[r], micro[r] = found.twice, found.micro
    return twice, micro


def check_class_rows(codes: Codes, matrix: Scores, weights: Scores | None) -> None:
    """Raise for the first row with a bad code, weight or score."""
    checks: list[tuple[Kind, NDArray[np.bool_]]] = [("truth_code", (codes < 0) | (codes >= matrix.shape[1]))]
    first_bad(checks + ([] if weights is None else weight_checks(weights)))
    first_bad([("score_nan", np.isnan(matrix).any(axis=1))])


def _twice_above(scores: Scores, others: Scores, weights: Any) -> Any:
    """Twice the weight of the others above each score, and once that of those equal to it."""
    order = np.argsort(-others, kind="stable")
    ranked, total = -others[order], np.concatenate([np.zeros(1, weights.dtype), np.cumsum(weights[order])])
    return total[np.searchsorted(ranked, -scores, "left")] + total[np.searchsorted(ranked, -scores, "right")]


def _twice_below(scores: Scores, others: Scores, weights: Any) -> Any:
    """Twice the weight of the others below each score, and once that of those equal to it."""
    return _twice_above(-scores, -others, weights)


def _part(k: int, codes: Codes, scores: Scores, w: Any, totals: Any, c: Scores) -> Any:
    """What column k adds to the influence of every row on Σ_l c[l]·AUC(k given l)."""
    mine = codes == k
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(mine | (w == 0), 0.0, c[codes] * w / totals[codes])
        above = c[codes] * _twice_above(scores, scores, mine * w) / (2 * totals[k])
    others = above if totals[k] else 0.0
    return np.where(mine, _twice_below(scores, scores, level) / 2, others)
