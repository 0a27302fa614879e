"""Intervals of threshold metrics that follow from intervals of proportions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats, divide
from thresher.counts import Cells, ConfusionMatrix
from thresher.design_warnings import DesignWarning, few_outcomes
from thresher.errors import Note
from thresher.inference.differences.means import independent_rows
from thresher.inference.estimates.cells import with_squares
from thresher.inference.estimates.forms import DifferenceOfShares
from thresher.inference.estimates.methods import PARTS, RATES, methods_of
from thresher.inference.limits import NO_WIDTH, Slopes, errors_of, student_quantile
from thresher.inference.proportions.differences import newcombe_from
from thresher.inference.proportions.intervals import Interval, wilson_interval
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


def closed_form(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, make: OfShare
) -> list[Estimate] | None:
    """Estimates on a batch of matrices by intervals of proportions of the counted rows; None of another measure."""
    form, parts = methods_of(entry.name).limits, list[Measure]()
    of_parts: Callable[..., list[Estimate]] = partial(_of_share, make=make)
    if entry.proportion or entry.doubled:
        parts = [find(entry.doubled) if entry.doubled else entry]
    elif isinstance(form, DifferenceOfShares):
        parts, of_parts = [find(form.first), find(form.second)], partial(_of_difference, form=form)
    if not parts or (len(matrix.labels) > 2 and not entry.proportion):
        return None
    if matrix.prior is not None and not all(map(_within_one_class, parts)):
        return None
    return of_parts(entry, values, matrix, level)


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
    fill, found = _filling(entry, matrix, level, words), []
    for value, share, (low, high) in zip(values, shares, limits, strict=True):
        error, ends = share.error, (low, high)
        if entry.doubled:
            error, ends = 2 / (1 + share.value) ** 2 * error, (2 * low / (1 + low), 2 * high / (1 + high))
        found.append(fill(value, ends, error, share.rows, _warned(part, method, share)))
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
        known = fill(value, (low, high), error, p.rows + q.rows, _of_both((form.first, form.second), p, q))
        found.append(Estimate(name=entry.name, value=value, reason=NEVER) if never else known)
    return found


def of_rates(
    entry: Measure, values: Sequence[float], matrix: ConfusionMatrix, level: float, *, parameters: dict[str, Any],
    slopes: Slopes,
) -> list[Estimate]:  # fmt: skip
    """Estimates of any function f of TPR, FPR and prevalence, from Wilson's limits of each.

    The limits are f ∓ √(Σ d²) (MOVER), on the log scale for a ratio. d is how far f moves down (up) if one of the three
    goes to one of its limits and the others stay; a stated prevalence does not move. A class without errors keeps its
    uncertainty, unlike in the delta method. The limit of a ratio of 0 or ∞ is its value with the rates of 0 and 1 at
    their limits. With importance weights the rates and the prevalence are correlated. The classes have rows.

    Source: Zou & Donner 2008; simulated in docs/coverage.md.
    """
    shares = [_shares(find(name), matrix, level) for name in PARTS]
    ends = np.array([_limits(of, wilson_interval, level)[0] for of in shares]).swapaxes(1, 2)
    points = _moved(np.array([[share.value for share in of] for of in shares]), ends)
    found = _at(entry, matrix, points, parameters)
    own = methods_of(entry.name)
    is_ratio = entry.bounds == (0.0, math.inf) or own.limits == "log"
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        low, high = _combined(np.log(found) if is_ratio else found, _correlations(matrix, shares))
        low, high = (np.exp(end) if is_ratio else end for end in (low, high))
        errors = errors_of(slopes(matrix.counts.astype(np.float64))[1], with_squares(matrix)[1])
        is_moved = (np.abs(found[5:7] - found[0]) > NO_WIDTH * np.abs(found[0])).any(axis=0).tolist()
    words, (least, most) = ("both rates", "both rates and the prevalence"), entry.bounds
    fill = [_filling(entry, matrix, level, f"Wilson, of {each}, combined") for each in words]
    estimates = []
    for i, (value, of_tpr, of_fpr, of_all) in enumerate(zip(values, *shares, strict=True)):
        rows = of_all.rows if matrix.prior is None else of_tpr.rows + of_fpr.rows
        if not (high[i] - low[i]) * math.sqrt(rows) > NO_WIDTH:
            estimates.append(Estimate(name=entry.name, value=value))
            continue
        error = errors[i] if least < value < most and NO_WIDTH < errors[i] * math.sqrt(rows) < math.inf else None
        limits = max(least, float(low[i])), min(most, float(high[i]))
        estimates.append(fill[is_moved[i]](value, limits, error, rows, _of_both(RATES, of_tpr, of_fpr)))
    return estimates


def _at(entry: Measure, matrix: ConfusionMatrix, points: Floats, parameters: dict[str, Any]) -> Floats:
    """Values of a measure at TPRs, FPRs and prevalences, or at the stated prevalence."""
    tpr, fpr, share = points
    share = share if matrix.prior is None else np.full_like(share, matrix.prior)
    positives, negatives = (part * matrix.counts.sum(axis=(1, 2)) for part in (share, 1 - share))
    cells = Cells(tp=tpr * positives, fn=(1 - tpr) * positives, fp=fpr * negatives, tn=(1 - fpr) * negatives)
    return np.asarray(entry.on(statistic_of(entry, cells), **parameters), dtype=np.float64)


def _moved(shares: Floats, ends: Floats) -> Floats:
    """TPR, FPR and prevalence, as they are, each at its limits in turn, and with rates of 0 and 1 at their limits."""
    points = np.repeat(shares[:, None], 10, axis=1)
    for i, limits in enumerate(ends):
        points[i, 2 * i + 1 : 2 * i + 3] = limits
    tpr, fpr = (
        np.where(rate == 0, high, np.where(rate == 1, low, rate))
        for rate, (low, high) in zip(shares[:2], ends[:2], strict=True)
    )
    points[0, 7], points[1, 8], points[:2, 9] = tpr, fpr, (tpr, fpr)
    return points


def _combined(found: Floats, correlations: Floats) -> tuple[Floats, Floats]:
    """Limits of a function from its values at the points of `_moved`."""
    now, ends = found[0], []
    inner = np.where(np.isfinite(found[7:]), found[7:], math.nan)
    for sign, nearest in ((-1, np.fmin), (1, np.fmax)):
        apart = np.fmax(sign * (found[1:7] - now), 0.0).reshape(3, 2, -1)
        moves = apart.max(axis=1) * np.where(apart[:, 1] >= apart[:, 0], 1, -1)
        squared = (moves**2).sum(axis=0) + 2 * moves[2] * (correlations * moves[:2]).sum(axis=0)
        is_far = now == -sign * math.inf
        ends.append(np.where(is_far, nearest.reduce(inner), now + sign * np.sqrt(np.maximum(squared, 0.0))))
    return ends[0], ends[1]


def _correlations(matrix: ConfusionMatrix, shares: list[list[SizedShare]]) -> Floats:
    """Correlation of each rate with the prevalence: 0 but with importance weights."""
    counts, squares = with_squares(matrix)
    if matrix.squares is None:
        return np.zeros((2, len(counts)))
    alarms, others = squares.swapaxes(0, 2)
    values, errors = (np.array([[getattr(s, of) for s in own] for own in shares]) for of in ("value", "error"))
    covered = alarms * (1 - values[:2]) - others * values[:2]
    covered *= np.array([1 - values[2], -values[2]]) / (counts.sum(axis=2).T * counts.sum(axis=(1, 2)))
    return np.clip(divide(covered, errors[:2] * errors[2]), -1.0, 1.0)


def _filling(entry: Measure, matrix: ConfusionMatrix, level: float, method: str) -> Callable[..., Estimate]:
    """Estimates of a measure by a method, with limits around the value."""
    method += "" if matrix.squares is None else ", linearised variance"
    level = float(level)

    def fill(
        value: float, ends: tuple[float, float], error: float | None, size: float, warnings: tuple[DesignWarning, ...]
    ) -> Estimate:
        return Estimate(
            name=entry.name, value=value, standard_error=error, low=min(ends[0], value), high=max(ends[1], value),
            level=level, method=method, n=size, warnings=warnings,
        )  # fmt: skip

    return fill


def _warned(entry: Measure, method: str, share: SizedShare) -> tuple[DesignWarning, ...]:
    """Warning of a share too near 0 or 1 for the method."""
    if (least := OUTCOMES.get(method)) is None or share.rarer >= least:
        return ()
    return few_outcomes(share.rarer, of=rarer_outcome(entry, is_frequent=share.value > 0.5), least=least)


def _of_both(names: tuple[str, str], *shares: SizedShare) -> tuple[DesignWarning, ...]:
    """Warning of two shares that are both too near 0 or 1, or of a share of a single row."""
    first, second = (_warned(find(name), "Wilson", share) for name, share in zip(names, shares, strict=True))
    return first or second if min(share.rows for share in shares) < 2 else first and second


@lru_cache
def rarer_outcome(entry: Measure, *, is_frequent: bool) -> str:
    """Return the name of the rarer outcome of a proportion."""
    if entry.needs != "cells":
        return "wrong decisions" if is_frequent == (entry.better != "lower") else "right decisions"
    counted, all_of_them = entry.ratio(Cells(*np.eye(4)))
    found = tuple(np.flatnonzero((all_of_them - counted if is_frequent else counted) > 0).tolist())
    return CELLS[found[0]] if len(found) == 1 else SUMS.get(found, "rows of one outcome")


def _within_one_class(entry: Measure) -> bool:
    """Whether all trials of a proportion are of one true class, so that its value is independent of the prevalence."""
    one_each = (Cells.of(tp=1, fn=1, fp=0, tn=0), Cells.of(tp=0, fn=0, fp=1, tn=1))
    return any(float(entry.ratio(statistic_of(entry, cells))[1]) == 0 for cells in one_each)
