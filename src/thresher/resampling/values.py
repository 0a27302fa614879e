"""Values of a measure for each split, for a weighted pool of judged rows, and under independence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, SEED, Floats
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.errors import Note, TaskError
from thresher.evaluation.estimate import measured_value, without_interval
from thresher.evaluation.front import evaluate_predictions
from thresher.evaluation.model import ModelEvaluation
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.averaging import split_average
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.several_classes import of_posteriors
from thresher.predictions import Predictions
from thresher.resampling.method_forms import Method
from thresher.resampling.records import Judged, SplitTable, predictions_of
from thresher.results import ZERO_BY_ZERO, Estimate

Kind = Literal["decisions", "scores", "model"]


def kind_of(spec: MeasureSpec, classes: int) -> Kind:
    """Return the input of a measure's values.

    Confusion matrices of all splits are counted in one pass, and a score table is made for each; anything else (a rate
    at a fixed rate, measures of posteriors) is read from an evaluation of the rows.

    >>> from thresher.measures.measure_text import parse_measure
    >>> [kind_of(parse_measure(name), 2) for name in ("accuracy", "auc", "recall@fpr=0.1")]
    ['decisions', 'scores', 'model']
    """
    entry = spec.entry
    if entry.of_classes and classes == 2 and not entry.how:
        raise TaskError(f"{spec.title} is of three classes or more, and there are two.")
    takes_classes = entry.of_classes or (
        spec.at is None and (entry.needs == "matrix" or of_posteriors(entry.name) is not None)
    )
    if classes > 2 and not takes_classes:
        raise TaskError(
            f"{spec.title} is of two classes, and there are {classes}: ask for an average over the classes, such as "
            f"macro_f1, or for hand_till."
        )
    if spec.at is not None:
        return "model"
    if entry.of_classes:
        return "decisions" if entry.how else "model"
    if entry.needs == "table":
        return "scores" if classes == 2 else "model"
    return "decisions" if classes == 2 or entry.needs == "matrix" else "model"


NO_FIT = Note("failed-fits", "no fit succeeded")


def estimate_rows(rows: Predictions, spec: MeasureSpec, level: float = LEVEL) -> Estimate:
    """Estimate a measure of one model's predictions; a `reason` says why it is undefined."""
    (name,) = rows.predicted
    return estimate_model(evaluate_predictions(rows)[name], spec, level)


def estimate_model(subject: ModelEvaluation, spec: MeasureSpec, level: float | None) -> Estimate:
    """Estimate a measure of a model; without a level, without an interval where the value needs none."""
    is_plain = not (spec.entry.how or spec.parameters) and kind_of(spec, len(subject.predictions.classes)) != "model"
    if level is None and is_plain:
        found = without_interval(subject, spec.entry)
    else:
        found = measured_value(subject, spec, level=LEVEL if level is None else level)
    found = replace(found, name=spec.text)
    return replace(found, reason=ZERO_BY_ZERO) if math.isnan(found.value) and not found.reason else found


def value_of(spec: MeasureSpec, counts: Any) -> Any:
    """Value of a measure of decisions or scores on counts, over their batch axes; NaN where undefined."""
    if not spec.entry.how:
        return spec.entry(counts, **spec.parameters)
    how, rest = split_average(spec.entry.name)
    found = counts.average(rest, how=how)
    return found if counts.counts.ndim > 2 else found.value


def bounds_of(spec: MeasureSpec, classes: int) -> tuple[float, float]:
    """Range of a measure; the Brier score of several classes reaches 2."""
    several = of_posteriors(spec.entry.name) if classes > 2 else None
    return spec.entry.bounds if several is None else several.bounds


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRows:
    """One model's judged rows with their data, the source of every value."""

    rows: Predictions
    splits: SplitTable
    judged: Judged

    @property
    def used(self) -> NDArray[np.int64]:
        """Splits with test rows and a successful fit."""
        return self.splits.sampled[self.judged.done[self.splits.sampled]]

    def kind(self, spec: MeasureSpec) -> Kind:
        """Input of a measure."""
        return kind_of(spec, len(self.rows.classes))

    def bounds(self, spec: MeasureSpec) -> tuple[float, float]:
        """Range of a measure."""
        return bounds_of(spec, len(self.rows.classes))


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessed:
    """Rows without a model, the splits that judged them, and the output of each model: what an assessment saves."""

    rows: Predictions
    splits: SplitTable
    judged: Mapping[str, Judged]
    method: Method
    level: float = LEVEL
    rng: int = SEED
    measures: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    is_interrupted: bool = False

    def source(self, name: str) -> JudgedRows:
        """Judged rows of one model."""
        return JudgedRows(rows=self.rows, splits=self.splits, judged=self.judged[name])


def by_split(source: JudgedRows, spec: MeasureSpec, times: NDArray[Any] | None = None) -> Floats:
    """Value of a measure in each split; NaN where it is undefined, a class to rank lacks rows, or the fit failed.

    `times` multiplies the weight of every judged row (0 leaves it out); by default only rows that the split did not
    learn from count, and in a split that learned from all rows, all of them.
    """
    splits = source.splits
    if times is None and splits.times is not None:
        everywhere = splits.split == (-1 if splits.apparent is None else splits.apparent)
        times = (splits.is_out | everywhere).astype(np.float64)
    if source.kind(spec) == "decisions":
        matrices = _matrices(source, times, together=False)
        values = np.asarray(value_of(spec, matrices), dtype=np.float64)
    else:
        values = np.array([_of_part(source, spec, splits.part(s), times) for s in range(len(splits))])
    return np.where(source.judged.done & can_rank(source, spec, times), values, np.nan)


