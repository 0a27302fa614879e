"""Threshold metrics: rates, odds, costs and agreement; of two classes, and agreement also of K classes.

Agreement in bits does not change when the predicted labels are permuted, so that consistent errors are rewarded like
hits: a rule that always confuses the same two classes has the best value. Read it beside the accuracy, never alone.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells, class_cells, sums_of_others
from thresher.measures.conditions import (
    ALL_ALARM,
    EMPTY_CLASS,
    NO_ALARM,
    NO_NEGATIVES,
    NO_POSITIVE_AT_ALL,
    NO_POSITIVES,
    NO_ROWS,
    ONE_CELL,
    ONE_PREDICTED_CLASS,
    ONE_TRUE_CLASS,
)
from thresher.measures.registry import Ratio, measure

# A measure's row of data stays a row.
# fmt: off


@measure("recognition rate", "proportion correct", "acc", text="Σ diagonal / n = (TP + TN)/n", needs="matrix",
         undefined=(NO_ROWS,), monotone=True, source="Han, Kamber & Pei 2011")
def accuracy(m: Any) -> Ratio:
    """Share of correctly predicted rows."""
    c = class_cells(m)
    return c.tp.sum(axis=-1), c.tp.sum(axis=-1) + c.fn.sum(axis=-1)


@measure("misclassification rate", "zero one loss", "err", text="Σ off the diagonal / n = (FP + FN)/n", needs="matrix",
         better="lower", undefined=(NO_ROWS,), source="Han, Kamber & Pei 2011")
def error_rate(m: Any) -> Ratio:
    """Share of the rows that are predicted as something else; on the training rows, the resubstitution error."""
    c = class_cells(m)
    return c.fn.sum(axis=-1), c.tp.sum(axis=-1) + c.fn.sum(axis=-1)


@measure("sensitivity", "recall", "hit rate", "power", "tpr", "sens", "rec", text="TP/P",
         undefined=(NO_POSITIVES,), title="recall (sensitivity)", source="Fawcett 2006")
def true_positive_rate(c: Cells) -> Ratio:
    """Share of the positives that are predicted positive: Pr(ŷ = 1 given y = 1)."""
    return c.tp, c.pos


@measure("specificity", "selectivity", "tnr", "spec", text="TN/N", undefined=(NO_NEGATIVES,),
         title="specificity", source="Fawcett 2006")
def true_negative_rate(c: Cells) -> Ratio:
    """Share of the negatives that are predicted negative."""
    return c.tn, c.neg


@measure("fall out", "false alarm rate", "type i error rate", "fpr", "fall", text="FP/N",
         better="lower", undefined=(NO_NEGATIVES,), source="Fawcett 2006")
def false_positive_rate(c: Cells) -> Ratio:
    """Share of the negatives that are predicted positive: type I error, the null hypothesis being negative."""
    return c.fp, c.neg


@measure("miss rate", "type ii error rate", "fnr", "miss", text="FN/P", better="lower",
         undefined=(NO_POSITIVES,), source="Fawcett 2006")
def false_negative_rate(c: Cells) -> Ratio:
    """Share of the positives that are predicted negative: type II error, the null hypothesis being negative."""
    return c.fn, c.pos


@measure("precision", "ppv", "prec", text="TP/(TP + FP)", undefined=(NO_ALARM,),
         title="precision", source="Manning, Raghavan & Schütze 2008")
def positive_predictive_value(c: Cells) -> Ratio:
    """Share of the rows predicted positive that are positive; a rule that knows nothing has the prevalence."""
    return c.tp, c.pred_pos


@measure("npv", text="TN/(TN + FN)", undefined=(ALL_ALARM,), source="Japkowicz & Shah 2011")
def negative_predictive_value(c: Cells) -> Ratio:
    """Share of the rows predicted negative that are negative."""
    return c.tn, c.pred_neg


@measure("fdr", "pcfall", text="FP/(TP + FP)", better="lower", undefined=(NO_ALARM,),
         source="Benjamini & Hochberg 1995")
def false_discovery_rate(c: Cells) -> Ratio:
    """Share of the rows predicted positive that are negative; not the false positive rate."""
    return c.fp, c.pred_pos


@measure("pcmiss", text="FN/(TN + FN)", better="lower", undefined=(ALL_ALARM,), source="Japkowicz & Shah 2011")
def false_omission_rate(c: Cells) -> Ratio:
    """Share of the rows predicted negative that are positive."""
    return c.fn, c.pred_neg


@measure("base rate", text="P/n", better="neither", undefined=(NO_ROWS,), source="Japkowicz & Shah 2011")
def prevalence(c: Cells) -> Ratio:
    """Share of the rows that are positive."""
    return c.pos, c.n


@measure("detection prevalence", "alert rate", "rate of positive predictions", "rpp",
         text="(TP + FP)/n", better="neither", undefined=(NO_ROWS,), title="predicted positive",
         source="Japkowicz & Shah 2011")
def predicted_prevalence(c: Cells) -> Ratio:
    """Share of the rows that are predicted positive."""
    return c.pred_pos, c.n


@measure("f1 score", "f measure", "dice", "dice coefficient", text="2TP/(2TP + FP + FN)",
         undefined=(NO_POSITIVE_AT_ALL,), title="F1", monotone=True, doubled="jaccard",
         source="van Rijsbergen 1979")
def f1(c: Cells) -> Floats:
    """Harmonic mean of precision and recall, from counts; always predicting positive has 2π/(1 + π)."""
    return divide(2 * c.tp, 2 * c.tp + c.fp + c.fn)


@measure("f beta score", text="(1 + β²)·TP/((1 + β²)·TP + β²·FN + FP)", undefined=(NO_POSITIVE_AT_ALL,),
         where={"beta": "a number ≥ 0 with a finite square"}, title="F-beta", source="van Rijsbergen 1979")
def f_beta(c: Cells, *, beta: float) -> Floats:
    """Weighted harmonic mean of precision and recall; β > 1 favors recall, 0 is precision (some write α for β²)."""
    found = (1 + np.square(beta)) * c.tp
    return divide(found, found + np.square(beta) * c.fn + c.fp)


@measure("critical success index", "threat score", "jaccard index", "csi", text="TP/(TP + FP + FN)",
         undefined=(NO_POSITIVE_AT_ALL,), title="Jaccard index", monotone=True, source="Jaccard 1912; Gilbert 1884")
def jaccard(c: Cells) -> Ratio:
    """Share that is both among the rows that are positive in truth, predicted positive, or both."""
    return c.tp, c.tp + c.fp + c.fn


@measure("fowlkes mallows index", text="√(PPV·TPR)", undefined=(NO_POSITIVES, NO_ALARM),
         title="Fowlkes–Mallows index", source="Fowlkes & Mallows 1983")
def fowlkes_mallows(c: Cells) -> Floats:
    """Geometric mean of precision and recall."""
    return np.sqrt(divide(c.tp, c.pred_pos) * divide(c.tp, c.pos))


@measure(text="PPV/π", bounds=(0.0, np.inf), undefined=(NO_POSITIVES, NO_ALARM), neutral=1.0,
         source="Han, Kamber & Pei 2011")
def lift(c: Cells) -> Floats:
    """Prevalence among the rows predicted positive, over the prevalence of all rows."""
    return divide(divide(c.tp, c.pred_pos), divide(c.pos, c.n))


# A measure's row of data stays a row.
# fmt: off


@measure("mcc", "phi", "mat", "phi coefficient", "matthews correlation coefficient", needs="matrix",
         bounds=(-1.0, 1.0), text="(TP·TN − FP·FN)/√(P·N·P'·N'); R_K for K classes",
         undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS), neutral=0.0,
         title="Matthews correlation", monotone=True, source="Matthews 1975; Gorodkin 2004")
def matthews_correlation(m: Any) -> Floats:
    """Correlation of truth and prediction; for K classes Gorodkin's R_K."""
    c = _once(class_cells(m))
    covariance = _beyond_chance(c)
    # A product of two regression slopes: no fourth power of a count, and exactly 1 for a perfect rule.
    slopes = [divide(covariance, (a * b).sum(axis=-1)) for a, b in ((c.pos, c.neg), (c.pred_pos, c.pred_neg))]
    return np.asarray(np.sign(covariance) * np.sqrt(slopes[0] * slopes[1]))


