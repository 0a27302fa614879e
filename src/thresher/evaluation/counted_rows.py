"""Counts as weighted rows, so that every measure reads counts and rows alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.threads import machine_memory, ordered_map
from thresher.conventions import Direction, Floats, common, is_positive
from thresher.counts import ScoreTable, rounding
from thresher.counts.builder import EXACT_ROWS, IN_HAND, ScoreTableBuilder
from thresher.counts.joint import BITS, JointCells, Rows
from thresher.counts.remarks import no_score, size_of
from thresher.counts.rounding import as_counted
from thresher.errors import InputError, Note, OptionError, choice, keyword, of_each_model
from thresher.predictions import Predictions
from thresher.predictions.columns import counted, places_of
from thresher.predictions.rows import Categories

if TYPE_CHECKING:
    from thresher.counts import Counts, ScoreTable


Group = tuple[Hashable, ...]


def check_room(held: int, most: int, *, rows: int) -> None:
    """Refuse distinct scores that take this many bytes: merging them takes three times as much."""
    if 3 * held > most:
        raise InputError(
            f"counting {counted(rows, 'row')} exactly takes {3 * held / 1e9:.3g} GB, more than the {most / 1e9:.3g} GB "
            "of memory allowed. Leave out "
            + choice("resolution", "exact")
            + " to round the scores, or give more "
            + keyword("memory", "…")
            + "."
        )


def check_cuts(thresholds: Any, names: Iterable[str]) -> None:
    """Refuse thresholds named for a score that is not counted."""
    known = list(names)
    if isinstance(thresholds, Mapping) and (odd := next((name for name in thresholds if name not in known), None)):
        raise OptionError(keyword("thresholds", repr(odd)) + f": there is no such score, but {', '.join(known)}.")


def cuts_of(thresholds: Any, name: str) -> Sequence[float]:
    """Thresholds of one score, from thresholds for all scores or by name."""
    found: Sequence[float] = thresholds.get(name, ()) if isinstance(thresholds, Mapping) else thresholds
    return found


def with_cuts(found: Counts, thresholds: Any) -> Counts:
    """Counts that know the thresholds that were named, of all scores or by name."""
    named = {name: tuple(dict.fromkeys(map(float, cuts))) for name in found if (cuts := cuts_of(thresholds, name))}
    return replace(found, thresholds=named)


def by_group(rows: Predictions) -> Iterator[tuple[Group, Any]]:
    """Places of the rows of every group that has some, with the values of its columns."""
    if not rows.by:
        yield (), slice(None)
        return
    sizes = [len(column.values) for column in rows.by.values()]
    code = np.ravel_multi_index([column.codes for column in rows.by.values()], sizes)
    for found, places in places_of(code):
        values = zip(rows.by.values(), np.unravel_index(found, sizes), strict=True)
        yield tuple(column.values[i] for column, i in values), places


def refuse_clusters(cluster: Any) -> None:
    """Refuse a column of clusters beside counts."""
    if cluster is not None:
        raise OptionError(
            keyword("cluster", "…") + " needs the rows, and counts do not keep them. Evaluate the rows, or "
            "count one row per cluster."
        )  # fmt: skip


def refuse_importance(weight_kind: str | None) -> None:
    """Refuse importance weights, as counts with them cannot be evaluated."""
    if weight_kind == "importance":
        raise OptionError(
            "counts cannot be evaluated with importance weights. Evaluate the rows, or count with "
            + choice("weight_kind", "frequency") + " if a weight of 3 is three equal rows."
        )  # fmt: skip


def predictions_of(counts: Counts, name: str | None = None) -> Predictions:
    """Counts of one score as weighted rows, which every measure reads."""
    if name is None and len(counts) > 1:
        raise OptionError(
            f"these counts are of the scores {', '.join(counts)}: choose one with " + keyword("scores", "…") + "."
        )
    name = next(iter(counts)) if name is None else name
    if name not in counts:
        raise OptionError(no_score(name, counts))
    refuse_importance(counts.weight_kind)
    parts = [({name: t.scores}, t.positive, t.negative) for t in (tables[name] for tables in counts.groups.values())]
    alone = replace(counts.of_scores([name]), pairs=counts.pairs)
    more: dict[str, Any] = {"notes": notes_of(counts, [name]), "dropped": counts.dropped, "counts": alone}
    return _rows(counts, parts, directions={name: counts[name].direction}, **more)


def paired_rows(counts: Mapping[str, Counts]) -> Predictions:
    """Return the joint cells of models, each with its counts, as weighted rows.

    A rounded score is read as the mean of the scores that were rounded to it.
    """
    first = next(iter(counts.values()))
    assert first.pairs is not None
    pairs = first.pairs.of(list(counts))
    read = {name: _means(name, own[name], pairs) for name, own in counts.items()}
    parts = [
        ({name: means(column) for column, (name, means) in zip(cells.scores, read.items(), strict=True)},
         cells.positive, cells.negative)
        for cells in (pairs.groups[key] for key in first.groups)
    ]  # fmt: skip
    return _rows(first, parts, directions=pairs.directions)


def hides_pairs(counts: Counts, name: str, threshold: float) -> bool:
    """Whether joint cells do not tell the decisions at a threshold, as scores on both sides of it are in one cell."""
    assert counts.pairs is not None
    table = counts[name]
    _, cell = _rounded(name, table, counts.pairs)
    positive = np.bincount(cell, is_positive(table.scores, threshold, table.direction))
    return bool(((positive > 0) & (positive < np.bincount(cell))).any())


def _means(name: str, table: ScoreTable, pairs: JointCells) -> Callable[[Floats], Floats]:
    """Return a function that reads rounded scores as the means of the scores of a table."""
    known, cell = _rounded(name, table, pairs)
    rows, many = (table.positive + table.negative).astype(np.float64), np.bincount(cell)
    with np.errstate(all="ignore"):
        means = np.bincount(cell, rows * table.scores) / np.bincount(cell, rows)
    low, high = np.full(known.size, np.inf), np.full(known.size, -np.inf)
    np.minimum.at(low, cell, table.scores)
    np.maximum.at(high, cell, table.scores)
    means = np.where((many == 1) | np.isnan(means), low, np.clip(means, low, high))

    def read(scores: Floats) -> Floats:
        keys = as_counted(scores, *_options(name, table, pairs))
        at = np.minimum(np.searchsorted(known, keys), known.size - 1)
        found: Floats = np.where(known[at] == keys, means[at], keys)
        return found

    return read


def _rounded(name: str, table: ScoreTable, pairs: JointCells) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct rounded scores of a table, and the place of each score among them."""
    return np.unique(as_counted(table.scores, *_options(name, table, pairs)), return_inverse=True)


