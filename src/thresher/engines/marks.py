"""Rows of text files that several threads read are known again by what some of them hold.

Nothing in such a file numbers its rows, and numbers given on the way would make it wait for one thread. But its lines
were counted before, and some were kept: read again, by one thread, they must hold what the rows at their places do.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.engines.in_order import InOrder, Marks
from thresher.engines.plain import EVERY
from thresher.engines.session import ask
from thresher.engines.tables import ONE_BY_ONE, ROW, FileTable
from thresher.spool import scratch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def in_order(connection: DuckDBPyConnection, table: FileTable, names: Sequence[str]) -> InOrder:
    """Check of the rows that the query `table.numbered(names)` gives."""
    if not table.is_marked:
        return InOrder(table.rows)
    counts = [count.rows or 0 for part in table.parts for count in part.kept]
    starts = np.cumsum([0, *counts])
    rows = [start + np.arange(0, count, EVERY) for start, count in zip(starts[:-1], counts, strict=True)]
    return InOrder(table.rows, Marks(np.concatenate(rows), partial(_hashes, connection, table, names)))


def _hashes(connection: DuckDBPyConnection, table: FileTable, names: Sequence[str]) -> NDArray[np.int64]:
    """What the kept lines hold: they are written to a file, below a line in the place of the column names."""
    found: list[int] = []
    with scratch() as folder:
        for part in table.parts:
            lines = [line for count in part.kept for line in count.kept or ()]
            path = os.path.join(folder, "kept.csv")
            with open(path, "wb") as file:
                file.writelines([*lines[:1], *lines])
            query = part.query(names, [replace(part.files[0], path=path)], part.row_of(names))
            numbered = f"SELECT {ROW}, {ONE_BY_ONE} AS place FROM ({query})"
            found += [mark for (mark,) in ask(connection, f"SELECT {ROW} FROM ({numbered}) ORDER BY place")]
    return np.array(found, dtype=np.int64)
