"""Confidence intervals of means over rows: losses, mean scores, functions of such means, and fits of their logits.

Means use Σw, Σw·x, Σw², Σw²·x and Σw²·x² of each class, which the kernel has for losses and scores; a linear function
of a loss has linear functions of its sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.calibration.calibration_tests import CoxCalibration, cox_calibration
from thresher.calibration.diagram import why_not
from thresher.conventions import LEVEL, confidence_level
from thresher.counts.loss_sums import LossSums
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import small_loss
from thresher.errors import Note
from thresher.inference.limits import all_rows, class_sizes, limited, limits, mapped, student_quantile
from thresher.inference.proportions.intervals import normal_quantile, wilson_interval
from thresher.kernel.values import LOSSES
from thresher.measures.areas import once_per_table
from thresher.measures.calibration import moments
from thresher.measures.fitted import CLIP, NO_SLOPE
from thresher.measures.registry import Measure, find, reason_undefined
from thresher.results import NO_INTERVAL, ZERO_BY_ZERO, Estimate

ROUNDING = 1e-13
"""A variance below this share of the mean square is rounding error."""

INFINITE = Note("infinite", "no interval, as a probability of 0 or 1 was wrong")
FEW = Note("too-few-rows", "no interval, as the spread of the losses needs two rows")
ALIKE = Note("no-spread", "no interval, as all rows have the same loss")
FEW_ROWS = Note("too-few-rows", "no interval, as the spread of the rows needs two rows")
ALIKE_ROWS = Note("no-spread", "no interval, as all rows contribute the same")
AT_ZERO = Note("infinite", "no interval, as a ratio of 0 or ∞ lacks a logarithm")
LEAST_LOG_LOSS = 10
"""Summed log loss below which its interval undercovers."""

BOUNDS: dict[str, tuple[float, float]] = {"log_loss": (0.0, math.inf), "brier_score": (0.0, 2.0)}


def loss_interval(table: ScoreTable, name: str, *, level: float = LEVEL) -> Estimate:
    """Estimate of the Brier score, its root, the log loss or the mean score, with the spread of the rows.

    The variance is Σw²·(l − mean)²/(Σw)² times n/(n − 1); at another prevalence it is π²·Var₁ + (1 − π)²·Var₀ of the
    two classes' means. The limits are symmetric on the logit scale for means inside [0, 1] and on the log scale for the
    log loss. Losses use Student's t with (Σw·l)²/Σw²·l² − 1 degrees of freedom, as a few rows carry the loss of a good
    model (docs/coverage.md). Without spread a mean inside [0, 1] has Wilson's interval, the widest of such means. A log
    loss without spread, or infinite, lacks an interval.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> loss_interval(table, "brier_score")
    Estimate(brier_score = 0.172 [0.006116, 0.8752], 95% mean of the rows, Student's t, logit scale)
    """
    base = {"root_brier_score": "brier_score"}.get(name, name)
    entry, sizes = find(base), class_sizes(table)
    found = Estimate(name=base, value=entry(table), n=all_rows(table))
    if math.isnan(found.value):
        return replace(found, name=name)
    if math.isinf(found.value):
        return replace(found, reason=INFINITE)
    sums = _sums(table)[base]
    df = _degrees(sums, table.prior) if base in BOUNDS else math.inf
    error = _error(sums, table.prior)
    found = _of_mean(found, error, found.n or 0.0, entry.bounds, level, df=df, is_effective=sizes.is_effective)
    if base == name:
        return found
    return mapped(found, name, math.sqrt, 1 / (2 * math.sqrt(found.value)) if found.value else math.inf)


def skill_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the Brier skill score 1 − B/v, v = π(1 − π), with both estimated from the same rows.

    By the delta method a row of loss l and truth y contributes −(l − B)/v + B·(1 − 2π)·(y − π)/v². The limits are
    symmetric on the log scale of B/v, so they stay below 1. At another prevalence v is known, and without spread of the
    losses it is treated as known: the limits are then the mapped limits of the Brier score.
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
    error = _error([_affine(each, slope * (y - share), -1 / v) for each, y in zip(sums, (1, 0), strict=True)])
    times = student_quantile((1 + level) / 2, _degrees(sums, None))
    low, high = limits(brier.value / v, error, (0.0, math.inf), times)
    if 1 - high == 1 - low:
        # The Brier score is so small that 1 − B/v is 1 in floating point, and its spread has no width there.
        return _skill_of(_alike(replace(brier, standard_error=None), n, level), value, v)
    method = f"delta method{_effective(table)}, Student's t, log scale of 1 − skill"
    known = replace(brier, name="brier_skill_score", value=value, standard_error=error, method=method)
    return replace(known, low=1 - high, high=1 - low)


def loss_sums_interval(
    sums: LossSums, name: str, *, bounds: tuple[float, float] | None = None, level: float = LEVEL
) -> Estimate:
    """Estimate of a mean loss: on the logit scale of its bounds, on the log scale for [0, ∞).

    By default "log_loss" and "brier_score" (of several classes, [0, 2]) have their own `bounds`, and any other name [0,
    1], such as a top-k accuracy. Without spread the interval is Wilson's on the scale of the bounds, except for the log
    loss.

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
        return replace(found, reason=Note("no-rows", "there are no rows"))
    if math.isinf(sums.mean):
        return replace(found, reason=INFINITE)
    df = math.inf
    if name in BOUNDS and sums.squares_second:
        df = max(sums.first**2 / sums.squares_second - 1, 1.0)
    bounds = bounds or BOUNDS.get(name, (0.0, 1.0))
    return _of_mean(found, error, sums.n, bounds, level, df=df, is_effective=sums.is_effective)


def _skill_of(brier: Estimate, value: float, v: float) -> Estimate:
    """Skill score of a Brier score against a known v."""
    return replace(mapped(brier, "brier_skill_score", lambda b: 1 - b / v, -1 / v), value=value)


def _affine(sums: LossSums, constant: float, factor: float) -> LossSums:
    """Sums of constant + factor·l from the sums of l."""
    c, f = constant, factor
    squares, first, second = sums.squares, sums.squares_first, sums.squares_second
    return replace(
        sums,
        first=c * sums.weight + f * sums.first,
        squares_first=c * squares + f * first,
        squares_second=c * c * squares + 2 * c * f * first + f * f * second,
    )


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
    method = f"mean of the rows{effective}" + (", Student's t" if is_loss else "")
    is_bounded = math.isfinite(bounds[1])
    total = n * (found.value - bounds[0]) / (bounds[1] - bounds[0] if is_bounded else 1)
    warnings = small_loss(total, find(found.name).title, None if is_bounded else LEAST_LOG_LOSS) if is_loss else ()
    return limited(replace(found, warnings=warnings), error, bounds, level=level, method=method, df=df)


def _alike(
    found: Estimate, n: float, level: float, effective: str = "", bounds: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    """Estimate of a mean without spread, with the interval of a proportion, which varies most."""
    least, width = bounds[0], bounds[1] - bounds[0]
    wilson = wilson_interval((found.value - least) / width * n, n, level=level)
    low, high = (least + width * float(limit) for limit in (wilson.low, wilson.high))
    return replace(found, low=low, high=high, level=float(level), method=f"Wilson, as the rows do not vary{effective}")


def _error(sums: Sequence[LossSums], prior: float | None = None) -> float:
    """Standard error of the mean over all rows, or with a prior of the weighted mean of both classes' means."""
    if prior is None:
        return (sums[0] + sums[1]).standard_error
    parts = zip((prior, 1 - prior), sums, strict=True)
    return math.sqrt(sum(share**2 * part.variance for share, part in parts if share))


def _degrees(sums: Sequence[LossSums], prior: float | None) -> float:
    """(Σ of the rows' shares of the mean)²/Σ of their squares, the effective number of rows with the loss, less 1."""
    shares = (1.0, 1.0) if prior is None else (prior, 1 - prior)
    scales = [share if prior is None else share / (part.weight or 1) for share, part in zip(shares, sums, strict=True)]
    square = sum(scale**2 * part.squares_second for scale, part in zip(scales, sums, strict=True))
    first = sum(scale * part.first for scale, part in zip(scales, sums, strict=True))
    return max(first**2 / square - 1, 1.0) if square else math.inf


@once_per_table
def _sums(table: ScoreTable) -> dict[str, list[LossSums]]:
    found = moments(table)
    if found is None:
        raise ValueError("the scores are not probabilities")
    sizes, names = class_sizes(table), ("weight", "first", "squares", "squares_first", "squares_second")
    facts: dict[str, Any] = {"rows": 0, "second": math.nan, "is_effective": sizes.is_effective}
    return {
        name: [LossSums(**dict(zip(names, each, strict=True)), **facts) for each in found.of(name).tolist()]
        for name in LOSSES
    }


def difference_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the prevalence less the mean score, a mean of y − s over rows, with its interval.

    The variance is Σw²(y − s − mean)²/(Σw)²·n/(n − 1), at another prevalence from the two classes' means. The limits
    are symmetric on the logit scale of [−1, 1].

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> difference_interval(table)
    Estimate(calibration_difference = 0.12 [-0.2675, 0.4741], 95% mean of the rows, logit scale)
    """
    found = Estimate(name="calibration_difference", value=find("calibration_difference")(table))
    if math.isnan(found.value):
        return found
    found, error = _of_truth_and_score(table, found, 1.0, 1.0)
    if found.reason is not None:
        return found
    return limited(found, error, (-1.0, 1.0), level=level, method=f"mean of the rows{_effective(table)}")


def ratio_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of observed over expected positives, with the delta method's interval on the log scale.

    A row contributes y/π − s/s̄ to the logarithm; the variance is as for `difference_interval`.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> ratio_interval(table)
    Estimate(observed_expected_ratio = 1.25 [0.6554, 2.384], 95% delta method, log scale)

    Debray et al. (2017).
    """
    found = Estimate(name="observed_expected_ratio", value=find("observed_expected_ratio")(table))
    if math.isnan(found.value):
        return found
    if found.value in (0, math.inf):
        return replace(found, n=all_rows(table), reason=AT_ZERO)
    share = float(table.prevalence)
    found, error = _of_truth_and_score(table, found, 1 / share, found.value / share)
    if found.reason is not None:
        return found
    z = normal_quantile(level)
    with np.errstate(over="ignore", under="ignore"):
        # A ratio with a tiny denominator may have limits beyond floats: 0 and ∞.
        low, high = (found.value * np.exp([-z * error, z * error])).tolist()
    method, own = f"delta method{_effective(table)}, log scale", found.value * error
    return replace(found, standard_error=own, low=low, high=high, level=float(level), method=method)


def _of_truth_and_score(table: ScoreTable, found: Estimate, truth: float, score: float) -> tuple[Estimate, float]:
    """Estimate with its rows, and the standard error of truth·y − score·s; with a reason without one."""
    sums = [_affine(each, truth * y, -score) for each, y in zip(_sums(table)["mean_score"], (1, 0), strict=True)]
    n, error = all_rows(table), _error(sums, table.prior)
    if math.isnan(error):
        return replace(found, n=n, reason=FEW_ROWS), error
    # Contributions are of the order of the factors, and so is their rounding error.
    is_none = error**2 * n <= ROUNDING * max(truth, score) ** 2
    return replace(found, n=n, reason=ALIKE_ROWS if is_none else None), error


def _effective(table: ScoreTable) -> str:
    return ", effective size" if class_sizes(table).is_effective else ""


LOGITS = ("calibration_intercept", "calibration_slope")


def fitted_estimate(table: ScoreTable, entry: Measure, *, level: float = LEVEL) -> Estimate:
    """Estimate of one measure; intercept and slope have intervals, distances do not."""
    if reason := why_not(table):
        return Estimate(name=entry.name, value=math.nan, reason=reason)
    if entry.name in LOGITS:
        return logit_estimates(table, cox_calibration(table, clip=CLIP), level)[entry.name]
    value, why = entry(table), NO_INTERVAL
    if math.isnan(value):
        why = reason_undefined(entry, table) or ZERO_BY_ZERO
        if why.code == NO_SLOPE.code:
            why = cox_calibration(table, clip=CLIP).slope_reason or ZERO_BY_ZERO
    return Estimate(name=entry.name, value=value, n=class_sizes(table).total, reason=why)


def logit_estimates(scores: ScoreTable, cox: CoxCalibration, level: float = LEVEL) -> dict[str, Estimate]:
    """Estimates of the calibration intercept (at slope 1) and slope, with Student's intervals (`cox_calibration`)."""
    n, found = class_sizes(scores).total, {}
    parts = (
        (LOGITS[0], cox.in_the_large, cox.in_the_large_error, cox.reason, " at slope 1"),
        (LOGITS[1], cox.slope, cox.slope_error, cox.slope_reason, ""),
    )
    moved = f", scores within {cox.clip:g} of 0 or 1 moved to {cox.clip:g} from it ({clipped_share(cox)})"
    for name, value, error, reason, at in parts:
        found[name] = Estimate(name=name, value=value, n=n, reason=reason if math.isnan(value) else None)
        if not math.isnan(value):
            method = f"maximum likelihood{at}, sandwich variance, Student's t{moved if cox.moved else ''}"
            found[name] = limited(found[name], error, (-math.inf, math.inf), level=level, method=method, df=cox.df)
    return found


def clipped_share(cox: CoxCalibration) -> str:
    """Rows whose scores were moved away from 0 or 1, such as `1 of 3 rows`."""
    form = ",.1f" if cox.unit == "effective rows" else ",.10g"
    return f"{cox.moved:{form}} of {cox.total:{form}} {cox.unit}"
