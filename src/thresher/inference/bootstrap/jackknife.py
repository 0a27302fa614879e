"""The jackknife of a statistic: standard error, interval, and acceleration of the BCa bootstrap."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, Floats, confidence_level, divide
from thresher.counts import ScoreTable
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import Data, Sample, Scored, cells_of_model, chunks, sample_of
from thresher.inference.bootstrap.statistics import Resolved, Statistic, resolve
from thresher.inference.estimates.methods import methods_of
from thresher.inference.variance import Jackknife, groups_of, jackknife_estimate
from thresher.measures.registry import reason_undefined
from thresher.results import ZERO_BY_ZERO, Estimate

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
