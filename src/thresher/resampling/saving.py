"""Saved form of an assessment: one Parquet file with every prediction, and all else in the metadata."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import check_seed, confidence_level
from thresher.counts import saved
from thresher.counts import saved_fields as fields
from thresher.errors import note_forms
from thresher.predictions import Categories, Predictions
from thresher.predictions.columns import code_type
from thresher.resampling.foreign import Described
from thresher.resampling.method_forms import COMBINED, METHODS
from thresher.resampling.records import APPARENT, Judged, SplitTable

if TYPE_CHECKING:
    from thresher.resampling.values import Assessed

Kind = TypeVar("Kind")

KIND = "thresher.Assessment"
SCHEMA = 1

DATA = -1
"""Model number of the records that hold the data's own rows."""

TEXTS = ("model_name", "true_label", "predicted_label")
"""Columns with the meaning of codes as text, for other programs."""

SECONDS = ("fit_seconds", "predict_seconds", "score_seconds")
OWN = ("model", "split", "row", "times", "truth", "predicted", "score", "weight", "group")
SPLITS = ("repeat", "fold", "train", "distinct")


def save_assessment(assessment: Assessed, path: str | Path) -> None:
    """Write an assessment as Parquet, exact to the last bit.

    The first n records (`model` −1) are the data: `row`, `truth` (a code into the classes), `weight`, `group`. The
    others are predictions: `model`, `split`, `row`, `times` (how often the split learned from the row), `truth`,
    `predicted` (codes), `score` and `posterior i`. Their meaning is beside them, as text: `model_name`,
    `true_label`, `predicted_label`. Classes, splits and method are in the metadata under the key `thresher`. Fitted
    models are not saved.
    """
    splits, models = assessment.splits, list(assessment.judged.values())
    words = list(map(_writable, assessment.rows.classes))
    names = ("model", [_writable(model.name) for model in models]), ("truth", words), ("predicted", words)
    texts = dict(zip(TEXTS, names, strict=True))
    saved.write_parquet(path, _columns(assessment, models), _form(assessment, splits, models), texts=texts)


def load_assessment(path: str | Path, kind: Callable[..., Kind]) -> Kind:
    """Assessment, of the class `kind`, from the file that `save_assessment` wrote.

    Raises:
        SavedFormError: there is no such file, it is damaged, no saved assessment, or of an unknown schema version.
    """
    columns, form = saved.read_parquet(path, KIND, SCHEMA, without=TEXTS)
    with saved.checked_form(KIND, path):
        rows, splits = _rows(columns, form), _splits(columns, form)
        judged = {name: _judged(columns, form, splits, i) for i, name in enumerate(fields.names(form, "models"))}
        _check(columns, rows, splits, judged, len(fields.items(form, "judged")))
        return kind(
            rows=rows,
            splits=splits,
            judged=judged,
            method=method_from(fields.mapping(form, "method")),
            level=confidence_level(form["level"]),
            rng=check_seed(form["rng"]),
            measures=fields.texts(form, "measures"),
            notes=fields.notes(form, "notes"),
            is_interrupted=fields.flag(form, "is_interrupted"),
        )


def method_form(method: Any) -> dict[str, Any]:
    """Method as JSON types; of another library's splitter only the description.

    One that a user registered has its description beside its fields, for those who have not registered it.
    """
    described = {"kind": "Described", "text": method.summary, "combine": method.combine}
    if type(method) not in _kinds().values():
        return described
    given = {f.name: getattr(method, f.name) for f in dataclasses.fields(type(method)) if f.init}
    own = {name: method_form(value) if hasattr(value, "combine") else value for name, value in given.items()}
    form = {"kind": type(method).__name__, "fields": own}
    if type(method).__module__.startswith("thresher."):
        return form
    is_plain = all(isinstance(value, bool | int | float | str | None) for value in own.values())
    return described | form if is_plain else described


