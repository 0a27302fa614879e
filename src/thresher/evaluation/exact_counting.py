"""Counts of more distinct scores than the memory holds: read again range by range, so that what ranks say is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from thresher.counts import ScoreTable
from thresher.counts.ranges import Ranges
from thresher.counts.reducing import Reducing
from thresher.evaluation.group_tables import LEAST, Group, by_group, cuts_of

Tables = dict[Group, dict[str, ScoreTable]]

BINS = 2**18
"""Coarse bins by which ranges are chosen."""

KEPT = 2**20
"""Bins that are left of all rows, about, where there is memory for them."""

OF_A_BIN = 256
"""Bytes that a bin takes while it is evaluated."""

SHARE = 0.4
"""Part of the memory that the rows in hand may take."""

OF_A_SCORE = 192
"""Bytes that a distinct score takes while tables of such are put together."""


def exact_room(tables: int, memory: float) -> dict[str, int]:
    """Bounds of one of so many tables that are exact while they fit in the memory, and coarse once they do not."""
    rows, bins = int(memory / OF_A_SCORE) // tables, BINS // tables
    return {"exact_rows": max(rows, LEAST), "bins": max(bins, 4 * LEAST)}


def exactly(
    tables: Tables, again: Callable[[], Iterator[Any]], *, memory: float, rows: int, thresholds: Any
) -> tuple[Tables, dict[str, ScoreTable]]:
    """Tables of every group, and of all rows, with exact sums of their ranks, of coarse bins of so many rows."""
    names = [name for name in next(iter(tables.values())) if any(named[name].binned for named in tables.values())]
    whole = {name: _whole(tables, name) for name in names}
    row = 8 if all(table.weight_kind is None for table in whole.values()) else 32  # with its weight, and two copies
    most = max(int(SHARE * memory / row / max(len(names), 1)), 1)
    taking: dict[str, Ranges] = {}
    reducing: dict[tuple[Group | None, str], Reducing] = {}
    for name in names:
        total = float(whole[name].P + whole[name].N)
        by_key = {key: named[name] for key, named in tables.items()}
        taking[name] = Ranges(by_key, most=most, share=rows / total if total else 1.0)
        for key, table in (by_key | ({} if len(tables) == 1 else {None: whole[name]})).items():
            step = max(int(rows * len(tables) * len(names) / min(KEPT, memory / OF_A_BIN)), 1)
            reducing[key, name] = Reducing(table, step=step, cuts=cuts_of(thresholds, name))
    while todo := {name: ranges for name, ranges in taking.items() if not ranges.is_done}:
        _pass(todo, again)
        for name, ranges in todo.items():
            for chunk in ranges.chunks():
                _reduce(chunk, name, reducing)
            ranges.following()
    found = {
        key: {name: reducing[key, name].table() if table.binned else table for name, table in named.items()}
        for key, named in tables.items()
    }
    return found, {} if len(tables) == 1 else {name: reducing[None, name].table() for name in names}


def _whole(tables: Tables, name: str) -> ScoreTable:
    """Table of the coarse bins of all groups."""
    first, *others = (named[name] for named in tables.values())
    return sum(others, first)


def _pass(taking: Mapping[str, Ranges], again: Callable[[], Iterator[Any]]) -> None:
    """Read the rows, and keep those of the ranges."""
    for rows, _ in again():
        for key, places in by_group(rows):
            weights = None if rows.weights is None else rows.weights[places]
            for name in rows.scores.keys() & taking.keys():
                scores = np.asarray(rows.scores[name][places], dtype=np.float64)
                rising = scores if rows.direction_of(name) == "higher" else -scores
                taking[name].add(key, rows.truth[places], rising, weights)


def _reduce(chunk: Mapping[Any, ScoreTable], name: str, reducing: Mapping[Any, Reducing]) -> None:
    """Give a part of the range to the table of its group, and to that of all."""
    for key, table in chunk.items():
        reducing[key, name].add(table)
    if (None, name) in reducing and chunk:
        first, *others = chunk.values()
        reducing[None, name].add(sum(others, first))
