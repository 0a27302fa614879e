"""Which CSV files several threads may read, and how many rows they have, counted apart from the reading.

DuckDB cuts a file into pieces of 8 MB and guesses where a row begins in each. It guesses wrong inside a quoted text of
several lines, and has lost a last line of 32 MB; with one thread it has lost what follows a quotation mark that is
never closed.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.engines.files import File
from thresher.errors import InputError

SMALL = 8_000_000
"""Bytes that DuckDB does not cut."""

SMALL_COMPRESSED = 1_000_000
"""Bytes of a compressed file that are likely to be cut when they are unpacked."""

_LONGEST = 2**26  # bytes of a row, many times what DuckDB takes

_BLOCK = 2**17
"""Bytes that are looked at a time: a line that is longer is for one thread."""


@dataclass(frozen=True)
class Counted:
    """Rows below the header line, where they are known, and whether several threads may read them."""

    rows: int | None = None
    plain: bool = True


def is_small(files: Sequence[File]) -> bool:
    """Whether DuckDB does not cut these files."""
    most = SMALL if all(file.compression == "none" for file in files) else SMALL_COMPRESSED
    return sum(os.path.getsize(file.path) for file in files) <= most


def counted_rows(file: File, delimiter: str, in_raw_lines: Callable[[str], list[tuple[Any, ...]]]) -> Counted:
    """Rows of a CSV file, and whether it is plain.

    It is when its rows are its lines: no line is empty or very long, ends in a lone carriage return, or opens a quoted
    text that it does not close. `in_raw_lines` answers what is asked in SQL of the lines of a compressed file.

    Raises:
        InputError: a quotation mark is never closed.
    """
    if file.compression != "none":
        return _in_compressed(in_raw_lines)
    state = os.stat(file.path)
    lines = _line_count(file.path, state.st_size, state.st_mtime_ns)
    if lines is not None:
        return Counted(lines - 1)
    rows = _row_count(file.path, delimiter, state.st_size, state.st_mtime_ns)
    if rows is None:
        raise InputError(f"{file.name} opens a quotation mark that is never closed.")
    return Counted(rows - 1, plain=False)


def _in_compressed(in_raw_lines: Callable[[str], list[tuple[Any, ...]]]) -> Counted:
    quotes = "length(line) - length(replace(line, '\"', ''))"
    [(lines, quoted, odd)] = in_raw_lines(f"count(line), sum({quotes}), count(*) FILTER (WHERE ({quotes}) % 2 = 1)")
    # A quotation mark that is never closed is told by several threads only.
    return Counted(lines - 1) if not odd else Counted(plain=bool(quoted % 2))


@functools.lru_cache(maxsize=256)
def _line_count(path: str, _size: int, _changed: int) -> int | None:
    """Lines of a plain file in this state of it; None for another."""
    lines, rest = 0, b""
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(_BLOCK):
            end = piece.rfind(b"\n") + 1
            count = _plain_lines(rest + piece[:end]) if end else None
            if count is None:
                return None
            lines += count
            rest = piece[end:]
    if rest and _plain_lines(rest + b"\n") is None:
        return None
    return lines + bool(rest)


def _plain_lines(block: bytes) -> int | None:
    """Lines of a block of whole ones; None when one is no row."""
    letters = np.frombuffer(block, dtype=np.uint8)
    breaks = letters == ord("\n")
    if breaks[0] or (breaks[1:] & breaks[:-1]).any():
        return None
    if b"\r" in block:
        returns = np.flatnonzero(letters == ord("\r"))
        if returns[0] == 0 or not breaks[returns + 1].all() or breaks[returns - 1].any():
            return None
    if b'"' in block:
        quotes = np.flatnonzero(letters == ord('"'))
        if (np.searchsorted(quotes, np.flatnonzero(breaks)) & 1).any():
            return None
    return int(np.count_nonzero(breaks))


@functools.lru_cache(maxsize=256)
def _row_count(path: str, delimiter: str, _size: int, _changed: int) -> int | None:
    """Rows, the header too, of a file whose quoted texts may have several lines; None when one is never closed."""
    text = rb'(?<=[\r\n%s])"[^"]*(?:""[^"]*)*' % re.escape(delimiter.encode())
    closed, opened = re.compile(text + b'"(?!")'), re.compile(text + rb"\Z")
    rows, rest = 0, b"\n"
    with open(path, "rb") as file:
        while piece := file.read(2**22):
            while piece.endswith(b'"') and (more := file.read(1)):  # two of them are one letter of the text
                piece += more
            rest = closed.sub(b"x", rest + piece)
            cut = opened.search(rest)
            end = rest.rfind(b"\n", 0, cut.start() if cut else len(rest)) + 1
            rows += _full_lines(rest[:end])
            rest = b"\n" + rest[end:]
            if len(rest) > _LONGEST:
                return None
    return None if opened.search(rest) else rows + _full_lines(rest)


def _full_lines(block: bytes) -> int:
    """Lines that are not empty."""
    return sum(map(bool, block.replace(b"\r", b"\n").split(b"\n")))
