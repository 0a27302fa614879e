"""Rows of files that meet a condition in SQL.

It compares columns of text as numbers, dates, times or truth values where all their values are such.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from thresher._util.fast_dataclass import dataclass
from thresher.counts.remarks import filter_note
from thresher.errors import InputError, Note
from thresher.errors import quoted as told
from thresher.predictions.columns import Columns
from thresher.readers.arrow import StreamError
from thresher.readers.files import File, find_files
from thresher.readers.query import NO_NUMBER, number_of
from thresher.readers.roles import check_names
from thresher.readers.session import ask, session
from thresher.readers.tables import ROW, FileTable, alias, json_text, open_table, path_columns, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FIRST = 1_000
"""Rows of the files for trying a condition and ruling out kinds of columns."""

_APART = "\x1f"
"""Before the names of columns that are not the condition's: no file has such a name."""

_NUMBER = f"({number_of('$v')} IS NOT NULL AND NOT ltrim($v, ' +-') BETWEEN '00' AND '0:')"
"""Test of a usual number: 01 is text, as in a label."""

_DIGITS = "trim($t) BETWEEN '0' AND ':'"  # not the beginning of infinity, or of an epoch
_OFFSET = r"regexp_matches($t, ':.*(Z|[-+]\d\d(:?\d\d)?)\s*$')"

_KINDS = {
    "NULL": "false",
    "TRY_CAST($v AS BIGINT)": f"{_NUMBER} AND TRY_CAST($v AS BIGINT) IS NOT NULL AND NOT contains($v, '.') "
    "AND NOT contains(lower($v), 'e')",
    number_of("$v"): _NUMBER,
    "TRY_CAST($t AS DATE)": f"TRY_CAST($t AS DATE) IS NOT NULL AND {_DIGITS} AND NOT contains($t, ':')",
    "TRY_CAST($t AS TIMESTAMP)": f"TRY_CAST($t AS TIMESTAMP) IS NOT NULL AND {_DIGITS} AND NOT {_OFFSET}",
    "make_timestamp(epoch_us(TRY_CAST($t AS TIMESTAMPTZ)))": f"TRY_CAST($t AS TIMESTAMPTZ) IS NOT NULL AND {_OFFSET}",
    "TRY_CAST($v AS BOOLEAN)": "lower(trim($v)) IN ('true', 'false')",
}
"""Values by kind, the narrowest first, of a cell `$v` with text `$t`, with the test that a column must pass.

Nothing, whole numbers, numbers (NaN among them), dates, times, times with an offset (in UTC), truth values.
"""

_MISSING = tuple(text for text in NO_NUMBER if text != "nan")
"""Texts that are null in a column of any kind."""


@dataclass(frozen=True)
class SomeRows:
    """Rows of files that meet a condition; `columns` maps each column in it to the SQL value that it compares."""

    files: tuple[File, ...]
    condition: str
    columns: Mapping[str, str]

    @property
    def note(self) -> Note:
        """Note on results of these rows."""
        return filter_note(self.condition)

    def checked(self, parts: Iterator[Columns], table: FileTable) -> Iterator[Columns]:
        """Columns of the rows that are kept."""
        import duckdb

        is_first = True
        try:
            for columns in parts:
                if is_first and not len(columns.truth.codes):
                    raise InputError(f"no row of {table.where} meets the condition {told(self.condition)}.")
                is_first = False
                yield columns
        except (StreamError, duckdb.DataError) as error:
            if re.match("(Conversion|Out of Range) Error", str(error)):  # which the readers themselves do not raise
                raise _refused(self.condition, table, _first_line(error)) from error
            raise

    def columns_for(self, names: Sequence[str]) -> list[str]:
        """Columns that are read, and those that the condition names."""
        return list(dict.fromkeys([*names, *self.columns]))

    def in_order(self, table: FileTable, names: Sequence[str]) -> str:
        """As the query of a table, of the rows that are kept: DuckDB passes over pieces of Parquet that hold none."""
        return self.kept(table.in_order(self.columns_for(names)), [*map(alias, names), ROW])

    def marked(self, query: str, wanted: Sequence[str]) -> str:
        """Columns of a query of all rows, and `kept_`, which marks rows that meet the condition."""
        # A comment in the condition ends with its line.
        kept = f"coalesce(({self.condition}\n)::BOOLEAN, false) AS kept_"
        return f"SELECT {', '.join([*map(_apart, wanted), kept])} FROM ({self._named(query)})"

    def kept(self, query: str, wanted: Sequence[str]) -> str:
        """Columns of a query of the rows that meet the condition."""
        columns = ", ".join(map(_apart, wanted)) or "1"
        return f"SELECT {columns} FROM ({self._named(query)}) WHERE ({self.condition}\n)"

    def _named(self, query: str) -> str:
        named = "".join(f", {sql} AS {quoted(name)}" for name, sql in self.columns.items())
        return f'SELECT COLUMNS(*) AS "{_APART}\\0"{named} FROM ({query})'

    def refusal(self, connection: DuckDBPyConnection, table: FileTable) -> str | None:
        """Return DuckDB's message about an invalid condition, tried on the first rows too; None for a valid one."""
        import duckdb

        parsed = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT 1 WHERE ({self.condition}\n)"]).fetchall()
        if '"class":"SUBQUERY"' in parsed[0][0]:
            return "it asks for more than the columns of one row (SELECT, ANY or ALL)"
        rows = table.select([*self.columns] or list(table.types)[:1])
        some = f"SELECT * FROM ({rows}) LIMIT {FIRST}"
        ask(connection, some)  # an error of the files is not blamed on the condition
        try:
            connection.execute(f"EXPLAIN {self.kept(rows, [])}")
            ask(connection, self.marked(some, []))
        except (duckdb.ProgrammingError, duckdb.DataError) as error:
            return _first_line(error)
        return None


