"""Columns from arrays: lists, NumPy, and the series of any dataframe library through their own buffers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.engines.class_names import by_text
from thresher.engines.matrices import any_matrix, class_columns
from thresher.engines.one_column import encoded, floats
from thresher.errors import InputError
from thresher.predictions.columns import Columns
from thresher.sentences import keyword

Floats = NDArray[np.float64]

SINGLE = "score"
"""Name of a model whose scores come as one array."""


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
    if scores is None and predicted is None and probabilities is None:
        raise InputError(
            "there is nothing to judge: pass scores, or " + keyword("predicted") + " labels, beside the true labels."
        )
    if probabilities is None and any_matrix(scores):
        scores, probabilities = None, scores
    matrix = "model" if probabilities is not None else SINGLE
    judged = probabilities if scores is None else scores
    alone = matrix if predicted is not None and judged is not None and not isinstance(judged, Mapping) else "predicted"
    columns = Columns(truth=encoded(y_true, named(y_true, "y_true"), "label"))
    given = {
        "scores": scores, "probabilities": probabilities, "predicted": predicted, "weights": weights, "by": by,
        "fold": fold, "cluster": cluster,
    }  # fmt: skip
    check_indexes(y_true, given)
    columns.scores = {
        name: floats(values, name, "score", columns.notes) for name, values in by_name(scores, SINGLE, "scores").items()
    }
    columns.posteriors = {
        name: class_columns(values, name) for name, values in by_name(probabilities, matrix, "probabilities").items()
    }
    columns.predicted = {
        name: encoded(values, name, "label") for name, values in by_name(predicted, alone, "predicted").items()
    }
    if weights is not None:
        columns.weights = floats(weights, "weights", "weight", columns.notes)
    groups = by_name(by, named(by, "group"), "by")
    columns.by = {name: encoded(values, name, "group") for name, values in groups.items()}
    columns.fold = None if fold is None else encoded(fold, named(fold, "fold"), "fold")
    columns.cluster = None if cluster is None else encoded(cluster, named(cluster, "cluster"), "cluster")
    return columns


def by_name(values: Any, single: str, option: str) -> dict[str, Any]:
    """Arrays by name: those of a mapping, or a single one under a given name."""
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
    """Check the index of every array that was given, by option."""
    for option, values in given.items():
        for name, array in by_name(values, option, option).items():
            check_index(y_true, array, option, name)


def check_index(y_true: Any, values: Any, option: str, name: str) -> None:
    """Refuse a pandas series whose index tells that its rows are not those of the labels.

    Raises:
        InputError: it holds the index of the labels in another order, or a part of it.
    """
    if not all(hasattr(getattr(series, "index", None), "equals") for series in (y_true, values)):
        return
    if wrong := index_fault(y_true.index, values.index, "the labels", "scores.loc[y_true.index]"):
        raise InputError(f"{option} {name!r} {wrong}.")


def check_order(**given: Any) -> None:
    """Check that no pandas object has the index of another in another order, or a part of it.

    Raises:
        InputError: two of them differ so.
    """
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
    """Whether an index counts the rows from 0, as one does that nobody gave."""
    return np.array_equal(np.asarray(index), np.arange(len(index)))


def named(values: Any, fallback: str) -> str:
    """A series' own name, or another."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else fallback
