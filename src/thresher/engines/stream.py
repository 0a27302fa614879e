"""Columns from files through DuckDB: as they stand, or after a join."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.engines import arrow, joins
from thresher.engines.files import File, compression_checked, find_files
from thresher.engines.frame import Roles
from thresher.engines.header import POINT
from thresher.engines.in_order import InOrder, unplaced
from thresher.engines.marks import in_order
from thresher.engines.pieces import begun, pieces
from thresher.engines.session import ask, session
from thresher.engines.small_csv import read_small, small_table
from thresher.engines.source import NO_NUMBER, Progress, Source, coded_roles, read_parts, read_source, readers_of
from thresher.engines.tables import FileTable, alias, open_frame, open_table, path_columns
from thresher.predictions.columns import Columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SAMPLED = 1_000
"""Rows of a text file from which the types of its columns are guessed."""

WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)


def read_files(
    paths: Sequence[str],
    found: Roles,
    *,
    truth: Any = None,
    key: str | None = None,
    model_column: str | None = None,
    progress: Progress | None = None,
) -> Columns:
    """Columns of files by their roles; with `truth` or `model_column` after a join.

    Raises:
        InputError: a file that cannot be read, a column that is not there, text where numbers belong.
        OptionError: `truth`, `key` and `model_column` do not go together.
    """
    joins.check_options(found, truth=truth, key=key, model_column=model_column)
    files = find_files(paths)
    every = [*files, *_files_of(truth)]
    if truth is None and model_column is None and (columns := read_small(files, found)) is not None:
        return columns
    with compression_checked(every), session(every) as connection:
        if truth is None and model_column is None:
            found = resolved(connection, files, found)
            table = open_table(connection, files, found.needed).with_texts(coded_roles(found))
            return _read(connection, as_source(connection, table, found.needed), found, [table], progress)
        found = resolved(connection, files, found)
        table = open_table(connection, files, _of_predictions(found, key, model_column))
        return _read_joined(connection, table, truth, found, key, model_column, progress)


def read_file_parts(
    paths: Sequence[str], found: Roles, *, most: int, progress: Progress | None = None, numbered: bool = True
) -> Iterator[Columns]:
    """Columns of files by their roles, about `most` rows at a time.

    The numbers of rows take longer to read than the rows of Parquet files: unless they are `numbered`, these come
    without, to be counted, and their order is not checked.

    Raises:
        InputError: as `read_files`, when the part that shows it is read.
        UnplacedError: when a row is to be named that has no number.
    """
    files = find_files(paths, whole=False)
    if any(file.pipe is not None for file in files):
        yield from _read_pieces(files, found, progress, most)
        return
    with compression_checked(files), session(files) as connection:
        table = open_table(connection, files, found.needed).with_texts(coded_roles(found))
        source = as_source(connection, table, found.needed)
        if not numbered and table.reads == "typed":
            query = table.select(found.needed)
            source = replace(source, query=query, locate=unplaced, order=lambda: InOrder(table.rows), numbered=False)
        for columns in read_parts(connection, source, found, progress, most=most):
            columns.notes[:0] = table.notes
            yield columns


def _read_pieces(files: Sequence[File], found: Roles, progress: Progress | None, most: int) -> Iterator[Columns]:
    """Columns of files one after the other, of which some are pipes that have more than is kept."""
    readers, done = readers_of(found, most), 0
    for file in files:
        table, first = None, done
        for piece in pieces(file):
            with compression_checked([piece]), session([piece]) as connection:
                is_json = table is not None and table.reads == "json"
                table = table.over([piece]) if table and is_json else open_table(connection, [piece], found.needed)
                table = table.with_texts(coded_roles(found))
                source = as_source(connection, table, found.needed, before=done - first)
                for columns in read_parts(connection, source, found, progress, most=most, readers=readers):
                    columns.notes[:0] = table.notes
                    yield columns
                    done += len(columns.truth.codes)


def resolved(connection: DuckDBPyConnection, files: Sequence[File], found: Roles) -> Roles:
    """Roles with the columns that a pattern of posteriors stands for, as the first file has them."""
    if not found.wanted:
        return found
    table = open_table(connection, files[:1], [found.label] if found.label in _names(connection, files) else [])
    return found.resolve(list(table.types), table.where)


def _names(connection: DuckDBPyConnection, files: Sequence[File]) -> list[str]:
    return list(open_table(connection, files[:1]).types)


def read_frame_joined(
    data: Any, found: Roles, *, truth: Any = None, key: str | None = None, model_column: str | None = None
) -> Columns:
    """Columns of a dataframe, or a dictionary of arrays, that must be joined first."""
    joins.check_options(found, truth=truth, key=key, model_column=model_column)
    files = _files_of(truth)
    with compression_checked(files), session(files) as connection:
        found = found.resolve(list(open_frame(connection, data, "predictions", []).types), "the dataframe")
        table = open_frame(connection, data, "predictions", _of_predictions(found, key, model_column))
        return _read_joined(connection, table, truth, found, key, model_column, None)


def _of_predictions(found: Roles, key: str | None, model_column: str | None) -> list[str]:
    """Columns that no other table can have."""
    judged = [*found.scores.values(), *found.predicted.values()]
    judged += [column for named in found.posteriors.values() for column in named.columns]
    return [*judged, *(name for name in (key, model_column) if name is not None)]


def _read_joined(
    connection: DuckDBPyConnection,
    table: FileTable,
    truth: Any,
    found: Roles,
    key: str | None,
    model_column: str | None,
    progress: Progress | None,
) -> Columns:
    """Columns after the join, with rows still spoken of as those of the predictions."""
    texts = [*coded_roles(found), *filter(None, [key, model_column])]
    table = table.with_texts(texts)
    other = None if truth is None else _open_truth(connection, truth, [found.label, str(key)]).with_texts(texts)
    joined = joins.join(connection, table, other, found, key=key, model_column=model_column)
    first = None if joined.first_rows is None else _whole_numbers(connection, joined.first_rows)
    source = Source(
        query=joined.query,
        reads={name: here.reads_of(column) for name, (here, column) in joined.origin.items()},
        types={name: here.types[column] for name, (here, column) in joined.origin.items()},
        locate=lambda row: (
            _located(table, _some(table), row)
            if first is None
            else f"the rows that belong with {_located(table, _some(table), int(first[row]))}"
        ),
        first=lambda name, test: _first(connection, *joined.origin[name], test),
        pointed=lambda name: pointed(connection, *joined.origin[name]),
    )
    columns = _read(connection, source, joined.found, [table, *([other] if other else [])], progress)
    if other is not None and found.label in table.types:
        columns.notes.append(
            f"The labels are those of {other.where}; column {found.label!r} of {table.where} is not read."
        )
    return columns


def _some(table: FileTable) -> str:
    return next(iter(table.types))


def _files_of(truth: Any) -> list[File]:
    """Files of the truth when it is a path or several; none when it is a table."""
    paths = [truth] if isinstance(truth, str | os.PathLike) else truth
    if isinstance(paths, list | tuple) and all(isinstance(path, str | os.PathLike) for path in paths):
        return find_files([os.fspath(path) for path in paths])
    return []


def _open_truth(connection: DuckDBPyConnection, truth: Any, needed: Sequence[str]) -> FileTable:
    """The truth from a path, several, or a dataframe."""
    files = _files_of(truth)
    return (
        open_table(connection, files, needed) if files else open_frame(connection, truth, "truth of the user", needed)
    )


def _whole_numbers(connection: DuckDBPyConnection, query: str) -> NDArray[np.int64]:
    parts = [arrow.numbers(batch.child(0)) for batch in arrow.batches(connection.sql(query))]
    return np.concatenate([np.zeros(0, dtype=np.int64), *(part for part in parts if part is not None)])


def _read(
    connection: DuckDBPyConnection,
    source: Source,
    found: Roles,
    tables: Sequence[FileTable],
    progress: Progress | None,
) -> Columns:
    columns = read_source(connection, source, found, progress)
    columns.notes[:0] = [note for table in tables for note in table.notes]
    return columns


def describe(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Columns of files with their types, as DuckDB names them; those of text files are guessed from the first rows.

    Raises:
        InputError: a file that cannot be read.
    """
    files = _begun(paths)
    if (small := small_table(files[:1])) is not None:
        return [(name, _guessed_type(small.cells(name)[:SAMPLED])) for name in small.names]
    with session(files) as connection:
        table = open_table(connection, files[:1])
        names = list(table.types)
        if table.reads != "text":
            return list(table.types.items())
        rows = ask(connection, f"SELECT * FROM ({table.select(names)}) LIMIT {SAMPLED}")
        return [(name, _guessed_type([row[i] for row in rows])) for i, name in enumerate(names)]


