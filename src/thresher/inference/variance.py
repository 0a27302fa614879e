"""Jackknife: the variance of any estimate from its values with each row or cluster left out.

It serves every measure, difference and gap of clustered rows. A measure that is linear in the rows gets the variance of
the sums over clusters. Two models on the same rows, and groups with shared clusters, get their covariance too, as both
are computed without the same cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats
from thresher.counts import Cells, ConfusionMatrix
from thresher.design_warnings import DesignWarning, few_clusters
from thresher.errors import Note
from thresher.inference.differences import difference
from thresher.inference.differences.difference import Difference
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits import Bounds, limits, scale_words, student_quantile
from thresher.inference.proportions.intervals import wilson_interval
from thresher.measures.registry import Measure, find, statistic_of
from thresher.results import Estimate

SOURCE = "Quenouille 1956; Tukey 1958; Efron & Tibshirani 1993, chapter 11"

NO_WIDTH = 1e-12
"""Smaller standard errors are rounding errors."""

JACKKNIFE = "jackknife over"
"""First words of the methods by the jackknife."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Jackknife:
    """An estimate with each unit (row or cluster) left out: `values`, each for `counts` units, or for one.

    `units` is the number of units if they were left out in groups, `rests_on` the number with rows that contribute (0:
    unknown). With n units (or groups) the standard error is √((n − 1)/n · Σ(θᵢ − θ̄)²), and the acceleration
    ΣL³/(6(ΣL²)^1.5) with L = θ̄ − θᵢ. Student's distribution has 3(ΣL²)²/ΣL⁴ − 1 degrees of freedom, from 1 to n − 1.
    All are NaN if a value is NaN.
    """

    observed: float
    values: Floats
    counts: Floats | None = None
    units: int | None = None
    rests_on: int = 0

    @property
    def n(self) -> float:
        """Number of units, or of groups."""
        return float(self.values.size if self.counts is None else self.counts.sum())

    @property
    def groups(self) -> int:
        """Number of groups; 0 if each unit was left out alone."""
        return 0 if self.units in (None, self.n) else self.values.size

    @property
    def mean(self) -> float:
        """Mean over units of the values without them."""
        return float((self._counts * self.values).sum() / self.n) if self.n else math.nan

    @property
    def _counts(self) -> Floats:
        return np.ones(self.values.size) if self.counts is None else self.counts

    def moment(self, power: int) -> float:
        """Sum over units of a power of L = θ̄ − θᵢ."""
        return float((self._counts * (self.mean - self.values) ** power).sum())

    @property
    def standard_error(self) -> float:
        """Jackknife standard error."""
        return math.sqrt((self.n - 1) / self.n * self.moment(2)) if self.n > 1 else math.nan

    @property
    def df(self) -> float:
        """Degrees of freedom of Student's distribution."""
        fourth = self.moment(4)
        return min(self.n - 1, max(1.0, 3 * self.moment(2) ** 2 / fourth - 1)) if fourth > 0 else 1.0

    @property
    def acceleration(self) -> float:
        """Acceleration of the BCa interval; 0 if no unit matters."""
        squares = self.moment(2)
        return self.moment(3) / (6 * squares**1.5) if squares else 0.0 * squares

    def method(self, unit: str) -> str:
        """Name of the method."""
        groups = f" in {self.groups:,} groups" if self.groups else ""
        return f"{JACKKNIFE} {self.units or self.n:,.0f} {unit}{groups}"

    def reason(self, unit: str) -> Note | None:
        """Why the variance is missing; None if it is not."""
        if self.n < 2:
            return Note("too-few-clusters", f"the variance needs two {unit}")
        if math.isinf(self.observed):
            return Note("infinite", "it is infinite")
        if np.isfinite(self.values).all():
            return None
        code = "undefined" if np.isnan(self.values).any() else "infinite"
        return Note(code, f"it is {code} without one of the {unit}")


