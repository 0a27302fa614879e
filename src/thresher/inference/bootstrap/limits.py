"""From replicates to confidence limits: percentile, basic, BCa and studentized."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.inference.bootstrap.config import Method
from thresher.inference.limits import delta
from thresher.inference.limits.delta import student_quantile

NORMAL = NormalDist()

ROUNDING = 1e-12
"""Share of a value up to which another is the same but for rounding."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """How many clusters were drawn, and within how many strata."""

    count: int
    strata: int = 1

    @property
    def df(self) -> int:
        """Degrees of freedom of the spread that they show."""
        return max(0, self.count - self.strata)

    @property
    def factor(self) -> float:
        """Of the spread of their resamples, which is too small by √((k − strata)/k)."""
        return math.sqrt(self.count / self.df)


NO_CLUSTERS = Clusters(0)


def clusters_of(drawn: str, sizes: NDArray[np.int64]) -> Clusters:
    """Clusters among what was drawn, of so many units in each stratum; none where rows were.

    >>> clusters_of("clusters within classes", np.array([6, 4])), clusters_of("rows", np.array([10])).count
    (Clusters(count=10, strata=2), 0)
    """
    return Clusters(int(sizes.sum()), len(sizes)) if drawn.startswith("clusters") else NO_CLUSTERS


def fewer(one: Clusters, two: Clusters) -> Clusters:
    """Those of two samples that tell less of the spread."""
    return min(one, two, key=lambda clusters: clusters.df)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """One statistic: its value, its defined replicates in order, and what its kind of interval takes besides.

    `clusters` are those that were drawn, none where rows were. `acceleration` is for BCa; `standard_error` and the
    sorted `studentized` values (θ* − θ)/SE* for studentized limits.
    """

    observed: float
    sorted: Floats
    bounds: tuple[float, float]
    clusters: Clusters = NO_CLUSTERS
    acceleration: float = math.nan
    standard_error: float = math.nan
    studentized: Floats | None = None


def quantile(values: Floats, share: float) -> float:
    """Quantile of sorted replicates as R's `boot.ci` takes it.

    With k = ⌊(n + 1)·share⌋ it is the k-th value when (n + 1)·share is whole, else between the k-th and the next,
    linear in the normal quantiles of their ranks over n + 1; the smallest or largest value beyond them.

    >>> quantile(np.arange(1.0, 1000.0), 0.025)
    25.0

    Davison & Hinkley 1997, equation 5.8.
    """
    n = values.size
    place = (n + 1) * share
    k = round(place) if abs(place - round(place)) < 1e-9 else math.floor(place)
    if k <= 0 or k >= n:
        return float(values[0] if k <= 0 else values[-1])
    low, high = float(values[k - 1]), float(values[k])
    if abs(place - k) < 1e-9 or low == high:
        return low
    ends = NORMAL.inv_cdf(k / (n + 1)), NORMAL.inv_cdf((k + 1) / (n + 1))
    return low + (NORMAL.inv_cdf(share) - ends[0]) / (ends[1] - ends[0]) * (high - low)


def limits(draws: Draws, method: Method, tail: float) -> tuple[float, float]:
    """Lower and upper limit, each of which errs with probability `tail`; inside the range of the statistic.

    Those of clusters are never within Student's limits with the spread of the replicates, on the scale of the range:
    the quantiles of few clusters end too soon, most of all near an edge of the range (docs/coverage.md).

    NaN where the method cannot give one (see `obstacle`).
    """
    low, high = METHODS[method](draws, widened(tail, draws.clusters))
    if draws.clusters.df > 0 and math.isfinite(error := draws.clusters.factor * spread(draws.sorted)):
        ends = delta.limits(draws.observed, error, draws.bounds, student_quantile(1 - tail, draws.clusters.df))
        low, high = min(low, ends[0]), max(high, ends[1])
    return max(low, draws.bounds[0]), min(high, draws.bounds[1])


def widened(tail: float, clusters: Clusters) -> float:
    """Share of the replicates beyond a limit that errs with probability `tail`, of so many clusters: Φ(−√(k/df)·t).

    t is Student's quantile with k − 1 degrees of freedom, k − 2 where clusters are drawn within two classes: the spread
    of k clusters is estimated from these, and that of their resamples is too small by √(df/k).

    >>> round(widened(0.025, Clusters(20)), 4), widened(0.025, NO_CLUSTERS)
    (0.0159, 0.025)

    Hesterberg 2015, "What teachers should know about the bootstrap", section 4.2.
    """
    return tail if clusters.df < 1 else NORMAL.cdf(NORMAL.inv_cdf(tail) * stretch(tail, clusters))


def stretch(tail: float, clusters: Clusters) -> float:
    """How many times as wide as the normal ones Student's limits of so many clusters are; 1 where rows were drawn.

    >>> round(stretch(0.025, Clusters(20)), 4), stretch(0.025, NO_CLUSTERS)
    (1.0956, 1.0)
    """
    if clusters.df < 1:
        return 1.0
    return clusters.factor * student_quantile(1 - tail, clusters.df) / NORMAL.inv_cdf(1 - tail)


def widened_words(clusters: Clusters) -> str:
    """What the name of a method tells of that."""
    return f", widened for {clusters.count:,} clusters" if clusters.df > 0 else ""


def spread(values: Floats) -> float:
    """Standard deviation of replicates; NaN with fewer than two or infinite ones."""
    if values.size < 2 or not np.isfinite(values).all():
        return math.nan
    return float(values.std(ddof=1)) if values[0] != values[-1] else 0.0


WITHOUT_BIAS = "less twice its bias"
"""What the name of a method tells of an interval of what noise adds to."""


def without_bias(draws: Draws) -> Draws:
    """Replicates less twice their bias: noise has moved the value from the truth as resampling moves them from it."""
    bias = float(draws.sorted.mean()) - draws.observed
    return replace(draws, sorted=np.clip(draws.sorted - 2 * bias, *draws.bounds))


def outside_limits_note(value: float, low: float, high: float) -> str:
    """Words for limits that do not hold the value, as those of a measure do that resampling moves to one side.

    >>> outside_limits_note(0.2, 0.3, 0.4), outside_limits_note(0.3, 0.3, 0.4)
    (', which lies beside the value because resampling moves this measure', '')
    """
    moved = value < low or value > high
    return f", {MOVED}" if moved else ""


MOVED = "which lies beside the value because resampling moves this measure"
"""What the name of a method tells of an interval that does not hold its value."""


def obstacle(draws: Draws, method: Method) -> str | None:
    """Why the replicates give no interval; None when they do."""
    if draws.sorted.size < 2:
        return "fewer than two replicates are defined"
    if draws.sorted[0] == draws.sorted[-1]:
        return "all replicates are equal, so the bootstrap shows no uncertainty here"
    if method == "bca" and _share_below(draws) in (0.0, 1.0):
        return "all replicates lie on one side of the estimate, so BCa's bias correction is infinite"
    if method == "bca" and math.isnan(draws.acceleration):
        return "without one of the rows the measure is undefined, so BCa has no acceleration"
    if method == "studentized" and (draws.studentized is None or draws.studentized.size < 2):
        return "the standard error is undefined or 0 in the data or in nearly all replicates"
    return None


def _percentile(draws: Draws, tail: float) -> tuple[float, float]:
    return quantile(draws.sorted, tail), quantile(draws.sorted, 1 - tail)


def _basic(draws: Draws, tail: float) -> tuple[float, float]:
    low, high = _percentile(draws, tail)
    return 2 * draws.observed - high, 2 * draws.observed - low


def _bca(draws: Draws, tail: float) -> tuple[float, float]:
    """Percentile limits at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z₀ being the normal quantile of the share below θ.

    Replicates equal to θ, up to rounding, count by half: of a measure of few values many are.
    """
    z0 = NORMAL.inv_cdf(_share_below(draws))

    def at(share: float) -> float:
        z = z0 + NORMAL.inv_cdf(share)
        return quantile(draws.sorted, NORMAL.cdf(z0 + z / (1 - draws.acceleration * z)))

    return at(tail), at(1 - tail)


def _share_below(draws: Draws) -> float:
    """Share of the replicates below the estimate, and half of those that equal it."""
    margin = ROUNDING * max(1.0, abs(draws.observed))
    ends = draws.observed - margin, draws.observed + margin
    below = np.searchsorted(draws.sorted, ends, side="left")
    return float(below.sum()) / (2 * draws.sorted.size)


def _studentized(draws: Draws, tail: float) -> tuple[float, float]:
    assert draws.studentized is not None
    low, high = quantile(draws.studentized, 1 - tail), quantile(draws.studentized, tail)
    return draws.observed - low * draws.standard_error, draws.observed - high * draws.standard_error


METHODS = {"percentile": _percentile, "basic": _basic, "bca": _bca, "studentized": _studentized}
