"""Bootstrap and jackknife intervals of any measure, and bootstrap intervals of the difference of two models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.threads import Progress
from thresher.conventions import LEVEL, Floats, Undefined, confidence_level, divide
from thresher.counts import ScoreTable
from thresher.errors import OptionError
from thresher.inference.auc.delong import delong_variance
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import fewer
from thresher.inference.bootstrap.replicates import Replicates, bootstrap_replicates
from thresher.inference.bootstrap.sample import Data, Sample, Scored, cells_of_model, chunks, sample_of
from thresher.inference.bootstrap.statistics import Resolved, Statistic, cells_of, resolve
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.estimates.methods import methods_of
from thresher.inference.variance import Jackknife, differences, groups_of, jackknife_estimate
from thresher.measures.registry import reason_undefined
from thresher.predictions import Predictions
from thresher.results import ZERO_BY_ZERO, Estimate


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
        measure: a registered measure (a threshold metric with `threshold=`), `RocAt(fpr)`, `BestF1()`,
            `BestF1Threshold()`, or any function of a `ScoreTable` that returns a number.
        config: settings of replicates and interval; `Bootstrap()` by default.
        level: confidence level.
        model: one of the predictions' models; the only one by default.
        threshold: threshold of a threshold metric.
        resamples: (replicates, rows) row indices from 0, instead of draws.
        progress: called with the numbers of finished and of all replicates.
        threads: most threads; the numbers do not depend on it. Statistics of your own may run in several at once.
        undefined: number in place of 0/0, in the estimate and in its replicates.
        parameters: of the measure, such as `beta=2`.

    Limits of resampled clusters are widened for their number, as quantiles are too narrow with few of them. The
    standard error is the standard deviation of the replicates. Undefined replicates are left out, and `method` reports
    their number. If the measure is undefined or all replicates are equal, the interval is missing, with a reason. BCa
    counts replicates equal to the estimate by half, and its acceleration is the jackknife's.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as for `bootstrap_replicates`.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> bootstrap_interval(table, "auc", Bootstrap(n=500))
    Estimate(auc = 0.76 [0.375, 1], 95% bootstrap percentile, 500 replicates of rows, seed 0)

    Efron 1987; Efron & Tibshirani 1993; Davison & Hinkley 1997.
    """
    confidence_level(level)
    found = bootstrap_replicates(
        data, measure, config, models=(model,), threshold=threshold, resamples=resamples, progress=progress,
        threads=threads, undefined=undefined, **parameters,
    )  # fmt: skip
    return estimates_of(found, level=level)[0]


def estimates_of(found: Replicates, *, level: float = LEVEL, known: Sequence[Estimate] = ()) -> list[Estimate]:
    """Estimates with bootstrap intervals of every statistic of the first model, from the same replicates.

    Those `known` before keep their interval if replicates give none, and a reason about their value.
    """
    confidence_level(level)
    bases = known or [
        Estimate(name=name, value=float(v)) for name, v in zip(found.names, found.observed[0], strict=True)
    ]
    return [_estimate(found, k, base, level) for k, base in enumerate(bases)]


def _estimate(found: Replicates, k: int, base: Estimate, level: float) -> Estimate:
    resolved, scored = found.statistics[0][k], found.sample.models[0]
    observed = float(found.observed[0, k])
    if math.isnan(observed):
        known = None if resolved.entry is None or resolved.decision else reason_undefined(resolved.entry, scored.table)
        return replace(base, n=float(found.sample.units), reason=known or ZERO_BY_ZERO)
    facts: dict[str, Any] = {}
    if found.config.method == "bca":
        facts["left"] = leave_one_out(found.sample, scored, resolved)
    if found.config.method == "studentized":
        facts["studentized"] = _studentized(found, k)
    drawn = found.resampled(observed, found.values[:, 0, k], resolved.bounds, **facts)
    made = drawn.estimate(base, methods_of(resolved.name).resampling, level=level)
    return made if made is base else replace(made, n=float(found.sample.units))


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

    The p value is the error rate at which the limits reach 0, so both agree; the statistic is Z = d/SD of the
    replicated differences. Two models with the same value in the data and in every replicate have difference 0, no
    width and p = 1.

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
    facts: dict[str, Any] = {}
    known = values[~np.isnan(values)]
    if found.config.method == "bca" and known.size and known.min() < known.max():
        pair = zip(found.sample.models, (first, second), strict=True)
        facts["left"] = differences(*(unit_by_unit(found.sample, scored, resolved) for scored, resolved in pair))
    drawn = found.resampled(float(observed), values, difference_bounds(first.bounds), **facts)
    return drawn.difference("paired", found.names[0])


