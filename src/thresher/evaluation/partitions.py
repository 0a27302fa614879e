"""`count` of a dataframe on a cluster: counts of each partition on its worker, their sums, or Spark's SQL."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import partial, reduce
from importlib import import_module
from operator import add
from typing import Any

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.threads import machine_memory
from thresher.counts import Counts, ScoreTable
from thresher.counts.joint import JointCells
from thresher.counts.rounding import COLUMNS, sum_of
from thresher.errors import InputError, Note, OptionError, ThresherError, keyword
from thresher.evaluation.counted_rows import Building, Group, check_cuts, check_room, cuts_of
from thresher.predictions import build
from thresher.predictions.labels import distinct_labels
from thresher.readers import cluster_of, series
from thresher.readers.frames import columns_of, read_frame
from thresher.readers.numbers import REMEMBERED, Apart
from thresher.readers.parts import check_positive, checked, classes_of
from thresher.readers.roles import Roles, check_names, roles
from thresher.readers.spark import count_frame

Tables = dict[Group, dict[str, ScoreTable]]
HELD = ("scores", *COLUMNS)


@dataclass(frozen=True)
class Tabling:
    """How tables are made: significant bits of the scores, exact thresholds, and bytes."""

    resolution: int | None
    """None for scores as they are."""

    thresholds: Any = ()
    memory: int | None = None
    """Memory of a worker for counts and the current rows; for exact scores half of its memory unless given."""

    pairs: bool = False
    """Whether models are to be compared, for which rows are counted by the scores of all."""

    def cuts(self, name: str) -> list[float]:
        """Finite thresholds of a score."""
        return sorted(set(filter(math.isfinite, map(float, cuts_of(self.thresholds, name)))))


@dataclass(frozen=True)
class Partial:
    """Counts of some partitions, with everything needed to check them against the others."""

    tables: Tables
    labels: tuple[Hashable, ...] = ()
    positive: Hashable = None
    notes: tuple[Note, ...] = ()
    read: int = 0
    dropped: int = 0
    weightless: int = 0
    failure: ThresherError | None = None
    nothing: ThresherError | None = None
    """Why no row of a partition counts, which is an error where it is so in all of them."""

    apart: Mapping[str, Apart] = field(default_factory=dict)
    """Decimals of the columns of scores."""

    pairs: JointCells | None = None


def count_partition(
    frame: Any, *, partition_info: Any = None, found: Roles, options: dict[str, Any], how: Tabling
) -> Partial:
    """Counts of the rows of a partition, which errors name by its number in Dask's `partition_info`."""
    number = partition_info["number"] + 1
    apart = {name: Apart(REMEMBERED) for name in found.scores.values()}
    try:
        columns = read_frame(frame, found, lent=True, apart=apart)
        columns.locate = lambda row: f"row {row + 1:,} of partition {number:,}"
        part = checked(columns, **options)
    except ThresherError as failure:
        return Partial({}, _labels(frame, found), failure=failure)
    if part.rows is None:
        try:
            build(columns, **options)
        except ThresherError as nothing:
            sums: dict[str, Any] = {"read": part.dropped, "dropped": part.dropped, "weightless": part.weightless}
            return Partial({}, **sums, nothing=nothing, apart=apart)
    assert part.rows is not None
    rows = part.rows
    made = {"resolution": how.resolution or "exact", "weight_kind": options["weight_kind"]}
    building = Building(made, how.thresholds, how.memory, is_paired=how.pairs)
    sums = {"read": len(rows) + part.dropped, "dropped": part.dropped, "weightless": part.weightless}
    try:
        building.add(rows)
    except InputError as failure:
        return Partial({}, _labels(frame, found), failure=failure)
    sums |= {"apart": apart, "pairs": building.pairs}
    found_here = Partial(building.tables(), part.labels, rows.positive, rows.notes, **sums)
    return _within(found_here, how)


