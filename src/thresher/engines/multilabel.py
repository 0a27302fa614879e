"""Rows that may have several labels: a matrix of 0 and 1 with a column for every label, and scores or predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thresher.engines import memory
from thresher.engines.class_names import Named, resolved, wanted_columns
from thresher.engines.matrices import class_columns, is_matrix
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import Columns, Encoded
from thresher.predictions.multilabel import build_multilabel
from thresher.predictions.posteriors import ClassColumns
from thresher.predictions.rows import Predictions

Matrices = dict[str, ClassColumns]


@dataclass
class _Given:
    """Matrices and columns as arrays, wherever they came from."""

    truth: ClassColumns
    scores: Matrices
    predicted: Matrices
    labels: Sequence[Hashable]
    single: Mapping[str, Any]
    by: Mapping[str, Any] = field(default_factory=dict)
    backend: str | None = None


def is_multilabel(data: Any, named: Mapping[str, Any]) -> bool:
    """Whether the truth is a matrix beside matrices of scores or predictions, or several columns of a dataframe."""
    if named["label"] is not None:
        return isinstance(named["label"], list | tuple)
    if not is_matrix(data, 2):
        return False
    judged = [named[name] for name in ("scores", "probabilities", "predicted") if named[name] is not None]
    each = [value for given in judged for value in (given.values() if isinstance(given, Mapping) else [given])]
    return bool(each) and all(is_matrix(value, 2) for value in each)


def load_multilabel(data: Any, named: dict[str, Any], labels: Sequence[Hashable] | None, **options: Any) -> Predictions:
    """Check arrays, or columns of a dataframe, and make them predictions of a multilabel task.

    Raises:
        InputError: shapes that differ, a truth that is not 0 or 1, a missing value: names the row.
        OptionError: what was given belongs to another task.
    """
    if named["scores"] is not None and named["probabilities"] is not None:
        raise OptionError("scores= and probabilities= are both given; in a multilabel task they mean the same.")
    named = named | {"scores": named["probabilities"] if named["scores"] is None else named["scores"]}
    given = (_from_arrays if named["label"] is None else _from_frame)(data, named)
    none = np.zeros(len(given.truth.values), dtype=np.uint8)
    columns = Columns(truth=Encoded("labels", none, (0,)), backend=given.backend)
    if given.single["weights"] is not None:
        columns.weights = memory.floats(given.single["weights"], "weights", "weight", columns.notes)
    columns.by = {name: memory.encoded(values, name, "group") for name, values in given.by.items()}
    for role in ("fold", "cluster"):
        if given.single[role] is not None:
            setattr(columns, role, memory.encoded(given.single[role], role, role))
    names = given.labels if labels is None else labels
    return build_multilabel(columns, given.truth, given.scores, given.predicted, labels=names, **options)


def _from_arrays(data: Any, named: Mapping[str, Any]) -> _Given:
    truth, judged = class_columns(data, "truth"), named["scores"]
    alone = "model" if judged is not None and not isinstance(judged, Mapping) else "predicted"
    return _Given(
        truth=truth,
        scores={m: class_columns(v, m) for m, v in memory.by_name(judged, "model", "scores").items()},
        predicted={m: class_columns(v, m) for m, v in memory.by_name(named["predicted"], alone, "predicted").items()},
        labels=list(truth.columns) if truth.named else list(range(len(truth.columns))),
        single={role: named[role] for role in ("weights", "fold", "cluster")},
        by=memory.by_name(named["by"], memory.named(named["by"], "group"), "by"),
    )


def _from_frame(data: Any, named: Mapping[str, Any]) -> _Given:
    """Columns of a dataframe, or of a dictionary of arrays, by their names."""
    from thresher.engines.frame import check_names, columns_of

    if isinstance(data, str | list | tuple) or hasattr(data, "__fspath__"):
        raise OptionError("several label columns are read from a dataframe: read the file with your dataframe library.")
    if isinstance(data, Mapping):
        available, get, backend = [str(name) for name in data], data.__getitem__, None
    else:
        available, get, backend = columns_of(data)
    labels = [str(name) for name in named["label"]]
    by = [named["by"]] if isinstance(named["by"], str) else list(named["by"] or [])
    single = {role: named[role] for role in ("weights", "fold", "cluster")}
    others = [*labels, *by, *(name for name in single.values() if name is not None)]
    check_names(others, available, "the dataframe")
    found = {}
    for role in ("scores", "predicted"):
        columns = resolved(wanted_columns(named[role], role), available, others, "the dataframe")
        check_names([name for each in columns.values() for name in each.columns], available, "the dataframe")
        found[role] = {model: _matrix(get, each) for model, each in columns.items()}
    return _Given(
        truth=_matrix(get, Named(tuple(labels))),
        **found,
        labels=labels,
        single={role: None if name is None else get(name) for role, name in single.items()},
        by={name: get(name) for name in by},
        backend=backend,
    )


def _matrix(get: Callable[[str], Any], named: Named) -> ClassColumns:
    """Columns side by side."""
    values = [memory.floats(get(column), column, "score", []) for column in named.columns]
    return ClassColumns(np.asfortranarray(np.stack(values, axis=1)), named.columns, named.classes, named=True)


def refuse(named: Mapping[str, Any], positive: Any, rest: Any, direction: str, normalize: bool) -> None:
    """Refuse options of other tasks.

    Raises:
        OptionError: one of them was given.
        InputError: there is nothing to judge.
    """
    for option, value, plain in (("positive", positive, None), ("rest", rest, None), ("direction", direction, "higher"),
                                 ("normalize", normalize, False)):  # fmt: skip
        if value != plain:
            raise OptionError(f"{option}={value!r} is not for a multilabel task, in which a row may have any labels.")
    if all(named[name] is None for name in ("scores", "probabilities", "predicted")):
        raise InputError("there is nothing to judge: pass scores, or predicted= labels, beside the matrix of labels.")
