"""The rows of files that meet a condition in SQL, read by the readers of the files, as often as they are asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thresher.counts.remarks import WHERE
from thresher.dataclass import dataclass
from thresher.engines.arrow import StreamError
from thresher.engines.condition_types import typed_columns
from thresher.engines.files import File, compression_checked, find_files
from thresher.engines.frame import Roles, check_names
from thresher.engines.in_order import InOrder
from thresher.engines.session import ask, session
from thresher.engines.source import KEPT, Progress, Source, coded_roles, read_parts
from thresher.engines.tables import ONE_BY_ONE, ROW, FileTable, alias, open_table, path_columns, quoted
from thresher.errors import InputError
from thresher.errors import quoted as told
from thresher.predictions.columns import Columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FIRST = 1_000
"""Rows of the files on which a condition is tried."""

_APART = "\x1f"
"""Before the names of columns that are not the condition's: no file has such a name."""


@dataclass(frozen=True)
class SomeRows:
    """Rows of files that meet a condition; `columns` are those that it names, each as what it compares, in SQL."""

    files: tuple[File, ...]
    condition: str
    columns: Mapping[str, str]

    def parts(self, found: Roles, progress: Progress | None = None, *, most: int | None = None) -> Iterator[Columns]:
        """Columns by their roles, all rows that are kept at once, or about `most` of them at a time.

        Raises:
            InputError: as `read_files`, of the rows that are kept; there are none, or the condition fails at a row.
        """
        import duckdb

        from thresher.engines.stream import resolved

        is_first = True
        with compression_checked(self.files), session(self.files) as connection:
            found = resolved(connection, self.files, found)
            table = open_table(connection, self.files, list(dict.fromkeys([*found.needed, *self.columns])))
            table = table.with_texts(coded_roles(found).keys() - self.columns)
            notes = [f"{WHERE}{self.condition.strip()}", *table.notes]
            source = self._source(connection, table, found.needed, numbered=most is None)
            try:
                for columns in read_parts(connection, source, found, progress, most=most):
                    if is_first and not len(columns.truth.codes):
                        raise InputError(f"no row of {table.where} meets the condition {told(self.condition)}.")
                    columns.notes[:0], is_first = notes, False
                    yield columns
            except (StreamError, duckdb.DataError) as error:
                if re.match("(Conversion|Out of Range) Error", str(error)):  # which the readers themselves do not raise
                    raise _refused(self.condition, table, _first_line(error)) from error
                raise

    def _source(
        self, connection: DuckDBPyConnection, table: FileTable, needed: Sequence[str], *, numbered: bool
    ) -> Source:
        """The rows that are kept: of text, whose rows are counted, all rows with a mark of those.

        So that none is lost unseen. A database that keeps rows itself passes over pieces of Parquet that hold none.
        """
        from thresher.engines.stream import as_source

        names = list(dict.fromkeys([*needed, *self.columns]))
        source, wanted = as_source(connection, table, names), [alias(name) for name in needed]
        source = replace(
            source,
            locate=lambda row: self._place_of(table, needed[0], row),
            first=lambda name, test: self._first(connection, table, name, test),
        )
        if table.reads == "text":
            blanked = ", ".join(f"CASE WHEN {KEPT} THEN {column} END AS {column}" for column in wanted)
            query = f"SELECT {blanked}, {ROW}, {KEPT} FROM ({self._marked(source.query, [*wanted, ROW])})"
            return replace(source, query=query, is_marked=True)
        wanted += [ROW] if numbered else []
        query = self._kept(source.query if numbered else table.select(names), wanted)
        return replace(source, query=query, rows=None, order=InOrder, numbered=numbered)

    def _marked(self, query: str, wanted: Sequence[str]) -> str:
        """Columns of a query of all rows, and of `KEPT`, which tells those that meet the condition."""
        # A comment in the condition ends with its line.
        kept = f"coalesce(({self.condition}\n)::BOOLEAN, false) AS {KEPT}"
        return f"SELECT {', '.join([*map(_apart, wanted), kept])} FROM ({self._named(query)})"

    def _kept(self, query: str, wanted: Sequence[str]) -> str:
        """Columns of a query of the rows that meet the condition."""
        columns = ", ".join(map(_apart, wanted)) or "1"
        return f"SELECT {columns} FROM ({self._named(query)}) WHERE ({self.condition}\n)"

    def _named(self, query: str) -> str:
        """Query in which the columns of the condition go by their own names, and no others by a name of the user's."""
        named = "".join(f", {sql} AS {quoted(name)}" for name, sql in self.columns.items())
        return f'SELECT COLUMNS(*) AS "{_APART}\\0"{named} FROM ({query})'

    def _place_of(self, table: FileTable, name: str, row: int) -> str:
        """File and row of one that is kept."""
        with session(table.files) as connection:
            found = self._first(connection, table, name, "true", row)
        return "" if found is None else found[0]

    def _first(
        self, connection: DuckDBPyConnection, table: FileTable, name: str, test: str, skipped: int = 0
    ) -> tuple[str, str] | None:
        """First value in rows that are kept that passes a test (of `v`, in SQL), after so many, and where it stands."""
        names = list(dict.fromkeys([name, *self.columns]))
        for part in table.parts:
            for file in part.files:
                marked = self._marked(part.query(names, [file]), [alias(name)])
                every = f"SELECT {ONE_BY_ONE} AS row, {alias(name)} AS v, {KEPT} FROM ({marked})"
                passing = f"SELECT row, v FROM ({every}) WHERE {KEPT} AND ({test})"
                for row, text in ask(connection, f"{passing} ORDER BY row LIMIT 1 OFFSET {skipped}"):
                    return f"row {row:,} of {file.name}", str(text)
                if skipped:
                    skipped -= int(ask(connection, f"SELECT count(*) FROM ({passing})")[0][0])
        return None

    def refusal(self, connection: DuckDBPyConnection, table: FileTable) -> str | None:
        """What DuckDB says of a condition that cannot be read, also on the first rows; None of any other."""
        import duckdb

        parsed = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT 1 WHERE ({self.condition}\n)"]).fetchall()
        if '"class":"SUBQUERY"' in parsed[0][0]:
            return "it asks for more than the columns of one row (SELECT, ANY or ALL)"
        rows = table.select([*self.columns] or list(table.types)[:1])
        some = f"SELECT * FROM ({rows}) LIMIT {FIRST}"
        ask(connection, some)  # what is wrong with the files is not said of the condition
        try:
            connection.execute(f"EXPLAIN {self._kept(rows, [])}")
            ask(connection, self._marked(some, []))
        except (duckdb.ProgrammingError, duckdb.DataError) as error:
            return _first_line(error)
        return None


