"""Bootstrap intervals of any measure, and of the difference of two models on the same rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.progress import Progress
from thresher.conventions import LEVEL, Floats, Undefined, confidence_level, divide
from thresher.counts import ScoreTable
from thresher.design_warnings import DesignWarning, few_clusters, few_for_bootstrap, moved_by_resampling, noise_adds
from thresher.errors import OptionError
from thresher.inference.auc.delong import delong_variance
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.jackknife import leave_one_out, unit_by_unit
from thresher.inference.bootstrap.limits import (
    WITHOUT_BIAS,
    Clusters,
    Draws,
    beside,
    clusters_of,
    fewer,
    limits,
    obstacle,
    spread,
    widened_words,
    without_bias,
)
from thresher.inference.bootstrap.replicates import Replicates, bootstrap_replicates
from thresher.inference.bootstrap.sample import Data, Sample, Scored
from thresher.inference.bootstrap.statistics import BestF1, BestF1Threshold, Resolved, RocAt, Statistic, cells_of
from thresher.inference.differences.difference import (
    Difference,
    inverted_p,
    no_difference,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.estimates.methods import methods_of
from thresher.inference.variance import differences
from thresher.measures.registry import reason_undefined
from thresher.predictions import Predictions
from thresher.results import Estimate

__all__ = [
    "BestF1",
    "BestF1Threshold",
    "Bootstrap",
    "Replicates",
    "RocAt",
    "bootstrap_difference",
    "bootstrap_difference_unpaired",
    "bootstrap_interval",
    "bootstrap_replicates",
    "estimates_of",
]


def bootstrap_interval(
    data: Data,
    measure: Statistic,
    config: Bootstrap | None = None,
    *,
    level: float = LEVEL,
    model: str | None = None,
    threshold: float | None = None,
    resamples: ArrayLike | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    undefined: Undefined = "nan",
    **parameters: Any,
) -> Estimate:
    """Estimate of a measure with its bootstrap interval.

    Args:
        data: a score or threshold table, or predictions.
        measure: a registered measure (of decisions with `threshold=`), `RocAt(fpr)`, `BestF1()`,
            `BestF1Threshold()`, or any function of a `ScoreTable` that returns a number.
        config: how replicates are drawn, and which interval; `Bootstrap()` by default.
        level: confidence level.
        model: which of the predictions' models; the only one by default.
        threshold: where a measure of decisions cuts.
        resamples: (replicates, rows) row indices from 0, instead of draws.
        progress: called with the replicates done and wanted.
        threads: at most so many; the numbers do not depend on it.
        undefined: a number stands for 0/0, in the estimate and in its replicates.
        parameters: of the measure, such as `beta=2`.

    Limits of whole clusters are widened for their number, as the quantiles are too narrow with few of them.
    The standard error is the standard deviation of the replicates. Replicates on which the measure is undefined are
    left out, and `method` says how many. There is no interval, and a reason, when the measure is undefined or all
    replicates are equal. BCa counts replicates equal to the estimate by half, and its acceleration is the jackknife's.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as for `bootstrap_replicates`.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> bootstrap_interval(table, "auc", Bootstrap(n=500))
    Estimate(auc = 0.76 [0.36, 1], 95% bootstrap percentile, 500 replicates of rows within classes, seed 0)

    Efron 1987; Efron & Tibshirani 1993; Davison & Hinkley 1997.
    """
    confidence_level(level)
    found = bootstrap_replicates(
        data, measure, config, models=(model,), threshold=threshold, resamples=resamples, progress=progress,
        threads=threads, undefined=undefined, **parameters,
    )  # fmt: skip
    return estimates_of(found, level=level)[0]


def estimates_of(found: Replicates, *, level: float = LEVEL, model: int = 0) -> list[Estimate]:
    """Estimates with bootstrap intervals of every statistic of one model, from the same replicates."""
    confidence_level(level)
    return [_estimate(found, model, k, level) for k in range(len(found.names))]


def _estimate(found: Replicates, model: int, k: int, level: float) -> Estimate:
    resolved, scored = found.statistics[model][k], found.sample.models[model]
    observed = float(found.observed[model, k])
    base = Estimate(name=resolved.name, value=observed, n=float(found.sample.units))
    if math.isnan(observed):
        known = None if resolved.entry is None or resolved.decision else reason_undefined(resolved.entry, scored.table)
        return replace(base, reason=known or "it is 0/0")
    values = found.values[:, model, k]
    method, note = _described(found, values)
    clusters = _clusters(found)
    draws = Draws(observed=observed, sorted=_defined(values), bounds=resolved.bounds, clusters=clusters)
    if found.config.method == "bca":
        left = leave_one_out(found.sample, scored, resolved)
        draws = replace(draws, acceleration=left.acceleration)
        method += f", acceleration from {left.groups} groups" if left.groups else ""
    if found.config.method == "studentized":
        draws = _with_errors(draws, found, model, k)
    error = spread(draws.sorted)
    known_error = error if math.isfinite(error) else None
    if reason := obstacle(draws, found.config.method):
        return replace(base, standard_error=known_error or None, reason=f"no interval: {reason}{note}")
    own, warnings = methods_of(resolved.name).resampling, _warnings(found, scored)
    moved = noise_adds() if own.is_biased else moved_by_resampling(_fewest(scored), least=own.moved)
    if own.is_biased and found.config.method == "percentile":
        draws, method = without_bias(draws), f"{method}, {WITHOUT_BIAS}"
    low, high = limits(draws, found.config.method, (1 - level) / 2)
    method += widened_words(clusters) + beside(observed, low, high)
    warnings += moved
    return replace(base, standard_error=known_error, low=low, high=high, level=level, method=method, warnings=warnings)


def _warnings(found: Replicates, scored: Scored) -> tuple[DesignWarning, ...]:
    """Few clusters, or few rows of the smaller class."""
    clusters = _clusters(found).count
    return few_clusters(clusters) if clusters else few_for_bootstrap(_fewest(scored))


def _fewest(scored: Scored) -> int:
    """Rows of the smaller class."""
    table = scored.table
    counts = (table.positive, table.negative) if table.positive_squares is None else (scored.positive, scored.negative)
    return min(int(side.sum()) for side in counts)


def bootstrap_difference(
    predictions: Predictions,
    a: str,
    b: str,
    measure: Statistic,
    config: Bootstrap | None = None,
    *,
    threshold: float | None = None,
    resamples: ArrayLike | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> Difference:
    """Difference of a measure between two models, a minus b, on the same resampled rows.

    The limits are the configuration's and the p value the error rate at which they reach 0, so that both agree; the
    statistic is Z = d/SD of the replicated differences, which is normal where they are. Two models with the same value
    in the data and in every replicate have difference 0, no width and p = 1.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as for `bootstrap_replicates`.

    Source: Hanley & McNeil 1983 for Z; Robin et al. 2011 for its bootstrap form.

    >>> rows = Predictions(truth=np.array([1, 0] * 5, dtype=np.uint8), classes=(0, 1),
    ...                    scores={"a": np.arange(10.0), "b": np.arange(10.0) ** 3})
    >>> bootstrap_difference(rows, "a", "b", "auc").p()
    1.0
    """
    found = bootstrap_replicates(
        predictions, measure, config, models=(a, b), threshold=threshold, resamples=resamples, progress=progress,
        threads=threads, **parameters,
    )  # fmt: skip
    first, second = (statistics[0] for statistics in found.statistics)
    values, observed = (_apart(each[..., 0, 0], each[..., 1, 0]) for each in (found.values, found.observed))
    draws = Draws(observed=float(observed), sorted=_defined(values), bounds=_bounds(first.bounds, second.bounds))
    if found.config.method == "bca" and draws.sorted.size > 1 and draws.sorted[0] < draws.sorted[-1]:
        pair = zip(found.sample.models, (first, second), strict=True)
        one, two = (unit_by_unit(found.sample, scored, resolved) for scored, resolved in pair)
        draws = replace(draws, acceleration=differences(one, two).acceleration)
    return replace(_difference(draws, found, values, "paired"), warnings=_warnings(found, found.sample.models[0]))


def _apart(first: Floats, second: Floats) -> Floats:
    """Differences of values; equal ones have none, infinite ones among them."""
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)


def bootstrap_difference_unpaired(
    a: Data,
    b: Data,
    measure: Statistic,
    config: Bootstrap | None = None,
    *,
    models: tuple[str | None, str | None] = (None, None),
    threshold: float | None = None,
    **parameters: Any,
) -> Difference:
    """Difference of a measure between two samples of different rows, a minus b, each resampled for itself.

    Z and limits are those of `bootstrap_difference`; percentile and basic limits only.

    >>> from thresher.counts import ScoreTable
    >>> tables = [ScoreTable.from_scores([1, 1, 0, 1, 0], scores) for scores in ([5, 4, 3, 2, 1], [5, 4, 3, 1, 2])]
    >>> round(bootstrap_difference_unpaired(*tables, "auc", Bootstrap(n=200)).value, 4)
    0.1667

    Source: Efron & Tibshirani 1993, section 8.3.
    """
    config = config or Bootstrap()
    # The second sample's streams are others, or equal data would be resampled alike.
    configs = config, replace(config, rng=(config.rng + 0x9E3779B97F4A7C15) % 2**63)
    found = [
        bootstrap_replicates(data, measure, settings, models=(model,), threshold=threshold, **parameters)
        for data, settings, model in zip((a, b), configs, models, strict=True)
    ]
    values = _apart(found[0].values[:, 0, 0], found[1].values[:, 0, 0])
    observed = float(_apart(found[0].observed[0, 0], found[1].observed[0, 0]))
    bounds = _bounds(found[0].statistics[0][0].bounds, found[1].statistics[0][0].bounds)
    draws = Draws(observed=observed, sorted=_defined(values), bounds=bounds, clusters=fewer(*map(_clusters, found)))
    weaker = min(found, key=lambda each: _clusters(each).count or _fewest(each.sample.models[0]))
    warnings = _warnings(weaker, weaker.sample.models[0])
    return replace(_difference(draws, found[0], values, "unpaired"), warnings=warnings)


def _difference(draws: Draws, found: Replicates, values: Floats, design: str) -> Difference:
    words, note = _described(found, values)
    method = f"{design} {words}"
    if math.isnan(draws.observed):
        return undefined_difference(method, f"{found.names[0]} is undefined for one of the two")
    error, kind = spread(draws.sorted), found.config.method
    draws = draws if draws.clusters.count else replace(draws, clusters=_clusters(found))
    method += widened_words(draws.clusters)
    facts: dict[str, Any] = {
        "value": draws.observed, "method": method, "bounds": draws.bounds,
        "assumptions": f"independent {found.sample.drawn.split()[0]}; a difference that is near normal",
        "source": "Efron & Tibshirani 1993; Robin et al. 2011", "limits_by_error": False,
        "replicates": draws.sorted.size,
    }  # fmt: skip
    if draws.observed == 0 and draws.sorted.size and not draws.sorted.any():
        return no_difference(**facts)
    if kind == "studentized" or (kind == "bca" and design == "unpaired"):
        reason: str | None = f"method={kind!r} is not there for this difference: take 'percentile' or 'basic'"
    else:
        reason = obstacle(draws, kind)
    limit = None if reason else lambda tail: limits(draws, kind, tail)
    if not error or math.isnan(error):
        return Difference(limits=limit, reason=f"{reason or 'the replicates have no spread'}{note}", **facts)
    z = draws.observed / error
    p = symmetric_p(z) if limit is None else inverted_p(draws.observed, limit, replicates=draws.sorted.size)
    facts["replicates"] = None if limit is None else facts["replicates"]
    return Difference(statistic=z, standard_error=error, limits=limit, p_value=p, reason=reason, **facts)


def _clusters(found: Replicates) -> Clusters:
    return clusters_of(found.sample.drawn, found.sample.sizes)


def _with_errors(draws: Draws, found: Replicates, model: int, k: int) -> Draws:
    """Add what studentized limits take."""
    resolved, scored = found.statistics[model][k], found.sample.models[model]
    error, errors = standard_errors(found.sample, scored, resolved, found.config)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (found.values[:, model, k] - draws.observed) / errors
    usable = np.sort(t[np.isfinite(t)])
    return replace(draws, standard_error=error, studentized=usable if error > 0 else None)


def _described(found: Replicates, values: Floats) -> tuple[str, str]:
    """How the replicates were made, and a note about undefined ones, which are never left out in silence."""
    config = replace(found.config, n=max(2, len(values)))
    words = config.describe(found.sample.drawn)
    if found.given:
        words = f"{words.split(',')[0]}, {len(values):,} given resamples"
    lost = int(np.isnan(values).sum())
    note = f"; undefined in {lost:,} of {len(values):,} replicates" if lost else ""
    return words + note.replace(";", ",", 1), note


def _defined(values: Floats) -> Floats:
    return np.sort(values[~np.isnan(values)])


def _bounds(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return a[0] - b[1], a[1] - b[0]


def standard_errors(sample: Sample, scored: Scored, resolved: Resolved, config: Bootstrap) -> tuple[float, Floats]:
    """Standard error on the data and on each replicate: DeLong's of the AUC, √(p(1 − p)/trials) of a proportion.

    Raises:
        OptionError: the measure has no standard error, or rows have importance weights or clusters.
    """
    known = methods_of(resolved.name).line is not None or (resolved.entry is not None and resolved.entry.proportion)
    if not known or (resolved.entry is not None and scored.table.prior is not None):
        raise OptionError(
            f"method='studentized' needs a standard error in every replicate, which is there for the AUC, Gini and "
            f"proportions, not for {resolved.name}: take method='bca'."
        )
    if scored.rows.weights is not None or sample.drawn.startswith("clusters"):
        raise OptionError("method='studentized' takes rows that count once, without clusters: take method='bca'.")
    found = np.empty(config.n)
    for part, tables in sample.batches(scored, config):
        found[part] = _errors(tables, resolved)
    one = replace(scored.table, positive=scored.table.positive[None], negative=scored.table.negative[None])
    return float(_errors(one, resolved)[0]), found


def _errors(tables: ScoreTable, resolved: Resolved) -> Floats:
    if (line := methods_of(resolved.name).line) is not None:
        parts = (replace(tables, positive=p, negative=n) for p, n in zip(tables.positive, tables.negative, strict=True))
        variances = np.array([delong_variance(part).variance for part in parts])
        return np.asarray(line[0] * np.sqrt(variances))
    assert resolved.entry is not None
    tp, fp = (column[..., : resolved.cut].sum(axis=-1) for column in (tables.positive, tables.negative))
    successes, trials = (np.asarray(x) for x in _ratio(resolved, tp, fp, tables))
    share = divide(successes, trials)
    return np.asarray(np.sqrt(divide(share * (1 - share), trials)))


def _ratio(resolved: Resolved, tp: Any, fp: Any, tables: ScoreTable) -> tuple[Any, Any]:
    assert resolved.entry is not None
    return resolved.entry.ratio(cells_of(tp, fp, tables.P, tables.N))
