"""Intervals of measures of decisions that follow from those of proportions of the rows that were counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from thresher.conventions import Floats
from thresher.counts import Cells, ConfusionMatrix
from thresher.design_warnings import DesignWarning, few_outcomes
from thresher.inference.estimates.methods import methods_of
from thresher.inference.matrices.outcomes import rarer_outcome
from thresher.inference.proportions.differences import newcombe_from
from thresher.inference.proportions.intervals import Interval, wilson_interval
from thresher.measures import find
from thresher.measures.registry import Measure, statistic_of
from thresher.results import Estimate

NEVER = "the rule is surely no better than chance, so that no number is enough"
OUTCOMES = {"Wilson": 2, "Jeffreys": 8, "Wald": 20}
"""Rows of the rarer outcome below which an interval of a rate may hold it less than 92 % of the time, by method."""

OfShare = Callable[..., Interval]
Limits = list[tuple[float, float]]
Shares = list[tuple[float, float]]
"""A share of each of a batch of matrices, and its trials."""

Closed = Callable[[Measure, Sequence[float], ConfusionMatrix, float], list[Estimate]]
"""From a measure, its values on a batch of matrices, these and a level to the estimates."""


def closed_form(entry: Measure, matrix: ConfusionMatrix, of_share: OfShare) -> Closed | None:
    """How the interval follows from those of proportions of the counted rows; None where it does not."""
    at_counts = matrix.prior is None
    if entry.proportion:
        return partial(_of_share, make=of_share) if at_counts or _within_one_class(entry) else None
    own = methods_of(entry.name)
    parts = own.shares or own.product or ((entry.doubled,) if entry.doubled else ())
    if len(matrix.labels) > 2 or not (at_counts or all(_within_one_class(find(part)) for part in parts)):
        return None
    if entry.doubled:
        return partial(_of_doubled, make=of_share)
    return _of_product if own.product else _of_difference if own.shares else None


def _shares(entry: Measure, matrix: ConfusionMatrix) -> Shares:
    """Shares and trials of a proportion of the rows as counted; of weighted rows the trials are an effective number."""
    counted = replace(matrix, prior=None)
    pairs = zip(*_ratio(entry, counted), strict=True)
    if matrix.squares is None:
        return [(successes / trials, trials) for successes, trials in pairs]
    # The trials are a sum of cells, so the same sum over Σw² is that of the squared weights.
    squared = _ratio(entry, replace(counted, counts=matrix.squares, squares=None))[1]
    return [(x / n, n**2 / square) for (x, n), square in zip(pairs, squared, strict=True)]


def _ratio(entry: Measure, matrix: ConfusionMatrix) -> tuple[list[float], list[float]]:
    found = (np.broadcast_to(part, len(matrix.counts)) for part in entry.ratio(statistic_of(entry, matrix)))
    successes, trials = (part.tolist() for part in found)
    return successes, trials


def _limits(shares: Shares, make: OfShare, level: float) -> tuple[Limits, str]:
    """Limits of shares by an interval of proportions, and its name."""
    sizes: Floats = np.array([size for _, size in shares])
    interval = make(np.array([share for share, _ in shares]) * sizes, sizes, level=level)
    return list(zip(interval.low.tolist(), interval.high.tolist(), strict=True)), interval.method


def _of_share(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, make: OfShare
) -> list[Estimate]:
    """Estimates of a proportion."""
    shares = _shares(entry, matrix)
    limits, method = _limits(shares, make, level)
    fill, warned = _filling(entry, matrix, level, method), _warnings(entry, method)
    return [
        fill(value, ends, math.sqrt(share * (1 - share) / size), size, warned(share, size))
        for value, (share, size), ends in zip(values, shares, limits, strict=True)
    ]


def _of_doubled(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, make: OfShare
) -> list[Estimate]:
    """Estimates of 2J/(1 + J), as F1 is, which grows with J, so that an interval of J becomes one of it."""
    part = find(entry.doubled or "")
    shares = _shares(part, matrix)
    limits, method = _limits(shares, make, level)
    fill, warned = _filling(entry, matrix, level, f"{method}, of the {part.title}"), _warnings(part, method)
    found = []
    for value, (share, size), (low, high) in zip(values, shares, limits, strict=True):
        error = 2 / (1 + share) ** 2 * math.sqrt(share * (1 - share) / size)
        ends = 2 * low / (1 + low), 2 * high / (1 + high)
        found.append(fill(value, ends, error, size, warned(share, size)))
    return found


def _of_difference(entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float) -> list[Estimate]:
    """Estimates of a difference of two proportions with Newcombe's interval, mapped where it is of (1 + d)/2."""
    methods, fill = methods_of(entry.name), _filling(entry, matrix, level, "Newcombe")
    one, two = (_shares(find(name), matrix) for name in methods.shares or ())
    (scale, shift), mapped = methods.scaled, methods.of_difference
    found = []
    of_both = (_limits(shares, wilson_interval, level)[0] for shares in (one, two))
    for value, (p, m), (q, n), *wilson in zip(values, one, two, *of_both, strict=True):
        low, high = newcombe_from(p, q, *wilson)
        spread = math.sqrt(p * (1 - p) / m + q * (1 - q) / n)
        low, high = scale * low + shift, scale * high + shift
        error: float | None = scale * spread
        if mapped:
            low, high = mapped(high), mapped(low)
            error = spread * value**2 if math.isfinite(value) else None
        never = mapped is not None and math.isinf(low)
        found.append(
            Estimate(name=entry.name, value=value, reason=NEVER) if never else fill(value, (low, high), error, m + n)
        )
    return found


