"""Columns from files through DuckDB, and raw rows for a command that adds a column.

Text of a pipe that has more than is kept, as files of whole rows that come one after the other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.atomic_file import atomic_write
from thresher.errors import InputError
from thresher.predictions.columns import NO_ROWS, Columns
from thresher.readers.columns import POINT, readers_of
from thresher.readers.csv_files import small_table
from thresher.readers.files import File, compression_checked, find_files
from thresher.readers.query import NO_NUMBER, Progress, Source, read_parts
from thresher.readers.roles import Roles
from thresher.readers.session import ask, session
from thresher.readers.tables import ONE_BY_ONE, FileTable, alias, check_count, literal, open_table, path_columns, quoted
from thresher.spool import Spool, scratch, writing_spool

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from thresher.readers.where import SomeRows


SAMPLED = 1_000
"""Rows of a text file for guessing the column types."""


WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)


def read_files(
    files: Sequence[File],
    found: Roles,
    progress: Progress | None = None,
    *,
    most: int | None = None,
    where: SomeRows | None = None,
) -> Iterator[Columns]:
    """Read columns of files, or of selected rows, by role: all at once, or parts of about `most` rows."""
    if most is not None and any(file.pipe is not None for file in files):
        yield from _read_pieces(files, found, progress, most)
        return
    with compression_checked(files), session(files) as connection:
        found = resolve_patterns(connection, files, found)
        names = found.needed if where is None else where.columns_for(found.needed)
        table = open_table(connection, files, names)
        table = table.with_texts(found.codes if where is None else found.codes.keys() - where.columns)
        source = table_source(connection, table, found.needed, where=where)
        parts = read_parts(connection, source, found, progress, most=most)
        for columns in parts if where is None else where.checked(parts, table):
            columns.notes[:0] = [*([] if where is None else [where.note]), *table.notes]
            yield columns


def _read_pieces(files: Sequence[File], found: Roles, progress: Progress | None, most: int) -> Iterator[Columns]:
    """Read files one after the other; some are pipes longer than the spool limit."""
    readers, done = readers_of(found, most), 0
    for file in files:
        table, first = None, done
        for piece in pieces(file):
            with compression_checked([piece]), session([piece]) as connection:
                is_json = table is not None and table.reads == "json"
                table = table.over([piece]) if table and is_json else open_table(connection, [piece], found.needed)
                table = table.with_texts(found.codes)
                source = table_source(connection, table, found.needed, before=done - first)
                for columns in read_parts(connection, source, found, progress, most=most, readers=readers):
                    columns.notes[:0] = table.notes
                    yield columns
                    done += len(columns.truth.codes)


def resolve_patterns(connection: DuckDBPyConnection, files: Sequence[File], found: Roles) -> Roles:
    """Resolve patterns of posterior columns by the columns of the first file."""
    if not found.wanted:
        return found
    table = open_table(connection, files[:1])
    return found.resolve(list(table.types), table.where)


def describe(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns of files with DuckDB's types; in text files, types are guessed from the first rows."""
    files = _begun(paths)
    if (small := small_table(files[:1])) is not None:
        columns = {name: small.cells(name)[:SAMPLED] for name in small.names}
    else:
        with session(files) as connection:
            table = open_table(connection, files[:1])
            if table.reads != "text":
                return list(table.types.items())
            rows = ask(connection, f"SELECT * FROM ({table.select(list(table.types))}) LIMIT {SAMPLED}")
            columns = {name: [row[i] for row in rows] for i, name in enumerate(table.types)}
    if len(files) == 1 and not any(map(len, columns.values())):
        raise InputError(NO_ROWS)
    return [(name, _guessed_type(texts)) for name, texts in columns.items()]


def _begun(paths: Sequence[str]) -> list[File]:
    return list(map(pipe_head, find_files(paths, whole=False)))


def _guessed_type(texts: Sequence[str | None]) -> str:
    values = [text.strip() for text in texts if text is not None and text.strip().lower() not in NO_NUMBER]
    if not values:
        return "VARCHAR"
    if all(WHOLE.fullmatch(value) for value in values):
        return "BIGINT"
    if all(NUMBER.fullmatch(value) for value in values):
        return "DOUBLE"
    return "BOOLEAN" if all(value.lower() in ("true", "false") for value in values) else "VARCHAR"


def column_names(paths: Sequence[str], asked: Sequence[str | None] = ()) -> tuple[list[str], str]:
    """Return the columns of the first file, with requested columns of its path, and the table's name in errors."""
    files = _begun(paths)
    with session(files) as connection:
        table = open_table(connection, files[:1])
        of_path = path_columns(files[0]) if table.reads == "typed" else []
        return [*table.types, *(n for n in of_path if n in asked and n not in table.types)], table.where


