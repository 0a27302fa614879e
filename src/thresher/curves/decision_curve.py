"""The decision curve: net benefit of acting on a probability, against treating everyone or no one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.readonly import check_prevalence
from thresher.conventions import divide
from thresher.counts.scores import rank_of
from thresher.curves.curve import Curve, Line
from thresher.curves.points import Floats, Table, points, score_table, threshold_table
from thresher.errors import InputError, OptionError, keyword

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
    _check_probabilities(score_table(rows).direction, scores)
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


def _check_probabilities(direction: str, scores: Floats) -> None:
    """Refuse scores that are not probabilities, as a threshold probability means nothing to them."""
    if direction != "higher":
        raise InputError("a decision curve needs probabilities of the positive class; here low scores are positive.")
    if scores.size and not (scores[-1] >= 0 and scores[0] <= 1):
        problem = f"a decision curve needs probabilities; the scores run from {scores[-1]:g} to {scores[0]:g}"
        raise InputError(f"{problem}. Calibrate them first.")


def _thresholds(probabilities: ArrayLike | None) -> Floats:
    if probabilities is None:
        return np.arange(1, 100) / 100
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 1 or not p.size or not ((p >= 0) & (p < 1)).all() or (np.diff(p) <= 0).any():
        raise OptionError(keyword("probabilities") + " must be rising numbers in [0, 1).")
    return p
