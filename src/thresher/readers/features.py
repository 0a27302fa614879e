"""Columns of a file as features: numbers where every value is one, else texts; and the column of labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.errors import InputError, Note, quoted
from thresher.predictions.columns import NO_ROWS, Encoded
from thresher.readers.codes import Encoder
from thresher.readers.columns import Numbers, read_as_values
from thresher.readers.duckdb_files import first_decimal_point, table_source
from thresher.readers.files import compression_checked, find_files
from thresher.readers.query import (
    NO_NUMBER,
    Source,
    decimal_point_error,
    number_of,
    read_batches,
    too_large,
)
from thresher.readers.roles import check_names
from thresher.readers.session import session
from thresher.readers.tables import ROW, FileTable, alias, open_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN", "UTINYINT",
           "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")  # fmt: skip
"""Types of a file with types that are read as numbers; false is 0 and true is 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureTable:
    """A file's columns by name: float64 (missing as NaN) or objects of text (missing as None), and its label.

    `others` are columns requested by name that are not features, with values read as labels are; texts in
    the columns `commas` have decimal commas.
    """

    columns: dict[str, NDArray[Any]]
    label: NDArray[Any]
    others: dict[str, NDArray[Any]]
    where: str
    notes: tuple[Note, ...] = ()
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
    """
    files = find_files(paths)
    with compression_checked(files), session(files) as connection:
        named = [label, *others, *(features or ())]
        table = open_table(connection, files, named).with_texts([label, *others])
        check_names(list(drop), list(table.types), table.where)
        rest = (name for name in table.types if name not in {label, *drop, *others})
        chosen = list(dict.fromkeys(features or rest))
        if not chosen:
            raise InputError(f"no column of {table.where} is left to be a feature.")
        table.check(chosen)
        numeric = _numeric(connection, table, chosen)
        for name in numeric & table.commas:
            if (found := first_decimal_point(connection, table, name)) is not None:
                raise decimal_point_error(f"column {name!r}", *found)
        asked = dict.fromkeys([label, *others])
        coded = list(asked | dict.fromkeys(name for name in chosen if name not in numeric))
        numbers, codes, source = _read(connection, table, [name for name in chosen if name in numeric], coded)
    meant = {name: _objects(read_as_values([codes[name]], source.how)[name]) for name in asked}
    if not len(meant[label]):
        raise InputError(NO_ROWS)
    return FeatureTable(
        columns={name: numbers[name] if name in numeric else _objects(codes[name]) for name in chosen},
        label=meant[label],
        others={name: meant[name] for name in others},
        where=table.where,
        notes=tuple(table.notes),
        commas=table.written,
    )


def _numeric(connection: DuckDBPyConnection, table: FileTable, names: list[str]) -> set[str]:
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


def _read(
    connection: DuckDBPyConnection, table: FileTable, numeric: Sequence[str], coded: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], dict[str, Encoded], Source]:
    """Read numbers and codes in one query: two queries need not keep the same row order."""
    names = list(dict.fromkeys([*numeric, *coded]))
    plain = table_source(connection, table, names)
    numbers = {f"number {name}": name for name in numeric}  # for a column of both
    columns = [f"{_as_number(table, name)} AS {alias(key)}" for key, name in numbers.items()]
    source = replace(
        plain,
        query=f"SELECT {', '.join([*columns, *map(alias, coded), ROW])} FROM ({plain.query})",
        reads={**plain.reads, **dict.fromkeys(numbers, "typed")},
        types={**plain.types, **dict.fromkeys(numbers, "DOUBLE")},
    )
    floats = {key: Numbers(source.rows) for key in numbers}
    codes = {name: Encoder(name, "cluster") for name in coded}  # of any number of values
    for _ in read_batches(connection, source, {**floats, **codes}):
        pass
    found = {numbers[key]: reader.finish() for key, reader in floats.items()}
    return found, {name: reader.finish() for name, reader in codes.items()}, source


def _as_number(table: FileTable, name: str) -> str:
    return f"CAST({alias(name) if table.reads == 'typed' else _text(table, name)} AS DOUBLE)"


def _objects(column: Encoded) -> NDArray[Any]:
    values = np.empty(len(column.values) + 1, dtype=object)
    values[:-1] = column.values
    return np.asarray(values[column.codes])
