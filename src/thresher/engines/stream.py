"""Columns from files, batch by batch through DuckDB into compact arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.engines import arrow
from thresher.engines.encode import Encoder
from thresher.engines.files import find_files
from thresher.engines.frame import Roles
from thresher.engines.memory import EXACT, exact, said_boolean, text_error
from thresher.engines.session import ask, session
from thresher.engines.tables import Reads, Table, open_table, quoted
from thresher.engines.texts import read_as_values
from thresher.errors import InputError
from thresher.predictions.columns import Columns, Encoded

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Progress = Callable[[float | None, str], None]
Floats = NDArray[np.float64]

NO_NUMBER = ("", "na", "n/a", "#n/a", "nan", "null", "none", "<na>")
"""Texts (in lower case) that stand for a missing number in a file."""

_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_WIDE = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_GROWTH = 1.25


@dataclass(frozen=True)
class Source:
    """A query whose rows are to be read: how each column reads and its type, and where a row or a text came from."""

    query: str
    reads: Mapping[str, Reads]
    types: Mapping[str, str]
    locate: Callable[[int], str]
    first_text: Callable[[str, bool], tuple[str, str] | None]
    rows: int | None = None


def read_files(
    paths: Sequence[str],
    found: Roles,
    *,
    truth: Any = None,
    key: str | None = None,
    model_column: str | None = None,
    progress: Progress | None = None,
) -> Columns:
    """Columns of files by their roles; with `truth` or `model_column` after a join or a pivot.

    Raises:
        InputError: a file that cannot be read, a column that is not there, text where numbers belong.
    """
    files = find_files(paths)
    with session(files) as connection:
        if truth is not None or model_column is not None:
            from thresher.engines.joins import joined

            return joined(connection, files, found, truth=truth, key=key, model_column=model_column, progress=progress)
        table = open_table(connection, files, found.needed)
        columns = read_source(connection, as_source(connection, table, found.needed), found, progress)
        columns.notes[:0] = table.notes
        return columns


def describe(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Columns of files with their types, as DuckDB names them; those of text files are guessed from the first rows.

    Raises:
        InputError: a file that cannot be read.
    """
    files = find_files(paths)
    with session(files) as connection:
        table = open_table(connection, files[:1])
        names = list(table.types)
        if table.reads != "text":
            return list(table.types.items())
        sample = f"SELECT * FROM ({table.select(names)}) LIMIT 10000"
        return [(name, _guessed_type(connection, sample, name)) for name in names]


def _guessed_type(connection: DuckDBPyConnection, sample: str, name: str) -> str:
    """Narrowest of whole number, number, truth value and text that every sampled value can be read as."""
    column = f"nullif(trim({quoted(name)}), '')"
    missing = f"{column} IS NULL OR lower({column}) IN {NO_NUMBER}"
    fits = ", ".join(
        f"bool_and({missing} OR {test})"
        for test in (
            f"(TRY_CAST({column} AS BIGINT) IS NOT NULL AND {column} NOT LIKE '%.%')",
            f"TRY_CAST({column} AS DOUBLE) IS NOT NULL",
            f"lower({column}) IN ('true', 'false')",
        )
    )
    row = ask(connection, f"SELECT {fits}, count({column}) FROM ({sample})")[0]
    if not row[3]:
        return "VARCHAR"
    return next((kind for kind, fit in zip(("BIGINT", "DOUBLE", "BOOLEAN"), row, strict=False) if fit), "VARCHAR")


def as_source(connection: DuckDBPyConnection, table: Table, names: Sequence[str]) -> Source:
    """A table's columns as they stand."""
    rows = None
    if table.reads == "typed":
        rows = int(ask(connection, f"SELECT count(*) FROM ({table.select(names[:1])})")[0][0])
    return Source(
        query=table.select(names),
        reads=dict.fromkeys(names, table.reads),
        types={name: table.types[name] for name in names},
        locate=lambda row: _located(table, names[0], row),
        first_text=lambda name, any_text: _first_text(connection, table, name, any_text),
        rows=rows,
    )


