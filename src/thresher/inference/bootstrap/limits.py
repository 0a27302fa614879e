"""From replicates to limits (percentile, basic, BCa and studentized), and to the test of a difference."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats
from thresher.design_warnings import DesignWarning, few_clusters, few_for_bootstrap, moved_by_resampling, noise_adds
from thresher.errors import Note, with_cause
from thresher.inference import limits as delta
from thresher.inference.bootstrap.config import Bootstrap, Method
from thresher.inference.differences.difference import (
    Difference,
    inverted_p,
    no_difference,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.estimates.forms import Resampling
from thresher.inference.limits import student_quantile
from thresher.inference.variance import Jackknife
from thresher.results import Estimate, about_value

NORMAL = NormalDist()

ROUNDING = 1e-12
"""Relative rounding error of equal values."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Number of resampled clusters, and of their strata."""

    count: int
    strata: int = 1

    @property
    def df(self) -> int:
        """Degrees of freedom of their spread."""
        return max(0, self.count - self.strata)

    @property
    def factor(self) -> float:
        """Correction of the spread of resampled clusters, which is too small by √((k − strata)/k)."""
        return math.sqrt(self.count / self.df)


NO_CLUSTERS = Clusters(0)


def clusters_of(drawn: str, sizes: NDArray[np.int64]) -> Clusters:
    """Clusters among the resampled units, from their number in each stratum; none for rows.

    >>> clusters_of("clusters within classes", np.array([6, 4])), clusters_of("rows", np.array([10])).count
    (Clusters(count=10, strata=2), 0)
    """
    return Clusters(int(sizes.sum()), len(sizes)) if drawn.startswith("clusters") else NO_CLUSTERS


def fewer(one: Clusters, two: Clusters) -> Clusters:
    """The clusters of two samples with fewer degrees of freedom."""
    return min(one, two, key=lambda clusters: clusters.df)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """One statistic: its value, its defined replicates in order, and inputs of its kind of interval.

    `clusters` are the resampled ones, if any. `acceleration` is for BCa; `standard_error` and the sorted `studentized`
    values (θ* − θ)/SE* are for studentized limits.
    """

    observed: float
    sorted: Floats
    bounds: tuple[float, float]
    clusters: Clusters = NO_CLUSTERS
    acceleration: float = math.nan
    standard_error: float = math.nan
    studentized: Floats | None = None


