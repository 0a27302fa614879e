"""Estimates of the measures of a confusion matrix: value with interval, or the reason without one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher._util.frozen_values import unchecked
from thresher._util.parse_number import parse_call
from thresher.conventions import LEVEL, Floats, Undefined, check_undefined, confidence_level, option, resolve_undefined
from thresher.counts import Cells, ConfusionMatrix
from thresher.counts.cells import sums_of_others
from thresher.design_warnings import below_chance
from thresher.errors import InputError, Note
from thresher.inference.estimates import cells
from thresher.inference.estimates.closed_forms import closed_form, of_rates
from thresher.inference.estimates.forms import AboveLeast
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits import Bounds, Slopes, delta_intervals, numeric, one_by_one
from thresher.inference.proportions import INTERVALS
from thresher.inference.variance import of_clusters
from thresher.measures.averaging import average
from thresher.measures.registry import Measure, Needs, find, measures, reason_undefined, statistic_of
from thresher.results import ZERO_BY_ZERO, Estimate

OF_MARGINS = "logit scale from the attainable minimum"
ROUNDING = 1e-12
"""Values of such a measure this near are equal, and a value this near to an edge is on it."""


def estimate(
    matrix: ConfusionMatrix,
    measure: str | Measure,
    *,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    interval: str = "wilson",
    **parameters: Any,
) -> Estimate:
    """`Estimate` of one threshold metric with its interval; `method` names it.

    Proportions have Wilson's interval, F1 = 2J/(1 + J) the mapped one of the Jaccard index J; for these, `interval`
    may be "agresti-coull", "jeffreys", "clopper-pearson", "wilson-continuity" or "wald". Differences of two independent
    proportions (informedness, markedness) and the balanced accuracy of two classes have Newcombe's. All other functions
    of two classes, such as ratios, kappa and the Matthews correlation, combine Wilson's limits of TPR, FPR and
    prevalence (Zou and Donner's MOVER), ratios and the geometric mean on the log scale. Costs and net benefit combine
    intervals of their shares, the balanced accuracy of several classes smoothed variances. The information has a
    bias-corrected interval, other measures of several classes the delta method on a scale that keeps their range; for
    kappa and the Matthews correlation this is the logit between the least value that the margins allow and 1.
    Importance weights give a proportion the linearised variance, and enter the delta method squared. At another
    prevalence, shares of one true class keep their interval. Clustered rows have the jackknife over clusters.

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
    Estimate(cohen_kappa = 0.322 [0.2703, 0.3751], 95% Wilson, of both rates and the prevalence, combined)

    Sources: Wilson 1927; Newcombe 1998; Zou & Donner 2008; Agresti 2013, section 16.1; for kappa's
    range Cohen 1960 and Carpentier et al. 2017.
    """
    return estimates([matrix], measure, level=level, undefined=undefined, interval=interval, **parameters)[0]


def estimates(
    matrices: Sequence[ConfusionMatrix],
    measure: str | Measure,
    *,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    interval: str = "wilson",
    **parameters: Any,
) -> list[Estimate]:
    """The estimate of one measure of each of many matrices, such as one for each class, computed together."""
    entry = measure
    if isinstance(entry, str):
        name, written = parse_call(entry)
        entry, parameters = find(name), written | parameters
    confidence_level(level)
    check_undefined(undefined)
    option("interval", interval, tuple(INTERVALS))
    for matrix in matrices:
        if matrix.counts.ndim > 2:
            raise InputError(
                f"an estimate takes one matrix, not a batch of shape {matrix.counts.shape[:-2]}: "
                f"read values as matrix.{entry.name}."
            )
    found: list[Estimate] = [Estimate(name=entry.name, value=math.nan)] * len(matrices)
    for batch, places in _batches(matrices):
        made = _estimates(entry, batch, [matrices[i] for i in places], level, interval, parameters)
        for i, each in zip(places, made, strict=True):
            found[i] = each
            if math.isnan(each.value):
                value = resolve_undefined(each.value, undefined, entry.title, each.reason or "")
                found[i] = replace(each, value=value)
    return found


def summary(
    matrix: ConfusionMatrix, *, level: float = LEVEL, undefined: Undefined = "nan", interval: str = "wilson"
) -> dict[str, Estimate]:
    """Every threshold metric without parameters, by name; with more than two classes every one of K×K matrices.

    Measures that grow with the rows, such as Pearson's χ², come on request only. `interval` applies to proportions
    (`estimate`).

    >>> matrix = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 4]])
    >>> list(summary(matrix))
    ['accuracy', 'error_rate', 'matthews_correlation', 'cohen_kappa', 'balanced_accuracy',
     'relative_classifier_information', 'mutual_information']
    """
    return summaries([matrix], level=level, undefined=undefined, interval=interval)[0]


def summaries(
    matrices: Sequence[ConfusionMatrix], *, level: float = LEVEL, undefined: Undefined = "nan", interval: str = "wilson"
) -> list[dict[str, Estimate]]:
    """The summary of each of many matrices, such as one for each group, computed together."""
    found: list[dict[str, Estimate]] = [{} for _ in matrices]
    for batch, places in _batches(matrices):
        needs: tuple[Needs, ...] = ("cells", "matrix") if len(batch.labels) == 2 else ("matrix",)
        alike = [matrices[i] for i in places]
        for entry in [entry for entry in measures(*needs) if entry.shown_by_default]:
            for i, each in zip(places, _estimates(entry, batch, alike, level, interval, {}), strict=True):
                found[i][entry.name] = each
    return found if undefined == "nan" else [_resolved(each, undefined) for each in found]


def _resolved(found: dict[str, Estimate], undefined: Undefined) -> dict[str, Estimate]:
    values = {n: resolve_undefined(e.value, undefined, find(n).title, e.reason or "") for n, e in found.items()}
    return {name: replace(each, value=values[name]) for name, each in found.items()}


def _batches(matrices: Sequence[ConfusionMatrix]) -> list[tuple[ConfusionMatrix, list[int]]]:
    """Matrices of two classes with the same options as one batch, others one by one; with places."""
    alike: dict[tuple[Any, ...], list[int]] = {}
    for i, m in enumerate(matrices):
        alone = None if len(m.labels) == 2 else i
        alike.setdefault((alone, m.weight_kind, m.prior, m.squares is None), []).append(i)
    found = []
    for places in alike.values():
        first = matrices[places[0]]
        counts = np.stack([matrices[i].counts for i in places])
        squares = None if first.squares is None else np.stack([matrices[i].squares for i in places])  # type: ignore[misc]
        options = {"weight_kind": first.weight_kind, "prior": first.prior, "ordered": first.ordered, "clusters": None}
        own = unchecked(ConfusionMatrix, counts=counts, labels=first.labels, squares=squares, **options)
        found.append((own, places))
    return found


def _estimates(
    entry: Measure, batch: ConfusionMatrix, matrices: Sequence[ConfusionMatrix], level: float, interval: str,
    parameters: dict[str, Any],
) -> list[Estimate]:  # fmt: skip
    """Estimates of a measure of the matrices of a batch, NaN with its reason where undefined."""
    values = np.broadcast_to(entry(batch, **parameters), len(matrices)).tolist()
    found, known = [], []
    for i, (matrix, value) in enumerate(zip(matrices, values, strict=True)):
        reason = _missing(entry, matrix, value)
        found.append(Estimate(name=entry.name, value=value, reason=reason))
        if reason is None:
            known.append(i)
    if known:
        part, of_part = batch, values
        if len(known) < len(values):
            part, of_part = _single(batch, known), [values[i] for i in known]
        limited = _with_intervals(entry, of_part, part, level, parameters, interval)
        for i, each in zip(known, limited, strict=True):
            found[i] = each

    def formula(part: ConfusionMatrix) -> Any:
        return entry(part, **parameters)

    for i, matrix in enumerate(matrices):
        if matrix.clusters is not None:
            found[i] = of_clusters(found[i], matrix, formula, entry, level)
    return found


def _missing(entry: Measure, matrix: ConfusionMatrix, value: float) -> Note | None:
    """Why a measure lacks a value or an interval; None if it does not."""
    if math.isnan(value):
        return reason_undefined(entry, matrix) or ZERO_BY_ZERO
    return methods_of(entry.name).refused or cells.obstacle(matrix)


def _with_intervals(
    entry: Measure, values: Sequence[float], batch: ConfusionMatrix, level: float, parameters: dict[str, Any],
    interval: str,
) -> list[Estimate]:  # fmt: skip
    """Estimates with the interval of their kind, `interval` being the method for proportions."""
    own, several = methods_of(entry.name), len(batch.labels) > 2
    if own.limits == "mean over cells":
        return _of_rows(entry, values, batch, level, parameters=parameters)
    if own.limits == "information" and batch.prior not in (0.0, 1.0):
        slopes = slopes_of(entry, batch, parameters)
        return cells.information_estimates(batch, entry.name, values, slopes, bounds=entry.bounds, level=level)
    if (mean_of := own.mean_of) and several:
        found, alone = Estimate(name=entry.name, value=values[0]), _single(batch, 0)
        options: dict[str, Any] = {"how": "macro", "level": level, "parameters": {}}
        slopes = slopes_of(entry, batch, parameters)
        if (mean := cells.smooth_mean_estimate(alone, find(mean_of), found, slopes, **options)) is not None:
            return [mean]
    if (closed := closed_form(entry, values, batch, level, INTERVALS[interval])) is not None:
        return closed
    slopes = slopes_of(entry, batch, parameters)
    both = [] if several else np.flatnonzero(np.all(batch.counts.any(axis=2), axis=1)).tolist()
    part = [values[i] for i in both], _single(batch, both), level
    of_both = of_rates(entry, *part, parameters=parameters, slopes=slopes) if both else []
    by_place = {i: each for i, each in zip(both, of_both, strict=True) if each.low is not None}
    if rest := [i for i in range(len(values)) if i not in by_place]:
        # By the delta method: of several classes, or of one class without rows.
        others = entry.name, [values[i] for i in rest], _single(batch, rest), slopes
        if isinstance(own.limits, AboveLeast):
            by_delta = _of_agreement(*others, over=own.limits.over, level=level)
        else:
            by_delta = _by_slopes(*others, bounds=[entry.bounds] * len(rest), level=level)
        by_place |= zip(rest, by_delta, strict=True)
    return [by_place[i] for i in range(len(values))]


def _of_agreement(
    name: str, values: Sequence[float], batch: ConfusionMatrix, slopes: Slopes, *, over: Callable[..., float],
    level: float,
) -> list[Estimate]:  # fmt: skip
    """Estimates of an agreement, with a range from the least value of its margins.

    Margins where nothing is right, or every row has one prediction, leave no range below the value. Other rows have
    other margins, so the limits then come from both rates; of several classes the range is from −1.
    """
    least = [_least_agreement(over, m) for m in batch.scaled]
    is_least = [value - low < ROUNDING for value, low in zip(values, least, strict=True)]
    bounds = [(-1.0 if at else low, 1.0) for at, low in zip(is_least, least, strict=True)]
    found = _by_slopes(name, values, batch, slopes, bounds=bounds, level=level)
    return [
        replace(
            each, low=min(each.low, each.value), method=each.method.replace("logit scale", OF_MARGINS),
            warnings=below_chance(each.value),
        ) if each.method and each.low is not None else each
        for each in found
    ]  # fmt: skip


def _by_slopes(
    name: str, values: Sequence[float], batch: ConfusionMatrix, slopes: Slopes, *, bounds: Sequence[Bounds],
    level: float,
) -> list[Estimate]:  # fmt: skip
    """Estimates with the delta method's interval, or with the reason without one."""
    bare = [Estimate(name=name, value=value) for value in values]
    found = delta_intervals(bare, *cells.with_squares(batch), slopes, bounds=bounds, level=level)
    why = cells.FIXED if batch.prior is None else cells.FIXED_BY_PRIOR
    return [each or replace(without, reason=why) for each, without in zip(found, bare, strict=True)]