def table_source(
    connection: DuckDBPyConnection,
    table: FileTable,
    names: Sequence[str],
    *,
    before: int | None = None,
    where: SomeRows | None = None,
) -> Source:
    """Return the source of a table's columns; `before` counts the rows of earlier pieces of a pipe."""
    return Source(
        query=table.in_order(names) if where is None else where.in_order(table, names),
        reads={name: table.reads_of(name) for name in names},
        types={name: table.types[name] for name in names},
        locate=lambda row: row_place(table, names[0], row + (before or 0), where),
        first=lambda name, test: first_value(connection, table, name, test, before or 0, where=where),
        first_decimal_point=lambda name: first_decimal_point(connection, table, name, before or 0),
        before=before,
        rows=table.rows if where is None else None,
    )


def first_decimal_point(
    connection: DuckDBPyConnection, table: FileTable, name: str, before: int = 0
) -> tuple[str, str] | None:
    """Return the first number with a decimal point in a column of decimal commas, and its place."""
    test = f"regexp_full_match(v, '{POINT}')"
    return first_value(connection, table.as_written(name), name, test, before)


def row_place(table: FileTable, name: str, row: int, where: SomeRows | None = None) -> str:
    """File and row of a row that is read; the files are counted only when someone asks."""
    files = table.files
    if len(files) < 2 and where is None:
        return f"row {row + 1:,}" + (f" of {files[0].name}" if files else "")
    with session(files) as connection:
        found = first_value(connection, table, name, "true", skipped=row, where=where)
    return f"row {row + 1:,}" if found is None else found[0]


def first_value(
    connection: DuckDBPyConnection,
    table: FileTable,
    name: str,
    test: str,
    before: int = 0,
    *,
    skipped: int = 0,
    where: SomeRows | None = None,
) -> tuple[str, str] | None:
    """Return the first value of a column that passes a test (of `v`, in SQL), after `skipped` ones, and its place."""
    column = alias(name)
    for part in table.parts:
        for file in part.files or (None,):
            rows = part.query([name] if where is None else where.columns_for([name]), None if file is None else [file])
            kept = f"SELECT {column}, true AS kept_ FROM ({rows})" if where is None else where.marked(rows, [column])
            numbered = f"SELECT {ONE_BY_ONE} AS row, {column} AS v, kept_ FROM ({kept})"
            passing = f"SELECT row, v FROM ({numbered}) WHERE kept_ AND ({test})"
            for row, text in ask(connection, f"{passing} ORDER BY row LIMIT 1 OFFSET {skipped}"):
                return f"row {row + before:,}" + (f" of {file.name}" if file else ""), str(text)
            if skipped:
                skipped -= int(ask(connection, f"SELECT count(*) FROM ({passing})")[0][0])
    return None


Pieces = Generator[list[tuple[Any, ...]], None, None]

PIECE = 1 << 14
"""Rows at a time."""


def rows_as_given(
    paths: Sequence[str], numbers: Sequence[str], texts: Sequence[str] = ()
) -> tuple[list[str], Pieces, frozenset[str]]:
    """Names of the columns, the rows in the order of the files, and which columns have decimal commas.

    Cells of text files are their text; in JSON a column of `numbers` has its text in quotes, which is no number.
    """
    files, needed = find_files(paths), list(dict.fromkeys([*numbers, *texts]))
    with session(files) as connection:
        known = open_table(connection, files, needed)
        names = list(known.types)

    def rows() -> Pieces:
        with compression_checked(files), session(files) as connection:
            table = open_table(connection, files, needed).as_written().without_quotes(numbers)
            found, done = connection.execute(table.in_order(names)), 0
            while piece := found.fetchmany(PIECE):
                done += len(piece)
                yield [row[:-1] for row in piece]
            check_count(done, table.rows)

    return names, rows(), known.commas


def write_parquet_rows(path: Path, parts: Iterable[str], sources: Sequence[str], numbers: Collection[str]) -> None:
    """Write CSV lines made from the rows of `rows_as_given` as a Parquet file.

    Columns of Parquet are copied as they are, and come first; others are text, and `numbers` are DOUBLE.
    An empty cell is null.
    """
    files = find_files(sources)
    with scratch() as folder, session(files) as connection:
        between = Path(folder) / "rows.csv"
        with between.open("w", encoding="utf-8", newline="") as out:
            out.writelines(parts)
        how = "header=true, all_varchar=true, delim=',', quote='\"', escape='\"', parallel=false"
        read = f"read_csv({literal(str(between))}, {how})"
        names = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()]
        columns = [
            f"CAST({quoted(name)} AS {'DOUBLE' if name in numbers else 'VARCHAR'}) AS {quoted(name)}" for name in names
        ]
        if files[0].kind == "parquet":
            table = open_table(connection, files)
            copied = [f"given.{alias(own)} AS {quoted(own)}" for own in table.types]
            columns[: len(copied)] = copied
            # Both in the order of their rows: a positional join keeps the one it is given.
            read = f"({table.in_order(list(table.types))}) AS given POSITIONAL JOIN {read}"
        query = f"SELECT {', '.join(columns)} FROM {read}"
        try:
            with atomic_write(path) as beside:
                connection.execute(f"COPY ({query}) TO {literal(str(beside))} (FORMAT parquet)")
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error


