"""Values of a measure: of each split, of a weighted pool of judged rows, and under independence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.evaluation.front import evaluate_predictions
from thresher.evaluation.value import measured_value
from thresher.inference.compare_measure import Wanted
from thresher.measures.registry import reason_undefined
from thresher.predictions import Predictions
from thresher.resampling.records import Judged, SplitTable, predictions_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """One model's judged rows with the data that they belong to: what every value is computed from."""

    rows: Predictions
    splits: SplitTable
    judged: Judged

    @property
    def used(self) -> NDArray[np.int64]:
        """Splits that held rows out and whose fit succeeded."""
        return self.splits.sampled[self.judged.done[self.splits.sampled]]

    def weights(self, where: Any = slice(None)) -> Floats | None:
        """Weights of judged rows."""
        given = self.rows.weights
        return None if given is None else given[self.splits.row[where]]


def by_split(source: Source, wanted: Wanted, times: NDArray[Any] | None = None) -> Floats:
    """Value of a measure in each split; NaN where it is undefined or the fit failed.

    `times` multiplies the weight of every judged row (0 leaves it out); by default only rows that the split did not
    learn from count, and in a split that learned from all rows, all of them.
    """
    splits = source.splits
    if times is None and splits.times is not None:
        everywhere = splits.split == (-1 if splits.apparent is None else splits.apparent)
        times = (splits.is_out | everywhere).astype(np.float64)
    if not wanted.needs_threshold or wanted.entry.needs == "table":
        values = np.array([_of_part(source, wanted, splits.part(s), times) for s in range(len(splits))])
    else:
        values = _of_decisions(source, wanted, times)
    return np.where(source.judged.done, values, np.nan)


def pooled_value(source: Source, wanted: Wanted, times: NDArray[Any]) -> float:
    """Value of a measure on all judged rows together, each counted `times`."""
    if wanted.needs_threshold and wanted.entry.needs != "table":
        matrix = _matrices(source, times, together=True)
        return float(wanted.entry(matrix, **wanted.parameters))
    return _of_part(source, wanted, slice(None), times)


def independent_value(source: Source, wanted: Wanted, times: NDArray[Any]) -> float:
    """Value that a measure would have if truth and prediction were independent, with the same marginals.

    For the accuracy it is Σ p_k·q_k, of the shares of class k in the truth and in the predictions. The marginals
    suffice, so that time and memory are linear in the rows.
    """
    entry = wanted.entry
    if wanted.at is not None:
        return math.nan
    if entry.needs != "table":
        matrix = _matrices(source, times, together=True)
        counts = matrix.counts.astype(np.float64)
        outer = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1e-300)
        return float(entry(ConfusionMatrix(counts=outer, labels=matrix.labels), **wanted.parameters))
    table = _table(source, slice(None), times)
    if table is None:
        return math.nan
    total = (table.positive + table.negative).astype(np.float64)
    share = float(table.P) / float(table.P + table.N)
    return float(
        entry(
            ScoreTable(scores=table.scores, positive=total * share, negative=total * (1 - share)), **wanted.parameters
        )
    )


def why_undefined(source: Source, wanted: Wanted, split: int) -> str:
    """Reason in words why a measure has no value in a split."""
    if not source.judged.done[split]:
        return "the fit failed"
    if wanted.entry.needs == "table" and source.judged.scores is None:
        return f"{source.judged.name!r} has predicted labels only"
    part = source.splits.part(split)
    try:
        if wanted.entry.needs == "table":
            counts: Any = _table(source, part, None)
        else:
            rows = predictions_of(source.rows, source.splits, source.judged, part)
            counts = ConfusionMatrix.of_rows(rows, source.judged.name)
        return reason_undefined(wanted.entry, counts) or "it is 0/0"
    except (AttributeError, TypeError, ValueError) as error:
        return str(error)


def _of_decisions(source: Source, wanted: Wanted, times: NDArray[Any] | None) -> Floats:
    matrices = _matrices(source, times, together=False)
    return np.asarray(wanted.entry(matrices, **wanted.parameters), dtype=np.float64)


def _matrices(source: Source, times: NDArray[Any] | None, *, together: bool) -> ConfusionMatrix:
    """Confusion matrices of the splits as one batch, or one of all rows together."""
    splits, judged, classes = source.splits, source.judged, source.rows.classes
    k = len(classes)
    cell = source.rows.truth[splits.row].astype(np.int64) * k + judged.predicted
    weights = source.weights()
    if times is not None:
        weights = times.astype(np.float64) if weights is None else weights * times
    counts: NDArray[Any]
    if together:
        counts = np.bincount(cell, weights, k * k).reshape(k, k)
    else:
        cell += splits.split.astype(np.int64) * (k * k)
        counts = np.bincount(cell, weights, len(splits) * k * k).reshape(len(splits), k, k)
    return ConfusionMatrix.from_counts(counts, labels=classes, positive=classes[1] if k == 2 else None)


def _table(source: Source, part: Any, times: NDArray[Any] | None) -> ScoreTable | None:
    """Score table of judged rows; None when the model has no scores or no row counts."""
    if source.judged.scores is None:
        return None
    weights = source.weights(part)
    truth, scores = source.rows.truth[source.splits.row[part]], source.judged.scores[part]
    if times is not None:
        keep = times[part] > 0
        weights = times[part].astype(np.float64) if weights is None else weights * times[part]
        truth, scores, weights = truth[keep], scores[keep], weights[keep]
        weights = None if bool((weights == 1).all()) else weights
    if not len(scores) or np.isnan(scores).any():
        return None
    return ScoreTable.from_scores(truth, scores, weights=weights)


def _of_part(source: Source, wanted: Wanted, part: Any, times: NDArray[Any] | None) -> float:
    """Value of a measure of scores (or of a rate at a fixed rate) on some of the judged rows."""
    if wanted.entry.needs == "table" and len(source.rows.classes) == 2:
        table = _table(source, part, times)
        return math.nan if table is None else float(wanted.entry(table, **wanted.parameters))
    where = np.arange(len(source.splits.row))[part]
    rows = predictions_of(source.rows, source.splits, source.judged, where)
    if times is not None:
        weights = times[part] if rows.weights is None else rows.weights * times[part]
        keep = weights > 0
        rows = _reweighted(rows.take(keep), weights[keep])
    if not len(rows) or any(np.isnan(values).any() for values in rows.scores.values()):
        return math.nan
    return measured_value(evaluate_predictions(rows)[source.judged.name], wanted, level=0.95).value


def _reweighted(rows: Predictions, weights: Floats) -> Predictions:
    from dataclasses import replace

    if bool((weights == 1).all()):
        return rows
    return replace(rows, weights=weights.astype(np.float64), weight_kind=rows.weight_kind or "importance")
