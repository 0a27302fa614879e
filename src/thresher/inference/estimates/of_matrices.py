"""Estimates of the measures of a confusion matrix: the value and its interval, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, Floats, Undefined, check_undefined, confidence_level, option, resolve_undefined
from thresher.counts import Cells, ConfusionMatrix
from thresher.design_warnings import below_chance, few_outcomes
from thresher.errors import InputError
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import Slopes, delta_interval, numeric
from thresher.inference.matrices.cell_means import (
    FIXED,
    FIXED_BY_PRIOR,
    mean_interval,
    obstacle,
    with_delta,
    with_squares,
)
from thresher.inference.matrices.class_intervals import information_estimate, smooth_mean_estimate
from thresher.inference.matrices.class_slopes import average_slopes
from thresher.inference.matrices.clustered_rates import as_ignoring, of_clusters
from thresher.inference.matrices.outcomes import rarer_outcome
from thresher.inference.proportions.differences import newcombe_of_shares
from thresher.inference.proportions.intervals import Interval, wilson_interval
from thresher.inference.proportions.rate_intervals import INTERVALS
from thresher.measures import find, measures
from thresher.measures.averaging import average
from thresher.measures.registry import Measure, reason_undefined, statistic_of
from thresher.results import Estimate
from thresher.written import call

OF_MARGINS = "logit scale above the least value of these margins"
ROUNDING = 1e-12
"""Two values of such a measure that are nearer to each other are one; a value is on the edge when it is this near."""

NEVER = "the rule is surely no better than chance, so that no number is enough"
OUTCOMES = {"Wilson": 2, "Jeffreys": 8, "Wald": 20}
"""Rows of the rarer outcome below which an interval of a rate may hold it less than 92 % of the time, by method."""

Closed = Callable[[Estimate, ConfusionMatrix, float], Estimate]
OfShare = Callable[..., Interval]


def estimate(
    matrix: ConfusionMatrix,
    measure: str,
    *,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    interval: str = "wilson",
    **parameters: Any,
) -> Estimate:
    """`Estimate` of one measure of decisions, with its interval; `method` names it.

    Proportions have Wilson's interval, and F1 = 2J/(1 + J) that of the Jaccard index J, mapped; `interval` takes
    "agresti-coull", "jeffreys", "clopper-pearson", "wilson-continuity" or "wald" instead, for these two kinds.
    Differences of two independent proportions (informedness, markedness) and the balanced accuracy of two classes have
    Newcombe's, the geometric mean has Zou and Donner's, costs and net benefit those of the shares that they add up
    from, the balanced accuracy of several classes that of its smoothed variances, likelihood and odds ratios the log
    method, the information has its bias taken off, and all others have the delta method on a scale that keeps them in
    their range. That of kappa and Matthews correlation is the logit between the least value that the margins allow and
    1: with few positives kappa is nearly 2TP/(2TP + FP + FN), which lies above 0, and on a scale from −1 its interval
    is wider and yet misses the truth more often (docs/coverage.md). With importance weights a proportion's size is the
    effective number of trials, (Σw)²/Σw², and the delta method takes the weights squared. With a prevalence that was
    set, shares of one true class keep their interval, and others have the delta method's. Of rows in clusters rates
    have that of a ratio of sums over these, and the method of other intervals says that clusters are ignored.

    Raises:
        UnknownMeasureError: there is no such measure.
        OptionError: `level`, `undefined`, `interval` or a parameter has a value that it does not take.
        InputError: the matrix has batch axes.
        UndefinedError: the measure is undefined, and `undefined="raise"`.

    >>> matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
    >>> estimate(matrix, "recall")
    Estimate(true_positive_rate = 0.3 [0.2509, 0.3541], 95% Wilson)
    >>> estimate(matrix, "recall", interval="clopper-pearson")
    Estimate(true_positive_rate = 0.3 [0.2487, 0.3553], 95% Clopper–Pearson)
    >>> estimate(matrix, "kappa")
    Estimate(cohen_kappa = 0.322 [0.2713, 0.3765], 95% delta method, logit scale above the least value of these margins)

    Sources: Wilson 1927; Newcombe 1998; Zou & Donner 2008; Simel et al. 1991; Agresti 2013, section 16.1; for kappa's
    range Cohen 1960 and Carpentier et al. 2017.
    """
    measure, written = call(measure)
    entry, parameters = find(measure), written | parameters
    confidence_level(level)
    check_undefined(undefined)
    option("interval", interval, tuple(INTERVALS))
    if matrix.counts.ndim > 2:
        raise InputError(
            f"an estimate is of one matrix, not of a batch of shape {matrix.counts.shape[:-2]}: "
            f"read values as matrix.{entry.name}."
        )
    value = float(entry(matrix, **parameters))
    if math.isnan(value):
        reason = reason_undefined(entry, matrix) or "it is 0/0"
        return Estimate(name=entry.name, value=resolve_undefined(value, undefined, entry.title, reason), reason=reason)
    found = _with_interval(entry, matrix, value, level, parameters, INTERVALS[interval])
    return of_clusters(found, entry, matrix, level=level)


def summary(
    matrix: ConfusionMatrix, *, level: float = LEVEL, undefined: Undefined = "nan", interval: str = "wilson"
) -> dict[str, Estimate]:
    """Every measure of decisions that needs no parameters, by name; with more than two classes those of K×K matrices.

    What grows with the rows, as Pearson's χ² does, is there when it is asked for.

    `interval` is that of proportions: see `estimate`.

    >>> matrix = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 4]])
    >>> list(summary(matrix))
    ['accuracy', 'error_rate', 'matthews_correlation', 'cohen_kappa', 'balanced_accuracy',
     'relative_classifier_information', 'mutual_information']
    """
    needs = ("cells", "matrix") if len(matrix.labels) == 2 else ("matrix",)
    wanted = [entry.name for entry in measures(*needs) if entry.is_unasked]
    options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
    return {name: estimate(matrix, name, **options) for name in wanted}


def estimate_by_slopes(
    matrix: ConfusionMatrix, found: Estimate, slopes: Slopes, *, bounds: tuple[float, float], level: float
) -> Estimate:
    """Estimate with the delta method's interval, from the measure's derivatives; or with the reason why it has none."""
    if reason := obstacle(matrix):
        return replace(found, reason=reason)
    counts, squares = with_squares(matrix)
    interval = delta_interval(counts, squares, slopes, bounds=bounds, level=level)
    if interval is None:
        return replace(found, reason=FIXED if matrix.prior is None else FIXED_BY_PRIOR)
    return with_delta(found, interval, counts, squares, level)


def _with_interval(
    entry: Measure, matrix: ConfusionMatrix, value: float, level: float, parameters: dict[str, Any], of_share: OfShare
) -> Estimate:
    """Estimate with the interval of its kind; `of_share` is that of a proportion."""
    found = Estimate(name=entry.name, value=value, reason=methods_of(entry.name).refused or obstacle(matrix))
    if found.reason is not None:
        return found
    if (special := _of_kind(entry, matrix, found, level, parameters)) is not None:
        return special
    if (closed := _closed_form(entry, matrix, of_share)) is not None:
        return closed(found, matrix, level)
    by_margins = methods_of(entry.name).by_margins
    bounds = (_least_agreement(by_margins, matrix, value), 1.0) if by_margins else entry.bounds
    found = estimate_by_slopes(matrix, found, _slopes(entry, matrix, parameters), bounds=bounds, level=level)
    if found.method is not None and found.low is not None and by_margins:
        method = found.method.replace("logit scale", OF_MARGINS)
        return replace(found, low=min(found.low, value), method=method, warnings=below_chance(value))
    if found.method is None or not methods_of(entry.name).log or matrix.squares is not None:
        return found
    return replace(found, method=found.method.replace("delta", "log").replace(", log scale", ""))


def _of_kind(
    entry: Measure, matrix: ConfusionMatrix, found: Estimate, level: float, parameters: dict[str, Any]
) -> Estimate | None:
    """Estimate of a mean over rows, a mean over several classes or an information; None for other measures."""
    own = methods_of(entry.name)
    if own.by_cell:
        return _of_rows(found, matrix, level, parameters=parameters)
    if own.mean_of and len(matrix.labels) > 2:
        slopes = _slopes(entry, matrix, parameters)
        return smooth_mean_estimate(matrix, find(own.mean_of), found, slopes, how="macro", level=level, parameters={})
    if own.is_information:
        options: dict[str, Any] = {"bounds": entry.bounds, "level": level}
        return information_estimate(matrix, found, lambda moved: _slopes(entry, moved, {}), **options)
    return None


def _closed_form(entry: Measure, matrix: ConfusionMatrix, of_share: OfShare) -> Closed | None:
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


def _slopes(entry: Measure, matrix: ConfusionMatrix, parameters: dict[str, Any]) -> Slopes:
    """Derivatives of a measure by each cell, its prior applied on the way."""
    if len(matrix.labels) > 2:
        known = methods_of(entry.name).slopes
        if known is not None:
            return lambda counts: known(counts, **parameters)
        return numeric(lambda counts: entry.on(counts, **parameters))

    def formula(counts: Floats) -> Floats:
        (tp, fn), (fp, tn) = np.moveaxis(counts, (-2, -1), (0, 1))
        cells = Cells(tp=tp, fp=fp, fn=fn, tn=tn)
        cells = cells if matrix.prior is None else cells.at_prevalence(matrix.prior)
        return entry.on(statistic_of(entry, cells), **parameters)

    return numeric(formula)


def _of_rows(found: Estimate, matrix: ConfusionMatrix, level: float, *, parameters: dict[str, Any]) -> Estimate:
    """Estimate of a mean to which every row adds what its cell says: an expected cost, or a net benefit."""
    tp, fp, fn, tn = find(found.name).on(Cells(*np.eye(4)), **parameters).tolist()
    counts, squares = with_squares(matrix)
    added = np.array([[tp, fn], [fp, tn]])
    interval = mean_interval(found, added, counts, squares, prior=matrix.prior, level=level)
    return interval or replace(found, reason=FIXED if matrix.prior is None else FIXED_BY_PRIOR)


def _least_agreement(over: Callable[..., float], matrix: ConfusionMatrix, value: float) -> float:
    """Smallest value of tables with the same row and column sums; just above `value` where that is the least.

    Such measures are (n·s − Σ p_k·q_k) `over` what the margins p and q alone decide, s being the diagonal's sum. That
    is least at max(0, p_k + q_k − n) for the one k that has p_k > n − q_k, if any, as row and column k overlap in so
    many rows at least; then n·s − p_k·q_k = −(n − p_k)(n − q_k), in which nothing cancels.
    """
    m = matrix.scaled.astype(np.float64)
    p, q, others = m.sum(axis=1), m.sum(axis=0), ~np.eye(len(m), dtype=bool)
    rest_p, rest_q = others @ p, others @ q
    lack = np.where(p > rest_q, rest_p * rest_q, p * q)
    least = max(-1.0, -float(lack.sum() / over(p, q, rest_p, rest_q)))
    return max(least, value + ROUNDING) if value - least < ROUNDING else least


def _share(entry: Measure, matrix: ConfusionMatrix) -> tuple[float, float, bool]:
    """Share and trials of a proportion of the rows as counted, and whether the trials are an effective number."""
    counted = replace(matrix, prior=None)
    successes, trials = (float(part) for part in entry.ratio(statistic_of(entry, counted)))
    if matrix.squares is None:
        return successes / trials, trials, False
    # The trials are a sum of cells, so the same sum over Σw² is that of the squared weights.
    squared = replace(counted, counts=matrix.squares, squares=None)
    return successes / trials, trials**2 / float(entry.ratio(statistic_of(entry, squared))[1]), True


def _of_share(found: Estimate, matrix: ConfusionMatrix, level: float, *, make: OfShare) -> Estimate:
    """Estimate of a proportion."""
    share, size, effective = _share(find(found.name), matrix)
    error = math.sqrt(share * (1 - share) / size)
    interval = make(share * size, size, level=level)
    return _warned(_filled(found, interval, error, size, effective), find(found.name), share, interval.method)


def _warned(found: Estimate, entry: Measure, share: float, method: str) -> Estimate:
    """Estimate that rests on a rate, with a warning where the method is known to fail for one so near 0 or 1."""
    least = OUTCOMES.get(method)
    if least is None:
        return found
    return replace(found, warnings=few_outcomes(share, found.n or 0.0, of=rarer_outcome(entry, share), least=least))


def _of_doubled(found: Estimate, matrix: ConfusionMatrix, level: float, *, make: OfShare) -> Estimate:
    """Estimate of 2J/(1 + J), as F1 is, which grows with J, so that an interval of J becomes one of it."""
    part = find(find(found.name).doubled or "")
    share, size, effective = _share(part, matrix)
    jaccard = make(share * size, size, level=level)
    low, high = (2 * limit / (1 + limit) for limit in (jaccard.low, jaccard.high))
    error = 2 / (1 + share) ** 2 * math.sqrt(share * (1 - share) / size)
    interval = Interval(low, high, level, f"{jaccard.method}, of the {part.title}")
    return _warned(_filled(found, interval, error, size, effective), part, share, jaccard.method)


def _of_difference(found: Estimate, matrix: ConfusionMatrix, level: float) -> Estimate:
    """Estimate of a difference of two proportions with Newcombe's interval, mapped where it is of (1 + d)/2."""
    methods = methods_of(found.name)
    (p, m, effective), (q, n, _) = (_share(find(name), matrix) for name in methods.shares or ())
    low, high = newcombe_of_shares((p, q), (m, n), level=level)
    spread = math.sqrt(p * (1 - p) / m + q * (1 - q) / n)
    scale, shift = methods.scaled
    low, high = scale * low + shift, scale * high + shift
    error: float | None = scale * spread
    if mapped := methods.of_difference:
        low, high = mapped(high), mapped(low)
        error = spread * found.value**2 if math.isfinite(found.value) else None
        if math.isinf(low):
            return replace(found, reason=NEVER)
    return _filled(found, Interval(low, high, level, "Newcombe"), error, m + n, effective)


