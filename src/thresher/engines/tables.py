"""A table of files as a DuckDB query: which columns there are, of which type, and how to select them."""

from __future__ import annotations

import csv
import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher.engines.class_names import by_text
from thresher.engines.files import File
from thresher.engines.frame import check_names
from thresher.engines.session import ask
from thresher.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Reads = Literal["text", "json", "typed", "decimal"]

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_RAW = (
    "auto_detect=false, header=false, columns={'line': 'VARCHAR'}, delim='\x01', quote='', escape='', strict_mode=false"
)


@dataclass(frozen=True)
class Part:
    """Files of one header: `scan(files, names)` is the FROM clause for some columns, `expressions` give each."""

    files: tuple[File, ...]
    scan: Callable[[Sequence[File], Sequence[str]], str]
    expressions: dict[str, str]

    def query(self, names: Sequence[str], files: Sequence[File] | None = None) -> str:
        """Query of some columns, of all files of the part or of some."""
        columns = ", ".join(f"{self.expressions[name]} AS {alias(name)}" for name in names)
        return f"SELECT {columns} FROM {self.scan(self.files if files is None else files, names)}"


@dataclass(frozen=True)
class Table:
    """All files together; `types` are DuckDB's, and are only a guess for text."""

    reads: Reads
    parts: tuple[Part, ...]
    types: dict[str, str]
    where: str
    notes: list[str] = field(default_factory=list)

    def select(self, names: Sequence[str]) -> str:
        """Query of some columns under their aliases, rows in the order of the files."""
        return " UNION ALL ".join(part.query(names) for part in self.parts)

    def check(self, names: Sequence[str]) -> None:
        """Check that every file has these columns, once, and of one type."""
        for part in self.parts:
            where = self.where if len(self.parts) == 1 else part.files[0].name
            check_names(names, list(part.expressions), where)

    @property
    def files(self) -> list[File]:
        """Files in order."""
        return [file for part in self.parts for file in part.files]


def quoted(name: str) -> str:
    """Column name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def alias(name: str) -> str:
    """What a column is called inside queries: SQL takes "a" and "A" for one column, so its letters are spelled out."""
    return f"c_{name.encode().hex()}"


def literal(text: str) -> str:
    """Text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def open_table(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str] = ()) -> Table:
    """Table of files of one kind; `needed` columns help to tell which delimiter a CSV file uses.

    Raises:
        InputError: a needed column is missing from a file, stands in it twice, or has another type there.
    """
    table = _OPEN[files[0].kind](connection, files, needed)
    table.check(needed)
    return table


def _where(files: Sequence[File]) -> str:
    return files[0].name if len(files) == 1 else f"the table of {len(files):,} files"


def _open_csv(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> Table:
    notes: list[str] = []
    parts: list[Part] = []
    key: Any = None
    for file in files:
        names, delimiter = _header(connection, file, needed)
        usual = "\t" if file.tabs else ","
        if delimiter != usual:
            notes.append(f"{file.name} is read as separated by {DELIMITERS[delimiter]}.")
        if (names, delimiter, file.compression) == key:
            parts[-1] = _csv_part([*parts[-1].files, file], names, delimiter)
        else:
            parts.append(_csv_part([file], names, delimiter))
        key = (names, delimiter, file.compression)
    types = dict.fromkeys(parts[0].expressions, "VARCHAR")
    return Table("text", tuple(parts), types, _where(files), notes)


def _header(connection: DuckDBPyConnection, file: File, needed: Sequence[str]) -> tuple[list[str], str]:
    """Column names as the first line has them, and the delimiter that gives them."""
    scan = f"read_csv({_paths([file])}, {_RAW}, compression='{file.compression}')"
    lines = [row[0] or "" for row in ask(connection, f"SELECT line FROM {scan} LIMIT 1")]
    if not "".join(lines).strip():
        raise InputError(f"{file.name} has no column names in its first line.")
    usual = "\t" if file.tabs else ","
    choices = [usual, *(delimiter for delimiter in DELIMITERS if delimiter != usual)]
    headers = {d: next(csv.reader(lines, delimiter=d, strict=False)) for d in choices}
    fitting = [d for d in choices if needed and set(needed) <= set(headers[d])]
    best = fitting[0] if fitting else max(choices, key=lambda d: len(headers[d]))
    names = headers[best]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"{file.name} has {names.count(twice)} columns named {twice!r} in its first line: rename all but one."
        )
    return names, best