def _located(table: Table, name: str, row: int) -> str:
    """File and row of a row of the table; the files are counted only when someone asks."""
    files = table.files
    if len(files) < 2:
        return f"row {row + 1:,}" + (f" of {files[0].name}" if files else "")
    with session(files) as connection:
        for part in table.parts:
            for file in part.files:
                here = int(ask(connection, f"SELECT count(*) FROM ({part.query([name], [file])})")[0][0])
                if row < here:
                    return f"row {row + 1:,} of {file.name}"
                row -= here
    return f"row {row + 1:,}"


def _first_text(connection: DuckDBPyConnection, table: Table, name: str, any_text: bool) -> tuple[str, str] | None:
    """First text of a column that is no number (or is anything at all), and where it stands."""
    test = "v IS NOT NULL"
    if not any_text:
        test += f" AND TRY_CAST(nullif(v, '') AS DOUBLE) IS NULL AND lower(trim(v, ' \"')) NOT IN {NO_NUMBER}"
    for part in table.parts:
        for file in part.files or (None,):
            rows = part.query([name], None if file is None else [file])
            numbered = f"SELECT row_number() OVER () AS row, {quoted(name)} AS v FROM ({rows})"
            for row, text in ask(connection, f"SELECT row, v FROM ({numbered}) WHERE {test} ORDER BY row LIMIT 1"):
                return f"row {row:,}" + (f" of {file.name}" if file else ""), str(text)
    return None


def read_source(
    connection: DuckDBPyConnection, source: Source, found: Roles, progress: Progress | None = None
) -> Columns:
    """Read a query once, every column into its own compact array."""
    notes: list[str] = []
    numbers = dict.fromkeys(found.scores.values(), "score")
    if found.weights is not None:
        numbers[found.weights] = "weight"
    for name, role in numbers.items():
        _check_number(source, name, role, notes)
    labels = _label_roles(found)
    readers: dict[str, _Numbers | Encoder] = {name: _Numbers(source.rows) for name in numbers}
    readers |= {name: Encoder(name, role) for name, role in labels.items()}
    _pull(connection, source, readers, progress)
    floats = {name: reader.finish() for name, reader in readers.items() if isinstance(reader, _Numbers)}
    for name, values in floats.items():
        _check_values(source, name, numbers[name], values)
    codes = {name: reader.finish() for name, reader in readers.items() if isinstance(reader, Encoder)}
    codes |= read_as_values([codes[c] for c in (found.label, *found.predicted.values())], source.reads)
    for name in {*found.by, found.fold, found.cluster} - {None}:
        codes |= read_as_values([codes[str(name)]], source.reads)
    return _by_role(found, floats, codes, notes, source.locate)


def _label_roles(found: Roles) -> dict[str, str]:
    """Every column that is coded, with the role that errors call it by."""
    roles = {found.cluster: "cluster", found.fold: "fold", **dict.fromkeys(found.by, "group")}
    roles |= dict.fromkeys([found.label, *found.predicted.values()], "label")
    return {name: role for name, role in roles.items() if name is not None}


def _by_role(
    found: Roles,
    floats: Mapping[str, Floats],
    codes: Mapping[str, Encoded],
    notes: list[str],
    locate: Callable[[int], str],
) -> Columns:
    return Columns(
        truth=codes[found.label],
        scores={model: floats[column] for model, column in found.scores.items()},
        predicted={model: codes[column] for model, column in found.predicted.items()},
        weights=None if found.weights is None else floats[found.weights],
        weights_name=found.weights or "weights",
        by={column: codes[column] for column in found.by},
        fold=None if found.fold is None else codes[found.fold],
        cluster=None if found.cluster is None else codes[found.cluster],
        notes=notes,
        locate=locate,
    )


