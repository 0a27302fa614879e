"""Counts of a PySpark dataframe, classic or Connect: Spark groups by rounded scores, and counts come to the driver."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import directions
from thresher.counts import Counts
from thresher.engines.frame import Roles
from thresher.engines.numbers import EXACT, alike_error, exact, said_boolean, text_error
from thresher.engines.query_result import Chunks, counts_of_result
from thresher.engines.spark_exact import check_distinct
from thresher.engines.spark_rows import (
    NUMBERS,
    TEXTS,
    Facts,
    RowsQuery,
    changed_query,
    text_of,
    twins_query,
    wide_query,
)
from thresher.engines.warehouse import CountingQuery
from thresher.errors import InputError, quoted

TABLE = "thresher_table"

CHANGED = "the rows changed while they were counted: write them, or keep them by localCheckpoint, and count those."

_ONE = threading.Lock()
"""Views have names, so that one dataframe is counted at a time."""


def count_frame(
    frame: Any,
    found: Roles,
    *,
    positive: Hashable | None,
    rest: Any,
    direction: Any,
    missing: Any,
    resolution: int | None,
    thresholds: Sequence[Sequence[float]],
) -> Counts:
    """Count by SQL expressions alone: nothing needs to be installed where Spark runs.

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
    cuts = [
        # A score of float32 is compared in its own precision, as everywhere.
        [float(np.float32(cut)) for cut in each] if kinds[name] == "float" else each
        for name, each in zip(found.scores.values(), thresholds, strict=True)
    ]
    query = CountingQuery(
        table=TABLE, label=found.label, positive=text_of(1 if positive is None else positive),
        scores=tuple(found.scores.values()), weights=found.weights, by=found.by,
        direction=ends, rest=rest, resolution=resolution, thresholds=cuts,
    )  # fmt: skip
    rows = RowsQuery(query, kinds[found.label].split("(")[0], types[found.label].simpleString())
    with _ONE:
        spark = frame.sparkSession
        frame.createOrReplaceTempView(TABLE)
        try:
            known, facts = rows.facts(spark, positive, rest)
            said = _said(spark, types, query, facts)
            is_refused = facts.others["refused"] or (facts.others["missing"] and missing == "error") or not facts.rows
            counted = None if is_refused else _counted(spark, known)
        finally:
            spark.catalog.dropTempView(TABLE)
    counts = counts_of_result(
        _with_facts(counted, known.rest(facts)), where="the dataframe", missing=missing,
        labels=facts.meanings, names=tuple(found.scores),
    )  # fmt: skip
    _check_same(counts, facts, known.query)
    return replace(counts, notes=said)


def _counted(spark: Any, rows: RowsQuery) -> Any:
    """Rounded or distinct scores of every score column and group, with their sums, as a table of Arrow."""
    if rows.query.resolution is None:
        check_distinct(spark, rows.query.keys, f"({rows.counted()})")
    return spark.sql(rows.query.counts_of(rows.counted())).toArrow()


def _with_facts(counted: Any, rest: Any) -> dict[str, Any]:
    """Columns of the result of the counting query, of the counts, if there are any, and of what else is in it."""
    if counted is None:
        return {name: rest.column(name) for name in rest.column_names}
    return {name: Chunks([counted.column(name), rest.column(name)]) for name in counted.column_names}


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


def _check_decimals(spark: Any, table: str, name: str, kind: str) -> None:
    """Refuse decimals of which two are one float64; there are none where each comes back from it as it was."""
    if not spark.sql(changed_query(table, name, kind)).collect():
        return
    for one, other in spark.sql(twins_query(table, name)).collect():
        raise alike_error(name, "score", quoted(one), quoted(other))


def _check_same(counts: Counts, facts: Facts, query: CountingQuery) -> None:
    """Refuse counts of other rows than the pass before read.

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
