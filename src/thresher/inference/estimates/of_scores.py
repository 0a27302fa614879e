"""Estimates of the measures of scores: areas, distances and losses that need no threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from thresher.conventions import LEVEL, Undefined, resolve_undefined
from thresher.counts import ScoreTable
from thresher.inference.auc.delong import auc_intervals
from thresher.inference.estimates.methods import methods_of
from thresher.inference.scores.recalibration import fitted_estimate
from thresher.measures import Measure, find, measures
from thresher.measures.cost_loss import USUAL, usual_losses
from thresher.measures.probability import NOT_PROBABILITIES
from thresher.measures.registry import reason_undefined
from thresher.results import NO_INTERVAL, Estimate


def estimate_of_scores(
    scores: ScoreTable, name: str, *, level: float = LEVEL, undefined: Undefined = "nan", **parameters: Any
) -> Estimate:
    """`Estimate` of one measure that needs a score table, such as the AUC or the Brier score.

    Which has an analytic interval stands in `methods`; the others advise a bootstrap. What needs
    probabilities is undefined for other scores, whatever becomes of 0/0.
    """
    entry = find(name)
    interval = methods_of(entry.name).interval
    if entry.fitted:
        return fitted_estimate(scores, entry, level=level)
    if interval is not None and not parameters:
        found = interval(scores, level=level)
    else:
        found = Estimate(
            name=entry.name, value=entry(scores, **parameters), n=float(scores.P + scores.N), reason=NO_INTERVAL
        )
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
    return summaries_of_scores([scores], level=level, undefined=undefined)[0]


def keep_together(tables: Sequence[ScoreTable], *, level: float, losses: bool) -> None:
    """Find the slow parts of many tables at once, a tenth of the time: intervals of areas, and `losses` over costs."""
    auc_intervals.keep(tables, level)
    if losses:
        usual_losses.keep(tables, *USUAL)


def summaries_of_scores(
    tables: Sequence[ScoreTable], *, level: float = LEVEL, undefined: Undefined = "nan"
) -> list[dict[str, Estimate]]:
    """The summary of each of many tables, such as those of groups."""
    keep_together(tables, level=level, losses=True)
    wanted = [entry.name for entry in measures("table") if not (entry.needs_parameters or entry.fitted)]
    options: dict[str, Any] = {"level": level, "undefined": undefined}
    return [{name: estimate_of_scores(table, name, **options) for name in wanted} for table in tables]