def _check_number(source: Source, name: str, role: str, notes: list[str]) -> None:
    """Refuse a typed column that holds no numbers."""
    kind = source.types[name]
    if source.reads[name] != "typed" or kind.lstrip("U").startswith(_NUMERIC):
        return
    if kind == "BOOLEAN":
        said_boolean(name, role, notes)
        return
    text = source.first_text(name, True) if kind == "VARCHAR" else None
    if text is not None:
        raise text_error(name, role, text[1], where=text[0])
    if kind != "VARCHAR":
        raise InputError(f"the {role} column {name!r} has type {kind}, which is no number.")


def _check_values(source: Source, name: str, role: str, values: Floats) -> None:
    """Refuse text that could not be read as numbers, and whole numbers that are too large."""
    if not len(values):
        return
    if source.reads[name] != "typed" and np.isnan(values.min()):
        text = source.first_text(name, False)
        if text is not None:
            raise text_error(name, role, text[1], where=text[0], mixed=not np.isnan(values).all())
    if source.types[name] in _WIDE:
        largest = float(np.nanmax(np.abs(values))) if not np.isnan(values).all() else 0.0
        exact(name, role, int(largest) + (largest == EXACT))


def _expression(source: Source, name: str, *, number: bool) -> str:
    """How a column is read: numbers as DOUBLE, labels in a type that Arrow and NumPy share.

    The nullif keeps the cast out of DuckDB's CSV reader, in which TRY_CAST stops at text as CAST does.
    """
    column, kind = quoted(name), source.types[name]
    if source.reads[name] != "typed":
        return f"TRY_CAST(nullif({column}, '') AS DOUBLE)" if number else column
    if number or kind.startswith(("DECIMAL", "HUGEINT", "UHUGEINT")):
        return f"CAST({column} AS DOUBLE)"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        raise InputError(f"column {name!r} has type {kind}: labels and groups are numbers, text or truth values.")
    return column if kind != "UUID" else f"{column}::VARCHAR"


def _pull(
    connection: DuckDBPyConnection,
    source: Source,
    readers: Mapping[str, _Numbers | Encoder],
    progress: Progress | None,
) -> None:
    """Pass every batch of the query to the readers of its columns."""
    wanted = [
        f"{_expression(source, name, number=isinstance(reader, _Numbers))} AS {quoted(f'r{i}')}"
        for i, (name, reader) in enumerate(readers.items())
    ]
    if progress is not None:
        connection.execute("SET enable_progress_bar=true")
        connection.execute("SET enable_progress_bar_print=false")
    result = connection.sql(f"SELECT {', '.join(wanted)} FROM ({source.query})")
    done = 0
    for batch in arrow.batches(result):
        for place, reader in enumerate(readers.values()):
            column = batch.child(place)
            if isinstance(reader, _Numbers):
                reader.add(arrow.numbers(column), arrow.nulls(column))
                continue
            for block in arrow.labels(column):
                reader.add(block)
        done += batch.length
        if progress is not None:
            share = done / source.rows if source.rows else max(connection.query_progress(), 0.0) / 100
            progress(min(share, 1.0), f"{done:,} rows read")


class _Numbers:
    """A float64 column in the making, of the right size at once when the number of rows is known."""

    def __init__(self, rows: int | None) -> None:
        self._values: Floats = np.empty(2**16 if rows is None else rows)
        self._rows = 0

    def add(self, values: NDArray[Any] | None, missing: NDArray[np.bool_] | None) -> None:
        """Append a batch, NaN where a value is missing."""
        if values is None:
            values = np.full(0 if missing is None else len(missing), np.nan)
        end = self._rows + len(values)
        if end > len(self._values):
            self._values.resize(max(end, int(len(self._values) * _GROWTH)), refcheck=False)
        here = self._values[self._rows : end]
        here[:] = values
        if missing is not None:
            here[missing] = np.nan
        self._rows = end

    def finish(self) -> Floats:
        """The whole column."""
        if self._rows < len(self._values):
            self._values.resize(self._rows, refcheck=False)
        return self._values
