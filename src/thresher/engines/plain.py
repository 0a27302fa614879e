"""Which CSV files several threads may read, and how many rows they have, counted apart from the reading.

DuckDB cuts a file into pieces of 8 MB and guesses where a row begins in each. It guesses wrong inside a quoted text of
several lines, and has lost a last line of 32 MB; with one thread it has lost what follows a quotation mark that is
never closed.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.engines.files import File
from thresher.errors import InputError

SMALL = 8_000_000
"""Bytes that DuckDB does not cut."""

EVERY = 1024
"""Rows from one line that is kept to the next: DuckDB passes rows on by the 2,048, so that each such piece has one."""

_LONGEST = 2**26  # bytes of a row, many times what DuckDB takes

_BLOCK = 2**17
"""Bytes that are looked at a time: a line that is longer is for one thread."""


@dataclass(frozen=True)
class Counted:
    """Rows below the header line, where they are known, and whether several threads may read them.

    `kept` are the lines of every `EVERY`-th row, the first among them, of a plain file that is not compressed.
    """

    rows: int | None = None
    plain: bool = True
    kept: tuple[bytes, ...] | None = None


def is_small(files: Sequence[File]) -> bool:
    """Whether DuckDB does not cut these files; nobody knows how large a compressed one is."""
    none = all(file.compression == "none" for file in files)
    return none and sum(os.path.getsize(file.path) for file in files) <= SMALL


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
    counted = _line_count(file.path, state.st_size, state.st_mtime_ns)
    if counted is not None:
        return counted
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
def _line_count(path: str, _size: int, _changed: int) -> Counted | None:
    """Rows of a plain file in this state of it; None for another."""
    lines, kept = 0, []
    for block in _whole_lines(path):
        breaks = _plain_breaks(block) if block else None
        if breaks is None:
            return None
        kept += _kept(block, breaks, lines)
        lines += int(np.count_nonzero(breaks))
    return Counted(lines - 1, kept=tuple(kept))


def _whole_lines(path: str) -> Iterator[bytes]:
    """Blocks of whole lines, an empty one where a line is longer than a block; the last line may lack its end."""
    rest = b""
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(_BLOCK):
            end = piece.rfind(b"\n") + 1
            yield rest + piece[:end] if end else b""
            rest = piece[end:]
    if rest:
        yield rest + b"\n"


def _kept(block: bytes, breaks: NDArray[np.bool_], before: int) -> list[bytes]:
    """Lines of a block that are kept, where so many lines come before it, the first of them with the column names."""
    wanted = np.arange((1 - before) % EVERY, np.count_nonzero(breaks), EVERY)
    if not len(wanted):
        return []
    ends = np.flatnonzero(breaks) + 1
    return [block[ends[i - 1] if i else 0 : ends[i]] for i in wanted.tolist()]


def _plain_breaks(block: bytes) -> NDArray[np.bool_] | None:
    """Where the lines of a block of whole ones end; None when one is no row."""
    letters = np.frombuffer(block, dtype=np.uint8)
    breaks: NDArray[np.bool_] = letters == ord("\n")
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
    return breaks


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
