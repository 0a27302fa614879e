"""The rows of Parquet files that meet a condition in SQL, as a table that comes in batches and can be read again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher.counts.remarks import WHERE
from thresher.engines.files import File, find_files
from thresher.engines.frame import check_names
from thresher.engines.session import ask, session
from thresher.engines.streams import Get, Stream, batches_of
from thresher.engines.tables import FileTable, alias, literal, open_table, path_columns, quoted
from thresher.errors import InputError
from thresher.errors import quoted as told

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def rows_where(paths: Sequence[str], condition: str) -> Stream:
    """Rows of Parquet files that meet a condition on their columns, those that the folders name among them.

    Raises:
        InputError: files that cannot be read, or are of text, whose columns have no types; a condition that is none,
            or that no row meets.
    """
    if not condition.strip():
        raise InputError("the condition on rows is empty: write one, as in \"day >= '2026-01-01'\", or leave it out.")
    files = find_files(paths)
    name, kind = files[0].name, files[0].kind
    if kind != "parquet":
        raise InputError(
            f"a condition on rows needs Parquet files, whose columns have types, and {name} is text: keep the rows "
            f"that are wanted in a file of their own, or write it as Parquet, in DuckDB by "
            f"COPY (FROM read_{kind}({literal(name)}, sample_size=-1)) TO 'rows.parquet'."
        )
    with session(files) as connection:
        table = _open(connection, files)
        _check(connection, table, condition)

    def batches(names: Sequence[str]) -> Iterator[Get]:
        with session(files) as connection:
            yield from batches_of(connection.sql(_query(_open(connection, files, names), names, condition)))

    notes = (f"{WHERE}{condition.strip()}",)
    return Stream(f"what is kept of {table.where}", list(table.types), batches, notes=notes)


def _open(connection: DuckDBPyConnection, files: Sequence[File], names: Sequence[str] = ()) -> FileTable:
    """Table of the files with all columns of their paths, of which those that are read are of one type in each."""
    return open_table(connection, files, list(dict.fromkeys([*names, *path_columns(files[0])])))


def _query(table: FileTable, names: Sequence[str], condition: str) -> str:
    """Query of some columns of the rows that meet a condition, in which columns go by their own names."""
    every = list(table.types)
    named = "".join(f", {alias(name)} AS {quoted(name)}" for name in every if name not in _unnamed(every))
    wanted = ", ".join(f"{alias(name)} AS {quoted(name)}" for name in names) or "1"
    # A comment in the condition ends with its line.
    return f"SELECT {wanted} FROM (SELECT *{named} FROM ({table.select(every)})) WHERE ({condition}\n)"


def _unnamed(every: Sequence[str]) -> list[str]:
    """Columns that no condition can name, as SQL would take another for them: it does not tell "a" from "A"."""
    times = Counter(map(str.lower, every))
    return [name for name in every if times[name.lower()] > 1]


def _check(connection: DuckDBPyConnection, table: FileTable, condition: str) -> None:
    import duckdb

    query = _query(table, (), condition)
    try:
        connection.execute(f"EXPLAIN {query}")
        some = ask(connection, f"{query} LIMIT 1")
    except (duckdb.ProgrammingError, duckdb.DataError) as error:
        said = str(error).strip().splitlines()[0].rstrip(".!")
        if unknown := re.search(r'Referenced column "(.*)" not found', said):
            check_names(
                [unknown[1]], list(table.types), f"the condition {told(condition)} cannot be read: {table.where}"
            )
        others = ", ".join(map(told, _unnamed(list(table.types))))
        why = f". SQL cannot tell {others} apart: rename them" if others else ""
        raise InputError(f"the condition {told(condition)} cannot be read: {said}{why}.") from error
    if not some:
        raise InputError(f"no row of {table.where} meets the condition {told(condition)}.")
