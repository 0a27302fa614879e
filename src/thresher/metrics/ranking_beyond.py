"""Ranking metrics that scikit-learn lacks, in its style."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from thresher import kernel
from thresher._util.frozen_values import check_prevalence
from thresher.counts import ScoreTable
from thresher.curves.partial_areas import (
    Between,
    PartialArea,
    area_over_fpr,
    area_over_recall,
    area_over_tpr,
    two_way_area,
)
from thresher.curves.roc_and_precision import precision_recall_curve
from thresher.decisions.h_measure import Distribution, h_measure
from thresher.metrics import on_device
from thresher.metrics.class_scores import class_codes
from thresher.metrics.inputs import arrays
from thresher.metrics.inputs.labels import by_class, target_type
from thresher.metrics.scored import AVERAGES, ScoredRows, averaged, scored_rows, weight_column
from thresher.multiclass.hand_till import conditional_auc_of_codes
from thresher.ranking.gain import found_in_first


def partial_roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    corrected: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Compute the area under a part of the ROC curve.

    `max_fpr=b`: FPR ≤ b. `min_tpr=a`: TPR ≥ a, the area right of the curve. Both: the two-way area, FPR ≤ b and
    TPR ≥ a. `fpr_range=(a, b)` and `tpr_range=(a, b)`: the area over any range of one rate. `corrected` gives
    ½·(1 + (A − A_min)/(A_max − A_min)), which is ½ for chance, 1 for perfection, and may be negative; else the
    area itself. A two-way region that the chance line misses has A_min = 0: a curve that misses it too
    scores ½, which is warned of. NaN with an `UndefinedMetricWarning` when a class is absent.

    Raises:
        ValueError: no region or more than one; limits outside [0, 1]; as in `roc_curve`.

    McClish (1989); Yang, Lu, Zhang, Wang and Shi (2017) for the two-way area.

    >>> partial_roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5, corrected=False)
    0.25
    >>> partial_roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_tpr=0.5, corrected=False)
    0.25
    """
    arrays.check_flag("partial_roc_auc_score", "corrected", corrected)
    arrays.check_positive_label_type("partial_roc_auc_score", pos_label)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    fpr, tpr, _ = kernel.curve_points(rows.truth, rows.scores, rows.weights, curve="roc")
    area = _region(fpr, tpr, max_fpr, min_tpr, fpr_range, tpr_range)
    if math.isnan(fpr[-1]) or math.isnan(tpr[-1]):
        arrays.warn_undefined("Only one class is present in y_true. A partial ROC AUC is not defined in that case.")
        return math.nan
    if corrected and area.note:
        warnings.warn(f"Partial ROC AUC: {area.note}.", stacklevel=2)
    return area.corrected if corrected else area.raw


def _region(fpr: Any, tpr: Any, max_fpr: Any, min_tpr: Any, fpr_range: Any, tpr_range: Any) -> PartialArea:
    given = (max_fpr is not None or min_tpr is not None, fpr_range is not None, tpr_range is not None)
    if sum(given) != 1:
        raise ValueError("Name one region: max_fpr= and/or min_tpr=, or fpr_range=(a, b), or tpr_range=(a, b).")
    if fpr_range is not None:
        return area_over_fpr(fpr, tpr, *arrays.as_range("partial_roc_auc_score", "fpr_range", fpr_range))
    if tpr_range is not None:
        return area_over_tpr(fpr, tpr, *arrays.as_range("partial_roc_auc_score", "tpr_range", tpr_range))
    if min_tpr is None:
        return area_over_fpr(fpr, tpr, 0.0, float(max_fpr))
    if max_fpr is None:
        return area_over_tpr(fpr, tpr, float(min_tpr), 1.0)
    return two_way_area(fpr, tpr, float(max_fpr), float(min_tpr))


def gini_score(
    y_true: Any, y_score: Any, *, pos_label: Any = None, average: str | None = "macro", sample_weight: Any = None
) -> Any:
    """Compute the Gini coefficient 2·AUC − 1 (Somers' D): concordant minus discordant pairs, as a share of all.

    In [−1, 1], 0 is chance. Binary `y_true`, or indicators averaged over columns by `average`. NaN with an
    `UndefinedMetricWarning` when a class is absent.

    Raises:
        ValueError: more than two labels, or labels that do not say which is positive and no `pos_label`; NaN or
            infinity; columns of different lengths; negative weights.

    Hand and Till (2001).

    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    return _binary_or_columns("gini_score", _gini, y_true, y_score, pos_label, average, sample_weight)


def ks_score(
    y_true: Any, y_score: Any, *, pos_label: Any = None, average: str | None = "macro", sample_weight: Any = None
) -> Any:
    """Compute the Kolmogorov–Smirnov distance max |TPR − FPR| between the score distributions of both classes.

    In [0, 1]; it does not tell which class scores higher. Binary `y_true`, or indicators averaged over columns by
    `average`. NaN with an `UndefinedMetricWarning` when a class is absent.

    Raises:
        ValueError: more than two labels, or labels that do not say which is positive and no `pos_label`; NaN or
            infinity; columns of different lengths; negative weights.

    Conover (1999).

    >>> ks_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    if pos_label is None and sample_weight is None and (found := on_device.ks_distance(y_true, y_score)) is not None:
        return found
    return _binary_or_columns("ks_score", _ks, y_true, y_score, pos_label, average, sample_weight)


