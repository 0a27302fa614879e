"""Values of wanted measures for every query of ranked lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.counts.ranked import RankedLists
from thresher.dataclass import dataclass
from thresher.kernel.ranked import ranked_measures
from thresher.kernel.values import ListArrays, WantedArrays
from thresher.ranking.catalogue import FLOOR, KINDS
from thresher.ranking.wanted import ListMeasure

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReading:
    """How lists are judged: relevant from `level` on; ties as they were ordered or by `expected` value.

    `highest` is the highest relevance there is, which graded measures divide by; `documents` the size of the
    collection, for `utility`.
    """

    level: int = 1
    expected: bool = False
    highest: int = 1
    documents: int = 0


def values_of(lists: RankedLists, measures: Sequence[ListMeasure], reading: ListReading) -> Floats:
    """Values (M, Q) of measures for every query; NaN for those that have no expected value over ties.

    A query without relevant documents has 0 of everything but what is counted, as in trec_eval.
    """
    levels = [reading.level if one.level is None else one.level for one in measures]
    out = np.empty((len(measures), len(lists)))
    for level in set(levels):
        places = [i for i, own in enumerate(levels) if own == level]
        out[places] = _values_of(lists, [measures[i] for i in places], replace(reading, level=level))
    return out


def _values_of(lists: RankedLists, measures: Sequence[ListMeasure], reading: ListReading) -> Floats:
    """Values of measures that call the same documents relevant."""
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
    """What the kernel computes for a measure: kind, table of gains, cut-off and number."""
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
    """Gain of every relevance."""
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
        return _utility(parts, one.numbers, reading.documents)
    if name == "11pt_avg":
        found = np.mean(parts, axis=0)
    elif name == "rbp" and one.version == 10:
        found = parts[0] / np.maximum(lists.highest_by_query, 1)
    elif combine is None:
        found = parts[0]
    else:
        found = combine(*parts, *([one.cut or one.numbers[0]] if name in ("set_F", "unj") else []))
    return np.asarray(found)


def _utility(parts: list[Floats], weights: tuple[float, ...], documents: int) -> Floats:
    found, retrieved, relevant = parts
    cells = (found, retrieved - found, relevant - found, documents + found - retrieved - relevant)
    return np.asarray(sum(weight * cell for weight, cell in zip(weights, cells, strict=True)))
