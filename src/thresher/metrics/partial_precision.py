"""Partial areas under the precision–recall curve, in scikit-learn's style."""

from __future__ import annotations

import math
from typing import Any

from thresher.counts import ScoreTable
from thresher.curves.partial_precision import Between, area_over_recall
from thresher.curves.precision_recall import precision_recall_curve
from thresher.metrics.inputs import as_range, check_flag, check_positive_label_type
from thresher.metrics.scored import scored_rows
from thresher.metrics.warnings import warn_undefined


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
    """Area under a part of the precision–recall curve: where the recalls of interest lie.

    `min_recall=a`: recall ≥ a; `recall_range=(a, b)`: any range. `normalized` divides by b − a, which gives the mean
    precision over the range, in [0, 1]; chance has the share of positives. `interpolation` names the estimator:
    "davis-goadrich" (FP linear in TP, the default), "step" (the rule of average precision) or "trapezoid". NaN with an
    `UndefinedMetricWarning` without positives.

    Raises:
        ValueError: no range or two; limits outside [0, 1]; no such interpolation; what `precision_recall_curve`
            refuses.

    Davis and Goadrich (2006).

    >>> round(partial_pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_recall=0.5), 6)
    0.594535
    >>> partial_pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], recall_range=(0, 0.5), normalized=False)
    0.5
    """
    check_flag("partial_pr_auc_score", "normalized", normalized)
    check_positive_label_type("partial_pr_auc_score", pos_label)
    if (min_recall is None) == (recall_range is None):
        raise ValueError("Name one range of recall: min_recall=a, or recall_range=(a, b).")
    low, high = float(min_recall or 0.0), 1.0
    if recall_range is not None:
        low, high = as_range("partial_pr_auc_score", "recall_range", recall_range)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    table = ScoreTable.from_scores(rows.truth, rows.scores, weights=rows.weights)
    curve = precision_recall_curve(table)
    prevalence = float(table.prevalence)
    area = area_over_recall(curve.x, curve.y, low, high, prevalence=prevalence, interpolation=interpolation)
    if math.isnan(area.raw):
        warn_undefined("No positive class found in y_true. A partial area under precision and recall is not defined.")
    return area.normalized if normalized else area.raw
