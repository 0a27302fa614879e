"""Saved form of an assessment: one Parquet file with every prediction; what else it knows stands in the metadata."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import saved
from thresher.errors import SavedFormError
from thresher.predictions import Categories, Predictions
from thresher.predictions.columns import code_type
from thresher.resampling import bootstraps, methods, nested
from thresher.resampling.assessment import Assessment
from thresher.resampling.foreign import Described
from thresher.resampling.records import Judged, SplitTable

KIND = "thresher.Assessment"
SCHEMA = 1

DATA = -1
"""Model number of the records that hold the data's own rows."""

TEXTS = ("model_name", "true_label", "predicted_label")
"""Columns that say in text what codes stand for, for other programs."""

SECONDS = ("fit_seconds", "predict_seconds", "score_seconds")
SPLITS = ("repeat", "fold", "train", "distinct")


def save_assessment(assessment: Assessment, path: str | Path) -> None:
    """Write an assessment as Parquet, exact to the last bit.

    The first n records (`model` −1) are the data: `row`, `truth` (a code into the classes), `weight`, `group`. The
    others are predictions: `model`, `split`, `row`, `times` (how often the split learned from the row), `truth`,
    `predicted` (codes), `score` and `posterior i`. What the codes stand for is beside them, as text: `model_name`,
    `true_label`, `predicted_label`. Classes, splits and method stand in the metadata under the key `thresher`. Fitted
    models are not saved.
    """
    splits, models = assessment.splits, list(assessment.judged.values())
    words = list(map(_writable, assessment.classes))
    names = ("model", [_writable(model.name) for model in models]), ("truth", words), ("predicted", words)
    texts = dict(zip(TEXTS, names, strict=True))
    saved.write_parquet(path, _columns(assessment, models), _form(assessment, splits, models), texts=texts)


