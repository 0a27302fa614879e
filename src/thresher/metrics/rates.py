"""Metrics of decisions about one class at a time: precision, recall, F-beta and their relatives, and expected cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import update_wrapper
from numbers import Real
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.frozen_values import check_prevalence
from thresher.errors import OptionError
from thresher.measures import threshold_metrics as measures
from thresher.measures.registry import Measure
from thresher.measures.threshold_metrics import (
    average_cost,
    f1,
    f_beta,
    jaccard,
    lift,
    negative_predictive_value,
    positive_predictive_value,
    true_negative_rate,
    true_positive_rate,
)
from thresher.metrics.averaging import check_zero_division, choose_cells, rate
from thresher.metrics.inputs.arrays import warn_undefined

Average = Literal["micro", "macro", "samples", "weighted", "binary"] | None
ZeroDivision = Literal["warn"] | float


class RateMetric(Protocol):
    """A metric of the positive class, of every class, or averaged; options as of `precision_recall_fscore_support`."""

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = 1,
        average: Average = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
    ) -> Any: ...


def rate_metric(
    measure: Measure, missing: str, name: str | None = None, *, nan: bool = True
) -> Callable[[Callable[[], None]], RateMetric]:
    """Make the described function a measure's metric; `missing` names the part of 0/0, `nan` lets that become NaN."""

    def decorate(described: Callable[[], None]) -> RateMetric:
        function = described.__name__
        shown = name or function.removesuffix("_score").replace("_", " ")

        def metric(
            y_true: ArrayLike,
            y_pred: ArrayLike,
            *,
            labels: ArrayLike | None = None,
            pos_label: Any = 1,
            average: Average = "binary",
            sample_weight: ArrayLike | None = None,
            zero_division: ZeroDivision = "warn",
        ) -> Any:
            check_zero_division(function, zero_division, nan=nan)
            options = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
            chosen = choose_cells(function, y_true, y_pred, **options)
            return chosen.mean(rate(measure, chosen, shown, missing, zero_division))

        update_wrapper(metric, described, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        del metric.__wrapped__  # type: ignore[attr-defined]  # the signature is that of the metric
        return metric

    return decorate


def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = None,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Compute precision TP/(TP+FP), recall TP/(TP+FN), F-beta and the support of each class, all in [0, 1].

    Without `average`, arrays with one value per class (sorted, or in the order of `labels`); with it, three numbers
    and None. "binary" takes the class `pos_label`, "micro" adds the counts of all classes first, "macro" and
    "weighted" average the values over classes (by support), "samples" over rows of a 0/1 table. 0/0 becomes
    `zero_division`: a number, NaN (left out of averages), or 0 with an `UndefinedMetricWarning` ("warn").

    Raises:
        ValueError: the average does not suit the target, `pos_label` does not occur, or beta < 0.

    >>> precision, recall, f, support = precision_recall_fscore_support([0, 1, 1, 1], [0, 0, 1, 1])
    >>> precision.tolist(), support.tolist()
    ([0.5, 1.0], [1, 3])
    """
    function = "precision_recall_fscore_support"
    check_zero_division(function, zero_division)
    options = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    chosen = choose_cells(function, y_true, y_pred, **options)
    if not isinstance(beta, int | float | np.number) or not beta >= 0:
        raise ValueError(
            f"The 'beta' parameter of {function} must be a float in the range [0.0, inf]. Got {beta!r} instead."
        )
    precision = rate(
        positive_predictive_value, chosen, "precision", "predicted", zero_division, warn="precision" in warn_for
    )
    recall = rate(true_positive_rate, chosen, "recall", "true", zero_division, warn="recall" in warn_for)
    if beta == 0 or np.isposinf(beta):
        score = precision if beta == 0 else recall
    else:
        warn = "f-score" in warn_for
        score = rate(f_beta, chosen, "f-score", "true nor predicted", zero_division, warn=warn, beta=beta)
    support = chosen.cells.pos if average is None else None
    return chosen.mean(precision), chosen.mean(recall), chosen.mean(score), support


@rate_metric(positive_predictive_value, "predicted")
def precision_score() -> None:
    """Share of the rows predicted positive that are positive, TP/(TP+FP), in [0, 1]; higher is better.

    Options and errors as for `precision_recall_fscore_support`.

    >>> precision_score([0, 1, 1, 0], [1, 1, 1, 0], zero_division=0)
    0.6666666666666666
    """


@rate_metric(true_positive_rate, "true")
def recall_score() -> None:
    """Share of the positives that are predicted positive, TP/(TP+FN), in [0, 1]; higher is better.

    Options and errors as for `precision_recall_fscore_support`.

    >>> recall_score([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """


@rate_metric(f1, "true nor predicted", "f-score")
def f1_score() -> None:
    """Harmonic mean of precision and recall, 2TP/(2TP+FP+FN), in [0, 1]; higher is better.

    Options and errors as for `precision_recall_fscore_support`.

    >>> f1_score([1, 0, 1, 1], [1, 0, 0, 1])
    0.8
    """


def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Compute the weighted harmonic mean of precision and recall, in [0, 1]; beta > 1 favors recall.

    Options and errors as for `precision_recall_fscore_support`.

    >>> round(fbeta_score([1, 0, 1, 1], [1, 0, 0, 1], beta=2), 4)
    0.7143
    """
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[2]


@rate_metric(jaccard, "true or predicted", nan=False)
def jaccard_score() -> None:
    """Intersection of truth and prediction over their union, TP/(TP+FP+FN), in [0, 1].

    Options and errors as for `precision_recall_fscore_support`; `zero_division` is 0, 1 or "warn".

    >>> jaccard_score([1, 0, 1, 1], [1, 1, 0, 1])
    0.5
    """


@rate_metric(true_negative_rate, "negative")
def specificity_score() -> None:
    """Share of the negatives that are predicted negative, TN/N, in [0, 1]; higher is better.

    Undefined without negatives. Options and errors as for `precision_recall_fscore_support`.

    >>> specificity_score([1, 0, 0, 0], [1, 1, 0, 0])
    0.6666666666666666
    """


@rate_metric(negative_predictive_value, "predicted negative")
def npv_score() -> None:
    """Share of the rows predicted negative that are negative, TN/(TN+FN), in [0, 1]; higher is better.

    Undefined when nothing is predicted negative. Options and errors as for `precision_recall_fscore_support`.

    >>> npv_score([1, 1, 0, 0], [1, 0, 0, 0])
    0.6666666666666666
    """


@rate_metric(measures.false_positive_rate, "negative")
def false_positive_rate() -> None:
    """Share of the negatives that are predicted positive, FP/N, in [0, 1]; lower is better.

    Undefined without negatives. Options and errors as for `precision_recall_fscore_support`.

    >>> false_positive_rate([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.25
    """


@rate_metric(measures.false_negative_rate, "true")
def false_negative_rate() -> None:
    """Share of the positives that are predicted negative, FN/P, in [0, 1]; lower is better.

    Undefined without positives. Options and errors as for `precision_recall_fscore_support`.

    >>> false_negative_rate([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.25
    """


@rate_metric(lift, "true or no predicted")
def lift_score() -> None:
    """Prevalence among the rows predicted positive, over the prevalence of all rows: precision/prevalence.

    In [0, ∞); chance has 1. Undefined without positives or when nothing is predicted positive. Options and
    errors as for `precision_recall_fscore_support`.

    >>> lift_score([1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0])
    2.0
    """


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
    """Compute the mean cost of a decision, Σ cost × count / n over the four cells; a benefit is a negative cost.

    With `prevalence`, the cost where that share of the cases is positive, at the same TPR and FPR; NaN with an
    `UndefinedMetricWarning` when a class is empty.

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
