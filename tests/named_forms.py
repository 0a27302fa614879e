"""Tables whose rows and columns are named by class, numbers by class, and columns by class, in every form."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pytest

duckdb, pd = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")

Table = dict[Hashable, dict[Hashable, float]]


def _columns(table: Table) -> dict[Any, list[Any]]:
    """The names of the rows in a first column, then a column for each class, named by text as most libraries do."""
    first = next(iter(table.values()))
    return {"truth": list(table), **{str(name): [row[name] for row in table.values()] for name in first}}


def indexed(table: Table) -> Any:
    """As `pandas.crosstab` has it."""
    return pd.DataFrame.from_dict(table, orient="index").rename_axis(index="truth", columns="decided")


def listed(table: Table) -> Any:
    """As `pandas.read_csv` has it."""
    return pd.DataFrame(_columns(table))


def _parts(table: Table) -> bool:
    """Whether some number has a part after the point."""
    return any(value != int(value) for row in table.values() for value in row.values())


def in_duckdb(table: Table) -> Any:
    frame = pa.table(_columns(table))
    connection = duckdb.connect()
    return connection.from_arrow(frame)


TABLES: dict[str, Callable[[Table], Any]] = {
    "dictionary": lambda table: table,
    "pandas with an index": indexed,
    "pandas, names in a column": listed,
    "pandas of Arrow": lambda table: indexed(table).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, nullable": lambda table: indexed(table).astype("Float64" if _parts(table) else "Int64").astype(object),
    "polars": lambda table: pl.DataFrame(_columns(table)),
    "polars lazy": lambda table: pl.LazyFrame(_columns(table)),
    "pyarrow": lambda table: pa.table(_columns(table)),
    "duckdb": in_duckdb,
}
"""A table in every form that has names, by the name of the form."""


def shuffled(table: Table, rows: Sequence[Hashable], columns: Sequence[Hashable]) -> Table:
    """The same table with its rows and columns in other orders."""
    return {row: {column: table[row][column] for column in columns} for row in rows}


VALUES: dict[str, Callable[[dict[Hashable, float]], Any]] = {
    "dictionary": lambda values: values,
    "series": pd.Series,
    "series of Arrow": lambda values: pd.Series(values).astype("double[pyarrow]"),
    "one row of pandas": lambda values: pd.DataFrame([values]),
    "one row of polars": lambda values: pl.DataFrame({str(name): [value] for name, value in values.items()}),
    "one row of pyarrow": lambda values: pa.table({str(name): [value] for name, value in values.items()}),
}
"""A number for every class in every form that has names."""

MATRICES: dict[str, Callable[[np.ndarray, Sequence[str]], Any]] = {
    "pandas": lambda values, names: pd.DataFrame(values, columns=list(names)),
    "polars": lambda values, names: pl.DataFrame(values, schema=list(names)),
    "pyarrow": lambda values, names: pa.table(dict(zip(names, values.T, strict=True))),
}
"""Columns that are named by class in every form."""
