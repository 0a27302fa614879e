"""`count` on a cluster: every partition is counted where it lies, and only counts come back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from thresher.conventions import Direction
from thresher.counts import Counts, ScoreTable
from thresher.counts.builder import ScoreTableBuilder
from thresher.counts.pairs import PlacementMoments, Placing
from thresher.engines import cluster_of, one_column
from thresher.engines.frame import Roles, check_names, columns_of, read_frame, roles
from thresher.engines.parts import Checked, check_positive, checked, classes_of
from thresher.engines.session import machine_memory
from thresher.engines.spark import count_frame
from thresher.errors import InputError, OptionError, ThresherError
from thresher.evaluation.group_tables import Group, by_group, check_room, cuts_of, pair_cuts, room
from thresher.predictions import build
from thresher.sentences import keyword

TOGETHER = 8
"""Partial counts that are added up at a time, on a worker."""

Tables = dict[Group, dict[str, ScoreTable]]


@dataclass(frozen=True)
class Tabling:
    """How tables are made: options of their builders, the share of the usual memory, where bins are cut, and bytes."""

    made: Mapping[str, Any]
    share: float = 1.0
    thresholds: Any = ()
    memory: int | None = None
    """Of a worker, for distinct scores that are all kept; half of what it has where none is given."""

    def builder(self, name: str, tables: int, direction: Direction) -> ScoreTableBuilder:
        """Builder of one of so many tables."""
        options: dict[str, Any] = {"direction": direction, "thresholds": cuts_of(self.thresholds, name)}
        return ScoreTable.builder(**self.made, **room(tables, self.share), **options)


def check_cluster_options(data: Any, **given: Any) -> None:
    """Refuse options of `count` that a cluster has no use for.

    Raises:
        OptionError: one is given.
    """
    reasons = {"progress": "the cluster shows how far it is by itself"}
    reasons["cluster"] = "sums of clusters are made of files and tables: write the columns as Parquet, and count these"
    if cluster_of(data) == "pyspark":
        reasons["memory"] = "Spark has memory of its own, and tolerance bounds what comes to the driver"
        reasons["thresholds"] = "Spark counts in bins of its own; take the threshold at the edge of a bin"
        reasons["pairs"] = "Spark counts each score by itself: write the columns as Parquet, and count the files"
    for name, why in reasons.items():
        if given[name] is not None and given[name] is not False and (name != "thresholds" or len(given[name])):
            raise OptionError(keyword(name, "…") + f" is not for this dataframe: {why}.")


def count_on_cluster(
    data: Any, scores: Any, *, label: Any, weights: Any, by: Any, how: Tabling, pairs: bool, **options: Any
) -> Counts:
    """Counts of a dataframe that lies on a cluster; the options are those of `count`."""
    wanted = {"label": label, "scores": scores, "weights": weights, "by": by}
    found = roles(**wanted, **dict.fromkeys(("predicted", "probabilities", "fold", "cluster")))
    if not found.scores:
        raise OptionError(keyword("scores", "…") + ": counts are of one score of two classes, or of several such.")
    check_names(found.needed, list(data.columns), "the dataframe")
    if cluster_of(data) == "pyspark":
        return count_frame(data, found, tolerance=how.made["tolerance"], **options)
    whole = _on_dask(data, found, options, how)
    classes = classes_of(found.label, whole.labels, **options) if whole.labels else (None, None)
    if whole.failure is not None:
        raise whole.failure
    if not whole.tables:
        raise whole.nothing or InputError("there are no rows.")
    check_positive(whole.positive, classes[1], found.label)
    counts = Counts(
        groups=whole.tables, by=found.by, classes=(classes[0], classes[1]), label=found.label, notes=whole.notes,
        read=whole.read, dropped=whole.dropped, weightless=whole.weightless,
    )  # fmt: skip
    if not pairs or len(counts) < 2 or counts.weight_kind == "importance":
        return counts
    return replace(counts, pairs=_placed_on_dask(data, found, options, counts, pair_cuts(how.thresholds, counts)))


@dataclass(frozen=True)
class Partial:
    """Counts of some partitions, with all that is needed to check them against those of the others."""

    tables: Tables
    labels: tuple[Hashable, ...] = ()
    positive: Hashable = None
    notes: tuple[str, ...] = ()
    read: int = 0
    dropped: int = 0
    weightless: int = 0
    failure: ThresherError | None = None
    nothing: ThresherError | None = None
    """Why no row of a partition counts, which is an error where it is so in all of them."""


def _on_dask(data: Any, found: Roles, options: dict[str, Any], how: Tabling) -> Partial:
    dask: Any = import_module("dask")
    count_one, add_up = dask.delayed(_count_partition, pure=True), dask.delayed(_added, pure=True)
    parts = [
        count_one(part, number, found, options, how)
        for number, part in enumerate(data[list(found.needed)].to_delayed(), 1)
    ]
    return _summed(parts, lambda some: add_up(some, found.label, how))  # type: ignore[no-any-return]


def _placed_on_dask(
    data: Any, found: Roles, options: dict[str, Any], counts: Counts, cuts: list[tuple[str, float]]
) -> PlacementMoments:
    """Moments of the pairs of scores, in a second pass over the partitions."""
    dask: Any = import_module("dask")
    tables = dask.delayed({name: counts[name] for name in counts}, pure=True)
    place_one, add_up = dask.delayed(_place_partition, pure=True), dask.delayed(_added_moments, pure=True)
    parts = [place_one(part, found, options, tables, cuts) for part in data[list(found.needed)].to_delayed()]
    return _summed(parts, add_up)  # type: ignore[no-any-return]


def _summed(parts: list[Any], add_up: Callable[[list[Any]], Any]) -> Any:
    """Sum of parts, a few of which are added up at a time."""
    dask: Any = import_module("dask")
    while len(parts) > 1:
        parts = [add_up(parts[i : i + TOGETHER]) for i in range(0, len(parts), TOGETHER)]
    (whole,) = dask.compute(parts[0])
    return whole


def _place_partition(
    frame: Any, found: Roles, options: dict[str, Any], tables: Mapping[str, ScoreTable], cuts: list[tuple[str, float]]
) -> PlacementMoments:
    """Moments of the rows of a partition, which was counted before."""
    placing = Placing(tables, cuts, cells=True)
    columns = read_frame(frame, found)
    rows = checked(columns, **options).rows if len(columns.truth.codes) else None
    if rows is not None:
        placing.add(rows.truth, rows.scores, rows.weights)
    return placing.moments()


def _added_moments(parts: Sequence[PlacementMoments]) -> PlacementMoments:
    return sum(parts[1:], parts[0])


def _count_partition(frame: Any, number: int, found: Roles, options: dict[str, Any], how: Tabling) -> Partial:
    """Counts of the rows of a partition."""
    try:
        columns = read_frame(frame, found)
        columns.locate = lambda row: f"row {row + 1:,} of partition {number:,}"
        part = checked(columns, **options) if len(columns.truth.codes) else Checked(None, (), 0, 0)
    except ThresherError as failure:
        return Partial({}, _labels(frame, found), failure=failure)
    if part.rows is None:
        try:
            build(columns, **options)
        except ThresherError as nothing:
            sums: dict[str, Any] = {"read": part.dropped, "dropped": part.dropped, "weightless": part.weightless}
            return Partial({}, **sums, nothing=nothing)
    assert part.rows is not None
    rows = part.rows
    groups = list(by_group(rows))
    tables = {
        key: {
            name: how.builder(name, len(groups) * len(found.scores), rows.direction_of(name))
            .update(rows.truth[places], values[places], None if rows.weights is None else rows.weights[places])
            .table()
            for name, values in rows.scores.items()
        }
        for key, places in groups
    }
    sums = {"read": len(part.rows) + part.dropped, "dropped": part.dropped, "weightless": part.weightless}
    return _within(Partial(tables, part.labels, part.rows.positive, part.rows.notes, **sums), how)


def _within(part: Partial, how: Tabling) -> Partial:
    """Counts of which every distinct score is kept, or why they are more than a worker has room for."""
    if how.made["tolerance"] > 0:
        return part
    whole = {"tolerance": 0.0, "weight_kind": how.made["weight_kind"]}
    tables = [table for named in part.tables.values() for table in named.values()]
    held = sum(ScoreTable.builder(**whole, direction=table.direction).add(table).nbytes for table in tables)
    try:
        check_room(held, machine_memory() // 2 if how.memory is None else how.memory)
    except InputError as failure:
        return replace(part, tables={}, failure=part.failure or failure)
    return part


def _labels(frame: Any, found: Roles) -> tuple[Hashable, ...]:
    """Labels of a partition that is refused: those of all partitions together may say more of what is wrong."""
    names, get, _ = columns_of(frame)
    return one_column.encoded(get(found.label), found.label, "label").seen().values if found.label in names else ()


def _added(parts: Sequence[Partial], label: str, how: Tabling) -> Partial:
    """Counts of several parts, in their order, in tables that are as small as those of one."""
    filled = [part for part in parts if part.tables]
    for part in filled[1:]:
        check_positive(filled[0].positive, part.positive, label)
    keys = dict.fromkeys(key for part in filled for key in part.tables)
    names = list(next(iter(filled[0].tables.values()))) if filled else []
    tables: Tables = {}
    for key in keys:
        tables[key] = {}
        for name in names:
            found = [part.tables[key][name] for part in filled if key in part.tables]
            builder = how.builder(name, max(len(keys) * len(names), 1), found[0].direction)
            for table in found:
                builder.add(table)
            tables[key][name] = builder.table()
    first = filled[0] if filled else parts[0]
    whole = replace(
        first,
        tables=tables,
        labels=tuple(dict.fromkeys(label for part in parts for label in part.labels)),
        notes=tuple(dict.fromkeys(note for part in filled for note in part.notes)),
        read=sum(part.read for part in parts),
        dropped=sum(part.dropped for part in parts),
        weightless=sum(part.weightless for part in parts),
        failure=next((part.failure for part in parts if part.failure is not None), None),
        nothing=next((part.nothing for part in parts if part.dropped + part.weightless), parts[0].nothing),
    )
    return _within(whole, how)