def _csv_part(files: Sequence[File], names: Sequence[str], delimiter: str) -> Part:
    """Every column as text under a name by position: no type is guessed, no name can clash."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    options = (
        f"auto_detect=false, header=true, columns={{{columns}}}, delim={literal(delimiter)}, "
        f"quote='\"', escape='\"', compression='{files[0].compression}'"
    )
    expressions = {name: f"c{i}" for i, name in enumerate(names)}
    return Part(tuple(files), lambda some, _: f"read_csv({_paths(some)}, {options})", expressions)


def _paths(files: Sequence[File]) -> str:
    """Paths as an SQL list; a star in the name of a file is a star, not a pattern."""
    return f"[{', '.join(literal(glob.escape(file.utf8)) for file in files)}]"


def _open_json(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> Table:
    """Needed columns as the JSON text of each value, so that 1 and "1" stay apart."""
    types: dict[str, str] = {}
    for file in files:
        found = _described(connection, f"read_json({_paths([file])}, compression='{_json_compression(file)}')")
        check_names(needed, list(found), file.name)
        types = types or found
    compression = _json_compression(files[0])

    def scan(some: Sequence[File], names: Sequence[str]) -> str:
        columns = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
        return f"read_json({_paths(some)}, columns={{{columns}}}, compression='{compression}')"

    part = Part(tuple(files), scan, {name: f"{quoted(name)}::VARCHAR" for name in types})
    return Table("json", (part,), types, _where(files))


def _json_compression(file: File) -> str:
    return "uncompressed" if file.compression == "none" else file.compression


def _open_parquet(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> Table:
    types = _parquet_types(connection, files[0], needed)
    for file in files[1:]:
        here = _parquet_types(connection, file, needed)
        other = next((name for name in needed if here[name] != types[name]), None)
        if other is not None:
            raise InputError(
                f"column {other!r} is {types[other]} in {files[0].name} and {here[other]} in {file.name}: "
                f"files that are read together must have the same types."
            )
    places = ", ".join(f"c{i}" for i in range(len(types)))

    def scan(some: Sequence[File], _: Sequence[str]) -> str:
        return f"{_parquet(some)} AS t({places})"

    part = Part(tuple(files), scan, {name: f"c{i}" for i, name in enumerate(types)})
    return Table("typed", (part,), types, _where(files))


def _parquet(files: Sequence[File]) -> str:
    return f"read_parquet({_paths(files)}, hive_types_autocast=false)"


def _parquet_types(connection: DuckDBPyConnection, file: File, needed: Sequence[str]) -> dict[str, str]:
    """Columns by their names in the file, which DuckDB changes where two are alike but for case."""
    types = list(_described(connection, _parquet([file])).items())
    schema = ask(connection, f"SELECT name, num_children FROM parquet_schema({_paths([file])})")
    names: list[str] = []
    below = 0  # columns still to come inside a nested one
    for name, children in schema[1:]:
        if not below:
            names.append(str(name))
        below = max(below - 1, 0) + (children or 0)
    check_names([name for name in needed if name in names], names, file.name)
    names += [name for name, _ in types[len(names) :]]  # those of the path, such as site=a
    found: dict[str, str] = {}
    for name, (_, kind) in zip(names, types, strict=True):
        found[name if name not in found else f"{name} again"] = kind
    check_names(needed, list(found), file.name)
    return found


def _described(connection: DuckDBPyConnection, source: str) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in ask(connection, f"DESCRIBE SELECT * FROM {source}")}


def open_frame(connection: DuckDBPyConnection, data: Any, name: str, needed: Sequence[str]) -> Table:
    """A dataframe, or a dictionary of arrays, as a table."""
    if isinstance(data, Mapping):
        data = {column: np.asarray(values) for column, values in by_text(data, "the dictionary of columns").items()}
    connection.register(name, data)
    types = _described(connection, quoted(name))
    part = Part((), lambda _, __: quoted(name), {column: quoted(column) for column in types})
    table = Table("typed", (part,), types, "the dataframe")
    table.check(needed)
    return table


_OPEN = {"csv": _open_csv, "json": _open_json, "parquet": _open_parquet}