def slopes_of(entry: Measure, matrix: ConfusionMatrix, parameters: dict[str, Any]) -> Slopes:
    """Derivatives of a measure by each cell of a batch of counts, the matrix's prior applied on the way."""
    if len(matrix.labels) > 2:
        known = methods_of(entry.name).slopes
        if known is not None:
            return one_by_one(lambda counts: known(counts, **parameters))
        return numeric(lambda counts: entry.on(counts, **parameters))

    def formula(counts: Floats) -> Floats:
        (tp, fn), (fp, tn) = np.moveaxis(counts, (-2, -1), (0, 1))
        of_two = Cells(tp=tp, fp=fp, fn=fn, tn=tn)
        of_two = of_two if matrix.prior is None else of_two.at_prevalence(matrix.prior)
        return entry.on(statistic_of(entry, of_two), **parameters)

    return numeric(formula)


def _single(batch: ConfusionMatrix, i: int | slice | list[int]) -> ConfusionMatrix:
    return replace(batch, counts=batch.counts[i], squares=None if batch.squares is None else batch.squares[i])


def _of_rows(
    entry: Measure, values: Sequence[float], batch: ConfusionMatrix, level: float, *, parameters: dict[str, Any]
) -> list[Estimate]:
    """Estimates of a mean of amounts by cell: an expected cost, or a net benefit."""
    tp, fp, fn, tn = entry.on(Cells(*np.eye(4)), **parameters).tolist()
    added, why = np.array([[tp, fn], [fp, tn]]), cells.FIXED if batch.prior is None else cells.FIXED_BY_PRIOR
    found = []
    for value, counts, squares in zip(values, *cells.with_squares(batch), strict=True):
        bare = Estimate(name=entry.name, value=value)
        interval = cells.mean_interval(bare, added, counts, squares, prior=batch.prior, level=level)
        found.append(interval or replace(bare, reason=why))
    return found


