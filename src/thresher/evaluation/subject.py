"""`Subject`: one model as it is measured: its rows or its counts, its threshold, and how its values are estimated."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import cached_property
from thresher.conventions import LEVEL, SEED, Direction, Task, Undefined, is_positive
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.counts.rounding import rounded
from thresher.errors import Note, TaskError, choice, keyword
from thresher.inference.bootstrap.config import Bootstrap
from thresher.measures.registry import Measure
from thresher.predictions import Categories, Predictions

if TYPE_CHECKING:
    from thresher.counts.clusters import ClusterSums
    from thresher.inference.multiclass.auc import AucEstimates
    from thresher.measures.several_classes import LabelSets
    from thresher.multiclass import Posteriors

TASKS = ("multiclass", "multilabel")
"""Tasks without one score of two classes."""

ALONE = {
    "multiclass": "one class is judged against the others with " + keyword("positive", "…") + ", "
    + choice("rest", "negative") + " and the score of that class, or in Python as model.classes[label]",
    "multilabel": "one label is judged with " + keyword("label", "…") + " and " + keyword("scores", "…")
    + " of it alone, or in Python as model.classes[label]",
}  # fmt: skip
"""How one class of several is evaluated alone."""

PREDICTED = Note("predicted-labels", "the labels were predicted, so no threshold applies")
"""Reason why a model without scores lacks a threshold."""

LARGEST = Note(
    "largest-probability",
    "the class with the largest predicted probability is taken (of ties the first), so no threshold applies",
)
"""Reason why a model with posteriors lacks a threshold."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A statistic that there is none of, and the `reason`."""

    reason: Note


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """One model as it is measured: its rows, its threshold, and how values are estimated.

    `threshold` is the cut that the confusion matrix is read at; None when there is none, and `threshold_reason` says
    where it came from or why it is missing. `rate_interval` is the method for proportions and F1, `rng` the seed of
    the draws; with `is_resampled` the bootstrap serves every measure, else only measures without a formula.

    >>> import thresher as th
    >>> subject = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> subject.task, subject.n, subject.statistic("cells").counts.tolist()
    ('binary', 4, [[1, 1], [1, 1]])
    >>> subject.statistic("posteriors")
    Unavailable(reason="posteriors of several classes are needed, and 'score' is binary")
    """

    name: str
    predictions: Predictions
    threshold: float | None
    threshold_reason: Note
    level: float = LEVEL
    undefined: Undefined = "nan"
    bootstrap: Bootstrap | None = None
    rate_interval: str = "wilson"
    rng: int = SEED
    is_resampled: bool = False

    @property
    def rows(self) -> Predictions:
        """Rows that were predicted."""
        return self.predictions

    @cached_property
    def task(self) -> Task:
        """`binary` with scores, `multiclass` with posteriors, `labels` with predicted labels, or `multilabel`."""
        rows = self.predictions
        if rows.task == "multilabel":
            return "multilabel"
        return "binary" if self.name in rows.scores else "multiclass" if self.name in rows.posteriors else "labels"

    @property
    def direction(self) -> Direction | None:
        """Which end of its scores is positive; None without one score of two classes."""
        return self.predictions.direction_of(self.name) if self.name in self.predictions.scores else None

    @property
    def n(self) -> int:
        """Rows that count."""
        return round(self.predictions.counted)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Classes, of two the negative one first."""
        return self.predictions.classes

    @property
    def has_several_classes(self) -> bool:
        """Whether each row is of one of three classes or more."""
        return len(self.labels) > 2 and self.task != "multilabel"

    @cached_property
    def scores(self) -> ScoreTable:
        """Weight of each class at every distinct score."""
        rows = self.predictions
        if self.task != "binary":
            need_scores(self, "a score table")
        table: ScoreTable = ScoreTable.of_rows(rows, self.name) if rows.counts is None else rows.counts[self.name]
        return table

    @cached_property
    def table(self) -> ThresholdTable:
        """Confusion matrix at every threshold."""
        return replace(ThresholdTable.from_table(self.scores), backend=self.backend)

    @cached_property
    def confusion_matrix(self) -> ConfusionMatrix | None:
        """Matrix of the predicted labels when they were given, else at `threshold`; None without either."""
        if self.task == "multilabel":
            return None
        if self.task == "multiclass" or self.name in self.predictions.predicted:
            return self.in_clusters(ConfusionMatrix.of_rows(self.predictions, self.name), None)
        return None if self.threshold is None else self.at(self.threshold)

    @property
    def roc_counts(self) -> ScoreTable | ConfusionMatrix | None:
        """Counts behind its ROC: of the scores, or of predicted labels, which are one point."""
        return self.confusion_matrix if self.task == "labels" else self.scores

    @cached_property
    def posteriors(self) -> Posteriors:
        """Checked rows of posteriors, as the functions of `thresher.multiclass` take them."""
        from thresher.multiclass import Posteriors

        need(self, "multiclass", "posteriors")
        # Nothing but the codes is copied.
        return Posteriors(
            codes=self.rows.truth.astype(np.int64),
            matrix=self.rows.posteriors[self.name],
            labels=self.rows.classes,
            weights=self.rows.weights,
            weight_kind=self.rows.weight_kind or "importance",
            ordered=self.rows.ordered,
        )

    @cached_property
    def decided(self) -> Any:
        """Code of the class that each row is decided for: the predicted one, or the first of the largest posterior."""
        need(self, "multiclass", ".decided")
        return self.rows.decided(self.name)

    @cached_property
    def areas_of_rows(self) -> AucEstimates:
        """AUCs of several classes, with intervals that take rows as independent."""
        from thresher.inference.multiclass.auc import multiclass_auc_estimates

        return multiclass_auc_estimates(self.posteriors, level=self.level)

    def at(self, threshold: float) -> ConfusionMatrix:
        """Confusion matrix of the rule "positive iff score >= threshold" (<= when low scores are positive).

        Raises:
            TaskError: there are no scores.
        """
        if self.task != "binary":
            need_scores(self, "a threshold")
        negative, positive = self.predictions.classes
        return self.in_clusters(self.scores.at(self.counted_at(threshold), labels=(positive, negative)), threshold)

    def counted_at(self, threshold: float) -> float:
        """Return a threshold as it parts rounded scores: rounded as they are unless it was named when counting.

        So rows whose scores equal it are positive; those that only round to the same value are, too.
        """
        counts = self.predictions.counts
        bits, is_finite = self.scores.resolution, isinstance(threshold, int | float) and math.isfinite(threshold)
        if counts is None or bits is None or not is_finite or threshold in counts.thresholds.get(self.name, ()):
            return threshold
        if threshold in self.scores.scores:
            return threshold
        return float(rounded(np.array([threshold], dtype=np.float64), bits, self.scores.direction)[0])

    @property
    def decisions(self) -> NDArray[Any]:
        """Code of the class that each row is decided for at the threshold, or as was predicted."""
        decides = self.task == "multiclass" or self.name in self.predictions.predicted
        return self._decisions(None if decides else self.threshold)

    def in_clusters(self, matrix: ConfusionMatrix, threshold: float | None) -> ConfusionMatrix:
        """Matrix of the decisions at a threshold, or of the predicted labels, with the counts of each cluster."""
        return matrix if self.cluster is None else self.with_cells(matrix, self._decisions(threshold))

    def _decisions(self, threshold: float | None) -> NDArray[Any]:
        """Code of the class that each row is decided for: at a threshold, or as was predicted."""
        if threshold is None:
            return self.rows.decided(self.name)
        rows = self.rows
        scores = rows.posteriors if self.task == "multilabel" else rows.scores
        return is_positive(scores[self.name], threshold, rows.direction_of(self.name)).astype(np.uint8)

    def with_cells(self, matrix: ConfusionMatrix, decided: NDArray[Any]) -> ConfusionMatrix:
        """Matrix of some decisions, with the counts of each cluster if the rows have clusters."""
        column, rows = self.cluster, self.predictions
        if column is None:
            return matrix
        from thresher.counts.clusters import cells_of_units

        k = len(rows.classes)
        cells = cells_of_units(column.codes, len(column.values), rows.truth, decided, k, rows.weights)
        cells = cells[cells.any(axis=(1, 2))]
        return replace(matrix, clusters=cells[:, ::-1, ::-1] if k == 2 else cells)

    @cached_property
    def cluster(self) -> Categories | None:
        """Column of clusters that the bootstrap names, or else the evaluation's."""
        named = None if self.bootstrap is None else self.bootstrap.clusters
        rows = self.predictions
        return rows.by[named] if isinstance(named, str) and named in rows.by else rows.cluster

    @cached_property
    def cluster_sums(self) -> ClusterSums | None:
        """Sums of the placements of each cluster's rows; None without clusters."""
        if self.cluster is None:
            return None
        from thresher.counts.clusters import ClusterSums

        return ClusterSums.of_rows(replace(self.rows, cluster=self.cluster), self.name, self.scores)

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """Cache of `once_per_sample`."""
        return {}

    @property
    def backend(self) -> str | None:
        """Dataframe library that the rows came in."""
        return self.predictions.backend

    @property
    def matrix_options(self) -> dict[str, Any]:
        """How measures of a confusion matrix are estimated."""
        return {"level": self.level, "undefined": self.undefined, "interval": self.rate_interval}

    def statistic(self, needs: str) -> Statistic:
        """The counts or rows that a measure `needs`, or `Unavailable` with the reason.

        `needs`: "cells" or "matrix" for a `ConfusionMatrix`, "table" for a `ScoreTable`, "posteriors", "label sets", or
        "ranked lists", which one subject never has.
        """
        return STATISTICS[needs](self)