@measure("chisq", text="Σ (n_kl − e_kl)²/e_kl, e_kl = n_k·n_l/n; n·φ² of two classes", needs="matrix",
         bounds=(0.0, np.inf), better="neither", undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS), neutral=0.0,
         grows=True, title="Pearson's χ²", source="Pearson 1900")
def chi_squared(m: Any) -> Floats:
    """Pearson's statistic, uncorrected; proportional to the rows, so that it compares only on the same rows."""
    of_rows, of_columns = m.sum(axis=-1, keepdims=True), m.sum(axis=-2, keepdims=True)
    expected = of_rows * divide(of_columns, m.sum(axis=(-2, -1), keepdims=True))
    ratios = np.divide(m, expected, out=np.ones(m.shape), where=expected != 0)
    several = ((of_rows > 0).sum(axis=(-2, -1)) > 1) & ((of_columns > 0).sum(axis=(-2, -1)) > 1)
    return np.where(several, ((m - expected) * (ratios - 1)).sum(axis=(-2, -1)), np.nan)


@measure("kappa", "cohens kappa", text="(p_o − p_e)/(1 − p_e)", needs="matrix", bounds=(-1.0, 1.0),
         undefined=(NO_ROWS, ONE_CELL), neutral=0.0, title="Cohen's kappa", monotone=True, source="Cohen 1960")
