"""A table of files as a DuckDB query: columns, their types, and how to select them."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.errors import InputError, Note
from thresher.readers.columns import COMMA, Reads
from thresher.readers.csv_files import LINES, Header, counted_rows, header, is_small
from thresher.readers.files import File
from thresher.readers.roles import by_text, check_names
from thresher.readers.session import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROW = "row_"
"""Column that keeps the rows of a query in their order: no alias of a column is called so."""

_NO_HIVE = "hive_partitioning=false"
"""A folder such as a=1/ adds no column, and replaces none in the file."""

_RAW = (
    "auto_detect=false, header=false, columns={'line': 'VARCHAR'}, delim='\x01', quote='', escape='', "
    "strict_mode=false, parallel=false"
)


ONE_BY_ONE = "row_number() OVER ()"


@dataclass(frozen=True)
class TablePart:
    """Files of one header: `scan(files, names)` is the FROM clause for some columns, `expressions` give each.

    With several threads DuckDB keeps the order only if files are cut at known places (`is_cut`);
    elsewhere a window over the rows holds it to one thread. `rows` is how many there must be, where they are counted.
    In the columns `commas` numbers have decimal commas, which queries turn into points.
    """

    files: tuple[File, ...]
    scan: Callable[[Sequence[File], Sequence[str]], str]
    expressions: dict[str, str]
    is_cut: bool = False
    rows: int | None = None
    commas: tuple[str, ...] = ()

    def query(self, names: Sequence[str], files: Sequence[File] | None = None, row: str = "") -> str:
        """Query of some columns, of all files of the part or of some, and of another one, `row`."""
        columns = ", ".join(
            [*(f"{self.expressions[name]} AS {alias(name)}" for name in names), *([row] if row else [])]
        )
        return f"SELECT {columns} FROM {self.scan(self.files if files is None else files, names)}"

    def as_written(self, names: Collection[str]) -> TablePart:
        """Return the part with some columns unconverted."""
        if not self.commas:
            return self
        cells = enumerate(self.expressions.items())
        return replace(self, expressions={name: f"c{i}" if name in names else sql for i, (name, sql) in cells})


@dataclass(frozen=True)
class FileTable:
    """All files together; `types` are DuckDB's, and are only a guess for text."""

    reads: Reads
    parts: tuple[TablePart, ...]
    types: dict[str, str]
    where: str
    notes: list[Note] = field(default_factory=list)
    written: frozenset[str] = frozenset()
    """Columns of text that keep their decimal commas, so that "1,10" and "1.10" differ."""

    def select(self, names: Sequence[str]) -> str:
        """Query of some columns under their aliases."""
        return " UNION ALL ".join(part.query(names) for part in self.parts)

    def in_order(self, names: Sequence[str]) -> str:
        """Query of some columns under their aliases, and of `ROW`: with it the rows come as the files have them."""
        rows = [f"{'0' if part.is_cut else ONE_BY_ONE}::BIGINT AS {ROW}" for part in self.parts]
        return " UNION ALL ".join(part.query(names, row=row) for part, row in zip(self.parts, rows, strict=True))

    @property
    def rows(self) -> int | None:
        """Rows that there must be, where they were counted apart from the reading."""
        counts = [part.rows for part in self.parts]
        return None if None in counts else sum(count for count in counts if count is not None)

    def check(self, names: Sequence[str]) -> None:
        """Check that every file has these columns, once, and of one type."""
        for part in self.parts:
            where = self.where if len(self.parts) == 1 else part.files[0].name
            check_names(names, list(part.expressions), where)

    @property
    def commas(self) -> frozenset[str]:
        """Columns with decimal commas in a file."""
        return frozenset(name for part in self.parts for name in part.commas)

    def as_written(self, name: str | None = None) -> FileTable:
        """Return the table with unconverted cells; given a column, of the files with decimal commas in it."""
        kept = [part for part in self.parts if name is None or name in part.commas]
        return replace(self, parts=tuple(part.as_written(part.expressions) for part in kept))

    def without_quotes(self, numbers: Collection[str]) -> FileTable:
        """Return the table with text for what Python has no value for, except in the columns of numbers.

        That is JSON, whose text has quotes, and bytes and nanoseconds in Parquet.
        """
        if self.reads == "text":
            return self
        [part] = self.parts
        cells = {n: sql for n, sql in part.expressions.items() if n not in numbers}
        texts = (
            {n: json_text(sql) for n, sql in cells.items()}
            if self.reads == "json"
            else {n: f"{sql}::VARCHAR" for n, sql in cells.items() if self.types[n] in ("BLOB", "TIMESTAMP_NS")}
        )
        return replace(self, parts=(replace(part, expressions=part.expressions | texts),))

    def with_texts(self, names: Collection[str]) -> FileTable:
        """Return the table with unconverted labels, groups and ids if all files have decimal commas in them."""
        written = frozenset(name for name in names if all(name in part.commas for part in self.parts))
        return replace(self, parts=tuple(part.as_written(written) for part in self.parts), written=written)

    def reads_of(self, name: str) -> Reads:
        """How the cells of a column are read."""
        return "commas" if name in self.written else self.reads

    def over(self, files: Sequence[File]) -> FileTable:
        """The same columns of other files, which may all lack a value in one."""
        return replace(self, parts=(replace(self.parts[0], files=tuple(files)),))

    @property
    def files(self) -> list[File]:
        """Files in order."""
        return [file for part in self.parts for file in part.files]