def differences(a: Jackknife, b: Jackknife) -> Jackknife:
    """Jackknife of a difference; both sides left out the same units."""
    return replace(a, observed=difference.apart(a.observed, b.observed), values=a.values - b.values)


UNCHANGED = "it is the same without any of the {}"
"""Reason of a value that no unit changes."""

GROUPS = 100
"""Largest number of groups of clusters."""


def groups_of(units: int, most: int = GROUPS) -> NDArray[np.intp]:
    """Group of each unit: its own, or one of at most `most` random groups."""
    if units <= most:
        return np.arange(units)
    return np.asarray(np.random.Generator(np.random.Philox(key=0)).permutation(units) % most)


def jackknife_estimate(
    found: Estimate, left: Jackknife, bounds: Bounds, *, level: float, unit: str = "clusters"
) -> Estimate:
    """Estimate with jackknife limits, symmetric on a scale that keeps them in the range.

    A value at the edge of its range that no unit changes has Wilson's limits for the units that contribute.

    Quenouille 1956; Tukey 1958; simulated in docs/coverage.md.
    """
    absent: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "level", "method", "reason"))
    bare = replace(found, warnings=(), **absent)
    if (reason := left.reason(unit)) is not None:
        return replace(bare, reason="no interval: " + reason)
    error, method = left.standard_error, f"{left.method(unit)}{scale_words(bounds)}, Student's t"
    facts: dict[str, Any] = {"level": float(level), "warnings": _few(left, unit)}
    if error < NO_WIDTH:
        width = bounds[1] - bounds[0]
        share = (found.value - bounds[0]) / width
        if share not in (0.0, 1.0) or not left.rests_on or math.isinf(width):
            return replace(bare, reason=_unchanged(unit))
        ends = wilson_interval(share * left.rests_on, left.rests_on, level=level)
        facts |= {"low": bounds[0] + width * float(ends.low), "high": bounds[0] + width * float(ends.high)}
        return replace(bare, method=f"Wilson, n = {left.rests_on:,} {unit}", **facts)
    low, high = limits(found.value, error, bounds, student_quantile((1 + level) / 2, left.df))
    return replace(bare, standard_error=error, low=low, high=high, method=method, **facts)


def jackknife_difference(
    one: Jackknife, two: Jackknife, bounds: Bounds, *, design: str = "paired", unit: str = "clusters"
) -> Difference:
    """Difference of two estimates without the same units, first minus second, with Student's t test.

    If one of two `unpaired` groups has no spread, the intervals of both are combined, and the test agrees with them.

    Quenouille 1956; Tukey 1958; simulated in docs/comparing.md.
    """
    both = differences(one, two)
    method = f"{design} t test, {both.method(unit)}"
    facts: dict[str, Any] = {"method": method, "source": SOURCE, "assumptions": f"independent {unit}"}
    facts["bounds"] = difference.difference_bounds(bounds)
    if math.isnan(both.observed):
        return difference.undefined_difference(method, Note("undefined", "the measure is undefined for one of the two"))
    if (reason := both.reason(unit)) is not None:
        return Difference(value=both.observed, reason="no interval: " + reason, **facts)
    facts["warnings"] = _few(both, unit)
    if design == "unpaired" and min(one.standard_error, two.standard_error) < NO_WIDTH:
        return _of_intervals((one, two), bounds, unit, facts)
    if both.standard_error >= NO_WIDTH:
        return difference.normal_difference(both.observed, both.standard_error, df=both.df, **facts)
    if both.observed == 0:
        return difference.no_difference(**facts)
    return Difference(value=both.observed, reason=_unchanged(unit), **facts)


def _unchanged(unit: str) -> Note:
    return Note("no-spread", f"no interval: {UNCHANGED.format(unit)}")