def _apart(first: Floats, second: Floats) -> Floats:
    """Differences of values; 0 for equal ones, infinite ones included."""
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
    """Difference of a measure between two samples of different rows, a minus b, each resampled separately.

    Z and limits are as in `bootstrap_difference`; percentile and basic limits only.

    >>> from thresher.counts import ScoreTable
    >>> tables = [ScoreTable.from_scores([1, 1, 0, 1, 0], scores) for scores in ([5, 4, 3, 2, 1], [5, 4, 3, 1, 2])]
    >>> round(bootstrap_difference_unpaired(*tables, "auc", Bootstrap(n=200)).value, 4)
    0.1667

    Source: Efron & Tibshirani 1993, section 8.3.
    """
    config = config or Bootstrap()
    # The second sample has other streams, or equal data would be resampled alike.
    configs = config, replace(config, rng=(config.rng + 0x9E3779B97F4A7C15) % 2**63)
    found = [
        bootstrap_replicates(data, measure, settings, models=(model,), threshold=threshold, **parameters)
        for data, settings, model in zip((a, b), configs, models, strict=True)
    ]
    values = _apart(found[0].values[:, 0, 0], found[1].values[:, 0, 0])
    observed = float(_apart(found[0].observed[0, 0], found[1].observed[0, 0]))
    bounds = difference_bounds(found[0].statistics[0][0].bounds)
    first, second = (each.resampled(observed, values, bounds) for each in found)
    clusters = fewer(first.clusters, second.clusters)
    # The weaker sample has the warnings.
    weaker = min(first, second, key=lambda each: each.clusters.count or each.fewest)
    drawn = replace(first, clusters=clusters, fewest=weaker.fewest)
    return replace(drawn.difference("unpaired", found[0].names[0]), warnings=weaker.warnings)


def _studentized(found: Replicates, k: int) -> tuple[float, Floats | None]:
    """Standard error, and the studentized replicates; None without an error."""
    resolved, scored = found.statistics[0][k], found.sample.models[0]
    error, errors = standard_errors(found.sample, scored, resolved, found.config)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (found.values[:, 0, k] - found.observed[0, k]) / errors
    return error, np.sort(t[np.isfinite(t)]) if error > 0 else None


def standard_errors(sample: Sample, scored: Scored, resolved: Resolved, config: Bootstrap) -> tuple[float, Floats]:
    """Standard error on the data and on each replicate: DeLong's of the AUC, √(p(1 − p)/trials) of a proportion."""
    known = methods_of(resolved.name).linear_in_auc is not None or (
        resolved.entry is not None and resolved.entry.proportion
    )
    if not known or (resolved.entry is not None and scored.table.prior is not None):
        raise OptionError(
            f"method='studentized' needs a standard error in every replicate, as of the AUC, Gini and proportions, "
            f"not of {resolved.name}: use method='bca'."
        )
    if scored.rows.weights is not None or sample.drawn.startswith("clusters"):
        raise OptionError("method='studentized' takes unweighted rows without clusters: use method='bca'.")
    found = np.empty(config.n)
    for part, tables in sample.batches(scored, config):
        found[part] = _errors(tables, resolved)
    one = replace(scored.table, positive=scored.table.positive[None], negative=scored.table.negative[None])
    return float(_errors(one, resolved)[0]), found


