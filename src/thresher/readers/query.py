"""One pass over a query: every column into its own compact array, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.database import second_connection
from thresher.errors import InputError, Note, quoted
from thresher.predictions.columns import Columns
from thresher.readers import arrow
from thresher.readers.columns import (
    Numbers,
    Readers,
    Reads,
    columns_by_role,
    finish_columns,
    part_starts,
    read_texts,
    readers_of,
)
from thresher.readers.numbers import EXACT, exact, note_boolean, text_error
from thresher.readers.roles import Roles
from thresher.readers.session import ask
from thresher.readers.tables import ROW, alias, check_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Progress = Callable[[float | None, str], None]
Floats = NDArray[np.float64]

NO_NUMBER = ("", "na", "n/a", "#n/a", "nan", "null", "none", "<na>")
"""Lower-case texts of a missing number in a file."""

_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_WHOLE = ("BIGINT", "HUGEINT")

# Tests of a value v, in SQL.
_ANY = "v IS NOT NULL"
_DIGITS = r"regexp_full_match(trim(v), '[-+]?\d+')"
_WIDE = f"coalesce(abs(TRY_CAST(v AS HUGEINT)) > {EXACT}, v IS NOT NULL)"

_BATCH = 2**17  # approximate surplus of rows in a part


def number_of(text: str) -> str:
    """SQL for the number that a text is, else NULL; DuckDB alone would also read 1_000 and +-1.

    >>> number_of("v")
    "CASE WHEN contains(v, '_') OR contains(v, '+-') THEN NULL ELSE TRY_CAST(v AS DOUBLE) END"
    """
    odd = " OR ".join(f"contains({text}, '{mark}')" for mark in ("_", "+-"))
    return f"CASE WHEN {odd} THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"


def too_large(text: str) -> str:
    """SQL for whether a text is a number that is infinite in float64 only."""
    return f"isinf({number_of(text)}) AND NOT contains(lower({text}), 'inf')"


_NOT_A_NUMBER = f"{_ANY} AND {number_of('v')} IS NULL AND lower(trim(v, ' \"')) NOT IN {NO_NUMBER}"


@dataclass(frozen=True)
class Source:
    """A query to read: the reading and the type of each column, and the origin of a row or a text.

    The column `ROW` keeps the rows in order; `rows` is their number, if known. For a pipe in pieces, `before` counts
    the earlier rows. `first_decimal_point` finds the first number with a decimal point in a column of decimal commas.
    """

    query: str
    reads: Mapping[str, Reads]
    types: Mapping[str, str]
    locate: Callable[[int], str]
    first: Callable[[str, str], tuple[str, str] | None]
    rows: int | None = None
    before: int | None = None
    first_decimal_point: Callable[[str], tuple[str, str] | None] = lambda _: None

    @property
    def how(self) -> dict[str, Reads]:
        """How the labels of each column are read."""
        return {name: "decimal" if _is_decimal(self, name) else reads for name, reads in self.reads.items()}


def read_parts(
    connection: DuckDBPyConnection,
    source: Source,
    found: Roles,
    progress: Progress | None = None,
    *,
    most: int | None = None,
    readers: Readers | None = None,
) -> Iterator[Columns]:
    """Read a query once, about `most` rows at a time; a label has the same code in all parts.

    The meaning of a part's texts (numbers, truth values, or texts) depends on all values up to its end. `readers`
    continues the builders of earlier queries.
    """
    notes: list[Note] = []
    numbers = found.numbers
    for name, role in numbers.items():
        _check_number(source, name, role, notes)
    readers = readers or readers_of(found, source.rows if most is None else most + _BATCH)
    # With parts more rows come while these are queried. All rows at once have come by then, some of them from
    # tables that no other connection knows.
    with nullcontext(connection) if most is None else second_connection(connection) as second:
        for start in read_batches(second, source, readers, progress, most):
            floats, codes = finish_columns(readers)
            for name, values in floats.items():
                _check_values(source, name, numbers[name], values)
                is_decimal = source.reads[name] == "typed" and source.types[name].startswith("DECIMAL")
                if not start and numbers[name] != "weight" and is_decimal:
                    _check_decimals(connection, source, name, numbers[name])
            codes = read_texts(source.how, found, codes)
            yield columns_by_role(found, floats, codes, notes, source.locate, start=start)


def _check_number(source: Source, name: str, role: str, notes: list[Note]) -> None:
    kind = source.types[name]
    is_number = kind.lstrip("U").startswith(_NUMERIC) and not kind.endswith("]")  # DOUBLE[] is a list of numbers
    if source.reads[name] != "typed" or is_number:
        return
    if kind == "BOOLEAN":
        note_boolean(name, role, notes)
        return
    text = source.first(name, _ANY) if kind == "VARCHAR" else None
    if text is not None:
        raise text_error(name, role, text[1], where=text[0])
    if kind not in ("VARCHAR", '"NULL"'):
        raise InputError(f"the {role} column {name!r} has type {kind}, which is not a number.")


def _check_values(source: Source, name: str, role: str, values: Floats) -> None:
    if not len(values):
        return
    typed = source.reads[name] == "typed"
    if (text := source.first_decimal_point(name)) is not None:
        raise decimal_point_error(f"the {role} column {name!r}", *text)
    if not typed and np.isnan(values.min()):
        text = source.first(name, _NOT_A_NUMBER)
        if text is not None:
            mixed, written = not np.isnan(values).all(), source.reads[name] != "json"
            raise text_error(name, role, text[1], where=text[0], mixed=mixed, written=written)
    if not typed and np.isinf(values).any() and (text := source.first(name, too_large("v"))) is not None:
        raise InputError(
            f"the {role} column {name!r} holds {quoted(text[1])} in {text[0]}, which is too large for float64: "
            f"rescale it."
        )
    whole = not typed or source.types[name].lstrip("U").startswith(_WHOLE)
    if whole and max(-np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)) >= EXACT:
        wide = source.first(name, _WIDE if typed else f"{_DIGITS} AND {_WIDE}")
        if wide is not None:
            exact(name, role, int(wide[1]))


def decimal_point_error(column: str, where: str, text: str) -> InputError:
    """Error for a decimal point in a column of decimal commas."""
    return InputError(
        f"{column} has {text!r} in {where}, where numbers have decimal commas. Write all decimals alike, and thousands "
        f"without a mark."
    )


def _check_decimals(connection: DuckDBPyConnection, source: Source, name: str, role: str) -> None:
    """Refuse decimals that share one float64."""
    kind, column = source.types[name], alias(name)
    if source.first(name, f"{_ANY} AND TRY_CAST(CAST(v AS DOUBLE) AS {kind}) IS DISTINCT FROM v") is None:
        return
    distinct = f"SELECT DISTINCT {column} AS v FROM ({source.query})"
    twins = f"SELECT max(v) FROM ({distinct}) GROUP BY CAST(v AS DOUBLE) HAVING count(v) > 1 LIMIT 1"
    for (twin,) in ask(connection, twins):
        where, text = source.first(name, f"v = {twin}") or ("", twin)
        raise InputError(
            f"the {role} column {name!r} holds {text} in {where}, which float64 cannot tell from another of its "
            f"numbers: rescale them, or replace them by their ranks."
        )


def _is_decimal(source: Source, name: str) -> bool:
    kind = source.types[name]
    return source.reads[name] == "typed" and (
        kind in ("HUGEINT", "UHUGEINT") or (kind.startswith("DECIMAL") and not kind.endswith("]"))
    )


def _expression(source: Source, name: str, *, number: bool) -> str:
    """Return the SQL for a column: numbers as DOUBLE, labels in a type that Arrow and NumPy share."""
    column, kind = alias(name), source.types[name]
    if source.reads[name] != "typed":
        return number_of(column) if number else column
    if number or _is_decimal(source, name):
        return f"CAST({column} AS {'DOUBLE' if number else 'VARCHAR'})"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        raise InputError(f"column {name!r} has type {kind}: labels and groups are numbers, text or truth values.")
    return column if kind != "UUID" else f"{column}::VARCHAR"


def read_batches(
    connection: DuckDBPyConnection,
    source: Source,
    readers: Readers,
    progress: Progress | None = None,
    most: int | None = None,
) -> Iterator[int]:
    """Pass the batches of the query to the readers of its columns, and yield where each full part of rows began."""
    wanted = [
        f"{_expression(source, name, number=isinstance(reader, Numbers))} AS r{i}"
        for i, (name, reader) in enumerate(readers.items())
    ]
    if progress is not None:
        connection.execute("SET enable_progress_bar=true")
        connection.execute("SET enable_progress_bar_print=false")
    result = connection.sql(f"SELECT {', '.join([*wanted, ROW])} FROM ({source.query})")

    def batches() -> Iterator[int]:
        done = 0
        for batch in arrow.batches(result):
            _append(batch, readers)
            done += int(batch.length)
            if progress is not None:
                share = done / source.rows if source.rows else max(connection.query_progress(), 0.0) / 100
                read = next(iter(readers.values())).read
                progress(min(share, 1.0) if source.before is None else None, f"{read:,} rows read")
            yield int(batch.length)
        check_count(done, source.rows)

    yield from part_starts(batches(), readers, most)


def _append(batch: Any, readers: Readers) -> None:
    for place, reader in enumerate(readers.values()):
        column = batch.child(place)
        if isinstance(reader, Numbers):
            reader.add(arrow.numbers(column), arrow.nulls(column))
        else:
            arrow.encode(column, reader)
