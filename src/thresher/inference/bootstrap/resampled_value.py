"""`ResampledValue`: a value with its replicates, from which its interval or the test of a difference is made."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.design_warnings import DesignWarning, few_clusters, few_for_bootstrap, moved_by_resampling, noise_adds
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import (
    NO_CLUSTERS,
    WITHOUT_BIAS,
    Clusters,
    Draws,
    limits,
    obstacle,
    outside_limits_note,
    spread,
    widened_words,
    without_bias,
)
from thresher.inference.differences.difference import (
    Difference,
    inverted_p,
    no_difference,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.variance import Jackknife
from thresher.results import Estimate, about_value

SOURCE = "Efron & Tibshirani 1993; Robin et al. 2011"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResampledValue:
    """A value of the rows and of every replicate (NaN where undefined).

    `drawn` names the resampled units, `fewest` counts those of the smallest class. `left` is the jackknife that BCa
    needs, `studentized` the standard error and the sorted values (θ* − θ)/SE* of studentized limits. `is_given` says
    that the resamples were given.
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
        """Defined replicates in order, with what their limits need."""
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
        """Number of undefined replicates, which are never left out in silence."""
        lost, many = int(np.isnan(self.replicates).sum()), self.replicates.size
        return f"undefined in {lost:,} of {many:,} replicates" if lost else ""

    @property
    def _method(self) -> str:
        """How the replicates were made."""
        many = self.replicates.size
        words = replace(self.config, n=max(2, many)).describe(self.drawn)
        if self.is_given:
            words = f"{words.split(',')[0]}, {many:,} given resamples"
        groups = self.left.groups if self.left is not None else 0
        words += f", {self._note}" if self._note else ""
        return words + (f", acceleration from {groups} groups" if groups else "")

    def estimate(self, base: Estimate, *, level: float, is_biased: bool = False, moved: int = 0) -> Estimate:
        """Estimate with limits from the replicates, or the reason why it has none.

        A reason about the value stays, such as a number in place of 0/0, and so does an interval where replicates give
        none. `is_biased` and `moved` say how replicates of the measure behave (`Resampling`).
        """
        draws, method, kind = self.draws, self._method, self.config.method
        known, error = about_value(base.reason), spread(draws.sorted)
        if reason := obstacle(draws, kind):
            why = "; ".join([*known, f"no interval: {reason}", *filter(None, [self._note])])
            lacking = replace(base, standard_error=error if error > 0 and math.isfinite(error) else None, reason=why)
            return lacking if base.low is None else base
        if is_biased and kind == "percentile":
            draws, method = without_bias(draws), f"{method}, {WITHOUT_BIAS}"
        low, high = limits(draws, kind, (1 - level) / 2)
        method += widened_words(self.clusters) + outside_limits_note(self.value, low, high)
        warnings = self.warnings + (noise_adds() if is_biased else moved_by_resampling(self.fewest, least=moved))
        return replace(
            base, standard_error=error if math.isfinite(error) else None, low=low, high=high, level=level,
            method=method, warnings=warnings, reason="; ".join(known) or None,
        )  # fmt: skip

    def difference(self, design: str, name: str = "the measure") -> Difference:
        """Difference of a measure with limits and p value from its replicates."""
        method, kind, draws = f"{design} {self._method}", self.config.method, self.draws
        if math.isnan(self.value):
            undefined = undefined_difference(method, f"{name} is undefined for one of the two")
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
            reason: str | None = f"method={kind!r} is not there for this difference: take 'percentile' or 'basic'"
        else:
            reason = obstacle(draws, kind)
        limit = None if reason else lambda tail: limits(draws, kind, tail)
        if not error or math.isnan(error):
            why = "; ".join(filter(None, [reason or "the replicates have no spread", self._note]))
            return Difference(limits=limit, reason=why, **facts)
        z = self.value / error
        p = symmetric_p(z) if limit is None else inverted_p(self.value, limit, replicates=many)
        facts["replicates"] = None if limit is None else many
        return Difference(statistic=z, standard_error=error, limits=limit, p_value=p, reason=reason, **facts)
