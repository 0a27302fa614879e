"""The variance of an AUC at any hypothetical value, and the score intervals and statistics made of it.

Every function takes numbers or arrays of many samples, so that simulations run the shipped code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.inference.differences.difference import SAME

ERRORS = 4.0
"""This many errors of one class weigh as much as the prior guess of a variance (simulated in docs/coverage.md).

With 3 the coverage falls to 91.6 % with 5 positives, with 5 it rises above 99 % where it could be lower.
"""

MISSES = 2.0
"""Most errors counted for each completely missed row of the smaller class.

Scores of heavy tails miss one row in fifty completely: a sample without such a row shows small, even errors, and
without this bound its interval held an AUC of 0.985 in 68 % of samples (docs/coverage.md).
"""

STEPS, CLOSE = 60, 1e-15
"""Most steps to a limit, and its tolerance."""


def spread_over(rows: Any, missed: Any, variance: Any) -> Floats:
    """Rows n·a²/(a² + n·V) of a class with errors: a is the mean share missed, V its variance."""
    return np.asarray(rows * missed**2 / (missed**2 + rows * variance))


def weight_of_supposed(errors: Any, missed: Any) -> Floats:
    """λ = 4/(4 + min(e, 2m)) for errors in e rows, as large as m complete misses."""
    return np.asarray(ERRORS / (ERRORS + np.minimum(errors, MISSES * missed)))


@dataclass(frozen=True, kw_only=True, eq=False)
class AucSpread:
    """An AUC A with its spread, as numbers or as arrays of many samples.

    `ratio` is DeLong's variance over A(1 − A), 0 if A is 0 or 1. `errors` is the number of rows with errors, in the
    class with fewer: n·a²/(a² + S) with a = min(A, 1 − A) and S the variance of that class's placements. It is n if
    each row misses the same share and 1 if a single row has all of it. `seen` is the effective number of errors,
    min(`errors`, 2·s·a), and `doubt` λ = 4/(4 + `seen`) the weight of the prior guess h.

    h(x) is the prior guess of the variance over x(1 − x), `flat` + `steep`·t/(1 + t) with t = min(x, 1 − x):
    ((b + 1)/2 + (s − 1)·t/(1 + t))/(b·s) of b and s rows of the larger and the smaller class. Exponential scores
    (Hanley and McNeil) have it at 1, where it is largest for them. Neither exchanging the classes nor reversing the
    scores changes it.
    """

    auc: Floats
    ratio: Floats
    errors: Floats
    seen: Floats
    doubt: Floats
    flat: Floats
    steep: Floats

    @classmethod
    def of(
        cls, auc: Any, of_positives: Any, of_negatives: Any, positives: Any, negatives: Any, *,
        known_ratio: Any = None, rows: tuple[float, float] | None = None,
    ) -> AucSpread:  # fmt: skip
        """From the parts of DeLong's variance, S10/P of the positives and S01/N of the negatives; NaN if unknown.

        Clusters have a `known_ratio` and effective numbers of `rows`; their class sizes count clusters.
        """
        known = np.asarray(np.broadcast_arrays(auc, of_positives, of_negatives, positives, negatives), dtype=np.float64)
        auc, *parts = known[:3]
        small, sizes = np.minimum(auc, 1 - auc), known[3:]
        inside = small > 1e-14
        auc = np.where(inside, auc, np.rint(auc))  # 1 up to rounding would have a standard error of 1e-8
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(inside, (parts[0] + parts[1]) / (auc * (1 - auc)), 0.0)
            errors = np.where(inside, spread_over(sizes, small, known[1:3]).min(axis=0), 0.0)
            sizes = sizes if rows is None else np.array(rows)[:, None]
            least, product = sizes.min(axis=0), sizes.prod(axis=0)
            flat, steep = (sizes.max(axis=0) + 1) / 2 / product, (least - 1) / product
        ratio = ratio if known_ratio is None else known_ratio
        seen = np.minimum(errors, MISSES * least * np.minimum(auc, 1 - auc))
        doubt = ERRORS / (ERRORS + seen)
        return cls(auc=auc, ratio=ratio, errors=errors, seen=seen, doubt=doubt, flat=flat, steep=steep)

    def variance(self, at: ArrayLike) -> Floats:
        """V(x) = x(1 − x)·(r + λ·max(h(x) − r, 0)): r is `ratio`, h the prior guess, λ `doubt`."""
        at = np.asarray(at, dtype=np.float64)
        tail = np.minimum(at, 1 - at)
        above = np.maximum(self.flat + self.steep * tail / (1 + tail) - self.ratio, 0.0)
        return np.asarray(at * (1 - at) * (self.ratio + self.doubt * above))

    def limits(self, z: float) -> tuple[Floats, Floats]:
        """Least and largest x with (A − x)² ≤ z²·V(x)."""
        return _limits(self.auc, self.variance, z, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucPair:
    """Two AUCs and the correlation of their estimates, 0 on different rows; numbers, or arrays of many samples."""

    first: AucSpread
    second: AucSpread
    correlation: Any = 0.0

    @classmethod
    def of_same_rows(cls, first: AucSpread, second: AucSpread, covariance: Any) -> AucPair:
        """Pair with DeLong's correlation times 1 − λ²/4, as it is too near 1 in samples of few errors."""
        product = np.prod([each.ratio * each.auc * (1 - each.auc) for each in (first, second)], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(product > 0, np.clip(covariance / np.sqrt(product), -1.0, 1.0), 0.0)
        return cls(first=first, second=second, correlation=found * (1 - np.maximum(first.doubt, second.doubt) ** 2 / 4))

    @property
    def difference(self) -> Floats:
        """First minus second."""
        gap = np.asarray(self.first.auc - self.second.auc)
        return np.where(np.abs(gap) <= SAME, 0.0, gap)

    def variance(self, at: ArrayLike = 0.0) -> Floats:
        """Variance of the difference if it is δ: V₁(x₁) + V₂(x₂) − 2r·√(V₁(x₁)·V₂(x₂)), x₁ − x₂ = δ.

        Both estimates move to a difference of δ in the ratio of their prior variances, so that the one with fewer rows
        moves more.
        """
        a, b = self.first, self.second
        at = np.asarray(at, dtype=np.float64)
        tail = np.minimum(middle := (a.auc + b.auc) / 2, 1 - middle)
        one, two = (each.flat + each.steep * tail / (1 + tail) for each in (a, b))
        second = b.auc + two / (one + two) * (self.difference - at)
        second = np.clip(second, np.maximum(0.0, -at), np.minimum(1.0, 1 - at))
        first, second = (each.variance(np.clip(x, 0.0, 1.0)) for each, x in ((a, second + at), (b, second)))
        return np.asarray(first + second - 2 * self.correlation * np.sqrt(first * second))

    def statistic(self, at: ArrayLike = 0.0) -> Floats:
        """(difference − δ)/√V(δ), which is near normal if the true difference is δ."""
        gap = self.difference - np.asarray(at)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / np.sqrt(self.variance(at)))

    def limits(self, z: float) -> tuple[Floats, Floats]:
        """Least and largest δ with |statistic(δ)| ≤ z."""
        return _limits(self.difference, self.variance, z, -1.0)


