"""The randomized classifier: any point on an edge of the hull, by drawing lots between the edge's two thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import SEED, Direction, is_positive
from thresher.decisions.hull import Hull
from thresher.decisions.reject import known_scores
from thresher.errors import OptionError
from thresher.results import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedClassifier(Shown):
    """Decides by the `liberal` threshold with probability `weight`, else by the `conservative` one.

    `fpr` and `tpr` are the rates it is expected to have, a point on the edge between the two thresholds' points.
    """

    conservative: float
    liberal: float
    weight: float
    fpr: float
    tpr: float
    direction: Direction = "higher"

    def predict(self, scores: ArrayLike, *, rng: int | np.random.Generator = SEED) -> NDArray[np.bool_]:
        """Decide each score; each row draws its own lot, by the seed or generator.

        Raises:
            InputError: a score is NaN.
        """
        values = known_scores(scores)
        lots = np.random.default_rng(rng).random(values.shape) < self.weight
        by_liberal = is_positive(values, self.liberal, self.direction)
        by_conservative = is_positive(values, self.conservative, self.direction)
        return np.where(lots, by_liberal, by_conservative)

    def columns(self) -> dict[str, Any]:
        """Return the point and both thresholds as columns."""
        return {name: [getattr(self, name)] for name in ("conservative", "liberal", "weight", "fpr", "tpr")}

    def __repr__(self) -> str:
        cuts = f"{self.liberal:.6g} with probability {self.weight:.4g}, else {self.conservative:.6g}"
        return f"RandomizedClassifier({cuts}: FPR {self.fpr:.4g}, TPR {self.tpr:.4g})"


def randomized(hull: Hull, *, fpr: float | None = None, tpr: float | None = None) -> RandomizedClassifier:
    """Return the classifier on the hull with a given expected FPR, or a given expected TPR.

    At an `fpr` the largest TPR of the hull is reached, at a `tpr` the smallest FPR. With FPR = (1 − w)·FPR_1 +
    w·FPR_2, and the same for TPR, w is the weight of the liberal threshold; 0 at a vertex.

    Raises:
        OptionError: none or both of the rates are given, or the rate is not in [0, 1].

    Fawcett (2006), section 7; Scott, Niranjan and Prager (1998).

    >>> from thresher.counts import ScoreTable
    >>> from thresher.decisions import roc_hull
    >>> found = randomized(roc_hull(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])), fpr=0.25)
    >>> found.conservative, found.liberal, found.weight, round(found.tpr, 4)
    (7.0, 1.0, 0.5, 0.8333)
    >>> found.predict([8, 2, 2, 2, -5]).tolist()
    [True, True, True, True, False]
    """
    given = [rate for rate in (fpr, tpr) if rate is not None]
    if len(given) != 1:
        raise OptionError("give either fpr= or tpr=, the rate to reach on the hull.")
    rate = given[0]
    if math.isnan(rate) or not 0 <= rate <= 1:
        raise OptionError(f"{'fpr' if tpr is None else 'tpr'}={rate!r}: a rate is between 0 and 1.")
    axis, by_fpr = (hull.fpr, True) if tpr is None else (hull.tpr, False)
    first = int(np.searchsorted(axis, rate, side="right" if by_fpr else "left"))
    first -= 1 if by_fpr else int(axis[first] > rate)
    second = min(first + 1, len(hull) - 1) if axis[first] < rate else first
    weight = (rate - axis[first]) / (axis[second] - axis[first]) if second > first else 0.0
    x, y = ((1 - weight) * rates[first] + weight * rates[second] for rates in (hull.fpr, hull.tpr))
    return RandomizedClassifier(
        conservative=float(hull.thresholds[first]),
        liberal=float(hull.thresholds[second]),
        weight=float(weight),
        fpr=float(x),
        tpr=float(y),
        direction=hull.direction,
    )
