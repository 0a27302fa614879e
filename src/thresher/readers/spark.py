"""Counts of a PySpark dataframe: Spark groups by label and rounded scores, and counts come to the driver."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import MAX_CLASSES, Directions, directions
from thresher.counts import Counts
from thresher.errors import InputError, Note, choice, quoted
from thresher.predictions.columns import too_many
from thresher.readers.numbers import EXACT, alike_error, exact, note_boolean, text_error
from thresher.readers.roles import Roles
from thresher.readers.sql import CountingQuery, dialect_of
from thresher.readers.sql_result import counts_of_result

TABLE = "thresher_table"

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")

TEXTS = ("string", "char", "varchar", "date", "timestamp", "timestamp_ntz", "daytimeinterval", "void", "binary")

MOST = 10_000_000
"""Most distinct scores, or pairs, collected on the driver, over all columns and groups: 0.3 GB."""

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
    pairs: bool,
) -> Counts:
    """Count by SQL alone: nothing needs to be installed where Spark runs."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    kinds = {name: each.typeName().split("(")[0] for name, each in types.items()}
    for role, names in (("score", found.scores.values()), ("weight", [found.weights] if found.weights else [])):
        for name in names:
            _check_number(kinds[name], name, role)
    for name in (found.label, *found.by):
        _check_label(kinds[name], name, "label" if name == found.label else "group")
    given = directions(direction, list(found.scores))
    ends: Directions = given if isinstance(given, str) else {found.scores[name]: end for name, end in given.items()}
    cuts = [
        # A score of float32 is compared in its own precision, as everywhere.
        [float(np.float32(cut)) for cut in each] if kinds[name] == "float" else each
        for name, each in zip(found.scores.values(), thresholds, strict=True)
    ]
    query = CountingQuery(
        table=TABLE, label=found.label, positive="", scores=tuple(found.scores.values()), weights=found.weights,
        by=found.by, direction=ends, rest=rest, resolution=resolution, thresholds=cuts,
        pairs=pairs,
    )  # fmt: skip
    with _ONE:
        spark = frame.sparkSession
        frame.createOrReplaceTempView(TABLE)
        try:
            _check_labels(spark, query)
            notes = _said(spark, types, query)
            _check_distinct(spark, query)
            counted = spark.sql(query.counting(dialect_of("spark"))).toArrow()
        finally:
            spark.catalog.dropTempView(TABLE)
    columns = {name: counted.column(name) for name in counted.column_names}
    counts = counts_of_result(columns, query, missing=missing, names=tuple(found.scores), positive=positive)
    return replace(counts, notes=notes)


def _check_labels(spark: Any, query: CountingQuery) -> None:
    name = dialect_of("spark").name(query.label)
    if len(spark.sql(f"SELECT DISTINCT {name} FROM {TABLE} LIMIT {MAX_CLASSES + 2}").collect()) == MAX_CLASSES + 2:
        raise too_many(query.label, "label")


def _check_distinct(spark: Any, query: CountingQuery) -> None:
    """Refuse more counts than may come to the driver; above the limit they are estimated, to 1 %."""
    kinds = [(query.pairs, "pairs of scores", [[*query.pair_columns]])]
    kinds += [(query.resolution is None, "distinct scores", [[each] for each in query.score_columns])]
    if not any(wanted for wanted, *_ in kinds) or spark.sql(f"SELECT COUNT(*) FROM {TABLE}").collect()[0][0] <= MOST:
        return
    steps = [*query.rows(dialect_of("spark"), "{}"), *query.rounding()]
    listed = ", ".join(f"{name} AS ({text})" for name, text in steps)
    for words, columns in ((words, columns) for wanted, words, columns in kinds if wanted):
        each = [f"approx_count_distinct(struct({', '.join([*query.keys, *own])}), 0.01)" for own in columns]
        found = spark.sql(f"WITH {listed} SELECT {' + '.join(each)} FROM {steps[-1][0]}").collect()[0][0]
        if found > MOST:
            again = choice("resolution", "exact") if query.resolution is None else ""
            raise InputError(
                f"there are about {found:,} {words}, and up to {MOST:,} come to the driver of Spark: "
                + (f"leave out {again}, or count" if again else "count") + " fewer scores at a time, or without pairs."
            )  # fmt: skip


def _check_number(kind: str, name: str, role: str) -> None:
    if kind == "string":
        raise text_error(name, role, "…", where="some row")
    if kind not in NUMBERS:
        raise InputError(f"the {role} column {name!r} has type {kind}, which is not a number.")


def _check_label(kind: str, name: str, role: str) -> None:
    if kind not in (*NUMBERS, *TEXTS):
        raise InputError(
            f"the {role} column {name!r} has type {kind}: labels and groups are numbers, text, dates or truth values."
        )


def _said(spark: Any, types: Mapping[str, Any], query: CountingQuery) -> tuple[Note, ...]:
    """Notes of the columns of numbers."""
    notes: list[Note] = []
    columns = [(name, "score") for name in query.scores] + ([(query.weights, "weight")] if query.weights else [])
    for name, role in columns:
        kind, column = types[name].simpleString(), dialect_of("spark").name(name)
        if kind == "bigint":
            wide = f"SELECT {column} FROM {TABLE} WHERE {column} NOT BETWEEN -{EXACT}L AND {EXACT}L LIMIT 1"
            for (value,) in spark.sql(wide).collect():
                exact(name, role, value)
        if kind.startswith("decimal") and role == "score":
            _check_decimals(spark, column, name, kind)
        if kind == "boolean":
            note_boolean(name, role, notes)
    return tuple(notes)


def _check_decimals(spark: Any, column: str, name: str, kind: str) -> None:
    """Refuse decimals that share one float64."""
    number = f"CAST({column} AS DOUBLE)"
    if not spark.sql(f"SELECT 1 FROM {TABLE} WHERE NOT TRY_CAST({number} AS {kind}) <=> {column} LIMIT 1").collect():
        return
    each = f"SELECT MIN({column}) AS low, MAX({column}) AS high FROM {TABLE} GROUP BY {number}"
    for one, other in spark.sql(f"SELECT low, high FROM ({each}) WHERE low <> high LIMIT 1").collect():
        raise alike_error(name, "score", quoted(one), quoted(other))
