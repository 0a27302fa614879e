"""Rows that may have several labels: a matrix of 0 and 1 with a column for every label, and scores or predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.engines import memory, one_column
from thresher.engines.class_names import Named, by_text
from thresher.engines.matrices import class_columns, is_matrix
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.predictions.multilabel import build_multilabel
from thresher.predictions.rows import Predictions
from thresher.sentences import keyword

Matrices = dict[str, ClassColumns]


@dataclass
class _Given:
    """Matrices, and the other columns, wherever they came from."""

    truth: ClassColumns
    scores: Matrices
    predicted: Matrices
    labels: Sequence[Hashable]
    columns: Columns


def is_multilabel(data: Any, named: Mapping[str, Any]) -> bool:
    """Whether the truth is a matrix beside matrices of scores or predictions, or several columns of a dataframe."""
    if named["label"] is not None:
        return isinstance(named["label"], list | tuple)
    if not is_matrix(data, 2):
        return False
    judged = [named[name] for name in ("scores", "probabilities", "predicted") if named[name] is not None]
    each = [value for given in judged for value in (given.values() if isinstance(given, Mapping) else [given])]
    return bool(each) and all(is_matrix(value, 2) for value in each)


def load_multilabel(
    data: Any,
    named: dict[str, Any],
    *,
    labels: Sequence[Hashable] | None = None,
    paths: Sequence[str] | None = None,
    progress: Any = None,
    **options: Any,
) -> Predictions:
    """Check arrays, or columns of a dataframe or of files, and make them predictions of a multilabel task.

    Raises:
        InputError: shapes that differ, a truth that is not 0 or 1, a missing value: names the row.
        OptionError: what was given belongs to another task.
    """
    if named["scores"] is not None and named["probabilities"] is not None:
        raise OptionError(
            keyword("scores")
            + " and "
            + keyword("probabilities")
            + " are both given; in a multilabel task they mean the same."
        )
    named = named | {"scores": named["probabilities"] if named["scores"] is None else named["scores"]}
    if named["label"] is None:
        given = _from_arrays(data, named)
    else:
        given = _from_frame(data, named) if paths is None else _from_files(paths, named, progress)
    names = given.labels if labels is None else labels
    return build_multilabel(given.columns, given.truth, given.scores, given.predicted, labels=names, **options)


def _from_arrays(data: Any, named: Mapping[str, Any]) -> _Given:
    truth, judged = class_columns(data, "truth"), named["scores"]
    memory.check_indexes(
        data, {role: named[role] for role in ("scores", "predicted", "weights", "by", "fold", "cluster")}
    )
    alone = "model" if judged is not None and not isinstance(judged, Mapping) else "predicted"
    by = memory.by_name(named["by"], memory.named(named["by"], "group"), "by")
    return _Given(
        truth=truth,
        scores={m: class_columns(v, m) for m, v in memory.by_name(judged, "model", "scores").items()},
        predicted={m: class_columns(v, m) for m, v in memory.by_name(named["predicted"], alone, "predicted").items()},
        labels=list(truth.columns) if truth.named else list(range(len(truth.columns))),
        columns=_others(truth, {role: named[role] for role in ("weights", "fold", "cluster")}, by),
    )


def _from_frame(data: Any, named: Mapping[str, Any]) -> _Given:
    """Columns of a dataframe, or of a dictionary of arrays, by their names."""
    from thresher.engines.frame import columns_of
    from thresher.engines.multilabel_columns import label_roles

    if isinstance(data, Mapping):
        columns = by_text(data, "the dictionary of columns")
        available, get, backend = list(columns), columns.__getitem__, None
    else:
        available, get, backend = columns_of(data)
    found = label_roles(named, available, "the dataframe")
    notes: list[str] = []
    truth = _matrix(get, found.truth, "label", [])  # labels may be truth values, which is nothing to note
    single = {role: None if name is None else get(name) for role, name in found.single.items()}
    given = _Given(
        truth=truth,
        scores={model: _matrix(get, each, "score", notes) for model, each in found.scores.items()},
        predicted={model: _matrix(get, each, "predicted", []) for model, each in found.predicted.items()},
        labels=found.labels,
        columns=_others(truth, single, {name: get(name) for name in found.by}, backend),
    )
    given.columns.notes += notes
    return given


def _from_files(paths: Sequence[str], named: Mapping[str, Any], progress: Any) -> _Given:
    """Columns of files by their names."""
    from thresher.engines.multilabel_columns import indicators, read_label_files

    columns, found = read_label_files(paths, named, progress)
    return _Given(
        truth=indicators(columns, found.truth),
        scores=dict(columns.posteriors),
        predicted={model: indicators(columns, each) for model, each in found.predicted.items()},
        labels=found.labels,
        columns=replace(columns, truth=_no_class(len(columns.truth.codes)), posteriors={}, predicted={}),
    )


def _others(
    truth: ClassColumns, single: Mapping[str, Any], by: Mapping[str, Any], backend: str | None = None
) -> Columns:
    """Weights, groups, fold and cluster from arrays."""
    columns = Columns(truth=_no_class(len(truth.values)), backend=backend)
    if single["weights"] is not None:
        columns.weights = one_column.floats(single["weights"], "weights", "weight", columns.notes)
    columns.by = {name: one_column.encoded(values, name, "group") for name, values in by.items()}
    for role in ("fold", "cluster"):
        if single[role] is not None:
            setattr(columns, role, one_column.encoded(single[role], role, role))
    return columns


def _no_class(rows: int) -> Encoded:
    """Stand-in for the one column of labels that other tasks have."""
    return Encoded("labels", np.zeros(rows, dtype=np.uint8), (0,))


def _matrix(get: Callable[[str], Any], named: Named, role: str, notes: list[str]) -> ClassColumns:
    """Columns side by side."""
    values = [one_column.floats(get(column), column, role, notes) for column in named.columns]
    first = named.columns[0]
    for column, here in zip(named.columns, values, strict=True):
        if here.shape != values[0].shape:
            raise InputError(
                f"column {column!r} has {len(here):,} rows and {first!r} {len(values[0]):,}: columns of one table are "
                f"equally long."
            )
    return ClassColumns(np.asfortranarray(np.stack(values, axis=1)), named.columns, named.classes, named=True)


def refuse(named: Mapping[str, Any], positive: Any, rest: Any, direction: Any, normalize: bool) -> None:
    """Refuse options of other tasks.

    Raises:
        OptionError: one of them was given.
        InputError: there is nothing to judge.
    """
    for option, value, plain in (("positive", positive, None), ("rest", rest, None), ("direction", direction, "higher"),
                                 ("normalize", normalize, False)):  # fmt: skip
        if value != plain:
            raise OptionError(
                keyword(option, repr(value)) + " is not for a multilabel task, in which a row may have any labels."
            )
    if all(named[name] is None for name in ("scores", "probabilities", "predicted")):
        raise InputError(
            "there is nothing to judge: pass scores, or "
            + keyword("predicted")
            + " labels, beside the matrix of labels."
        )


def refuse_joins(joins: Mapping[str, Any]) -> None:
    """Refuse tables that must be put together first.

    Raises:
        OptionError: one of the options that say so was given.
    """
    for option, value in joins.items():
        if value is not None:
            raise OptionError(
                keyword(option, repr(value))
                + " is not for several label columns: write labels and scores of a row on one line."
            )
