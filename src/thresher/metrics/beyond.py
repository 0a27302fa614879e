"""Decision metrics that scikit-learn lacks, in its style: specificity and its relatives, lift, expected cost."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from numpy.typing import ArrayLike

from thresher.errors import OptionError
from thresher.frozen import check_prevalence
from thresher.measures import rates
from thresher.measures.expected_cost import average_cost
from thresher.measures.registry import Measure
from thresher.metrics.averaging import check_zero_division, choose_cells, rate
from thresher.metrics.precision_recall_f import Average, ZeroDivision
from thresher.metrics.warnings import warn_undefined


def specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the negatives that are predicted negative, TN/N, in [0, 1]; higher is better.

    Undefined without negatives. Options and errors are those of `precision_recall_fscore_support`.

    >>> specificity_score([1, 0, 0, 0], [1, 1, 0, 0])
    0.6666666666666666
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _score("specificity_score", rates.true_negative_rate, "negative", y_true, y_pred, *options)


def npv_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the rows predicted negative that are negative, TN/(TN+FN), in [0, 1]; higher is better.

    Undefined when nothing is predicted negative. Options and errors are those of `precision_recall_fscore_support`.

    >>> npv_score([1, 1, 0, 0], [1, 0, 0, 0])
    0.6666666666666666
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _score("npv_score", rates.negative_predictive_value, "predicted negative", y_true, y_pred, *options)


def false_positive_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the negatives that are predicted positive, FP/N, in [0, 1]; lower is better.

    Undefined without negatives. Options and errors are those of `precision_recall_fscore_support`.

    >>> false_positive_rate([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.25
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _score("false_positive_rate", rates.false_positive_rate, "negative", y_true, y_pred, *options)


def false_negative_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the positives that are predicted negative, FN/P, in [0, 1]; lower is better.

    Undefined without positives. Options and errors are those of `precision_recall_fscore_support`.

    >>> false_negative_rate([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.25
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _score("false_negative_rate", rates.false_negative_rate, "true", y_true, y_pred, *options)


def lift_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """How many times more positives there are among the rows predicted positive than among all, precision/prevalence.

    In [0, ∞); 1 is what chance gives. Undefined without positives or when nothing is predicted positive. Options and
    errors are those of `precision_recall_fscore_support`.

    >>> lift_score([1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0])
    2.0
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _score("lift_score", rates.lift, "true or no predicted", y_true, y_pred, *options)


def expected_cost_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_fp: float,
    cost_fn: float,
    cost_tp: float = 0.0,
    cost_tn: float = 0.0,
    prevalence: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of a decision, Σ cost × count / n over the four cells; lower is better, a benefit is a negative cost.

    With `prevalence`, the cost where that share of the cases is positive, at the same TPR and FPR; NaN with an
    `UndefinedMetricWarning` when a class has no rows.

    Raises:
        ValueError: a cost that is not finite, a prevalence outside [0, 1], or a target that is not binary.

    >>> expected_cost_score([1, 1, 0, 0], [1, 0, 1, 0], cost_fp=1, cost_fn=10)
    2.75
    >>> round(expected_cost_score([1, 1, 0, 0], [1, 0, 1, 0], cost_fp=1, cost_fn=10, prevalence=0.01), 4)
    0.545
    """
    costs = {"cost_fp": cost_fp, "cost_fn": cost_fn, "cost_tp": cost_tp, "cost_tn": cost_tn}
    for name, cost in costs.items():
        if not isinstance(cost, Real) or not math.isfinite(cost):
            raise OptionError(f"{name}={cost!r}: a cost is a finite number; a benefit is a negative one.")
    options = {"labels": None, "pos_label": pos_label, "average": "binary", "sample_weight": sample_weight}
    cells = choose_cells("expected_cost_score", y_true, y_pred, **options).cells
    if prevalence is not None:
        cells = cells.at_prevalence(check_prevalence(prevalence))
    value = float(average_cost.on(cells, **costs)[0])
    if math.isnan(value):
        warn_undefined("A class has no samples in y_true. Its cost at a given prevalence is not defined in that case.")
    return value


def _score(
    function: str,
    measure: Measure,
    missing: str,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
) -> Any:
    """Value of a measure of the four cells, averaged as asked."""
    check_zero_division(function, zero_division)
    options = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    chosen = choose_cells(function, y_true, y_pred, **options)
    name = function.removesuffix("_score").replace("_", " ")
    return chosen.mean(rate(measure, chosen, name, missing, zero_division))
