"""Exact counts of rows on Spark: each executor counts a range of the scores, and only distinct scores leave it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

import thresher
from thresher.counts.builder import ScoreTableBuilder
from thresher.engines.encode import is_missing
from thresher.engines.query_result import Chunks
from thresher.engines.warehouse import OUT
from thresher.errors import InputError
from thresher.predictions.places import places_of
from thresher.sentences import keyword

MOST = 10_000_000
"""Distinct scores that come to the driver at the most, of all score columns and groups together: 0.3 GB."""

PIECE = 2**20
"""Rows that an executor puts into order at a time."""

PROBED = 8
"""Tasks that say whether this release of thresher is where they run."""

BY_SPARK = (
    "Spark has grouped the rows by their scores itself, which takes several times as long: this release of thresher "
    "cannot be imported where Spark runs."
)

_SUMS = OUT[4:8]


def check_distinct(spark: Any, keys: Sequence[str], rows: str) -> None:
    """Refuse more distinct scores than may come to the driver; above the limit they are estimated, to 1 %.

    Raises:
        InputError: they are more.
    """
    if spark.sql(f"SELECT COUNT(*) FROM {rows}").collect()[0][0] <= MOST:
        return
    each = ", ".join(("score_number", *keys, "score"))
    found = spark.sql(f"SELECT approx_count_distinct(struct({each}), 0.01) FROM {rows}").collect()[0][0]
    if found > MOST:
        raise InputError(
            f"there are about {found:,} distinct scores, and up to {MOST:,} come to the driver of Spark, so that they "
            f"cannot be counted exactly: name " + keyword("tolerance", "1e-6") + ", or count fewer columns at a time."
        )


_PROBES: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
"""What the executors of a session said."""


def is_on_executors(spark: Any) -> bool:
    """Whether this release of thresher can be imported by the executors, as far as a few tasks can tell, once."""
    if spark not in _PROBES:
        _PROBES[spark] = _probe(spark)
    return _PROBES[spark]


def _probe(spark: Any) -> bool:
    wanted = thresher.__version__

    def versions(batches: Iterable[Any]) -> Iterator[Any]:  # a function inside of another is sent as it stands
        import pyarrow

        try:
            import thresher as there

            found = there.__version__
        except ImportError:
            found = ""
        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"version": [found]})

    try:
        rows = spark.range(0, PROBED, 1, PROBED).mapInArrow(versions, "version string").collect()
    except Exception:  # whatever keeps Python from running there, in the words of that Spark
        return False
    return {row[0] for row in rows} == {wanted}


def counted_in_ranges(frame: Any, keys: Sequence[str]) -> Any:
    """Dataframe of the distinct scores of the rows that count, with their sums: a range of them for each executor."""
    from pyspark.sql.types import DoubleType, StructField, StructType

    known = [frame.schema[name] for name in ("score_number", *keys)]
    schema = StructType([*known, *(StructField(name, DoubleType()) for name in ("score", *_SUMS))])
    ranges = frame.repartitionByRange("score_number", "score")
    return ranges.mapInArrow(lambda batches: reduced(batches, keys), schema)


def reduced(batches: Iterable[Any], keys: Sequence[str]) -> Iterator[Any]:
    """Distinct scores of the rows of some batches of Arrow, for every score column and group, with their sums.

    Runs on an executor, which holds a piece of the rows and the distinct scores of its range.
    """
    import pyarrow as pa

    columns = ("score_number", *keys)
    kept: dict[tuple[Any, ...], ScoreTableBuilder] = {}
    types: list[Any] = []
    for piece in pieces(batches, PIECE):
        types = [piece.schema.field(name).type for name in columns]
        for key, places in _groups(piece, columns):
            truth, score, weight = (piece.column(name).to_numpy()[places] for name in ("truth", "score", "weight"))
            builder = kept.setdefault(key, ScoreTableBuilder(tolerance=0))
            builder.update(truth, score, weight if weight.dtype.kind == "f" else None)  # else the query wrote 1
    for key, builder in kept.items():
        table = builder.table()
        same = [pa.repeat(pa.scalar(value, kind), table.scores.size) for value, kind in zip(key, types, strict=True)]
        found = [getattr(table, name) for name in ("scores", *_SUMS)]
        none = np.zeros(table.scores.size)  # squares are of weights, and only these are read
        sums = [pa.array(none if column is None else column.astype(np.float64)) for column in found]
        yield pa.RecordBatch.from_arrays([*same, *sums], names=[*columns, "score", *_SUMS])


def pieces(batches: Iterable[Any], least: int) -> Iterator[Any]:
    """Tables of at least so many rows, but for the last, of batches that have few."""
    import pyarrow as pa

    held: list[Any] = []
    rows = 0
    for batch in batches:
        held, rows = [*held, batch], rows + batch.num_rows
        if rows >= least:
            yield pa.Table.from_batches(held).combine_chunks()
            held, rows = [], 0
    if rows:
        yield pa.Table.from_batches(held).combine_chunks()


def _groups(piece: Any, columns: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Values of the columns, and the places of the rows that have them; a group of NaN is one without a value."""
    codes, values = np.zeros(piece.num_rows, dtype=np.int64), []
    for name in columns:
        found = piece.column(name).chunk(0).dictionary_encode(null_encoding="encode")
        codes = codes * len(found.dictionary) + found.indices.to_numpy()
        values.append([None if is_missing(value) else value for value in found.dictionary.to_pylist()])
    for code, places in places_of(codes):
        at = np.unravel_index(code, [len(each) for each in values])
        yield tuple(each[i] for each, i in zip(values, at, strict=True)), places


def in_columns(bins: Any, keys: Sequence[str], rest: Any) -> dict[str, Any]:
    """Columns of the result of the counting query, of a table of bins or distinct scores and of what else is in it.

    There may be no bins.
    """
    import pyarrow as pa

    if bins is None:
        return {name: rest.column(name) for name in rest.column_names}
    rows = bins.num_rows
    none = np.zeros(rows)
    numbers = bins.column("score_number").to_numpy() - 1
    names = [str(i + 1) for i in range(int(numbers.max(initial=0)) + 1)]
    found = {
        "what": pa.DictionaryArray.from_arrays(none.astype(np.int8), ["bin"]),
        "name": pa.DictionaryArray.from_arrays(numbers.astype(np.int32), names),
        "width": bins.column("width") if "width" in bins.column_names else none,
        "total": none,
        **{name: bins.column(name) for name in (*keys, "score", *_SUMS)},
    }
    return {name: Chunks([found[name], rest.column(name)]) for name in found}
