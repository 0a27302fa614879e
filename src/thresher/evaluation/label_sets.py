"""`LabelSets`: which labels each row has, and which it is decided to have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import Cells

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelSets:
    """Truth and decisions of one model, (n, L), and weights of the rows."""

    truth: NDArray[Any]
    decided: NDArray[Any]
    weights: Floats | None

    def cells(self) -> Cells:
        """Four cells of every label, (L,)."""
        w = np.ones(len(self.truth)) if self.weights is None else self.weights
        both, truth, decided = w @ (self.truth & self.decided), w @ self.truth, w @ self.decided
        return Cells(tp=both, fp=decided - both, fn=truth - both, tn=w.sum() - truth - decided + both)

    def row_cells(self) -> Cells:
        """Four cells of every row over its labels, (n,)."""
        both = (self.truth & self.decided).sum(axis=1, dtype=np.float64)
        truth, decided = self.truth.sum(axis=1, dtype=np.float64), self.decided.sum(axis=1, dtype=np.float64)
        return Cells(tp=both, fp=decided - both, fn=truth - both, tn=self.truth.shape[1] - truth - decided + both)
