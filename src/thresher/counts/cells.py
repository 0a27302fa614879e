"""The four cells of a binary decision, the input of every measure of decisions, and `LabelCounts` of each class."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded


@guarded
@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """True positives, false positives, false negatives and true negatives, all of one shape.

    A scalar, a million thresholds, ten folds or 2,000 replicates: formulas are written once.

    >>> cells = Cells.of(tp=90, fp=140, fn=210, tn=9560)
    >>> int(cells.pos), int(cells.pred_pos), int(cells.n)
    (300, 230, 10000)
    """

    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]

    @classmethod
    def of(cls, *, tp: float, fp: float, fn: float, tn: float) -> Cells:
        """Cells of one decision rule from four numbers."""
        return cls(*(np.asarray(cell, dtype=np.float64) for cell in (tp, fp, fn, tn)))

    @property
    def pos(self) -> NDArray[np.float64]:
        """Actual positives, P = TP + FN."""
        return self.tp + self.fn

    @property
    def neg(self) -> NDArray[np.float64]:
        """Actual negatives, N = FP + TN."""
        return self.fp + self.tn

    @property
    def pred_pos(self) -> NDArray[np.float64]:
        """Predicted positives, P' = TP + FP."""
        return self.tp + self.fp

    @property
    def pred_neg(self) -> NDArray[np.float64]:
        """Predicted negatives, N' = FN + TN."""
        return self.fn + self.tn

    @property
    def n(self) -> NDArray[np.float64]:
        """All rows, n = P + N."""
        return self.pos + self.neg

    def matrix(self) -> NDArray[np.float64]:
        """Cells as 2×2 matrices [[TP, FN], [FP, TN]] in the last two axes, for measures of K×K matrices.

        In memory the two class axes come first, so that sums over them run along the batch.
        """
        rows = np.stack([np.stack([self.tp, self.fn]), np.stack([self.fp, self.tn])])
        return np.moveaxis(rows, (0, 1), (-2, -1))

    def at_prevalence(self, prevalence: float) -> Cells:
        """Same rates and n at another share of positives; cells of a class without rows become NaN: unknown.

        >>> cells = Cells.of(tp=90, fp=30, fn=10, tn=70).at_prevalence(0.25)
        >>> float(cells.tp), float(cells.fp), float(cells.pos), float(cells.neg)
        (45.0, 45.0, 50.0, 150.0)
        """
        positive, negative = _factor(prevalence, self.n, self.pos), _factor(1 - prevalence, self.n, self.neg)
        return Cells(self.tp * positive, self.fp * negative, self.fn * positive, self.tn * negative)


