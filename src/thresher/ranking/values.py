"""Values of requested measures for every query of ranked lists, and their means with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import current_progress
from thresher.counts.ranked import UNJUDGED, RankedLists
from thresher.errors import Note, choice
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import Clusters, Draws, limits, obstacle, widened_words
from thresher.inference.limits import student_quantile
from thresher.kernel import draws
from thresher.kernel.ranked import ranked_measures
from thresher.kernel.values import ListArrays, WantedArrays
from thresher.measures.ranked_lists import FLOOR, KINDS
from thresher.ranking.list_measures import ListMeasure
from thresher.results import Estimate

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


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReading:
    """Reading of lists: relevant from `level` on; ties as they were ordered or by `expected` value.

    `highest` is the highest relevance there is, which graded measures divide by; `documents` the size of the
    collection, for `utility`.
    """

    level: int = 1
    expected: bool = False
    highest: int = 1
    documents: int = 0


def values_of(lists: RankedLists, measures: Sequence[ListMeasure], reading: ListReading) -> Floats:
    """Values (M, Q) of measures for every query; NaN for those without an expected value over ties.

    A query without relevant documents has 0 in every measure but counts, as in trec_eval.
    """
    levels = [reading.level if one.level is None else one.level for one in measures]
    out = np.empty((len(measures), len(lists)))
    for level in set(levels):
        places = [i for i, own in enumerate(levels) if own == level]
        out[places] = _values_of(lists, [measures[i] for i in places], replace(reading, level=level))
    return out


def _values_of(lists: RankedLists, measures: Sequence[ListMeasure], reading: ListReading) -> Floats:
    rows: list[tuple[int, int, int, float]] = []
    places: list[list[int]] = []
    levels = max(reading.highest, lists.highest, int(lists.relevance.max(initial=0))) + 1
    tables: dict[tuple[object, ...], Floats] = {("none",): np.zeros(levels)}
    for one in measures:
        places.append([])
        for row in _kernel_rows(one, reading, levels, tables):
            places[-1].append(rows.index(row) if row in rows else len(rows))
            rows += [] if row in rows else [row]
    kinds, gains, cuts, numbers = (list(column) for column in zip(*rows, strict=True))
    wanted = WantedArrays(
        np.array(kinds, dtype=np.int32),
        np.array(gains, dtype=np.int32),
        np.array(cuts, dtype=np.int64),
        np.array(numbers, dtype=np.float64),
        np.stack(list(tables.values())),
    )
    found = ranked_measures(
        ListArrays(lists.starts, lists.relevance, lists.tied), lists.judged_starts, lists.judged, wanted,
        level=reading.level, expected=reading.expected,
    )  # fmt: skip
    out = [
        _combined(one, [found[place] for place in mine], reading, lists)
        for one, mine in zip(measures, places, strict=True)
    ]
    return np.stack(out)


def _kernel_rows(
    one: ListMeasure, reading: ListReading, levels: int, tables: dict[tuple[object, ...], Floats]
) -> list[tuple[int, int, int, float]]:
    """Return the kernel's arguments for a measure: kind, table of gains, cut-off and number."""
    key = (one.how.gain, *one.gains)
    if key not in tables:
        tables[key] = _table(one, reading, levels)
    table = list(tables).index(key)
    numbers = one.numbers if one.how.takes in ("recall", "recalls", "multiple", "number") else ()
    if one.entry.name == "F":
        numbers = (1.0,)
    if (len(one.how.kinds) > 1 and one.entry.name != "rbp_resid") or not numbers:
        numbers = (0.0,)
    cut = int(one.version == 10) if "interpolated" in one.how.kinds else one.cut
    return [(KINDS.index(kind), table, cut, number) for kind in one.how.kinds for number in numbers]


def _table(one: ListMeasure, reading: ListReading, levels: int) -> Floats:
    relevance = np.arange(levels, dtype=np.float64)
    with np.errstate(over="ignore"):
        tables: dict[str, Floats] = {
            "none": np.zeros(levels),
            "binary": (relevance >= reading.level).astype(np.float64),
            "linear": relevance.copy(),
            "exponential": np.exp2(relevance) - 1,
            "stop": np.exp2(relevance - reading.highest) - np.exp2(-float(reading.highest)),
            "share": relevance / max(reading.highest, 1),
            "judged": np.ones(levels),
        }
    gains = tables[one.how.gain]
    for level, gain in one.gains:
        if level < levels:
            gains[level] = gain
    return gains


def _combined(one: ListMeasure, parts: list[Floats], reading: ListReading, lists: RankedLists) -> Floats:
    if reading.expected and not one.how.expected:
        return np.full(parts[0].shape, np.nan)
    if one.how.mean == "geometric":
        return np.maximum(parts[0], FLOOR)
    name, combine = one.entry.name, one.how.combine
    if name == "utility":
        hit, retrieved, relevant = parts
        cells = (hit, retrieved - hit, relevant - hit, reading.documents + hit - retrieved - relevant)
        return np.asarray(sum(weight * cell for weight, cell in zip(one.numbers, cells, strict=True)))
    if name == "11pt_avg":
        found = np.mean(parts, axis=0)
    elif name == "rbp" and one.version == 10:
        found = parts[0] / np.maximum(lists.highest_by_query, 1)
    elif combine is None:
        found = parts[0]
    else:
        found = combine(*parts, *([one.cut or one.numbers[0]] if name in ("set_F", "unj") else []))
    return np.asarray(found)


