"""From an `Evaluation` to the `Document` that every view reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import __version__
from thresher.conventions import sentinel
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.decisions.dominance import Dominance
from thresher.design_warnings import DesignWarning, distinct
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.inference.compare import Comparison
from thresher.predictions import Predictions
from thresher.report.calibration_parts import calibration_part
from thresher.report.comparisons import comparisons_of
from thresher.report.costed_parts import costed_part
from thresher.report.decision_parts import Deciding, DecisionsPart, decisions_part
from thresher.report.document import Document, ModelPart, Points, SubsetPart
from thresher.report.dominance import comparable, dominances_of
from thresher.report.further_parts import further_part
from thresher.report.multiclass import classes_part
from thresher.report.part_shown import shown_part
from thresher.report.plain import plain_label, plain_text
from thresher.report.titles import FOLDS, MOST_GROUPS, SUBSETS

_T = TypeVar("_T")

POINTS = 4000
"""Thresholds embedded over all models: a curve is then drawn to within a pixel, and a page stays below 500 kB."""

UNTELLING = ("label", "y_true")
"""Names that the labels have when they came without one."""

FEWEST, MOST = 100, 1000
"""Thresholds of one model, whatever the number of models."""


def build(
    evaluation: Evaluation,
    *,
    title: str | None = None,
    source: str | None = None,
    points: bool = False,
    deciding: Deciding | None = None,
    every: bool = True,
    is_compared: bool = True,
) -> Document:
    """Document of an evaluation; `points` asks for the counts that drawings and sliders need.

    Models that are compared elsewhere, by tests of their splits, are not tested here: `is_compared=False`.

    Of groups and folds it has `every` measure, as the data forms write them, or those that a reader is shown.
    """
    keep = min(MOST, max(FEWEST, POINTS // max(1, len(evaluation)))) if points else None
    deciding = deciding or Deciding()
    deciding.check(evaluation)
    models, (dominances, uncompared) = _models(evaluation, keep, deciding)
    compared, left_out = _letting_go(evaluation, lambda: comparisons_of(evaluation)) if is_compared else ((), None)
    said = (*evaluation.notes, *filter(None, (left_out, uncompared)), *deciding.further.left_out(evaluation))
    warnings = _warnings(evaluation, models, compared)
    said += tuple(warning.text for warning in warnings if warning.text not in said)
    return Document(
        **_facts(evaluation),
        title=_title(evaluation) if title is None else plain_text(title),
        source=None if source is None else plain_text(source),
        notes=tuple(plain_text(note) for note in said),
        models=models,
        groups=_passing(evaluation, "groups", lambda: _groups(evaluation, every)),
        folds=_passing(evaluation, "folds", lambda: _subsets(evaluation.folds, ("fold",), None if every else FOLDS)),
        comparisons=compared,
        dominances=dominances,
        warnings=warnings,
        deciding=deciding,
    )


def _warnings(
    evaluation: Evaluation, models: tuple[ModelPart, ...], compared: tuple[Comparison, ...]
) -> tuple[DesignWarning, ...]:
    """What is known to fall short of the rows, of the measures shown and of the comparisons, each said once."""
    measures = (warning for model in models for estimate in model.measures.values() for warning in estimate.warnings)
    return distinct((*evaluation.warnings, *measures, *(warning for item in compared for warning in item.warnings)))


def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """What the numbers rest on: rows, classes, weights and the options of the evaluation."""
    rows = evaluation.predictions
    return {
        "label": plain_text(rows.label),
        "positive": None if evaluation.positive is None else plain_label(evaluation.positive),
        "n": evaluation.n,
        "dropped": rows.dropped,
        "class_counts": _class_counts(evaluation),
        "class_weights": _class_weights(rows),
        "weight_kind": None if rows.weights is None else rows.weight_kind,
        "direction": rows.direction,
        "level": evaluation.level,
        "rate_interval": evaluation.rate_interval,
        "stand_in": None if isinstance(evaluation.undefined, str) else float(evaluation.undefined),
        "seed": evaluation.rng,
        "version": __version__,
    }


def _passing(owner: Any, cache: str, read: Callable[[], _T]) -> _T:
    """Read through a cached property that is as large as the rows, and let go of it unless it was there before.

    So a report of many models needs the memory of one, and a value that someone already paid for stays.
    """
    kept = cache in vars(owner)
    try:
        return read()
    finally:
        if not kept:
            vars(owner).pop(cache, None)


def _models(
    evaluation: Evaluation, keep: int | None, deciding: Deciding
) -> tuple[tuple[ModelPart, ...], tuple[tuple[Dominance, ...], str | None]]:
    """Everything about every model, and whose ROC lies above whose, while their score tables are at hand."""

    def read(model: ModelEvaluation) -> tuple[ScoreTable | None, ModelPart]:
        return comparable(evaluation, model), model_part(model, keep, deciding=deciding)

    found = {name: _passing(model, "scores", partial(read, model)) for name, model in evaluation.items()}
    tables = {name: table for name, (table, _) in found.items()}
    return tuple(part for _, part in found.values()), dominances_of(evaluation, tables)


def _letting_go(evaluation: Evaluation, read: Callable[[], _T]) -> _T:
    """Read what makes the score tables of all models, and let go of those that were not there before."""
    without = [model for model in evaluation.values() if "scores" not in vars(model)]
    try:
        return read()
    finally:
        for model in without:
            vars(model).pop("scores", None)


def model_part(
    model: ModelEvaluation, keep: int | None, *, whole: bool = True, deciding: Deciding | None = None
) -> ModelPart:
    """Everything about one model, while its score table is at hand; its classes one by one on the `whole` only."""
    asked = deciding or Deciding()

    def read() -> ModelPart:
        decisions = decisions_part(model, asked) if whole else None
        return ModelPart(
            name=plain_text(model.name),
            task=model.task,
            decided=_decided(model),
            measures=dict(model.measures),
            threshold=model.threshold,
            threshold_reason=plain_text(model.threshold_reason),
            matrix=model.confusion_matrix,
            baselines=model.baselines,
            points=None if keep is None or model.task != "binary" else _points(model, keep, decisions),
            notes=tuple(plain_text(note) for note in model.notes),
            classes=classes_part(model, drawn=keep is not None) if whole else None,
            decisions=decisions,
            calibration=calibration_part(model, drawn=keep is not None) if whole else None,
            further=further_part(model, asked.further, asked.prevalence) if whole else None,
            costed=costed_part(model, asked) if whole else None,
        )

    return _passing(model, "scores", read)


def _decided(model: ModelEvaluation) -> Literal["threshold", "labels"] | None:
    if model.name in model.predictions.predicted or model.task == "multiclass":
        return "labels"
    return None if model.threshold is None else "threshold"


def _points(model: ModelEvaluation, keep: int, decisions: DecisionsPart | None) -> Points:
    """Thinned thresholds, with the rows that criteria choose and that of the model's own threshold among them."""
    table, total = model.thin(keep), int(model.scores.scores.size)
    for chosen in () if decisions is None else decisions.chosen.values():
        table = _with_row(table, chosen.threshold, chosen.matrix)[1]
    if model.threshold is None or _decided(model) != "threshold":
        return Points(table=table, chosen=None, total=total)
    row, table = _with_row(table, model.threshold, model.at(model.threshold))
    return Points(table=table, chosen=row, total=total)