def _of_product(found: Estimate, matrix: ConfusionMatrix, level: float) -> Estimate:
    """Estimate of √(TPR·TNR): the logarithms' distances to Wilson's limits add up in squares (Zou & Donner 2008).

    The delta method would take a rate of 1, which has no variance of its own, for certain. Where the value is 0 the
    distances are infinite, and what is left of the upper limit is that of the rates that are 0 times the other rate.
    """
    (p, m, effective), (q, n, _) = (_share(find(name), matrix) for name in methods_of(found.name).product or ())
    one, two = (wilson_interval(share * size, size, level=level) for share, size in ((p, m), (q, n)))
    if p * q > 0:
        down, up = (math.hypot(math.log(a / p), math.log(b / q)) for a, b in ((one.low, two.low), (one.high, two.high)))
        low, high = (found.value * math.exp(side / 2) for side in (-down, up))
        error: float | None = found.value / 2 * math.sqrt((1 - p) / (p * m) + (1 - q) / (q * n))
    else:
        low, error = 0.0, None
        high = math.sqrt((p or one.high) * (q or two.high))
    limits = Interval(low, min(high, 1.0), level, "Wilson, of both rates, combined")
    return _filled(found, limits, error, m + n, effective)


def _filled(found: Estimate, interval: Interval, error: float | None, size: float, effective: bool) -> Estimate:
    return replace(
        found,
        standard_error=error,
        low=min(interval.low, found.value),
        high=max(interval.high, found.value),
        level=float(interval.level),
        method=interval.method + (", effective size" if effective else ""),
        n=size,
    )


