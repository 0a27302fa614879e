"""The H-measure: the loss saved over all costs, the distribution of costs being the same for every classifier."""

from __future__ import annotations

import math
from typing import Literal

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import option
from thresher.curves.curve import Table, absent, one_table
from thresher.decisions.hull import both_classes
from thresher.errors import Note, Reasoned
from thresher.measures.cost_loss import DISTRIBUTIONS, h_of, hull_rates, least_loss, losses, shape
from thresher.results import Shown

Distribution = Literal["hand_2009", "severity_ratio", "hand_anagnostopoulos_2014"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HMeasure(Shown, Reasoned):
    """H = 1 − loss/reference, with the Beta(alpha, beta) that the cost share c of a false positive follows.

    `loss` is the expected minimum loss of the classifier, `reference` the loss of the better of predicting nothing or
    everything positive. NaN, with a `reason`, where a class is empty.
    """

    value: float
    distribution: str
    alpha: float
    beta: float
    loss: float
    reference: float
    prevalence: float
    reason: Note | None = None

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"HMeasure({self.value:.4g}, c ~ Beta({self.alpha:g}, {self.beta:g}), {self.distribution})"


def h_measure(
    table: Table, *, distribution: Distribution = "hand_anagnostopoulos_2014", severity_ratio: float | None = None
) -> HMeasure:
    """Compute the H-measure of a score on its hull, at the table's prevalence π (or its prior).

    H = 1 − ∫ Q(c)·u(c) dc / ∫ min(c(1 − π), (1 − c)π)·u(c) dc, with Q(c) the least of c(1 − π)·FPR + (1 − c)π·FNR over
    all thresholds, c the share of the cost that a false positive carries, and u the density of Beta(α, β).
    In [0, 1], larger is better; 0 for a score that never beats a constant decision.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        distribution: "hand_2009" is Beta(2, 2). "severity_ratio" is Beta(2, 1 + 1/SR), of mode SR/(1 + SR), where SR is
            π/(1 − π) unless given, as in R's hmeasure. "hand_anagnostopoulos_2014" is Beta(1 + π, 2 − π), of mode π.
        severity_ratio: cost(FP)/cost(FN) at the mode; for "severity_ratio" only.

    Raises:
        OptionError: no such distribution, or a severity ratio that is not > 0 or does not belong to it.
        InputError: the table is a batch.

    Hand (2009); Hand and Anagnostopoulos (2014).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> h_measure(table)
    HMeasure(0.5873, c ~ Beta(1.6, 1.4), hand_anagnostopoulos_2014)
    >>> round(float(h_measure(table, distribution="hand_2009")), 6)
    0.579973
    """
    scores = one_table(table, "the H-measure")
    share = float(scores.prevalence)
    option("distribution", distribution, DISTRIBUTIONS)
    missing = " and ".join(absent(scores))
    if not missing and share in (0, 1):
        missing = "positives at a prevalence of 0" if share == 0 else "negatives at a prevalence of 1"
    if missing:
        nan = dict.fromkeys(("value", "alpha", "beta", "loss", "reference"), math.nan)
        reason = Note("no-rows", f"there are no {missing}")
        return HMeasure(**nan, distribution=distribution, prevalence=share, reason=reason)
    alpha, beta = shape(distribution, share, severity_ratio)
    loss, reference = losses(*hull_rates(scores), share, alpha, beta)
    return HMeasure(
        value=h_of(loss, reference), distribution=distribution, alpha=alpha, beta=beta, loss=loss,
        reference=reference, prevalence=share,
    )  # fmt: skip


def minimum_weighted_loss(table: Table, *, severity_ratio: float | None = None) -> float:
    """Compute the least 2·(c(1 − π)·FPR + (1 − c)π·FNR) over all thresholds, c = SR/(1 + SR).

    SR = cost(FP)/cost(FN), by default π/(1 − π); with SR = 1 it is the error rate. In [0, ½], lower is better.

    Raises:
        OptionError: the severity ratio is not > 0.
        InputError: a class is empty, or the table is a batch.

    Hand and Anagnostopoulos (2014).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> round(minimum_weighted_loss(table, severity_ratio=1), 4), round(minimum_weighted_loss(table), 4)
    (0.2, 0.16)
    """
    scores = both_classes(table)
    return least_loss(*hull_rates(scores), float(scores.prevalence), severity_ratio)
