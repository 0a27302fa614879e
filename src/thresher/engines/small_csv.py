"""A small CSV file of plain cells, read without a database, whose start takes longer than the reading of such a file.

It is read here only where there is one way to read it: ASCII without quotation marks, lines of one kind of end and of
as many cells as the first, and in the columns that are needed no empty cell, no blank around one, and no number that is
written in another way than -1.5e-3 is. Every other file, and every error, is left to DuckDB.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.engines.encode import Encoder, blocks
from thresher.engines.files import File
from thresher.engines.frame import Roles
from thresher.engines.header import LINES, header
from thresher.engines.numbers import EXACT
from thresher.engines.source import as_values, by_role, coded_roles, number_roles
from thresher.engines.strings import distinct_strings
from thresher.engines.tables import Reads
from thresher.errors import InputError
from thresher.predictions.columns import Columns, Encoded

MOST = 2**19
"""Bytes of a small file: they are read in less time than a database takes to start."""

_ODD = re.compile(rb"[^\t\n !#-~]|\n\n|\A\n")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,60})?(e[-+]?[0-9]{1,2})?", re.IGNORECASE)


@dataclass(frozen=True)
class SmallTable:
    """Names of the columns of a plain file, the cells of each line, and what is to be noted."""

    file: File
    names: list[str]
    lines: list[list[str]]
    notes: list[str]

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """A column of numbers, which float64 tells apart; None of any other."""
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
        ends = np.cumsum([0, *map(len, cells)])
        for rows in blocks(len(cells)):
            encoder.add(distinct_strings(ends[rows.start : rows.stop + 1], data, None))
        return encoder.finish()

    def cells(self, name: str) -> list[str]:
        """Texts of a column."""
        place = self.names.index(name)
        return [line[place] for line in self.lines]


def small_table(files: Sequence[File], needed: Sequence[str] = ()) -> SmallTable | None:
    """Table of one small file of plain cells that has the needed columns; None of any other."""
    if len(files) != 1 or files[0].kind != "csv" or files[0].compression != "none":
        return None
    lines = _plain_lines(files[0].path)
    try:
        first = header(files[0], lines[:LINES], needed)
    except InputError:  # DuckDB's reader says it, or what is wrong besides
        return None
    if first.commas:
        return None
    cells = [line.split(first.delimiter) for line in lines[first.skipped + 1 :]]
    is_table = cells and set(needed) <= set(first.names) and all(len(line) == len(first.names) for line in cells)
    return SmallTable(files[0], list(first.names), cells, list(first.notes)) if is_table else None


def read_small(files: Sequence[File], found: Roles) -> Columns | None:
    """Columns by their roles of one small file of plain cells; None of any other."""
    table = small_table(files, [found.label] if found.wanted else found.needed)
    if table is None:
        return None
    found = found.resolve(table.names, table.file.name)
    if not set(found.needed) <= set(table.names):
        return None
    numbers = {name: table.numbers(name) for name in number_roles(found)}
    coded = {name: table.codes(name, role) for name, role in coded_roles(found).items()}
    floats = {name: values for name, values in numbers.items() if values is not None}
    texts = {name: column for name, column in coded.items() if column is not None}
    if len(floats) < len(numbers) or len(texts) < len(coded):
        return None
    reads: dict[str, Reads] = dict.fromkeys(texts, "text")
    where = table.file.name
    return by_role(
        found, floats, as_values(reads, found, texts), table.notes, lambda row: f"row {row + 1:,} of {where}"
    )


def _plain_lines(path: str) -> list[str]:
    """Lines of a small file in which every byte has one meaning; an empty one of any other."""
    if os.path.getsize(path) > MOST:
        return [""]
    with open(path, "rb") as file:
        content = file.read(MOST + 1)
    if content.count(b"\r\n") == content.count(b"\n"):
        content = content.replace(b"\r\n", b"\n")
    return [""] if _ODD.search(content) else content.removesuffix(b"\n").decode("ascii").split("\n")
