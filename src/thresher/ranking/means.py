"""Means over queries with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import Draws, limits, obstacle
from thresher.inference.limits.delta import student_quantile
from thresher.kernel import draws
from thresher.ranking.wanted import ListMeasure
from thresher.results import Estimate
from thresher.sentences import choice
from thresher.watched import watcher

Floats = NDArray[np.float64]
Interval = Bootstrap | None

CELLS = 1 << 24
"""Draws that are in memory at a time."""

NO_FORM = (
    "its mean over the orders of tied documents has no closed form; " + choice("ties", "trec_eval") + " has one value"
)
NO_QUERIES = "there are no queries"
BEYOND = "a gain or a sum of gains is beyond the largest float"


def means_of_queries(
    measures: Sequence[ListMeasure], values: Floats, interval: Interval, level: float, *, expected: bool = False
) -> tuple[Estimate, ...]:
    """Means of measures over queries, or sums of what is counted; `values` (M, Q) has one for each query.

    `expected` says that they are means over the orders of tied documents, which some measures lack.

    The interval is Student's t over queries, x̄ ± t·s/√n (for a geometric mean on the logarithms), cut at the range of
    the measure; or the bootstrap of queries that is given, with the same queries drawn for every measure.
    """
    plain = [_without_interval(one, row, expected) for one, row in zip(measures, values, strict=True)]
    open_ = [i for i, found in enumerate(plain) if found is None]
    scales = [np.log(values[i]) if measures[i].how.mean == "geometric" else values[i] for i in open_]
    drawn = None if interval is None or not open_ else resampled_means(np.stack(scales), interval)
    found = dict(enumerate(plain))
    for place, i in enumerate(open_):
        means = None if drawn is None else drawn[:, place]
        found[i] = _with_interval(measures[i], scales[place], means, interval, level)
    return tuple(one for one in found.values() if one is not None)


def _without_interval(one: ListMeasure, values: Floats, expected: bool) -> Estimate | None:
    """A sum, or a mean that has no interval, with the reason; None when there is one to be made."""
    n = int(values.size)
    if one.how.mean == "sum":
        return Estimate(name=one.name, value=float(values.sum()), n=n, reason="no interval: it is a count")
    if not n:
        return Estimate(name=one.name, value=math.nan, n=n, reason=NO_QUERIES)
    if not np.isfinite(values).all():
        without_form = expected and not one.how.expected
        return Estimate(name=one.name, value=math.nan, n=n, reason=NO_FORM if without_form else BEYOND)
    if values.min() == values.max():
        why = "there is one query" if n < 2 else "all queries have the same value, so its spread is unknown"
        return Estimate(name=one.name, value=float(values[0]), n=n, reason=f"no interval: {why}")
    return None


def _with_interval(one: ListMeasure, scale: Floats, drawn: Floats | None, interval: Interval, level: float) -> Estimate:
    """Mean of values that differ, on the scale on which they are averaged."""
    n = int(scale.size)
    geometric = one.how.mean == "geometric"
    value, bounds = float(scale.mean()), (-math.inf, 0.0) if geometric else one.bounds
    shown, error = math.exp(value) if geometric else value, float(scale.std(ddof=1)) / math.sqrt(n)
    base: dict[str, Any] = {"name": one.name, "value": shown, "n": n}
    if drawn is None or interval is None:
        half, method = student_quantile((1 + level) / 2, n - 1) * error, f"Student's t over {n:,} queries"
        low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
    else:
        draws_ = Draws(observed=value, sorted=np.sort(drawn), bounds=bounds, acceleration=acceleration(scale))
        if reason := obstacle(draws_, interval.method):
            return Estimate(**base, standard_error=error, reason=f"no interval: {reason}")
        low, high = limits(draws_, interval.method, (1 - level) / 2)
        method, error = interval.describe("queries"), float(drawn.std(ddof=1))
    if geometric:
        low, high, error, method = math.exp(low), math.exp(high), shown * error, f"{method}, on the logarithms"
    return Estimate(**base, standard_error=error, low=low, high=high, level=level, method=method)


def resampled_means(values: Floats, config: Bootstrap) -> Floats:
    """Means (replicates, M) of values (M, n) of queries that are drawn with replacement, all measures alike."""
    n = values.shape[1]
    step = max(1, CELLS // max(n, 1))
    parts, report = [], watcher(None)
    for first in range(0, config.n, step):
        report(first, config.n)
        counts = draws([n], min(step, config.n - first), seed=config.rng, first=first)
        parts.append(counts.astype(np.float64) @ values.T / n)
    report(config.n, config.n)
    return np.concatenate(parts)


def acceleration(values: Floats) -> float:
    """BCa's acceleration of a mean, Σd³/(6·(Σd²)^1.5), which is the jackknife's. Efron 1987."""
    deviations = values - values.mean()
    square = float((deviations**2).sum())
    return float((deviations**3).sum()) / (6 * square**1.5) if square else 0.0
