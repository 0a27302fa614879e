"""Intervals of calibration: observed less expected, observed over expected, and the recalibration that was fitted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thresher.calibration.cox import CoxCalibration, cox_calibration
from thresher.calibration.readable import why_not
from thresher.conventions import LEVEL, Floats, inner
from thresher.counts.scores import ScoreTable
from thresher.inference.limits.delta import ClassSizes, all_rows, class_sizes, limits, student_quantile
from thresher.inference.proportions.intervals import normal_quantile
from thresher.inference.strata import Stratum
from thresher.measures import Measure, find
from thresher.measures.calibration import mean_score, sums
from thresher.measures.fitted import CLIP, NO_SLOPE
from thresher.measures.registry import reason_undefined
from thresher.results import NO_INTERVAL, Estimate

FEW = "no interval, as the spread of the rows needs two of them"
ALIKE = "no interval, as all rows add the same to it, which says nothing about how it varies"
AT_ZERO = "no interval, as a ratio of 0 or ∞ has none on the log scale"
ROUNDING = 1e-13


def difference_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the prevalence less the mean score, a mean of y − s over rows, with its interval.

    The variance is Σw²(y − s − mean)²/(Σw)²·n/(n − 1), at a prevalence that was set that of the two classes' means. The
    limits are symmetric on the logit scale of [−1, 1].

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
    >>> difference_interval(table)
    Estimate(calibration_difference = 0.12 [-0.2675, 0.4741], 95% mean of the rows, logit scale)
    """
    found = Estimate(name="calibration_difference", value=find("calibration_difference")(table))
    if math.isnan(found.value):
        return found
    g, n = sums(table), all_rows(table, class_sizes(table))
    error, reason = _error(table, (1 - g.score, -g.score))
    if reason is not None:
        return replace(found, n=n, reason=reason)
    low, high = limits(found.value, error, (-1.0, 1.0), normal_quantile(level))
    method = _said("mean of the rows, logit scale", class_sizes(table))
    return replace(found, n=n, standard_error=error, low=low, high=high, level=float(level), method=method)


def ratio_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of observed over expected positives, with the delta method's interval on the log scale.

    A row adds y/π − s/s̄ to the logarithm; the variance is as for `difference_interval`.

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
        return replace(found, n=all_rows(table, class_sizes(table)), reason=AT_ZERO)
    g, n = sums(table), all_rows(table, class_sizes(table))
    of_score = g.score / mean_score(g)
    error, reason = _error(table, (1 / g.prevalence - of_score, -of_score))
    if reason is not None:
        return replace(found, n=n, reason=reason)
    z = normal_quantile(level)
    with np.errstate(over="ignore", under="ignore"):
        # A ratio to next to nothing may have limits that no float holds: 0 and ∞ then.
        low, high = (found.value * np.exp([-z * error, z * error])).tolist()
    return replace(
        found,
        n=n,
        standard_error=found.value * error,
        low=low,
        high=high,
        level=float(level),
        method=_said("delta method, log scale", class_sizes(table)),
    )


def _error(table: ScoreTable, parts: tuple[Floats, Floats]) -> tuple[float, str | None]:
    """Standard error of a mean of what a positive and a negative row of each group add, or why there is none."""
    g, sizes = sums(table), class_sizes(table)
    n = all_rows(table, sizes)
    classes = [(g.positive, g.positive_weights, parts[0], sizes.positives),
               (g.negative, g.negative_weights, parts[1], sizes.negatives)]  # fmt: skip
    if table.prior is None:  # rows of both classes were drawn together
        w, squares, part = (np.concatenate([of[i] for of in classes]) for i in range(3))
        classes = [(w, squares, part, n)]
    variance = scale = 0.0
    for w, squares, part, size in classes:
        if (total := float(w.sum())) > 0:
            found = Stratum(w, squares, total, size).mean(part)
            variance += found.variance * (total / g.total) ** 2
            scale += float(inner(part**2, w)) / g.total
    if math.isnan(variance):
        return math.nan, FEW
    # What a row adds is of the order of 1, and so is the rounding of its spread of the order of that of 1.
    none = variance * n <= max(ROUNDING * scale, ROUNDING**2)
    return (math.nan, ALIKE) if none else (math.sqrt(variance), None)


def _said(method: str, sizes: ClassSizes) -> str:
    return method.replace(",", ", effective size,", 1) if sizes.is_effective else method


LOGITS = ("calibration_intercept", "calibration_slope")


def fitted_estimate(table: ScoreTable, entry: Measure, *, level: float = LEVEL) -> Estimate:
    """Estimate of one measure, with the interval of intercept and slope; the distances have none by formula."""
    if reason := why_not(table):
        return Estimate(name=entry.name, value=math.nan, reason=reason)
    if entry.name in LOGITS:
        return logit_estimates(table, cox_calibration(table, clip=CLIP), level)[entry.name]
    value = entry(table)
    reason = why_unfitted(table, entry) if math.isnan(value) else NO_INTERVAL
    return Estimate(name=entry.name, value=value, n=class_sizes(table).total, reason=reason)


def why_unfitted(table: ScoreTable, entry: Measure) -> str | None:
    """Why a measure that needs a fit is undefined; where the fit has no slope, why it has none."""
    reason = reason_undefined(entry, table)
    return cox_calibration(table, clip=CLIP).slope_reason if reason == NO_SLOPE else reason


def logit_estimates(scores: ScoreTable, cox: CoxCalibration, level: float = LEVEL) -> dict[str, Estimate]:
    """Estimates of the calibration intercept (at slope 1) and slope, with Student's intervals (`cox_calibration`)."""
    sizes, t = class_sizes(scores), student_quantile((1 + level) / 2, cox.df)
    parts = (
        (LOGITS[0], cox.in_the_large, cox.in_the_large_error, cox.reason, " at slope 1"),
        (LOGITS[1], cox.slope, cox.slope_error, cox.slope_reason, ""),
    )
    moved = f", {clipped_words(cox)}" if cox.moved else ""
    found = {}
    for name, value, error, reason, at in parts:
        if math.isnan(value):
            found[name] = Estimate(name=name, value=value, n=sizes.total, reason=reason)
            continue
        found[name] = Estimate(
            name=name,
            value=value,
            standard_error=error,
            low=value - t * error,
            high=value + t * error,
            level=float(level),
            method=f"maximum likelihood{at}, sandwich variance, Student's t{moved}",
            n=sizes.total,
        )
    return found


def clipped_words(cox: CoxCalibration) -> str:
    """What was done with scores that have no logit, or hardly one.

    >>> table = ScoreTable.from_scores([1, 0, 1], [1.0, 0.3, 0.2])
    >>> clipped_words(cox_calibration(table, clip=1e-6))
    'scores within 1e-06 of 0 or 1 moved to 1e-06 from it (1 of 3 rows)'
    """
    share = f"{cox.moved:,.10g} of {cox.total:,.10g} {cox.unit}"
    return f"scores within {cox.clip:g} of 0 or 1 moved to {cox.clip:g} from it ({share})"