def _options(name: str, table: ScoreTable, pairs: JointCells) -> tuple[int, Sequence[float], Direction]:
    bits = pairs.bits if table.resolution is None else min(pairs.bits, table.resolution)
    return bits, pairs.thresholds.get(name, ()), table.direction


def _rows(
    source: Counts,
    parts: Sequence[tuple[Mapping[str, Floats], Any, Any]],
    *,
    directions: Mapping[str, Direction],
    **more: Any,
) -> Predictions:
    """Weighted rows, from the scores and the counts of both classes of every group."""
    blocks = [
        (scores, label, rows, k)
        for k, (scores, positive, negative) in enumerate(parts)
        for label, rows in ((1, positive), (0, negative))
    ]
    weights = np.concatenate([rows for _, _, rows, _ in blocks]).astype(np.float64)
    kept = weights > 0
    groups = np.concatenate([np.full(rows.size, k) for _, _, rows, k in blocks])[kept]
    names, keys = list(parts[0][0]), list(source.groups)
    return Predictions(
        truth=np.concatenate([np.full(rows.size, label, dtype=np.uint8) for _, label, rows, _ in blocks])[kept],
        classes=source.classes,
        scores={name: np.concatenate([scores[name] for scores, *_ in blocks])[kept] for name in names},
        weights=weights[kept],
        weight_kind="frequency",
        by={column: Categories.of_keys([key[i] for key in keys], groups) for i, column in enumerate(source.by)},
        direction=common(directions),
        label=source.label,
        **more,
    )


def made_over(counts: Counts, name: str, each: Callable[[ScoreTable], ScoreTable]) -> Counts:
    """Counts of one score with other tables made of each, and without pairs."""
    alone = counts.of_scores([name])
    groups = {key: {name: each(tables[name])} for key, tables in alone.groups.items()}
    return replace(alone, groups=groups, pairs=None)


def notes_of(counts: Counts, names: Sequence[str]) -> tuple[Note, ...]:
    """Notes on counts and on some of their scores."""
    return (*counts.remarks, *of_each_model({name: _said(name, counts) for name in names}))


def _said(name: str, counts: Counts) -> list[Note]:
    """Notes on numbers that come from counts."""
    table = counts[name]
    scores = counted(table.scores.size, "distinct score")
    size = Note("counts", f"counts of {size_of(counts)}, at {scores}, without the rows.")
    rounded = None if counts.least > 1 else rounding.note_of(table)  # merging says how far it all may move the AUC
    return [size] if rounded is None else [size, rounded]