def _within_one_class(entry: Measure) -> bool:
    """Whether all trials of a proportion are rows of one true class, so that its value depends on no prevalence."""
    one_each = (Cells.of(tp=1, fn=1, fp=0, tn=0), Cells.of(tp=0, fn=0, fp=1, tn=1))
    return any(float(entry.ratio(statistic_of(entry, cells))[1]) == 0 for cells in one_each)


def as_benefit(cost: Estimate) -> Estimate:
    """Estimate of the mean gain of a decision, minus the expected cost; larger is better.

    >>> as_benefit(Estimate(name="expected_cost", value=-3.0, low=-3.5, high=-2.0, level=0.95, method="delta method"))
    Estimate(expected_benefit = 3 [2, 3.5], 95% delta method)
    """
    low, high = (None if end is None else 0.0 - end for end in (cost.high, cost.low))
    return replace(cost, name="expected_benefit", value=0.0 - cost.value, low=low, high=high)


def average_estimate(
    matrix: ConfusionMatrix,
    entry: Measure,
    found: Estimate,
    *,
    how: str,
    level: float,
    parameters: dict[str, Any],
    interval: str = "wilson",
) -> Estimate:
    """Estimate of a macro, micro or weighted average with its interval, given its defined value.

    A micro average that is the accuracy has the accuracy's interval. Macro and weighted averages of a bounded measure
    have that of `_class_spread`, in which a class of few rows or without errors keeps its uncertainty; others have the
    delta method's over all cells of the matrix, the class sizes being as random as the predictions.

    >>> matrix = ConfusionMatrix.from_counts([[50, 6, 4], [8, 30, 2], [6, 4, 20]])
    >>> matrix.average("f1")
    Estimate(macro_f1 = 0.7569 [0.6715, 0.8259], 95% smoothed variances of the classes, logit scale)

    Source: Takahashi, Yamamoto, Kuchiba & Koyama 2022.
    """
    options: dict[str, Any] = {"how": how, "level": level, "parameters": parameters}
    average = _average_estimate(matrix, entry, found, interval=interval, **options)
    return average if matrix.clusters is None else as_ignoring(average)


