"""Columns of a file as features: numbers where every value is one, else texts; and the column of labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.engines.files import compression_checked, find_files
from thresher.engines.frame import check_names
from thresher.engines.marks import in_order
from thresher.engines.session import session
from thresher.engines.source import NO_NUMBER, number_of, pointed_error, too_large
from thresher.engines.stream import pointed
from thresher.engines.tables import ROW, FileTable, alias, open_table
from thresher.engines.text_values import from_json, values_of_columns
from thresher.errors import InputError, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN", "UTINYINT",
           "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")  # fmt: skip
"""Types of a file with types that are read as numbers; false is 0 and true is 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureTable:
    """A file's columns by name: float64 (missing as NaN) or objects of text (missing as None), and its label.

    `others` are columns that were asked for by name without being features, in the meaning that labels have; texts in
    those of `commas` have decimal commas.
    """

    columns: dict[str, NDArray[Any]]
    label: NDArray[Any]
    others: dict[str, NDArray[Any]]
    where: str
    notes: tuple[str, ...] = ()
    commas: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.label)


def read_features(
    paths: Sequence[str],
    *,
    label: str,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    others: Sequence[str] = (),
) -> FeatureTable:
    """Read features and labels from files: all columns but the label, `drop` and `others`, or those named.

    A column is one of numbers when each of its values is a number or missing (empty, NA, nan, null, none).

    Raises:
        InputError: a file that cannot be read, a column that is not there or of a type that is no feature, no rows.
    """
    files = find_files(paths)
    with compression_checked(files), session(files) as connection:
        named = [label, *others, *(features or ())]
        table = open_table(connection, files, named).with_texts([label, *others])
        check_names(list(drop), list(table.types), table.where)
        chosen = list(dict.fromkeys(features)) if features else _rest(table, {label, *drop, *others})
        if not chosen:
            raise InputError(f"no column of {table.where} is left to be a feature.")
        table.check(chosen)
        numeric = _numeric(connection, table, chosen)
        for name in numeric & table.commas:
            if (found := pointed(connection, table, name)) is not None:
                raise pointed_error(f"column {name!r}", *found)
        # Features, labels and the others come from one reading: two of them need not keep the same order of the rows.
        asked = list(dict.fromkeys([label, *others]))
        columns, rest = _fetched(connection, table, {name: name in numeric for name in chosen}, asked)
    meant = {name: _meant(table, name, column) for name, column in rest.items()}
    if not len(meant[label]):
        raise InputError("there are no rows: the input has column names at most.")
    return FeatureTable(
        columns=columns,
        label=meant[label],
        others={name: meant[name] for name in others},
        where=table.where,
        notes=tuple(table.notes),
        commas=table.written,
    )


def _rest(table: FileTable, taken: set[str]) -> list[str]:
    return [name for name in table.types if name not in taken]


def _numeric(connection: DuckDBPyConnection, table: FileTable, names: list[str]) -> set[str]:
    """Columns in which every value that is not missing is a number."""
    if table.reads == "typed":
        for name in names:
            kind = table.types[name].partition("(")[0]
            if kind not in NUMBERS and not kind.startswith(("VARCHAR", "ENUM", "NULL")):
                raise InputError(
                    f"column {name!r} of {table.where} is a {table.types[name]}: features are numbers or text. Leave "
                    f"it out with drop, or turn it into a number first."
                )
        return {name for name in names if table.types[name].partition("(")[0] in NUMBERS}
    texts = [_text(table, name) for name in names]
    counts = ", ".join(
        f"count(*) FILTER (WHERE {text} IS NOT NULL AND {number_of(text)} IS NULL), count({text}), "
        f"min({text}) FILTER (WHERE {too_large(text)})"
        for text in texts
    )
    (found,) = connection.execute(f"SELECT {counts} FROM ({table.select(names)})").fetchall()
    numeric = set()
    for name, bad, present, large in zip(names, found[::3], found[1::3], found[2::3], strict=True):
        if present and not bad:
            numeric.add(name)
            if large is not None:
                raise InputError(
                    f"column {name!r} of {table.where} holds {quoted(large)}, which is too large for float64: rescale "
                    f"it."
                )
    return numeric


def _text(table: FileTable, name: str) -> str:
    value = alias(name)
    plain = f"json_extract_string({value}, '$')" if table.reads == "json" else f"CAST({value} AS VARCHAR)"
    gone = ", ".join(f"'{word}'" for word in NO_NUMBER)
    return f"CASE WHEN lower(trim({plain})) IN ({gone}) THEN NULL ELSE trim({plain}) END"


def _fetched(
    connection: DuckDBPyConnection, table: FileTable, features: dict[str, bool], others: list[str]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Features (with whether they are numbers) and other columns, all in one reading and in the order of the file."""
    wanted = [*features.items(), *((name, False) for name in others)]
    picked = [
        f"{_as_number(table, name) if is_number else _as_object(table, name)} AS v{i}"
        for i, (name, is_number) in enumerate(wanted)
    ]
    names = list(dict.fromkeys(name for name, _ in wanted))
    query = f"SELECT {', '.join([*picked, ROW])} FROM ({table.numbered(names)})"
    found = connection.execute(query).fetchnumpy()
    rows = in_order(connection, table, names)
    rows.add(len(found["v0"]), found[ROW])
    rows.finish()
    made = [_array(found[f"v{i}"], is_number=is_number) for i, (_, is_number) in enumerate(wanted)]
    return dict(zip(features, made, strict=False)), dict(zip(others, made[len(features) :], strict=True))


def _array(found: Any, *, is_number: bool) -> NDArray[Any]:
    """A column as float64 with NaN, or as objects with None, where a value is missing."""
    if is_number:
        return np.ma.filled(np.ma.asarray(found, dtype=np.float64), np.nan)
    return _objects([None if value is np.ma.masked else value for value in np.ma.asarray(found).tolist()])


def _as_number(table: FileTable, name: str) -> str:
    return f"CAST({alias(name) if table.reads == 'typed' else _text(table, name)} AS DOUBLE)"


def _as_object(table: FileTable, name: str) -> str:
    """Typed values as they are; text as it stands, and JSON's as JSON, whose meaning is read afterwards."""
    if table.reads != "typed":
        return f"CAST({alias(name)} AS VARCHAR)"
    return alias(name) if not table.types[name].startswith("ENUM") else f"CAST({alias(name)} AS VARCHAR)"


def _meant(table: FileTable, name: str, column: NDArray[Any]) -> NDArray[Any]:
    """Values of a column of labels, groups or weights in their meaning; missing is None."""
    if table.reads == "text":
        texts = [str(value) for value in column if value is not None]
        (meaning,) = values_of_columns([texts], [name in table.written])
        return _objects([None if value is None else meaning[value] for value in column])
    if table.reads == "json":
        return _objects([None if value is None else from_json(value, name) for value in column])
    gone = [isinstance(value, float) and np.isnan(value) for value in column]
    return _objects([None if lost else value for value, lost in zip(column, gone, strict=True)])


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
