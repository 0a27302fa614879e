"""Rates: shares of the rows, of a true class, or of a predicted class; and measures without the true negatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells, class_cells
from thresher.measures.conditions import ALL_ALARM, NO_ALARM, NO_NEGATIVES, NO_POSITIVE_AT_ALL, NO_POSITIVES, NO_ROWS
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
