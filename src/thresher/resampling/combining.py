"""How the values of the splits become one estimate: what each method of resampling prescribes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.evaluation.estimating import measured_value
from thresher.evaluation.front import evaluate_predictions
from thresher.measures.measure_text import Wanted
from thresher.resampling.estimates import headline, pooled_estimate
from thresher.resampling.records import predictions_of
from thresher.resampling.sampled import estimate_632, oob_estimate, optimism_estimate
from thresher.resampling.values import JudgedRows
from thresher.results import Estimate


def combined(source: JudgedRows, wanted: Wanted, method: Any, rng: int, level: float) -> Estimate:
    """Estimate of a measure by the rule of its method; of a nested one by that of the outer."""
    method = getattr(method, "outer", method)
    if method.combine == "mean" and len(source.splits.sampled) > 1:
        return headline(source, wanted, level, "folds" if source.splits.folds > 1 else "splits")
    if method.combine in ("mean", "pooled"):  # of one split, as of a holdout
        return pooled_estimate(source, wanted, level)
    if method.combine == "oob":
        return oob_estimate(source, wanted, method, rng, level)
    if method.combine in ("632", "632+"):
        return estimate_632(source, wanted, method, rng, level)
    if method.combine == "optimism":
        return optimism_estimate(source, wanted, rng, level)
    return resubstituted(source, wanted, level)


def resubstituted(source: JudgedRows, wanted: Wanted, level: float) -> Estimate:
    """Value on the rows learned from, marked so."""
    if not source.judged.done.any():
        return Estimate(name=wanted.text, value=math.nan, reason="no fit succeeded")
    where = np.arange(len(source.splits.row))
    rows = predictions_of(source.rows, source.splits, source.judged, where)
    found = measured_value(evaluate_predictions(rows)[source.judged.name], wanted, level=level)
    found = replace(found, name=wanted.text)
    marked = "optimistic: on the rows learned from"
    if found.method is None:
        return replace(found, reason=f"{marked}{'' if found.reason is None else '; ' + found.reason}")
    return replace(found, method=f"{found.method}, {marked}")