def unfit(text: str) -> Unavailable:
    """Return the refusal of a statistic of another task."""
    return Unavailable(Note("other-task", text))


Statistic: TypeAlias = "ConfusionMatrix | ScoreTable | Posteriors | LabelSets | Unavailable"


def _matrix(subject: Subject) -> Statistic:
    if subject.task == "multilabel":
        return unfit(f"a confusion matrix is of one label a row, and {subject.name!r} is multilabel")
    matrix = subject.confusion_matrix
    return Unavailable(subject.threshold_reason) if matrix is None else matrix


def _cells(subject: Subject) -> Statistic:
    found = _matrix(subject)
    if isinstance(found, ConfusionMatrix) and len(found.labels) > 2:
        return unfit(f"the task of {subject.name!r} has {len(found.labels)} classes")
    return found


def _table(subject: Subject) -> Statistic:
    if subject.task == "binary":
        return subject.scores
    has = "has predicted labels only" if subject.task == "labels" else f"is of the task {subject.task}"
    return unfit(f"one score of two classes is needed, and {subject.name!r} {has}")


def _posteriors(subject: Subject) -> Statistic:
    if subject.task == "multiclass":
        return subject.posteriors
    has = "has predicted labels only" if subject.task == "labels" else f"is {subject.task}"
    return unfit(f"posteriors of several classes are needed, and {subject.name!r} {has}")


