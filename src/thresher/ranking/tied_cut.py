"""The first results of a list when the cut-off is within a tied group: every selection, with its probability."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.counts.ranked import UNJUDGED, RankedLists

Whole = NDArray[np.int32]

MOST_SELECTIONS = 10_000
"""Selections of one query that are enumerated; above this number, `DRAWN` are sampled, with a note."""

DRAWN = 2_000


@dataclass(frozen=True, kw_only=True)
class Selections:
    """Lists one after the other, `starts[q]` the first of query q, each with its chance; `sampled` queries were drawn.

    A value of a query over all orders of its tied documents is the mean of its lists' values by their chances.
    """

    lists: RankedLists
    starts: NDArray[np.int64]
    chances: NDArray[np.float64]
    sampled: int = 0

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (M, Q) of the queries from values (M, lists)."""
        return np.asarray(np.add.reduceat(values * self.chances, self.starts, axis=1))

    def any(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether something holds for any list of a query."""
        return np.asarray(np.logical_or.reduceat(holds, self.starts))


def selections(lists: RankedLists, most: int) -> Selections:
    """Lists of no more than `most` documents, of tied ones across the end every selection by relevance.

    Each document of the group that the end falls into is among the first with the same chance, so that a selection has
    the chance of the multivariate hypergeometric distribution.
    """
    relevance: list[Whole] = []
    tied: list[NDArray[np.bool_]] = []
    judged: list[Whole] = []
    chances: list[float] = []
    starts, sampled = np.zeros(len(lists), dtype=np.int64), 0
    for q in range(len(lists)):
        starts[q] = len(chances)
        here = slice(lists.starts[q], lists.starts[q + 1])
        known = lists.judged[lists.judged_starts[q] : lists.judged_starts[q + 1]]
        head, group, slots = _parts(lists.relevance[here], lists.tied[here], most)
        found, is_drawn = _chosen(group, slots, q)
        sampled += is_drawn
        for chosen, chance in found:
            relevance.append(np.concatenate([head, chosen]))
            tied.append(np.concatenate([lists.tied[here][: head.size], np.arange(chosen.size) > 0]))
            judged.append(known)
            chances.append(chance)
    copies = np.diff(starts, append=len(chances))
    return Selections(
        lists=RankedLists(
            queries=tuple(np.repeat(np.array(lists.queries, dtype=object), copies).tolist()),
            starts=np.cumsum([0, *map(len, relevance)]).astype(np.int64),
            relevance=np.concatenate([np.zeros(0, np.int32), *relevance]).astype(np.int32),
            tied=np.concatenate([np.zeros(0, np.bool_), *tied]),
            judged_starts=np.cumsum([0, *map(len, judged)]).astype(np.int64),
            judged=np.concatenate([np.zeros(0, np.int32), *judged]),
            unjudged=lists.unjudged,
        ),
        starts=starts,
        chances=np.array(chances),
        sampled=sampled,
    )


def _parts(relevance: Whole, tied: NDArray[np.bool_], most: int) -> tuple[Whole, Whole, int]:
    """Return documents before the tied group at the cut-off, that group, and its places within the cut-off."""
    if relevance.size <= most or not tied[most]:
        return relevance[:most], relevance[:0], 0
    first = most - int(np.argmin(tied[: most + 1][::-1]))
    last = most + 1 + int(np.argmin(np.append(tied[most + 1 :], False)))
    return relevance[:first], relevance[first:last], most - first


def _chosen(group: Whole, slots: int, query: int) -> tuple[list[tuple[Whole, float]], bool]:
    levels, counts = np.unique(np.maximum(group, UNJUDGED), return_counts=True)
    if not slots or levels.size == 1:
        return [(group[:slots], 1.0)], False
    ways = math.prod(min(count, slots) + 1 for count in counts.tolist()[1:])
    if ways > MOST_SELECTIONS:
        rng = np.random.default_rng(query)
        taken = rng.multivariate_hypergeometric(counts, slots, size=DRAWN)
        distinct, times = np.unique(taken, axis=0, return_counts=True)
        drawn = zip(distinct, (times / DRAWN).tolist(), strict=True)
        return [(np.repeat(levels, row).astype(np.int32), chance) for row, chance in drawn], True
    every = math.comb(group.size, slots)
    return [
        (np.repeat(levels, row).astype(np.int32), math.prod(map(math.comb, counts.tolist(), row)) / every)
        for row in _compositions(counts.tolist(), slots)
    ], False


def _compositions(counts: list[int], slots: int) -> Iterator[tuple[int, ...]]:
    """Return the numbers of each level that a selection of `slots` can have."""
    if len(counts) == 1:
        if slots <= counts[0]:
            yield (slots,)
        return
    for taken in range(min(counts[0], slots) + 1):
        yield from ((taken, *rest) for rest in _compositions(counts[1:], slots - taken))