def _apart(name: str) -> str:
    """A column of `SomeRows._named` that no condition can mean, by its usual name."""
    return f"{quoted(_APART + name)} AS {name}"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".!")


def rows_where(paths: Sequence[str], condition: str) -> SomeRows:
    """Rows of files that meet a condition on their columns, those that the folders of Parquet files name among them.

    Raises:
        InputError: files that cannot be read, or a condition that is none.
    """
    if not condition.strip():
        raise InputError("the condition on rows is empty: write one, as in \"day >= '2026-01-01'\", or leave it out.")
    files = find_files(paths)
    needed = path_columns(files[0]) if files[0].kind == "parquet" else []
    with session(files) as connection:
        while True:
            table = open_table(connection, files, needed)
            named = [name for name in _named_in(condition, table) if name not in _unnamed(table)]
            found = SomeRows(tuple(files), condition, typed_columns(connection, table, named))
            said = found.refusal(connection, table)
            if said is None:
                return found
            late = _unknown(said)
            if late is None or late in needed or table.reads != "json" or not _is_further_down(connection, files, late):
                raise _refused(condition, table, said)
            needed.append(late)


def _named_in(condition: str, table: FileTable) -> list[str]:
    """Columns that a condition may name: those whose names are among its words; all where it has them by a pattern."""
    words = {word.strip('"').replace('""', '"') for word in re.findall(r'"(?:[^"]|"")*"|\w+', condition.lower())}
    return [name for name in table.types if name.lower() in words or "columns" in words]


def _unnamed(table: FileTable) -> list[str]:
    """Columns that no condition can name, as SQL would take another for them: it does not tell "a" from "A"."""
    times = Counter(map(str.lower, table.types))
    return [name for name in table.types if times[name.lower()] > 1]


def _unknown(said: str) -> str | None:
    found = re.search(r'Referenced column "(.*)" not found', said)
    return found and found[1]


def _is_further_down(connection: DuckDBPyConnection, files: Sequence[File], name: str) -> bool:
    """Whether a column that the first objects of JSON files lack is in others."""
    try:
        open_table(connection, files, [name])
    except InputError:
        return False
    return True


def _refused(condition: str, table: FileTable, said: str) -> InputError:
    """Why a condition cannot be read."""
    if unknown := _unknown(said):
        check_names([unknown], list(table.types), f"the condition {told(condition)} cannot be read: {table.where}")
    others = ", ".join(map(told, _unnamed(table)))
    why = f". SQL cannot tell {others} apart: rename them" if others else ""
    return InputError(f"the condition {told(condition)} cannot be read: {said}{why}.")
