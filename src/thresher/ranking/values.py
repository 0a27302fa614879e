"""Values of requested measures for every query of ranked lists, and their means with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import current_progress
from thresher.counts.ranked import RankedLists
from thresher.errors import Note, choice
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import Draws, limits, obstacle
from thresher.inference.limits import student_quantile
from thresher.kernel import draws
from thresher.kernel.ranked import ranked_measures
from thresher.kernel.values import ListArrays, WantedArrays
from thresher.measures.ranked_lists import FLOOR, KINDS
from thresher.ranking.list_measures import ListMeasure
from thresher.results import Estimate

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
    the measure; or the bootstrap of queries that is given, with the same queries drawn for every measure.
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
        draws_ = Draws(observed=value, sorted=np.sort(drawn), bounds=bounds, acceleration=acceleration(scale))
        if reason := obstacle(draws_, interval.method):
            return Estimate(**base, standard_error=error, reason="no interval: " + reason)
        low, high = limits(draws_, interval.method, (1 - level) / 2)
        method, error = interval.describe("queries"), float(drawn.std(ddof=1))
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
