"""One ranked list with its judgements: the parts of its measures."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
INFERRED_SMOOTHING = 0.00001


def ratio(a: float, b: float) -> float:
    """Quotient of non-negative numbers; 0 where the divisor is 0."""
    return float(a) / float(b) if b > 0 else 0.0


def share_of(share: float, relevant: float) -> int:
    """A share of the relevant documents as a whole number of them, rounded as trec_eval 9 does.

    Lists are shorter than 2**53, so that more than it is as good as it.
    """
    return int(min(share * relevant + 0.9, 2.0**53))


def nearest_share(share: float, relevant: float) -> int:
    """The same as trec_eval 10 rounds it: to the nearest, halves up."""
    whole = math.floor(share * relevant)
    return whole + (share * relevant - whole >= 0.5)


class Query:
    """Running values over the ranks: entry i is over the first i. Tied documents share theirs: McSherry & Najork 2008.

    `found` relevant and `judged` documents; `precision` the sum of precisions at relevant documents; `none` the chance
    that none is relevant.
    """

    def __init__(
        self, relevance: NDArray[np.int32], tied: NDArray[np.bool_], known: NDArray[np.int32], level: int
    ) -> None:
        self.list, self.level, self.length = relevance, level, int(relevance.size)
        self.known = known
        self.is_relevant = relevance >= level
        self.relevant = float((known >= level).sum())
        self.irrelevant = float((known < level).sum())
        self.ends = [*(np.flatnonzero(~tied[1:]) + 1).tolist(), self.length] if self.length else []
        self.found, self.judged = np.zeros(self.length + 1), np.zeros(self.length + 1)
        self.precision, self.none = np.zeros(self.length + 1), np.ones(self.length + 1)
        for a, n in self.groups():
            r, seen = float(self.is_relevant[a : a + n].sum()), float((relevance[a : a + n] >= 0).sum())
            for j in range(1, n + 1):
                earlier = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
                hit = r / n * (self.found[a] + 1 + earlier) / (a + j)
                self.found[a + j] = self.found[a] + r * j / n
                self.judged[a + j] = self.judged[a] + seen * j / n
                self.precision[a + j] = self.precision[a + j - 1] + hit
                self.none[a + j] = self.none[a] * math.comb(n - int(r), j) / math.comb(n, j)

    def groups(self) -> Iterator[tuple[int, int]]:
        """Start and size of every group of tied documents."""
        starts = [0, *self.ends[:-1]] if self.ends else []
        for start, end in zip(starts, self.ends, strict=True):
            yield start, end - start

    def until(self, cut: int) -> int:
        """Ranks that a cut-off takes; 0 takes all."""
        return min(cut or self.length, self.length)

    def gains(self, table: Floats) -> Floats:
        """Gain at every rank, ties sharing theirs; 0 for unjudged documents."""
        raw = np.where(self.list >= 0, table[np.maximum(self.list, 0)], 0.0)
        for a, n in self.groups():
            raw[a : a + n] = raw[a : a + n].mean()
        return raw

    def ideal(self, table: Floats) -> Floats:
        """Positive gains of judged documents, falling."""
        gains = table[self.known]
        return np.sort(gains[gains > 0])[::-1]

    def discounted(self, gains: Floats) -> Floats:
        """Running sums of gains over log₂(rank + 1)."""
        return np.concatenate([[0.0], np.cumsum(gains / np.log2(np.arange(2, gains.size + 2)))])

    def reciprocal(self, chance: Floats, cut: int) -> float:
        """Mean reciprocal of the rank at which a running chance falls."""
        falls = -np.diff(chance)[: self.until(cut)]
        return float(np.sum(falls / np.arange(1, falls.size + 1)))

    def reading(self, chances: Floats) -> Floats:
        """Chance that a reader, satisfied by each document with its chance, still reads after i ranks."""
        stops = np.where(self.list >= 0, chances[np.maximum(self.list, 0)], 0.0)
        out = np.ones(self.length + 1)
        for a, n in self.groups():
            symmetric = np.poly1d(np.ones(1)).coeffs
            for stop in stops[a : a + n]:
                symmetric = np.convolve(symmetric, [1.0, 1.0 - stop])
            for j in range(1, n + 1):
                out[a + j] = out[a] * symmetric[j] / math.comb(n, j)
        return out

    def preferences(self) -> float:
        """Sum over relevant documents of the share of the first R irrelevant ones that do not come before."""
        most, total, before = min(self.irrelevant, self.relevant), 0.0, 0
        for a, n in self.groups():
            group = self.list[a : a + n]
            wanted, unwanted = int((group >= self.level).sum()), int(((group >= 0) & (group < self.level)).sum())
            if wanted:
                kept = [1 - min(before + u, self.relevant) / most if before + u else 1.0 for u in range(unwanted + 1)]
                total += wanted * sum(kept) / len(kept)
            before += unwanted
        return total

    def inferred(self) -> float:
        """Sum over relevant documents of their inferred precision. Yilmaz & Aslam 2006, smoothed as trec_eval does."""
        total, hits, misses, pooled = 0.0, 0, 0, 0
        for rank, value in enumerate(self.list.tolist(), start=1):
            if value >= self.level:
                share = (hits + INFERRED_SMOOTHING) / (hits + misses + 2 * INFERRED_SMOOTHING)
                total += 1.0 if rank == 1 else 1 / rank + (hits + misses + pooled) / rank * share
            hits, misses = hits + (value >= self.level), misses + (0 <= value < self.level)
            pooled += value == -2
        return total

    def interpolated(self, wanted: int) -> float:
        """Highest precision from the requested number of relevant documents on."""
        ranks = np.flatnonzero(self.is_relevant) + 1
        precision = np.arange(1, ranks.size + 1) / ranks
        return float(precision[max(wanted, 1) - 1 :].max(initial=0.0))

    def gain(self, table: Floats) -> float:
        """trec_eval's G: a gain counts less the further the list has fallen behind the best one."""
        gains, ideal = self.gains(table), self.ideal(table)
        best = np.zeros(max(gains.size, ideal.size))
        best[: ideal.size] = ideal
        behind = 2 + np.cumsum(np.maximum(best[: gains.size], 1.0) - gains)
        hits = np.flatnonzero(gains)
        return ratio(float(np.sum(gains[hits] / np.log2(behind[hits]))), ideal.sum())

    def binary_gain(self) -> float:
        """Sum over relevant documents of 1/log₂(2 + irrelevant ones before)."""
        ranks = np.flatnonzero(self.is_relevant)
        return float(np.sum(1 / np.log2(2 + ranks - np.arange(ranks.size))))

    def at_levels(self, table: Floats) -> float:
        """Mean NDCG at the ranks where the best list passes to a lower gain, and at the end of a longer list."""
        ideal, reached = self.ideal(table), self.discounted(self.gains(table))
        best = self.discounted(ideal)
        ranks = [i for i in range(1, ideal.size + 1) if i == ideal.size or ideal[i] != ideal[i - 1]]
        values = [reached[min(i, self.length)] / best[i] for i in ranks]
        if ideal.size and self.length > ideal.size + 1:
            values.append(reached[-1] / best[-1])
        return ratio(sum(values), len(values))

    def at_relevant(self, table: Floats) -> float:
        """Mean NDCG at the documents with a gain; those not retrieved count at the end of the list."""
        gains, ideal = self.gains(table), self.ideal(table)
        reached, best = self.discounted(gains), self.discounted(ideal)
        ranks = np.flatnonzero(gains > 0) + 1
        hits = float(np.sum(reached[ranks] / best[np.minimum(ranks, ideal.size)]))
        rest = ratio((ideal.size - ranks.size) * reached[-1], best[-1])
        return ratio(hits + rest, ideal.size)
