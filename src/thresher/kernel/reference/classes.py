"""Several classes: pairs of rows of two classes in order by the score of one, and volumes under the ROC surface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, weight_checks
from thresher.kernel.values import ConditionalSums, Counts, Multiplicities, Rows, Scores

Codes = NDArray[np.int64]


def conditional_sums(
    codes: Codes, matrix: Scores, weights: Scores | None, squared: bool, coefficients: Scores | None, threads: int
) -> ConditionalSums:
    """Count, for classes k and l, pairs of a row of k above one of l by column k twice, tied pairs once; and so on.

    A row has, by column k, the rows of k above it, doubled, and those tied with it; these are added up by class.
    """
    check_class_rows(codes, matrix, weights, matrix.shape[1])
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
    check_class_rows(codes, matrix, weights, matrix.shape[1])
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


def check_class_rows(codes: Codes, matrix: Scores, weights: Scores | None, classes: int) -> None:
    """Raise for the first row with a bad code, weight or score."""
    first_bad([("truth_code", (codes < 0) | (codes >= classes)), *weight_checks(weights)])
    first_bad([("score_nan", np.isnan(matrix).any(axis=1))])


def _twice_above(scores: Scores, others: Scores, weights: Any) -> Any:
    """Twice the weight of the others above each score, and once the weight of equal ones."""
    order = np.argsort(-others, kind="stable")
    ranked, total = -others[order], np.concatenate([np.zeros(1, weights.dtype), np.cumsum(weights[order])])
    return total[np.searchsorted(ranked, -scores, "left")] + total[np.searchsorted(ranked, -scores, "right")]


def _twice_below(scores: Scores, others: Scores, weights: Any) -> Any:
    """Twice the weight of the others below each score, and once the weight of equal ones."""
    return _twice_above(-scores, -others, weights)


def _part(k: int, codes: Codes, scores: Scores, w: Any, totals: Any, c: Scores) -> Any:
    """Contribution of column k to the influence of every row on Σ_l c[l]·AUC(k given l)."""
    mine = codes == k
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(mine | (w == 0), 0.0, c[codes] * w / totals[codes])
        above = c[codes] * _twice_above(scores, scores, mine * w) / (2 * totals[k])
    others = above if totals[k] else 0.0
    return np.where(mine, _twice_below(scores, scores, level) / 2, others)


NUMBERS_AT_ONCE = 1 << 22
"""Sums over sets of classes that are held at a time."""


def ordinal_volume(
    codes: Rows, scores: Scores, classes: int, weights: Scores | None, drawn: Multiplicities | None, threads: int
) -> tuple[Scores, Scores | None]:
    """Chance that one row of each class are in order, with each row's part in it; or by every resample.

    A table holds the share of each class at each distinct score; a run is classes side by side at one score.
    """
    check_class_rows(codes, scores[:, None], weights, classes)
    _, place = np.unique(scores, return_inverse=True)
    every = np.ones(codes.size) if weights is None else weights
    if drawn is not None:
        tables = (_shares(place, codes, classes, every * times) for times in drawn)
        return np.array([np.nan if table is None else _chains(table)[0][-1] for table in tables]), None
    table = _shares(place, codes, classes, every)
    if table is None:
        return np.full(1, np.nan), np.full(codes.size, np.nan)
    chains, before = _chains(table)
    return chains[-1:], _parts(table, before)[place, codes]


def _shares(place: Rows, codes: Rows, classes: int, weights: Scores) -> Scores | None:
    table = np.zeros((int(place.max(initial=-1)) + 1, classes))
    np.add.at(table, (place, codes), weights)
    totals = table.sum(axis=0)
    return table / totals if (totals > 0).all() else None


def _chains(table: Scores) -> tuple[Scores, Scores]:
    """Chains that end below each class after all scores, and before each score."""
    classes = table.shape[1]
    chains, before = np.zeros(classes + 1), np.zeros((len(table), classes + 1))
    chains[0] = 1.0
    for value, shares in enumerate(table):
        before[value] = chains
        longer = chains.copy()
        for j in range(classes):
            product = 1.0
            for t in range(j + 1, classes + 1):
                product *= shares[t - 1] / (t - j)
                if not product:
                    break
                longer[t] += chains[j] * product
        chains = longer
    return chains, before


def _parts(table: Scores, before: Scores) -> Scores:
    """Derivative of the volume by each share."""
    classes = table.shape[1]
    rest, parts = np.zeros(classes + 1), np.zeros(table.shape)
    rest[classes] = 1.0
    for value in range(len(table) - 1, -1, -1):
        shares, gained = table[value], np.zeros(classes + 1)
        for j in range(classes):
            product = 1.0
            for t in range(j + 1, classes + 1):
                product *= shares[t - 1] / (t - j)
                if not product:
                    break
                gained[j] += product * rest[t]
                parts[value, j:t] += before[value, j] * product * rest[t]
        rest = rest + gained
    return np.divide(parts, table, out=np.zeros(table.shape), where=table > 0)


def assignment(matrix: Scores, tuples: Rows, tolerance: float, threads: int) -> Scores:
    """Credit of every tuple (T, K) of rows: 1/m when the order of classes is one of m best assignments, else 0."""
    step = max(1, NUMBERS_AT_ONCE >> matrix.shape[1])
    parts = [_credits(matrix, tuples[first : first + step], tolerance) for first in range(0, len(tuples), step)]
    return np.concatenate([np.zeros(0), *parts])


def _credits(matrix: Scores, tuples: Rows, tolerance: float) -> Scores:
    """The same for some tuples: the best sum of the first rows for every set of classes, and its ways."""
    k = matrix.shape[1]
    table = matrix[tuples]
    gains = table - np.diagonal(table, axis1=1, axis2=2)[:, :, None]
    best, ways = np.full((len(tuples), 1 << k), -np.inf), np.zeros((len(tuples), 1 << k))
    best[:, 0], ways[:, 0] = 0.0, 1.0
    for chosen in range(1, 1 << k):
        row = chosen.bit_count() - 1
        last = [j for j in range(k) if chosen >> j & 1]
        sums = np.stack([best[:, chosen ^ (1 << j)] + gains[:, row, j] for j in last])
        best[:, chosen] = sums.max(axis=0)
        reached = sums >= best[:, chosen] - tolerance
        ways[:, chosen] = sum(ways[:, chosen ^ (1 << j)] * hit for j, hit in zip(last, reached, strict=True))
    with np.errstate(divide="ignore"):
        return np.where(best[:, -1] > tolerance, 0.0, 1 / ways[:, -1])