def _factor(share: float, n: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    unknown = np.full(np.shape(rows), np.nan)
    return np.asarray(np.divide(share * n, rows, out=unknown, where=rows > 0))


MANY = 64
"""Classes above which cells are added up by halves: corners are eight running sums of all cells."""


def class_cells(counts: NDArray[Any]) -> Cells:
    """Cells of every class against the rest, the class as last axis: (…, K, K) becomes four of (…, K).

    TP = c_ii, FN = row − c_ii, FP = column − c_ii, TN = the rest. Nothing is subtracted from sums of float weights,
    so a cell is 0 exactly when it is empty.
    """
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    if counts.shape[-1] == 2:  # views, because threshold tables come this way
        fn = np.diagonal(counts[..., ::-1], axis1=-2, axis2=-1)
        return Cells(tp, fn[..., ::-1], fn, tp[..., ::-1])
    if counts.dtype.kind != "f":  # whole numbers lose nothing by a subtraction
        fn, fp = counts.sum(axis=-1) - tp, counts.sum(axis=-2) - tp
        return Cells(tp, fp, fn, counts.sum(axis=(-2, -1))[..., None] - tp - fn - fp)
    off = counts * ~np.eye(counts.shape[-1], dtype=bool)
    return Cells(tp, off.sum(axis=-2), off.sum(axis=-1), _true_negatives(counts))


def _true_negatives(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of all cells outside the row and the column of each class, in one pass over the cells of many classes.

    For a class of one half that is the square of the other half, the shared part of both less the row and the column of
    the class, and the same of its own half.
    """
    k = counts.shape[-1]
    if k <= MANY:
        return _corners(counts)
    halves = slice(k // 2), slice(k // 2, None)
    parts = []
    for own, other in (halves, halves[::-1]):
        shared = counts[..., other, own].sum(axis=-2) + counts[..., own, other].sum(axis=-1)
        apart = counts[..., other, other].sum(axis=(-2, -1))[..., None]
        parts.append(_true_negatives(counts[..., own, own]) + sums_of_others(shared) + apart)
    return np.concatenate(parts, axis=-1)


def sums_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of all values but each, without a subtraction."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    before[..., 1:] = values[..., :-1].cumsum(axis=-1)
    after[..., :-1] = values[..., :0:-1].cumsum(axis=-1)[..., ::-1]
    return before + after


def _corners(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same of few classes: the four corners around the diagonal cell of each."""
    k = counts.shape[-1]
    total = np.zeros((*counts.shape[:-2], k), dtype=counts.dtype)
    for down, right in product((1, -1), repeat=2):
        sums = np.zeros((*counts.shape[:-2], k + 1, k + 1), dtype=counts.dtype)
        sums[..., 1:, 1:] = counts[..., ::down, ::right].cumsum(axis=-2).cumsum(axis=-1)
        total += sums[..., np.arange(k)[::down], np.arange(k)[::right]]
    return total


def number(cell: Any) -> Any:
    """Count of one matrix as a number, whole where it is; of a batch, the array."""
    if np.ndim(cell):
        return cell
    return int(cell) if cell == np.rint(cell) else float(cell)


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """Margins and diagonal of a confusion matrix: three columns, however many classes there are.

    They serve rows of one label each, and rows of several (multilabel), where the classes form no matrix. `n` is the
    weight of all rows; with samples in place of classes it is the number of classes, weighted per sample.
    """

    labels: NDArray[Any]
    tp: NDArray[Any]
    truth: NDArray[Any]
    predicted: NDArray[Any]
    n: Any

    @classmethod
    def of_matrix(cls, matrix: NDArray[Any], labels: NDArray[Any]) -> LabelCounts:
        """Counts of a K×K matrix with the truth as rows."""
        truth = matrix.sum(axis=1)
        return cls(labels, matrix.diagonal(), truth, matrix.sum(axis=0), truth.sum())

    @classmethod
    def of_codes(
        cls, truth: NDArray[Any], predicted: NDArray[Any], labels: NDArray[Any], weights: NDArray[Any] | None
    ) -> LabelCounts:
        """Counts of codes 0 … K − 1, in memory proportional to K, for more classes than a matrix can have."""

        def count(codes: NDArray[Any], weight: NDArray[Any] | None) -> NDArray[Any]:
            return np.bincount(codes, weights=weight, minlength=len(labels))

        right = truth == predicted
        both = count(truth[right], None if weights is None else weights[right])
        n = len(truth) if weights is None else weights.sum()
        return cls(labels, both, count(truth, weights), count(predicted, weights), n)

    @classmethod
    def of_indicators(
        cls, truth: Any, predicted: Any, weights: NDArray[Any] | None, *, samplewise: bool = False
    ) -> LabelCounts:
        """Counts of 0/1 tables (rows × classes; dense boolean, or both sparse), per class or per row."""
        both = truth.multiply(predicted) if hasattr(truth, "multiply") else truth & predicted
        tp, positive, predicted_positive = (_totals(table, weights, samplewise) for table in (both, truth, predicted))
        rows, classes = truth.shape
        if samplewise:
            n = classes if weights is None else weights * classes
            return cls(np.arange(rows), tp, positive, predicted_positive, n)
        n = rows if weights is None else weights.sum()
        return cls(np.arange(classes), tp, positive, predicted_positive, n)

    def only(self, label: Any) -> LabelCounts:
        """Counts of one label, 0 when no row has it."""
        names = self.labels.tolist()
        if label not in names:
            return self.select(np.array([label], dtype=object))
        i = slice(names.index(label), names.index(label) + 1)
        return LabelCounts(self.labels[i], self.tp[i], self.truth[i], self.predicted[i], self.n)

    def select(self, labels: NDArray[Any]) -> LabelCounts:
        """Counts of the named labels in the order named; a label that no row has counts 0."""
        place = {label: i for i, label in enumerate(self.labels.tolist())}
        rows = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
        known = rows >= 0
        tp, truth, predicted = (np.where(known, column[rows], 0) for column in (self.tp, self.truth, self.predicted))
        return LabelCounts(labels, tp, truth, predicted, self.n)

    @property
    def cells(self) -> Cells:
        """Cells of each class against the rest, of the counts' own type."""
        fp, fn = self.predicted - self.tp, self.truth - self.tp
        return Cells(tp=self.tp, fp=fp, fn=fn, tn=self.n - self.tp - fp - fn)


def _totals(table: Any, weights: NDArray[Any] | None, samplewise: bool) -> NDArray[Any]:
    """Entries that are set, per column or per row, in a dense or sparse 0/1 table."""
    if weights is not None and not samplewise:
        return np.asarray(weights @ (table.astype(weights.dtype))).ravel()
    sums = np.asarray(table.sum(axis=int(samplewise), dtype=np.int64)).ravel()
    return sums if weights is None else sums * weights