def _of_product(entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float) -> list[Estimate]:
    """Estimates of √(TPR·TNR): the logarithms' distances to Wilson's limits add up in squares (Zou & Donner 2008).

    The delta method would take a rate of 1, which has no variance of its own, for certain. Where the value is 0 the
    distances are infinite, and what is left of the upper limit is that of the rates that are 0 times the other rate.
    """
    fill = _filling(entry, matrix, level, "Wilson, of both rates, combined")
    one, two = (_shares(find(name), matrix) for name in methods_of(entry.name).product or ())
    of_both = (_limits(shares, wilson_interval, level)[0] for shares in (one, two))
    found = []
    for value, (p, m), (q, n), (low_p, high_p), (low_q, high_q) in zip(values, one, two, *of_both, strict=True):
        if p * q > 0:
            down, up = (math.hypot(math.log(a / p), math.log(b / q)) for a, b in ((low_p, low_q), (high_p, high_q)))
            low, high = (value * math.exp(side / 2) for side in (-down, up))
            error: float | None = value / 2 * math.sqrt((1 - p) / (p * m) + (1 - q) / (q * n))
        else:
            low, error = 0.0, None
            high = math.sqrt((p or high_p) * (q or high_q))
        found.append(fill(value, (low, min(high, 1.0)), error, m + n))
    return found


def _filling(entry: Measure, matrix: ConfusionMatrix, level: float, method: str) -> Callable[..., Estimate]:
    """Estimates of a measure by a method, whose limits hold the value."""
    method += "" if matrix.squares is None else ", effective size"
    level = float(level)

    def fill(
        value: float, ends: tuple[float, float], error: float | None, size: float,
        warnings: tuple[DesignWarning, ...] = (),
    ) -> Estimate:  # fmt: skip
        return Estimate(
            name=entry.name, value=value, standard_error=error, low=min(ends[0], value), high=max(ends[1], value),
            level=level, method=method, n=size, warnings=warnings,
        )  # fmt: skip

    return fill


def _warnings(entry: Measure, method: str) -> Callable[[float, float], tuple[DesignWarning, ...]]:
    """Warning of a share of so many rows where the method is known to fail for one so near 0 or 1."""
    least, names = OUTCOMES.get(method), [rarer_outcome(entry, share) for share in (0.0, 1.0)]

    def warned(share: float, size: float) -> tuple[DesignWarning, ...]:
        return () if least is None else few_outcomes(share, size, of=names[share > 0.5], least=least)

    return warned


def _within_one_class(entry: Measure) -> bool:
    """Whether all trials of a proportion are rows of one true class, so that its value depends on no prevalence."""
    one_each = (Cells.of(tp=1, fn=1, fp=0, tn=0), Cells.of(tp=0, fn=0, fp=1, tn=1))
    return any(float(entry.ratio(statistic_of(entry, cells))[1]) == 0 for cells in one_each)
