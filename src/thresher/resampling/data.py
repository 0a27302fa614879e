"""The rows and columns of X in any form (NumPy, pandas, Polars, Arrow, sparse, lists), and the checked rows of y."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import WeightKind, positive_label
from thresher.errors import InputError, OptionError, keyword, quoted
from thresher.predictions import Predictions, build
from thresher.predictions.columns import Encoded
from thresher.predictions.labels import sorted_labels
from thresher.readers.arrays import check_order, read_arrays
from thresher.readers.codes import is_missing as is_nothing
from thresher.resampling.method_forms import Method
from thresher.resampling.records import APPARENT
from thresher.resampling.splits import Split, SplitRows
from thresher.results import LIBRARIES


@dataclass(frozen=True, kw_only=True, eq=False)
class Data:
    """Training and test data: features, labels for estimators, and the checked rows without a model.

    `rows.truth` holds codes into `rows.classes`; `rows.cluster` are the groups.
    """

    X: Any
    y: NDArray[Any]
    rows: Predictions

    @property
    def groups(self) -> NDArray[Any] | None:
        """Codes of the groups; None where there are none."""
        return None if self.rows.cluster is None else self.rows.cluster.codes

    @property
    def drawable(self) -> SplitRows:
        """Rows as a method of resampling sees them."""
        classes = self.rows.classes
        truth = self.rows.truth
        if len(classes) == 2 and sorted_labels(classes) != list(classes):  # which label is positive changes no split
            truth = (1 - truth).astype(truth.dtype)
        return SplitRows(truth=truth, groups=self.groups)


def checked_data(
    X: Any, y: Any, *, positive: Hashable | None, groups: Any, weights: Any, weight_kind: WeightKind
) -> Data:
    """Check features, labels, groups and weights against each other."""
    n = row_count(X)
    check_order(X=X, y=y, weights=weights, groups=groups)
    columns = read_arrays(y, None, predicted={"y": y}, weights=weights, cluster=groups)
    if len(columns.truth.codes) != n:
        raise InputError(f"X has {n:,} rows and y has {len(columns.truth.codes):,}: one label a row is needed.")
    _check_labels(columns.truth, positive)
    given = columns.weights
    rows = build(columns, positive=positive, weight_kind=weight_kind)
    features = indexable(X)
    if len(rows) < n and given is not None:  # build has left out the rows of weight 0
        features = take_rows(features, np.flatnonzero(given > 0))
    labels = np.array(rows.classes, dtype=_label_type(rows.classes))[rows.truth]
    backend = rows.backend or _library(y) or _library(X)
    return Data(X=features, y=labels, rows=replace(rows, predicted={}, task="labels", backend=backend))


def _check_labels(truth: Encoded, positive: Hashable | None) -> None:
    if truth.missing.any():
        count, first = int(truth.missing.sum()), int(np.argmax(truth.missing)) + 1
        others = f" ({count:,} rows in all)" if count > 1 else ""
        raise InputError(
            f"y is empty in row {first:,}{others}: fill it in, or leave such rows out of X and y before the call."
        )
    labels = sorted_labels(truth.seen().values)
    if positive is not None and len(labels) > 2:
        positive_label(labels, positive)
        raise OptionError(
            f"there are {len(labels):,} labels, while " + keyword("positive", quoted(positive)) + " names one of two: "
            "leave it out, and all of them are judged as classes."
        )


def row_count(X: Any) -> int:
    """Number of rows of a table of features."""
    shape = getattr(X, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            raise InputError("X is a single number: a table of features has one row for each label.")
        return int(shape[0])
    if hasattr(X, "__len__") and not isinstance(X, str | bytes | dict):
        return len(X)
    raise InputError(
        f"X is a {type(X).__name__}, whose rows cannot be counted: pass an array, a sparse matrix, a dataframe or a "
        f"list. A lazy frame must be collected first."
    )


def indexable(X: Any) -> Any:
    """Return a table with rows by number; sparse matrices by row, lists of rows unchanged."""
    if hasattr(X, "tocsr") and not hasattr(X, "iloc"):
        return X.tocsr()
    return X


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Rows of a table by number, in that order; an index of the table's own plays no part."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "take") and hasattr(X, "schema"):  # an Arrow table
        return X.take(rows)
    return X[rows]


def _library(table: Any) -> str | None:
    name = type(table).__module__.split(".")[0]
    return name if name in LIBRARIES else None


def _label_type(classes: tuple[Hashable, ...]) -> Any:
    """Return NumPy's type if all labels share one, else object."""
    if all(isinstance(label, bool) for label in classes):
        return bool
    if all(isinstance(label, int) and not isinstance(label, bool) for label in classes):
        return np.int64
    if all(isinstance(label, str) for label in classes):
        return None
    return object


def splits_of_seed(method: Method, rows: Predictions, rng: int) -> Iterator[Split]:
    """Splits of the rows of an assessment, from its seed, without a fit on all rows."""
    made = method.splits(Data(X=None, y=np.zeros(0), rows=rows).drawable, rng)
    return (split for split in made if split.repeat != APPARENT)


Column = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Features:
    """Columns of a table by place: float64 where they are numbers (missing as NaN), else objects (missing as None)."""

    columns: tuple[Column, ...]
    with_columns: Callable[[Mapping[int, Column]], Any]

    @property
    def numeric(self) -> list[int]:
        """Places of the columns of numbers (true/false is a category, not a number)."""
        return [i for i, column in enumerate(self.columns) if column.dtype.kind == "f"]


def features(X: Any) -> Features:
    """Columns of an array, a list of rows, or a dataframe."""
    if hasattr(X, "tocsr"):
        raise InputError("X is a sparse matrix, which changed values would fill: pass X.toarray().")
    if hasattr(X, "iloc"):
        return _of_pandas(X)
    if isinstance(X, np.ndarray | list | tuple):
        return _of_array(np.asarray(X))
    return _of_narwhals(X)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Return which values of a column are missing."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([is_nothing(value) for value in column], dtype=bool)


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

    return Features(tuple(_plain(X[:, i]) for i in range(X.shape[1])), with_columns)


def _of_pandas(X: Any) -> Features:
    def with_columns(changed: Mapping[int, Column]) -> Any:
        table = X.copy()
        for place, column in changed.items():
            dtype = X.dtypes.iloc[place]
            is_category = column.dtype.kind == "O" and str(dtype) not in ("object", "bool")
            table.isetitem(place, type(X.iloc[:, place])(column, index=X.index, dtype=dtype if is_category else None))
        return table

    return Features(tuple(_plain(X.iloc[:, i]) for i in range(X.shape[1])), with_columns)


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
    return Features(tuple(columns), with_columns)


def _number(series: Any) -> Column:
    import narwhals.stable.v2 as nw

    return np.asarray(series.cast(nw.Float64()).to_numpy(), dtype=np.float64)


def _object(values: Any) -> Column:
    """Return an object array, one value a place, even if values are sequences."""
    column = np.empty(len(values), dtype=object)
    column[:] = list(values)
    return column


def _plain(column: Any) -> Column:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "fiu" and str(column.dtype) != "category":
        if hasattr(column, "to_numpy"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column, dtype=np.float64)
    values = column.tolist()
    if kind == "O" and values and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=np.float64)
    return _object(values)
