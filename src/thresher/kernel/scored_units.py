"""`ScoredUnits`: the rows of one score in order, each with the unit that is drawn for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class ScoredUnits:
    """Rows of both classes by falling score, as the bootstrap reads them.

    `units` and `weights` hold the positive rows, then the negative ones, each by falling score; without units row i
    is unit i. `steps` (3, k) int32 is how the classes mix: negatives before the step, its positives, the negatives tied
    with them; negatives that follow the last step are in none. `cells` are the rows of the table that steps come from.
    """

    positives: int
    negatives: int
    steps: NDArray[np.int32]
    cells: NDArray[np.int64]
    units: NDArray[np.int32] | None = None
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        positive: Any,
        negative: Any,
        units: NDArray[np.int32] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> ScoredUnits:
        """Rows of a table: how many positive and negative ones have each distinct score, most positive first.

        >>> ScoredUnits.of([0, 1, 2], [3, 1, 0]).steps.tolist()
        [[3, 0], [1, 2], [1, 0]]
        """
        p, n = np.asarray(positive, dtype=np.int64), np.asarray(negative, dtype=np.int64)
        cells = np.flatnonzero(p > 0)
        ends = np.cumsum(n)[cells]
        before = np.diff(ends, prepend=0) - n[cells]
        steps = np.ascontiguousarray(np.stack([before, p[cells], n[cells]]), dtype=np.int32)
        return cls(int(p.sum()), int(n.sum()), steps, cells, units, weights)

    def weigh(self, drawn: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weight of every positive and negative row, in order, when units are drawn so often; batch axes in front."""
        values = drawn[..., : self.positives + self.negatives] if self.units is None else drawn[..., self.units]
        values = values.astype(np.int64) if self.weights is None else values * self.weights
        return values[..., : self.positives], values[..., self.positives :]

    def copy(self) -> ScoredUnits:
        """Copy the index arrays, as they decide which memory is read."""
        steps = np.array(self.steps, dtype=np.int32, order="C")
        return replace(self, steps=steps, units=None if self.units is None else self.units.copy())

    def check(self, units: int) -> None:
        """Refuse rows of another number of units, before their addresses reach the compiled library."""
        rows = self.positives + self.negatives
        fits = rows <= units if self.units is None else self.units.size == rows
        if self.units is not None and rows:
            fits = fits and int(self.units.min()) >= 0 and int(self.units.max()) < units
            fits = fits and self.units.dtype == np.int32 and self.units.flags.c_contiguous
        if self.weights is not None:
            fits = fits and self.weights.size == rows and self.weights.dtype == np.float64
            fits = fits and self.weights.flags.c_contiguous
        inside = bool((self.steps >= 0).all()) and int(self.steps[1].sum(dtype=np.int64)) == self.positives
        if not fits or not inside or int(self.steps[[0, 2]].sum(dtype=np.int64)) > self.negatives:
            raise ValueError(f"rows, steps, units and weights do not fit together or {units} units")
