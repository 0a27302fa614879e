"""Columns and posteriors from arrays: lists, NumPy, series and dataframes through their own buffers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, keyword
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.predictions.probabilities import placed, within_names
from thresher.readers.roles import by_text

Floats = NDArray[np.float64]

SINGLE = "score"
"""Name of the model of a single score array."""


def read_arrays(
    y_true: Any,
    scores: Any,
    *,
    predicted: Any = None,
    probabilities: Any = None,
    weights: Any = None,
    by: Any = None,
    fold: Any = None,
    cluster: Any = None,
) -> Columns:
    """Columns from arrays, the truth first; several models or groups come as a dictionary of arrays by name."""
    from thresher.readers.series import encoded, floats

    if scores is None and predicted is None and probabilities is None:
        raise InputError(
            "there is nothing to judge: pass scores, or " + keyword("predicted") + " labels, beside the true labels."
        )
    columns = Columns(truth=encoded(y_true, series_name(y_true, "y_true"), "label"))
    if probabilities is None:
        scores = models_by_column(scores, columns.truth)
        if any(map(is_matrix, scores.values() if isinstance(scores, Mapping) else [scores])):
            scores, probabilities = None, scores
    single = series_name(scores, SINGLE)
    matrix = "model" if probabilities is not None else single
    judged = probabilities if scores is None else scores
    alone = (
        matrix
        if predicted is not None and judged is not None and not isinstance(judged, Mapping)
        else series_name(predicted, "predicted")
    )
    given = {
        "scores": scores, "probabilities": probabilities, "predicted": predicted, "weights": weights, "by": by,
        "fold": fold, "cluster": cluster,
    }  # fmt: skip
    check_indexes(y_true, given)
    columns.scores = {
        name: floats(values, name, "score", columns.notes)
        for name, values in columns_by_name(scores, single, "scores").items()
    }
    columns.posteriors = {
        name: class_columns(values, name)
        for name, values in columns_by_name(probabilities, matrix, "probabilities").items()
    }
    columns.predicted = {
        name: encoded(values, name, "label") for name, values in columns_by_name(predicted, alone, "predicted").items()
    }
    return add_other_columns(columns, weights, by, fold, cluster)


def models_by_column(scores: Any, truth: Encoded) -> Any:
    """Scores of a dataframe's named columns by model; other scores, and posteriors with columns by class, unchanged."""
    n, names = len(truth.codes), frame_columns(scores)
    if isinstance(scores, list | tuple) and 1 < len(scores) < n and all(np.shape(each) == (n,) for each in scores):
        raise InputError(
            f"the scores are a list of {len(scores)} arrays. Name the models in a dictionary: "
            + keyword("scores", "{'a': …, 'b': …}")
            + "."
        )
    of_classes = names is not None and within_names(list(map(str, names)), list(map(str, truth.values))) is not None
    if names is None or are_numbered(names) or of_classes or len(names) > 2 < len(truth.values):
        return scores
    import narwhals.stable.v2 as nw

    frame = nw.from_native(scores, eager_only=True)
    are_floats = all(kind.is_float() for kind in frame.schema.values())
    if len(names) == 2 and are_floats and np.allclose(frame.to_numpy().sum(axis=1), 1):
        return scores  # two posteriors, which the reader of scores refuses
    return {column.name: column.to_native() for column in frame.iter_columns()}


def add_other_columns(columns: Columns, weights: Any, by: Any, fold: Any, cluster: Any) -> Columns:
    """Add weights, groups, folds and clusters."""
    from thresher.readers.series import encoded, floats

    if weights is not None:
        columns.weights = floats(weights, "weights", "weight", columns.notes)
    groups = columns_by_name(by, series_name(by, "group"), "by")
    columns.by = {name: encoded(values, name, "group") for name, values in groups.items()}
    columns.fold = None if fold is None else encoded(fold, series_name(fold, "fold"), "fold")
    columns.cluster = None if cluster is None else encoded(cluster, series_name(cluster, "cluster"), "cluster")
    return columns


def columns_by_name(values: Any, single: str, option: str) -> dict[str, Any]:
    """Return a mapping unchanged, an array under a given name."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        if isinstance(values, str):
            raise InputError(
                keyword(option, repr(values)) + " names a column, but the data are an array, not a dataframe or file."
            )
        return {single: values}
    if not values:
        raise InputError(f"{option} is an empty dictionary: it names no array.")
    return by_text(values, option)


def check_indexes(y_true: Any, given: Mapping[str, Any]) -> None:
    """Refuse pandas series, by option, that hold the index of the labels in another order, or a part of it."""
    for option, values in given.items():
        for name, array in columns_by_name(values, option, option).items():
            mine, theirs = (getattr(series, "index", None) for series in (y_true, array))
            if not (hasattr(mine, "equals") and hasattr(theirs, "equals")):
                continue
            if wrong := index_fault(mine, theirs, "the labels", "scores.loc[y_true.index]"):
                raise InputError(f"{option} {name!r} {wrong}.")


def check_order(**given: Any) -> None:
    """Check that no pandas object has another's index in part or in another order."""
    indexed = [(name, each.index) for name, each in given.items() if hasattr(getattr(each, "index", None), "equals")]
    for (one, first), (two, second) in combinations(indexed, 2):
        if wrong := index_fault(first, second, one, f"{two}.loc[{one}.index]"):
            raise InputError(f"{two} {wrong}.")


