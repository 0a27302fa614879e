"""`Counts`: the score tables of one or several scores, by group if asked for, as a value that is saved and adds up."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.cached import cached_property
from thresher.calls import guarded
from thresher.conventions import Directions, WeightKind, common, direction_of
from thresher.counts import remarks, saved
from thresher.counts.added_pairs import sum_of_pairs
from thresher.counts.cluster_moments import (
    Clusters,
    check_saved,
    clusters_form,
    clusters_from,
    parts_form,
    parts_from,
    sum_by_group,
    sum_of_clusters,
)
from thresher.counts.heads import head_of, heads_of, sum_under, tables_under
from thresher.counts.least_cells import coarse
from thresher.counts.loss_sums import losses_form, losses_from
from thresher.counts.merging import COLUMNS
from thresher.counts.rank_sums import rank_form
from thresher.counts.rounding import check_resolution
from thresher.counts.saved_fields import (
    check_columns,
    check_distinct,
    column,
    directions_from,
    items,
    mapping,
    names,
    one_of,
    text,
    texts,
    whole,
)
from thresher.counts.saved_tables import of_each, part_names, rows_of, table_of, thresholds_form, thresholds_from
from thresher.counts.scores import ScoreTable
from thresher.counts.table_sums import sum_of
from thresher.dataclass import dataclass
from thresher.errors import InputError, OptionError
from thresher.frozen import ByFields, rebuilt
from thresher.late import drawn
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.counts.pairs import PlacementMoments

KIND = saved.COUNTS
SCHEMA = 1

SUMS = ("read", "dropped", "weightless")
"""Numbers of rows that add up."""

Group = tuple[Hashable, ...]


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(ByFields, Mapping[str, ScoreTable]):
    """Counts of every score, overall and by group: all that an evaluation of one score needs, without the rows.

    A mapping from the name of a score to its `ScoreTable` over all groups. `groups` has, for the values of the columns
    `by`, the tables of that group alone; without groups its one key is (). `classes` are (negative, positive), `label`
    the column they come from. `read` counts the rows that were read, `dropped` those of them that lacked a value;
    `weightless` rows, whose weight is 0, are not among them. `pairs` tell how the scores go together, if rows were read
    a second time, so that they can be compared; a sum has them if both parts do. `clusters` are sums over the rows of
    each cluster, if one was named, and `group_clusters` those of the groups, or of all that begin with some values.
    `whole` are tables over all groups where these tell more than the sums of those of groups, `part_whole` those over
    all that begin with some values. `thresholds` are those that were named for a score; an evaluation takes the only
    one. `least` is what `with_least` was given, of which sums keep the smallest. `notes` are of the columns.

    >>> import thresher as th
    >>> day = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> (day + day)["score"].positive.tolist()
    [2, 0, 2, 0]
    """

    groups: Mapping[Group, Mapping[str, ScoreTable]]
    by: tuple[str, ...] = ()
    classes: tuple[Hashable, Hashable] = (0, 1)
    label: str = "label"
    notes: tuple[str, ...] = ()
    read: int = 0
    dropped: int = 0
    weightless: int = 0
    pairs: PlacementMoments | None = None
    clusters: Clusters | None = None
    group_clusters: Mapping[Group, Clusters] = field(default_factory=dict)
    whole: Mapping[str, ScoreTable] = field(default_factory=dict, compare=False)
    part_whole: Mapping[Group, Mapping[str, ScoreTable]] = field(default_factory=dict, compare=False)
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False)
    least: int = field(default=0, compare=False)

    plot = drawn

    def __post_init__(self) -> None:
        frozen = {key: MappingProxyType(dict(tables)) for key, tables in self.groups.items()}
        object.__setattr__(self, "groups", MappingProxyType(frozen))
        object.__setattr__(self, "by", tuple(self.by))
        if len({tuple(tables) for tables in frozen.values()}) != 1 or any(len(key) != len(self.by) for key in frozen):
            raise InputError("counts have the same scores in every group, and a value for every column of groups.")

    @cached_property
    def _tables(self) -> dict[str, ScoreTable]:
        """Table of each score over all groups."""
        return {name: self.whole.get(name) or sum_of([each[name] for each in self.groups.values()]) for name in self}

    def __getitem__(self, name: str) -> ScoreTable:
        remarks.check_named(self, name)
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(next(iter(self.groups.values())))

    def __len__(self) -> int:
        return len(next(iter(self.groups.values())))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know: of the columns, and of the rows that are not counted."""
        return (*self.notes, *remarks.remarks_of(self))

    @property
    def direction(self) -> Directions:
        """Which end of the scores is positive; by score where they differ."""
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
        groups = dict(self.groups)
        for key, tables in other.groups.items():
            before = groups.get(key)
            groups[key] = {name: tables[name] if before is None else before[name] + tables[name] for name in self}
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        whole = Counts(groups=groups, by=self.by, classes=classes, label=self.label, **sums)
        clusters = sum_of_clusters(whole, self.clusters, other.clusters)
        heads = {
            key: tables_under(groups, key) for key in (*self.group_clusters, *other.group_clusters) if key not in groups
        }
        apart = sum_by_group(groups | heads, [(heads_of(part.groups), part.group_clusters) for part in (self, other)])
        pairs = sum_of_pairs(whole, self.pairs, other.pairs)
        totals = {name: self[name] + other[name] for name in self if name in self.whole or name in other.whole}
        both = {name: set(other.thresholds.get(name, ())) for name in self.thresholds}
        shared = {name: tuple(cut for cut in self.thresholds[name] if cut in both[name]) for name in both}
        cuts = {name: each for name, each in shared.items() if each}
        both_parts = [(part.groups, part.part_whole) for part in (self, other)]
        parts = {head: sum_under(both_parts, head) for head in (*self.part_whole, *other.part_whole)}
        notes = remarks.notes_of_sum(self, other, has_pairs=pairs is not None)
        found: Any = {"pairs": pairs, "clusters": clusters, "group_clusters": apart, "whole": totals, "notes": notes}
        return replace(whole, part_whole=parts, thresholds=cuts, least=min(self.least, other.least), **found)

    def __radd__(self, other: Any) -> Counts:
        """The same from 0, so that `sum` adds up a list of them."""
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
            replace(part, groups={(name, *key): tables for key, tables in part.groups.items()}, by=(by, *part.by),
                    group_clusters=part._clusters_under(name), pairs=None, part_whole=part._whole_under(name),
                    notes=remarks.notes_without_pairs(part, remarks.BY_PART))
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
        some = replace(self, groups=kept, whole=self._whole_of(list(kept)))
        found: Any = {"clusters": self._clusters_of(list(kept)), "group_clusters": {}, "whole": {}, "part_whole": {}}
        if len(kept) < len(self.groups):  # of which rows were read together
            found |= {"pairs": None, **dict.fromkeys(SUMS, 0)}
            found["notes"] = remarks.notes_without_pairs(self, remarks.BY_GROUP)
        return replace(self, groups={(): {name: some[name] for name in some}}, by=(), **found)

    def _kept(self, values: Mapping[str, Hashable], others: bool) -> dict[Group, Mapping[str, ScoreTable]]:
        wanted = [(self.by.index(column), value) for column, value in values.items()]
        if len(wanted) == len(self.by) and not others:
            # One of thousands of groups, each of which is asked for, is not looked for among all.
            key = tuple(values[column] for column in self.by)
            return {key: self.groups[key]} if key in self.groups else {}
        return {k: tables for k, tables in self.groups.items() if others != all(k[i] == value for i, value in wanted)}

    def _clusters_of(self, kept: Sequence[Group]) -> Clusters | None:
        """Clusters of some groups, where these are all that begin with some values; else that there are any."""
        if self.clusters is None:
            return None
        head = head_of(kept, self.groups)
        found = self.clusters if head == () else self.group_clusters.get(head or ())
        return self.clusters.of(()) if head is None or found is None else found

    def _whole_of(self, kept: Sequence[Group]) -> Mapping[str, ScoreTable]:
        """Tables over some groups that tell more than the sums of theirs, if any do."""
        if len(kept) == len(self.groups) or not self.part_whole:
            return self.whole if len(kept) == len(self.groups) else {}
        return self.part_whole.get(head_of(kept, self.groups) or (), {})

    def _whole_under(self, name: Hashable) -> dict[Group, Mapping[str, ScoreTable]]:
        """Tables over all groups, and over some, of a part of this name."""
        inner = {(name, *head): tables for head, tables in self.part_whole.items()}
        return {(name,): self.whole, **inner} if self.whole else inner

    def _clusters_under(self, name: Hashable) -> dict[Group, Clusters]:
        """Clusters of the groups of a part of this name, and of the part."""
        found: dict[Group, Clusters] = {(name, *key): each for key, each in self.group_clusters.items()}
        if self.clusters is not None and self.clusters.names and not self.whole:
            found[name,] = self.clusters
        return found

    def of_scores(self, names: Sequence[str]) -> Counts:
        """Counts of some of the scores."""
        remarks.check_named(self, *names)
        groups = {key: {name: tables[name] for name in names} for key, tables in self.groups.items()}
        pairs = None if self.pairs is None else self.pairs.of(names)
        apart = {key: found.of(names) for key, found in self.group_clusters.items()}
        clusters = self.clusters and self.clusters.of(names if self.clusters.names else ())
        kept = {name: table for name, table in self.whole.items() if name in names}
        parts = {head: {n: table for n, table in own.items() if n in names} for head, own in self.part_whole.items()}
        cuts = {name: each for name, each in self.thresholds.items() if name in names}
        found: Any = {"pairs": pairs, "clusters": clusters, "group_clusters": apart, "whole": kept}
        return replace(self, groups=groups, part_whole=parts, thresholds=cuts, **found)

    def with_least(self, cell: int) -> Counts:
        """Same counts with neighbouring scores put together until every bin has so many rows of a class, or none.

        So no count from 1 to `cell` − 1 is disclosed, nor by a difference of tables of groups. `error_bound` of each
        table is the cost to its AUC. `thresholds` stay edges where both sides keep enough rows.

        Raises:
            OptionError: `cell` is not a whole number of at least 1.
            InputError: a group has fewer rows of a class than that, or weights are of importance.
        """
        if isinstance(cell, bool) or not isinstance(cell, int) or cell < 1:
            raise OptionError(keyword("cell", repr(cell)) + ": the least count of a class in a bin, a whole number.")
        if self.least >= cell:
            return self
        found, clusters = coarse(self.groups, cell, self.thresholds), self.clusters and self.clusters.of(())
        gone: Any = {"pairs": None, "group_clusters": {}, "part_whole": {}, "whole": found.whole if self.by else {}}
        notes = (*remarks.notes_without_pairs(self, remarks.LEAST), *found.said)
        known: Any = {"thresholds": found.thresholds, "notes": notes, "least": cell}
        return replace(self, groups=found.groups, clusters=clusters, **gone, **known)

    def save(self, path: str | Path) -> None:
        """Write the counts as Parquet, one row for each score or bin of each group; `load` reads them back.

        Columns are `model`, `group` (codes; the last are sums of groups), `score`, `width`, `positive`, `negative`.
        """
        from thresher.counts.pairs import moments_form

        check_saved(self.clusters)
        keys, models = list(self.groups), list(self)
        tables = [(i, k, self.groups[key][name]) for k, key in enumerate(keys) for i, name in enumerate(models)]
        tables += [(i, len(keys), self.whole[name]) for i, name in enumerate(models) if name in self.whole]
        parts = {head: [name for name in models if name in own] for head, own in self.part_whole.items()}
        tables += [
            (models.index(name), k, self.part_whole[head][name])
            for k, head in enumerate(parts, len(keys) + 1)
            for name in parts[head]
        ]
        columns: dict[str, NDArray[Any]] = {
            "model": np.concatenate([np.full(t.scores.size, i, dtype=np.int32) for i, _, t in tables]),
            "group": np.concatenate([np.full(t.scores.size, k, dtype=np.int32) for _, k, t in tables]),
            "score": np.concatenate([t.scores for *_, t in tables]),
            "width": np.concatenate([np.zeros(t.scores.size) if t.widths is None else t.widths for *_, t in tables]),
        }
        for name in COLUMNS:
            if getattr(self._first, name) is not None:
                columns[name] = np.concatenate([getattr(t, name) for *_, t in tables])
        form = {
            "kind": KIND, "schema": SCHEMA, "models": models, "by": list(self.by),
            "groups": [saved.labels_form(key) for key in keys], "classes": saved.labels_form(self.classes),
            "direction": self.direction, "weight_kind": self.weight_kind, "label": self.label,
            "notes": list(self.notes), **{name: getattr(self, name) for name in SUMS},
            "whole": [name for name in models if name in self.whole],
            "part_whole": [[saved.labels_form(head), named] for head, named in parts.items()],
            "thresholds": thresholds_form(self.thresholds), "least": self.least,
            "pairs": moments_form(self.pairs), "losses": [losses_form(table.losses) for *_, table in tables],
            "resolution": [table.resolution for *_, table in tables],
        }  # fmt: skip
        if self.clusters is not None:
            form["clusters"] = clusters_form(self.clusters)
            form["group_clusters"] = [clusters_form(self.group_clusters.get(key)) for key in keys]
            form["part_clusters"] = parts_form(self.group_clusters, keys)
        if any(table.rank_sums for *_, table in tables):
            form["rank_sums"] = [rank_form(table.rank_sums) for *_, table in tables]
        saved.write_parquet(path, columns, form)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Counts from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, it is damaged or was edited, or is of an unknown schema version.
        """
        from thresher.counts.pairs import moments_from

        columns, form = saved.read_parquet(path, KIND, SCHEMA)
        with saved.checked_form(KIND, path):
            models = names(form, "models")
            keys = [saved.key_from(mapping({"group": each}, "group")) for each in items(form, "groups")]
            check_distinct(keys, "groups")
            weight_kind = one_of(form, "weight_kind", (None, "importance", "frequency"))
            counted = COLUMNS if weight_kind == "importance" else COLUMNS[:2]
            check_columns(columns, ["model", "group", "score", "width", *counted])
            directions = directions_from(form, models)
            shapes = [{"direction": direction_of(directions, name), "weight_kind": weight_kind} for name in models]
            checked = {"score": column(columns, "score", "f"), "width": column(columns, "width", "f", 0.0)}
            checked |= {name: columns[name] for name in counted}
            totals = names(form, "whole") if form.get("whole") else ()
            kinds = [(k, i) for k in range(len(keys)) for i in range(len(models))]
            kinds += [(len(keys), models.index(name)) for name in totals]
            parts = part_names(form, models)
            kinds += [(k, models.index(n)) for k, named in enumerate(parts.values(), len(keys) + 1) for n in named]
            found = [
                table_of({name: values[rows] for name, values in checked.items()},
                       shapes[i] | {"losses": losses_from(loss), "resolution": bits and check_resolution(bits)}, ranks)
                for (_, i), rows, loss, bits, ranks in zip(
                    kinds, rows_of(columns, kinds), of_each(form, "losses", len(kinds)),
                    of_each(form, "resolution", len(kinds)), of_each(form, "rank_sums", len(kinds)), strict=True,
                )
            ]  # fmt: skip
            rest = iter(found[len(keys) * len(models) :])
            whole_tables = {name: next(rest) for name in totals}
            part_tables = {head: {name: next(rest) for name in named} for head, named in parts.items()}
            negative, positive = saved.labels_from(mapping(form, "classes"))
            apart = [clusters_from(each, models) for each in of_each(form, "group_clusters", len(keys))]
            part_clusters = parts_from(form.get("part_clusters", ()), models)
            return cls(
                groups={
                    key: dict(zip(models, found[k * len(models) : (k + 1) * len(models)], strict=True))
                    for k, key in enumerate(keys)
                },
                by=names(form, "by"), classes=(negative, positive), label=text(form, "label"),
                notes=texts(form, "notes"), **{name: whole(form, name) for name in SUMS},
                pairs=moments_from(form.get("pairs"), models), clusters=clusters_from(form.get("clusters"), models),
                group_clusters={key: each for key, each in zip(keys, apart, strict=True) if each is not None}
                | part_clusters,
                thresholds=thresholds_from(form, models), least=whole({"least": 0} | form, "least"),
                whole=whole_tables, part_whole=part_tables)  # fmt: skip

    def __reduce__(self) -> Any:
        build, (kind, values) = rebuilt(self)
        plain = {key: dict(tables) for key, tables in self.groups.items()}
        return build, (kind, values | {"groups": plain, "whole": dict(self.whole)})

    def __repr__(self) -> str:
        grouped, table = f", {len(self.groups):,} groups" if self.by else "", self[next(iter(self))]
        both = f"{table.P} {self.classes[1]!r} (positive), {table.N} {self.classes[0]!r}"
        return f"Counts({both}; {', '.join(self)}{grouped})"