def check_count(done: int, expected: int | None) -> None:
    """Compare the rows that came with those that were counted, where they were."""
    if expected is not None and done != expected:
        raise InputError(
            f"DuckDB gave {done:,} of {expected:,} rows of the table: nothing is computed from them. Convert the file "
            f"to another format, and report this as a bug of thresher."
        )


def quoted(name: str) -> str:
    """Column name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def alias(name: str) -> str:
    """Return a column's name inside queries: SQL confuses "a" and "A", so its letters are encoded."""
    return f"c_{name.encode().hex()}"


def literal(text: str) -> str:
    """Text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def open_table(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str] = ()) -> FileTable:
    """Table of files of one kind; `needed` columns help to find the delimiter of a CSV file."""
    table = _OPEN[files[0].kind](connection, files, needed)
    table.check(needed)
    return table


def _where(files: Sequence[File]) -> str:
    return files[0].where if len(files) == 1 else f"the table of {len(files):,} files"


def _open_csv(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> FileTable:
    notes: list[Note] = []
    alike: list[tuple[Any, list[File]]] = []
    for file in files:
        first = header(file, [row[0] or "" for row in _raw(connection, file, "line", f"LIMIT {LINES}")], needed)
        notes += first.notes
        key = (replace(first, notes=()), file.compression)
        if alike and alike[-1][0] == key:
            alike[-1][1].append(file)
        else:
            alike.append((key, [file]))
    parts = [_csv_part(connection, here, first) for (first, _), here in alike]
    types = dict.fromkeys(parts[0].expressions, "VARCHAR")
    return FileTable("text", tuple(parts), types, _where(files), notes)


def _raw(connection: DuckDBPyConnection, file: File, asked: str, rest: str = "") -> list[tuple[Any, ...]]:
    scan = f"read_csv({_paths([file])}, {_RAW}, compression='{file.compression}', {_NO_HIVE})"
    return ask(connection, f"SELECT {asked} FROM {scan} {rest}")


def _csv_part(connection: DuckDBPyConnection, files: Sequence[File], first: Header) -> TablePart:
    """Read every column as text under a name by position: no type is guessed, no names clash."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(first.names)))
    options = (
        f"auto_detect=false, header=true, skip={first.skipped}, columns={{{columns}}}, "
        f"delim={literal(first.delimiter)}, quote='\"', escape='\"', compression='{files[0].compression}', {_NO_HIVE}"
    )
    is_counted = not is_small(files) and not first.skipped
    counts = [counted_rows(f, first.delimiter, partial(_raw, connection, f)) for f in files] if is_counted else []
    is_plain = all(count.plain for count in counts) and not first.skipped
    options += "" if is_plain else ", parallel=false"
    known = [count.rows for count in counts if count.rows is not None]
    return TablePart(
        files=tuple(files),
        scan=lambda some, _: f"read_csv({_paths(some)}, {options})",
        expressions={name: _cell(f"c{i}", name in first.commas) for i, name in enumerate(first.names)},
        rows=sum(known) if len(known) == len(files) else None,
        is_cut=is_counted and is_plain and files[0].compression == "none",
        commas=first.commas,
    )


