"""Which rows have a label: until these are weighted, or beside all rows for bounds of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.predictions.rows import LabelsKind, Predictions


@dataclass(frozen=True, slots=True, eq=False)
class LabelMask:
    """Mask of the labelled rows, until these are weighted to represent the others; for bounds, of all `rows`."""

    is_labelled: NDArray[np.bool_]
    rows: Predictions | None = None

    @property
    def kind(self) -> LabelsKind:
        """Treatment of the other rows."""
        return "weight" if self.rows is None else "bounds"

    def take(self, rows: Any, _chosen: Any = None) -> LabelMask | None:
        """Mask of some of the rows; bounds are for all of them."""
        return LabelMask(self.is_labelled[rows]) if self.rows is None else None
