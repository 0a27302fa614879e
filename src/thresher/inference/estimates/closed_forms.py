"""Intervals of threshold metrics that follow from intervals of proportions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.counts import Cells, ConfusionMatrix
from thresher.design_warnings import DesignWarning, few_outcomes
from thresher.errors import Note
from thresher.inference.differences.means import independent_rows
from thresher.inference.estimates.forms import DifferenceOfShares, RootOfProduct
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import student_quantile
from thresher.inference.matrices.cell_means import FIXED_BY_PRIOR
from thresher.inference.proportions.differences import newcombe_from
from thresher.inference.proportions.intervals import Interval, wilson_interval
from thresher.inference.variance import NO_WIDTH
from thresher.measures.registry import Measure, find, statistic_of
from thresher.results import Estimate

NEVER = Note("infinite", "the rule is not better than chance, so the number is infinite")
OUTCOMES = {"Wilson": 2, "Jeffreys": 8, "Wald": 20}
"""Rows of the rarer outcome below which an interval of a rate may cover less than 92 %, by method."""

CELLS = ("true positives", "false positives", "false negatives", "true negatives")

SUMS: dict[tuple[int, ...], str] = {
    (0, 1): "predicted positives",
    (2, 3): "predicted negatives",
    (0, 2): "positives",
    (1, 3): "negatives",
    (0, 3): "right decisions",
    (1, 2): "wrong decisions",
}

OfShare = Callable[..., Interval]
Limits = list[tuple[float, float]]
STEP = 1e-6
"""Step of a rate for a derivative."""

Closed = Callable[[Measure, Sequence[float], ConfusionMatrix, float], list[Estimate]]
"""From a measure, its values on a batch of matrices, these and a level to the estimates."""


def closed_form(
    entry: Measure, matrix: ConfusionMatrix, of_share: OfShare, parameters: dict[str, Any]
) -> Closed | None:
    """Closed form of the interval from proportions of the counted rows; None without one."""
    found = _of_proportions(entry, matrix, of_share)
    if (
        found is None
        and matrix.prior is not None
        and len(matrix.labels) == 2
        and methods_of(entry.name).limits != "log"
    ):
        return partial(at_prevalence, parameters=parameters)
    return found


def _of_proportions(entry: Measure, matrix: ConfusionMatrix, of_share: OfShare) -> Closed | None:
    at_counts = matrix.prior is None
    if entry.proportion:
        return partial(_of_share, make=of_share) if at_counts or _within_one_class(entry) else None
    form = methods_of(entry.name).limits
    parts: tuple[str, ...] = (entry.doubled,) if entry.doubled else ()
    if isinstance(form, DifferenceOfShares | RootOfProduct):
        parts = form.first, form.second
    if len(matrix.labels) > 2 or not (at_counts or all(_within_one_class(find(part)) for part in parts)):
        return None
    if entry.doubled:
        return partial(_of_share, make=of_share)
    if isinstance(form, DifferenceOfShares):
        return partial(_of_difference, form=form)
    return partial(_of_product, form=form) if isinstance(form, RootOfProduct) else None


@dataclass(frozen=True, slots=True)
class SizedShare:
    """Share of the rows, its standard error, its (effective) `rows`, and its `size`.

    `size` is the number of independent rows with the same uncertainty, for the limits; `rarer` counts the rarer
    outcome.
    """

    value: float
    error: float
    rows: float
    size: float
    rarer: float


def _shares(entry: Measure, matrix: ConfusionMatrix, level: float) -> list[SizedShare]:
    """Shares of a proportion of the counted rows.

    With weights the linearised variance is V = Σ(w·(x − p))²/(Σw)². The number of independent rows with this variance
    is n = p(1 − p)/V, times (t₁/t)²: t is Student's quantile with 3(Σe²)²/Σe⁴ − 1 degrees of freedom, e = w·(x − p),
    and t₁ the one for equal weights. With fewer than a hundred effective rows, (Σw)²/Σw², the rows are at most these.
    Equal weights count as none.

    Sources: Särndal, Swensson & Wretman 1992; Korn & Graubard 1998; simulated in docs/coverage.md.
    """
    counted = matrix if matrix.prior is None else replace(matrix, prior=None)
    pairs = zip(*_ratio(entry, counted), strict=True)
    if matrix.squares is None:
        return [SizedShare(x / n, math.sqrt(x / n * (1 - x / n) / n), n, n, min(x, n - x)) for x, n in pairs]
    # Both are sums of cells, so the same sums over Σw² are those of the squared weights.
    squared = zip(*_ratio(entry, replace(counted, counts=matrix.squares, squares=None)), strict=True)
    return [_weighted(of, squares, level) for of, squares in zip(pairs, squared, strict=True)]


def _weighted(sums: tuple[float, float], squares: tuple[float, float], level: float) -> SizedShare:
    """SizedShare of weighted rows, from the sums of weights and squared weights of successes and trials."""
    (above, below), (above_squares, below_squares) = sums, squares
    p, rows = above / below, below**2 / below_squares
    sides = (above, above_squares, 1 - p), (below - above, below_squares - above_squares, -p)
    parts = [(w, square, apart) for w, square, apart in sides if w > 0 and square > 0]
    spread = sum(square * apart**2 for _, square, apart in parts)
    if len(parts) < 2 or not spread > 0:
        return SizedShare(p, 0.0, rows, rows, 0.0)
    # As if the weights of each side were alike, w rows of weight Σw²/Σw.
    fourth = sum(w**2 / square * (square / w * apart) ** 4 for w, square, apart in parts)
    alike = rows * p * (1 - p) / (p**3 + (1 - p) ** 3)
    t, of_equal = (
        student_quantile((1 + level) / 2, max(1.0, min(rows - 1, 3 * each - 1))) for each in (spread**2 / fourth, alike)
    )
    size = independent_rows(p, spread / below**2, rows)
    error, fewest = math.sqrt(spread) / below, min(w**2 / square for w, square, _ in parts)
    return SizedShare(p, error, rows, size * min(1.0, of_equal / t) ** 2, fewest)


def _ratio(entry: Measure, matrix: ConfusionMatrix) -> tuple[list[float], list[float]]:
    successes, trials = entry.ratio(statistic_of(entry, matrix))
    many = len(matrix.counts)
    return np.broadcast_to(successes, many).tolist(), np.broadcast_to(trials, many).tolist()


def _limits(shares: list[SizedShare], make: OfShare, level: float) -> tuple[Limits, str]:
    sizes: Floats = np.array([share.size for share in shares])
    interval = make(np.array([share.value for share in shares]) * sizes, sizes, level=level)
    return list(zip(interval.low.tolist(), interval.high.tolist(), strict=True)), interval.method


def _of_share(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, make: OfShare
) -> list[Estimate]:
    """Estimates of a share J, or of 2J/(1 + J), such as F1: it rises with J, and its limits are mapped too."""
    part = find(entry.doubled) if entry.doubled else entry
    shares = _shares(part, matrix, level)
    limits, method = _limits(shares, make, level)
    words = f"{method}, of the {part.title}" if entry.doubled else method
    fill, warned = _filling(entry, matrix, level, words), _warnings(part, method)
    found = []
    for value, share, (low, high) in zip(values, shares, limits, strict=True):
        error, ends = share.error, (low, high)
        if entry.doubled:
            error, ends = 2 / (1 + share.value) ** 2 * error, (2 * low / (1 + low), 2 * high / (1 + high))
        found.append(fill(value, ends, error, share.rows, warned(share)))
    return found


def _of_difference(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, form: DifferenceOfShares
) -> list[Estimate]:
    """Estimates of a difference of two proportions with Newcombe's interval, mapped where it is of (1 + d)/2."""
    fill, mapped = _filling(entry, matrix, level, "Newcombe"), form.mapped
    one, two = (_shares(find(name), matrix, level) for name in (form.first, form.second))
    found = []
    of_both = (_limits(shares, wilson_interval, level)[0] for shares in (one, two))
    for value, p, q, *wilson in zip(values, one, two, *of_both, strict=True):
        low, high = newcombe_from(p.value, q.value, *wilson)
        spread = math.hypot(p.error, q.error)
        low, high = form.scale * low + form.shift, form.scale * high + form.shift
        error: float | None = form.scale * spread
        if mapped:
            low, high = mapped(high), mapped(low)
            error = spread * value**2 if math.isfinite(value) else None
        never = mapped is not None and math.isinf(low)
        known = fill(value, (low, high), error, p.rows + q.rows)
        found.append(Estimate(name=entry.name, value=value, reason=NEVER) if never else known)
    return found