def _begun(paths: Sequence[str]) -> list[File]:
    """Files, of pipes that have more than is kept the first rows."""
    return list(map(begun, find_files(paths, whole=False)))


def _guessed_type(texts: Sequence[str | None]) -> str:
    """Narrowest of whole number, number, truth value and text that every sampled value can be read as."""
    values = [text.strip() for text in texts if text is not None and text.strip().lower() not in NO_NUMBER]
    if not values:
        return "VARCHAR"
    if all(WHOLE.fullmatch(value) for value in values):
        return "BIGINT"
    if all(NUMBER.fullmatch(value) for value in values):
        return "DOUBLE"
    return "BOOLEAN" if all(value.lower() in ("true", "false") for value in values) else "VARCHAR"


def known_rows(paths: Sequence[str]) -> int | None:
    """Number of rows of Parquet files, which know it; None of others."""
    files = [] if "-" in paths else find_files(paths)
    if not files or not all(file.name.lower().endswith((".parquet", ".pq")) for file in files):
        return None
    with session(files) as connection:
        return open_table(connection, files).rows


def column_names(paths: Sequence[str], asked: Sequence[str | None] = ()) -> tuple[list[str], str]:
    """Columns of files as the first one has them, and of its path those `asked` for; and how errors call the table."""
    files = _begun(paths)
    with session(files) as connection:
        table = open_table(connection, files[:1])
        of_path = path_columns(files[0]) if table.reads == "typed" else []
        return [*table.types, *(n for n in of_path if n in asked and n not in table.types)], table.where


