"""The H-measure, in scikit-learn's style."""

from __future__ import annotations

import math
from typing import Any

from thresher.counts import ScoreTable
from thresher.decisions.h_measure import Distribution, h_measure
from thresher.frozen import check_prevalence
from thresher.metrics.inputs import check_positive_label_type
from thresher.metrics.scored import scored_rows
from thresher.metrics.warnings import warn_undefined


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
    """H-measure: the share of the loss of constant decisions that a score saves, over one distribution of costs.

    In [0, 1]; higher is better, 0 is what constant decisions have. `distribution` is that of the share c of the cost
    that a false positive carries: "hand_2009" is Beta(2, 2), "severity_ratio" Beta(2, 1 + 1/SR) with SR = π/(1 − π)
    unless given (R's hmeasure), "hand_anagnostopoulos_2014" Beta(1 + π, 2 − π); π is the share of positives in
    `y_true`, or `prevalence`. NaN with an `UndefinedMetricWarning` when a class is absent.

    Raises:
        ValueError: no such distribution, a severity ratio that is not > 0 or belongs to another distribution, a
            prevalence outside [0, 1]; what `roc_curve` refuses.

    Hand (2009); Hand and Anagnostopoulos (2014).

    >>> round(h_measure_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], distribution="hand_2009"), 6)
    0.5
    """
    check_positive_label_type("h_measure_score", pos_label)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    table = ScoreTable.from_scores(rows.truth, rows.scores, weights=rows.weights)
    if prevalence is not None:
        table = table.with_prevalence(check_prevalence(prevalence))
    found = h_measure(table, distribution=distribution, severity_ratio=severity_ratio)
    if found.reason is not None:
        warn_undefined(f"The H-measure is not defined, because {found.reason}.")
        return math.nan
    return found.value
