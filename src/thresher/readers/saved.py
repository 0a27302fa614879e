"""Saved form of `Predictions`: one Parquet file, a row per row, with the other fields in its metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import saved
from thresher.counts import saved_fields as fields
from thresher.errors import InputError, SavedFormError, note_forms
from thresher.predictions import Categories, Predictions
from thresher.predictions.probabilities import TOLERANCE

Take = Callable[[fields.Columns, str], NDArray[Any]]

KIND = "thresher.Predictions"
SCHEMA = 1

_PLAIN = ("task", "weight_kind", "dropped", "label", "ordered", "backend", "cluster_name")


def save_predictions(rows: Predictions, path: str | Path) -> None:
    """Write predictions as Parquet, exact to the last bit.

    Columns are `truth` and `predicted i` (codes into the classes), `score i`, `posterior i k` (of class k), `weight`,
    `by i`, `fold` and `cluster` (codes into their values); in a multilabel task truth and predictions have a column for
    every label too. Names, classes and values are in the metadata under the key `thresher`.
    """
    if rows.partial_labels is not None:
        raise SavedFormError("partly labelled rows cannot be saved: keep the file that they came from.")
    single = {"fold": rows.fold, "cluster": rows.cluster}
    form = {
        **{"kind": KIND, "schema": SCHEMA, "classes": saved.labels_form(rows.classes)},
        **{"scores": list(rows.scores), "posteriors": list(rows.posteriors), "predicted": list(rows.predicted)},
        "by": [{"name": name, **saved.labels_form(column.values)} for name, column in rows.by.items()],
        **{name: None if column is None else saved.labels_form(column.values) for name, column in single.items()},
        **{name: getattr(rows, name) for name in _PLAIN},
        "notes": note_forms(rows.notes),
        "direction": rows.direction if isinstance(rows.direction, str) else dict(rows.direction),
    }
    saved.write_parquet(path, _columns(rows), form)


def _columns(rows: Predictions) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = _apart("truth", rows.truth)
    columns |= {f"score {i}": values for i, values in enumerate(rows.scores.values())}
    for i, values in enumerate(rows.posteriors.values()):
        columns |= _apart(f"posterior {i}", values)
    for i, codes in enumerate(rows.predicted.values()):
        columns |= _apart(f"predicted {i}", codes)
    columns |= {f"by {i}": group.codes for i, group in enumerate(rows.by.values())}
    single = {"fold": rows.fold, "cluster": rows.cluster}
    columns |= {name: group.codes for name, group in single.items() if group is not None}
    return columns if rows.weights is None else columns | {"weight": rows.weights}


def load_predictions(path: str | Path) -> Predictions:
    """Predictions from the file that `save_predictions` wrote.

    Raises:
        SavedFormError: there is no such file, it is damaged, no saved predictions, or of an unknown schema version.
    """
    columns, form = saved.read_parquet(path, KIND, SCHEMA)
    with saved.checked_form(KIND, path):
        rest = _rest(form)
        classes = saved.labels_from(fields.mapping(form, "classes"))
        if rest["task"] == "binary" and len(classes) != 2:
            raise InputError(f"a binary task has 2 classes, and not {len(classes)}")
        width, codes = (len(classes), 2) if rest["task"] == "multilabel" else (None, len(classes))
        groups = [fields.mapping({"by": part}, "by") for part in fields.items(form, "by")]
        fields.check_distinct([fields.text(part, "name") for part in groups], "by")
        given = [name for name in ("fold", "cluster") if form[name] is not None]
        rest |= {name: _categories(columns, name, fields.mapping(form, name)) for name in given}
        rows = Predictions(
            truth=_together(columns, "truth", width, _codes(codes)),
            classes=classes,
            scores={name: _values(columns, f"score {i}") for i, name in enumerate(fields.names(form, "scores"))},
            posteriors={
                name: _together(columns, f"posterior {i}", len(classes), _values)
                for i, name in enumerate(fields.names(form, "posteriors"))
            },
            predicted={
                name: _together(columns, f"predicted {i}", width, _codes(codes))
                for i, name in enumerate(fields.names(form, "predicted"))
            },
            weights=None if rest["weight_kind"] is None else fields.column(columns, "weight", "f", *fields.WEIGHTS),
            by={part["name"]: _categories(columns, f"by {i}", part) for i, part in enumerate(groups)},
            **rest,
        )
        fields.check_columns(columns, [*_columns(rows)])
        each = rows.posteriors.values() if rows.task == "multiclass" else ()
        if not all((p >= 0).all() and (np.abs(p.sum(axis=1) - 1) <= TOLERANCE).all() for p in each):
            raise InputError("the probabilities of a row are out of range, or do not add up to 1")
        return rows


def _apart(name: str, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    if values.ndim == 1:
        return {name: values}
    return {f"{name} {k}": values[:, k] for k in range(values.shape[1])}


def _together(columns: fields.Columns, name: str, width: int | None, taken: Take) -> NDArray[Any]:
    """Invert `_apart`; `width` is None for one column."""
    if width is None:
        return taken(columns, name)
    return np.asfortranarray(np.stack([taken(columns, f"{name} {k}") for k in range(width)], axis=1))


def _values(columns: fields.Columns, name: str) -> NDArray[Any]:
    return fields.column(columns, name, "f")


def _codes(count: int) -> Take:
    return lambda columns, name: fields.column(columns, name, "iu", 0, count - 1)


def _categories(columns: fields.Columns, name: str, form: Mapping[str, Any]) -> Categories:
    values = saved.labels_from(form)
    return Categories(_codes(len(values))(columns, name), values)


def _rest(form: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "task": fields.one_of(form, "task", ("binary", "multiclass", "labels", "multilabel")),
        "weight_kind": fields.one_of(form, "weight_kind", (None, "importance", "frequency")),
        "direction": fields.directions_from(form, fields.names(form, "scores")),
        "notes": fields.notes(form, "notes"),
        "dropped": fields.whole(form, "dropped"),
        "label": fields.text(form, "label"),
        "cluster_name": fields.text_or_none(form, "cluster_name"),
        "ordered": fields.flag(form, "ordered"),
        "backend": fields.text_or_none(form, "backend"),
    }
