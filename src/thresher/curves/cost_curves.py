"""Curves of costs: the cheapest threshold for each mix of prevalence and costs, and the net benefit of acting."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.frozen_values import check_prevalence
from thresher.conventions import divide, sentinel
from thresher.counts.scores import ScoreTable, rank_of
from thresher.curves.curve import (
    Curve,
    Floats,
    Line,
    Mark,
    Table,
    notes,
    one_table,
    points,
    score_table,
    threshold_table,
)
from thresher.errors import InputError, OptionError, keyword
from thresher.measures.cost_loss import hull_rates

NONE = Line(text="treat none", x=(0.0, 1.0), y=(0.0, 0.0))


def decision_curve(
    table: Table,
    *,
    probabilities: ArrayLike | None = None,
    harm: float = 0.0,
    prevalence: float | None = None,
    per: float = 1.0,
) -> Curve:
    """Compute the net benefit of treating scores ≥ p, over a range of threshold probabilities p.

    NB = TP/n − FP/n·p/(1 − p) − harm, in units of true positives per case; higher is better. Series: `treat_all`,
    NB = π − (1 − π)·p/(1 − p); `treat_none`, 0; `standardized_net_benefit`, NB/π; `interventions_avoided`, the
    treatments saved against treating all at no loss of true positives, (NB − NB_all)/(p/(1 − p)) per `per` cases.
    Undefined (NaN) without rows; NB/π without positives; interventions avoided at p = 0, where all are treated.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score that is a probability of the positive class.
        probabilities: threshold probabilities in [0, 1), rising; 0.01, 0.02, …, 0.99 by default.
        harm: cost of obtaining the score for each case (the test, the biopsy), in true positives.
        prevalence: share of positives where decisions are made, as for a case–control study; by default the table's.
        per: number of cases that interventions avoided are counted per.

    Raises:
        InputError: the scores are not probabilities of the positive class, or the table is a batch.
        OptionError: a threshold probability is not in [0, 1) or they do not rise, the harm is negative or not finite.
        RowsNeededError: the table is thinned.

    Vickers and Elkin (2006); Kerr et al. (2016) for the standardized form.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> curve = decision_curve(table, probabilities=[0.2, 0.5])
    >>> curve.y.tolist(), curve.series["treat_all"].tolist()
    ([0.4375, 0.0], [0.375, 0.0])
    """
    rows = threshold_table(table)
    if prevalence is not None:
        rows = rows.with_prevalence(check_prevalence(prevalence))
    scores = score_table(rows).scores
    # A threshold probability means nothing to other scores.
    if rows.direction != "higher":
        raise InputError("a decision curve needs probabilities of the positive class; here low scores are positive.")
    if scores.size and not (scores[-1] >= 0 and scores[0] <= 1):
        problem = f"a decision curve needs probabilities; the scores run from {scores[-1]:g} to {scores[0]:g}"
        raise InputError(f"{problem}. Calibrate them first.")
    p = _thresholds(probabilities)
    if not 0 <= harm < math.inf or not 0 < per < math.inf:
        raise OptionError(f"harm={harm!r} must be a finite number ≥ 0 and per={per!r} one > 0.")
    found = points(rows)
    taken = np.array([rank_of(scores, each, "higher") for each in p.tolist()], dtype=np.intp)
    odds = p / (1 - p)
    benefit = divide(found.tp[taken] - found.fp[taken] * odds, found.n) - harm
    share = float(divide(found.positives, found.n))
    treat_all = share - (1 - share) * odds
    return Curve(
        name="decision",
        x=p,
        y=benefit,
        thresholds=p,
        x_name="threshold_probability",
        y_name="net_benefit",
        interpolation="points",
        series={
            "treat_all": treat_all,
            "treat_none": np.zeros(p.size),
            "standardized_net_benefit": divide(benefit, share),
            "interventions_avoided": divide(benefit - treat_all, odds) * per,
        },
        references=(NONE,),
        notes=found.notes,
    )


def _thresholds(probabilities: ArrayLike | None) -> Floats:
    if probabilities is None:
        return np.arange(1, 100) / 100
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 1 or not p.size or not ((p >= 0) & (p < 1)).all() or (np.diff(p) <= 0).any():
        raise OptionError(keyword("probabilities") + " must be rising numbers in [0, 1).")
    return p


TRIVIAL = Line(text="the cheaper of all and none positive", x=(0.0, 0.5, 1.0), y=(0.0, 0.5, 0.0))


def cost_curve(table: Table) -> Curve:
    """Compute the cost curve: least normalized expected cost against probability cost, over all thresholds.

    x = PC(+) = π·c_FN/(π·c_FN + (1 − π)·c_FP), y = FNR·x + FPR·(1 − x), in [0, ½]; lower is better. Each threshold is a
    straight line in these axes and each edge of the ROC's hull a corner of the envelope, at x = 1/(1 + slope), so that
    it takes linear time. `thresholds` has the cheapest one from each corner to the next. The area under the curve is
    the mean cost if every x were as likely as any other. A prevalence that was set moves the mark, not the curve.
    Undefined (NaN) where a class is empty.

    Raises:
        RowsNeededError: the table is thinned.

    Drummond and Holte (2006).

    >>> from thresher.counts import ScoreTable
    >>> curve = cost_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.x.round(3).tolist(), curve.y.round(3).tolist(), curve.thresholds.tolist()
    ([0.0, 0.6, 1.0], [0.0, 0.2, 0.0], [7.0, 1.0, 1.0])
    """
    scores = one_table(table, "a cost curve")
    x, y, thresholds = _envelope(scores)
    is_defined = bool(scores.P and scores.N)
    return Curve(
        name="cost",
        x=x,
        y=y,
        thresholds=thresholds,
        x_name="probability_cost",
        y_name="normalized_expected_cost",
        interpolation="linear",
        references=(TRIVIAL,),
        marks=(_mark(float(scores.prevalence), x, y, thresholds),) if is_defined else (),
        notes=notes(scores),
        area_name="mean_normalized_cost",
    )


def _envelope(scores: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Return the corners of the lower envelope, and the cheapest threshold from each on; NaN where a class is empty."""
    if not scores.P or not scores.N:
        nothing = np.full(2, math.nan)
        return np.array([0.0, 1.0]), nothing, nothing
    fpr, tpr = hull_rates(scores)
    thresholds = np.append(sentinel(scores.direction), scores.scores[scores.hull_rows])
    run, rise = np.diff(fpr), np.diff(tpr)
    starts = np.append(0.0, run / (run + rise))
    # The first vertex has no stretch when the first edge is upright, the last none when the last edge is level.
    cheapest = np.flatnonzero(np.diff(starts, append=1.0) > 0)
    cheapest = np.append(cheapest, cheapest[-1])
    x = np.append(starts[cheapest[:-1]], 1.0)
    y = (1 - tpr[cheapest]) * x + fpr[cheapest] * (1 - x)
    return x, y, thresholds[cheapest]


def _mark(share: float, x: Floats, y: Floats, thresholds: Floats) -> Mark:
    """Mark the lowest error rate: both errors cost the same at the table's prevalence."""
    at = min(int(np.searchsorted(x, share, side="right")), x.size - 1) - 1
    text = "equal costs at this prevalence: the lowest error rate"
    return Mark(text=text, x=share, y=float(np.interp(share, x, y)), threshold=float(thresholds[at]))
