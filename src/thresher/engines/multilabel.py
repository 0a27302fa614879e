"""Rows that may have several labels: a matrix of 0 and 1 with a column for every label, and scores or predictions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.engines import memory
from thresher.engines.class_names import resolved, wanted_columns
from thresher.engines.matrices import class_columns, is_matrix
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import Columns, Encoded
from thresher.predictions.multilabel import build_multilabel
from thresher.predictions.posteriors import ClassColumns
from thresher.predictions.rows import Predictions


def is_multilabel(data: Any, named: Mapping[str, Any]) -> bool:
    """Whether the truth is a matrix beside matrices of scores or predictions, or several columns of a dataframe."""
    label = named["label"]
    if label is not None:
        return isinstance(label, list | tuple) and not isinstance(label, str)
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
    if named["label"] is not None:
        return _from_frame(data, named, labels, options)
    truth = _indicator(data, "truth")
    columns = Columns(truth=_unlabelled(len(truth.values)))
    columns.weights = None
    if named["weights"] is not None:
        columns.weights = memory.floats(named["weights"], "weights", "weight", columns.notes)
    by = memory.by_name(named["by"], memory.named(named["by"], "group"), "by")
    columns.by = {name: memory.encoded(values, name, "group") for name, values in by.items()}
    for role in ("fold", "cluster"):
        if named[role] is not None:
            setattr(columns, role, memory.encoded(named[role], role, role))
    judged = named["scores"] if named["scores"] is not None else named["probabilities"]
    scores = {m: class_columns(v, m) for m, v in memory.by_name(judged, "model", "scores").items()}
    single = "model" if scores and not isinstance(judged, Mapping) else "predicted"
    predicted = {m: _indicator(v, m) for m, v in memory.by_name(named["predicted"], single, "predicted").items()}
    return build_multilabel(columns, truth, scores, predicted, labels=_labels(truth, labels), **options)


def _from_frame(
    data: Any, named: dict[str, Any], labels: Sequence[Hashable] | None, options: dict[str, Any]
) -> Predictions:
    """Columns of a dataframe, or of a dictionary of arrays, by their names."""
    from thresher.engines.frame import check_names, columns_of

    if isinstance(data, str | list | tuple) or hasattr(data, "__fspath__"):
        raise OptionError("several label columns are read from a dataframe: read the file with your dataframe library.")
    if isinstance(data, Mapping):
        available, get, backend = [str(name) for name in data], data.__getitem__, None
    else:
        available, get, backend = columns_of(data)
    names = [str(name) for name in named["label"]]
    given = {"scores": wanted_columns(named["probabilities"] if named["scores"] is None else named["scores"]),
             "predicted": wanted_columns(named["predicted"], "predicted")}  # fmt: skip
    found = {role: resolved(wanted, available, names, "the dataframe") for role, wanted in given.items()}
    single = [named[role] for role in ("weights", "fold", "cluster") if named[role] is not None]
    by = [named["by"]] if isinstance(named["by"], str) else list(named["by"] or [])
    every = [c for columns in found.values() for each in columns.values() for c in each.columns]
    check_names([*names, *every, *single, *by], available, "the dataframe")

    def matrix(columns: Sequence[str], classes: tuple[str, ...] | None) -> ClassColumns:
        values = [memory.floats(get(c), c, "score", []) for c in columns]
        return ClassColumns(np.asfortranarray(np.stack(values, axis=1)), tuple(columns), classes, named=True)

    arrays = dict.fromkeys(("label", "probabilities")) | {
        "scores": None, "predicted": None, "by": {name: get(name) for name in by} or None,
        **{role: None if named[role] is None else get(named[role]) for role in ("weights", "fold", "cluster")},
    }  # fmt: skip
    parts = {role: {m: matrix(n.columns, n.classes) for m, n in each.items()} for role, each in found.items()}
    truth = matrix(names, None)
    rows = Columns(truth=_unlabelled(len(truth.values)), backend=backend)
    if arrays["weights"] is not None:
        rows.weights = memory.floats(arrays["weights"], named["weights"], "weight", rows.notes)
    rows.by = {name: memory.encoded(values, name, "group") for name, values in (arrays["by"] or {}).items()}
    for role in ("fold", "cluster"):
        if arrays[role] is not None:
            setattr(rows, role, memory.encoded(arrays[role], role, role))
    return build_multilabel(rows, truth, parts["scores"], parts["predicted"], labels=labels or names, **options)


def _unlabelled(rows: int) -> Encoded:
    """Stand-in for the column of labels, which such a task has not."""
    return Encoded("labels", np.zeros(rows, dtype=np.uint8), (0,))


def _indicator(values: Any, name: str) -> ClassColumns:
    return class_columns(values, name)


def _labels(truth: ClassColumns, labels: Sequence[Hashable] | None) -> Sequence[Hashable]:
    """Names of the labels: those given, those of a dataframe's columns, or their numbers."""
    if labels is not None:
        return labels
    count: NDArray[Any] = np.arange(len(truth.columns))
    return list(truth.columns) if truth.named else count.tolist()


def refuse(named: Mapping[str, Any], positive: Any, rest: Any, direction: str, normalize: bool) -> None:
    """Refuse options of other tasks.

    Raises:
        OptionError: one of them was given.
    """
    for option, value, plain in (("positive", positive, None), ("rest", rest, None), ("direction", direction, "higher"),
                                 ("normalize", normalize, False)):  # fmt: skip
        if value != plain:
            raise OptionError(f"{option}={value!r} is not for a multilabel task, in which a row may have any labels.")
    if all(named[name] is None for name in ("scores", "probabilities", "predicted")):
        raise InputError("there is nothing to judge: pass scores, or predicted= labels, beside the matrix of labels.")


__all__ = ["is_multilabel", "load_multilabel", "refuse"]