def _average_estimate(
    matrix: ConfusionMatrix,
    entry: Measure,
    found: Estimate,
    *,
    how: str,
    level: float,
    parameters: dict[str, Any],
    interval: str,
) -> Estimate:
    if (refused := methods_of(entry.name).refused) is not None:
        return replace(found, reason=refused)
    if how == "micro" and (alike := methods_of(entry.name).micro) and matrix.prior is None:
        return replace(estimate(matrix, alike, level=level, interval=interval), name=found.name, value=found.value)
    slopes = (
        average_slopes(entry, how, parameters) if len(matrix.labels) > 2 else _of_two(matrix, entry, how, parameters)
    )
    if how != "micro" and matrix.prior is None and np.isfinite(entry.bounds).all():
        options: dict[str, Any] = {"how": how, "level": level, "parameters": parameters}
        if (smooth := smooth_mean_estimate(matrix, entry, found, slopes, **options)) is not None:
            return smooth
    return estimate_by_slopes(matrix, found, slopes, bounds=entry.bounds, level=level)


def _of_two(matrix: ConfusionMatrix, entry: Measure, how: str, parameters: dict[str, Any]) -> Slopes:
    """Slopes for two classes, the prior applied on the way."""

    def formula(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        batch = replace(matrix, counts=counts, squares=None)
        return np.asarray(average(batch, entry.name, how=how, **parameters))

    return numeric(formula)
