"""Saved form of `Predictions`: one Parquet file, a row per row, with what else they know in its metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import saved
from thresher.errors import InputError, SavedFormError
from thresher.predictions import Categories, Predictions

KIND = "thresher.Predictions"
SCHEMA = 1

_PLAIN = ("task", "weight_kind", "direction", "notes", "dropped", "label", "backend")


def save_predictions(rows: Predictions, path: str | Path) -> None:
    """Write predictions as Parquet, exact to the last bit.

    Columns are `truth` and `predicted i` (codes into the classes), `score i`, `posterior i k` (of class k), `weight`,
    `by i`, `fold` and `cluster` (codes into their values); in a multilabel task truth and predictions have a column for
    every label too. Names, classes and values stand in the metadata under the key `thresher`.
    """
    columns: dict[str, NDArray[Any]] = _apart("truth", rows.truth)
    columns |= {f"score {i}": values for i, values in enumerate(rows.scores.values())}
    for i, values in enumerate(rows.posteriors.values()):
        columns |= _apart(f"posterior {i}", values)
    for i, codes in enumerate(rows.predicted.values()):
        columns |= _apart(f"predicted {i}", codes)
    columns |= {f"by {i}": column.codes for i, column in enumerate(rows.by.values())}
    single = {"fold": rows.fold, "cluster": rows.cluster}
    columns |= {name: column.codes for name, column in single.items() if column is not None}
    if rows.weights is not None:
        columns["weight"] = rows.weights
    form = {
        **{"kind": KIND, "schema": SCHEMA, "classes": saved.labels_form(rows.classes)},
        **{"scores": list(rows.scores), "posteriors": list(rows.posteriors), "predicted": list(rows.predicted)},
        "by": [{"name": name, **saved.labels_form(column.values)} for name, column in rows.by.items()],
        **{name: None if column is None else saved.labels_form(column.values) for name, column in single.items()},
        **{name: getattr(rows, name) for name in _PLAIN},
    }
    saved.write_parquet(path, columns, form)


def load_predictions(path: str | Path) -> Predictions:
    """Predictions from the file that `save_predictions` wrote.

    Raises:
        SavedFormError: there is no such file, it is damaged, no saved predictions, or of an unknown schema version.
    """
    columns, form = saved.read_parquet(path, KIND, SCHEMA)
    try:
        rest: dict[str, Any] = {name: tuple(form[name]) if name == "notes" else form[name] for name in _PLAIN}
        rest |= {
            name: None if form[name] is None else Categories(columns[name], saved.labels_from(form[name]))
            for name in ("fold", "cluster")
        }
        labels = saved.labels_from(form["classes"])
        width = len(labels) if form["task"] == "multilabel" else None
        posteriors = enumerate(form.get("posteriors", []))
        rows = Predictions(
            truth=_together(columns, "truth", width),
            classes=labels,
            scores={name: columns[f"score {i}"] for i, name in enumerate(form["scores"])},
            posteriors={name: _together(columns, f"posterior {i}", len(labels)) for i, name in posteriors},
            predicted={name: _together(columns, f"predicted {i}", width) for i, name in enumerate(form["predicted"])},
            weights=columns.get("weight"),
            by={by["name"]: Categories(columns[f"by {i}"], saved.labels_from(by)) for i, by in enumerate(form["by"])},
            **rest,
        )
        _check_codes(rows)
    except (KeyError, TypeError, ValueError) as error:
        raise SavedFormError(f"the {KIND} in {str(path)!r} is damaged: {error}.") from error
    return rows


def _apart(name: str, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """A column, or one for each column of a matrix."""
    if values.ndim == 1:
        return {name: values}
    return {f"{name} {k}": values[:, k] for k in range(values.shape[1])}


def _together(columns: Mapping[str, NDArray[Any]], name: str, width: int | None) -> NDArray[Any]:
    """What `_apart` took apart; `width` is None for one column."""
    if width is None:
        return columns[name]
    return np.asfortranarray(np.stack([columns[f"{name} {k}"] for k in range(width)], axis=1))


def _check_codes(rows: Predictions) -> None:
    groups = [column for column in (*rows.by.values(), rows.fold, rows.cluster) if column is not None]
    count = 2 if rows.task == "multilabel" else len(rows.classes)
    pairs = [(codes, count) for codes in (rows.truth, *rows.predicted.values())]
    pairs += [(column.codes, len(column.values)) for column in groups]
    if any(codes.size and (codes.min() < 0 or codes.max() >= count) for codes, count in pairs):
        raise InputError("a code has no label")
    if any(np.isnan(values).any() for values in (*rows.scores.values(), *rows.posteriors.values())):
        raise InputError("a score is missing")