PIECE_OF_PIPE = 2**28
"""Bytes of rows of a piece: several threads read it."""

HEAD = 2**20
"""Bytes of the rows for guessing columns."""

LONGEST = 2**24
"""Bytes of a row, more than DuckDB takes."""

_TEXT = rb'(?<![^\r\n,;|\t])"[^"]*(?:""[^"]*)*'
_SEPARATOR = re.compile(rb"(\xef\xbb\xbf)?sep=[^\r\n]\r?\n", re.IGNORECASE)
_CLOSED, _OPENED = re.compile(_TEXT + b'"(?!")'), re.compile(_TEXT + rb"\Z")


def pieces(file: File) -> Iterator[File]:
    """Yield files with the rows of a pipe, each below the line of column names; each is deleted before the next."""
    if file.pipe is None:
        yield file
        return
    _check(file, file.pipe)
    rows = _rows(file, file.pipe.blocks())
    head, lines = next(rows), 0
    block: bytes | None = next(rows, b"")
    with scratch() as folder:
        path = os.path.join(folder, "piece")
        while block is not None:
            size, before = 0, lines
            with writing_spool(file.name), open(path, "wb") as target:
                target.write(head)
                while block is not None and size < PIECE_OF_PIPE:
                    target.write(block)
                    size, lines = size + len(block), lines + block.count(b"\n")
                    block = next(rows, None)
            yield replace(file, path=path, pipe=None, is_part=True, lines=before)


def pipe_head(file: File) -> File:
    """A file of the first rows of a longer pipe; another unchanged."""
    if file.pipe is None:
        return file
    _check(file, file.pipe)
    path = file.path + ".head"
    if not os.path.exists(path):
        with writing_spool(file.name), open(file.path, "rb") as source, open(path, "wb") as target:
            rows = _rows(file, iter(partial(source.read, HEAD), b""), whole=True)
            target.write(next(rows, b"") + next(rows, b""))
    return replace(file, path=path, pipe=None, is_part=True)


def _check(file: File, pipe: Spool) -> None:
    """Refuse a file that cannot be read row by row."""
    with open(file.path, "rb") as source:
        start = source.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    first, end, _ = start.partition(b"\n")
    if file.kind == "parquet":
        why = "Parquet is read from its end: write it to a file and name that"
    elif file.compression != "none":
        why = (
            "it is compressed: write it to a file and name that, or unpack it on the way, as in zcat FILE | thresher …"
        )
    elif file.kind == "json" and start.startswith(b"["):
        why = "it is one JSON array: write it as JSON lines, or to a file and name that"
    elif re.match(rb"[^\r\n]*\r(?!\n|\Z)", start):
        why = "its lines end in CR alone: convert them on the way, as in tr '\\r' '\\n' < FILE | thresher …"
    elif file.kind == "json" and end and not first.rstrip().endswith(b"}"):
        why = (
            "its first line is not a whole JSON object: write it to a file and name that, or every object as one line, "
            "as in jq -c . FILE | thresher …"
        )
    else:
        return
    raise InputError(f"{pipe.too_long}, and {why}.")


def _rows(file: File, blocks: Iterator[bytes], *, whole: bool = False) -> Iterator[bytes]:
    """Yield the lines of the column names (empty for JSON), then blocks of whole rows.

    The last one may lack its end; only `whole` ones are given where more would come.
    """
    held, end_of = b"", _column_names
    if file.kind == "json":
        yield b""
        end_of = _last_line
    for block in blocks:
        held += block
        while end := end_of(held):
            yield held[:end]
            held, end_of = held[end:], _last_line if file.kind == "json" else _last_row
        if len(held) > LONGEST:
            raise InputError(
                f"{file.name} has a row of more than {LONGEST:,} bytes, or opens a quotation mark that is never closed."
            )
    if held and not whole:
        yield held


def _column_names(block: bytes) -> int:
    """Find the end of the column names; quoted names may have several lines, and a `sep=` line may precede."""
    masked, end = _masked(block)
    start = masked.find(b"\n") + 1 if _SEPARATOR.match(masked) else 0
    return masked.find(b"\n", start, end) + 1


def _last_line(block: bytes) -> int:
    return block.rfind(b"\n") + 1


def _last_row(block: bytes) -> int:
    masked, end = _masked(block)
    return masked.rfind(b"\n", 0, end) + 1


def _masked(block: bytes) -> tuple[bytes, int]:
    """Mask line ends in quoted text, none if every line closes its quotes; return also where open quotes begin."""
    letters = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(letters == ord('"')) if b'"' in block else np.zeros(0)
    if (np.searchsorted(quotes, np.flatnonzero(letters == ord("\n"))) & 1).any():
        block = _CLOSED.sub(lambda text: b"x" * len(text[0]), block)
    opened = _OPENED.search(block)
    return block, opened.start() if opened else len(block)