Interval = Bootstrap | None

CELLS = 1 << 24
"""Draws that are in memory at a time."""

NO_FORM = Note(
    "no-formula",
    "its mean over the orders of tied documents lacks a closed form; ", choice("ties", "trec_eval"), " has one value",
)  # fmt: skip
NO_QUERIES = Note("no-rows", "there are no queries")
BEYOND = Note("infinite", "a gain or a sum of gains is beyond the largest float")


def means_of_queries(
    measures: Sequence[ListMeasure], values: Floats, interval: Interval, level: float, *, expected: bool = False
) -> tuple[Estimate, ...]:
    """Means of measures over queries, or sums of counts; `values` (M, Q) has one for each query.

    `expected` says that they are means over the orders of tied documents, which some measures lack.

    The interval is Student's t over queries, x̄ ± t·s/√n (for a geometric mean on the logarithms), cut at the range of
    the measure; or the bootstrap of queries that is given, with the same queries drawn for every measure, and limits
    widened for their number.
    """
    plain = [_without_interval(one, row, expected) for one, row in zip(measures, values, strict=True)]
    open_ = [i for i, found in enumerate(plain) if found is None]
    scales = [np.log(values[i]) if measures[i].how.mean == "geometric" else values[i] for i in open_]
    drawn = None if interval is None or not open_ else resampled_means(np.stack(scales), interval)
    found = dict(enumerate(plain))
    for place, i in enumerate(open_):
        means = None if drawn is None else drawn[:, place]
        found[i] = _with_interval(measures[i], scales[place], means, interval, level)
    return tuple(one for one in found.values() if one is not None)


def _without_interval(one: ListMeasure, values: Floats, expected: bool) -> Estimate | None:
    """Return a sum, or a mean without an interval, with the reason; None if an interval can be computed."""
    n = int(values.size)
    if one.how.mean == "sum":
        return Estimate(
            name=one.name, value=float(values.sum()), n=n, reason=Note("no-formula", "no interval: it is a count")
        )
    if not n:
        return Estimate(name=one.name, value=math.nan, n=n, reason=NO_QUERIES)
    if not np.isfinite(values).all():
        without_form = expected and not one.how.expected
        return Estimate(name=one.name, value=math.nan, n=n, reason=NO_FORM if without_form else BEYOND)
    if values.min() == values.max():
        why = "there is one query" if n < 2 else "all queries have the same value, so its spread is unknown"
        return Estimate(name=one.name, value=float(values[0]), n=n, reason=Note("no-spread", f"no interval: {why}"))
    return None


def _with_interval(one: ListMeasure, scale: Floats, drawn: Floats | None, interval: Interval, level: float) -> Estimate:
    """Return the mean and its interval on the scale of averaging."""
    n = int(scale.size)
    geometric = one.how.mean == "geometric"
    value, bounds = float(scale.mean()), (-math.inf, 0.0) if geometric else one.bounds
    shown, error = math.exp(value) if geometric else value, float(scale.std(ddof=1)) / math.sqrt(n)
    base: dict[str, Any] = {"name": one.name, "value": shown, "n": n}
    if drawn is None or interval is None:
        half, method = student_quantile((1 + level) / 2, n - 1) * error, f"Student's t over {n:,} queries"
        low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
    else:
        queries = Clusters(n)
        found = Draws(
            observed=value, sorted=np.sort(drawn), bounds=bounds, acceleration=acceleration(scale), clusters=queries
        )
        if reason := obstacle(found, interval.method):
            return Estimate(**base, standard_error=error, reason="no interval: " + reason)
        low, high = limits(found, interval.method, (1 - level) / 2)
        method = interval.describe("queries") + widened_words(queries, "queries")
        error = queries.factor * float(drawn.std(ddof=1))
    if geometric:
        low, high, error, method = math.exp(low), math.exp(high), shown * error, f"{method}, on the logarithms"
    return Estimate(**base, standard_error=error, low=low, high=high, level=level, method=method)


def resampled_means(values: Floats, config: Bootstrap) -> Floats:
    """Means (replicates, M) of values (M, n) of queries that are drawn with replacement, all measures alike."""
    n = values.shape[1]
    step = max(1, CELLS // max(n, 1))
    parts, report = [], current_progress(None)
    for first in range(0, config.n, step):
        report(first, config.n)
        counts = draws([n], min(step, config.n - first), seed=config.rng, first=first)
        parts.append(counts.astype(np.float64) @ values.T / n)
    report(config.n, config.n)
    return np.concatenate(parts)


def acceleration(values: Floats) -> float:
    """BCa's acceleration of a mean, Σd³/(6·(Σd²)^1.5), which is the jackknife's. Efron 1987."""
    deviations = values - values.mean()
    square = float((deviations**2).sum())
    return float((deviations**3).sum()) / (6 * square**1.5) if square else 0.0
