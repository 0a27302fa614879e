"""Columns of files without a label."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.exit import CommandError


def read_columns(
    files: Sequence[str], *, numbers: Sequence[str], texts: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], list[list[Any]], list[str]]:
    """Return the named columns, the whole rows as the files have them, and all column names.

    Numbers are NaN, and texts empty, where a cell is empty.

    Raises:
        InputError: a file cannot be read, or lacks a column.
        CommandError: there are no rows.
    """
    from thresher.cli.mapped import numbers_of
    from thresher.readers.duckdb_files import rows_as_given

    names, pieces, commas = rows_as_given(files, list(dict.fromkeys([*numbers, *texts])))
    rows: list[list[Any]] = []
    parts = []
    with closing(pieces):
        for piece in pieces:
            parts.append(numbers_of(piece, [names.index(name) for name in numbers], numbers, len(rows), commas))
            rows.extend(list(row) for row in piece)
    if not rows:
        raise CommandError(f"{files[0]} is empty: it contains no rows.")
    table = np.concatenate(parts)
    found: dict[str, NDArray[Any]] = {name: table[:, k] for k, name in enumerate(numbers)}
    for name in texts:
        place = names.index(name)
        found[name] = np.array(["" if row[place] is None else str(row[place]) for row in rows])
    return found, rows, names
