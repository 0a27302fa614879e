"""Precision, recall, F-beta and Jaccard: of the positive class, of every class, or averaged."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher.measures.rates import f1, f_beta, jaccard, positive_predictive_value, true_positive_rate
from thresher.metrics.averaging import Chosen, check_zero_division, choose_cells, rate

Average = Literal["micro", "macro", "samples", "weighted", "binary"] | None
ZeroDivision = Literal["warn"] | float


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
    chosen = _choose(function, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    _check_beta(function, beta)
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


def _choose(
    function: str,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
    *,
    nan: bool = True,
) -> Chosen:
    check_zero_division(function, zero_division, nan=nan)
    return choose_cells(
        function, y_true, y_pred, labels=labels, pos_label=pos_label, average=average, sample_weight=sample_weight
    )


def _check_beta(function: str, beta: Any) -> None:
    if not isinstance(beta, int | float | np.number) or not beta >= 0:
        raise ValueError(
            f"The 'beta' parameter of {function} must be a float in the range [0.0, inf]. Got {beta!r} instead."
        )


def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the rows predicted positive that are positive, TP/(TP+FP), in [0, 1]; higher is better.

    Options and errors are those of `precision_recall_fscore_support`.

    >>> precision_score([0, 1, 1, 0], [1, 1, 1, 0], zero_division=0)
    0.6666666666666666
    """
    chosen = _choose("precision_score", y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return chosen.mean(rate(positive_predictive_value, chosen, "precision", "predicted", zero_division))


def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the positives that are predicted positive, TP/(TP+FN), in [0, 1]; higher is better.

    Options and errors are those of `precision_recall_fscore_support`.

    >>> recall_score([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """
    chosen = _choose("recall_score", y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return chosen.mean(rate(true_positive_rate, chosen, "recall", "true", zero_division))


def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Harmonic mean of precision and recall, 2TP/(2TP+FP+FN), in [0, 1]; higher is better.

    Options and errors are those of `precision_recall_fscore_support`.

    >>> f1_score([1, 0, 1, 1], [1, 0, 0, 1])
    0.8
    """
    chosen = _choose("f1_score", y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return chosen.mean(rate(f1, chosen, "f-score", "true nor predicted", zero_division))


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
    """Weighted harmonic mean of precision and recall, in [0, 1]; beta > 1 favors recall, infinity is recall itself.

    Options and errors are those of `precision_recall_fscore_support`.

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


def jaccard_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Size of the intersection of truth and prediction by that of their union, TP/(TP+FP+FN), in [0, 1].

    Options and errors are those of `precision_recall_fscore_support`; `zero_division` is 0, 1 or "warn".

    >>> jaccard_score([1, 0, 1, 1], [1, 1, 0, 1])
    0.5
    """
    chosen = _choose(
        "jaccard_score", y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, nan=False
    )
    return chosen.mean(rate(jaccard, chosen, "jaccard", "true or predicted", zero_division))
