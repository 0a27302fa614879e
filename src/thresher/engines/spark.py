"""Counts of a PySpark dataframe, classic or Connect: Spark groups by bins, and only counts come to the driver."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.conventions import directions
from thresher.counts import Counts
from thresher.engines.frame import Roles
from thresher.engines.numbers import text_error
from thresher.engines.query_result import counts_of_result
from thresher.engines.spark_exact import BY_SPARK, check_distinct, counted_in_ranges, in_columns
from thresher.engines.warehouse import CountingQuery, dialect_of
from thresher.errors import InputError
from thresher.predictions.columns import Encoded
from thresher.predictions.labels import find_classes, plain

TABLE = "thresher_table"

_ONE = threading.Lock()
"""Views have names, so that one dataframe is counted at a time."""

_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")


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
    is_there: bool,
) -> Counts:
    """Count by SQL expressions alone: nothing needs to be installed where Spark runs.

    Exact counts are made by the executors where thresher `is_there`.

    Raises:
        InputError: the data cannot be counted as they are.
    """
    kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    for role, names in (("score", found.scores.values()), ("weight", [found.weights] if found.weights else [])):
        for name in names:
            _check_number(kinds[name].split("(")[0], name, role)
    given = directions(direction, list(found.scores))
    ends = given if isinstance(given, str) else {found.scores[name]: end for name, end in given.items()}
    query = CountingQuery(
        table=TABLE, label=found.label, positive="", scores=tuple(found.scores.values()), weights=found.weights,
        weight_kind=weight_kind, by=found.by, direction=ends, rest=rest, tolerance=tolerance,
    )  # fmt: skip
    with _ONE, ExitStack() as stack:
        spark = frame.sparkSession
        frame.createOrReplaceTempView(TABLE)
        stack.callback(spark.catalog.dropTempView, TABLE)
        labels = _labels(spark, query, kinds[found.label])
        if labels:
            codes = Encoded(found.label, np.zeros(0, np.uint8), tuple(dict.fromkeys(labels.values())))
            chosen = find_classes([codes], scored=True, positive=positive, rest=rest).labels[1]
            texts = [text for text, label in labels.items() if label == chosen]
            query = replace(query, positive=texts[0] if texts else str(chosen))
        columns, notes = _result(spark, query, stack, is_there)
    counts = counts_of_result(
        columns, where="the dataframe", missing=missing, labels=labels, names=tuple(found.scores)
    )  # fmt: skip
    return replace(counts, notes=notes)


def _check_number(kind: str, name: str, role: str) -> None:
    if kind == "string":
        raise text_error(name, role, "…", where="some row")
    if kind not in _NUMBERS:
        raise InputError(f"the {role} column {name!r} has type {kind}, which is no number.")


def _labels(spark: Any, query: CountingQuery, kind: str) -> dict[str, Hashable]:
    """Labels of the rows that count, by their text in Spark."""
    words = dialect_of("spark")
    given, marked = (text for _, text in query.rows(words)[:2])
    found = spark.sql(
        f"WITH thresher_given_rows AS ({given}), thresher_marked_rows AS ({marked}) SELECT DISTINCT label_text FROM "
        f"thresher_marked_rows WHERE what = 'counted' LIMIT 10001"
    )
    texts = [row[0] for row in found.collect()]
    if kind == "boolean":
        return {text: text == "true" for text in texts}
    if kind.split("(", maxsplit=1)[0] in _NUMBERS:
        return {text: plain(Decimal(text)) for text in texts}
    return {text: text for text in texts}


def _result(
    spark: Any, query: CountingQuery, stack: ExitStack, is_there: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Run the query a round at a time: its small tables come to the driver and go back as such; and what is to say."""
    words = dialect_of("spark")

    def view(name: str, found: Any) -> None:
        found.createOrReplaceTempView(name)
        stack.callback(spark.catalog.dropTempView, name)

    for name, text in query.rows(words):
        view(name, spark.sql(text))
    if query.tolerance == 0:
        return _exact_result(spark, query, view, is_there)
    for name, text in query.rounds(words):
        found = spark.sql(text)
        if not name.startswith("thresher_widths"):  # those are made of the bins, which are few
            found = spark.createDataFrame(found.toArrow())
        view(name, found)
    table = spark.sql(query.result(words)).toArrow()
    return {name: table.column(name) for name in table.column_names}, ()


def _exact_result(
    spark: Any, query: CountingQuery, view: Callable[[str, Any], None], is_there: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Distinct scores, counted by the executors in ranges, or grouped by Spark where they cannot; and what is to say.

    They come to the driver as numbers alone, and the query is run for the rest of its result.
    """
    words = dialect_of("spark")
    notes: tuple[str, ...] = ()
    check_distinct(spark, query.keys, "thresher_counted_rows")
    ((name, text),) = query.rounds(words)
    bins = spark.sql(text)
    view(name, bins.limit(0))
    if is_there:
        bins = counted_in_ranges(spark.table("thresher_counted_rows"), query.keys)
    else:
        notes = (BY_SPARK,)
    return in_columns(bins.toArrow(), query.keys, spark.sql(query.result(words)).toArrow()), notes
