"""Estimates of recalibration: intercept and slope of the scores' logits, and distances."""

from __future__ import annotations

import math

from thresher.calibration.calibration_tests import CoxCalibration, cox_calibration
from thresher.calibration.readable import why_not
from thresher.conventions import LEVEL
from thresher.counts.scores import ScoreTable
from thresher.inference.limits.delta import class_sizes, limited
from thresher.measures.fitted import CLIP, NO_SLOPE
from thresher.measures.registry import Measure, reason_undefined
from thresher.results import NO_INTERVAL, ZERO_BY_ZERO, Estimate

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
    sizes = class_sizes(scores)
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
        method = f"maximum likelihood{at}, sandwich variance, Student's t{moved}"
        bare = Estimate(name=name, value=value, n=sizes.total)
        found[name] = limited(bare, error, (-math.inf, math.inf), level=level, method=method, df=cox.df)
    return found


def clipped_words(cox: CoxCalibration) -> str:
    """Words for scores that were moved away from 0 or 1.

    >>> table = ScoreTable.from_scores([1, 0, 1], [1.0, 0.3, 0.2])
    >>> clipped_words(cox_calibration(table, clip=1e-6))
    'scores within 1e-06 of 0 or 1 moved to 1e-06 from it (1 of 3 rows)'
    """
    return f"scores within {cox.clip:g} of 0 or 1 moved to {cox.clip:g} from it ({clipped_share(cox)})"


def clipped_share(cox: CoxCalibration) -> str:
    """Rows whose scores were moved away from 0 or 1, such as `1 of 3 rows`."""
    form = ",.1f" if cox.unit == "effective rows" else ",.10g"
    return f"{cox.moved:{form}} of {cox.total:{form}} {cox.unit}"