def _of_product(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, form: RootOfProduct
) -> list[Estimate]:
    """Estimates of √(TPR·TNR): the logarithms' distances to Wilson's limits add up in squares (Zou & Donner 2008).

    The delta method would treat a rate of 1 as certain, as its variance is 0. If the value is 0, the distances are
    infinite, and the upper limit is the limit of the rates at 0 times the other rate.
    """
    fill = _filling(entry, matrix, level, "Wilson, of both rates, combined")
    one, two = (_shares(find(name), matrix, level) for name in (form.first, form.second))
    of_both = (_limits(shares, wilson_interval, level)[0] for shares in (one, two))
    found = []
    for value, of_p, of_q, (low_p, high_p), (low_q, high_q) in zip(values, one, two, *of_both, strict=True):
        p, q = of_p.value, of_q.value
        if p * q > 0:
            down, up = (math.hypot(math.log(a / p), math.log(b / q)) for a, b in ((low_p, low_q), (high_p, high_q)))
            low, high = (value * math.exp(side / 2) for side in (-down, up))
            error: float | None = value / 2 * math.hypot(of_p.error / p, of_q.error / q)
        else:
            low, error = 0.0, None
            high = math.sqrt((p or high_p) * (q or high_q))
        found.append(fill(value, (low, min(high, 1.0)), error, of_p.rows + of_q.rows))
    return found


