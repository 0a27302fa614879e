"""Estimates of the measures of scores: areas, distances and losses that need no threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from thresher.conventions import LEVEL, Undefined, resolve_undefined
from thresher.counts import ScoreTable
from thresher.inference.delong import delong_interval
from thresher.measures import find, measures
from thresher.measures.registry import reason_undefined
from thresher.results import Estimate

NO_INTERVAL = "no interval for this measure yet"


def estimate_of_scores(
    scores: ScoreTable, name: str, *, level: float = LEVEL, undefined: Undefined = "nan"
) -> Estimate:
    """`Estimate` of one measure that needs a score table, such as the AUC or the Brier score."""
    entry = find(name)
    if entry.name in INTERVALS:
        found = INTERVALS[entry.name](scores, level)
    else:
        found = Estimate(name=entry.name, value=entry(scores), n=_rows(scores), reason=NO_INTERVAL)
    if math.isnan(found.value):
        reason = reason_undefined(entry, scores) or found.reason or "it is 0/0"
        value = resolve_undefined(found.value, undefined, entry.title, reason)
        return Estimate(name=entry.name, value=value, n=found.n, reason=reason)
    return found


def summary_of_scores(scores: ScoreTable, *, level: float = LEVEL, undefined: Undefined = "nan") -> dict[str, Estimate]:
    """Every measure that needs a score table and no parameters, by name."""
    wanted = [entry.name for entry in measures("table") if not entry.needs_parameters]
    return {name: estimate_of_scores(scores, name, level=level, undefined=undefined) for name in wanted}


def _gini(scores: ScoreTable, level: float) -> Estimate:
    """Interval of 2·AUC − 1 from that of the AUC: a linear map keeps the coverage."""
    auc = delong_interval(scores, level=level)

    def mapped(value: float | None) -> float | None:
        return None if value is None else 2 * value - 1

    error = None if auc.standard_error is None else 2 * auc.standard_error
    return replace(
        auc,
        name="gini",
        value=2 * auc.value - 1,
        standard_error=error,
        low=mapped(auc.low),
        high=mapped(auc.high),
    )


def _rows(scores: ScoreTable) -> float:
    return float(scores.P + scores.N)


INTERVALS: dict[str, Callable[[ScoreTable, float], Estimate]] = {
    "auc": lambda scores, level: delong_interval(scores, level=level),
    "gini": _gini,
}
"""Measures of scores with an analytic interval."""