def cohen_kappa(m: Any) -> Floats:
    """Agreement p_o beyond the agreement p_e of independent rows and columns, as a share of its possible range."""
    c = class_cells(m)
    return divide(_beyond_chance(c), (c.pos * c.pred_neg).sum(axis=-1))


@measure("weighted cohen kappa", text="1 − Σ w·observed / Σ w·expected, w = |i − j| or (i − j)²",
         needs="matrix", bounds=(-1.0, 1.0), undefined=(NO_ROWS, ONE_CELL), neutral=0.0, by_order=True,
         where={"weights": "'linear' or 'quadratic'"}, source="Cohen 1968")
def weighted_kappa(m: Any, *, weights: Literal["linear", "quadratic"]) -> Floats:
    """Kappa for ordered classes: a confusion weighs by its distance in the order of the labels, or its square."""
    i, power = np.arange(m.shape[-1]), {"linear": 1, "quadratic": 2}[weights]
    cost, chance = np.abs(i[:, None] - i) ** power, m.sum(axis=-1)[..., None] * m.sum(axis=-2)[..., None, :]
    return 1 - divide((cost * m).sum(axis=(-2, -1)) * m.sum(axis=(-2, -1)), (cost * chance).sum(axis=(-2, -1)))


@measure(text="(TPR + TNR)/2; mean TPR over K classes", needs="matrix", undefined=(EMPTY_CLASS,), neutral=0.5,
         monotone=True, source="Brodersen et al. 2010")
def balanced_accuracy(m: Any) -> Floats:
    """Mean of the shares recognized in each true class: the accuracy if all classes were equally frequent."""
    c = class_cells(m)
    return np.asarray(divide(c.tp, c.pos).mean(axis=-1))


