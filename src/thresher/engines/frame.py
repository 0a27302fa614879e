"""Columns of a dataframe of any eager library, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from thresher.dataclass import dataclass
from thresher.engines import one_column
from thresher.engines.class_names import Named, WantedColumns, by_text, resolved, wanted_columns
from thresher.engines.numbers import Apart
from thresher.errors import InputError, OptionError, quoted
from thresher.nearest import did_you_mean
from thresher.predictions.columns import ClassColumns, Columns
from thresher.sentences import keyword


@dataclass(frozen=True)
class Roles:
    """Which column is what: models by name, the others by role.

    `wanted` are posteriors as they were asked for, `posteriors` their columns once those of the data are known.
    """

    label: str
    scores: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, WantedColumns] = field(default_factory=dict)
    posteriors: Mapping[str, Named] = field(default_factory=dict)
    predicted: Mapping[str, str] = field(default_factory=dict)
    weights: str | None = None
    by: tuple[str, ...] = ()
    fold: str | None = None
    cluster: str | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        single = [name for name in (self.weights, *self.by, self.fold, self.cluster) if name is not None]
        each = [column for named in self.posteriors.values() for column in named.columns]
        return tuple(dict.fromkeys([self.label, *self.scores.values(), *each, *self.predicted.values(), *single]))

    def resolve(self, available: Sequence[str], where: str) -> Roles:
        """Roles with the columns of posteriors found among those that there are.

        Raises:
            InputError: no columns fit what was asked for, or a column stands in two roles.
        """
        if not self.wanted:
            return self
        single = (self.label, self.weights, *self.by, self.fold, self.cluster)
        spoken_for = (*single, *self.scores.values(), *self.predicted.values())
        found = replace(self, posteriors=resolved(self.wanted, available, spoken_for, where))
        _once(found)
        return found


def roles(
    *,
    label: Any,
    scores: Any,
    predicted: Any,
    probabilities: Any,
    weights: Any,
    by: Any,
    fold: Any,
    cluster: Any,
) -> Roles:
    """Check the column names given for each role.

    Raises:
        OptionError: a role is not given as a name, or nothing is to be judged.
        InputError: a column stands in two roles.
    """
    found = Roles(
        label=_one(label, "label") or "",
        scores=_models(scores, "scores"),
        wanted=wanted_columns(probabilities),
        predicted=_models(predicted, "predicted"),
        weights=_one(weights, "weights"),
        by=tuple(_models(by, "by").values()),
        fold=_one(fold, "fold"),
        cluster=_one(cluster, "cluster"),
    )
    if not found.label:
        raise OptionError(keyword("label", "…") + " must name the column of the true labels.")
    if not found.scores and not found.predicted and not found.wanted:
        raise OptionError(
            "name the columns to judge: "
            + keyword("scores", "…")
            + " for scores, "
            + keyword("predicted", "…")
            + " for predicted labels, "
            + keyword("probabilities", "…")
            + " for one column for every class."
        )
    _once(found)
    return found


def _once(found: Roles) -> None:
    """A column has one role; only groups, folds and clusters may be the same column."""
    judged = [("label", found.label)]
    judged += [("scores", column) for column in found.scores.values()]
    judged += [("predicted", column) for column in found.predicted.values()]
    judged += [("probabilities", column) for named in found.posteriors.values() for column in named.columns]
    judged += [("weights", found.weights)] if found.weights else []
    groups = [("by", column) for column in found.by]
    groups += [(role, column) for role, column in (("fold", found.fold), ("cluster", found.cluster)) if column]
    seen: dict[str, str] = {}
    for role, column in judged:
        if column in seen:
            raise InputError(f"column {column!r} is named twice: for {seen[column]} and for {role}.")
        seen[column] = role
    for role, column in groups:
        if column in seen:
            raise InputError(f"column {column!r} is named twice: for {seen[column]} and for {role}.")
    if len(set(found.by)) < len(found.by):
        raise InputError(f"by names a column twice: {', '.join(map(repr, found.by))}.")


def _one(name: Any, option: str) -> str | None:
    if name is None or isinstance(name, str):
        return name
    raise OptionError(keyword(option, quoted(name)) + ": with a dataframe or a file it is the name of a column.")


def _models(names: Any, option: str) -> dict[str, str]:
    """Column of each model: one name, several, or a dictionary of columns by model name."""
    if names is None:
        return {}
    if isinstance(names, str):
        return {names: names}
    if isinstance(names, Mapping):
        pairs = by_text(names, option)
    else:
        listed = list(names) if isinstance(names, Iterable) else [names]
        pairs = {column if isinstance(column, str) else "": column for column in listed}
        if len(pairs) < len(listed) and "" not in pairs:
            twice = next(column for column in pairs if listed.count(column) > 1)
            raise InputError(f"{option} names column {twice!r} twice.")
    if not pairs or not all(isinstance(column, str) for column in pairs.values()):
        raise OptionError(keyword(option, quoted(names)) + ": with a dataframe or a file these are names of columns.")
    return pairs


def check_names(needed: Iterable[str], available: Sequence[str], where: str) -> None:
    """Check that columns exist, once each; the error lists the nearest names and all columns."""
    for name in needed:
        count = list(available).count(name)
        if count > 1:
            raise InputError(f"{where} has {count} columns named {name!r}: rename or drop all but one.")
        if count:
            continue
        texts = [each for each in available if isinstance(each, str)]
        close = _several_in_one(name, texts) or did_you_mean(name, texts)
        columns = ", ".join(map(quoted, available[:40])) + (", …" if len(available) > 40 else "")
        numbered = " Name its columns by text first." if len(texts) < len(available) else ""
        raise InputError(f"{where} has no column {name!r}.{close} Its columns are {columns or 'none'}.{numbered}")


def _several_in_one(name: str, available: Sequence[str]) -> str:
    """What to do about a name that stands for several columns: names with commas, or the beginning of some."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and set(parts) <= set(available):
        listed = " and ".join(map(repr, parts))
        return f" {listed} are named one by one: as a list in Python, by repeating the option in the command."
    begun = [column for column in available if column.startswith(name)]
    if len(begun) > 1 and name.endswith(("_", "-", ".", "(")):
        return f" In a list each name is that of one column; the pattern '{name}*' stands for {begun[0]!r} and others."
    return ""