def _with_row(table: ThresholdTable, threshold: float, matrix: ConfusionMatrix) -> tuple[int, ThresholdTable]:
    """Table with a row for a threshold of one's own, and its place; the row is there already for a kept score."""
    if threshold == sentinel(table.direction):
        return 0, table
    sign = -1.0 if table.direction == "higher" else 1.0
    place = 1 + int(np.searchsorted(sign * table.thresholds[1:], sign * threshold, side="right"))
    if place > 1 and table.thresholds[place - 1] == threshold:
        return place - 1, table
    new: dict[str, Any] = {"tp": matrix.counts[0, 0], "fp": matrix.counts[1, 0]}
    if matrix.squares is not None:
        new |= {"tp_squares": matrix.squares[0, 0], "fp_squares": matrix.squares[1, 0]}
    columns: dict[str, Any] = {name: _inserted(getattr(table, name), place, new[name]) for name in new}
    columns["thresholds"] = np.insert(table.thresholds, place, threshold)
    return place, replace(table, **columns)


def _inserted(column: NDArray[Any], place: int, value: float) -> NDArray[Any]:
    """Cumulative column with one more value between its neighbors: sums of weights differ in their last digits."""
    return np.insert(column, place, np.clip(value, column[place - 1], column[min(place, column.size - 1)]))


