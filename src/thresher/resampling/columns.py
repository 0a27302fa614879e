"""The columns of a table of features, one by one, and the same table with some of them changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.errors import InputError

Column = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Features:
    """Columns of a table by place: float64 where they are numbers (missing as NaN), else objects (missing as None).

    `names` are those of a dataframe, else "column 1", …; `with_columns` gives the table back, in its own kind, with
    some columns changed.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    with_columns: Callable[[Mapping[int, Column]], Any]

    @property
    def numeric(self) -> list[int]:
        """Places of the columns of numbers (true/false is a category, not a number)."""
        return [i for i, column in enumerate(self.columns) if column.dtype.kind == "f"]


def features(X: Any) -> Features:
    """Columns of an array, a list of rows, or a dataframe.

    Raises:
        InputError: the table is sparse, or not two-dimensional.
    """
    if hasattr(X, "tocsr"):
        raise InputError("X is a sparse matrix, which changed values would fill: pass X.toarray().")
    if hasattr(X, "iloc"):
        return _of_pandas(X)
    if isinstance(X, np.ndarray | list | tuple):
        return _of_array(np.asarray(X))
    return _of_narwhals(X)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Which values of a column are missing."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([_is_nothing(value) for value in column], dtype=bool)


def _is_nothing(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _of_array(X: NDArray[Any]) -> Features:
    if X.ndim != 2:
        raise InputError(f"X has shape {X.shape}: a table of features has rows and columns.")

    def with_columns(changed: Mapping[int, Column]) -> Any:
        if X.dtype.kind in "fiu":
            table = X.astype(np.result_type(X.dtype, np.float64) if X.dtype.kind != "f" else X.dtype)
        else:
            table = X.astype(object)
        for place, column in changed.items():
            table[:, place] = column
        return table

    names = tuple(f"column {i + 1}" for i in range(X.shape[1]))
    return Features(tuple(_plain(X[:, i]) for i in range(X.shape[1])), names, with_columns)


def _of_pandas(X: Any) -> Features:
    def with_columns(changed: Mapping[int, Column]) -> Any:
        table = X.copy()
        for place, column in changed.items():
            dtype = X.dtypes.iloc[place]
            is_category = column.dtype.kind == "O" and str(dtype) not in ("object", "bool")
            table.isetitem(place, type(X.iloc[:, place])(column, index=X.index, dtype=dtype if is_category else None))
        return table

    columns = tuple(_plain(X.iloc[:, i]) for i in range(X.shape[1]))
    return Features(columns, tuple(map(str, X.columns)), with_columns)


def _of_narwhals(X: Any) -> Features:
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True)
    names = list(frame.columns)

    def with_columns(changed: Mapping[int, Column]) -> Any:
        made = []
        for place, column in changed.items():
            dtype = frame.schema[names[place]] if column.dtype.kind == "O" else nw.Float64()
            values = column.tolist()
            made.append(nw.new_series(names[place], values, dtype, backend=frame.implementation))
        return frame.with_columns(*made).to_native()

    columns = []
    for name in names:
        series = frame.get_column(name)
        columns.append(_number(series) if series.dtype.is_numeric() else _object(series.to_list()))
    return Features(tuple(columns), tuple(names), with_columns)


def _number(series: Any) -> Column:
    import narwhals.stable.v2 as nw

    return np.asarray(series.cast(nw.Float64()).to_numpy(), dtype=np.float64)


def _object(values: Any) -> Column:
    """Values as they are, one to a place, also where they are sequences."""
    column = np.empty(len(values), dtype=object)
    column[:] = list(values)
    return column


def _plain(column: Any) -> Column:
    """Column of an array or of pandas as float64 or objects."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "fiu" and str(column.dtype) != "category":
        if hasattr(column, "to_numpy"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column, dtype=np.float64)
    values = column.tolist()
    if kind == "O" and values and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=np.float64)
    return _object(values)
