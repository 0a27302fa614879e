"""`Counts`: the score tables of one or several scores, by group on request, as a value that is saved and adds up."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, cached_property, rebuilt
from thresher.conventions import DEFAULT_THRESHOLD, Directions, WeightKind, common, direction_of
from thresher.counts import remarks, saved
from thresher.counts import saved_fields as fields
from thresher.counts.joint import BITS, CellCounts, JointCells
from thresher.counts.least_cells import coarse
from thresher.counts.rounding import COLUMNS, check_resolution, sum_of
from thresher.counts.saved import key_from, labels_form, labels_from
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, Note, OptionError, keyword, note_forms
from thresher.predictions.probabilities import are_probabilities
from thresher.upward_import import plot_method

KIND = saved.COUNTS
SCHEMA = 2

Group = tuple[Hashable, ...]


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(ByFields, Mapping[str, ScoreTable]):
    """Counts of every score, overall and by group: all that an evaluation of one score needs, without the rows.

    A mapping from the name of a score to its `ScoreTable` over all groups. `groups` has, for the values of the columns
    `by`, the tables of that group alone; without groups its one key is (). `classes` are (negative, positive), `label`
    the column they come from. `read` counts the rows that were read, `dropped` the ones without a value among them;
    `weightless` rows, with weight 0, are not among them. `pairs` are, on request, the rows of each group by the rounded
    scores of all models, so that models can be compared; a sum has them if both parts do. `thresholds` are those that
    were named for a score; an evaluation takes the only one. `least` is the value that `with_least` was given; sums
    keep the smallest. `notes` are about the columns.

    >>> import thresher as th
    >>> day = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> (day + day)["score"].positive.tolist()
    [2, 0, 2, 0]
    """

    groups: Mapping[Group, Mapping[str, ScoreTable]]
    by: tuple[str, ...] = ()
    classes: tuple[Hashable, Hashable] = (0, 1)
    label: str = "label"
    notes: tuple[Note, ...] = ()
    read: int = 0
    dropped: int = 0
    weightless: int = 0
    pairs: JointCells | None = None
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False)
    least: int = field(default=0, compare=False)

    plot = plot_method

    def __post_init__(self) -> None:
        frozen = {key: MappingProxyType(dict(tables)) for key, tables in self.groups.items()}
        object.__setattr__(self, "groups", MappingProxyType(frozen))
        object.__setattr__(self, "by", tuple(self.by))
        if len({tuple(tables) for tables in frozen.values()}) != 1 or any(len(key) != len(self.by) for key in frozen):
            raise InputError("counts have the same scores in every group, and a value for every column of groups.")

    @cached_property
    def _tables(self) -> dict[str, ScoreTable]:
        """Table of each score over all groups."""
        groups = self.groups.values()
        return {name: sum_of([each[name] for each in groups], self.thresholds.get(name, ())) for name in self}

    def __getitem__(self, name: str) -> ScoreTable:
        remarks.check_named(self, name)
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(next(iter(self.groups.values())))

    def __len__(self) -> int:
        return len(next(iter(self.groups.values())))

    @property
    def remarks(self) -> tuple[Note, ...]:
        """Notes on the columns, and on the rows that are not counted."""
        return (*self.notes, *remarks.remarks_of(self))

    @property
    def direction(self) -> Directions:
        """Direction of the scores; by score where they differ."""
        return common({name: table.direction for name, table in next(iter(self.groups.values())).items()})

    @property
    def weight_kind(self) -> WeightKind | None:
        """Kind of the weights, None without."""
        return self._first.weight_kind

    @property
    def _first(self) -> ScoreTable:
        return next(iter(next(iter(self.groups.values())).values()))

    def __add__(self, other: Counts) -> Counts:
        """Counts of the rows of both.

        Raises:
            InputError: they are of other scores, groups or classes, or of another direction or kind of weights.
        """
        if not isinstance(other, Counts):
            return NotImplemented
        classes = remarks.classes_of_sum(self, other)
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        both = (self, other), (other, self)
        kept = {
            name: [at for one, two in both for at in one.thresholds.get(name, ()) if remarks.is_exact(two, name, at)]
            for name in self
        }
        shared = {name: tuple(dict.fromkeys(cuts)) for name, cuts in kept.items()}
        groups = dict(self.groups)
        for key, tables in other.groups.items():
            before = groups.get(key)
            groups[key] = {
                name: table if before is None else sum_of([before[name], table], shared.get(name, ()))
                for name, table in ((name, tables[name]) for name in self)
            }
        pairs = None if self.pairs is None or other.pairs is None else self.pairs + other.pairs
        return Counts(
            groups=groups, by=self.by, classes=classes, label=self.label, **sums, pairs=pairs,
            notes=remarks.notes_of_sum(self, other, has_pairs=pairs is not None),
            thresholds={name: each for name, each in shared.items() if each}, least=min(self.least, other.least),
        )  # fmt: skip

    def __radd__(self, other: Any) -> Counts:
        """The same from 0, so that `sum` works on a list."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @classmethod
    def of_parts(cls, parts: Mapping[Hashable, Counts], *, by: str) -> Counts:
        """Counts of several sites, days or other parts, each a group by the column `by`.

        Raises:
            InputError: there are none, they are of other scores, groups or classes, or have a column `by`.

        >>> import thresher as th
        >>> site = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        >>> th.Counts.of_parts({"north": site, "south": site}, by="site")
        Counts(4 1 (positive), 4 0; score, 2 groups)
        """
        apart = [
            replace(
                part, by=(by, *part.by), groups={(name, *key): tables for key, tables in part.groups.items()},
                pairs=part.pairs and replace(
                    part.pairs, groups={(name, *key): cells for key, cells in part.pairs.groups.items()}
                ),
            )
            for name, part in parts.items()
        ]  # fmt: skip
        if not apart:
            raise InputError("there are no parts to count.")
        remarks.check_part_column(next(iter(parts.values())), by)
        return sum(apart[1:], apart[0])

    def only(self, values: Mapping[str, Hashable], *, others: bool = False) -> Counts:
        """Counts of the groups that have these values, by column, or of all `others`; and of no columns of groups.

        >>> import thresher as th
        >>> th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by={"site": ["x", "x", "y", "y"]}).only({"site": "x"})
        Counts(1 1 (positive), 1 0; score)
        """
        kept = self._kept(values, others)
        if not kept:
            raise InputError(f"no group of these counts has {'other values than ' if others else ''}{dict(values)}.")
        some = replace(self, groups=kept)
        found: Any = {"pairs": self.pairs and self.pairs.only(kept)}
        if len(kept) < len(self.groups):  # their shared rows are unknown
            found |= dict.fromkeys(SUMS, 0)
        return replace(self, groups={(): {name: some[name] for name in some}}, by=(), **found)

    def _kept(self, values: Mapping[str, Hashable], others: bool) -> dict[Group, Mapping[str, ScoreTable]]:
        if unknown := next((column for column in values if column not in self.by), None):
            known = f"only by {', '.join(map(repr, self.by))}" if self.by else "at all"
            raise InputError(f"these counts are not grouped by {unknown!r}, {known}.")
        wanted = [(self.by.index(column), value) for column, value in values.items()]
        if len(wanted) == len(self.by) and not others:
            # Callers look up thousands of groups in turn, so that a search of all would be quadratic.
            key = tuple(values[column] for column in self.by)
            return {key: self.groups[key]} if key in self.groups else {}
        return {k: tables for k, tables in self.groups.items() if others != all(k[i] == value for i, value in wanted)}

    def of_scores(self, names: Sequence[str]) -> Counts:
        """Counts of selected scores."""
        remarks.check_named(self, *names)
        groups = {key: {name: tables[name] for name in names} for key, tables in self.groups.items()}
        cuts = {name: each for name, each in self.thresholds.items() if name in names}
        return replace(self, groups=groups, pairs=self.pairs and self.pairs.of(names), thresholds=cuts)

    def with_least(self, cell: int) -> Counts:
        """Same counts with neighbouring scores merged until each has at least `cell` rows of a class, or none.

        So no count from 1 to `cell` − 1 is disclosed. A merged row has the mean of its scores. Groups with fewer rows
        of a class are left out. `thresholds`, or 0.5 of scores in [0, 1], stay exact where both sides keep enough rows.

        Raises:
            OptionError: `cell` is not a whole number of at least 1.
            InputError: every group has fewer rows of a class than that, or weights are of importance.
        """
        if isinstance(cell, bool) or not isinstance(cell, int) or cell < 1:
            raise OptionError(
                keyword("cell", repr(cell)) + ": the least count of a class, a whole number of at least 1."
            )
        if self.least >= cell:
            return self
        usual = dict.fromkeys((name for name in self if are_probabilities(self[name].scores)), (DEFAULT_THRESHOLD,))
        found = coarse(self.groups, cell, {**usual, **self.thresholds})
        merged = {name: sum_of([tables[name] for tables in found.groups.values()]) for name in self}
        lines = [remarks.merged_note(name, merged[name], cell) for name in self if merged[name] != self[name]]
        notes = (*remarks.notes_without_pairs(self, remarks.LEAST), *found.notes, *lines)
        known: Any = {"thresholds": found.thresholds, "notes": notes, "least": cell, "pairs": None}
        return replace(self, groups=found.groups, read=max(self.read - found.rows, 0), **known)

    def save(self, path: str | Path) -> None:
        """Write the counts as Parquet, one row for each score of each group; `load` reads them back.

        Columns are `model`, `group` (codes), `score`, `positive` and `negative`. Codes above the groups' own are the
        cells of pairs, each with a row for every model.
        """
        columns, form = counts_form(self)
        saved.write_parquet(path, columns, {"kind": KIND, "schema": SCHEMA, **form})

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Counts from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, it is damaged or was edited, or is of an unknown schema version.
        """
        columns, form = saved.read_parquet(path, KIND, SCHEMA)
        with saved.checked_form(KIND, path):
            return cls(**counts_from(columns, form))

    def __reduce__(self) -> Any:
        build, (kind, values) = rebuilt(self)
        plain = {key: dict(tables) for key, tables in self.groups.items()}
        return build, (kind, values | {"groups": plain})

    def __repr__(self) -> str:
        grouped, table = f", {len(self.groups):,} groups" if self.by else "", self[next(iter(self))]
        both = f"{table.P} {self.classes[1]!r} (positive), {table.N} {self.classes[0]!r}"
        return f"Counts({both}; {', '.join(self)}{grouped})"


SUMS = ("read", "dropped", "weightless")
"""Numbers of rows that add up."""

Columns = dict[str, NDArray[Any]]


def counts_form(counts: Counts) -> tuple[Columns, dict[str, Any]]:
    """Return the columns of counts, and all else as JSON types."""
    keys, models, pairs = list(counts.groups), list(counts), counts.pairs
    tables: list[Any] = [counts.groups[key][name] for key in keys for name in models]
    parts: list[Any] = [{name: getattr(table, name) for name in ("scores", *COLUMNS)} for table in tables]
    if pairs is not None:
        cells = pairs.of(models)
        parts += [
            {"scores": scores, "positive": own.positive, "negative": own.negative}
            for own in (cells.groups[key] for key in keys) for scores in own.scores
        ]  # fmt: skip
    sizes, code = [part["scores"].size for part in parts], np.arange(len(parts), dtype=np.int32)
    columns: Columns = {
        "model": np.repeat(code % len(models), sizes),
        "group": np.repeat(code // len(models), sizes),
        "score": np.concatenate([part["scores"] for part in parts]),
    }
    for name in COLUMNS if counts.weight_kind == "importance" else COLUMNS[:2]:
        columns[name] = np.concatenate([part[name] for part in parts])
    return columns, {
        "models": models, "by": list(counts.by), "groups": [labels_form(key) for key in keys],
        "classes": labels_form(counts.classes), "direction": counts.direction, "weight_kind": counts.weight_kind,
        "label": counts.label, "notes": note_forms(counts.notes), **{name: getattr(counts, name) for name in SUMS},
        "thresholds": {name: [float(cut).hex() for cut in cuts] for name, cuts in counts.thresholds.items()},
        "least": counts.least, "resolution": [table.resolution for table in tables],
        "pairs": None if pairs is None else pairs.bits,
    }  # fmt: skip


def counts_from(columns: Mapping[str, NDArray[Any]], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of counts from the form that `counts_form` returned."""
    models = fields.names(form, "models")
    keys = [key_from(fields.mapping({"group": each}, "group")) for each in fields.items(form, "groups")]
    fields.check_distinct(keys, "groups")
    weight_kind = fields.one_of(form, "weight_kind", (None, "importance", "frequency"))
    counted = COLUMNS if weight_kind == "importance" else COLUMNS[:2]
    fields.check_columns(columns, ["model", "group", "score", *counted])
    bits = fields.one_of(form, "pairs", (None, *BITS))
    directions, k = fields.directions_from(form, models), len(models)
    rows = _rows_of(columns, len(keys) * (1 if bits is None else 2), k)
    resolutions = fields.items(form, "resolution")
    if len(resolutions) != len(keys) * k:
        raise InputError("its resolutions do not fit its tables")
    groups: dict[Any, dict[str, ScoreTable]] = {key: {} for key in keys}
    for i, (own, resolution) in enumerate(zip(rows, resolutions, strict=False)):
        name, counts = models[i % k], {each: columns[each][own] for each in counted}
        known: dict[str, Any] = dict(counts)
        table = ScoreTable(
            scores=fields.column(columns, "score", "f")[own], **known,
            direction=direction_of(directions, name), weight_kind=weight_kind,
            resolution=resolution and check_resolution(resolution),
        )  # fmt: skip
        fields.check_table(table, counts)
        groups[keys[i // k]][name] = table
    thresholds = _thresholds_from(fields.mapping(form, "thresholds"), models)
    negative, positive = labels_from(fields.mapping(form, "classes"))
    pairs = None
    if bits is not None:
        found = {key: _cells_of(columns, rows[(len(keys) + i) * k :][:k]) for i, key in enumerate(keys)}
        _check_cells(found, groups)
        ends = {name: direction_of(directions, name) for name in models}
        pairs = JointCells(directions=ends, groups=found, thresholds=thresholds, bits=bits)
    return {
        "groups": groups, "by": fields.names(form, "by"), "classes": (negative, positive),
        "label": fields.text(form, "label"), "notes": fields.notes(form, "notes"), "pairs": pairs,
        "thresholds": thresholds, **{name: fields.whole(form, name) for name in (*SUMS, "least")},
    }  # fmt: skip


def _rows_of(columns: Mapping[str, NDArray[Any]], groups: int, models: int) -> list[slice]:
    """Rows of each group and model, which are in this order."""
    code = fields.column(columns, "group", "i", 0, groups - 1).astype(np.int64) * models
    code += fields.column(columns, "model", "i", 0, models - 1)
    if (np.diff(code) < 0).any():
        raise InputError("its rows are out of order")
    ends = np.searchsorted(code, np.arange(groups * models + 1))
    return [slice(*each) for each in pairwise(ends)]


def _cells_of(columns: Mapping[str, NDArray[Any]], rows: Sequence[slice]) -> CellCounts:
    if len({own.stop - own.start for own in rows}) > 1:
        raise InputError("its cells of pairs are not of all its scores")
    scores = np.stack([fields.column(columns, "score", "f")[own] for own in rows])
    return CellCounts(scores=scores, positive=columns["positive"][rows[0]], negative=columns["negative"][rows[0]])


def _check_cells(cells: Mapping[Any, CellCounts], groups: Mapping[Any, Mapping[str, ScoreTable]]) -> None:
    for key, own in cells.items():
        table = next(iter(groups[key].values()))
        if not all((rows >= 0).all() for rows in (own.positive, own.negative)):
            raise InputError("its cells of pairs have negative counts")
        if not np.allclose([own.positive.sum(), own.negative.sum()], [table.P, table.N], rtol=1e-9):
            raise InputError("its cells of pairs are not of its rows")


def _thresholds_from(form: Mapping[str, Any], known: Sequence[str]) -> dict[str, tuple[float, ...]]:
    if not set(form) <= set(known):
        raise ValueError("its thresholds are not of its scores")
    return {name: tuple(map(float.fromhex, fields.texts(form, name))) for name in form}
