"""The interval of any measure by the jackknife: symmetric, with its standard error, on the scale of the range."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from thresher.conventions import LEVEL, confidence_level
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.jackknife import Jackknife, leave_one_out
from thresher.inference.bootstrap.sample import Data, sample_of
from thresher.inference.bootstrap.statistics import Resolved, Statistic, resolve
from thresher.inference.limits.delta import limits, scale_words
from thresher.inference.limits.student import student_quantile
from thresher.measures.registry import reason_undefined
from thresher.results import Estimate


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
    """Estimate of a measure with its jackknife interval: nothing is drawn, each row or cluster is left out in turn.

    The standard error is √((n − 1)/n·Σ(θᵢ − θ̄)²) over n units; the limits take Student's quantile with n − 1 degrees
    of freedom, on the logit scale of the measure's range (log for [0, ∞)), so that they stay inside it. More than 2,000
    values are left out in 400 groups. Right for smooth measures; a maximum over thresholds or a threshold is not
    smooth, and the bootstrap serves them better.

    Args:
        data: a score or threshold table, or predictions.
        measure: as for `bootstrap_interval`: a registered measure (of decisions with `threshold=`), or a function.
        level: confidence level.
        model: which of the predictions' models; the only one by default.
        threshold: where a measure of decisions cuts.
        clusters: name of a group column whose values are left out whole, or False for rows; by default the cluster
            column of the predictions, when there is one.
        parameters: of the measure, such as `beta=2`.

    Without an interval, `reason` says why: the measure is undefined on the rows or without one of them, or no row
    changes it.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as for `bootstrap_interval`.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> jackknife_interval(table, "auc")
    Estimate(auc = 0.76 [0.2367, 0.97], 95% jackknife, 10 rows left out one by one, logit scale, Student's t)

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
        return replace(base, reason=known or "it is 0/0")
    return _with_limits(base, found, resolved, level, unit)


def _with_limits(base: Estimate, found: Jackknife, resolved: Resolved, level: float, unit: str) -> Estimate:
    error = found.standard_error
    if not math.isfinite(error):
        return replace(base, reason=f"no interval: it is undefined without one of the {unit}")
    if found.values.min() == found.values.max():
        return replace(base, reason=f"no interval: it is the same without any of the {unit}")
    low, high = limits(base.value, error, resolved.bounds, student_quantile((1 + level) / 2, found.n - 1))
    parts = f"in {found.groups} groups" if found.groups else "one by one"
    words = f"jackknife, {base.n:,.0f} {unit} left out {parts}{scale_words(resolved.bounds)}, Student's t"
    return replace(base, standard_error=error, low=low, high=high, level=level, method=words)
