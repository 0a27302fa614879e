"""A DuckDB connection restricted to the files it is given, with plain error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thresher._util.threads import machine_memory, processors
from thresher.database import connected, is_interrupt
from thresher.errors import InputError
from thresher.predictions.columns import counted
from thresher.readers.arrow import StreamError
from thresher.readers.files import File
from thresher.spool import disk_full_advice, scratch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def session(files: Sequence[File] = ()) -> Iterator[DuckDBPyConnection]:
    """Connection that is closed when the block ends, and its database with it unless the caller's block shares one."""
    import duckdb

    with connected("files", _settings) as connection:
        try:
            yield connection
        except (duckdb.Error, StreamError) as error:
            if is_interrupt(error):
                raise
            raise InputError(_said(str(error), files)) from error


@contextmanager
def _settings() -> Iterator[dict[str, Any]]:
    """Settings of a database that reads users' files, and its temporary directory.

    Rows keep the order of the file: a list of values is not made a join, which does not keep it. Casts are not pushed
    into the CSV reader, where TRY_CAST fails as CAST does.
    """
    with scratch() as spill:
        yield {
            "disabled_optimizers": "type_pushdown,in_clause",
            "temp_directory": os.path.join(spill, "duckdb"),
            "memory_limit": f"{machine_memory() // 2}B",
            "threads": processors(),
        }


def ask(connection: DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """All rows of a small result."""
    return list(connection.execute(query).fetchall())


def _said(message: str, files: Sequence[File]) -> str:
    """Shorten DuckDB's message to one sentence."""
    file = _file_of(message, files)
    if full := _FULL.search(message):
        return f"{file} cannot be read: {disk_full_advice(full[0])}"
    line = re.search(r'(?:CSV Error on Line:|in file "[^"]*", in line) (\d+)', message)
    before = files[0].lines if len(files) == 1 else 0
    where = f"{file}, line {int(line[1]) + before:,}," if line else file
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if fields:
        found, line = counted(int(fields[2]), "field"), re.search(r"Original Line: (.*)", message)
        text = line[1] if line else ""
        shown = repr(text if len(text) <= 60 else f"{text[:60]}…")
        return f"{where} has {found} where the first line has {fields[1]}: {shown}."
    for sign, sentence in _SENTENCES:
        if re.search(sign, message):
            return sentence.format(where=where, file=file)
    first = re.sub(r"^.*?Error: ", "", message.strip().splitlines()[0] if message.strip() else "no reason given")
    first = re.sub(r' in file "[^"]*"(, in line \d+)?', "", first)
    return f"{where} cannot be read: {first.rstrip('. ')}."


_FULL = re.compile("No space left on device|File too large|Disk quota exceeded|max_temp_directory_size")
"""DuckDB's message for a full spill directory."""

_SENTENCES = (
    (
        "GZIP stream|decode gzip|ZSTD|frame descriptor",
        "{file} is damaged or cut off: its compressed content is not whole.",
    ),
    ("not utf-8|Invalid unicode", "{where} is not text in UTF-8: save the file as UTF-8."),
    ("unterminated quote", "{where} opens a quotation mark that is never closed."),
    (
        "invalid state|state machine",
        "{where} ends its lines in more than one way (CRLF and LF mixed), or quotes its fields wrongly: "
        "save the file with one kind of line end.",
    ),
    ("Maximum line size", "{where} has a line of more than 2 MB: is it a table?"),
    ("Malformed JSON", "{file} is not valid JSON lines, or is cut off: every line holds one object."),
    (
        "magic bytes|too small to be a Parquet|don't know what type|Parquet",
        "{file} is not a readable Parquet file: it is damaged or cut off.",
    ),
    ("Out of Memory", "{file} does not fit in memory: read fewer columns or fewer rows at a time."),
)


def _file_of(message: str, files: Sequence[File]) -> str:
    named = [file.name for file in files if file.utf8 in message]
    if named:
        return max(named, key=len)
    return files[0].name if len(files) == 1 else "one of the files" if files else "the input"
