"""Column names of a CSV file, and the delimiter that gives them, from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence

from thresher.dataclass import dataclass
from thresher.engines.files import File
from thresher.errors import InputError

LINES = 64
"""Lines that are looked at: names in quotation marks may have several."""

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}

_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)


@dataclass(frozen=True)
class Header:
    """Names of the columns, what parts them, lines before the names, and what is to be noted."""

    names: tuple[str, ...]
    delimiter: str
    skipped: int = 0
    notes: tuple[str, ...] = ()


def header(file: File, lines: Sequence[str], needed: Sequence[str]) -> Header:
    """Column names as the first of some lines have them, with a note of an unusual delimiter.

    A first line such as `sep=;`, which Excel reads and writes, names the delimiter.

    Raises:
        InputError: there are no names, one stands twice, or they stand below a title.
    """
    if not lines or not lines[0].strip():
        raise InputError(f"{file.name} has no column names in its first line.")
    usual = "\t" if file.tabs else ","
    if len(lines) > 1 and (named := _SEPARATOR.fullmatch(lines[0])):
        return Header(_once(file, _cells(file, lines[1:], named[1])), named[1], 1, _said(file, named[1], usual))
    choices = [usual, *(delimiter for delimiter in DELIMITERS if delimiter != usual)]
    headers = {delimiter: _cells(file, lines, delimiter) for delimiter in choices}
    fitting = [d for d in choices if needed and set(needed) <= set(headers[d])]
    if not fitting:
        _refuse_title(file, lines, headers, needed)
    best = fitting[0] if fitting else max(choices, key=lambda d: len(headers[d]))
    return Header(_once(file, headers[best]), best, notes=_said(file, best, usual))


def _said(file: File, delimiter: str, usual: str) -> tuple[str, ...]:
    name = DELIMITERS.get(delimiter, repr(delimiter))
    return () if delimiter == usual else (f"{file.name} is read as separated by {name}.",)


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