def method_from(form: dict[str, Any]) -> Any:
    """Method from its JSON types."""
    kinds = _kinds()
    if form["kind"] == "Described" or ("text" in form and form["kind"] not in kinds):
        return Described(text=fields.text(form, "text"), combine=fields.one_of(form, "combine", COMBINED))
    own = fields.mapping(form, "fields")
    values = {name: method_from(v) if isinstance(v, dict) else v for name, v in own.items()}
    method = kinds[fields.one_of(form, "kind", tuple(kinds))]
    known = [part for part in dataclasses.fields(method) if part.init]
    fields.check_fields(own, [part.name for part in known])
    for part in known:
        if part.type == "bool":
            fields.flag(own, part.name)
    return method(**values)


def _kinds() -> dict[str, Any]:
    kinds = {row.loaded.__name__: row.loaded for row in METHODS.values()}
    return {name: kind for name, kind in kinds.items() if dataclasses.is_dataclass(kind)}


def _columns(assessment: Assessed, models: Sequence[Judged]) -> dict[str, NDArray[Any]]:
    rows, splits, n = assessment.rows, assessment.splits, len(assessment.rows)
    each, count = len(splits.row), len(models)
    group = np.zeros(n, np.int32) if rows.cluster is None else rows.cluster.codes.astype(np.int32)
    weight = rows.row_weights
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


def _form(assessment: Assessed, splits: SplitTable, models: Sequence[Judged]) -> dict[str, Any]:
    rows = assessment.rows
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "classes": saved.labels_form(rows.classes),
        "groups": None if rows.cluster is None else saved.labels_form(rows.cluster.values),
        "weight_kind": rows.weight_kind,
        "notes_of_rows": note_forms(rows.notes),
        "label": rows.label,
        "cluster_name": rows.cluster_name,
        "ordered": rows.ordered,
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
        "notes": note_forms(assessment.notes),
    }


def _judged_form(model: Judged) -> dict[str, Any]:
    return {
        "has_scores": model.scores is not None,
        "has_posteriors": model.posteriors is not None,
        "source": model.source,
        "errors": {str(split): why for split, why in model.errors.items()},
        "chosen": list(model.chosen),
        # JSON lacks NaN; None replaces it.
        **{name: [None if np.isnan(s) else s for s in getattr(model, name).tolist()] for name in SECONDS},
    }


def _rows(columns: dict[str, NDArray[Any]], form: dict[str, Any]) -> Predictions:
    n, classes = fields.whole(form, "n"), saved.labels_from(fields.mapping(form, "classes"))
    own = slice(0, n)
    data = {name: values[own] for name, values in columns.items()}
    if len(data["model"]) < n or (data["model"] != DATA).any():
        raise ValueError("rows of the data are missing")
    groups = None if form["groups"] is None else saved.labels_from(fields.mapping(form, "groups"))
    kind = fields.one_of(form, "weight_kind", (None, "importance", "frequency"))
    return Predictions(
        truth=_codes(data, "truth", classes),
        classes=classes,
        task="labels",
        weights=None if kind is None else fields.column(data, "weight", "f", *fields.WEIGHTS),
        weight_kind=kind,
        cluster=None if groups is None else Categories(_codes(data, "group", groups), groups),
        notes=fields.notes(form, "notes_of_rows"),
        label=fields.text(form, "label"),
        cluster_name=fields.text_or_none(form, "cluster_name"),
        ordered=fields.flag(form, "ordered"),
        backend=fields.text_or_none(form, "backend"),
    )


def _codes(columns: fields.Columns, name: str, values: Sequence[Any]) -> NDArray[Any]:
    return fields.column(columns, name, "iu", 0, len(values) - 1).astype(code_type(len(values)))


