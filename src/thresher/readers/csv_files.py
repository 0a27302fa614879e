"""CSV files without DuckDB: their column names and delimiter, their rows counted, and small plain ones read.

DuckDB cuts a file into pieces of 8 MB and guesses where a row begins in each. It guesses wrong inside a quoted text of
several lines, and has lost a last line of 32 MB; with one thread it has lost text after an unclosed
quotation mark. So rows are counted apart from the reading, and several threads read only files with one row per
line.

A small file is read here, as a database takes longer to start, but only where there is one way to read it: ASCII
without quotation marks, lines with one kind of end and the first line's number of cells, and in the needed columns
no empty cell, no blank around one, and numbers written as -1.5e-3 only. DuckDB reads every other file and reports
every error.
"""

from __future__ import annotations

import csv
import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import option
from thresher.errors import InputError, Note
from thresher.kernel.values import TextColumn
from thresher.predictions.columns import Columns, Encoded
from thresher.readers.codes import Encoder, distinct_texts
from thresher.readers.columns import COMMA, Reads, columns_by_role, read_texts
from thresher.readers.files import File
from thresher.readers.numbers import EXACT
from thresher.readers.roles import Roles

LINES = 64
"""Lines that are looked at: names in quotation marks may have several."""

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}

_FITTING = re.compile(rf"{COMMA}|\s*([-+]?[0-9]+|[-+]?inf|#?n/?a|nan|null|none|<na>)?\s*", re.IGNORECASE)
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)


given_mark: ContextVar[str | None] = ContextVar("thresher_decimal", default=None)
"""Decimal mark of text files; None where it is guessed."""


@contextmanager
def decimal_mark(mark: str | None) -> Iterator[None]:
    """Read numbers of text files with this decimal mark in a block; None leaves the mark of the block around it."""
    if mark is None:
        yield
        return
    option("decimal", mark, (",", "."))
    token = given_mark.set(mark)
    try:
        yield
    finally:
        given_mark.reset(token)


@dataclass(frozen=True)
class Header:
    """Names of the columns, their delimiter, the number of lines before them, and notes.

    `commas` are the columns in which a number may have a decimal comma.
    """

    names: tuple[str, ...]
    delimiter: str
    skipped: int = 0
    notes: tuple[Note, ...] = ()
    commas: tuple[str, ...] = ()


def header(file: File, lines: Sequence[str], needed: Sequence[str]) -> Header:
    """Column names as the first of some lines have them, with a note of an unusual delimiter.

    A first line such as `sep=;`, which Excel reads and writes, names the delimiter. Without a given decimal
    mark, and where the delimiter is not a comma, these lines show whether numbers have decimal commas; a column with a
    decimal point or a text does not.
    """
    if not lines or not lines[0].strip():
        raise InputError(f"{file.name} lacks column names in its first line.")
    usual = "\t" if file.tabs else ","
    if len(lines) > 1 and (named := _SEPARATOR.fullmatch(lines[0])):
        return _made(file, lines[1:], _cells(file, lines[1:], named[1]), named[1], skipped=1)
    choices = [usual, *(delimiter for delimiter in DELIMITERS if delimiter != usual)]
    headers = {delimiter: _cells(file, lines, delimiter) for delimiter in choices}
    fitting = [d for d in choices if needed and set(needed) <= set(headers[d])]
    if not fitting:
        _refuse_title(file, lines, headers, needed)
    best = fitting[0] if fitting else max(choices, key=lambda d: len(headers[d]))
    return _made(file, lines, headers[best], best)


def _made(file: File, lines: Sequence[str], names: Sequence[str], delimiter: str, *, skipped: int = 0) -> Header:
    mark = given_mark.get()
    commas, example = _with_commas(names, lines, delimiter) if delimiter != "," and mark is None else ((), "")
    notes = []
    if delimiter != ("\t" if file.tabs else ","):
        separator = DELIMITERS.get(delimiter, repr(delimiter))
        notes.append(Note("separator", f"{file.name} is read as separated by {separator}."))
    if commas:
        notes.append(
            Note("decimal-commas", f"{file.name} is read with decimal commas, as in {example}.", parameter="decimal")
        )
    return Header(_once(file, names), delimiter, skipped, tuple(notes), tuple(names) if mark == "," else commas)