def _groups(evaluation: Evaluation, every: bool) -> tuple[SubsetPart, ...]:
    """All groups; what a reader is not shown is not computed, unless `every` measure is wanted."""
    parts, columns = evaluation.groups, tuple(evaluation.predictions.by)
    if every:
        return _subsets(parts, columns, None)
    largest = set(sorted(parts, key=lambda key: -parts[key].n)[:MOST_GROUPS])
    return _subsets(parts, columns, SUBSETS, largest)


def _subsets(
    parts: Mapping[Any, Evaluation],
    columns: tuple[str, ...],
    names: Sequence[str] | None,
    shown: Collection[Any] | None = None,
) -> tuple[SubsetPart, ...]:
    """Groups or folds in their order, each under a key of its own; `names` are measures of those `shown`, None all."""
    found: dict[str, SubsetPart] = {}
    for values, evaluation in parts.items():
        wanted = shown is None or values in shown
        each = values if len(columns) > 1 else (values,)
        by = {plain_text(column): plain_label(value) for column, value in zip(columns, each, strict=True)}
        key = _unused(", ".join(f"{column}={plain_text(value)}" for column, value in by.items()), found)
        found[key] = SubsetPart(
            key=key,
            by=by,
            n=evaluation.n,
            class_counts=_class_counts(evaluation),
            class_weights=_class_weights(evaluation.predictions),
            models=tuple(
                model_part(model, None, whole=False)
                if names is None
                else _passing(model, "scores", partial(shown_part, model, names if wanted else ()))
                for model in evaluation.values()
            ),
            notes=tuple(plain_text(note) for note in evaluation.notes),
        )
    return tuple(found.values())


def _unused(key: str, taken: Mapping[str, Any]) -> str:
    """Key, numbered when the values 1 and "1" (or a comma in a value) would give the same one twice."""
    number, candidate = 1, key
    while candidate in taken:
        number += 1
        candidate = f"{key} ({number})"
    return candidate


def _class_counts(evaluation: Evaluation) -> dict[str, int]:
    """Rows of each class under its text, the positive class first."""
    found: dict[str, int] = {}
    for label, rows in evaluation.class_counts.items():
        found[_unused(plain_text(label), found)] = int(rows)
    return found


def _class_weights(rows: Predictions) -> dict[str, float] | None:
    if rows.weights is None:
        return None
    if rows.task == "multilabel":
        sums = (rows.weights @ rows.truth).tolist()
    else:
        sums = np.bincount(rows.truth, weights=rows.weights, minlength=len(rows.classes)).tolist()
    pairs = list(zip(map(plain_text, rows.classes), sums, strict=True))
    return dict(pairs[::-1] if rows.positive is not None else pairs)


def _title(evaluation: Evaluation) -> str:
    """Title when none was given: the column that was predicted, unless its name says nothing."""
    label = plain_text(evaluation.predictions.label)
    if label not in UNTELLING:
        return f"Predicting {label}"
    names = list(evaluation)
    return f"Evaluation of {plain_text(names[0]) if len(names) == 1 else f'{len(names)} models'}"
