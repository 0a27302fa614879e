"""What a condition compares: columns of text as numbers, dates, times or truth values where all values are such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.engines.session import ask
from thresher.engines.source import NO_NUMBER, number_of
from thresher.engines.tables import FileTable, alias

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SAMPLED = 1_000
"""Rows by which kinds are ruled out before all rows are looked at."""

_NUMBER = f"({number_of('$v')} IS NOT NULL AND NOT ltrim($v, ' +-') BETWEEN '00' AND '0:')"
"""Test of a number as one writes it: 01 is text, as it is in a label."""

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
"""Values by kind, the narrowest first, of a cell `$v` whose text is `$t`, with the test that each of a column passes.

Nothing, whole numbers, numbers (NaN among them), dates, times, times with an offset (in UTC), truth values.
"""

_MISSING = tuple(text for text in NO_NUMBER if text != "nan")
"""Texts that are null in a column of any kind."""


def typed_columns(connection: DuckDBPyConnection, table: FileTable, names: Sequence[str]) -> dict[str, str]:
    """Columns of a table, each as what a condition compares, in SQL.

    Those of text files are of the first kind that fits all their rows, which are read for it, and else their text.
    """
    if table.reads == "typed":
        return {name: alias(name) for name in names}
    rows = table.select(names)
    some = f"SELECT * FROM ({rows}) LIMIT {SAMPLED}"
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
    """Whether all cells of columns are of these kinds, in some rows."""
    missing = rf"lower(trim($v, ' \"')) IN {_MISSING}"
    every = (f"coalesce(bool_and(({_KINDS[kind]}) OR {missing}), true)" for _, kind in kinds)
    tests = (_of_cell(test, table, name) for test, (name, _) in zip(every, kinds, strict=True))
    return ask(connection, f"SELECT {', '.join(tests)} FROM ({rows})")[0] if kinds else ()


def _of_cell(sql: str, table: FileTable, name: str) -> str:
    """What is asked of a cell of a column, or made of it."""
    cell = alias(name)
    text = f"CASE WHEN starts_with({cell}, '\"') THEN {cell}::JSON ->> '$' ELSE nullif({cell}, 'null') END"
    return sql.replace("$v", cell).replace("$t", text if table.reads == "json" else cell)