def _of_intervals(sides: tuple[Jackknife, Jackknife], bounds: Bounds, unit: str, facts: dict[str, Any]) -> Difference:
    """Difference of two groups, one without spread, from the interval of each (MOVER).

    A group of three clusters with a recall of 1 has a jackknife variance of 0, and yet its recall is uncertain.
    """
    observed = sides[0].observed, sides[1].observed
    value = difference.apart(*observed)

    def own(level: float) -> list[Estimate]:
        return [
            jackknife_estimate(Estimate(name="", value=side.observed), side, bounds, level=level, unit=unit)
            for side in sides
        ]

    if any(each.low is None for each in own(LEVEL)):
        return Difference(value=value, reason=_unchanged(unit), **facts)
    limits = difference.combined_limits(observed, lambda level: difference.ends_of(own(level)))
    facts |= {"method": f"intervals of both combined ({JACKKNIFE} {unit})", "source": f"Zou & Donner 2008; {SOURCE}"}
    return Difference(value=value, limits=limits, p_value=difference.inverted_p(value, limits), **facts)


def _few(left: Jackknife, unit: str) -> tuple[DesignWarning, ...]:
    return few_clusters(left.units or int(left.n)) if unit == "clusters" else ()


MOST = 1 << 16
"""Clusters of rows of two classes that are left out one by one."""

UNKNOWN_CLUSTERS = Note("unknown-clusters", "no interval, as the clusters of added matrices are not known")

LEAST_CELL = 1e-12
"""Share of all rows below which the rest of a cell is rounding error."""


def of_clusters(
    found: Estimate, matrix: ConfusionMatrix, formula: Callable[[ConfusionMatrix], Any], entry: Measure, level: float
) -> Estimate:
    """Estimate with an interval by the jackknife over the clusters of a matrix."""
    clusters = matrix.clusters
    if clusters is None or found.method is None or math.isnan(found.value):
        return found
    if not len(clusters):
        bare: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "method"))
        return replace(found, reason=UNKNOWN_CLUSTERS, **bare)
    group = groups_of(len(clusters), MOST if len(matrix.labels) == 2 else GROUPS)
    cells = np.zeros((int(group.max()) + 1, *clusters.shape[1:]))
    np.add.at(cells, group, clusters)
    rest = np.maximum(clusters.sum(axis=0) - cells, 0.0)
    rest[rest < LEAST_CELL * clusters.sum()] = 0.0  # sums of float weights may leave a trace
    rows = replace(matrix, counts=rest, squares=None, clusters=None)
    without = np.asarray(formula(rows), dtype=np.float64)
    rests_on = clusters_with_trials(entry, clusters)
    left = Jackknife(observed=found.value, values=without, units=len(clusters), rests_on=rests_on)
    return jackknife_estimate(found, left, _range(entry, matrix, formula), level=level)


def _range(entry: Measure, matrix: ConfusionMatrix, formula: Callable[[ConfusionMatrix], Any]) -> Bounds:
    """Range of a measure; of a mean over cells, such as a cost, the range of the cells."""
    if methods_of(entry.name).limits != "mean over cells":
        return entry.bounds
    k = len(matrix.labels)
    each = formula(replace(matrix, counts=np.eye(k * k).reshape(-1, k, k), squares=None, clusters=None, prior=None))
    return float(np.min(each)), float(np.max(each))


def clusters_with_trials(entry: Measure, clusters: Floats) -> int:
    """Return the clusters with trials of a rate; of other measures, with rows of the class in the fewest clusters."""
    entry = find(entry.doubled) if entry.doubled else entry
    if len(clusters[0]) > 2 or not entry.proportion or entry.parameters:
        return int(clusters.any(axis=2).sum(axis=0).min())
    trials = entry.ratio(statistic_of(entry, Cells(*np.eye(4))))[1]
    tp, fp, fn, tn = np.broadcast_to(trials, 4) > 0
    counted = np.array([[tp, fn], [fp, tn]])
    return int((clusters * counted).any(axis=(1, 2)).sum())
