"""`Counts`: the score tables of one or several scores, by group on request, as a value that is saved and adds up."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, cached_property, rebuilt
from thresher.conventions import Directions, WeightKind, common
from thresher.counts import remarks, saved
from thresher.counts.joint import JointCells
from thresher.counts.least_cells import coarse
from thresher.counts.merging import sum_of
from thresher.counts.saved_tables import SUMS, counts_form, counts_from
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, Note, OptionError, keyword
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
        both = {name: set(other.thresholds.get(name, ())) for name in self.thresholds}
        shared = {name: tuple(cut for cut in self.thresholds[name] if cut in both[name]) for name in both}
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
        of a class are left out. `thresholds` stay exact where both sides keep enough rows.

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
        found = coarse(self.groups, cell, self.thresholds)
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