LEAST = 2**10
"""Distinct scores that a group keeps exactly, however many groups there are."""

MIDDLING = 20
"""Bits up to which the usual rows in hand fill pages of rounded scores."""

OF_A_ROW = 26
"""Approximate bytes per row while rows are sorted; three times that with weights."""

MANY = 2**16
"""Rows of a part from which its scores are counted side by side."""

USUAL = 10**9
"""Bytes within which the usual number of distinct scores and of rows in hand stays."""


class Building:
    """Builder of tables from rows that come in parts, within a memory budget in bytes.

    With `is_paired` the rows of several models are also counted in the joint cells of their scores, `pairs`.
    """

    def __init__(self, made: dict[str, Any], thresholds: Any, memory: int | None, *, is_paired: bool = False) -> None:
        self._made, self._thresholds, self._rows, self._is_paired = made, thresholds, 0, is_paired
        self.pairs: JointCells | None = None
        self.share = 1.0 if memory is None else min(max(memory / USUAL, 1 / 16), 4.0)
        """Of the usual memory."""
        resolution = made["resolution"]
        usual = machine_memory() // 2 if resolution == "exact" else USUAL
        self._exact = (memory or usual) if resolution == "exact" else None
        self._hand = (memory or usual) // OF_A_ROW
        if resolution != "exact":
            # Each further bit doubles the distinct scores, and so the rows that fill them.
            more = max((resolution or rounding.BITS) - MIDDLING, 0)
            self._hand = min(self._hand, int(IN_HAND * min(self.share, 1.0)) << more)
        self._kept: dict[Group, dict[str, ScoreTableBuilder]] = {}

    def add(self, rows: Predictions) -> None:
        """Count rows in the builder of their group and score."""
        self._rows += len(rows)
        for key, places in by_group(rows):
            truth, weights = rows.truth[places], None if rows.weights is None else rows.weights[places]
            scores = [(self._builder(key, name, rows), values[places]) for name, values in rows.scores.items()]
            each = ordered_map if len(scores) > 1 and len(truth) >= MANY else map
            deque(each(partial(_update, truth, weights), scores), maxlen=0)
        if self._exact is not None:
            held = sum(b.nbytes for builders in self._kept.values() for b in builders.values())
            check_room(held, self._exact, rows=self._rows)
        if self._is_paired and len(rows.scores) > 1:
            part = self._joint_cells(rows)
            self.pairs = part if self.pairs is None else self.pairs + part

    def _builder(self, key: Group, name: str, rows: Predictions) -> ScoreTableBuilder:
        builders = self._kept.setdefault(key, {})
        if name not in builders:
            tables = len(self._kept) * len(rows.scores)
            builders[name] = ScoreTable.builder(
                **self._made, direction=rows.direction_of(name), thresholds=cuts_of(self._thresholds, name),
                exact_rows=max(int(EXACT_ROWS * self.share) // tables, LEAST),
                rows_in_hand=max(self._hand // tables // (1 if rows.weights is None else 3), LEAST),
            )  # fmt: skip
        return builders[name]

    def tables(self) -> dict[Group, dict[str, ScoreTable]]:
        """Tables by group and score."""
        return {key: {name: b.table() for name, b in builders.items()} for key, builders in self._kept.items()}

    def _joint_cells(self, rows: Predictions) -> JointCells:
        """Rows of every group by the rounded scores of all models."""
        weights, bits = rows.weights, BITS[0] if self.pairs is None else self.pairs.bits
        if weights is not None and np.array_equal(weights, np.rint(weights)):
            weights = weights.astype(np.int64)
        groups: dict[Group, Rows] = {}
        for key, places in by_group(rows):
            truth, scores = rows.truth[places], [column[places] for column in rows.scores.values()]
            own = None if weights is None else weights[places]
            groups[key] = (scores, truth, None) if own is None else (scores, own * (truth == 1), own * (truth != 1))
        directions = {name: rows.direction_of(name) for name in rows.scores}
        cuts = {name: tuple(map(float, cuts_of(self._thresholds, name))) for name in rows.scores}
        return JointCells(directions=directions, groups={}, thresholds=cuts, bits=bits).counting(groups)


def _update(truth: NDArray[Any], weights: Floats | None, score: tuple[ScoreTableBuilder, Floats]) -> None:
    builder, values = score
    builder.update(truth, values, weights)
