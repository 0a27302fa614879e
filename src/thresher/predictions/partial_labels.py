"""Rows without a label, beside the labelled ones: a mask until these are weighted, or all rows for bounds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.predictions.rows import LabelsKind, Predictions


@dataclass(frozen=True, slots=True, eq=False)
class LabelMask:
    """Mask of the labelled rows, until these are weighted to represent the others."""

    is_labelled: NDArray[np.bool_]
    kind: ClassVar[LabelsKind] = "weight"

    def take(self, rows: Any, _chosen: Any = None) -> LabelMask:
        """Mask of some of the rows."""
        return LabelMask(self.is_labelled[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """All rows beside the labelled ones, for bounds of their values; a part of the rows is without."""

    rows: Predictions
    is_labelled: NDArray[np.bool_]
    kind: ClassVar[LabelsKind] = "bounds"

    def take(self, *_: Any) -> None:
        """Nothing."""
