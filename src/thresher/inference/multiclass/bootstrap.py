"""The bootstrap of rows with several classes: how often each row is drawn, whatever is computed from that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.progress import Progress, watcher
from thresher.conventions import Floats
from thresher.design_warnings import DesignWarning, few_clusters, few_for_bootstrap, noise_adds
from thresher.errors import OptionError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.jackknife import GROUPS, MOST
from thresher.inference.bootstrap.limits import (
    NO_CLUSTERS,
    WITHOUT_BIAS,
    Clusters,
    Draws,
    beside,
    clusters_of,
    limits,
    obstacle,
    widened_words,
    without_bias,
)
from thresher.inference.bootstrap.sample import repeats
from thresher.inference.differences.difference import Difference, inverted_p, no_difference, undefined_difference
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.inference.multiclass.units import ClassUnits, Drawn
from thresher.inference.variance import Jackknife
from thresher.predictions import Predictions
from thresher.results import Estimate, about_value

AT_ONCE = 20
"""Replicates after which a watcher is told."""

Statistic = Callable[[Drawn], Floats]
"""From how often each row is drawn, (R, n), to one or several values for each resample, (R, values)."""


@dataclass(frozen=True, slots=True, eq=False)
class ByWeights:
    """Statistic of one resample after the other, `of` taking the weights of all rows."""

    of: Callable[[Floats], Sequence[float]]
    weights: Floats | None = None

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, values) on resamples (R, n)."""
        weighted = drawn.astype(np.float64) if self.weights is None else drawn * self.weights
        return np.array([self.of(each) for each in weighted], dtype=np.float64).reshape(len(drawn), -1)