def as_source(
    connection: DuckDBPyConnection, table: FileTable, names: Sequence[str], *, before: int | None = None
) -> Source:
    """A table's columns as they stand; of a pipe that comes in pieces, so many rows came `before`."""
    return Source(
        query=table.numbered(names),
        reads={name: table.reads_of(name) for name in names},
        types={name: table.types[name] for name in names},
        locate=lambda row: _located(table, names[0], row + (before or 0)),
        first=lambda name, test: _first(connection, table, name, test, before or 0),
        pointed=lambda name: pointed(connection, table, name, before or 0),
        rows=table.rows,
        order=lambda: in_order(connection, table, names),
        before=before,
    )


def pointed(connection: DuckDBPyConnection, table: FileTable, name: str, before: int = 0) -> tuple[str, str] | None:
    """First number with a decimal point in a column of decimal commas, and where it stands."""
    test = f"regexp_full_match(v, '{POINT}')"
    return _first(connection, table.as_written(name), name, test, before)


def _located(table: FileTable, name: str, row: int) -> str:
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


def _first(
    connection: DuckDBPyConnection, table: FileTable, name: str, test: str, before: int = 0
) -> tuple[str, str] | None:
    """First value of a column that passes a test (of `v`, in SQL), and where it stands."""
    for part in table.parts:
        for file in part.files or (None,):
            rows = part.query([name], None if file is None else [file])
            numbered = f"SELECT row_number() OVER () AS row, {alias(name)} AS v FROM ({rows})"
            for row, text in ask(connection, f"SELECT row, v FROM ({numbered}) WHERE {test} ORDER BY row LIMIT 1"):
                return f"row {row + before:,}" + (f" of {file.name}" if file else ""), str(text)
    return None