def index_fault(mine: Any, theirs: Any, whose: str, example: str) -> str | None:
    """How a pandas index contradicts another one, and an example of aligning them; None where it does not.

    An index that is only different, such as one that was reset, says nothing about the order.
    """
    if mine.equals(theirs) or len(mine) != len(theirs):
        return None
    shared = int(theirs.isin(mine).sum())
    if shared == len(theirs) and mine.is_unique:
        return (
            f"has the index of {whose} in another order. Rows are matched by position: align it first, as in {example}"
        )
    if not 0 < shared < len(theirs) or _is_default(mine) or _is_default(theirs):
        return None
    return (
        f"shares {shared:,} of {len(theirs):,} index labels with {whose}. Rows are matched by position: keep the rows "
        "that both have, in one order"
    )


def _is_default(index: Any) -> bool:
    """Return whether the index is 0, 1, 2, …: pandas' default."""
    return np.array_equal(np.asarray(index), np.arange(len(index)))


def series_name(values: Any, fallback: str) -> str:
    """A series' own name, or another."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else fallback


def is_matrix(values: Any, least: int = 3) -> bool:
    """Return whether values (an array, nested lists, a dataframe) have at least `least` columns."""
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


def is_multilabel(data: Any, named: Mapping[str, Any]) -> bool:
    """Return whether the truth is several columns of a dataframe, or a matrix beside matrices."""
    if named["label"] is not None:
        return isinstance(named["label"], list | tuple)
    if not is_matrix(data, 2):
        return False
    judged = [named[name] for name in ("scores", "probabilities", "predicted") if named[name] is not None]
    each = [value for given in judged for value in (given.values() if isinstance(given, Mapping) else [given])]
    return bool(each) and all(is_matrix(value, 2) for value in each)


def class_columns(values: Any, model: str) -> ClassColumns:
    """Posteriors of one model; columns of a dataframe carry the names of their classes, others none."""
    names = frame_columns(values)
    matrix = numbers(values, f"the posteriors of model {model!r}", names)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise InputError(
            f"the posteriors of model {model!r} have shape {matrix.shape}: a row for every row of the labels and a "
            f"column for every class are needed."
        )
    if names is None or are_numbered(names):
        columns = tuple(f"column {i + 1}" for i in range(matrix.shape[1]))
        return ClassColumns(matrix, columns)
    return ClassColumns(matrix, tuple(map(str, names)), named=True)


def columns_by_class(values: Any, labels: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return an array unchanged, a dataframe's columns in label order."""
    return as_columns(values)[:, class_places(values, labels)]


def class_places(values: Any, labels: Sequence[Hashable], *, stated: bool = True) -> list[int] | slice:
    """Return the place of each label's column in a dataframe; every column, in order, for columns without names.

    Columns not named after the labels are in the order of the labels, if it is `stated`.
    """
    names = frame_columns(values)
    if names is None or are_numbered(names):
        return slice(None)
    given = ClassColumns(np.zeros((0, len(names))), tuple(map(str, names)), named=True)
    return placed("posteriors", given, labels, stated=stated)


def labels_of_columns(values: Any, labels: Sequence[Hashable], what: str) -> tuple[Hashable, ...]:
    """Return the labels in the order of the columns named after them; errors name the `what` that needs it."""
    names = frame_columns(values)
    places = None if names is None else within_names(list(map(str, names)), list(map(str, labels)))
    if places is None:
        raise InputError(
            f"the {what} are named by class, and the columns of the probabilities are not. Name both, or neither: "
            f"an array is in the order of the columns."
        )
    return tuple(labels[k] for k in np.argsort(places))


def as_columns(values: Any) -> NDArray[np.float64]:
    """Numbers of an array, or of a dataframe of any library."""
    return np.asarray(values, dtype=np.float64) if frame_columns(values) is None else _of_frame(values)


def are_numbered(names: list[Any]) -> bool:
    """Return whether names only number the columns, as in a dataframe made without names."""
    return all(isinstance(name, int | np.integer) for name in names) and names == list(range(len(names)))


def frame_columns(values: Any) -> list[Any] | None:
    """Return the column names of a dataframe, else None."""
    if isinstance(values, Mapping) or not hasattr(values, "columns") or isinstance(values, np.ndarray):
        return None
    names = getattr(values, "column_names", None)
    return list(names if names is not None else values.columns)


def numbers(values: Any, what: str, names: list[Any] | None) -> NDArray[np.float64]:
    """Return a float64 copy with contiguous columns, NaN where a value is missing; zeros unless it is a table."""
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
    import narwhals.stable.v2 as nw

    frame = nw.from_native(values, eager_only=True)
    columns = [column.to_native() for column in frame.iter_columns()]
    return _side_by_side(columns, frame.shape, [str(name) for name in frame.columns])


def _side_by_side(columns: list[Any], shape: tuple[int, ...], names: list[str] | None = None) -> NDArray[np.float64]:
    from thresher.readers.series import floats

    matrix = np.empty(shape, order="F")
    for place, column in enumerate(columns):
        name = f"column {place + 1}" if names is None else names[place]
        matrix[:, place] = floats(column, name, "probability", [])
    return matrix