def _errors(tables: ScoreTable, resolved: Resolved) -> Floats:
    if (line := methods_of(resolved.name).linear_in_auc) is not None:
        parts = (replace(tables, positive=p, negative=n) for p, n in zip(tables.positive, tables.negative, strict=True))
        variances = np.array([delong_variance(part).variance for part in parts])
        return np.asarray(line[0] * np.sqrt(variances))
    assert resolved.entry is not None
    tp, fp = (column[..., : resolved.cut].sum(axis=-1) for column in (tables.positive, tables.negative))
    successes, trials = map(np.asarray, resolved.entry.ratio(cells_of(tp, fp, tables.P, tables.N)))
    share = divide(successes, trials)
    return np.asarray(np.sqrt(divide(share * (1 - share), trials)))


MOST = 2_000
"""Most values that are left out one by one; each takes a sweep of the whole table."""

GROUPS = 400
"""Groups of rows that are left out together if there are more."""

CELLS_AT_ONCE = 1 << 21


def leave_one_out(sample: Sample, scored: Scored, resolved: Resolved) -> Jackknife:
    """Jackknife of one model's statistic on a sample: without each row, or each cluster.

    Rows with the same score and truth give the same value, so a table of m scores takes at most 2m values; threshold
    metrics take four. More than 2,000 are left out in 400 groups of rows.

    Quenouille 1956; Efron & Tibshirani 1993, chapter 11.
    """
    observed = float(resolved.of(scored.table))
    if scored.rows.units is not None or scored.rows.weights is not None:
        return _by_units(sample, scored, resolved, observed)
    if resolved.decision is not None:
        assert resolved.cut is not None
        return _by_cells(scored.decided(resolved.cut), 0, resolved, observed)
    if (line := methods_of(resolved.name).linear_in_auc) is not None:
        return _of_auc(scored.table, line, observed)
    if int((scored.positive > 0).sum() + (scored.negative > 0).sum()) > MOST:
        return _by_units(sample, scored, resolved, observed)
    return _by_scores(scored.table, resolved, observed)


def unit_by_unit(sample: Sample, scored: Scored, resolved: Resolved) -> Jackknife:
    """Jackknife with one value for every unit (or group), so that two models can be subtracted."""
    observed = float(resolved.of(scored.table))
    if sample.decided is not None:
        return _by_cells(sample.decided, sample.models.index(scored), resolved, observed)
    return _by_units(sample, scored, resolved, observed)


def _of_auc(table: ScoreTable, form: tuple[float, float], observed: float) -> Jackknife:
    """Jackknife of scale·AUC + shift: a row takes its pairs with it."""
    positive, negative = table.positive, table.negative
    p, n = int(table.P), int(table.N)
    above, below = np.cumsum(positive) - positive, n - np.cumsum(negative)
    pairs = 2 * below + negative, 2 * above + positive
    twice = float((positive * pairs[0]).sum())
    values = [divide(twice - pairs[0], 2.0 * (p - 1) * n), divide(twice - pairs[1], 2.0 * p * (n - 1))]
    kept = positive > 0, negative > 0
    auc = np.concatenate([v[rows] for v, rows in zip(values, kept, strict=True)])
    counts = np.concatenate([positive[kept[0]], negative[kept[1]]])
    return Jackknife(observed=observed, values=form[0] * auc + form[1], counts=counts)