def _splits(columns: dict[str, NDArray[Any]], form: dict[str, Any]) -> SplitTable:
    n, sizes = fields.whole(form, "n"), fields.wholes(form, "sizes")
    first = {name: values[n : n + sum(sizes)] for name, values in columns.items()}
    kinds = {"repeat": np.int32, "fold": np.int32, "train": np.int64, "distinct": np.int64}
    has_times = fields.flag(form, "has_times")
    times = fields.column(first, "times", "u", 0, 2**16 - 1).astype(np.uint16) if has_times else None
    splits = SplitTable(
        start=np.cumsum([0, *sizes]),
        row=fields.column(first, "row", "iu", 0, n - 1).astype(np.int32),
        times=times,
        **{
            name: np.array(fields.wholes(form, name, low=APPARENT, high=2**31 - 1), dtype=kind)
            for name, kind in kinds.items()
        },
    )
    if {len(getattr(splits, name)) for name in SPLITS} != {len(sizes)}:
        raise ValueError("the splits are not described alike")
    return splits


def _judged(columns: dict[str, NDArray[Any]], form: dict[str, Any], splits: SplitTable, place: int) -> Judged:
    each, start = int(splits.start[-1]), fields.whole(form, "n") + place * int(splits.start[-1])
    own = {name: values[start : start + each] for name, values in columns.items()}
    if (own["model"] != place).any() or len(own["model"]) != each or (own["row"] != splits.row).any():
        raise ValueError(f"predictions of model {place} are missing")
    known = fields.mapping({"judged": fields.items(form, "judged")[place]}, "judged")
    errors = fields.mapping(known, "errors")
    failed = [fields.whole({"errors": int(split)}, "errors", 0, len(splits) - 1) for split in errors]
    done = {name: values[~np.isin(splits.split, failed)] for name, values in own.items()}
    classes = fields.items(fields.mapping(form, "classes"), "values")
    scores = ["score"] if fields.flag(known, "has_scores") else []
    posteriors = [f"posterior {k}" for k in range(len(classes))] if fields.flag(known, "has_posteriors") else []
    for name in (*scores, *posteriors):
        fields.column(done, name, "f")
    values = [fields.column(own, name, "f", nan=True) for name in posteriors]
    return Judged(
        name=fields.names(form, "models")[place],
        predicted=_codes(own, "predicted", classes),
        scores=fields.column(own, "score", "f", nan=True) if scores else None,
        posteriors=np.column_stack(values) if values else None,
        source=fields.text_or_none(known, "source"),
        errors=dict(zip(failed, fields.texts({"errors": list(errors.values())}, "errors"), strict=True)),
        chosen=tuple(fields.text_or_none({"chosen": chosen}, "chosen") for chosen in fields.items(known, "chosen")),
        **{name: _seconds(known, name, len(splits)) for name in SECONDS},
    )


def _seconds(known: dict[str, Any], name: str, count: int) -> Any:
    """Return seconds of every split; 0 means not done."""
    found = [math.nan if s is None else fields.number({name: s}, name, 0) for s in fields.items(known, name)]
    if len(found) != count:
        raise ValueError(f"{name} are of {len(found)} splits, and there are {count}")
    return np.array(found, dtype=np.float64)


def _check(
    columns: fields.Columns, rows: Predictions, splits: SplitTable, judged: dict[str, Judged], described: int
) -> None:
    posteriors = [f"posterior {k}" for k in range(len(rows.classes))]
    fields.check_columns(columns, [*OWN, *posteriors])
    if not set(OWN) <= set(columns):
        raise ValueError(f"there is no column {min(set(OWN) - set(columns))!r}")
    if len(columns["model"]) != len(rows) + len(judged) * len(splits.row) or described != len(judged):
        raise ValueError("there are rows or descriptions of no model")
    if any(len(model.chosen) not in (0, len(splits)) for model in judged.values()):
        raise ValueError("what was chosen is not of every split")


def _writable(label: Any) -> str:
    return str(label).encode("utf-8", "replace").decode("utf-8")


def _or_nan(values: Any, count: int) -> Any:
    return np.full(count, np.nan) if values is None else values
