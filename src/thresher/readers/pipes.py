"""Text of a pipe that has more than is kept, as files of whole rows that come one after the other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from thresher.errors import InputError
from thresher.readers.files import File
from thresher.spool import Spool, scratch, writing_spool

PIECE = 2**28
"""Bytes of rows of a piece: several threads read it."""

HEAD = 2**20
"""Bytes of the rows for guessing columns."""

LONGEST = 2**24
"""Bytes of a row, more than DuckDB takes."""

_TEXT = rb'(?<![^\r\n,;|\t])"[^"]*(?:""[^"]*)*'
_SEPARATOR = re.compile(rb"(\xef\xbb\xbf)?sep=[^\r\n]\r?\n", re.IGNORECASE)
_CLOSED, _OPENED = re.compile(_TEXT + b'"(?!")'), re.compile(_TEXT + rb"\Z")


def pieces(file: File) -> Iterator[File]:
    """Yield files with the rows of a pipe, each below the line of column names; each is deleted before the next.

    Raises:
        InputError: its rows are not known before its end, it was read before, or it does not fit on the disk.
    """
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
                while block is not None and size < PIECE:
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
    """Refuse a file that cannot be read row by row.

    Raises:
        InputError: it is Parquet, compressed, one JSON array, objects of several lines, or lines that end in CR.
    """
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

    Raises:
        InputError: a row does not end.
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
    masked = _masked(block)
    opened = _OPENED.search(masked)
    start = masked.find(b"\n") + 1 if _SEPARATOR.match(masked) else 0
    return masked.find(b"\n", start, opened.start() if opened else len(masked)) + 1


def _last_line(block: bytes) -> int:
    return block.rfind(b"\n") + 1


def _last_row(block: bytes) -> int:
    masked = _masked(block)
    opened = _OPENED.search(masked)
    return masked.rfind(b"\n", 0, opened.start() if opened else len(masked)) + 1


def _masked(block: bytes) -> bytes:
    """Mask line ends in quoted text; none if every line closes its quotes."""
    letters = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(letters == ord('"')) if b'"' in block else np.zeros(0)
    if not (np.searchsorted(quotes, np.flatnonzero(letters == ord("\n"))) & 1).any():
        return block
    return _CLOSED.sub(lambda text: b"x" * len(text[0]), block)
