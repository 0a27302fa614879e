"""Variance of any estimate from what it is without each cluster of rows: the jackknife.

One mechanism serves every measure, difference and gap of rows in clusters: an estimate, or several of the same rows, is
computed without each cluster in turn, and the spread of those values is its variance. What is linear in the rows gets
the variance of the sums over clusters; two models of the same rows, and groups that share clusters, get their
covariance on the way, as both are computed without the same cluster.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.dataclass import dataclass
from thresher.design_warnings import few_clusters
from thresher.inference.differences.difference import (
    Difference,
    apart,
    difference_bounds,
    no_difference,
    normal_difference,
    undefined_difference,
)
from thresher.inference.limits.delta import Bounds, limits, scale_words, student_quantile
from thresher.inference.proportions.intervals import wilson_interval
from thresher.results import Estimate

SOURCE = "Quenouille 1956; Tukey 1958; Efron & Tibshirani 1993, chapter 11"

NO_WIDTH = 1e-12
"""Standard error below which there is none."""

JACKKNIFE = "jackknife over"
"""Words of the methods that take clusters as independent."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LeftOut:
    """A value, and what it is `without` each of the clusters, or of groups of them, (m,); `clusters` are all of them.

    It `rests_on` so many that have rows which it is of, as far as that is known; else 0.

    The standard error is √((m − 1)/m·Σ(θᵢ − θ̄)²), and the degrees of freedom of Student's distribution are
    3(Σd²)²/Σd⁴ − 1 with d = θᵢ − θ̄, from 1 to m − 1: as many as there are clusters that the value rests on alike.
    """

    value: float
    without: Floats
    clusters: int
    rests_on: int = 0

    @property
    def m(self) -> int:
        """How many values there are."""
        return self.without.size

    @property
    def standard_error(self) -> float:
        """Jackknife standard error; NaN where the value is undefined without some cluster."""
        return math.sqrt((self.m - 1) / self.m * float((self._apart**2).sum())) if self.m > 1 else math.nan

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        squares = self._apart**2
        fourth = float((squares**2).sum())
        alike = 3 * float(squares.sum()) ** 2 / fourth if fourth > 0 else 0.0
        return min(self.m - 1.0, max(1.0, alike - 1))

    @property
    def _apart(self) -> Floats:
        found: Floats = self.without - self.without.mean()
        return found

    @property
    def words(self) -> str:
        """How the variance was found."""
        groups = "" if self.m == self.clusters else f" in {self.m:,} groups"
        return f"{JACKKNIFE} {self.clusters:,} clusters{groups}"

    @property
    def reason(self) -> str | None:
        """Why there is no variance; None where there is one."""
        if self.clusters < 2:
            return "the variance needs two clusters"
        if math.isinf(self.value):
            return "it is infinite"
        if not np.isfinite(self.without).all():
            return "it is undefined or infinite without one of the clusters"
        return None


GROUPS = 100
"""Groups of clusters that are left out together where there are more."""


def groups_of(clusters: int, most: int = GROUPS) -> NDArray[np.intp]:
    """Group of each cluster: itself, or one of so many that are drawn by lot."""
    if clusters <= most:
        return np.arange(clusters)
    return np.asarray(np.random.Generator(np.random.Philox(key=0)).permutation(clusters) % most)


def clustered_estimate(found: Estimate, left: LeftOut, bounds: Bounds, *, level: float) -> Estimate:
    """Estimate with the limits that the clusters give, symmetric on a scale where its range has no edge.

    A value on the edge of its range that no cluster changes has Wilson's limits, with a row for each that it rests on.

    >>> left = LeftOut(value=0.5, without=np.array([0.45, 0.5, 0.55, 0.5]), clusters=4)
    >>> clustered_estimate(Estimate(name="accuracy", value=0.5), left, (0.0, 1.0), level=0.95)
    Estimate(accuracy = 0.5 [0.3144, 0.6856], 95% jackknife over 4 clusters, logit scale, Student's t)

    Quenouille 1956; Tukey 1958; simulated in docs/coverage.md.
    """
    known: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "level", "method", "reason"))
    bare = replace(found, warnings=(), **known)
    if left.reason is not None:
        return replace(bare, reason=f"no interval: {left.reason}")
    error = left.standard_error
    warnings = few_clusters(left.clusters)
    facts: dict[str, Any] = {"level": float(level), "warnings": warnings}
    if error < NO_WIDTH:
        share = (found.value - bounds[0]) / (bounds[1] - bounds[0])
        if share not in (0.0, 1.0) or not left.rests_on:
            return replace(bare, reason="no interval: leaving out a cluster never changes it")
        alike, width = wilson_interval(share * left.rests_on, left.rests_on, level=level), bounds[1] - bounds[0]
        facts |= {"low": bounds[0] + width * float(alike.low), "high": bounds[0] + width * float(alike.high)}
        return replace(bare, method=f"Wilson, a row for each of {left.rests_on:,} clusters", **facts)
    low, high = limits(found.value, error, bounds, student_quantile((1 + level) / 2, left.df))
    method = f"{left.words}{scale_words(bounds)}, Student's t"
    return replace(bare, standard_error=error, low=low, high=high, method=method, **facts)


def clustered_difference(one: LeftOut, two: LeftOut, bounds: Bounds, *, kind: str = "paired") -> Difference:
    """Difference of two values that are known without each of the same clusters: first minus second.

    Its standard error is that of the differences without each cluster, its distribution Student's.

    >>> one, two = (LeftOut(value=v, without=np.array(w), clusters=3) for v, w in [(0.5, [0.4, 0.5, 0.6]),
    ...                                                                           (0.4, [0.4, 0.4, 0.4])])
    >>> round(clustered_difference(one, two, (0.0, 1.0)).standard_error, 4)
    0.1155

    Quenouille 1956; Tukey 1958; simulated in docs/comparing.md.
    """
    both = LeftOut(value=apart(one.value, two.value), without=one.without - two.without, clusters=one.clusters)
    method = f"{kind} t test, {both.words}"
    facts: dict[str, Any] = {"method": method, "source": SOURCE, "assumptions": "independent clusters"}
    facts["bounds"] = difference_bounds(bounds)
    if math.isnan(both.value):
        return undefined_difference(method, "the measure is undefined for one of the two")
    if both.reason is not None:
        return Difference(value=both.value, reason=f"no interval: {both.reason}", **facts)
    facts["warnings"] = few_clusters(both.clusters)
    if both.standard_error >= NO_WIDTH:
        return normal_difference(both.value, both.standard_error, df=both.df, **facts)
    if both.value == 0:
        return no_difference(**facts)
    return Difference(value=both.value, reason="no interval: leaving out a cluster never changes it", **facts)
