"""Judgements and results from table files (Parquet, CSV, JSON lines) by the names of their columns."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.threads import current_progress
from thresher.errors import InputError, Note
from thresher.kernel.values import TextColumn
from thresher.ranking.rows import arrow_texts, join
from thresher.readers import arrow
from thresher.readers.duckdb_files import first_decimal_point
from thresher.readers.files import compression_checked, find_files
from thresher.readers.numbers import spelling_advice
from thresher.readers.query import NO_NUMBER, decimal_point_error, number_of, too_large
from thresher.readers.roles import check_names
from thresher.readers.session import ask, session
from thresher.readers.tables import ROW, FileTable, alias, check_count, open_table

LONGEST = 2**16
NESTED = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"(?:[^\"\\]|\\.)*\"\s*:\s*[\{\[]")
"""Beginning of a JSON file with a dictionary or a list as its first value, unlike a row of a table."""

SUFFIXES = (".parquet", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson")

Read = tuple[TextColumn, TextColumn | None, dict[str, Any], list[Note]]


def is_table(path: str) -> bool:
    """Return whether a file is a table with named columns, by its name or first bytes, rather than a TREC file.

    TREC files are often called .tsv: a first line with a number in its place is not a header.
    """
    name = path.casefold().removesuffix(".gz").removesuffix(".zst")
    if name.endswith(SUFFIXES):
        return not (name.endswith((".tsv", ".tab", ".csv")) and _begins_as_trec(path))
    try:
        # A pipe can be read once: its content is left there.
        with Path(path).open("rb") if Path(path).is_file() else io.BytesIO() as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def _begins_as_trec(path: str) -> bool:
    """Return whether the first line has judgements (four fields) or results (six; three: query, document, rank)."""
    opened: Any = gzip.open if path.casefold().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            fields = file.readline(LONGEST).split()
    except (OSError, EOFError):
        return False
    place = {3: 2, 4: 3, 6: 4}.get(len(fields))
    number = rb"[0-9]+" if len(fields) == 3 else rb"[-+]?[0-9.]+([eE][-+]?[0-9]+)?"
    return place is not None and re.fullmatch(number, fields[place]) is not None


def nested_of(path: str) -> dict[str, Any] | None:
    """Content of a JSON file that holds {query: {document: number}} or {query: [documents, best first]}; else None."""
    if not path.casefold().removesuffix(".gz").endswith(".json") or not Path(path).is_file():
        return None
    opened: Any = gzip.open if path.casefold().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            if not NESTED.match(start := file.read(LONGEST)):
                return None
            found = json.loads((start + file.read()).removeprefix(b"\xef\xbb\xbf"))
    except (OSError, EOFError, ValueError) as problem:
        raise InputError(f"{path} begins as a dictionary of queries and is not JSON: {problem}.") from None
    return found if isinstance(found, dict) else None


def column_names(paths: Sequence[str]) -> list[str]:
    """Names of the columns of the files."""
    files = find_files(paths)
    with session(files) as connection:
        return list(open_table(connection, files).types)


def read_table(
    paths: Sequence[str], query: str, document: str | None, numbers: Mapping[str, str], *, is_whole: bool = True
) -> Read:
    """Queries, documents, and numbers by name of the columns given; unless `is_whole` they may be missing (NaN)."""
    files = find_files(paths)
    needed = [query, *([] if document is None else [document]), *numbers.values()]
    with compression_checked(files), session(files) as connection:
        table = open_table(connection, files, needed).with_texts(needed[: len(needed) - len(numbers)])
        check_names(needed, list(table.types), table.where)
        for name in numbers.values():
            _check_numbers(connection, table, name)
        text = "nullif({}::JSON ->> '$', '')" if table.reads == "json" else "{}::VARCHAR"
        texts = [text.format(alias(name)) for name in needed[: len(needed) - len(numbers)]]
        read = str if table.reads == "typed" else number_of
        values = [f"TRY_CAST({read(alias(name))} AS DOUBLE)" for name in numbers.values()]
        wanted = ", ".join(f"{part} AS r{i}" for i, part in enumerate([*texts, *values, ROW]))
        connection.execute("SET enable_progress_bar=true")
        connection.execute("SET enable_progress_bar_print=false")
        result, report = connection.sql(f"SELECT {wanted} FROM ({table.in_order(needed)})"), current_progress(None)
        columns: list[list[Any]] = [[] for _ in needed]
        done = 0
        for batch in arrow.batches(result):
            for place, name in enumerate(needed):
                if place < len(texts):
                    columns[place].append(arrow_texts(_whole(batch.child(place), name, done), name))
                else:
                    here = batch.child(place)
                    columns[place].append(_floats(_whole(here, name, done) if is_whole else here))
            done += int(batch.length)
            report(int(max(connection.query_progress(), 0.0)), 100)
        check_count(done, table.rows)
    if not done:
        raise InputError(f"{table.where} contains no rows.")
    documents = None if document is None else join(columns[1])
    found = {name: np.concatenate(columns[len(texts) + i]) for i, name in enumerate(numbers)}
    return join(columns[0]), documents, found, table.notes


def _whole(values: Any, name: str, start: int) -> Any:
    missing = arrow.nulls(values)
    if missing is not None and missing.any():
        row = start + int(missing.argmax()) + 1
        raise InputError(f"column {name!r} is empty in row {row:,}: every row needs a value.")
    return values


def _floats(values: Any) -> NDArray[np.float64]:
    numbers, missing = np.array(arrow.numbers(values), dtype=np.float64), arrow.nulls(values)
    if missing is not None:
        numbers[missing] = np.nan
    return numbers


def _check_numbers(connection: Any, table: FileTable, name: str) -> None:
    column = alias(name)
    if not ask(connection, f"SELECT 1 FROM ({table.select([name])}) WHERE typeof({column}) = 'VARCHAR' LIMIT 1"):
        return
    test = f"({number_of(column)} IS NULL AND lower(trim({column})) NOT IN {NO_NUMBER}) OR {too_large(column)}"
    numbered = f"SELECT *, row_number() OVER () AS r FROM ({table.select([name])})"
    bad = ask(connection, f"SELECT r, {column} FROM ({numbered}) WHERE {test} ORDER BY r LIMIT 1")
    if bad:
        raise InputError(
            f"column {name!r} has {bad[0][1]!r} in row {bad[0][0]:,}, which float64 cannot hold as a number."
            + spelling_advice(bad[0][1], written=table.reads == "text")
        )
    if (found := first_decimal_point(connection, table, name)) is not None:
        raise decimal_point_error(f"column {name!r}", *found)
