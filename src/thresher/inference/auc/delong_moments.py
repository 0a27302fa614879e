"""DeLong's tests from moments of placements, where the rows are not in memory."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from thresher.counts.pairs import PlacementMoments
from thresher.dataclass import dataclass
from thresher.inference.auc.delong import newcombe5

Floats = NDArray[np.float64]

ALIKE = 1e-12
"""Share of the variances below which that of a difference is the rounding of 0."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedMoments:
    """What `PlacedRows` tells of the AUCs of several models of the same rows, from the moments of their placements."""

    moments: PlacementMoments
    is_effective: bool = False

    @property
    def totals(self) -> tuple[float, float]:
        """Rows of both classes."""
        p, n = self.moments.totals.tolist()
        return p, n

    @property
    def sizes(self) -> tuple[float, float]:
        """Rows of both classes, as the variances count them."""
        return self.totals

    def reason(self) -> str | None:
        """Why there is no test on these rows; None when there is one."""
        for name, total in zip(("positives", "negatives"), self.totals, strict=True):
            if not total:
                return f"there are no {name}"
            if total < 2:
                return f"DeLong's variance needs two rows of each class, and there is {total:.3g} of the {name}"
        return None

    def auc(self, model: int) -> float:
        """AUC of a model."""
        return float(self.moments.centers[model] + self.moments.first[0, model] / self.totals[0])

    def covariances(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Covariance matrices of two AUCs: the part of the positives, S10/P, and that of the negatives, S01/N."""
        at = np.ix_([first, second], [first, second])
        return self._covariance(0)[at], self._covariance(1)[at]

    def _covariance(self, side: int) -> Floats:
        """Covariance of the means of one class's placements: Σ (v − v̄)(v − v̄)ᵀ/(n(n − 1))."""
        total, first = self.totals[side], self.moments.first[side]
        about_mean: Floats = self.moments.second[side] - np.outer(first, first) / total
        return about_mean / total / (total - 1 or math.nan)

    def contrast(self, first: int, second: int) -> tuple[float, float]:
        """AUC(first) − AUC(second) and its variance."""
        both = np.add(*self.covariances(first, second))
        variance = float(both[0, 0] + both[1, 1] - 2 * both[0, 1])
        return self.auc(first) - self.auc(second), max(variance, 0.0)

    def ranks_alike(self, first: int, second: int) -> bool:
        """Whether both models place every row alike; where all placements are equal this is not known, and False."""
        both = np.add(*self.covariances(first, second))
        spread = float(both[0, 0] + both[1, 1])
        return first == second or (spread > 0 and self.contrast(first, second)[1] <= ALIKE * spread)

    def newcombe5(self, first: int, second: int, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Interval of each AUC by Newcombe's method 5, which has a width where DeLong's has none."""
        z = NormalDist().inv_cdf((1 + level) / 2)
        one, two = (newcombe5(self.auc(model), *self.sizes, z) for model in (first, second))
        return one, two
