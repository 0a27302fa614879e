"""What a function finds of every partition of a cluster's dataframe, added up where the partitions lie."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

from thresher.engines.spark_exact import pieces

T = TypeVar("T")

One = Callable[[Any, Callable[[int], str]], T]
"""Takes a table of some rows of a partition, and what says where one of its rows is."""

Add = Callable[[Sequence[T]], T]

TOGETHER = 8
"""Partial results that are added up at a time, on a worker."""

LARGE = 2**20
"""Bytes from which on what Dask's tasks have in common goes to each worker once, past the scheduler."""

PIECE = 2**22
"""Rows that a worker of Spark takes at a time."""

_FOUND = "part long, found binary"


def over_dask(data: Any, names: Sequence[str], one: One[T], add: Add[T]) -> T:
    """Sum over the partitions of a Dask dataframe, in their order."""
    dask: Any = import_module("dask")
    # One task reads a partition and counts it, so that a worker holds one at a time.
    sent = _sent(one, getattr(dask.base.get_scheduler(collections=[data]), "__self__", None))
    shared = dask.delayed(one, pure=True) if sent is None else sent
    given: dict[str, Any] = {"one": shared, "meta": (None, "object"), "enforce_metadata": False}
    parts = data[list(names)].map_partitions(_of_partition, **given).to_delayed()
    add_up = dask.delayed(add, pure=True)
    while len(parts) > 1:
        parts = [add_up(parts[i : i + TOGETHER]) for i in range(0, len(parts), TOGETHER)]
    (whole,) = dask.compute(parts[0])
    return whole  # type: ignore[no-any-return]


def _sent(one: One[T], client: Any) -> Any:
    """What holds much, as it lies on every worker; None where it is little, or a single worker could lose it."""
    if not hasattr(client, "scatter") or len(client.nthreads()) < 2:
        return None
    is_large = len(import_module("distributed.protocol.pickle").dumps(one)) > LARGE
    return client.scatter(one, broadcast=True, hash=False) if is_large else None


def over_spark(data: Any, names: Sequence[str], one: One[T], add: Add[T]) -> T | None:
    """Sum over the partitions of a Spark dataframe by workers that have thresher; None without a row.

    Partitions are put together by their numbers, so that a task that is tried again finds the same.
    """
    rows = data.select(*("`" + name.replace("`", "``") + "`" for name in names))
    found = rows.mapInArrow(lambda batches: _each(batches, one, add), _FOUND)
    for tasks in (TOGETHER, 1):
        found = found.repartition(tasks, "part").mapInArrow(lambda batches: _together(batches, add), _FOUND)
    whole = found.collect()
    return pickle.loads(whole[0][1]) if whole else None


def _of_partition(frame: Any, *, one: One[T], partition_info: Any = None) -> T:
    return _called(one, frame, partition_info["number"])


def _called(one: One[T], frame: Any, number: int, start: int = 0) -> T:
    return one(frame, lambda row: f"row {start + row + 1:,} of partition {number + 1:,}")


def _each(batches: Iterable[Any], one: One[T], add: Add[T]) -> Iterator[Any]:
    """What is found of the rows of a partition, which come in batches."""
    number = import_module("pyspark").TaskContext.get().partitionId()
    held: list[T] = []
    start = 0
    for piece in pieces(batches, PIECE):
        found = _called(one, piece, number, start)
        held, start = [add([*held, found]) if held else found], start + piece.num_rows
    if held:
        yield _batch(number, held[0])


def _together(batches: Iterable[Any], add: Add[T]) -> Iterator[Any]:
    """Sum of what was found of several partitions, under the least of their numbers."""
    found = {part: data for batch in batches for part, data in zip(*batch.to_pydict().values(), strict=True)}
    if found:
        numbers = sorted(found)
        yield _batch(numbers[0], add([pickle.loads(found[number]) for number in numbers]))


def _batch(number: int, found: Any) -> Any:
    import pyarrow as pa

    data = pa.array([pickle.dumps(found, pickle.HIGHEST_PROTOCOL)], pa.binary())
    return pa.RecordBatch.from_arrays([pa.array([number], pa.int64()), data], names=["part", "found"])