def _least_agreement(over: Callable[..., float], m: Floats) -> float:
    """Smallest value of tables with the same margins.

    Such measures are (n·s − Σ p_k·q_k) over a function of the margins p and q; s is the sum of the diagonal. It is
    least at max(0, p_k + q_k − n) for the one k with p_k > n − q_k, if any, as row and column k share at least so many
    rows. Then n·s − p_k·q_k = −(n − p_k)(n − q_k), without cancellation.
    """
    p, q = m.sum(axis=1), m.sum(axis=0)
    rest_p, rest_q = sums_of_others(p), sums_of_others(q)
    lack = np.where(p > rest_q, rest_p * rest_q, p * q)
    return max(-1.0, -float(lack.sum() / over(p, q, rest_p, rest_q)))


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
    """Estimate of a macro, micro or weighted average with its interval, from its defined value.

    A micro average that equals the accuracy has its interval. Macro and weighted averages of a bounded measure use
    smoothed variances (`spread_of_mean`), so a class of few rows or without errors keeps its uncertainty. Others have
    the delta method over all cells of the matrix; class sizes are as random as the predictions.

    Source: Takahashi, Yamamoto, Kuchiba & Koyama 2022.
    """

    def formula(part: ConfusionMatrix) -> Any:
        return average(part, entry.name, how=how, **parameters)

    options: dict[str, Any] = {"how": how, "level": level, "parameters": parameters}
    by_rows = _average_estimate(matrix, entry, found, interval, options, formula)
    return of_clusters(by_rows, matrix, formula, entry, level)