def read_frame(data: Any, found: Roles, *, lent: bool = False, apart: Mapping[str, Apart] | None = None) -> Columns:
    """Columns of a dataframe (or of a dictionary of arrays) by their roles, copied unless the data are `lent`.

    `apart` knows the scores of other parts of the same columns.
    """
    if isinstance(data, Mapping):
        columns_by_name = by_text(data, "the dictionary of columns")
        available, get, backend = list(columns_by_name), columns_by_name.__getitem__, None
    else:
        available, get, backend = columns_of(data)
    found = found.resolve(available, "the dataframe")
    check_names(found.needed, available, "the dataframe")
    columns = Columns(truth=one_column.encoded(get(found.label), found.label, "label"), backend=backend)
    columns.scores = {
        model: one_column.floats(
            get(column), column, "score", columns.notes, lent=lent, apart=(apart or {}).get(column)
        )
        for model, column in found.scores.items()
    }
    columns.posteriors = {model: _posteriors(get, named, columns.notes) for model, named in found.posteriors.items()}
    columns.predicted = {
        model: one_column.encoded(get(column), column, "label") for model, column in found.predicted.items()
    }
    if found.weights is not None:
        columns.weights = one_column.floats(get(found.weights), found.weights, "weight", columns.notes)
        columns.weights_name = found.weights
    columns.by = {column: one_column.encoded(get(column), column, "group") for column in found.by}
    columns.fold = None if found.fold is None else one_column.encoded(get(found.fold), found.fold, "fold")
    columns.cluster = (
        None if found.cluster is None else one_column.encoded(get(found.cluster), found.cluster, "cluster")
    )
    return columns


def _posteriors(get: Callable[[str], Any], named: Named, notes: list[str]) -> ClassColumns:
    """Columns of one model side by side."""
    first = one_column.floats(get(named.columns[0]), named.columns[0], "probability", notes)
    values = np.empty((len(first), len(named.columns)), order="F")
    for place, column in enumerate(named.columns):
        each = first if place == 0 else one_column.floats(get(column), column, "probability", notes)
        if len(each) != len(first):
            raise InputError(f"column {column!r} has {len(each):,} rows and {named.columns[0]!r} has {len(first):,}.")
        values[:, place] = each
    return ClassColumns(values, named.columns, named.classes, named=True)


def columns_of(data: Any) -> tuple[list[str], Any, str]:
    """Column names of a narwhals dataframe, how to get one column, and the library's name."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(data, eager_only=True) if not isinstance(data, nw.DataFrame) else data
    native = frame.to_native()
    backend = frame.implementation.name.lower()
    names = list(getattr(native, "column_names", None) or native.columns)

    def get(name: str) -> Any:
        if backend in ("pandas", "modin", "cudf", "pyarrow"):
            return native[name]
        return frame.get_column(name).to_native()

    return names, get, backend


def refuse_repeated(data: Any) -> None:
    """Refuse a dataframe with two columns of one name, which libraries treat in different ways."""
    seen: set[Any] = set()
    names = data.columns if hasattr(data, "iloc") and hasattr(data, "columns") else getattr(data, "column_names", ())
    for name in names:
        if isinstance(name, str) and name in seen:
            raise InputError(f"the dataframe has several columns named {name!r}: rename or drop all but one.")
        if isinstance(name, str):
            seen.add(name)