def _apart(name: str) -> str:
    """Return a column that no condition can name."""
    return f"{quoted(_APART + name)} AS {name}"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".!")


def rows_where(paths: Sequence[str], condition: str) -> SomeRows:
    """Rows of files that meet a condition on their columns, those that the folders of Parquet files name among them."""
    if not condition.strip():
        raise InputError("the condition on rows is empty: write one, as in \"day >= '2026-01-01'\", or leave it out.")
    files = find_files(paths)
    needed = path_columns(files[0]) if files[0].kind == "parquet" else []
    words = {word.strip('"').replace('""', '"') for word in re.findall(r'"(?:[^"]|"")*"|\w+', condition.lower())}
    with session(files) as connection:
        while True:
            table = open_table(connection, files, needed)
            named = [name for name in table.types if name.lower() in words or "columns" in words]
            named = [name for name in named if name not in _unnamed(table)]
            found = SomeRows(tuple(files), condition, typed_columns(connection, table, named))
            said = found.refusal(connection, table)
            if said is None:
                return found
            late = _unknown(said)
            if late is None or late in needed or table.reads != "json" or not _is_further_down(connection, files, late):
                raise _refused(condition, table, said)
            needed.append(late)


def _unnamed(table: FileTable) -> list[str]:
    """Return columns that SQL would confuse with others, since it ignores case."""
    times = Counter(map(str.lower, table.types))
    return [name for name in table.types if times[name.lower()] > 1]


def _unknown(said: str) -> str | None:
    found = re.search(r'Referenced column "(.*)" not found', said)
    return found and found[1]


def _is_further_down(connection: DuckDBPyConnection, files: Sequence[File], name: str) -> bool:
    """Return whether a JSON column that the first objects lack occurs later."""
    try:
        open_table(connection, files, [name])
    except InputError:
        return False
    return True


def _refused(condition: str, table: FileTable, said: str) -> InputError:
    if unknown := _unknown(said):
        check_names([unknown], list(table.types), f"the condition {told(condition)} cannot be read: {table.where}")
    others = ", ".join(map(told, _unnamed(table)))
    why = f". SQL cannot distinguish {others}: rename them" if others else ""
    return InputError(f"the condition {told(condition)} cannot be read: {said}{why}.")


def typed_columns(connection: DuckDBPyConnection, table: FileTable, names: Sequence[str]) -> dict[str, str]:
    """Return the columns of a table, each with the SQL value that a condition compares.

    Columns of text files get the first kind that fits all their rows, which are read for it, else text.
    """
    if table.reads == "typed":
        return {name: alias(name) for name in names}
    rows = table.select(names)
    some = f"SELECT * FROM ({rows}) LIMIT {FIRST}"
    each = [(name, kind) for name in names for kind in _KINDS]
    left = [own for own, fits in zip(each, _fit(connection, table, each, some), strict=True) if fits]
    found: dict[str, str] = {}
    while first := {name: kind for name, kind in reversed(left) if name not in found}:
        fits = _fit(connection, table, list(first.items()), rows)
        found |= {name: kind for (name, kind), is_right in zip(first.items(), fits, strict=True) if is_right}
        left = [own for own in left if own not in first.items()]
    return {name: _of_cell(found.get(name, "$t"), table, name) for name in names}


def _fit(
    connection: DuckDBPyConnection, table: FileTable, kinds: Sequence[tuple[str, str]], rows: str
) -> tuple[bool, ...]:
    missing = rf"lower(trim($v, ' \"')) IN {_MISSING}"
    every = (f"coalesce(bool_and(({_KINDS[kind]}) OR {missing}), true)" for _, kind in kinds)
    tests = (_of_cell(test, table, name) for test, (name, _) in zip(every, kinds, strict=True))
    return ask(connection, f"SELECT {', '.join(tests)} FROM ({rows})")[0] if kinds else ()


def _of_cell(sql: str, table: FileTable, name: str) -> str:
    cell = alias(name)
    return sql.replace("$v", cell).replace("$t", json_text(cell) if table.reads == "json" else cell)