def _label_sets(subject: Subject) -> Statistic:
    if subject.task != "multilabel":
        return unfit(f"a set of labels a row is needed, and {subject.name!r} is {subject.task}")
    from thresher.measures.several_classes import LabelSets

    if subject.name not in subject.rows.predicted and subject.threshold is None:
        return Unavailable(subject.threshold_reason)
    return LabelSets(subject.rows.truth, subject.decisions, subject.rows.weights)


STATISTICS: dict[str, Callable[[Subject], Statistic]] = {
    "cells": _cells,
    "matrix": _matrix,
    "table": _table,
    "posteriors": _posteriors,
    "label sets": _label_sets,
    "ranked lists": lambda s: unfit(f"ranked lists are evaluated by thresher.rank, and {s.name!r} is not a run"),
}
"""How the statistic that a measure needs is read from a subject."""


def need(subject: Subject, task: Task, what: str) -> None:
    """Refuse a call that belongs to another task."""
    if subject.task != task:
        raise TaskError(f"{what} belongs to a {task} task; {subject.name!r} is {subject.task}.")


def need_scores(subject: Subject, what: str) -> None:
    """Refuse a call that needs one score of two classes if the subject lacks it."""
    if subject.task in TASKS:
        raise TaskError(
            f"{what} needs one score of two classes, and the task of {subject.name!r} is {subject.task}: macro_auc is "
            f"the mean of the areas of all; " + ALONE[subject.task] + "."
        )
    if subject.task == "labels":
        raise TaskError(f"{what} needs scores, and {subject.name!r} has predicted labels only.")


def need_two_classes(subject: Subject, entry: Measure) -> None:
    """Refuse a measure of the decisions between two classes to a subject of several."""
    if entry.needs == "cells" and len(subject.predictions.classes) > 2:
        raise TaskError(
            f"{entry.title} is of two classes, and the task of {subject.name!r} has {len(subject.labels)}: "
            f"an average such as macro_f1 is of all; " + ALONE["multiclass"] + "."
        )
