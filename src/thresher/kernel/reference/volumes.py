"""Volumes under the ROC surface: chains of one row of each class in order, and assignments of rows to classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.rows import first_bad, weight_checks
from thresher.kernel.values import Kind, Multiplicities, Rows, Scores

NUMBERS_AT_ONCE = 1 << 22
"""Sums over sets of classes that are held at a time."""


def ordinal_volume(
    codes: Rows, scores: Scores, classes: int, weights: Scores | None, drawn: Multiplicities | None, threads: int
) -> tuple[Scores, Scores | None]:
    """Chance that one row of each class stand in order, with each row's part in it; or that of every resample.

    A table holds the share of each class at each distinct score; a run is classes side by side at one score.
    """
    checks: list[tuple[Kind, NDArray[np.bool_]]] = [("truth_code", (codes < 0) | (codes >= classes))]
    first_bad(checks + ([] if weights is None else weight_checks(weights)))
    first_bad([("score_nan", np.isnan(scores))])
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
    """The same for some tuples: the best sum for the first rows on every set of as many classes, and its ways."""
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