def _within(part: Partial, how: Tabling) -> Partial:
    """Counts of all distinct scores, or why a worker lacks room for them."""
    if how.resolution is not None:
        return part
    columns = [getattr(table, name) for named in part.tables.values() for table in named.values() for name in HELD]
    held = sum(column.nbytes for column in columns if column is not None)
    try:
        check_room(held, machine_memory() // 2 if how.memory is None else how.memory, rows=part.read)
    except InputError as failure:
        return replace(part, tables={}, failure=part.failure or failure)
    return part


def _labels(frame: Any, found: Roles) -> tuple[Hashable, ...]:
    """Labels of a refused partition: the labels of all partitions together may explain the error better."""
    names, get, _ = columns_of(frame)
    try:
        return series.encoded(get(found.label), found.label, "label").seen().values if found.label in names else ()
    except ThresherError:  # the labels themselves are wrong
        return ()


def added(parts: Sequence[Partial], *, label: str, how: Tabling) -> Partial:
    """Counts of several parts, in their order, in tables as small as the table of one part."""
    filled = [part for part in parts if part.tables]
    for part in filled[1:]:
        check_positive(filled[0].positive, part.positive, label)
    keys = dict.fromkeys(key for part in filled for key in part.tables)
    names = list(next(iter(filled[0].tables.values()))) if filled else []
    tables: Tables = {
        key: {name: sum_of([part.tables[key][name] for part in filled if key in part.tables]) for name in names}
        for key in keys
    }
    first = filled[0] if filled else parts[0]
    apart, alike = _together([part.apart for part in parts])
    failure = next((part.failure for part in parts if part.failure is not None), alike)
    try:
        pairs = reduce(add, cells) if (cells := [part.pairs for part in filled if part.pairs is not None]) else None
    except InputError as many:
        pairs, failure = None, failure or many
    whole = replace(
        first,
        tables=tables,
        labels=distinct_labels(label for part in parts for label in part.labels),
        notes=tuple(dict.fromkeys(note for part in filled for note in part.notes)),
        read=sum(part.read for part in parts),
        dropped=sum(part.dropped for part in parts),
        weightless=sum(part.weightless for part in parts),
        failure=failure,
        pairs=pairs,
        apart=apart,
        nothing=next((part.nothing for part in parts if part.dropped + part.weightless), parts[0].nothing),
    )
    return _within(whole, how)


def _together(parts: Sequence[Mapping[str, Apart]]) -> tuple[dict[str, Apart], InputError | None]:
    """Decimals of several parts, and the error if two of them are the same float64."""
    whole = {name: Apart(REMEMBERED) for part in parts for name in part}
    try:
        for part in parts:
            for name, found in part.items():
                whole[name].add(found, name, "score")
    except InputError as alike:
        return {}, alike
    return whole, None


TOGETHER = 8
"""Partial results that are added up at a time, on a worker."""


def check_cluster_options(data: Any, **given: Any) -> None:
    """Refuse options of `count` that do not apply on a cluster."""
    reasons = {"progress": "the cluster shows how far it is by itself"}
    if cluster_of(data) == "pyspark":
        reasons["memory"] = "Spark has memory of its own"
    for name, why in reasons.items():
        if given.get(name) is not None:
            raise OptionError(keyword(name, "…") + f" is not for this dataframe: {why}.")


def count_on_cluster(data: Any, scores: Any, *, columns: dict[str, Any], how: Tabling, **options: Any) -> Counts:
    """Counts of a dataframe on a cluster; `columns` are by role, the options are as in `count`."""
    named = roles(scores=scores, **columns, **dict.fromkeys(("predicted", "probabilities", "fold", "cluster")))
    if not named.scores:
        raise OptionError(keyword("scores", "…") + ": counts are of one score of two classes, or of several such.")
    check_cuts(how.thresholds, named.scores)
    check_names(named.needed, list(data.columns), "the dataframe")
    if cluster_of(data) != "pyspark":
        return _of_dask(data, named, options, how)
    cuts = [how.cuts(name) for name in named.scores]
    pairs = how.pairs and len(named.scores) > 1
    of_query = {name: value for name, value in options.items() if name != "weight_kind"}
    return count_frame(data, named, resolution=how.resolution, thresholds=cuts, pairs=pairs, **of_query)


def _of_dask(data: Any, found: Roles, options: dict[str, Any], how: Tabling) -> Counts:
    """Counts of the partitions of a Dask dataframe, made and added up on its workers."""
    dask: Any = import_module("dask")
    # One task reads a partition and counts it, so that a worker holds one at a time.
    given: dict[str, Any] = {"meta": (None, "object"), "enforce_metadata": False}
    given |= {"found": found, "options": options, "how": how}
    parts = data[list(found.needed)].map_partitions(count_partition, **given).to_delayed()
    add_up = dask.delayed(partial(added, label=found.label, how=how), pure=True)
    while len(parts) > 1:
        parts = [add_up(parts[i : i + TOGETHER]) for i in range(0, len(parts), TOGETHER)]
    whole: Partial = dask.compute(parts[0])[0]
    classes = classes_of(found.label, whole.labels, **options) if whole.labels else (None, None)
    if whole.failure is not None:
        raise whole.failure
    if not whole.tables:
        raise whole.nothing or InputError("there are no rows.")
    check_positive(whole.positive, classes[1], found.label)
    return Counts(
        groups=whole.tables, by=found.by, classes=(classes[0], classes[1]), label=found.label, notes=whole.notes,
        read=whole.read, dropped=whole.dropped, weightless=whole.weightless, pairs=whole.pairs,
    )  # fmt: skip
