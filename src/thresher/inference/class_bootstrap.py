"""The bootstrap of rows with several classes: how often each row is drawn, whatever is computed from that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import OptionError
from thresher.inference.bootstrap_config import Bootstrap
from thresher.inference.bootstrap_limits import Draws, beside, limits, obstacle
from thresher.inference.class_units import ClassUnits, Drawn, repeats
from thresher.inference.compare_difference import Difference, symmetric_p, undefined_difference
from thresher.predictions import Predictions
from thresher.results import Estimate, about_value
from thresher.watched import Progress, watcher

Floats = NDArray[np.float64]
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


def once(rows: Predictions) -> NDArray[np.uint8]:
    """Each row drawn once, (1, n), which gives the value of the data."""
    return np.ones((1, len(rows)), dtype=np.uint8)


def unrolled(rows: Predictions) -> Predictions:
    """Rows repeated as often as their frequency weights say, so that rows can be drawn.

    Raises:
        InputError: frequency weights that are not whole, or more rows than can be drawn.
    """
    if rows.weights is None or rows.weight_kind != "frequency":
        return rows
    return replace(rows.take(repeats(rows.weights)), weights=None, weight_kind=None)


def replicates(rows: Predictions, statistic: Statistic, config: Bootstrap) -> tuple[Floats, str]:
    """Values of a statistic on every replicate, (n, values), and what was drawn, in words.

    Raises:
        OptionError: the settings name a kind of interval or a column that there is not.
    """
    if config.method not in ("percentile", "basic"):
        raise OptionError(f"method={config.method!r} is not there for several classes: take 'percentile' or 'basic'.")
    units = _units(rows, config)
    return over_resamples(units, statistic, config), units.drawn


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
    found: Sequence[Estimate], bounds: Sequence[tuple[float, float]], values: Floats, words: str, config: Bootstrap,
    *, level: float,
) -> dict[str, Estimate]:  # fmt: skip
    """Estimates with limits from the replicates, or the reason why there are none; undefined replicates are said."""
    return {
        estimate.name: with_limits(estimate, column, config, words, level=level, bounds=ends)
        for estimate, ends, column in zip(found, bounds, values.T, strict=True)
    }


def with_limits(
    estimate: Estimate,
    values: Floats,
    config: Bootstrap,
    words: str,
    *,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    said: str = "",
    acceleration: float = math.nan,
) -> Estimate:
    """Estimate with limits from its values on the replicates, or the reason why it has none.

    `words` say what was drawn and `said` what else the method's name tells; `acceleration` is for BCa. A reason that is
    about the value, such as a number that stands for 0/0, stays, and so does an interval where replicates give none.
    """
    kept = np.sort(values[~np.isnan(values)])
    lost = len(values) - len(kept)
    note = f", undefined in {lost:,} of {len(values):,} replicates" if lost else ""
    found = Draws(observed=estimate.value, sorted=kept, bounds=bounds, acceleration=acceleration)
    known = about_value(estimate.reason)
    if reason := obstacle(found, config.method):
        lacking = replace(estimate, reason="; ".join([*known, f"no interval, as {reason}{note}"]))
        return lacking if estimate.low is None else estimate
    low, high = limits(found, config.method, (1 - level) / 2)
    error, method = float(kept.std(ddof=1)), config.describe(words) + note + said
    method += beside(estimate.value, low, high)
    return replace(
        estimate, standard_error=error, low=low, high=high, level=level, method=method, reason="; ".join(known) or None
    )


def resampled_difference(
    observed: float, values: Floats, bounds: tuple[float, float], words: str, config: Bootstrap, *, design: str
) -> Difference:
    """Difference of two models with its limits and p value from the replicates of it."""
    method = f"{design} {config.describe(words)}"
    if np.isnan(observed):
        return undefined_difference(method, "the measure is undefined for one of the two")
    kept = np.sort(values[~np.isnan(values)])
    draws = Draws(observed=observed, sorted=kept, bounds=bounds)
    facts: dict[str, Any] = {
        "assumptions": f"independent {words.split(maxsplit=1)[0]}; a difference that is near normal"
    }
    facts |= {"bounds": bounds, "source": "Efron & Tibshirani 1993"}
    if observed == 0 and kept.size and not kept.any():
        return Difference(
            value=0.0, method=method, statistic=0.0, standard_error=0.0, limits=lambda _: (0.0, 0.0),
            p_value=symmetric_p(0.0), **facts,
        )  # fmt: skip
    if reason := obstacle(draws, config.method):
        return Difference(value=observed, method=method, reason=reason, **facts)
    error = float(kept.std(ddof=1))
    return Difference(
        value=observed,
        method=method,
        statistic=observed / error,
        standard_error=error,
        limits=lambda tail: limits(draws, config.method, tail),
        p_value=symmetric_p(observed / error),
        **facts,
    )
