"""Rows of files passed on as they are, piece by piece, for a command that adds a column; and written as Parquet."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.engines.files import compression_checked, find_files
from thresher.engines.marks import in_order
from thresher.engines.session import session
from thresher.engines.tables import literal, open_table, quoted
from thresher.errors import InputError
from thresher.spool import scratch
from thresher.whole import whole_file

Pieces = Generator[list[tuple[Any, ...]], None, None]

PIECE = 1 << 14
"""Rows at a time."""


def rows_as_given(paths: Sequence[str], needed: Sequence[str]) -> tuple[list[str], Pieces, frozenset[str]]:
    """Names of the columns, the rows in the order of the files, and which columns have decimal commas.

    Cells of text files are the text that stands there.

    Raises:
        InputError: a file that cannot be read, or that lacks a needed column.
    """
    files = find_files(paths)
    with session(files) as connection:
        known = open_table(connection, files, needed)
        names = list(known.types)

    def rows() -> Pieces:
        with compression_checked(files), session(files) as connection:
            table = open_table(connection, files, needed).as_written()
            seen = in_order(connection, table, names)
            found = connection.execute(table.numbered(names))
            while piece := found.fetchmany(PIECE):
                seen.add(len(piece), np.array([row[-1] for row in piece]))
                yield [row[:-1] for row in piece]
            seen.finish()

    return names, rows(), known.commas


def write_parquet_rows(path: Path, parts: Iterable[str], sources: Sequence[str], numbers: Collection[str]) -> None:
    """Write lines of CSV, of which `rows_as_given` gave the rows, as a Parquet file.

    Columns keep the types that they have where the sources are Parquet, and are text otherwise; `numbers` are DOUBLE.
    An empty cell is null.

    Raises:
        InputError: the file cannot be written.
    """
    files = find_files(sources)
    with session(files) as connection:
        types = open_table(connection, files).types if files[0].kind == "parquet" else {}
    with scratch() as folder, session() as connection:
        between = Path(folder) / "rows.csv"
        with between.open("w", encoding="utf-8", newline="") as out:
            out.writelines(parts)
        read = f"read_csv({literal(str(between))}, header=true, all_varchar=true, delim=',', quote='\"', escape='\"')"
        names = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()]
        typed = {name: types.get(name, "DOUBLE" if name in numbers else "VARCHAR") for name in names}
        columns = ", ".join(f"CAST({quoted(name)} AS {typed[name]}) AS {quoted(name)}" for name in names)
        try:
            with whole_file(path) as beside:
                connection.execute(f"COPY (SELECT {columns} FROM {read}) TO {literal(str(beside))} (FORMAT parquet)")
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error