def precision_at_k(y_true: Any, y_score: Any, *, k: int, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Compute the share of positives among the k rows of highest score.

    In [0, 1]; chance is the share of positives. Rows tied across the cut share it. With `sample_weight`, k is an
    amount of weight.

    Raises:
        ValueError: `k` < 1 or more than there are rows (weight); as in `roc_curve`.

    Manning, Raghavan and Schütze (2008), ch. 8.

    >>> precision_at_k([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], k=2)
    0.5
    """
    found, _ = _found("precision_at_k", y_true, y_score, k, pos_label, sample_weight)
    return found / k


def recall_at_k(y_true: Any, y_score: Any, *, k: int, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Compute the share of all positives among the k rows of highest score.

    In [0, 1]; chance is k/n. Rows tied across the cut share it. With `sample_weight`, k is an amount of weight.
    NaN with an `UndefinedMetricWarning` without positives.

    Raises:
        ValueError: `k` < 1 or more than there are rows (weight); as in `roc_curve`.

    Manning, Raghavan and Schütze (2008), ch. 8.

    >>> recall_at_k([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], k=3)
    1.0
    """
    found, positives = _found("recall_at_k", y_true, y_score, k, pos_label, sample_weight)
    if positives:
        return found / positives
    arrays.warn_undefined("No positive samples in y_true. Recall at k is not defined in that case.")
    return math.nan


def hand_till_score(y_true: Any, y_score: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Compute Hand and Till's M: the mean AUC over ordered pairs of classes, each by the score of the first.

    `y_score` (n, K): scores of any kind, a column for every class in sorted order, or of `labels`; they need not add
    up to 1. Of two classes (n,), the score of the greater label, will do: M is its AUC. In [0, 1], 0.5 is chance. NaN
    with an `UndefinedMetricWarning` when a class of `labels` does not occur, as in one-vs-rest; `roc_auc_score` with
    multi_class="ovo" leaves such classes out.

    Raises:
        ValueError: the columns do not fit the classes, NaN or infinity, negative weights.

    Hand and Till (2001).

    >>> scores = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.3, 0.3], [0.5, 0.1, 0.4]]
    >>> round(hand_till_score(["a", "b", "a", "c"], scores), 4)
    0.9167
    """
    truth = arrays.as_array(y_true, "y_true")
    scores = arrays.as_float64(arrays.as_numbers(by_class(y_score, y_true, labels), "y_score"), "y_score")
    if scores.ndim == 1:
        scores = np.stack([-scores, scores], axis=1)
    classes, codes = class_codes(truth, scores.shape[1], labels)
    arrays.check_lengths(truth, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, len(codes))
    found = conditional_auc_of_codes(codes, scores, weights=weights)
    if found.absent or classes.size < 2:
        absent = ", ".join(repr(classes[code].item()) for code in found.absent)
        why = f"Classes without samples in y_true: {absent}." if absent else "Only one class is present in y_true."
        arrays.warn_undefined(f"{why} Hand and Till's M is not defined in that case.")
    return found.mean


def _gini(rows: ScoredRows) -> float:
    twice_u, positives, negatives = kernel.concordance(rows.truth, rows.scores, rows.weights)
    if positives and negatives:
        return (twice_u - positives * negatives) / (positives * negatives)
    arrays.warn_undefined(
        "Only one class is present in y_true. The Gini coefficient is not defined in that case.", stacklevel=5
    )
    return math.nan


def _ks(rows: ScoredRows) -> float:
    table = kernel.score_table(rows.truth, rows.scores, rows.weights)
    found = kernel.extremes(table.positive, table.negative)
    if math.isnan(found.above):
        arrays.warn_undefined(
            "Only one class is present in y_true. The KS distance is not defined in that case.", stacklevel=5
        )
    return max(found.above, found.below)


def _binary_or_columns(
    name: str, metric: Any, y_true: Any, y_score: Any, pos_label: Any, average: str | None, sample_weight: Any
) -> Any:
    arrays.check_choice(name, "average", average, AVERAGES)
    arrays.check_positive_label_type(name, pos_label)
    y_true, y_score, sample_weight = on_device.distinct_rows(y_true, y_score, sample_weight)
    if target_type(y_true, "y_true") == "multilabel-indicator":
        tables = arrays.as_array(y_true, "y_true"), arrays.as_array(by_class(y_score, y_true), "y_score")
        return averaged(metric, *tables, average, sample_weight, pos_label=1)
    return metric(scored_rows(y_true, y_score, pos_label, sample_weight))


def _found(name: str, y_true: Any, y_score: Any, k: int, pos_label: Any, sample_weight: Any) -> tuple[float, float]:
    """Return the positives among the first k, and all positives."""
    arrays.check_count(name, "k", k)
    arrays.check_positive_label_type(name, pos_label)
    rows = scored_rows(y_true, arrays.as_vector(y_score, "y_score"), pos_label, sample_weight)
    table = kernel.score_table(rows.truth, rows.scores, rows.weights)
    total = float(table.positive.sum() + table.negative.sum())
    if k > total:
        raise ValueError(f"k={k} is more than the {total:g} rows (or their weight) that there are.")
    positive, negative = (counts.astype(np.float64) for counts in (table.positive, table.negative))
    return found_in_first(positive, negative, k), float(positive.sum())


def partial_pr_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    min_recall: float | None = None,
    recall_range: tuple[float, float] | None = None,
    interpolation: Between = "davis-goadrich",
    normalized: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Compute the area under a part of the precision–recall curve.

    `min_recall=a`: recall ≥ a; `recall_range=(a, b)`: any range. `normalized` divides by b − a, which gives the mean
    precision over the range, in [0, 1]; chance has the share of positives. `interpolation` names the estimator:
    "davis-goadrich" (FP linear in TP, the default), "step" (the rule of average precision) or "trapezoid". NaN with an
    `UndefinedMetricWarning` without positives.

    Raises:
        ValueError: no range or two; limits outside [0, 1]; no such interpolation; as `precision_recall_curve`
            refuses.

    Davis and Goadrich (2006).

    >>> round(partial_pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_recall=0.5), 6)
    0.594535
    >>> partial_pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], recall_range=(0, 0.5), normalized=False)
    0.5
    """
    arrays.check_flag("partial_pr_auc_score", "normalized", normalized)
    arrays.check_positive_label_type("partial_pr_auc_score", pos_label)
    if (min_recall is None) == (recall_range is None):
        raise ValueError("Name one range of recall: min_recall=a, or recall_range=(a, b).")
    low, high = float(min_recall or 0.0), 1.0
    if recall_range is not None:
        low, high = arrays.as_range("partial_pr_auc_score", "recall_range", recall_range)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    table = ScoreTable.from_scores(rows.truth, rows.scores, weights=rows.weights)
    curve = precision_recall_curve(table)
    prevalence = float(table.prevalence)
    area = area_over_recall(curve.x, curve.y, low, high, prevalence=prevalence, interpolation=interpolation)
    if math.isnan(area.raw):
        arrays.warn_undefined(
            "No positive class found in y_true. A partial area under precision and recall is not defined."
        )
    return area.normalized if normalized else area.raw


