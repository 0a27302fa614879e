"""Rates: shares of the rows, of a true class, or of a predicted class."""

from __future__ import annotations

from typing import Any

from thresher.counts.cells import Cells, class_cells
from thresher.measures.conditions import ALL_ALARM, NO_ALARM, NO_NEGATIVES, NO_POSITIVES, NO_ROWS
from thresher.measures.registry import Ratio, measure

# A measure's row of data stays a row.
# fmt: off


@measure("recognition rate", "proportion correct", "acc", text="Σ diagonal / n = (TP + TN)/n", needs="matrix",
         undefined=(NO_ROWS,), monotone=True, source="Han, Kamber & Pei 2011")
def accuracy(m: Any) -> Ratio:
    """Share of the rows that are predicted as what they are."""
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
