"""Counts of a PySpark dataframe, classic or Connect: Spark groups by bins, and only counts come to the driver."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import directions
from thresher.counts import Counts
from thresher.engines.frame import Roles
from thresher.engines.numbers import EXACT, alike_error, exact, said_boolean, text_error
from thresher.engines.query_result import counts_of_result
from thresher.engines.spark_bins import CHANGED, SUMS, Counting, View, binned
from thresher.engines.spark_exact import BY_SPARK, check_distinct, counted_in_ranges, in_columns
from thresher.engines.spark_rows import (
    COUNTED_ROWS,
    NUMBERS,
    TEXTS,
    Facts,
    RowsQuery,
    changed_query,
    text_of,
    twins_query,
    wide_query,
)
from thresher.engines.warehouse import CountingQuery, dialect_of
from thresher.errors import InputError, quoted

LEAST = 2**12
"""Rows up to which every distinct score is kept, whatever the tolerance."""

TABLE = "thresher_table"

PARTITIONS = "spark.sql.shuffle.partitions"
MOST_PARTITIONS = 16
"""In which bins without groups are added up: of the 200 that Spark takes each has files, a third of the time."""

_ONE = threading.Lock()
"""Views have names, so that one dataframe is counted at a time."""


def count_frame(
    frame: Any,
    found: Roles,
    *,
    positive: Hashable | None,
    rest: Any,
    weight_kind: Any,
    direction: Any,
    missing: Any,
    tolerance: float,
    thresholds: Sequence[Sequence[float]],
    is_there: bool,
) -> Counts:
    """Count by SQL expressions alone: nothing needs to be installed where Spark runs.

    Exact counts are made by the executors where thresher `is_there`.

    Raises:
        InputError: the data cannot be counted as they are.
    """
    types = {field.name: field.dataType for field in frame.schema.fields}
    kinds = {name: each.typeName() for name, each in types.items()}
    for role, names in (("score", found.scores.values()), ("weight", [found.weights] if found.weights else [])):
        for name in names:
            _check_number(kinds[name].split("(")[0], name, role)
    for name in (found.label, *found.by):
        _check_label(kinds[name].split("(")[0], name, "label" if name == found.label else "group")
    given = directions(direction, list(found.scores))
    ends = given if isinstance(given, str) else {found.scores[name]: end for name, end in given.items()}
    query = CountingQuery(
        table=TABLE, label=found.label, positive=text_of(1 if positive is None else positive),
        scores=tuple(found.scores.values()), weights=found.weights, weight_kind=weight_kind, by=found.by,
        direction=ends, rest=rest, tolerance=tolerance,
    )  # fmt: skip
    rows = RowsQuery(query, kinds[found.label].split("(")[0], types[found.label].simpleString(), thresholds)
    with _ONE, ExitStack() as stack:
        spark = frame.sparkSession

        def view(name: str, found: Any) -> None:
            found.createOrReplaceTempView(name)
            stack.callback(spark.catalog.dropTempView, name)

        view(TABLE, frame)
        known, facts = rows.facts(spark, positive, rest)
        said = _said(spark, types, query, facts)
        is_refused = facts.others["refused"] or (facts.others["missing"] and missing == "error") or not facts.rows
        is_binned = not is_refused and tolerance > 0 and facts.rows > max(1 / tolerance, LEAST)
        if is_binned and not query.keys:
            _set_partitions(spark, stack)
        bins, notes = (None, ()) if is_refused else _counted(spark, known, facts, view, is_there, is_binned)
    counts = counts_of_result(
        in_columns(bins, query.keys, known.rest(facts)), where="the dataframe", missing=missing,
        labels=facts.meanings, names=tuple(found.scores),
    )  # fmt: skip
    _check_same(counts, facts, known.query)
    if is_binned and not query.keys:
        ((key, tables),) = counts.groups.items()
        done = {name: facts.completed(table, i, rows.thresholds[i]) for i, (name, table) in enumerate(tables.items())}
        counts = replace(counts, groups={key: done})
    return replace(counts, notes=said + notes)


def _set_partitions(spark: Any, stack: ExitStack) -> None:
    """As few as are needed, until the stack is left."""
    given = spark.conf.get(PARTITIONS)
    if given.isdigit() and int(given) > MOST_PARTITIONS:
        spark.conf.set(PARTITIONS, MOST_PARTITIONS)
        stack.callback(spark.conf.set, PARTITIONS, given)


def _check_number(kind: str, name: str, role: str) -> None:
    if kind == "string":
        raise text_error(name, role, "…", where="some row")
    if kind not in NUMBERS:
        raise InputError(f"the {role} column {name!r} has type {kind}, which is no number.")


def _check_label(kind: str, name: str, role: str) -> None:
    if kind not in (*NUMBERS, *TEXTS):
        raise InputError(
            f"the {role} column {name!r} has type {kind}: labels and groups are numbers, text, dates or truth values."
        )


def _said(spark: Any, types: Mapping[str, Any], query: CountingQuery, facts: Facts) -> tuple[str, ...]:
    """Notes of the columns of numbers.

    Raises:
        InputError: numbers that float64 cannot tell apart.
    """
    notes: list[str] = []
    columns: list[tuple[str, str, Sequence[float]]]
    columns = [(name, "score", ends or ()) for name, ends in zip(query.scores, facts.ranges, strict=True)]
    columns += [(query.weights, "weight", (facts.heaviest or 0.0,))] if query.weights else []
    for name, role, ends in columns:
        kind = types[name].simpleString()
        if kind == "bigint" and max(map(abs, ends), default=0) >= EXACT:
            for (wide,) in spark.sql(wide_query(query.table, name)).collect():
                exact(name, role, wide)
        if kind.startswith("decimal") and role == "score":
            _check_decimals(spark, query.table, name, kind)
        if kind == "boolean":
            said_boolean(name, role, notes)
    return tuple(notes)


def check_decimals(frame: Any, names: Sequence[str]) -> None:
    """Refuse columns of decimals of which two are one float64, which no partition may tell by itself.

    Raises:
        InputError: a column has such.
    """
    types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    decimals = [name for name in names if types[name].startswith("decimal")]
    if not decimals:
        return
    with _ONE:
        frame.createOrReplaceTempView(TABLE)
        try:
            for name in decimals:
                _check_decimals(frame.sparkSession, TABLE, name, types[name])
        finally:
            frame.sparkSession.catalog.dropTempView(TABLE)


def _check_decimals(spark: Any, table: str, name: str, kind: str) -> None:
    """Refuse decimals of which two are one float64; there are none where each comes back from it as it was."""
    if not spark.sql(changed_query(table, name, kind)).collect():
        return
    for one, other in spark.sql(twins_query(table, name)).collect():
        raise alike_error(name, "score", quoted(one), quoted(other))


def _check_same(counts: Counts, facts: Facts, query: CountingQuery) -> None:
    """Refuse counts of other rows than the pass before told of, whose thresholds and losses they would be given.

    Raises:
        InputError: the rows changed.
    """
    if query.weights is not None:
        return
    for name in counts:
        tables = [named[name] for named in counts.groups.values()]
        positives, rows = sum(int(t.P) for t in tables), sum(int(t.P + t.N) for t in tables)
        if (positives, rows) != (facts.labels.get(query.positive, 0), facts.rows):
            raise InputError(CHANGED)


def _counted(
    spark: Any, rows: RowsQuery, facts: Facts, view: View, is_there: bool, is_binned: bool
) -> tuple[Any, tuple[str, ...]]:
    """Bins or distinct scores of every score column and group, and what is to say."""
    query, words = rows.query, dialect_of("spark")
    if is_binned:
        return _binned(spark, rows, facts, view), ()
    view(COUNTED_ROWS, spark.sql(rows.counted()))
    ((_, text),) = replace(query, tolerance=0).rounds(words)
    if query.tolerance > 0:
        return spark.sql(text).toArrow(), ()
    check_distinct(spark, query.keys, COUNTED_ROWS)
    if is_there:
        return counted_in_ranges(spark.table(COUNTED_ROWS), query.keys).toArrow(), ()
    return spark.sql(text).toArrow(), (BY_SPARK,)


def _binned(spark: Any, rows: RowsQuery, facts: Facts, view: View) -> Any:
    """Bins of the scores, one score after the other, and infinite scores."""
    import pyarrow as pa

    query = rows.query
    found = []
    for number, ends in enumerate(facts.ranges, 1):
        if ends is None:
            continue
        turned = (-ends[1], -ends[0]) if query.directions[number - 1] == "lower" else ends
        counting = Counting(
            spark, view, rows.of_score(number), keys=query.keys, weighted=query.weights is not None, total=facts.rows
        )
        bins = binned(counting, turned, query.tolerance).table(query.keys)
        found.append(bins.append_column("score_number", pa.array(np.full(bins.num_rows, number, np.int32))))
    if any(facts.infinite):
        view(COUNTED_ROWS, spark.sql(rows.counted()))
        ((_, text),) = replace(query, tolerance=0).rounds(dialect_of("spark"))
        found.append(spark.sql(f"SELECT *, 0.0D AS width FROM ({text}) WHERE ABS(score) = 'Infinity'").toArrow())
    names = ("score_number", *query.keys, "score", "width", *SUMS)
    return pa.concat_tables([each.select(names) for each in found], promote_options="permissive")
