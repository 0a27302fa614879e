"""Confidence intervals of the losses of probabilities, which are means over rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from thresher.conventions import LEVEL, Floats, confidence_level
from thresher.counts.loss_sums import LossSums
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import small_loss
from thresher.inference.limits.delta import (
    ClassSizes,
    all_rows,
    class_sizes,
    inflation,
    limits,
    scale_words,
    student_quantile,
)
from thresher.inference.proportions.intervals import wilson_interval
from thresher.kernel.values import LOSSES
from thresher.measures import find
from thresher.measures.areas import once_per_table
from thresher.measures.probability import moments
from thresher.results import Estimate

Loss = Callable[[Floats], Floats]

ROUNDING = 1e-13
"""A variance below this share of the mean square is the rounding of a zero."""

INFINITE = "no interval, as a score that was certain and wrong makes the loss infinite"
FEW = "no interval, as the spread of the losses needs two rows"
ALIKE = "no interval, as all rows have the same loss, which says nothing about how it varies"
LEAST_LOG_LOSS = 10
"""Summed log loss below which its interval falls short."""

BOUNDS: dict[str, tuple[float, float]] = {"log_loss": (0.0, math.inf), "brier_score": (0.0, 2.0)}


def loss_interval(table: ScoreTable, name: str, *, level: float = LEVEL) -> Estimate:
    """Estimate of the Brier score, its root, the log loss or the mean score: a mean over rows and its spread.

    The variance is Σw²·(l − mean)²/(Σw)² times n/(n − 1), exact for the rows that were seen; at a prevalence that was
    set it is π²·Var₁ + (1 − π)²·Var₀ of the two classes' means. The limits are symmetric on the logit scale for means
    inside [0, 1] and on the log scale for the log loss. Those of a loss have Student's t with (Σw·l)²/Σw²·l² − 1
    degrees of freedom, as few rows carry the loss of a good model (docs/coverage.md). Without spread a mean inside
    [0, 1] has Wilson's interval, whose variance no such mean exceeds; the log loss then has none, and neither has an
    infinite one.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> loss_interval(table, "brier_score")
    Estimate(brier_score = 0.172 [0.006116, 0.8752], 95% mean of the rows, Student's t, logit scale)
    """
    base = {"root_brier_score": "brier_score"}.get(name, name)
    entry, sizes = find(base), class_sizes(table)
    found = Estimate(name=base, value=entry(table), n=all_rows(table, sizes))
    if math.isnan(found.value):
        return replace(found, name=name)
    if math.isinf(found.value):
        return replace(found, reason=INFINITE)
    n = all_rows(table, sizes)
    sums = _sums(table)[base]
    error = _error(sums, n=n, prior=table.prior, sizes=sizes)
    df = _degrees(sums, table.prior) if base in BOUNDS else math.inf
    found = _of_mean(found, error, n, entry.bounds, level, df=df, is_effective=sizes.is_effective)
    return found if base == name else _mapped(found, name, math.sqrt, lambda b: 1 / (2 * math.sqrt(b)))


def skill_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the Brier skill score 1 − B/v, v = π(1 − π), both of them estimated from the same rows.

    By the delta method a row of loss l and truth y adds −(l − B)/v + B·(1 − 2π)·(y − π)/v² to it. The limits
    are those of B/v, symmetric on the log scale, so that they stay below 1. At a prevalence
    that was set v is known, and where the losses have no spread it is taken as known: then the limits are those of the
    Brier score, mapped.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> skill_interval(table)
    Estimate(brier_skill_score = 0.2833 [-23.07, 0.9787], 95% delta method, Student's t, log scale of what lacks to 1)
    """
    brier = loss_interval(table, "brier_score", level=level)
    n = brier.n or 0.0
    value = find("brier_skill_score")(table)
    if math.isnan(value):
        return Estimate(name="brier_skill_score", value=value, n=n)
    share = float(table.prevalence)
    v = share * (1 - share)
    if table.prior is not None or brier.standard_error is None:
        return _skill_of(brier, value, v)
    slope = brier.value * (1 - 2 * share) / v**2
    sums = _sums(table)["brier_score"]
    error = _error(np.array([_affine(sums[i], slope * (1 - i - share), -1 / v) for i in (0, 1)]), n=n)
    times = student_quantile((1 + level) / 2, _degrees(sums, None))
    low, high = limits(brier.value / v, error, (0.0, math.inf), times)
    if 1 - high == 1 - low:
        # A Brier score so small that 1 − B/v is 1 in floating point: its own spread is no width there.
        return _skill_of(_alike(replace(brier, standard_error=None), n, level), value, v)
    method = (
        f"delta method{', effective size' if class_sizes(table).is_effective else ''}, Student's t, "
        "log scale of what lacks to 1"
    )
    known = replace(brier, name="brier_skill_score", value=value, standard_error=error, method=method)
    return replace(known, low=1 - high, high=1 - low)


def loss_sums_interval(
    sums: LossSums, name: str, *, bounds: tuple[float, float] | None = None, level: float = LEVEL
) -> Estimate:
    """Estimate of a mean loss: on the logit scale of its bounds, on the log scale for [0, ∞).

    `bounds` are those of "log_loss" and "brier_score" (of several classes, [0, 2]), and [0, 1] for any other name, such
    as a top-k accuracy. Where the rows do not vary the interval is Wilson's on the scale of the bounds; the log loss
    then has none.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> from thresher.multiclass import top_k_accuracy
    >>> sums = top_k_accuracy([0, 2, 1, 0], [[0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1]], k=2)
    >>> loss_sums_interval(sums[2], "top_2_accuracy")
    Estimate(top_2_accuracy = 0.75 [0.1802, 0.9762], 95% mean of the rows, logit scale)
    """
    confidence_level(level)
    found = Estimate(name=name, value=sums.mean, n=sums.n)
    error = sums.standard_error
    if math.isnan(sums.mean):
        return replace(found, reason="there are no rows")
    if math.isinf(sums.mean):
        return replace(found, reason=INFINITE)
    df = math.inf
    if name in BOUNDS and sums.squares_second:
        df = max(sums.first**2 / sums.squares_second - 1, 1.0)
    bounds = bounds or BOUNDS.get(name, (0.0, 1.0))
    return _of_mean(found, error, sums.n, bounds, level, df=df, is_effective=sums.is_effective)


def _skill_of(brier: Estimate, value: float, v: float) -> Estimate:
    """Skill score of a Brier score against a known v: the limits change places."""
    flipped = _mapped(brier, "brier_skill_score", lambda b: 1 - b / v, lambda _: 1 / v)
    return replace(flipped, value=value, low=flipped.high, high=flipped.low)


def _affine(sums: Floats, constant: float, factor: float) -> Floats:
    """Sums of constant + factor·l from those of l."""
    c, f = constant, factor
    weight, first, squares, squares_first, squares_second = sums.tolist()
    second = c * c * squares + 2 * c * f * squares_first + f * f * squares_second
    return np.array([weight, c * weight + f * first, squares, c * squares + f * squares_first, second])


def _of_mean(
    found: Estimate, error: float, n: float, bounds: tuple[float, float], level: float, *, df: float, is_effective: bool
) -> Estimate:
    """Estimate of a mean of n rows inside its bounds, given its standard error and degrees of freedom."""
    effective = ", effective size" if is_effective else ""
    if math.isnan(error):
        return replace(found, reason=FEW)
    if error**2 * n <= ROUNDING * found.value**2:
        return replace(found, reason=ALIKE) if math.isinf(bounds[1]) else _alike(found, n, level, effective, bounds)
    is_loss = math.isfinite(df)
    low, high = limits(found.value, error, bounds, student_quantile((1 + level) / 2, df))
    student = ", Student's t" if is_loss else ""
    method = f"mean of the rows{effective}{student}{scale_words(bounds)}"
    is_bounded = math.isfinite(bounds[1])
    total = n * found.value / (bounds[1] if is_bounded else 1)
    warnings = small_loss(total, least=None if is_bounded else LEAST_LOG_LOSS) if is_loss else ()
    known = replace(found, standard_error=error, low=low, high=high, level=float(level), method=method)
    return replace(known, warnings=warnings)


def _alike(
    found: Estimate, n: float, level: float, effective: str = "", bounds: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    """Estimate of a mean of rows that are alike, with the interval of a proportion, which varies most."""
    least, width = bounds[0], bounds[1] - bounds[0]
    wilson = wilson_interval((found.value - least) / width * n, n, level=level)
    low, high = (least + width * float(limit) for limit in (wilson.low, wilson.high))
    return replace(found, low=low, high=high, level=float(level), method=f"Wilson, as the rows do not vary{effective}")


def _mapped(found: Estimate, name: str, to: Callable[[float], float], slope: Callable[[float], float]) -> Estimate:
    """Estimate of a monotone function of an estimated number: the limits go with it."""
    low, high = (None if limit is None else to(limit) for limit in (found.low, found.high))
    error = None if found.standard_error is None else found.standard_error * slope(found.value)
    return replace(found, name=name, value=to(found.value), low=low, high=high, standard_error=error)


def _error(sums: Floats, *, n: float, prior: float | None = None, sizes: ClassSizes | None = None) -> float:
    """Standard error of the mean over all rows, or with a prior of the mean of both classes' means."""
    if prior is None:
        return math.sqrt(_variance(sums.sum(axis=0)) * inflation(n))
    parts = zip((prior, 1 - prior), sums, (sizes.positives, sizes.negatives) if sizes else (), strict=True)
    return math.sqrt(sum(share**2 * _variance(part) * inflation(size) for share, part, size in parts if share))


def _degrees(sums: Floats, prior: float | None) -> float:
    """(Σ of the rows' shares of the mean)²/Σ of their squares, over how many rows the loss is spread; less 1."""
    scale = np.ones(2) if prior is None else np.array([prior, 1 - prior]) / np.where(sums[:, 0] > 0, sums[:, 0], 1)
    square = float(scale**2 @ sums[:, 4])
    return max(float(scale @ sums[:, 1]) ** 2 / square - 1, 1.0) if square else math.inf


def _variance(sums: Floats) -> float:
    """Σw²(l − mean)²/(Σw)²."""
    weight, first, squares, squares_first, squares_second = sums.tolist()
    mean = first / weight
    spread = squares_second - 2 * mean * squares_first + mean * mean * squares
    return float(max(spread, 0.0) / weight**2)


@once_per_table
def _sums(table: ScoreTable) -> dict[str, Floats]:
    """Σw, Σw·l, Σw², Σw²·l and Σw²·l² of every loss l over the positives and over the negatives, (2, 5)."""
    found = moments(table)
    if found is None:
        raise ValueError("the scores are not probabilities")
    return {name: found.of(name) for name in LOSSES}
