"""What comes from Spark: distinct scores up to a limit; and what its executors have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import thresher
from thresher.errors import InputError
from thresher.sentences import choice

MOST = 10_000_000
"""Distinct scores that come to the driver at the most, of all score columns and groups together: 0.3 GB."""

PROBED = 8
"""Tasks that say whether this release of thresher is where they run."""


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
            f"cannot be counted exactly: leave out "
            + choice("resolution", "exact")
            + ", or count fewer columns at a time."
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
