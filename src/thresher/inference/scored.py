"""Estimates of the measures of scores: areas, distances and losses that need no threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from thresher.conventions import LEVEL, Undefined, resolve_undefined
from thresher.counts import ScoreTable
from thresher.inference.areas_precision import average_precision_interval
from thresher.inference.auc_limits import auc_interval
from thresher.inference.calibration_fits import fitted_estimate
from thresher.inference.calibration_means import difference_interval, ratio_interval
from thresher.inference.extremes import equal_error_interval, ks_interval
from thresher.inference.losses import loss_interval, skill_interval
from thresher.measures import Measure, find, measures
from thresher.measures.probability import NOT_PROBABILITIES
from thresher.measures.registry import reason_undefined
from thresher.results import NO_INTERVAL, Estimate


def estimate_of_scores(
    scores: ScoreTable, name: str, *, level: float = LEVEL, undefined: Undefined = "nan"
) -> Estimate:
    """`Estimate` of one measure that needs a score table, such as the AUC or the Brier score.

    Those with an analytic interval are the keys of `INTERVALS`; the others say that a bootstrap gives one. What needs
    probabilities is undefined for other scores, whatever becomes of 0/0.
    """
    entry = find(name)
    if entry.fitted:
        return fitted_estimate(scores, entry, level=level)
    if entry.name in INTERVALS:
        found = INTERVALS[entry.name](scores, level)
    else:
        found = Estimate(name=entry.name, value=entry(scores), n=_rows(scores), reason=NO_INTERVAL)
    if math.isnan(found.value):
        reason = reason_undefined(entry, scores) or found.reason or "it is 0/0"
        # What the scores are not made for is no 0/0, of which the user says what becomes.
        no_number = lacks_probabilities(entry, scores)
        value = math.nan if no_number else resolve_undefined(found.value, undefined, entry.title, reason)
        return Estimate(name=entry.name, value=value, n=found.n, reason=reason)
    return found


def lacks_probabilities(entry: Measure, scores: ScoreTable) -> bool:
    """Whether a measure of probabilities is asked of other scores.

    >>> lacks_probabilities(find("brier_score"), ScoreTable.from_scores([1, 0], [7.0, 3.0]))
    True
    """
    return NOT_PROBABILITIES in entry.undefined and not scores.is_probability


def summary_of_scores(scores: ScoreTable, *, level: float = LEVEL, undefined: Undefined = "nan") -> dict[str, Estimate]:
    """Every measure that needs a score table and no parameters, by name."""
    wanted = [entry.name for entry in measures("table") if not (entry.needs_parameters or entry.fitted)]
    return {name: estimate_of_scores(scores, name, level=level, undefined=undefined) for name in wanted}


def _of_auc(name: str, factor: float, shift: float) -> Callable[[ScoreTable, float], Estimate]:
    """Interval of factor·AUC + shift from that of the AUC: a linear map keeps the coverage."""

    def interval(scores: ScoreTable, level: float) -> Estimate:
        auc = auc_interval(scores, level=level)
        low, high = (None if limit is None else factor * limit + shift for limit in (auc.low, auc.high))
        error = None if auc.standard_error is None else factor * auc.standard_error
        return replace(auc, name=name, value=factor * auc.value + shift, standard_error=error, low=low, high=high)

    return interval


def _of_losses(name: str) -> Callable[[ScoreTable, float], Estimate]:
    return lambda scores, level: loss_interval(scores, name, level=level)


def _rows(scores: ScoreTable) -> float:
    return float(scores.P + scores.N)


INTERVALS: dict[str, Callable[[ScoreTable, float], Estimate]] = {
    "auc": lambda scores, level: auc_interval(scores, level=level),
    "gini": _of_auc("gini", 2.0, -1.0),
    "signed_area": _of_auc("signed_area", 1.0, -0.5),
    "ks_statistic": lambda scores, level: ks_interval(scores, level=level),
    "equal_error_rate": lambda scores, level: equal_error_interval(scores, level=level),
    "average_precision": lambda scores, level: average_precision_interval(scores, level=level),
    "brier_score": _of_losses("brier_score"),
    "root_brier_score": _of_losses("root_brier_score"),
    "brier_skill_score": lambda scores, level: skill_interval(scores, level=level),
    "log_loss": _of_losses("log_loss"),
    "calibration_difference": lambda scores, level: difference_interval(scores, level=level),
    "observed_expected_ratio": lambda scores, level: ratio_interval(scores, level=level),
    "mean_score": _of_losses("mean_score"),
}
"""Measures of scores with an analytic interval."""