def _by_scores(table: ScoreTable, resolved: Resolved, observed: float) -> Jackknife:
    """One value for each distinct score and class."""
    values, counts = [], []
    m = table.scores.size
    for own in ("positive", "negative"):
        column = getattr(table, own)
        rows = np.flatnonzero(column)
        for chunk in chunks(rows.size, CELLS_AT_ONCE // max(1, m)):
            part = rows[chunk]
            batch: dict[str, Any] = {
                name: np.repeat(getattr(table, name)[None], part.size, 0) for name in ("positive", "negative")
            }
            batch[own][np.arange(part.size), part] -= 1
            values.append(np.asarray(resolved.of(replace(table, **batch)), dtype=np.float64))
        counts.append(column[rows])
    return Jackknife(observed=observed, values=_joined(values), counts=_joined(counts))


def _by_cells(decided: NDArray[np.int64], model: int, resolved: Resolved, observed: float) -> Jackknife:
    """One value of one of several models for the rows of each cell with the same decisions."""
    assert resolved.decision is not None
    kept = np.flatnonzero(decided)
    one = np.eye(decided.size, dtype=np.int64)[kept].reshape(-1, *decided.shape)
    cells = cells_of_model(decided - one, model, decided.ndim - 1)
    counts = decided.ravel()[kept].astype(np.float64)
    return Jackknife(observed=observed, values=np.asarray(resolved.decision(cells)), counts=counts)


def _by_units(sample: Sample, scored: Scored, resolved: Resolved, observed: float) -> Jackknife:
    """One value for each unit, or for each of a number of random groups."""
    units = sample.units
    count = GROUPS if units > MOST else units
    group = groups_of(units, count)
    parts = []
    for chunk in chunks(count, CELLS_AT_ONCE // max(1, units)):
        tables = scored.tables((group != np.arange(count)[chunk, None]).astype(np.int64))
        parts.append(np.asarray(resolved.of(tables), dtype=np.float64))
    return Jackknife(observed=observed, values=_joined(parts), units=units)


def _joined(parts: list[Any]) -> Floats:
    return np.concatenate([np.zeros(0), *parts])


def jackknife_interval(
    data: Data,
    measure: Statistic,
    *,
    level: float = LEVEL,
    model: str | None = None,
    threshold: float | None = None,
    clusters: str | bool | None = None,
    **parameters: Any,
) -> Estimate:
    """Estimate of a measure with its jackknife interval: each row or cluster is left out in turn.

    Standard error and degrees of freedom of Student's quantile come from `inference.variance.Jackknife`; the limits are
    on the logit scale of the measure's range (log for [0, ∞)), so they stay inside it. More than 2,000 values are left
    out in 400 groups. It suits smooth measures; for a maximum over thresholds or a threshold, use the bootstrap.

    Args:
        data: a score or threshold table, or predictions.
        measure: a registered measure (a threshold metric with `threshold=`), or a function of a `ScoreTable`.
        level: confidence level.
        model: one of the predictions' models; the only one by default.
        threshold: threshold of a threshold metric.
        clusters: name of a group column to leave out whole groups, or False for rows; by default the cluster column of
            the predictions, if any.
        parameters: of the measure, such as `beta=2`.

    If the interval is missing, `reason` says why: the measure is undefined on the rows or without one of them, or no
    row changes it.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as for `bootstrap_interval`.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> jackknife_interval(table, "auc")
    Estimate(auc = 0.76 [0.2316, 0.9708], 95% jackknife over 10 rows, logit scale, Student's t)

    Quenouille 1956; Tukey 1958; Efron & Tibshirani 1993, chapter 11.
    """
    confidence_level(level)
    sample = sample_of(data, (model,), Bootstrap(stratified=False, clusters=clusters))
    scored = sample.models[0]
    resolved = resolve(measure, scored.table, threshold, dict(parameters))
    found = leave_one_out(sample, scored, resolved)
    base = Estimate(name=resolved.name, value=found.observed, n=float(sample.units))
    unit = sample.drawn.split()[0]
    if math.isnan(found.observed):
        known = None if resolved.entry is None or resolved.decision else reason_undefined(resolved.entry, scored.table)
        return replace(base, reason=known or ZERO_BY_ZERO)
    return jackknife_estimate(base, found, resolved.bounds, level=level, unit=unit)
