"""Bootstrap replicates: how often each unit is drawn, and one score's summaries under these multiplicities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.values import FIXED, Counts, Multiplicities, Rows, ScoredUnits, Scores

TWO_32 = 1 << 32


def draws(sizes: Rows, seed: int, first: int, replicates: int, threads: int) -> Multiplicities:
    """Count how often every unit is drawn in each replicate; a stratum of s units has s draws.

    A draw is the high half of word·s for a 32-bit word of Philox(key=[seed, replicate], counter=[0, 0, stratum, 0]),
    low words first. Words whose product has a low half below 2³² mod s are passed over (Lemire 2019): the rest give
    every unit the same chance.
    """
    found = [
        np.concatenate([_stratum(int(size), seed, first + r, s) for s, size in enumerate(sizes)])
        for r in range(replicates)
    ]
    return np.stack(found) if found else np.zeros((0, int(sizes.sum())), dtype=np.uint8)


def drawn_cells(
    sizes: Rows, seed: int, first: int, replicates: int, cells: Rows, threads: int
) -> tuple[Counts, Counts]:
    """Sum the draws over cells, and count the units of each cell that are not drawn."""
    ends = np.cumsum(cells)
    whole = draws(sizes, seed, first, replicates, threads).astype(np.int64)

    def by_cell(values: Counts) -> Counts:
        sums = np.concatenate([np.zeros((replicates, 1), dtype=np.int64), np.cumsum(values, axis=1)], axis=1)
        return np.asarray(sums[:, ends] - sums[:, ends - cells])

    return by_cell(whole), by_cell((whole == 0).astype(np.int64))


def _stratum(size: int, seed: int, replicate: int, stratum: int) -> NDArray[np.uint8]:
    if not size:
        return np.zeros(0, dtype=np.uint8)
    key = np.array([seed, replicate], dtype=np.uint64)
    stream = np.random.Philox(key=key, counter=[0, 0, stratum, 0])
    chosen = np.zeros(0, dtype=np.uint64)
    while chosen.size < size:
        words = stream.random_raw(4 * ((size - chosen.size + 7) // 8))
        halves = np.stack([words & np.uint64(TWO_32 - 1), words >> np.uint64(32)], axis=-1).reshape(-1)
        products = halves * np.uint64(size)
        fair = (products & np.uint64(TWO_32 - 1)) >= TWO_32 % size
        chosen = np.concatenate([chosen, products[fair] >> np.uint64(32)])
    return np.bincount(chosen[:size].astype(np.int64), minlength=size).astype(np.uint8)


def replicates(
    sizes: Rows, seed: int, first: int, count: int, rows: ScoredUnits, rates: Scores, cuts: Rows, detailed: bool,
    threads: int,
) -> Scores:  # fmt: skip
    """Summarize each replicate of one score: see `thresher.kernel.resampling.replicates`."""
    out = np.full((count, FIXED + rates.size + 2 * len(cuts)), np.nan)
    for r in range(count):
        drawn = draws(sizes, seed, first + r, 1, threads)[0].astype(np.int64)
        positive, negative = rows.weigh(drawn)
        _summarize(positive, negative, rows, out[r], detailed)
        out[r, FIXED : FIXED + rates.size] = _rates(positive, negative, rows, rates)
        sums = [np.append(0, np.cumsum(column))[cuts[:, c]] for c, column in enumerate((positive, negative))]
        out[r, FIXED + rates.size :] = np.concatenate(sums)
    return out


def _steps(positive: Scores, negative: Scores, rows: ScoredUnits) -> tuple[Scores, Scores, Scores, Scores]:
    """Per step: FP before it, its positives, its tied negatives, and TP after it."""
    before, own, tied = (column.astype(np.int64) for column in rows.steps)
    tp, fp = np.append(0, np.cumsum(positive)), np.append(0, np.cumsum(negative))
    ends, ahead = np.cumsum(own), np.cumsum(before + tied)
    return fp[ahead - tied], tp[ends] - tp[ends - own], fp[ahead] - fp[ahead - tied], tp[ends]


def _summarize(positive: Scores, negative: Scores, rows: ScoredUnits, out: Scores, detailed: bool) -> None:
    """P, N, AUC, average precision, the largest F1 and its step, the largest TPR − FPR and FPR − TPR."""
    p, n = positive.sum(), negative.sum()
    out[:2] = p, n
    if not p:
        return
    ahead, own, tied, tp = _steps(positive, negative, rows)
    if n:
        out[2] = (2 * p * n - (own * (2 * ahead + tied)).sum()) / (2 * p * n)
    if not detailed:
        return
    size, real = tp + ahead + tied, own > 0
    out[3] = (own[real] * (tp[real] / size[real])).sum() / p
    f1 = np.where(real, 2 * tp / (p + size), -1.0)
    out[4:6] = f1.max(), f1.argmax()
    if n:
        out[6] = max(0.0, (tp / p - (ahead + tied) / n).max())
        out[7] = max(0.0, (ahead / n - (tp - own) / p).max())


def _rates(positive: Scores, negative: Scores, rows: ScoredUnits, rates: Scores) -> Scores:
    """Largest TPR of the ROC curve at each FPR."""
    p, n = positive.sum(), negative.sum()
    if not p or not n:
        return np.full(rates.size, np.nan)
    ahead, own, tied, tp = _steps(positive, negative, rows)
    # Float weights may add up to a trace more than the total, which must not hide the rate 1.
    x = np.minimum(np.concatenate([[0.0], np.stack([ahead, ahead + tied], axis=-1).reshape(-1) / n, [1.0]]), 1.0)
    y = np.concatenate([[0.0], np.stack([tp - own, tp], axis=-1).reshape(-1) / p, [1.0]])
    last = np.searchsorted(x, rates, side="right") - 1
    nxt = np.minimum(last + 1, x.size - 1)
    width = x[nxt] - x[last]
    share = np.divide(rates - x[last], width, out=np.zeros(rates.size), where=width > 0)
    return np.asarray(y[last] + share * (y[nxt] - y[last]))
