"""The four cells of a binary decision, with batch axes: what every decision measure is a formula of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
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
        """Cells as 2×2 matrices [[TP, FN], [FP, TN]] in the last two axes, for measures of K×K matrices."""
        return np.stack([np.stack([self.tp, self.fn], -1), np.stack([self.fp, self.tn], -1)], -2)
