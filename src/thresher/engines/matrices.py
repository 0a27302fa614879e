"""Posteriors from memory: a matrix, nested lists, or a dataframe with one column for every class."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.engines.one_column import floats
from thresher.errors import InputError
from thresher.predictions.columns import ClassColumns
from thresher.predictions.posteriors import placed, within_names


def is_matrix(values: Any, least: int = 3) -> bool:
    """Whether values have at least so many columns: an array, nested lists, or a dataframe."""
    columns = frame_columns(values)
    if columns is not None:
        return len(columns) >= least
    if isinstance(values, list | tuple):
        first = values[0] if values else None
        return (
            isinstance(first, list | tuple | np.ndarray) and getattr(first, "shape", True) != () and len(first) >= least
        )
    shape = getattr(values, "shape", ())
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] >= least


def any_matrix(values: Any) -> bool:
    """Whether values, or one of several models' values, are a matrix."""
    return any(map(is_matrix, values.values())) if isinstance(values, Mapping) else is_matrix(values)


def class_columns(values: Any, model: str) -> ClassColumns:
    """Posteriors of one model; columns of a dataframe carry the names of their classes, others none.

    Raises:
        InputError: the values are not a table of numbers.
    """
    names = frame_columns(values)
    matrix = numbers(values, f"the posteriors of model {model!r}", names)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise InputError(
            f"the posteriors of model {model!r} have shape {matrix.shape}: a row for every row of the labels and a "
            f"column for every class are needed."
        )
    if names is None or are_counted(names):
        columns = tuple(f"column {i + 1}" for i in range(matrix.shape[1]))
        return ClassColumns(matrix, columns)
    return ClassColumns(matrix, tuple(map(str, names)), named=True)


def columns_by_class(values: Any, labels: Sequence[Hashable]) -> NDArray[np.float64]:
    """Numbers with the columns of a dataframe in the order of the labels that they name; an array's as they stand."""
    return as_columns(values)[:, class_places(values, labels)]


def class_places(values: Any, labels: Sequence[Hashable], *, stated: bool = True) -> list[int] | slice:
    """Place of the column of each label by its name in a dataframe; all as they stand where columns have no names.

    Columns whose names do not hold the labels stand in their order, if it is `stated`.

    Raises:
        InputError: the names do not say which class a column is for.
    """
    names = frame_columns(values)
    if names is None or are_counted(names):
        return slice(None)
    given = ClassColumns(np.zeros((0, len(names))), tuple(map(str, names)), named=True)
    return placed("posteriors", given, labels, stated=stated)


def labels_of_columns(values: Any, labels: Sequence[Hashable], what: str) -> tuple[Hashable, ...]:
    """Labels in the order of the columns that name them, for `what` goes by name beside these columns.

    Raises:
        InputError: the columns have no names, or do not say which class each is for.
    """
    names = frame_columns(values)
    places = None if names is None else within_names(list(map(str, names)), list(map(str, labels)))
    if places is None:
        raise InputError(
            f"the {what} are named by class, and the columns of the probabilities are not. Name both, or neither: "
            f"an array stands in the order of the columns."
        )
    return tuple(labels[k] for k in np.argsort(places))


def as_columns(values: Any) -> NDArray[np.float64]:
    """Numbers of an array, or of a dataframe of any library."""
    return np.asarray(values, dtype=np.float64) if frame_columns(values) is None else _of_frame(values)


def are_counted(names: list[Any]) -> bool:
    """Return whether names only count the columns, as those of a dataframe that was made without names."""
    return all(isinstance(name, int | np.integer) for name in names) and names == list(range(len(names)))


def frame_columns(values: Any) -> list[Any] | None:
    """Return the column names of a dataframe, None of anything else."""
    if isinstance(values, Mapping) or not hasattr(values, "columns") or isinstance(values, np.ndarray):
        return None
    names = getattr(values, "column_names", None)
    return list(names if names is not None else values.columns)


def numbers(values: Any, what: str, names: list[Any] | None) -> NDArray[np.float64]:
    """Return a float64 copy with contiguous columns, NaN where a value is missing; zeros unless it is a table.

    Raises:
        InputError: `what`, as it begins the sentence, is not numeric.
    """
    if names is not None:
        return _of_frame(values)
    try:
        array = np.ma.asarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(array.dtype)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} are not a table of numbers with one column for every class ({error}).") from None
    if array.ndim != 2:
        return np.zeros(array.shape)  # which is refused for its shape
    return _side_by_side([array[:, place] for place in range(array.shape[1])], array.shape)


def _of_frame(values: Any) -> NDArray[np.float64]:
    """Columns of a dataframe, whatever its library."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(values, eager_only=True)
    columns = [column.to_native() for column in frame.iter_columns()]
    return _side_by_side(columns, frame.shape, [str(name) for name in frame.columns])


def _side_by_side(columns: list[Any], shape: tuple[int, ...], names: list[str] | None = None) -> NDArray[np.float64]:
    matrix = np.empty(shape, order="F")
    for place, column in enumerate(columns):
        name = f"column {place + 1}" if names is None else names[place]
        matrix[:, place] = floats(column, name, "probability", [])
    return matrix