def can_rank(source: JudgedRows, spec: MeasureSpec, times: NDArray[Any] | None = None) -> NDArray[np.bool_]:
    """Return whether each split holds rows of every class, as ranking measures need; True for other measures."""
    splits, k = source.splits, len(source.rows.classes)
    if not ranks_rows(spec):
        return np.ones(len(splits), dtype=bool)
    rows = splits.is_out if times is None else np.asarray(times) > 0
    place = (splits.split.astype(np.int64) * k + source.rows.truth[splits.row])[rows]
    held = np.bincount(place, minlength=len(splits) * k).reshape(len(splits), k) > 0
    return np.asarray(held.sum(axis=1) == np.unique(source.rows.truth).size)


def pooled_value(source: JudgedRows, spec: MeasureSpec, times: NDArray[Any]) -> float:
    """Value of a measure on all judged rows together, each counted `times`."""
    if source.kind(spec) == "decisions":
        matrix = _matrices(source, times, together=True)
        return float(value_of(spec, matrix))
    return _of_part(source, spec, slice(None), times)


def independent_value(source: JudgedRows, spec: MeasureSpec, times: NDArray[Any]) -> float:
    """Value that a measure would have if truth and prediction were independent, with the same marginals.

    Each row counts as one of every class, with the share of that class as weight: for the accuracy that is Σ p_k·q_k,
    of the shares of class k in the truth and in the predictions.
    """
    rows = _weighted_rows(source, np.arange(len(source.splits.row)), times)
    if not len(rows):
        return math.nan
    k = len(rows.classes)
    weights = rows.row_weights
    share = np.bincount(rows.truth, weights, k) / weights.sum()
    every, truth = np.repeat(np.arange(len(rows)), k), np.tile(np.arange(k, dtype=rows.truth.dtype), len(rows))
    keep = share[truth] > 0
    weights = (weights[every] * share[truth])[keep]
    mixed = replace(
        rows.take(every[keep]), truth=truth[keep], weights=weights, weight_kind="importance", fold=None, cluster=None
    )
    return estimate_model(evaluate_predictions(mixed)[source.judged.name], spec, None).value


def why_undefined(source: JudgedRows, spec: MeasureSpec, split: int) -> Note:
    """Return why a measure is undefined in a split."""
    if not source.judged.done[split]:
        return Note("failed-fits", "the fit failed")
    apparent = split == source.splits.apparent
    where = (source.splits.split == split) & (source.splits.is_out | apparent)
    rows = predictions_of(source.rows, source.splits, source.judged, where)
    found = estimate_rows(rows, spec)
    return found.reason or Note("no-rows", "a class is empty")


def _matrices(source: JudgedRows, times: NDArray[Any] | None, *, together: bool) -> ConfusionMatrix:
    splits, judged, classes = source.splits, source.judged, source.rows.classes
    k = len(classes)
    cell = source.rows.truth[splits.row].astype(np.int64) * k + judged.predicted
    weights = None if source.rows.weights is None else source.rows.weights[splits.row]
    if times is not None:
        weights = times.astype(np.float64) if weights is None else weights * times
    counts: NDArray[Any]
    if together:
        counts = np.bincount(cell, weights, k * k).reshape(k, k)
    else:
        cell += splits.split.astype(np.int64) * (k * k)
        counts = np.bincount(cell, weights, len(splits) * k * k).reshape(len(splits), k, k)
    if k == 2:  # the positive class comes first
        classes, counts = classes[::-1], counts[..., ::-1, ::-1]
    return ConfusionMatrix(counts=counts, labels=classes, ordered=source.rows.ordered)


def _of_part(source: JudgedRows, spec: MeasureSpec, part: Any, times: NDArray[Any] | None) -> float:
    where = np.arange(len(source.splits.row))[part]
    rows = _weighted_rows(source, where, times)
    if not len(rows) or not source.judged.done[source.splits.split[where]].any():
        return math.nan
    if source.kind(spec) != "scores":
        return estimate_rows(rows, spec).value
    scores = next(iter(rows.scores.values()), np.array(np.nan))
    if np.isnan(scores).any():
        return math.nan
    return float(value_of(spec, ScoreTable.from_scores(rows.truth, scores, weights=rows.weights)))


def _weighted_rows(source: JudgedRows, where: NDArray[np.int64], times: NDArray[Any] | None) -> Predictions:
    rows = predictions_of(source.rows, source.splits, source.judged, where)
    if times is None:
        return rows
    weights = times[where] if rows.weights is None else rows.weights * times[where]
    keep = weights > 0
    rows, weights = rows.take(keep), weights[keep].astype(np.float64)
    if bool((weights == 1).all()):
        return rows
    return replace(rows, weights=weights, weight_kind=rows.weight_kind or "importance")