def quantile(values: Floats, share: float) -> float:
    """Quantile of sorted replicates as in R's `boot.ci`.

    With k = ⌊(n + 1)·share⌋ it is the k-th value if (n + 1)·share is whole, else between the k-th and the next, linear
    in the normal quantiles of their ranks over n + 1; the smallest or largest value beyond them.

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
    """Lower and upper limit inside the range of the statistic; each errs with probability `tail`.

    Limits of clusters are at least Student's limits with the spread of the replicates, on the scale of the range: the
    quantiles of few clusters end too soon, mostly near an edge of the range (docs/coverage.md). NaN if the method
    cannot give one (`obstacle`).
    """
    low, high = METHODS[method](draws, widened(tail, draws.clusters))
    if draws.clusters.df > 0 and math.isfinite(error := draws.clusters.factor * spread(draws.sorted)):
        ends = delta.limits(draws.observed, error, draws.bounds, student_quantile(1 - tail, draws.clusters.df))
        low, high = min(low, ends[0]), max(high, ends[1])
    return max(low, draws.bounds[0]), min(high, draws.bounds[1])


def widened(tail: float, clusters: Clusters) -> float:
    """Share of the replicates beyond a limit that errs with probability `tail`, for clusters: Φ(−√(k/df)·t).

    t is Student's quantile with k − 1 degrees of freedom, k − 2 for clusters within two classes: the spread of k
    clusters is estimated, and the spread of their resamples is too small by √(df/k).

    >>> round(widened(0.025, Clusters(20)), 4), widened(0.025, NO_CLUSTERS)
    (0.0159, 0.025)

    Hesterberg 2015, "What teachers should know about the bootstrap", section 4.2.
    """
    return tail if clusters.df < 1 else NORMAL.cdf(NORMAL.inv_cdf(tail) * stretch(tail, clusters))


def stretch(tail: float, clusters: Clusters) -> float:
    """Ratio of Student's limits for so many clusters to normal limits; 1 for rows.

    >>> round(stretch(0.025, Clusters(20)), 4), stretch(0.025, NO_CLUSTERS)
    (1.0956, 1.0)
    """
    if clusters.df < 1:
        return 1.0
    return clusters.factor * student_quantile(1 - tail, clusters.df) / NORMAL.inv_cdf(1 - tail)


def widened_words(clusters: Clusters, what: str = "clusters") -> str:
    """Words for widened limits."""
    return f", widened for {clusters.count:,} {what}" if clusters.df > 0 else ""


def spread(values: Floats) -> float:
    """Standard deviation of replicates; NaN with fewer than two or infinite ones."""
    if values.size < 2 or not np.isfinite(values).all():
        return math.nan
    return float(values.std(ddof=1)) if values[0] != values[-1] else 0.0


WITHOUT_BIAS = "less twice its bias"
"""Words for bias-corrected limits."""


def outside_limits_note(value: float, low: float, high: float) -> str:
    """Words for limits without the value, as of a measure that resampling shifts.

    >>> outside_limits_note(0.2, 0.3, 0.4), outside_limits_note(0.3, 0.3, 0.4)
    (', which misses the value because resampling shifts this measure', '')
    """
    moved = value < low or value > high
    return f", {MOVED}" if moved else ""


MOVED = "which misses the value because resampling shifts this measure"
"""Words for an interval without its value."""


def obstacle(draws: Draws, method: Method) -> Note | None:
    """Why the replicates give no interval; None if they do."""
    if draws.sorted.size < 2:
        return Note("no-spread", "fewer than two replicates are defined")
    if draws.sorted[0] == draws.sorted[-1]:
        return Note("no-spread", "all replicates are equal, so the bootstrap shows no uncertainty here")
    if method == "bca" and _share_below(draws) in (0.0, 1.0):
        return Note("no-spread", "all replicates are on one side of the estimate, so BCa's bias correction is infinite")
    if method == "bca" and math.isnan(draws.acceleration):
        return Note("no-spread", "without one of the rows the measure is undefined, so BCa lacks an acceleration")
    if method == "studentized" and (draws.studentized is None or draws.studentized.size < 2):
        return Note("no-spread", "the standard error is undefined or 0 in the data or in nearly all replicates")
    return None


def _percentile(draws: Draws, tail: float) -> tuple[float, float]:
    return quantile(draws.sorted, tail), quantile(draws.sorted, 1 - tail)


def _basic(draws: Draws, tail: float) -> tuple[float, float]:
    low, high = _percentile(draws, tail)
    return 2 * draws.observed - high, 2 * draws.observed - low


def _bca(draws: Draws, tail: float) -> tuple[float, float]:
    """Percentile limits at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z₀ being the normal quantile of the share below θ.

    Replicates equal to θ, up to rounding, count by half: a measure with few values has many.
    """
    z0 = NORMAL.inv_cdf(_share_below(draws))

    def at(share: float) -> float:
        z = z0 + NORMAL.inv_cdf(share)
        return quantile(draws.sorted, NORMAL.cdf(z0 + z / (1 - draws.acceleration * z)))

    return at(tail), at(1 - tail)


def _share_below(draws: Draws) -> float:
    """Share of the replicates below the estimate, plus half of the equal ones."""
    margin = ROUNDING * max(1.0, abs(draws.observed))
    ends = draws.observed - margin, draws.observed + margin
    below = np.searchsorted(draws.sorted, ends, side="left")
    return float(below.sum()) / (2 * draws.sorted.size)


def _studentized(draws: Draws, tail: float) -> tuple[float, float]:
    assert draws.studentized is not None
    low, high = quantile(draws.studentized, 1 - tail), quantile(draws.studentized, tail)
    return draws.observed - low * draws.standard_error, draws.observed - high * draws.standard_error


METHODS = {"percentile": _percentile, "basic": _basic, "bca": _bca, "studentized": _studentized}


SOURCE = "Efron & Tibshirani 1993; Robin et al. 2011"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResampledValue:
    """A value of the rows and of every replicate (NaN if undefined).

    `drawn` names the resampled units, `fewest` counts them in the smallest class. `left` is the jackknife for BCa,
    `studentized` the standard error and the sorted values (θ* − θ)/SE* of studentized limits. `is_given` marks given
    resamples.
    """

    value: float
    replicates: Floats
    bounds: tuple[float, float]
    config: Bootstrap
    drawn: str
    clusters: Clusters = NO_CLUSTERS
    fewest: int = 0
    left: Jackknife | None = None
    studentized: tuple[float, Floats | None] = (math.nan, None)
    is_given: bool = False

    @property
    def draws(self) -> Draws:
        """Defined replicates in order, with the inputs of their limits."""
        error, studentized = self.studentized
        return Draws(
            observed=self.value, sorted=np.sort(self.replicates[~np.isnan(self.replicates)]), bounds=self.bounds,
            clusters=self.clusters, acceleration=math.nan if self.left is None else self.left.acceleration,
            standard_error=error, studentized=studentized,
        )  # fmt: skip

    @property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Few clusters, or few rows of the smallest class."""
        return few_clusters(self.clusters.count) if self.clusters.count else few_for_bootstrap(self.fewest)

    @property
    def _note(self) -> str:
        lost, many = int(np.isnan(self.replicates).sum()), self.replicates.size
        return f"undefined in {lost:,} of {many:,} replicates" if lost else ""

    @property
    def _method(self) -> str:
        many = self.replicates.size
        words = replace(self.config, n=max(2, many)).describe(self.drawn)
        if self.is_given:
            words = f"{words.split(',')[0]}, {many:,} given resamples"
        groups = self.left.groups if self.left is not None else 0
        words += f", {self._note}" if self._note else ""
        return words + (f", acceleration from {groups} groups" if groups else "")

    def estimate(self, base: Estimate, own: Resampling, *, level: float) -> Estimate:
        """Estimate with limits from the replicates, or the reason without limits.

        A reason about the value stays, such as a number in place of 0/0, and so does an interval if replicates give
        none. `own` says how replicates of the measure behave.
        """
        draws, method, kind = self.draws, self._method, self.config.method
        known, error = about_value(base.reason), spread(draws.sorted)
        if reason := obstacle(draws, kind):
            words = [f"no interval: {reason}", *filter(None, [self._note])]
            why = with_cause(known, Note(reason.code, "; ".join(words)))
            lacking = replace(base, standard_error=error if error > 0 and math.isfinite(error) else None, reason=why)
            return lacking if base.low is None else base
        if own.is_biased and kind == "percentile":
            # Noise moves the value from the truth as resampling moves the replicates from it.
            bias = float(draws.sorted.mean()) - draws.observed
            draws = replace(draws, sorted=np.clip(draws.sorted - 2 * bias, *draws.bounds))
            method += f", {WITHOUT_BIAS}"
        low, high = limits(draws, kind, (1 - level) / 2)
        method += widened_words(self.clusters) + outside_limits_note(self.value, low, high)
        moved = noise_adds() if own.is_error else moved_by_resampling(self.fewest, least=own.min_rows_for_bootstrap)
        return replace(
            base, standard_error=error if math.isfinite(error) else None, low=low, high=high, level=level,
            method=method, warnings=self.warnings + moved, reason=known,
        )  # fmt: skip

    def difference(self, design: str, name: str = "the measure") -> Difference:
        """Difference of a measure with limits and p value from its replicates."""
        method, kind, draws = f"{design} {self._method}", self.config.method, self.draws
        if math.isnan(self.value):
            undefined = undefined_difference(method, Note("undefined", f"{name} is undefined for one of the two"))
            return replace(undefined, warnings=self.warnings)
        error, many = spread(draws.sorted), draws.sorted.size
        facts: dict[str, Any] = {
            "value": self.value, "method": method + widened_words(self.clusters), "bounds": self.bounds,
            "assumptions": f"independent {self.drawn.split()[0]}; a difference that is near normal",
            "source": SOURCE, "limits_by_error": False, "replicates": many, "warnings": self.warnings,
        }  # fmt: skip
        if self.value == 0 and many and not draws.sorted.any():
            return no_difference(**facts)
        if kind == "studentized" or (kind == "bca" and design == "unpaired"):
            text = f"method={kind!r} does not serve this difference: use 'percentile' or 'basic'"
            reason: Note | None = Note("no-formula", text)
        else:
            reason = obstacle(draws, kind)
        limit = None if reason else lambda tail: limits(draws, kind, tail)
        if not error or math.isnan(error):
            lost = Note("undefined-replicates", self._note) if self._note else None
            why = with_cause(reason or Note("no-spread", "all replicates are equal"), lost)
            return Difference(limits=limit, reason=why, **facts)
        z = self.value / error
        p = symmetric_p(z) if limit is None else inverted_p(self.value, limit, replicates=many)
        facts["replicates"] = None if limit is None else many
        return Difference(statistic=z, standard_error=error, limits=limit, p_value=p, reason=reason, **facts)
