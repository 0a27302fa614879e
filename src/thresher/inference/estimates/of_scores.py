"""Estimates of the measures of scores: areas, distances and losses, without a threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from thresher.conventions import LEVEL, Undefined, resolve_undefined
from thresher.counts import ScoreTable
from thresher.inference.auc.delong import auc_intervals
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import all_rows
from thresher.inference.scores.recalibration import fitted_estimate
from thresher.measures.calibration import NOT_PROBABILITIES
from thresher.measures.cost_loss import USUAL, usual_losses
from thresher.measures.registry import Measure, find, measures, reason_undefined
from thresher.results import NO_INTERVAL, ZERO_BY_ZERO, Estimate


def estimate_of_scores(
    scores: ScoreTable, name: str | Measure, *, level: float = LEVEL, undefined: Undefined = "nan", **parameters: Any
) -> Estimate:
    """`Estimate` of one measure of a score table, such as the AUC or the Brier score.

    `methods` has the analytic intervals; the other measures advise a bootstrap. Measures of probabilities are undefined
    for other scores, whatever `undefined` is.
    """
    entry = find(name) if isinstance(name, str) else name
    interval = methods_of(entry.name).interval
    if entry.fitted:
        return fitted_estimate(scores, entry, level=level)
    if interval is not None and not parameters:
        found = interval(scores, level=level)
    else:
        value = entry(scores, **parameters)
        found = Estimate(name=entry.name, value=value, n=all_rows(scores), reason=NO_INTERVAL)
    if math.isnan(found.value):
        reason = reason_undefined(entry, scores) or found.reason or ZERO_BY_ZERO
        # A measure of probabilities on other scores is not 0/0, so `undefined` does not apply.
        is_of_other_scores = lacks_probabilities(entry, scores)
        value = math.nan if is_of_other_scores else resolve_undefined(found.value, undefined, entry.title, reason)
        return Estimate(name=entry.name, value=value, n=found.n, reason=reason)
    return found


def lacks_probabilities(entry: Measure, scores: ScoreTable) -> bool:
    """Whether a measure of probabilities gets other scores."""
    return NOT_PROBABILITIES in entry.undefined and not scores.is_probability


def summary_of_scores(scores: ScoreTable, *, level: float = LEVEL, undefined: Undefined = "nan") -> dict[str, Estimate]:
    """Every measure that needs a score table and no parameters, by name."""
    return summaries_of_scores([scores], level=level, undefined=undefined)[0]


def keep_together(tables: Sequence[ScoreTable], *, level: float, losses: bool) -> None:
    """Compute intervals of areas, and `losses` over costs, for many tables at once, in a tenth of the time."""
    auc_intervals.keep(tables, level)
    if losses:
        usual_losses.keep(tables, *USUAL)


def summaries_of_scores(
    tables: Sequence[ScoreTable], *, level: float = LEVEL, undefined: Undefined = "nan"
) -> list[dict[str, Estimate]]:
    """The summary of each table, such as the tables of groups."""
    keep_together(tables, level=level, losses=True)
    wanted = [entry for entry in measures("table") if not (entry.needs_parameters or entry.fitted)]
    options: dict[str, Any] = {"level": level, "undefined": undefined}
    return [{entry.name: estimate_of_scores(table, entry, **options) for entry in wanted} for table in tables]
