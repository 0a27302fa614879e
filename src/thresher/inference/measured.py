"""Estimates of the measures of a confusion matrix: the value, its interval where there is one, else the reason."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, Undefined, check_undefined, confidence_level, resolve_undefined
from thresher.counts import Cells, ConfusionMatrix
from thresher.errors import InputError
from thresher.inference.proportions import wilson_interval
from thresher.measures import find, measures
from thresher.measures.registry import Measure, reason_undefined, statistic_of
from thresher.results import Estimate

NO_INTERVAL = "no interval for this measure yet"
NO_INTERVAL_AT_PRIOR = "the prevalence was set, so this is no share of rows that were counted; no interval for it yet"
NO_SQUARES = "no interval: the squared weights, which give the effective number of rows, are not known"
NO_KIND = "no interval: the counts are not whole, and what their weights mean (weight_kind) is not known"


def estimate(
    matrix: ConfusionMatrix, measure: str, *, level: float = LEVEL, undefined: Undefined = "nan", **parameters: Any
) -> Estimate:
    """`Estimate` of one measure of decisions.

    Proportions have Wilson's interval. With importance weights its size is the effective number of trials,
    (Σw)²/Σw²; with a prevalence that was set only shares of one true class keep an interval, from the rows as they
    were counted. Other measures have a value and the reason why there is no interval.

    Raises:
        UnknownMeasureError: there is no such measure.
        OptionError: `level`, `undefined` or a parameter has a value that it does not take.
        InputError: the matrix has batch axes.
        UndefinedError: the measure is undefined, and `undefined="raise"`.

    >>> matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
    >>> estimate(matrix, "recall")
    Estimate(true_positive_rate = 0.3 [0.2509, 0.3541], 95% Wilson)
    >>> estimate(matrix, "f1").reason
    'no interval for this measure yet'
    """
    entry = find(measure)
    confidence_level(level)
    check_undefined(undefined)
    if matrix.counts.ndim > 2:
        raise InputError(
            f"an estimate is of one matrix, not of a batch of shape {matrix.counts.shape[:-2]}: "
            f"read values as matrix.{entry.name}."
        )
    value = float(entry(matrix, **parameters))
    if math.isnan(value):
        reason = reason_undefined(entry, matrix) or "it is 0/0"
        return Estimate(name=entry.name, value=resolve_undefined(value, undefined, entry.title, reason), reason=reason)
    if not entry.proportion:
        return Estimate(name=entry.name, value=value, reason=NO_INTERVAL)
    return _with_interval(entry, matrix, value, level, parameters)


def summary(matrix: ConfusionMatrix, *, level: float = LEVEL, undefined: Undefined = "nan") -> dict[str, Estimate]:
    """Every measure of decisions that needs no parameters, by name; with more than two classes those of K×K matrices.

    >>> matrix = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 4]])
    >>> list(summary(matrix))
    ['accuracy', 'error_rate', 'matthews_correlation', 'cohen_kappa', 'balanced_accuracy']
    """
    needs = ("cells", "matrix") if len(matrix.labels) == 2 else ("matrix",)
    wanted = [entry.name for entry in measures(*needs) if not entry.needs_parameters]
    return {name: estimate(matrix, name, level=level, undefined=undefined) for name in wanted}


def _with_interval(
    entry: Measure, matrix: ConfusionMatrix, value: float, level: float, parameters: dict[str, Any]
) -> Estimate:
    """Estimate of a proportion with Wilson's interval, or with the reason why there is none."""
    without = Estimate(name=entry.name, value=value, reason=_obstacle(entry, matrix))
    if without.reason is not None:
        return without
    counted = replace(matrix, prior=None)
    successes, trials = (float(part) for part in entry.ratio(statistic_of(entry, counted), **parameters))
    size = trials
    if matrix.squares is not None:
        # The trials are a sum of cells, so the same sum over Σw² is that of the squared weights.
        size = trials**2 / float(entry.ratio(statistic_of(entry, _squared(counted)), **parameters)[1])
    share = successes / trials
    interval = wilson_interval(share * size, size, level=level)
    return Estimate(
        name=entry.name,
        value=value,
        standard_error=math.sqrt(share * (1 - share) / size),
        low=interval.low,
        high=interval.high,
        level=interval.level,
        method=interval.method if matrix.squares is None else "Wilson, effective size",
        n=size,
    )


def _obstacle(entry: Measure, matrix: ConfusionMatrix) -> str | None:
    """Why a proportion has no interval on this matrix; None when it has one."""
    if matrix.prior is not None and not _within_one_class(entry):
        return NO_INTERVAL_AT_PRIOR
    if matrix.weight_kind == "importance" and matrix.squares is None:
        return NO_SQUARES
    if matrix.weight_kind is None and not np.array_equal(matrix.counts, np.rint(matrix.counts)):
        return NO_KIND
    return None


def _within_one_class(entry: Measure) -> bool:
    """Whether all trials of a proportion are rows of one true class, so that its value depends on no prevalence."""
    one_each = (Cells.of(tp=1, fn=1, fp=0, tn=0), Cells.of(tp=0, fn=0, fp=1, tn=1))
    return any(float(entry.ratio(statistic_of(entry, cells))[1]) == 0 for cells in one_each)


def _squared(matrix: ConfusionMatrix) -> ConfusionMatrix:
    squares = np.asarray(matrix.squares)
    return replace(matrix, counts=squares, squares=None)
