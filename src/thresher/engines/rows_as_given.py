"""Rows of a file passed on as they are, piece by piece, for a command that adds a column."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from thresher.engines.compressed import compression_checked
from thresher.engines.files import find_files
from thresher.engines.marks import in_order
from thresher.engines.session import session
from thresher.engines.tables import open_table

Pieces = Generator[list[tuple[Any, ...]], None, None]

PIECE = 1 << 14
"""Rows at a time."""


def rows_as_given(paths: Sequence[str], needed: Sequence[str]) -> tuple[list[str], Pieces]:
    """Names of the columns, and the rows in the order of the files; cells of text files are the text that stands there.

    Raises:
        InputError: a file that cannot be read, or that lacks a needed column.
    """
    files = find_files(paths)
    with session(files) as connection:
        names = list(open_table(connection, files, needed).types)

    def rows() -> Pieces:
        with compression_checked(files), session(files) as connection:
            table = open_table(connection, files, needed)
            seen = in_order(connection, table, names)
            found = connection.execute(table.numbered(names))
            while piece := found.fetchmany(PIECE):
                seen.add(len(piece), np.array([row[-1] for row in piece]))
                yield [row[:-1] for row in piece]
            seen.finish()

    return names, rows()
