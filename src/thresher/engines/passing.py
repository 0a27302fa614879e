"""Rows of a file passed on as they are, piece by piece, for a command that adds a column."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from thresher.engines.files import find_files
from thresher.engines.session import session
from thresher.engines.tables import open_table

Pieces = Generator[list[tuple[Any, ...]], None, None]

PIECE = 1 << 14
"""Rows at a time."""


def passing(paths: Sequence[str], needed: Sequence[str]) -> tuple[list[str], Pieces]:
    """Names of the columns, and the rows in the order of the files; cells of text files are the text that stands there.

    Raises:
        InputError: a file that cannot be read, or that lacks a needed column.
    """
    files = find_files(paths)
    with session(files) as connection:
        names = list(open_table(connection, files, needed).types)

    def rows() -> Pieces:
        with session(files) as connection:
            found = connection.execute(open_table(connection, files, needed).select(names))
            while piece := found.fetchmany(PIECE):
                yield piece

    return names, rows()
