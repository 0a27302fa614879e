"""`precision_recall_curve` and `average_precision_score`."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.metrics import on_device
from thresher.metrics.columns import AVERAGES, averaged, wrong_shape
from thresher.metrics.inputs.arrays import as_array, as_vector
from thresher.metrics.inputs.labels import by_class, encode, target_type
from thresher.metrics.inputs.options import check_choice, check_flag, check_positive_label_type
from thresher.metrics.scored import ScoredRows, finite_only, plain_rows, scored_rows

Floats = NDArray[np.float64]
NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Compute precision and recall at rising thresholds, then the conventional point (1, 0) without threshold.

    precision[i] = TP/(TP + FP) and recall[i] = TP/P of the rule score ≥ thresholds[i]; both have one value more than
    `thresholds`. With `drop_intermediate` thresholds with the recall of both neighbors are left out. Recall
    without positives is 1, with a warning.

    Raises:
        ValueError: more than two labels, or labels that do not say which is positive and no `pos_label`; NaN or
            infinity; columns of different lengths; negative weights.

    Manning, Raghavan and Schütze (2008), ch. 8; results as `sklearn.metrics.precision_recall_curve`.

    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> recall.tolist(), thresholds.tolist()
    ([1.0, 1.0, 0.5, 0.5, 0.0], [0.1, 0.35, 0.4, 0.8])
    """
    check_positive_label_type("precision_recall_curve", pos_label)
    check_flag("precision_recall_curve", "drop_intermediate", drop_intermediate)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight, finite=False)
    recall, precision, thresholds = finite_only(
        kernel.curve_points, rows, curve="precision_recall", drop=bool(drop_intermediate), rising=True
    )
    if math.isnan(recall[0]):
        warnings.warn(NO_POSITIVES, stacklevel=2)
        recall[:-1], recall[-1] = 1.0, 0.0
    return precision, recall, rows.thresholds(thresholds[:-1])


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Compute the average precision AP = Σ (R_k − R_{k−1})·P_k over falling thresholds: the step area.

    In [0, 1]; chance is the share of positives. Binary `y_true`; multilabel indicators, or the labels of several
    classes with (n, K) scores, averaged over columns by `average`. 0 with a warning where there are no positives.

    Raises:
        ValueError: `pos_label` is not a label; scores of the wrong shape; NaN or infinity; negative weights.

    Manning, Raghavan and Schütze (2008), ch. 8; not the linearly interpolated area, which is too optimistic.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    if average != "macro" or pos_label != 1:
        check_choice("average_precision_score", "average", average, AVERAGES)
        if pos_label is None:
            raise ValueError("The 'pos_label' parameter of average_precision_score names a label, not None.")
        check_positive_label_type("average_precision_score", pos_label)
    else:
        rows = plain_rows(y_true, y_score, sample_weight, finite=False)
        if rows is not None:
            return step_area(rows)
        if sample_weight is None and (found := on_device.average_precision(y_true, y_score)) is not None:
            return found
    y_true, y_score, sample_weight = on_device.distinct_rows(y_true, y_score, sample_weight)
    truth = y_true if type(y_true) is np.ndarray else as_array(y_true, "y_true", least=0)
    kind = target_type(truth if truth.ndim == 1 else y_true, "y_true")
    if kind == "binary":
        column = as_vector(truth, "y_true")
        present = encode(column)[0]
        if present.size == 2 and pos_label not in present.tolist():
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")
        return step_area(scored_rows(column, y_score, pos_label, sample_weight))
    if kind not in ("multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        )
    scores = as_array(by_class(y_score, y_true), "y_score")
    if kind == "multiclass":
        classes, codes = encode(as_vector(truth, "y_true"))
        truth = codes[:, None] == np.arange(classes.size)
        if scores.shape != truth.shape:
            raise wrong_shape(scores)
    return averaged(step_area, truth, scores, average, sample_weight, pos_label=1)


def step_area(rows: ScoredRows) -> float:
    """Compute the average precision of binary rows; 0 with a warning when there are no positives."""
    value = finite_only(kernel.average_precision, rows)
    if not math.isnan(value):
        return value
    warnings.warn(NO_POSITIVES, stacklevel=3)
    return 0.0