@measure("g mean", text="√(TPR·TNR)", undefined=(NO_POSITIVES, NO_NEGATIVES), source="Kubat & Matwin 1997")
def geometric_mean(c: Cells) -> Floats:
    """Geometric mean of sensitivity and specificity: 0 when one class is never recognized."""
    return np.sqrt(divide(c.tp, c.pos) * divide(c.tn, c.neg))


@measure("youden j", "youdens j", "bookmaker informedness", text="TPR + TNR − 1", bounds=(-1.0, 1.0),
         undefined=(NO_POSITIVES, NO_NEGATIVES), neutral=0.0, title="Youden's J (informedness)",
         monotone=True, source="Youden 1950; Powers 2011")
def informedness(c: Cells) -> Floats:
    """Difference of the alarm rates of positives and negatives: TPR − FPR."""
    return divide(c.tp, c.pos) - divide(c.fp, c.neg)


@measure("delta p", text="PPV + NPV − 1", bounds=(-1.0, 1.0), undefined=(NO_ALARM, ALL_ALARM), neutral=0.0,
         source="Powers 2011")
def markedness(c: Cells) -> Floats:
    """Difference of the shares of positives after an alarm and without one: PPV − FOR."""
    return divide(c.tp, c.pred_pos) - divide(c.fn, c.pred_neg)


def _once(c: Cells) -> Cells:
    """Return the cells of the first of two classes; the second has the same products of totals and ratios of sums."""
    return Cells(*(cell[..., :1] for cell in (c.tp, c.fp, c.fn, c.tn))) if c.tp.shape[-1] == 2 else c


def _beyond_chance(c: Cells) -> Any:
    """Return Σ_k (TP·TN − FP·FN) = n·Σ_k C_kk − Σ_k P_k·P'_k, without the cancellation of the second form."""
    return (c.tp * c.tn - c.fp * c.fn).sum(axis=-1)


@measure("rci", text="(H(truth) − H(truth given prediction))/H(truth)", needs="matrix",
         better="neither", undefined=(ONE_TRUE_CLASS,), neutral=0.0, source="Sindhwani et al. 2001")
def relative_classifier_information(m: Any) -> Floats:
    """Share of the uncertainty about the truth that the prediction removes; consistent errors count like hits."""
    return np.maximum(1.0 - divide(_left(m), _entropy(m.sum(axis=-1))), 0.0)


@measure("mi", text="Σ p_kl·log₂(p_kl/(p_k·p_l)), in bits", needs="matrix", bounds=(0.0, np.inf),
         better="neither", undefined=(NO_ROWS,), neutral=0.0, source="Shannon 1948")
def mutual_information(m: Any) -> Floats:
    """Bits that the prediction tells about the truth, at most log₂ K; consistent errors count like hits."""
    return np.maximum(_entropy(m.sum(axis=-1)) - _left(m), 0.0)


def _left(m: Any) -> Floats:
    """Return the entropy of the truth given the prediction, Σ_kl p_kl·log₂(n_l/n_kl)."""
    return divide((m * _bits(m, axis=-2)).sum(axis=(-2, -1)), m.sum(axis=(-2, -1)))


def _entropy(totals: Any) -> Floats:
    """Return the entropy of shares given by totals over the last axis, in bits."""
    return divide((totals * _bits(totals, axis=-1)).sum(axis=-1), totals.sum(axis=-1))


def _bits(counts: Any, *, axis: int) -> Floats:
    """Return log₂(sum/count) of every count over an axis, from the sum of the others: near 0 where a count is all."""
    total = counts.sum()
    if total == np.rint(total) < 2.0**53 and (counts == np.rint(counts)).all():  # which lose nothing by a subtraction
        rest = counts.sum(axis=axis, keepdims=True) - counts
    else:
        rest = np.moveaxis(sums_of_others(np.moveaxis(counts, axis, -1)), -1, axis)
    others = np.divide(rest, counts, out=np.zeros(counts.shape), where=counts > 0)
    return np.asarray(np.log1p(others) / np.log(2))


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