def _average_estimate(
    matrix: ConfusionMatrix, entry: Measure, found: Estimate, interval: str, options: dict[str, Any],
    formula: Callable[[ConfusionMatrix], Any],
) -> Estimate:  # fmt: skip
    how, level, parameters = options["how"], options["level"], options["parameters"]
    if (refused := methods_of(entry.name).refused) is not None:
        return replace(found, reason=refused)
    if how == "micro" and matrix.prior is None and _is_accuracy(entry, parameters):
        return replace(estimate(matrix, "accuracy", level=level, interval=interval), name=found.name, value=found.value)
    if reason := cells.obstacle(matrix):
        return replace(found, reason=reason)
    if len(matrix.labels) > 2:
        slopes = one_by_one(cells.average_slopes(entry, how, parameters))
    else:  # at the prevalence
        slopes = numeric(lambda counts: np.asarray(formula(replace(matrix, counts=counts, squares=None))))
    is_bounded = how != "micro" and matrix.prior is None and np.isfinite(entry.bounds).all()
    smooth = cells.smooth_mean_estimate(matrix, entry, found, slopes, **options) if is_bounded else None
    if smooth is not None:
        return smooth
    ((batch, _),) = _batches([matrix])
    return _by_slopes(found.name, [found.value], batch, slopes, bounds=[entry.bounds], level=level)[0]


def _is_accuracy(entry: Measure, parameters: dict[str, Any]) -> bool:
    """Whether the micro average equals the accuracy, as for recall, precision and F: FP and FN have equal sums."""
    tried = Cells(*(np.array(each, dtype=np.float64) for each in ([3, 5], [2, 1], [2, 1], [4, 9])))
    found = entry.on(statistic_of(entry, tried), **parameters)
    return bool(np.allclose(found, tried.tp / (tried.tp + tried.fp), rtol=1e-12, atol=0))
