"""Counts of more distinct scores than the memory holds: read again range by range, so that what ranks say is exact."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.behind import Behind
from thresher.counts import ScoreTable
from thresher.counts.held import in_order
from thresher.counts.reducing import Ranges, Reducing
from thresher.counts.refining import CHANGED
from thresher.errors import InputError
from thresher.evaluation.group_tables import LEAST, Group, by_group, cuts_of

Tables = Mapping[Group, Mapping[str, ScoreTable]]

BINS = 2**18
"""Coarse bins by which ranges are chosen."""

KEPT = 2**20
"""Bins that are left of all rows, about, where there is memory for them."""

OF_A_BIN = 256
"""Bytes that a bin takes while it is evaluated."""

SHARE = 0.46
"""Part of the memory that the rows in hand may take."""

OF_A_ROW, OF_A_WEIGHT = 9, 8
"""Bytes of a row in hand, and of its weight."""

OF_A_SCORE = 192
"""Bytes that a distinct score takes while tables of such are put together."""


def exact_room(tables: int, memory: float) -> dict[str, int]:
    """Bounds of one of so many tables that are exact while they fit in the memory, and coarse once they do not."""
    rows, bins = int(memory / OF_A_SCORE) // tables, BINS // tables
    return {"exact_rows": max(rows, LEAST), "bins": max(bins, 4 * LEAST)}


def is_coarse(table: ScoreTable) -> bool:
    """Whether a table is of bins that do not know what ranks say."""
    return table.binned and table.rank_sums is None


def rows_in_hand(memory: float, *, weighted: bool) -> int:
    """Rows of one score that may be in hand at once."""
    return max(int(SHARE * memory / (OF_A_ROW + OF_A_WEIGHT * weighted)), 1)


def exactly(
    tables: Tables, again: Callable[[], Iterator[Any]], *, memory: float, rows: int, thresholds: Any
) -> tuple[Tables, dict[str, ScoreTable]]:
    """Tables of every group, and of all rows, with exact sums of their ranks, of coarse bins of so many rows."""
    names = [name for name in next(iter(tables.values())) if any(is_coarse(named[name]) for named in tables.values())]
    taking: dict[str, Ranges] = {}
    reducing: dict[str, dict[Group | None, Reducing]] = {}
    for name in names:
        by_key = {key: named[name] for key, named in tables.items()}
        whole = whole_of(by_key)
        total, most = float(whole.P + whole.N), rows_in_hand(memory, weighted=whole.weight_kind is not None)
        taking[name] = Ranges(by_key, most=max(most // len(names), 1), share=rows / total if total else 1.0)
        room = memory / len(names)
        reducing[name] = reducing_of(by_key, rows=rows, memory=room, cuts=cuts_of(thresholds, name))
    while todo := {name: ranges for name, ranges in taking.items() if not ranges.is_done}:
        with Behind() as behind:
            for part, _ in again():
                behind(_take, todo, part)
        for name, ranges in todo.items():
            reduce_chunks(ranges.chunks(), reducing[name])
            ranges.following()
    found = {
        key: {name: reducing[name][key].table() if is_coarse(table) else table for name, table in named.items()}
        for key, named in tables.items()
    }
    return found, {} if len(tables) == 1 else {name: reducing[name][None].table() for name in names}


def whole_of(tables: Mapping[Group, ScoreTable]) -> ScoreTable:
    """Table of the rows of all groups."""
    first, *others = tables.values()
    return sum(others, first)


def reducing_of(
    likes: Mapping[Group, ScoreTable], *, rows: int, memory: float, cuts: Sequence[float]
) -> dict[Group | None, Reducing]:
    """Tables in the making of every group, and of all rows if there are several groups."""
    whole: dict[Group | None, ScoreTable] = {None: whole_of(likes)} if len(likes) > 1 else {}
    step = max(int(rows * len(likes) / min(KEPT, memory / OF_A_BIN)), 1)
    every: dict[Group | None, ScoreTable] = {**dict(likes.items()), **whole}
    return {key: Reducing(table, step=step, cuts=cuts) for key, table in every.items()}


def reduce_chunks(chunks: Iterable[Mapping[Any, ScoreTable]], reducing: Mapping[Any, Reducing]) -> None:
    """Give the chunks of each group to its table, and those of all groups to that of all rows."""
    work = _work(chunks, reducing)
    for one, part in in_order(lambda each: (each[0], each[1]()), work):
        one.take(part)


def _work(chunks: Iterable[Mapping[Any, ScoreTable]], reducing: Mapping[Any, Reducing]) -> Iterator[Any]:
    for chunk in chunks:
        every = {**chunk, None: whole_of(chunk)} if None in reducing and chunk else chunk
        for key, table in every.items():
            if key not in reducing:
                raise InputError(CHANGED)
            yield reducing[key], reducing[key].begin(table)


def _take(taking: Mapping[str, Ranges], rows: Any) -> None:
    """Keep the rows of the ranges."""
    for key, name, columns in columns_of(rows, taking):
        taking[name].add(key, *columns)


def columns_of(rows: Any, names: Container[str]) -> Iterator[tuple[Group, str, tuple[Any, ...]]]:
    """Truth, scores that rise with positivity, and weights of every group and score."""
    for key, places in by_group(rows):
        truth, weights = rows.truth[places], None if rows.weights is None else rows.weights[places]
        for name in rows.scores:
            if name in names:
                scores = np.asarray(rows.scores[name][places], dtype=np.float64)
                yield key, name, (truth, scores if rows.direction_of(name) == "higher" else -scores, weights)