def load_assessment(path: str | Path) -> Assessment:
    """Assessment from the file that `save_assessment` wrote.

    Raises:
        SavedFormError: there is no such file, it is damaged, no saved assessment, or of an unknown schema version.
    """
    columns, form = saved.read_parquet(path, KIND, SCHEMA, without=TEXTS)
    try:
        rows, splits = _rows(columns, form), _splits(columns, form)
        judged = {name: _judged(columns, form, splits, i) for i, name in enumerate(form["models"])}
        _check(rows, splits, judged)
        return Assessment(
            rows=rows,
            splits=splits,
            judged=judged,
            method=method_from(form["method"]),
            level=form["level"],
            rng=form["rng"],
            measures=tuple(form["measures"]),
            notes=tuple(form["notes"]),
            is_interrupted=form["is_interrupted"],
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SavedFormError(f"the {KIND} in {str(path)!r} is damaged: {error}.") from error


def method_form(method: Any) -> dict[str, Any]:
    """Method as JSON types; of another library's splitter only the description."""
    if not isinstance(method, _known()):
        return {"kind": "Described", "text": method.summary, "combine": method.combine}
    given = {f.name: getattr(method, f.name) for f in dataclasses.fields(type(method)) if f.init}
    fields = {name: method_form(value) if hasattr(value, "combine") else value for name, value in given.items()}
    return {"kind": type(method).__name__, "fields": fields}


def method_from(form: dict[str, Any]) -> Any:
    """Method from its JSON types."""
    if form["kind"] == "Described":
        return Described(text=form["text"], combine=form["combine"])
    kinds = {kind.__name__: kind for kind in _known()}
    values = {name: method_from(v) if isinstance(v, dict) else v for name, v in form["fields"].items()}
    return kinds[form["kind"]](**values)


def _known() -> tuple[Any, ...]:
    return (
        methods.Holdout, methods.RandomSubsampling, methods.KFold, methods.LeaveOneOut, methods.GroupKFold,
        methods.TimeSplits, methods.Resubstitution, bootstraps.BootstrapOOB, bootstraps.Bootstrap632,
        bootstraps.Bootstrap632Plus, bootstraps.OptimismBootstrap, nested.Nested,
    )  # fmt: skip


def _columns(assessment: Assessment, models: Sequence[Judged]) -> dict[str, NDArray[Any]]:
    rows, splits, n = assessment.rows, assessment.splits, len(assessment.rows)
    each, count = len(splits.row), len(models)
    group = np.zeros(n, np.int32) if rows.cluster is None else rows.cluster.codes.astype(np.int32)
    weight = np.ones(n) if rows.weights is None else rows.weights
    times = np.zeros(each, np.uint16) if splits.times is None else splits.times

    def with_data(own: NDArray[Any], parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([own, *parts])

    columns = {
        "model": np.repeat(np.arange(DATA, count, dtype=np.int32), [n] + [each] * count),
        "split": with_data(np.full(n, DATA, np.int32), [splits.split] * count),
        "row": with_data(np.arange(n, dtype=np.int32), [splits.row] * count),
        "times": with_data(np.zeros(n, np.uint16), [times] * count),
        "truth": with_data(rows.truth, [rows.truth[splits.row]] * count).astype(np.int32),
        "predicted": with_data(np.full(n, DATA, np.int32), [m.predicted.astype(np.int32) for m in models]),
        "score": with_data(np.full(n, np.nan), [_or_nan(m.scores, each) for m in models]),
        "weight": with_data(weight, [weight[splits.row]] * count),
        "group": with_data(group, [group[splits.row]] * count),
    }
    if any(m.posteriors is not None for m in models):
        for k in range(len(rows.classes)):
            parts = [_or_nan(None if m.posteriors is None else m.posteriors[:, k], each) for m in models]
            columns[f"posterior {k}"] = with_data(np.full(n, np.nan), parts)
    return columns


def _form(assessment: Assessment, splits: SplitTable, models: Sequence[Judged]) -> dict[str, Any]:
    rows = assessment.rows
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "classes": saved.labels_form(rows.classes),
        "groups": None if rows.cluster is None else saved.labels_form(rows.cluster.values),
        "weight_kind": rows.weight_kind,
        "notes_of_rows": list(rows.notes),
        "label": rows.label,
        "backend": rows.backend,
        "n": len(rows),
        "sizes": splits.test.tolist(),
        "has_times": splits.times is not None,
        **{name: getattr(splits, name).tolist() for name in SPLITS},
        "models": [m.name for m in models],
        "judged": [_judged_form(m) for m in models],
        "method": method_form(assessment.method),
        **{name: getattr(assessment, name) for name in ("level", "rng", "is_interrupted")},
        "measures": list(assessment.measures),
        "notes": list(assessment.notes),
    }


def _judged_form(model: Judged) -> dict[str, Any]:
    return {
        "has_scores": model.scores is not None,
        "has_posteriors": model.posteriors is not None,
        "source": model.source,
        "errors": {str(split): why for split, why in model.errors.items()},
        "chosen": list(model.chosen),
        # JSON has no NaN; None stands for it.
        **{name: [None if np.isnan(s) else s for s in getattr(model, name).tolist()] for name in SECONDS},
    }


def _rows(columns: dict[str, NDArray[Any]], form: dict[str, Any]) -> Predictions:
    n, classes = form["n"], saved.labels_from(form["classes"])
    own = slice(0, n)
    if len(columns["model"]) < n or (columns["model"][own] != DATA).any():
        raise ValueError("rows of the data are missing")
    groups = form["groups"]
    cluster = None if groups is None else Categories(_codes(columns["group"][own], groups), saved.labels_from(groups))
    return Predictions(
        truth=columns["truth"][own].astype(code_type(len(classes))),
        classes=classes,
        task="labels",
        weights=None if form["weight_kind"] is None else columns["weight"][own],
        weight_kind=form["weight_kind"],
        cluster=cluster,
        notes=tuple(form["notes_of_rows"]),
        label=form["label"],
        backend=form["backend"],
    )


def _codes(column: NDArray[Any], groups: dict[str, Any]) -> NDArray[Any]:
    return column.astype(code_type(len(groups["values"])))


def _splits(columns: dict[str, NDArray[Any]], form: dict[str, Any]) -> SplitTable:
    first = slice(form["n"], form["n"] + int(sum(form["sizes"])))
    kinds = {"repeat": np.int32, "fold": np.int32, "train": np.int64, "distinct": np.int64}
    return SplitTable(
        start=np.cumsum([0, *form["sizes"]]),
        row=columns["row"][first].astype(np.int32),
        times=columns["times"][first].astype(np.uint16) if form["has_times"] else None,
        **{name: np.array(form[name], dtype=kind) for name, kind in kinds.items()},
    )


def _judged(columns: dict[str, NDArray[Any]], form: dict[str, Any], splits: SplitTable, place: int) -> Judged:
    each, known = int(splits.start[-1]), form["judged"][place]
    part = slice(form["n"] + place * each, form["n"] + (place + 1) * each)
    if (columns["model"][part] != place).any() or len(columns["model"][part]) != each:
        raise ValueError(f"predictions of model {place} are missing")
    classes = len(form["classes"]["values"])
    seconds: dict[str, Any] = {name: np.array(known[name], dtype=np.float64) for name in SECONDS}
    posteriors = [columns[f"posterior {k}"][part] for k in range(classes)] if known["has_posteriors"] else None
    return Judged(
        name=form["models"][place],
        predicted=columns["predicted"][part].astype(code_type(classes)),
        scores=columns["score"][part] if known["has_scores"] else None,
        posteriors=None if posteriors is None else np.column_stack(posteriors),
        source=known["source"],
        errors={int(split): why for split, why in known["errors"].items()},
        chosen=tuple(known["chosen"]),
        **seconds,
    )


def _check(rows: Predictions, splits: SplitTable, judged: dict[str, Judged]) -> None:
    codes = [rows.truth, *(model.predicted for model in judged.values())]
    if any(c.size and int(c.max()) >= len(rows.classes) for c in codes):
        raise ValueError("a code has no label")
    if len(splits.row) and (int(splits.row.max()) >= len(rows) or int(splits.row.min()) < 0):
        raise ValueError("a prediction is of no row")


def _writable(label: Any) -> str:
    """Text of a label or a name as any file can hold it."""
    return str(label).encode("utf-8", "replace").decode("utf-8")


def _or_nan(values: Any, count: int) -> Any:
    return np.full(count, np.nan) if values is None else values
