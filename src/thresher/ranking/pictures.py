"""Precision against recall of a run: interpolated at eleven recalls, and as found at cut-offs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.curves.curve import Curve
from thresher.ranking.catalogue import RECALLS

if TYPE_CHECKING:
    from thresher.ranking.run import RunEvaluation

AT = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)


def interpolated_curve(run: RunEvaluation, recalls: Sequence[float] = RECALLS) -> Curve:
    """Mean interpolated precision over queries at recall 0, 0.1, …, 1: the usual precision–recall graph of a run.

    p_interp(r) = max over r' ≥ r of precision at recall r', 0 beyond the recall that a query reaches. Undefined over
    tied documents in expectation. Manning, Raghavan & Schütze (2008), section 8.4.
    """
    x = np.asarray(recalls, dtype=np.float64)
    y = np.array([run.mean(f"iprec_at_recall.{recall:g}").value for recall in recalls])
    return Curve(
        name="interpolated_precision_recall",
        x=x,
        y=y,
        thresholds=np.full(x.size, np.nan),
        x_name="recall",
        y_name="precision",
        interpolation="linear",
        notes=run.notes,
        summary=replace(run.mean("11pt_avg"), name="11-point mean"),
    )


def cutoff_curve(run: RunEvaluation, cuts: Sequence[int] = AT) -> Curve:
    """Mean precision against mean recall of the first k documents, one point for every cut-off k (its threshold)."""
    longest = int(run.looked_at.lengths.max(initial=1))
    kept = [cut for cut in cuts if cut <= longest] or [cuts[0]]
    return Curve(
        name="precision_recall",
        x=np.array([run.mean(f"recall.{cut}").value for cut in kept]),
        y=np.array([run.mean(f"P.{cut}").value for cut in kept]),
        thresholds=np.array(kept, dtype=np.float64),
        x_name="recall",
        y_name="precision",
        interpolation="points",
        notes=run.notes,
    )