def _with_commas(names: Sequence[str], lines: Sequence[str], delimiter: str) -> tuple[tuple[str, ...], str]:
    """Return the columns with decimal commas, and one such number; none if a number has a decimal point."""
    rows = [[cell.strip('"') for cell in line.split(delimiter)] for line in lines[1:]]
    columns = zip(*(row for row in rows if len(row) == len(names)), strict=True)
    fitting = {name: cells for name, cells in zip(names, columns, strict=False) if all(map(_FITTING.fullmatch, cells))}
    example = next((cell for cells in fitting.values() for cell in cells if re.fullmatch(COMMA, cell)), "")
    return (tuple(fitting), example) if example else ((), "")


def _cells(file: File, lines: Sequence[str], delimiter: str) -> list[str]:
    """Return the cells of the first row; of the first line alone if a quotation mark is not closed."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=False)
    try:
        cells = next(reader)
        read = "".join(lines[: reader.line_num])
        return cells if read.count('"') % 2 == 0 else next(csv.reader(lines[:1], delimiter=delimiter, strict=False))
    except csv.Error:
        raise InputError(
            f"{file.name} has a column name of more than {csv.field_size_limit():,} characters in its first line: is "
            f"it a table?"
        ) from None


def _once(file: File, names: Sequence[str]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"{file.name} has {names.count(twice)} columns named {twice!r} in its first line: rename all but one."
        )
    return tuple(names)


def _refuse_title(
    file: File, lines: Sequence[str], headers: Mapping[str, Sequence[str]], needed: Sequence[str]
) -> None:
    is_lone = all(len(cells) == 1 for cells in headers.values())
    for place, line in enumerate(lines[1:], start=1):
        rows = [[cell.strip('"') for cell in line.split(delimiter)] for delimiter in headers]
        if any(set(needed) <= set(row) for row in rows) if needed else is_lone and any(len(row) > 1 for row in rows):
            above = "line" if place == 1 else f"{place} lines"
            raise InputError(
                f"{file.name} has its column names in line {place + 1}, below a title. Delete the {above} above them."
            )


SMALL = 8_000_000
"""Bytes that DuckDB does not cut."""

_LONGEST = 2**26  # bytes of a row, many times DuckDB's limit

_BLOCK = 2**17
"""Bytes that are looked at a time: a line that is longer is for one thread."""


@dataclass(frozen=True)
class Counted:
    """Number of rows below the header line, if known, and whether several threads may read them."""

    rows: int | None = None
    plain: bool = True


def is_small(files: Sequence[File]) -> bool:
    """Whether DuckDB does not cut these files; a compressed one may be of any size."""
    none = all(file.compression == "none" for file in files)
    return none and sum(os.path.getsize(file.path) for file in files) <= SMALL


def counted_rows(file: File, delimiter: str, in_raw_lines: Callable[[str], list[tuple[Any, ...]]]) -> Counted:
    """Rows of a CSV file, and whether it is plain.

    It is plain when its rows are its lines: no line is empty or very long, ends in a lone carriage return, or leaves a
    quoted text open. `in_raw_lines` runs SQL on the lines of a compressed file.
    """
    if file.compression != "none":
        quotes = "length(line) - length(replace(line, '\"', ''))"
        [(lines, quoted, odd)] = in_raw_lines(f"count(line), sum({quotes}), count(*) FILTER (WHERE ({quotes}) % 2 = 1)")
        # Only several threads report an unclosed quotation mark.
        return Counted(lines - 1) if not odd else Counted(plain=bool(quoted % 2))
    state = os.stat(file.path)
    lines = _line_count(file.path, state.st_size, state.st_mtime_ns)
    if lines is not None:
        return Counted(lines - 1)
    rows = _row_count(file.path, delimiter, state.st_size, state.st_mtime_ns)
    if rows is None:
        raise InputError(f"{file.name} opens a quotation mark that is never closed.")
    return Counted(rows - 1, plain=False)


@functools.lru_cache(maxsize=256)
def _line_count(path: str, _size: int, _changed: int) -> int | None:
    """Count lines of a plain file; None for another file."""
    lines = 0
    for block in _whole_lines(path):
        breaks = _plain_breaks(block) if block else None
        if breaks is None:
            return None
        lines += int(np.count_nonzero(breaks))
    return lines


def _whole_lines(path: str) -> Iterator[bytes]:
    """Yield blocks of whole lines; an empty one if a line is longer than a block. The last line may lack its end."""
    rest = b""
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(_BLOCK):
            end = piece.rfind(b"\n") + 1
            yield rest + piece[:end] if end else b""
            rest = piece[end:]
    if rest:
        yield rest + b"\n"


def _plain_breaks(block: bytes) -> NDArray[np.bool_] | None:
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
    """Count rows with multi-line quoted text, header included; None if a quote is never closed."""
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
    return sum(map(bool, block.replace(b"\r", b"\n").split(b"\n")))


MOST = 2**19
"""Bytes of a small file: they are read in less time than a database takes to start."""

_ODD = re.compile(rb"[^\t\n !#-~]|\n\n|\A\n")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,60})?(e[-+]?[0-9]{1,2})?", re.IGNORECASE)


@dataclass(frozen=True)
class SmallTable:
    """Column names of a plain file, the cells of each line, and notes."""

    file: File
    names: list[str]
    lines: list[list[str]]
    notes: list[Note]

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """A column of numbers distinct in float64; else None."""
        cells = self.cells(name)
        if not all(map(_NUMBER.fullmatch, cells)):
            return None
        values = np.array(list(map(float, cells)))
        return values if (np.abs(values) < EXACT).all() else None

    def codes(self, name: str, role: str) -> Encoded | None:
        """A column of texts; None where one is empty or has blanks around it."""
        cells = self.cells(name)
        if any(cell != cell.strip() or not cell for cell in set(cells)):
            return None
        encoder, data = Encoder(name, role), np.frombuffer("".join(cells).encode(), dtype=np.uint8)
        encoder.add(distinct_texts(TextColumn(data, np.cumsum([0, *map(len, cells)]))))
        return encoder.finish()

    def cells(self, name: str) -> list[str]:
        """Texts of a column."""
        place = self.names.index(name)
        return [line[place] for line in self.lines]


def small_table(files: Sequence[File], needed: Sequence[str] = ()) -> SmallTable | None:
    """Return the table of a small file of plain cells with the needed columns; else None."""
    if len(files) != 1 or files[0].kind != "csv" or files[0].compression != "none":
        return None
    lines = _plain_lines(files[0].path)
    try:
        first = header(files[0], lines[:LINES], needed)
    except InputError:  # DuckDB's reader reports this or another error
        return None
    if first.commas:
        return None
    cells = [line.split(first.delimiter) for line in lines[first.skipped + 1 :]]
    is_table = cells and set(needed) <= set(first.names) and all(len(line) == len(first.names) for line in cells)
    return SmallTable(files[0], list(first.names), cells, list(first.notes)) if is_table else None


def read_small(files: Sequence[File], found: Roles) -> Columns | None:
    """Return the columns by role of a small file of plain cells; else None."""
    table = small_table(files, [found.label] if found.wanted else found.needed)
    if table is None:
        return None
    found = found.resolve(table.names, table.file.name)
    if not set(found.needed) <= set(table.names):
        return None
    numbers = {name: table.numbers(name) for name in found.numbers}
    coded = {name: table.codes(name, role) for name, role in found.codes.items()}
    floats = {name: values for name, values in numbers.items() if values is not None}
    texts = {name: column for name, column in coded.items() if column is not None}
    if len(floats) < len(numbers) or len(texts) < len(coded):
        return None
    reads: dict[str, Reads] = dict.fromkeys(texts, "text")
    where = table.file.name
    return columns_by_role(
        found, floats, read_texts(reads, found, texts), table.notes, lambda row: f"row {row + 1:,} of {where}"
    )


def _plain_lines(path: str) -> list[str]:
    """Return the lines of a small plain file; none for another."""
    if os.path.getsize(path) > MOST:
        return [""]
    with open(path, "rb") as file:
        content = file.read(MOST + 1)
    if content.count(b"\r\n") == content.count(b"\n"):
        content = content.replace(b"\r\n", b"\n")
    return [""] if _ODD.search(content) else content.removesuffix(b"\n").decode("ascii").split("\n")
