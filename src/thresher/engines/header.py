"""Column names of a CSV file, and the delimiter that gives them, from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from thresher.conventions import option
from thresher.dataclass import dataclass
from thresher.engines.files import File
from thresher.errors import InputError

LINES = 64
"""Lines that are looked at: names in quotation marks may have several."""

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}

COMMA = r"\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*"
POINT = COMMA.replace(",", r"\.")
"""Numbers with a decimal comma or point, for Python and for SQL."""

_FITTING = re.compile(rf"{COMMA}|\s*([-+]?[0-9]+|[-+]?inf|#?n/?a|nan|null|none|<na>)?\s*", re.IGNORECASE)
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)


given_mark: ContextVar[str | None] = ContextVar("thresher_decimal", default=None)
"""Decimal mark of text files; None where it is guessed."""


@contextmanager
def decimal_mark(mark: str | None) -> Iterator[None]:
    """Read numbers of text files with this decimal mark in a block; None leaves the mark of the block around it.

    Raises:
        OptionError: the mark is neither a comma nor a point.
    """
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
    """Names of the columns, what parts them, lines before the names, and what is to be noted.

    `commas` are the columns in which a number may have a decimal comma.
    """

    names: tuple[str, ...]
    delimiter: str
    skipped: int = 0
    notes: tuple[str, ...] = ()
    commas: tuple[str, ...] = ()


def header(file: File, lines: Sequence[str], needed: Sequence[str]) -> Header:
    """Column names as the first of some lines have them, with a note of an unusual delimiter.

    A first line such as `sep=;`, which Excel reads and writes, names the delimiter. Without a given decimal
    mark, and where the delimiter is not a comma, these lines show whether numbers have decimal commas; a column with a
    decimal point or a text has none.

    Raises:
        InputError: there are no names, one stands twice, or they stand below a title.
    """
    if not lines or not lines[0].strip():
        raise InputError(f"{file.name} has no column names in its first line.")
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
    """Header of the lines from that of the names on."""
    mark = given_mark.get()
    commas, example = _with_commas(names, lines, delimiter) if delimiter != "," and mark is None else ((), "")
    notes = []
    if delimiter != ("\t" if file.tabs else ","):
        notes.append(f"{file.name} is read as separated by {DELIMITERS.get(delimiter, repr(delimiter))}.")
    if commas:
        notes.append(f"{file.name} is read with decimal commas, as in {example}.")
    return Header(_once(file, names), delimiter, skipped, tuple(notes), tuple(names) if mark == "," else commas)


def _with_commas(names: Sequence[str], lines: Sequence[str], delimiter: str) -> tuple[tuple[str, ...], str]:
    """Columns of numbers without a decimal point, if some have decimal commas, and one number of these."""
    rows = [[cell.strip('"') for cell in line.split(delimiter)] for line in lines[1:]]
    columns = zip(*(row for row in rows if len(row) == len(names)), strict=True)
    fitting = {name: cells for name, cells in zip(names, columns, strict=False) if all(map(_FITTING.fullmatch, cells))}
    example = next((cell for cells in fitting.values() for cell in cells if re.fullmatch(COMMA, cell)), "")
    return (tuple(fitting), example) if example else ((), "")


def _cells(file: File, lines: Sequence[str], delimiter: str) -> list[str]:
    """Cells of the first row; of the first line alone where a quotation mark is not closed in these lines."""
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
    """Refuse a file that has a title above its column names."""
    is_lone = all(len(cells) == 1 for cells in headers.values())
    for place, line in enumerate(lines[1:], start=1):
        rows = [[cell.strip('"') for cell in line.split(delimiter)] for delimiter in headers]
        if any(set(needed) <= set(row) for row in rows) if needed else is_lone and any(len(row) > 1 for row in rows):
            above = "line" if place == 1 else f"{place} lines"
            raise InputError(
                f"{file.name} has its column names in line {place + 1}, below a title. Delete the {above} above them."
            )