def _cell(column: str, has_commas: bool) -> str:
    if not has_commas:
        return column
    return f"CASE WHEN regexp_full_match({column}, '{COMMA}') THEN replace({column}, ',', '.') ELSE {column} END"


def _paths(files: Sequence[File]) -> str:
    """Return paths as an SQL list; a star in a file name is not a pattern."""
    return f"[{', '.join(literal(glob.escape(file.utf8)) for file in files)}]"


def _open_json(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> FileTable:
    """Read needed columns as JSON text, so that 1 and "1" differ."""
    types: dict[str, str] = {}
    for file in files:
        found = _json_types(connection, file, needed)
        check_names(needed, list(found), file.where)
        types = types or found
    options = f"compression='{_json_compression(files[0])}', {_NO_HIVE}"

    def scan(some: Sequence[File], names: Sequence[str]) -> str:
        if "" not in names and len({name.casefold() for name in names}) == len(names):
            columns = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
            picked = ", ".join(f"{quoted(name)} AS {alias(name)}" for name in names)
            return f"(SELECT {picked} FROM read_json({_paths(some)}, columns={{{columns}}}, {options}))"
        # DuckDB's column names are not empty and differ beyond case: the values are taken out of the objects.
        # Their JSON pointers [RFC 6901].
        pointers = ", ".join(literal("/" + name.replace("~", "~0").replace("/", "~1")) for name in names)
        values = f"SELECT json_extract({ROW}, [{pointers}]) AS v FROM {_objects(some, options)}"
        picked = ", ".join(f"nullif(v[{i}]::VARCHAR, 'null') AS {alias(name)}" for i, name in enumerate(names, start=1))
        return f"(SELECT {picked} FROM ({values}))"

    part = TablePart(tuple(files), scan, {name: f"{alias(name)}::VARCHAR" for name in types})
    return FileTable("json", (part,), types, _where(files))


def _json_types(connection: DuckDBPyConnection, file: File, needed: Sequence[str]) -> dict[str, str]:
    """Columns by their names in the objects, with their types as the first objects have them.

    Every name is a column, however many there are and however few objects have it; one that is needed is looked for
    in all objects.
    """
    options = f"compression='{_json_compression(file)}', {_NO_HIVE}"
    sampled = f"map_inference_threshold=-1, field_appearance_threshold=0, {options}"
    types = _described(connection, f"read_json({_paths([file])}, {sampled})")
    if not set(needed) <= set(types):
        types = _described(connection, f"read_json({_paths([file])}, sample_size=-1, {sampled})")
    # DuckDB renames keys that differ only in case, and rejects objects with an empty name as records.
    folded = {name.casefold() for name in types}
    renamed = any(re.sub(r"_\d+$", "", name).casefold() in folded - {name.casefold()} for name in types)
    if renamed or list(types) == ["json"]:
        keys = f"SELECT unnest(json_keys({ROW})) AS k FROM {_objects([file], options)}"
        numbered = f"SELECT k, row_number() OVER () AS n FROM ({keys})"
        names = [str(k) for (k,) in ask(connection, f"SELECT k FROM ({numbered}) GROUP BY k ORDER BY min(n)")]
        if not names:
            raise InputError(f"{file.name} holds no JSON objects: every line holds one, with a value for every column.")
        same = len(names) == len(types)
        types = dict(zip(names, types.values(), strict=True)) if same else {n: types.get(n, "JSON") for n in names}
    return types


def json_text(cell: str) -> str:
    """SQL for the text in a piece of JSON: numbers keep the digits that they are written with, null is missing."""
    return f"CASE WHEN starts_with({cell}, '\"') THEN {cell}::JSON ->> '$' ELSE nullif({cell}, 'null') END"


def _objects(files: Sequence[File], options: str) -> str:
    return f"read_json({_paths(files)}, columns={{'{ROW}': 'JSON'}}, records=false, {options})"


def _json_compression(file: File) -> str:
    return "uncompressed" if file.compression == "none" else file.compression


def _open_parquet(connection: DuckDBPyConnection, files: Sequence[File], needed: Sequence[str]) -> FileTable:
    types, of_path = _parquet_types(connection, files[0], needed)
    for file in files[1:]:
        here, of_path_here = _parquet_types(connection, file, needed)
        other = next((name for name in needed if here[name] != types[name]), None)
        if other is not None:
            raise InputError(
                f"column {other!r} is {types[other]} in {files[0].name} and {here[other]} in {file.name}: "
                f"files that are read together must have the same types."
            )
        if of_path_here != of_path:
            raise InputError(f"{files[0].name} and {file.name} have different columns in their paths.")
    expressions = {name: f"c{i}" for i, name in enumerate(types)} | {name: _from_path(name) for name in of_path}
    places = ", ".join(f"c{i}" for i in range(len(types) - len(of_path)))

    def scan(some: Sequence[File], _: Sequence[str]) -> str:
        return f"{_parquet(some)} AS t({places})"

    rows = sum(int(n) for (n,) in ask(connection, f"SELECT num_rows FROM parquet_file_metadata({_paths(files)})"))
    notes = [
        Note("column-from-path", f"Column {name!r} is read from the paths of the files, which do not hold it.")
        for name in of_path
    ]
    notes += _of_less_than_they_hold(connection, files, [name for name in needed if types[name] == "TIMESTAMP"])
    part = TablePart(tuple(files), scan, expressions, is_cut=True, rows=rows)
    return FileTable("typed", (part,), types, _where(files), notes)


def _of_less_than_they_hold(connection: DuckDBPyConnection, files: Sequence[File], times: Sequence[str]) -> list[Note]:
    """Note nanosecond columns that DuckDB truncates to microseconds: the old type INT96."""
    if not times:
        return []
    found = ask(connection, f"SELECT DISTINCT name FROM parquet_schema({_paths(files)}) WHERE type = 'INT96'")
    return [
        Note(
            "microseconds",
            f"Column {name!r} is of Parquet's old type INT96 and is read to the microsecond: times that differ by less "
            "are one.",
        )
        for name in times
        if (name,) in found
    ]


def _parquet(files: Sequence[File]) -> str:
    return f"read_parquet({_paths(files)}, {_NO_HIVE})"


def _parquet_types(
    connection: DuckDBPyConnection, file: File, needed: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Return columns by their names in the file; DuckDB renames columns that differ only in case.

    Needed columns that only the path has, such as the site in data/site=a/x.parquet, come last and are returned too.
    """
    types = _described(connection, _parquet([file])).values()
    schema = ask(connection, f"SELECT name, num_children FROM parquet_schema({_paths([file])})")
    names: list[str] = []
    below = 0  # columns still to come inside a nested one
    for name, children in schema[1:]:
        if not below:
            names.append(str(name))
        below = max(below - 1, 0) + (children or 0)
    check_names([name for name in needed if name in names], names, file.name)
    found: dict[str, str] = {}
    for name, kind in zip(names, types, strict=True):
        found[name if name not in found else f"{name} again"] = kind
    of_path = [name for name in path_columns(file) if name in needed and name not in found]
    found |= dict.fromkeys(of_path, "VARCHAR")
    check_names(needed, list(found), file.name)
    return found, of_path


def path_columns(file: File) -> list[str]:
    """Return the columns in the folders of a path, as in data/site=a/x.parquet; they are read on request."""
    return list(dict.fromkeys(re.findall(r"(?:^|/)([^/=]+)=[^/]*(?=/)", file.utf8)))


def _from_path(name: str) -> str:
    pattern = literal(f"(?:^|/){re.escape(name)}=([^/]*)/")
    return f"nullif(url_decode(regexp_extract(t.filename, {pattern}, 1)), '__HIVE_DEFAULT_PARTITION__')"


def _described(connection: DuckDBPyConnection, source: str) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in ask(connection, f"DESCRIBE SELECT * FROM {source}")}


def open_frame(connection: DuckDBPyConnection, data: Any, name: str, needed: Sequence[str]) -> FileTable:
    """A dataframe, or a dictionary of arrays, as a table."""
    if isinstance(data, Mapping):
        data = {column: np.asarray(values) for column, values in by_text(data, "the dictionary of columns").items()}
    connection.register(name, data)
    types = _described(connection, quoted(name))
    part = TablePart((), lambda _, __: quoted(name), {column: quoted(column) for column in types})
    table = FileTable("typed", (part,), types, "the dataframe")
    table.check(needed)
    return table


_OPEN = {"csv": _open_csv, "json": _open_json, "parquet": _open_parquet}
