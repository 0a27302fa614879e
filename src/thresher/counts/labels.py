"""`LabelCounts`: per class, how many rows have it in truth, in the prediction, and in both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.counts.cells import Cells


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """Margins and diagonal of a confusion matrix: three columns, however many classes there are.

    They serve rows of one label each, and rows of several (multilabel), where the classes form no matrix. `n` is the
    weight of all rows; with samples in place of classes it is the number of classes, weighted per sample.

    >>> counts = LabelCounts.of_matrix(np.array([[2, 1], [0, 3]]), np.array(["a", "b"]))
    >>> counts.tp.tolist(), counts.truth.tolist(), counts.predicted.tolist()
    ([2, 3], [3, 3], [2, 4])
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
