"""Each class of several against the rest, confusions of classes, and the curves of the hardest classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import plain_text
from thresher.analysis.thresholds import SliderPoints, points_of
from thresher.counts import ConfusionMatrix
from thresher.evaluation.class_views import areas_of_classes
from thresher.measures.shown import AREAS, BESIDE_AREA
from thresher.predictions.judged import JudgedLabels
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

CURVES = 10
"""Number of classes with a drawn curve: the smallest areas."""

POINTS = 200
"""Thresholds kept of each class's curve."""

PAIRS = 30
"""Classes up to which the area of every pair is shown."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassRow:
    """One class: rows that have it, rows decided for it, and its measures against the rest."""

    name: str
    rows: float
    predicted: float
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Rows of one class that were decided for another, and their share of the true class."""

    truth: str
    predicted: str
    rows: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCurve:
    """Thinned thresholds of one class against the rest; `place` counts in the order of the classes.

    `matrix` counts the decisions; None when nothing was decided.
    """

    place: int
    name: str
    points: SliderPoints
    matrix: ConfusionMatrix | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassFindings:
    """Everything about the classes of one model.

    `pairs` is AUC(row class given column class), (K, K); None without posteriors or with too many classes. `curves` are
    given for drawings.
    """

    rows: tuple[ClassRow, ...]
    confusions: tuple[Confusion, ...] = ()
    pairs: NDArray[np.float64] | None = None
    curves: tuple[ClassCurve, ...] = ()


def class_findings(model: ModelEvaluation, *, drawn: bool) -> ClassFindings | None:
    """Classes of one model; None for two classes, which the other findings cover."""
    if model.task == "binary" or (model.task == "labels" and len(model.predictions.classes) < 3):
        return None
    if model.task == "multilabel":
        rows = _label_rows(model)
        own = [row.measures["auc"].value for row in rows if "auc" in row.measures]
        return ClassFindings(rows=rows, curves=tuple(_curves(model, own)) if drawn and own else ())
    matrix = model.confusion_matrix
    if matrix is None:
        return None
    areas = list(areas_of_classes(model).values()) if model.task == "multiclass" else []
    is_judged = isinstance(model.predictions.partial_labels, JudgedLabels)
    return ClassFindings(
        rows=_label_rows(model) if is_judged else tuple(_class_rows(matrix, areas, model)),
        confusions=confusions(matrix),
        pairs=model.areas_of_rows.auc.matrix if areas and len(matrix.labels) <= PAIRS else None,
        curves=tuple(_curves(model, model.areas_of_rows.auc.one_vs_rest)) if drawn and areas else (),
    )


def _class_rows(matrix: ConfusionMatrix, areas: list[Estimate], model: ModelEvaluation) -> Iterator[ClassRow]:
    options: dict[str, Any] = {"level": model.level, "interval": model.rate_interval}
    if not isinstance(model.undefined, str):
        options["undefined"] = model.undefined
    found = {name: matrix.average(name, how="none", **options) for name in BESIDE_AREA}
    totals = zip(matrix.labels, matrix.row_totals.tolist(), matrix.column_totals.tolist(), strict=True)
    for place, (label, rows, predicted) in enumerate(totals):
        measures = {name: each[label] for name, each in found.items()}
        if areas:
            measures["auc"] = areas[place]
        yield ClassRow(name=plain_text(label), rows=rows, predicted=predicted, measures=measures)


def _label_rows(model: ModelEvaluation) -> tuple[ClassRow, ...]:
    """Labels of a multi-label task, or classes with a judge's labels."""
    found = []
    for label, view in model.classes.items():
        matrix = view.confusion_matrix
        names = [*([] if matrix is None else BESIDE_AREA), *(AREAS if view.task == "binary" else ())]
        measures: dict[str, Estimate] = {name: getattr(view, name) for name in names}
        rows = float(view.predictions.class_rows[1]) if matrix is None else float(matrix.row_totals[0])
        predicted = float("nan") if matrix is None else float(matrix.column_totals[0])
        found.append(ClassRow(name=plain_text(label), rows=rows, predicted=predicted, measures=measures))
    return tuple(found)


def confusions(matrix: ConfusionMatrix, most: int = 20) -> tuple[Confusion, ...]:
    """Wrong cells of the matrix with the most rows, the largest first; of equal ones the first in the matrix."""
    wrong = matrix.counts.astype(np.float64)
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:most]
    totals = matrix.row_totals
    return tuple(
        Confusion(
            truth=plain_text(matrix.labels[i]),
            predicted=plain_text(matrix.labels[j]),
            rows=float(wrong[i, j]),
            share=float(wrong[i, j] / totals[i]),
        )
        for i, j in (np.unravel_index(place, wrong.shape) for place in order)
        if wrong[i, j] > 0
    )


def _curves(model: ModelEvaluation, values: ArrayLike) -> Iterator[ClassCurve]:
    """Curves of the classes with the smallest areas, in the order of the classes."""
    areas = np.where(np.isnan(values), np.inf, values)
    worst = [int(k) for k in np.argsort(areas, kind="stable")[:CURVES] if np.isfinite(areas[k])]
    for place in sorted(worst):
        label = model.predictions.classes[place]
        view = model.classes[label]
        points = points_of(view, POINTS)
        yield ClassCurve(place=place, name=plain_text(label), points=points, matrix=view.confusion_matrix)
