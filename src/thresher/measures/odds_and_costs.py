"""Likelihood ratios and their relatives, costs of decisions, and accuracy at another ratio of the classes."""

from __future__ import annotations

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells
from thresher.measures.conditions import ALL_ALARM, NO_ALARM, NO_NEGATIVES, NO_POSITIVES, NO_ROWS
from thresher.measures.registry import measure

# A measure's row of data stays a row.
# fmt: off


@measure("lr plus", "lr positive", "lr pos", text="TPR/FPR", bounds=(0.0, np.inf), neutral=1.0,
         undefined=(NO_POSITIVES, NO_NEGATIVES, NO_ALARM), source="Altman & Bland 1994")
def positive_likelihood_ratio(c: Cells) -> Floats:
    """Factor by which an alarm multiplies the odds of being positive; +∞ without false positives."""
    return divide(divide(c.tp, c.pos), divide(c.fp, c.neg))


@measure("lr minus", "lr negative", "lr neg", text="FNR/TNR", bounds=(0.0, np.inf), better="lower", neutral=1.0,
         undefined=(NO_POSITIVES, NO_NEGATIVES, ALL_ALARM), source="Altman & Bland 1994")
def negative_likelihood_ratio(c: Cells) -> Floats:
    """Factor by which no alarm multiplies the odds of being positive; +∞ without true negatives."""
    return divide(divide(c.fn, c.pos), divide(c.tn, c.neg))


@measure("odds ratio", "dor", "odds", text="LR+/LR− = TP·TN/(FP·FN)", bounds=(0.0, np.inf), neutral=1.0,
         undefined=(NO_POSITIVES, NO_NEGATIVES, NO_ALARM, ALL_ALARM), source="Glas et al. 2003")
def diagnostic_odds_ratio(c: Cells) -> Floats:
    """Odds of an alarm among positives over those among negatives; +∞ when one kind of error is missing."""
    return divide(c.tp * c.tn, c.fp * c.fn)


@measure(text="√FPR/(√TPR + √FPR)", better="lower", undefined=(NO_POSITIVES, NO_NEGATIVES, NO_ALARM),
         neutral=0.5, source="Balayla 2020")
def prevalence_threshold(c: Cells) -> Floats:
    """Prevalence below which the precision falls off steeply: where its curve against prevalence bends most."""
    tpr, fpr = np.sqrt(divide(c.tp, c.pos)), np.sqrt(divide(c.fp, c.neg))
    return divide(fpr, tpr + fpr)


@measure("nnd", "number needed to examine", text="1/(TPR + TNR − 1); +∞ where that is not above 0",
         bounds=(1.0, np.inf), better="lower",
         undefined=(NO_POSITIVES, NO_NEGATIVES), source="Linn & Grunau 2006")
def number_needed_to_diagnose(c: Cells) -> Floats:
    """Rows of each class to look at for one more correct decision than by chance; 1 for a perfect rule."""
    right, wrong = c.tp * c.tn, c.fp * c.fn
    # Of weights like 0.1 + 0.2 and 0.3 the difference of equal products is no 0 but dust, and its inverse no number.
    told = np.where(np.isclose(right, wrong, rtol=1e-15, atol=0.0), 0.0, np.maximum(right - wrong, 0.0))
    return divide(c.pos * c.neg, told)


@measure("expected cost", text="(c_TP·TP + c_FP·FP + c_FN·FN + c_TN·TN)/n", bounds=(-np.inf, np.inf),
         better="lower", undefined=(NO_ROWS,), title="expected cost", source="Provost & Fawcett 2001")
def average_cost(c: Cells, *, cost_fp: float, cost_fn: float, cost_tp: float = 0.0, cost_tn: float = 0.0) -> Floats:
    """Mean cost of a decision, a benefit being a negative cost."""
    return divide(cost_tp * c.tp + cost_fp * c.fp + cost_fn * c.fn + cost_tn * c.tn, c.n)


@measure(text="TP/n − FP/n · p/(1 − p)", bounds=(-np.inf, 1.0), undefined=(NO_ROWS,), cut="threshold_probability",
         where={"threshold_probability": "a probability, 0 ≤ p < 1"}, source="Vickers & Elkin 2006")
def net_benefit(c: Cells, *, threshold_probability: float) -> Floats:
    """True positives per row, less the false ones at the exchange rate of the threshold probability p.

    Read from scores by its name, it cuts them at p unless a threshold was given, as the decision curve does.
    """
    return divide(c.tp - c.fp * (threshold_probability / np.subtract(1.0, threshold_probability)), c.n)


@measure(text="(TPR + r·(1 − FPR))/(1 + r)", undefined=(NO_POSITIVES, NO_NEGATIVES),
         where={"skew": "a finite number > 0"}, title="skew-sensitive accuracy", source="Flach 2003")
def skew_sensitive_accuracy(c: Cells, *, skew: float) -> Floats:
    """Accuracy if there were r negatives for each positive; with costs, r = (N/P)·(c_FP − c_TN)/(c_FN − c_TP)."""
    return divide(divide(c.tp, c.pos) + skew * divide(c.tn, c.neg), np.add(1.0, skew))


@measure(text="TPR/(TPR + r·FPR)", undefined=(NO_POSITIVES, NO_NEGATIVES, NO_ALARM),
         where={"skew": "a finite number > 0"}, title="skew-sensitive precision", source="Flach 2003")
def skew_sensitive_precision(c: Cells, *, skew: float) -> Floats:
    """Precision if there were r negatives for each positive; with costs, r = (N/P)·(c_FP − c_TN)/(c_FN − c_TP)."""
    tpr = divide(c.tp, c.pos)
    return divide(tpr, tpr + skew * divide(c.fp, c.neg))