def at_prevalence(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, parameters: dict[str, Any]
) -> list[Estimate]:
    """Estimates of a function f of TPR and FPR at another prevalence, from Wilson's limits of both rates.

    The limits are f ∓ √(Σ d²) (MOVER). d is how far f moves down (up) if one rate goes to one of its limits and the
    other stays. A class without errors keeps its uncertainty, unlike in the delta method.

    Source: Zou & Donner 2008; simulated in docs/coverage.md.
    """
    rates = [_shares(find(name), matrix, level) for name in ("true_positive_rate", "false_positive_rate")]
    ends = [np.array(_limits(shares, wilson_interval, level)[0]) for shares in rates]
    tpr, fpr = (np.array([share.value for share in shares]) for shares in rates)
    now: Floats = np.array(values)

    def moved(tpr: Floats, fpr: Floats) -> Floats:
        cells = Cells(tp=tpr, fn=1 - tpr, fp=fpr, tn=1 - fpr).at_prevalence(matrix.prior or 0.0)
        found: Floats = np.asarray(entry.on(statistic_of(entry, cells), **parameters), dtype=np.float64)
        return found - now

    sides = [[moved(end, fpr) for end in ends[0].T], [moved(tpr, end) for end in ends[1].T]]
    down, up = (np.sqrt(sum(np.fmax(sign * np.array(of), 0.0).max(axis=0) ** 2 for of in sides)) for sign in (-1, 1))
    of_rates: list[tuple[Floats, Callable[[Floats], Floats]]]
    of_rates = [(tpr, lambda rate: moved(rate, fpr)), (fpr, lambda rate: moved(tpr, rate))]
    spread = [_slope(rate, of) * [s.error for s in own] for (rate, of), own in zip(of_rates, rates, strict=True)]
    errors, fill, found = np.hypot(*spread), _filling(entry, matrix, level, "Wilson, of both rates, combined"), []
    low, high = entry.bounds
    for i, value in enumerate(values):
        if not NO_WIDTH < down[i] + up[i] < math.inf:
            found.append(Estimate(name=entry.name, value=value, reason=FIXED_BY_PRIOR))
            continue
        limits = max(low, value - float(down[i])), min(high, value + float(up[i]))
        error = float(errors[i]) if errors[i] > 0 else None
        found.append(fill(value, limits, error, rates[0][i].rows + rates[1][i].rows))
    return found


def _slope(rate: Floats, of: Callable[[Floats], Floats]) -> Floats:
    above, below = np.minimum(rate + STEP, 1.0), np.maximum(rate - STEP, 0.0)
    found: Floats = (of(above) - of(below)) / (above - below)
    return found


def _filling(entry: Measure, matrix: ConfusionMatrix, level: float, method: str) -> Callable[..., Estimate]:
    """Estimates of a measure by a method, with limits around the value."""
    method += "" if matrix.squares is None else ", linearised variance"
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


def _warnings(entry: Measure, method: str) -> Callable[[SizedShare], tuple[DesignWarning, ...]]:
    """Warning of a share too near 0 or 1 for the method."""
    least = OUTCOMES.get(method)

    def warned(share: SizedShare) -> tuple[DesignWarning, ...]:
        if least is None or share.rarer >= least:
            return ()
        return few_outcomes(share.rarer, of=rarer_outcome(entry, is_frequent=share.value > 0.5), least=least)

    return warned


@lru_cache
def rarer_outcome(entry: Measure, *, is_frequent: bool) -> str:
    """Return the name of the rarer outcome of a proportion.

    >>> rarer_outcome(find("recall"), is_frequent=True), rarer_outcome(find("precision"), is_frequent=False)
    ('false negatives', 'true positives')
    >>> rarer_outcome(find("error_rate"), is_frequent=False)
    'wrong decisions'
    """
    if entry.needs != "cells":
        return "wrong decisions" if is_frequent == (entry.better != "lower") else "right decisions"
    counted, all_of_them = entry.ratio(Cells(*np.eye(4)))
    found = tuple(np.flatnonzero((all_of_them - counted if is_frequent else counted) > 0).tolist())
    return CELLS[found[0]] if len(found) == 1 else SUMS.get(found, "rows of one outcome")


def _within_one_class(entry: Measure) -> bool:
    """Whether all trials of a proportion are of one true class, so that its value is independent of the prevalence."""
    one_each = (Cells.of(tp=1, fn=1, fp=0, tn=0), Cells.of(tp=0, fn=0, fp=1, tn=1))
    return any(float(entry.ratio(statistic_of(entry, cells))[1]) == 0 for cells in one_each)