def h_measure_score(
    y_true: Any,
    y_score: Any,
    *,
    distribution: Distribution = "hand_anagnostopoulos_2014",
    severity_ratio: float | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Compute the H-measure: the share of the loss of constant decisions that a score saves, over all costs.

    In [0, 1]; higher is better, 0 is the value of constant decisions. `distribution` gives the share c of the cost
    that a false positive carries: "hand_2009" is Beta(2, 2), "severity_ratio" Beta(2, 1 + 1/SR) with SR = π/(1 − π)
    unless given (R's hmeasure), "hand_anagnostopoulos_2014" Beta(1 + π, 2 − π); π is the share of positives in
    `y_true`, or `prevalence`. NaN with an `UndefinedMetricWarning` when a class is absent.

    Raises:
        ValueError: no such distribution, a severity ratio that is not > 0 or belongs to another distribution, a
            prevalence outside [0, 1]; as in `roc_curve`.

    Hand (2009); Hand and Anagnostopoulos (2014).

    >>> round(h_measure_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], distribution="hand_2009"), 6)
    0.5
    """
    arrays.check_positive_label_type("h_measure_score", pos_label)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    table = ScoreTable.from_scores(rows.truth, rows.scores, weights=rows.weights)
    if prevalence is not None:
        table = table.with_prevalence(check_prevalence(prevalence))
    found = h_measure(table, distribution=distribution, severity_ratio=severity_ratio)
    if found.reason is not None:
        arrays.warn_undefined(f"The H-measure is not defined, because {found.reason}.")
        return math.nan
    return found.value
