"""The first pass over rows that are to be counted: each part into tables, or held while the memory has room for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from thresher.counts import ScoreTable
from thresher.counts.builder import EXACT_ROWS, ScoreTableBuilder
from thresher.counts.held import Held
from thresher.counts.merging import COLUMNS
from thresher.evaluation.exact_counting import columns_of, reduce_chunks, reducing_of, rows_in_hand
from thresher.evaluation.group_tables import Group, by_group, cuts_of
from thresher.predictions import Predictions

Tables = dict[Group, dict[str, ScoreTable]]

MOST_HELD = 64
"""Tables up to which rows are held, or bins are split, or read range by range."""


class Building:
    """Tables in the making of every group and score."""

    def __init__(self, made: dict[str, Any], size: Callable[[int], dict[str, int]], thresholds: Any) -> None:
        self.made, self.size, self.thresholds = made, size, thresholds
        self._kept: dict[Group, dict[str, ScoreTableBuilder]] = {}

    def add(self, rows: Predictions) -> None:
        """Count rows in the builder of their group and score."""
        for key, places in by_group(rows):
            truth, weights = rows.truth[places], None if rows.weights is None else rows.weights[places]
            for name, values in rows.scores.items():
                builder = self.builder(key, name, rows.direction_of(name), len(rows.scores))
                builder.update(truth, values[places], weights)

    def builder(self, key: Group, name: str, direction: Any, scores: int, **options: Any) -> ScoreTableBuilder:
        """The builder of a group and one of so many scores; the options are those of a new one."""
        builders = self._kept.setdefault(key, {})
        if name not in builders:
            options = self.size(len(self._kept) * scores) | options
            cuts = cuts_of(self.thresholds, name)
            builders[name] = ScoreTable.builder(**self.made, **options, direction=direction, thresholds=cuts)
        return builders[name]

    @property
    def is_binned(self) -> bool:
        """Whether scores of a table are counted in bins by now."""
        return any(builder.is_binned for builders in [*self._kept.values()] for builder in [*builders.values()])

    def finish(self, _rows: int) -> tuple[Tables, dict[str, ScoreTable]]:
        """Tables by group and score, and none of all groups."""
        return {key: {name: b.table() for name, b in builders.items()} for key, builders in self._kept.items()}, {}


class Holding:
    """Rows that are kept while there is room for all, so that one pass is enough, and are counted in bins otherwise."""

    def __init__(self, building: Building, memory: float) -> None:
        self._building, self._memory = building, memory
        self._held: dict[str, Held] | None = {}
        self._directions: dict[str, Any] = {}
        self._totals: dict[Group, _Totals] = {}
        self._weight_kind: Any = None

    def add(self, rows: Predictions) -> None:
        """Keep rows, or count them."""
        if self._held is None:
            self._building.add(rows)
            return
        self._weight_kind = None if rows.weights is None else self._building.made["weight_kind"]
        for name in rows.scores:
            self._held.setdefault(name, Held(self._weight_kind))
            self._directions[name] = rows.direction_of(name)
        first = next(iter(self._held))
        for key, name, (truth, rising, weights) in columns_of(rows, self._held):
            self._held[name].add(key, truth, rising, weights)
            if name == first:
                self._totals.setdefault(key, _Totals(self._weight_kind)).add(truth, weights)
        most = rows_in_hand(self._memory, weighted=rows.weights is not None)
        if sum(held.size for held in self._held.values()) > most or self._tables > MOST_HELD:
            self._give_up(self._held)

    @property
    def _tables(self) -> int:
        return len(self._totals) * len(self._directions)

    @property
    def _distinct(self) -> int:
        """Distinct scores that a table keeps."""
        return self._building.size(max(self._tables, 1))["exact_rows"]

    def finish(self, rows: int) -> tuple[Tables, dict[str, ScoreTable]]:
        """Tables of so many rows by group and score, and of all groups where those are in bins."""
        if self._held is None:
            return self._building.finish(rows)
        if max((total.rows for total in self._totals.values()), default=0) <= self._distinct:
            for name, held in self._held.items():
                self._count(name, held.given_up(1))
            return self._building.finish(rows)
        found: Tables = {key: {} for key in self._totals}
        whole: dict[str, ScoreTable] = {}
        for name, held in self._held.items():
            likes = {key: total.like(self._directions[name]) for key, total in self._totals.items()}
            room, cuts = self._memory / len(self._held), cuts_of(self._building.thresholds, name)
            reducing = reducing_of(likes, rows=rows, memory=room, cuts=cuts)
            exact = _Exact(self._distinct)
            reduce_chunks(exact.seen(held.chunks()), reducing)
            for key in likes:
                is_exact = key in exact.tables
                found[key][name] = exact.table(key, self._directions[name]) if is_exact else reducing[key].table()
            if None in reducing and len(exact.tables) < len(likes):
                whole[name] = reducing[None].table()
        return found, whole

    def _give_up(self, held: dict[str, Held]) -> None:
        """Count what is held: in tables of distinct scores where these are few, else in bins."""
        distinct, self._held = self._distinct, None
        for name, rows in held.items():
            if self._tables > MOST_HELD:
                self._count(name, rows.given_up(1))
                continue
            exact = _Exact(distinct)
            for _ in exact.seen(rows.chunks()):
                if exact.is_beyond:
                    break
            if exact.is_beyond:
                most = distinct if len(self._totals) > 1 else min(distinct, EXACT_ROWS)
                self._count(name, rows.given_up(4), exact_rows=most)
                continue
            for key in exact.tables:
                builder = self._building.builder(key, name, self._directions[name], len(held))
                builder.add(exact.table(key, self._directions[name]))

    def _count(self, name: str, parts: Iterator[Any], **options: Any) -> None:
        direction = self._directions[name]
        for key, truth, rising, weights in parts:
            builder = self._building.builder(key, name, direction, len(self._directions), **options)
            builder.update(truth, rising if direction == "higher" else -rising, weights)


class _Totals:
    """Weight of both classes, as numbers of rows or sums of weights."""

    def __init__(self, weight_kind: Any) -> None:
        self.rows = 0
        self._weight_kind, self._is_whole = weight_kind, weight_kind != "importance"
        self._sums = np.zeros(2)

    def add(self, truth: Any, weights: Any) -> None:
        """Take rows."""
        self.rows += truth.size
        positive = np.count_nonzero(truth)
        counts = (truth.size - positive, positive)
        self._sums += counts if weights is None else np.bincount(truth, weights=weights, minlength=2)
        self._is_whole = self._is_whole and (weights is None or bool((weights == np.rint(weights)).all()))

    def like(self, direction: Any) -> ScoreTable:
        """All rows as one bin."""
        negative, positive = self._sums.astype(np.int64 if self._is_whole else np.float64)[:, None]
        squares: Any = dict.fromkeys(COLUMNS[2:], np.zeros(1)) if self._weight_kind == "importance" else {}
        return ScoreTable(
            scores=np.zeros(1), positive=positive, negative=negative, direction=direction, binned=True,
            weight_kind=self._weight_kind, widths=np.ones(1), **squares,
        )  # fmt: skip


class _Exact:
    """Tables of the distinct scores of every group, as long as these are not too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sizes: dict[Group, int] = {}
        self.tables: dict[Group, list[ScoreTable]] = {}

    @property
    def is_beyond(self) -> bool:
        """Whether a group has more of them."""
        return len(self.tables) < len(self._sizes)

    def seen(self, chunks: Iterator[Any]) -> Iterator[Any]:
        """Chunks, of which each is kept."""
        for chunk in chunks:
            for key, table in chunk.items():
                self._sizes[key] = self._sizes.get(key, 0) + table.scores.size
                if self._sizes[key] > self._most:
                    self.tables.pop(key, None)
                else:
                    self.tables.setdefault(key, []).append(table)
            yield chunk

    def table(self, key: Group, direction: Any) -> ScoreTable:
        """The table of a group."""
        columns: dict[str, Any] = {
            name: np.concatenate(parts) for name in ("scores", *COLUMNS)
            if (parts := [part for each in self.tables[key] if (part := getattr(each, name)) is not None])
        }  # fmt: skip
        columns["scores"] = (columns["scores"] if direction == "higher" else -columns["scores"]) + 0.0
        return ScoreTable(**columns, direction=direction, weight_kind=self.tables[key][0].weight_kind)
