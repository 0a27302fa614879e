"""Rows that may have several labels: a matrix of 0 and 1 with a column for every label, and scores or predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.engines import memory, one_column
from thresher.engines.class_names import MARKS, Named, by_text, resolved, wanted_columns
from thresher.engines.frame import Roles, check_names
from thresher.engines.matrices import class_columns, is_matrix
from thresher.engines.text_values import values_of_texts
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.predictions.multilabel import build_multilabel
from thresher.predictions.posteriors import within_names
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
    from thresher.engines.multilabel import label_roles

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
    from thresher.engines.multilabel import indicators, read_label_files

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


@dataclass(frozen=True)
class LabelRoles:
    """Columns by role; `labels` are the names of the labels, in the order of the columns of `truth`."""

    truth: Named
    labels: tuple[str, ...]
    scores: Mapping[str, Named]
    predicted: Mapping[str, Named]
    by: tuple[str, ...]
    single: Mapping[str, str | None]

    @property
    def indicators(self) -> dict[str, Named]:
        """Columns of 0 and 1, by what errors call them."""
        return {"the labels": self.truth, **self.predicted}


def label_roles(named: Mapping[str, Any], available: Sequence[str], where: str) -> LabelRoles:
    """Find the columns; in `label` a pattern such as `tag_*` stands for one column for every label.

    Raises:
        InputError: a column is not there, or stands in two roles.
        OptionError: names and patterns of labels are mixed.
    """
    by = [named["by"]] if isinstance(named["by"], str) else list(named["by"] or [])
    single = {role: named[role] for role in ("weights", "fold", "cluster")}
    others = [*by, *(name for name in single.values() if name is not None)]
    truth, labels = _labels(named["label"], available, others, where)
    check_names([*truth.columns, *others], available, where)
    taken = [*others, *truth.columns]
    judged = {
        role: resolved(wanted_columns(named[role], role), available, taken, where, what=what, part="label")
        for role, what in (("scores", "scores"), ("predicted", "predictions"))
    }
    check_names([n for found in judged.values() for each in found.values() for n in each.columns], available, where)
    names = _as_in_patterns(labels, [each for found in judged.values() for each in found.values()])
    found = LabelRoles(truth=truth, labels=names, **judged, by=tuple(by), single=single)
    _once(found)
    return found


def _labels(given: Any, available: Sequence[str], others: Sequence[str], where: str) -> tuple[Named, tuple[str, ...]]:
    names = [str(name) for name in given]
    patterns = [name for name in names if any(mark in name for mark in MARKS) and name not in available]
    if not patterns:
        return Named(tuple(names)), tuple(names)
    if len(names) > 1:
        raise OptionError(
            keyword("label", repr(names)) + ": give one pattern such as 'tag_*', or the names of the columns."
        )
    asked = wanted_columns({"labels": patterns[0]})
    [found] = resolved(asked, available, others, where, what="labels", part="label").values()
    return found, found.classes or found.columns


def _as_in_patterns(labels: tuple[str, ...], judged: Sequence[Named]) -> tuple[str, ...]:
    """Names of the labels as the patterns of the scores have them, where they only add one beginning and end to them.

    >>> _as_in_patterns(("tag_a", "tag_b"), [Named(("net_b", "net_a"), ("b", "a"))])
    ('a', 'b')
    """
    for each in judged:
        places = None if each.classes is None else within_names(labels, each.classes)
        if places is not None and each.classes is not None:
            return tuple(text for _, text in sorted(zip(places, each.classes, strict=True)))
    return labels


def _once(found: LabelRoles) -> None:
    """A column has one role; only groups, folds and clusters may be the same column."""
    weights = found.single["weights"]
    parts = [("the labels", found.truth.columns)]
    parts += [(f"the scores of {model!r}", each.columns) for model, each in found.scores.items()]
    parts += [(f"the predictions of {model!r}", each.columns) for model, each in found.predicted.items()]
    parts += [] if weights is None else [("the weights", (weights,))]
    seen: dict[str, str] = {}
    for role, columns in parts:
        for column in columns:
            _refuse_twice(column, role, seen)
            seen[column] = role
    for role, name in (*(("by", c) for c in found.by), *((r, found.single[r]) for r in ("fold", "cluster"))):
        if name is not None:
            _refuse_twice(name, role, seen)


def _refuse_twice(column: str, role: str, seen: Mapping[str, str]) -> None:
    if column in seen:
        raise InputError(f"column {column!r} is named twice: for {seen[column]} and for {role}.")


def read_label_files(paths: Sequence[str], named: Mapping[str, Any], progress: Any) -> tuple[Columns, LabelRoles]:
    """Columns of files by their roles: scores as posteriors, labels and predictions coded under their column's name."""
    from thresher.engines.stream import column_names, read_files

    by = [named["by"]] if isinstance(named["by"], str) else named["by"] or ()
    available, where = column_names(paths, [*by, named["fold"], named["cluster"], named["weights"]])
    found = label_roles(named, available, where)
    coded = [column for each in found.indicators.values() for column in each.columns]
    roles = Roles(
        label=coded[0],
        predicted={name: name for name in coded[1:]},
        posteriors=found.scores,
        by=found.by,
        weights=found.single["weights"],
        fold=found.single["fold"],
        cluster=found.single["cluster"],
    )
    return read_files(paths, roles, progress=progress), found


def indicators(columns: Columns, named: Named) -> ClassColumns:
    """Coded columns of 0 and 1, or of truth values, as a matrix; NaN where a value is missing."""
    coded = {columns.truth.name: columns.truth, **columns.predicted}
    values = np.empty((len(columns.truth.codes), len(named.columns)), order="F")
    for place, name in enumerate(named.columns):
        values[:, place] = _numbers(coded[name], columns)
    return ClassColumns(values, named.columns, named.classes, named=True)


def _numbers(column: Encoded, columns: Columns) -> Any:
    known = np.full(len(column.values) + 1, np.nan)
    for code, value in enumerate(column.values):
        meant: Any = values_of_texts([value])[value] if isinstance(value, str) else value
        if isinstance(meant, str):
            row = columns.locate(int(np.argmax(column.codes == code)))
            raise InputError(
                f"the label column {column.name!r} holds {meant!r} in {row}: with several label columns each is 1 "
                f"where the row has the label, else 0."
            )
        known[code] = np.nan if meant is None else float(meant)
    return known[column.codes]