def _limits(value: Floats, variance: Callable[[Floats], Floats], z: float, least: float) -> tuple[Floats, Floats]:
    """Least and largest x from `least` to 1 with |value − x| ≤ z·√V(x).

    False position that halves the weight of a repeated end (Illinois), with occasional bisection.
    """
    outside, inside = np.stack([np.full_like(value, least), np.ones_like(value)]), np.stack([value, value])
    both = np.stack([outside, inside])
    out, into = np.abs(value - both) - z * np.sqrt(variance(both))
    far, near, found, last = outside, inside, np.where(out <= 0, outside, inside), np.zeros(outside.shape)
    open_ = out > 0
    into = np.where(into < 0, into, -out)
    for step in range(STEPS):
        if not open_.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            line = (far * into - near * out) / (into - out)
        x = np.where((step % 8 == 7) | ~np.isfinite(line), (far + near) / 2, line)
        excess = np.abs(value - x) - z * np.sqrt(variance(x))
        beyond = excess > 0
        out, into = (np.where(beyond, excess, np.where(last < 0, out / 2, out)),
                     np.where(beyond, np.where(last > 0, into / 2, into), excess))  # fmt: skip
        far, near = np.where(beyond, x, far), np.where(beyond, near, x)
        last = np.where(beyond, 1.0, -1.0)
        found = np.where(open_, x, found)
        open_ = open_ & (np.abs(excess) > CLOSE) & (np.abs(far - near) > CLOSE)
    low, high = found
    return low, high
