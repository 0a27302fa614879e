"""Means over queries with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from thresher.inference.bootstrap_config import Bootstrap
from thresher.inference.bootstrap_limits import Draws, limits, obstacle
from thresher.kernel import draws
from thresher.ranking.wanted import Wanted
from thresher.results import Estimate

Floats = NDArray[np.float64]
Interval = Bootstrap | None

CELLS = 1 << 24
"""Draws that are in memory at a time."""

NO_FORM = "its mean over the orders of tied documents has no closed form; ties='trec_eval' has one value"
NO_QUERIES = "there are no queries"


def mean_of_queries(one: Wanted, values: Floats, interval: Interval, level: float) -> Estimate:
    """Mean of a measure over queries, or its sum where it counts; `values` has one for each query.

    The interval is Student's t over queries, x̄ ± t·s/√n (for a geometric mean on the logarithms), cut at the range of
    the measure; or the bootstrap of queries that is given.
    """
    n = int(values.size)
    if one.entry.mean == "sum":
        return Estimate(name=one.name, value=float(values.sum()), n=n, reason="no interval: it is a count")
    if not n or np.isnan(values).any():
        return Estimate(name=one.name, value=math.nan, n=n, reason=NO_FORM if n else NO_QUERIES)
    geometric = one.entry.mean == "geometric"
    scale = np.log(values) if geometric else values
    value = float(scale.mean())
    shown = math.exp(value) if geometric else value
    bounds = one.entry.bounds if not geometric else (-math.inf, 0.0)
    error = float(scale.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    base = {"name": one.name, "value": shown, "n": float(n)}
    if n < 2 or scale.min() == scale.max():
        why = "there is one query" if n < 2 else "all queries have the same value, so its spread is unknown"
        return Estimate(**base, standard_error=None, reason=f"no interval: {why}")  # type: ignore[arg-type]
    if interval is None:
        low, high, method = *_student(value, error, n, level), f"Student's t over {n:,} queries"
        low, high = max(low, bounds[0]), min(high, bounds[1])
    else:
        found = resampled_means(scale[None, :], interval)[:, 0]
        drawn = Draws(observed=value, sorted=np.sort(found), bounds=bounds, acceleration=acceleration(scale))
        if reason := obstacle(drawn, interval.method):
            return Estimate(**base, standard_error=error, reason=f"no interval: {reason}")  # type: ignore[arg-type]
        low, high = limits(drawn, interval.method, (1 - level) / 2)
        method, error = interval.describe("queries"), float(found.std(ddof=1))
    if geometric:
        low, high, error, method = math.exp(low), math.exp(high), shown * error, f"{method}, on the logarithms"
    return Estimate(**base, standard_error=error, low=low, high=high, level=level, method=method)  # type: ignore[arg-type]


def resampled_means(values: Floats, config: Bootstrap) -> Floats:
    """Means (replicates, M) of values (M, n) of queries that are drawn with replacement, all measures alike."""
    n = values.shape[1]
    step = max(1, CELLS // max(n, 1))
    parts = []
    for first in range(0, config.n, step):
        counts = draws([n], min(step, config.n - first), seed=config.rng, first=first)
        parts.append(counts.astype(np.float64) @ values.T / n)
    return np.concatenate(parts)


def acceleration(values: Floats) -> float:
    """BCa's acceleration of a mean, Σd³/(6·(Σd²)^1.5), which is the jackknife's. Efron 1987."""
    deviations = values - values.mean()
    square = float((deviations**2).sum())
    return float((deviations**3).sum()) / (6 * square**1.5) if square else 0.0


def _student(value: float, error: float, n: int, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return value - half, value + half
