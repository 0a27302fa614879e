"""Which columns of a table hold the labels, scores and predictions of rows that may have several labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.dataclass import dataclass
from thresher.engines.class_names import MARKS, Named, resolved, wanted_columns
from thresher.engines.frame import Roles, check_names
from thresher.engines.text_values import values_of_texts
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.predictions.posteriors import within_names
from thresher.sentences import keyword


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
    """Values of a column as numbers."""
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