def unrolled(rows: Predictions) -> Predictions:
    """Rows repeated as often as their frequency weights say, so that rows can be drawn.

    Raises:
        InputError: frequency weights that are not whole, or more rows than can be drawn.
    """
    if rows.weights is None or rows.weight_kind != "frequency":
        return rows
    return replace(rows.take(repeats(rows.weights)), weights=None, weight_kind=None)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Replicated:
    """Values of a statistic on the rows (`observed`), on every replicate (`values`, one row each), and what was drawn.

    `accelerations` are for BCa, made of so many `groups` of units, 0 when each was left out alone; `clusters` are
    those that were drawn, `fewest` the units of the smallest stratum.
    """

    observed: Floats
    values: Floats
    drawn: str
    accelerations: Floats | None = None
    groups: int = 0
    clusters: Clusters = NO_CLUSTERS
    fewest: int = 0

    @property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Few clusters, or few rows of the smallest class."""
        return few_clusters(self.clusters.count) if self.clusters.count else few_for_bootstrap(self.fewest)

    def acceleration(self, k: int) -> float:
        """Acceleration of the k-th value; NaN where none was needed."""
        return math.nan if self.accelerations is None else float(self.accelerations[k])

    @property
    def said(self) -> str:
        """What the name of the method tells of the acceleration and of clusters."""
        groups = f", acceleration from {self.groups} groups" if self.groups else ""
        return groups + widened_words(self.clusters)


def replicates(rows: Predictions, statistic: Statistic, config: Bootstrap) -> Replicated:
    """Values of a statistic of the rows on every replicate.

    Raises:
        OptionError: the settings name a kind of interval or a column that there is not.
    """
    return replicated(_units(rows, config), statistic, config)


def replicated(units: ClassUnits, of: Statistic, config: Bootstrap, progress: Progress | None = None) -> Replicated:
    """Values of a statistic on every replicate of some units, and without each of them where BCa needs that.

    Raises:
        OptionError: the kind of interval is not there for several classes.
    """
    if config.method == "studentized":
        raise OptionError("method='studentized' is not there for several classes: take 'bca'.")
    values = over_resamples(units, of, config, progress)
    observed = of(np.ones((1, units.unit.size), dtype=np.uint8))[0]
    facts: dict[str, Any] = {"drawn": units.drawn, "clusters": clusters_of(units.drawn, units.sizes)}
    facts["fewest"] = int(units.sizes.min(initial=units.count))
    if config.method != "bca":
        return Replicated(observed=observed, values=values, **facts)
    groups = GROUPS if units.count > MOST else 0
    left = np.concatenate([of(kept) for kept in units.left_out(groups or None)])
    pairs = zip(observed, left.T, strict=True)
    knives = [Jackknife(observed=float(value), values=column) for value, column in pairs]
    accelerations = np.array([knife.acceleration for knife in knives])
    return Replicated(observed=observed, values=values, accelerations=accelerations, groups=groups, **facts)


def over_resamples(
    units: ClassUnits,
    of: Statistic,
    config: Bootstrap,
    progress: Progress | None = None,
) -> Floats:
    """Values (n, values) on every replicate; `of` takes how often each row is in some of them, (some, rows).

    Whoever watches is told now and then.
    """
    found, done = [], 0
    for drawn in units.resamples(config.n, config.rng):
        for part in np.array_split(drawn, max(1, len(drawn) // AT_ONCE)):
            found.append(of(part))
            done += len(part)
            watcher(progress)(done, config.n)
    return np.concatenate(found)


def _units(rows: Predictions, config: Bootstrap) -> ClassUnits:
    """Rows or clusters that are drawn, within classes where rows have one each and that is wanted."""
    has_classes = rows.task != "multilabel"
    codes = rows.truth.astype(np.int64) if has_classes else np.zeros(len(rows), dtype=np.int64)
    return ClassUnits.of(codes, clusters=_clusters(rows, config), stratified=config.stratified and has_classes)


def _clusters(rows: Predictions, config: Bootstrap) -> NDArray[np.int64] | None:
    if config.clusters is False or (config.clusters is None and rows.cluster is None):
        return None
    if config.clusters is None and rows.cluster is not None:
        return np.asarray(rows.cluster.codes)
    name = str(config.clusters)
    if name not in rows.by:
        raise OptionError(f"clusters={name!r} is no group column; there are: {', '.join(rows.by) or 'none'}.")
    return np.asarray(rows.by[name].codes)


def resampled(
    found: Sequence[Estimate],
    bounds: Sequence[tuple[float, float]],
    drawn: Replicated,
    config: Bootstrap,
    *,
    level: float,
) -> dict[str, Estimate]:
    """Estimates with limits from the replicates, or the reason why there are none; undefined replicates are said."""
    return {
        estimate.name: with_limits(estimate, drawn, k, config, level=level, bounds=ends)
        for k, (estimate, ends) in enumerate(zip(found, bounds, strict=True))
    }


def with_limits(
    estimate: Estimate,
    drawn: Replicated,
    k: int,
    config: Bootstrap,
    *,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """Estimate with limits from the k-th values of the replicates, or the reason why it has none.

    A reason that is about the value, such as a number that stands for 0/0, stays, and so does an interval where
    replicates give none.
    """
    values = drawn.values[:, k]
    kept = np.sort(values[~np.isnan(values)])
    lost = len(values) - len(kept)
    note = f", undefined in {lost:,} of {len(values):,} replicates" if lost else ""
    facts: dict[str, Any] = {"acceleration": drawn.acceleration(k), "clusters": drawn.clusters}
    found = Draws(observed=estimate.value, sorted=kept, bounds=bounds, **facts)
    known = about_value(estimate.reason)
    if reason := obstacle(found, config.method):
        lacking = replace(estimate, reason="; ".join([*known, f"no interval, as {reason}{note}"]))
        return lacking if estimate.low is None else estimate
    error, method = float(kept.std(ddof=1)), config.describe(drawn.drawn) + note + drawn.said
    warnings = drawn.warnings
    if methods_of_posteriors(estimate.name).is_biased:
        warnings = (*warnings, *noise_adds())
        if config.method == "percentile":
            found, method = without_bias(found), f"{method}, {WITHOUT_BIAS}"
    low, high = limits(found, config.method, (1 - level) / 2)
    method += beside(estimate.value, low, high)
    facts = {"low": low, "high": high, "level": level, "method": method, "reason": "; ".join(known) or None}
    return replace(estimate, standard_error=error, warnings=warnings, **facts)


def resampled_difference(
    drawn: Replicated, bounds: tuple[float, float], config: Bootstrap, *, design: str
) -> Difference:
    """Difference of two models with its limits and p value from the replicates of it, the first values."""
    observed, values = float(drawn.observed[0]), drawn.values[:, 0]
    method = f"{design} {config.describe(drawn.drawn)}{drawn.said}"
    if np.isnan(observed):
        return undefined_difference(method, "the measure is undefined for one of the two")
    kept = np.sort(values[~np.isnan(values)])
    draws = Draws(
        observed=observed, sorted=kept, bounds=bounds, acceleration=drawn.acceleration(0), clusters=drawn.clusters
    )
    facts: dict[str, Any] = {
        "assumptions": f"independent {drawn.drawn.split(maxsplit=1)[0]}; a difference that is near normal"
    }
    facts |= {"bounds": bounds, "source": "Efron & Tibshirani 1993", "limits_by_error": False, "replicates": kept.size}
    if observed == 0 and kept.size and not kept.any():
        return no_difference(method=method, **facts)
    if reason := obstacle(draws, config.method):
        return Difference(value=observed, method=method, reason=reason, **facts)
    error = float(kept.std(ddof=1))

    def limit(tail: float) -> tuple[float, float]:
        return limits(draws, config.method, tail)

    return Difference(
        value=observed,
        method=method,
        warnings=drawn.warnings,
        statistic=observed / error,
        standard_error=error,
        limits=limit,
        p_value=inverted_p(observed, limit, replicates=kept.size),
        **facts,
    )
