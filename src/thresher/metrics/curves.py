"""Curves of a score and their areas: ROC, precision–recall and detection error tradeoff."""

from __future__ import annotations

import math
import warnings
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import divide
from thresher.curves.partial_areas import area_over_fpr
from thresher.kernel import score_table
from thresher.metrics import on_device
from thresher.metrics.inputs import arrays
from thresher.metrics.inputs.labels import by_class, encode, target_type
from thresher.metrics.scored import AVERAGES, ScoredRows, averaged, plain_rows, scored_rows, wrong_shape

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
    arrays.check_positive_label_type("precision_recall_curve", pos_label)
    arrays.check_flag("precision_recall_curve", "drop_intermediate", drop_intermediate)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    recall, precision, thresholds = kernel.curve_points(
        *rows[:3], curve="precision_recall", drop=bool(drop_intermediate), rising=True
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
        arrays.check_choice("average_precision_score", "average", average, AVERAGES)
        if pos_label is None:
            raise ValueError("The 'pos_label' parameter of average_precision_score names a label, not None.")
        arrays.check_positive_label_type("average_precision_score", pos_label)
    else:
        rows = plain_rows(y_true, y_score, sample_weight)
        if rows is not None:
            return step_area(rows)
        if sample_weight is None and (found := on_device.average_precision(y_true, y_score)) is not None:
            return found
    y_true, y_score, sample_weight = on_device.distinct_rows(y_true, y_score, sample_weight)
    truth = y_true if type(y_true) is np.ndarray else arrays.as_array(y_true, "y_true", least=0)
    kind = target_type(truth if truth.ndim == 1 else y_true, "y_true")
    if kind == "binary":
        column = arrays.as_vector(truth, "y_true")
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
    scores = arrays.as_array(by_class(y_score, y_true), "y_score")
    if kind == "multiclass":
        classes, codes = encode(arrays.as_vector(truth, "y_true"))
        truth = codes[:, None] == np.arange(classes.size)
        if scores.shape != truth.shape:
            raise wrong_shape(scores)
    return averaged(step_area, truth, scores, average, sample_weight, pos_label=1)


def step_area(rows: ScoredRows) -> float:
    """Compute the average precision of binary rows; 0 with a warning when there are no positives."""
    value = kernel.average_precision(*rows[:3])
    if not math.isnan(value):
        return value
    warnings.warn(NO_POSITIVES, stacklevel=3)
    return 0.0


Floats = NDArray[np.float64]
ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Compute false and true positive rates at falling thresholds, from (0, 0) at threshold +inf to (1, 1).

    fpr[i] = FP/N and tpr[i] = TP/P of the rule score ≥ thresholds[i]; equal scores move together. With
    `drop_intermediate` points half-way between both neighbors are left out: the area stays.
    A rate of an absent class is NaN, with an `UndefinedMetricWarning`.

    Raises:
        ValueError: more than two labels, or labels that do not say which is positive and no `pos_label`; NaN or
            infinity; columns of different lengths; negative weights.

    Fawcett (2006), algorithm 1; results as `sklearn.metrics.roc_curve`.

    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    """
    arrays.check_positive_label_type("roc_curve", pos_label)
    arrays.check_flag("roc_curve", "drop_intermediate", drop_intermediate)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    fpr, tpr, thresholds = kernel.curve_points(*rows[:3], curve="roc", drop=bool(drop_intermediate))
    if math.isnan(fpr[-1]):
        arrays.warn_undefined("No negative samples in y_true, false positive value should be meaningless")
    if math.isnan(tpr[-1]):
        arrays.warn_undefined("No positive samples in y_true, true positive value should be meaningless")
    return fpr, tpr, rows.float_thresholds(thresholds)


def auc(x: Any, y: Any) -> float:
    """Compute the area under points by the trapezoidal rule; x rises or falls throughout.

    Raises:
        ValueError: fewer than two points, different lengths, or x neither rises nor falls.

    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    arrays.check_lengths(x, y)
    across, up = arrays.as_vector(x, "x"), arrays.as_vector(y, "y")
    if across.size < 2:
        raise ValueError(f"At least 2 points are needed to compute area under curve, but x.shape = {across.shape}")
    steps = np.diff(across)
    falls = bool((steps < 0).any())
    if falls and not (steps <= 0).all():
        raise ValueError(f"x is neither increasing nor decreasing : {across}.")
    area = float(np.trapezoid(up, across))
    return -area if falls else area


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Compute the ROC AUC: the chance that a random positive scores above a random negative, ties counting ½.

    (#concordant + ½·#tied)/(P·N), in [0, 1]; 0.5 is chance. Binary `y_true` of any two labels, the greater being
    positive; with `max_fpr` the area up to that false positive rate after McClish's correction. (n, K) scores
    for several classes (`multi_class` "ovr" or "ovo") or multilabel indicators, averaged over columns by `average`.
    NaN with an `UndefinedMetricWarning` where a class is absent. Unlike in scikit-learn, `sample_weight` works with
    "ovo" too: pairs and prevalences are weighted.

    Raises:
        ValueError: scores of the wrong shape, that are not finite, or not probabilities with several classes.
        NotImplementedError: average=None with multi_class="ovo".

    Hanley and McNeil (1982); McClish (1989); Hand and Till (2001).

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if average != "macro" or multi_class != "raise" or max_fpr is not None:
        _check_options(average, max_fpr, multi_class)
    rows = plain_rows(y_true, y_score, sample_weight)
    if rows is not None:
        return binary_auc(rows, max_fpr)
    if max_fpr is None and sample_weight is None and (area := on_device.auc(y_true, y_score)) is not None:
        return area
    y_true, y_score, sample_weight = on_device.distinct_rows(y_true, y_score, sample_weight)
    kind = target_type(y_true, "y_true")
    truth, scores = arrays.as_array(y_true, "y_true"), arrays.as_numbers(by_class(y_score, y_true, labels), "y_score")
    if truth.dtype.kind == "O" and kind not in ("binary", "multiclass"):
        raise ValueError(f"{kind} format is not supported")
    several_columns = scores.ndim == 2 and scores.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and several_columns):
        from thresher.metrics.class_scores import multiclass_auc

        return multiclass_auc(truth, scores, average, sample_weight, max_fpr, multi_class, labels)
    if kind == "binary":
        found, codes = encode(arrays.as_vector(truth, "y_true"))
        if len(found) < 2:
            arrays.check_lengths(truth, scores, sample_weight)
            arrays.warn_undefined(ONE_CLASS)
            return math.nan
        return binary_auc(scored_rows(codes == 1, scores, True, sample_weight), max_fpr)
    if kind != "multilabel-indicator":
        raise ValueError(f"{kind} format is not supported")
    return averaged(partial(binary_auc, max_fpr=max_fpr), truth, scores, average, sample_weight, pos_label=None)


def binary_auc(rows: ScoredRows, max_fpr: float | None = None) -> float:
    """Compute the AUC of binary rows, or its corrected part up to `max_fpr`; warn and return NaN without a class."""
    if max_fpr is None or max_fpr == 1:
        pairs = kernel.concordance(*rows[:3])
        if pairs.positives and pairs.negatives:
            area = pairs.twice_u / (2 * pairs.positives * pairs.negatives)
            # Sums of weights leave their rounding error below an AUC of 1.
            return 1.0 if area > 1 - 2.0**-49 and isinstance(pairs.twice_u, float) else area
    else:
        fpr, tpr, _ = kernel.curve_points(rows.truth, rows.scores, rows.weights, curve="roc")
        if fpr[-1] == tpr[-1] == 1:
            return area_over_fpr(fpr, tpr, 0.0, float(max_fpr)).corrected
    arrays.warn_undefined(ONE_CLASS, stacklevel=4)
    return math.nan


def _check_options(average: Any, max_fpr: Any, multi_class: Any) -> None:
    arrays.check_choice("roc_auc_score", "average", average, AVERAGES)
    arrays.check_choice("roc_auc_score", "multi_class", multi_class, ("raise", "ovr", "ovo"))
    if max_fpr is not None and not (isinstance(max_fpr, Real) and 0 < float(max_fpr) <= 1):
        raise ValueError(
            f"The 'max_fpr' parameter of roc_auc_score must be a float in the range (0.0, 1.0] or None. "
            f"Got {max_fpr!r} instead."
        )


def det_curve(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Compute false positive and false negative rates at rising thresholds: the detection error tradeoff.

    fpr[i] = FP/N and fnr[i] = FN/P of the rule score ≥ thresholds[i]. The curve begins at the last threshold with
    fnr = 0 and ends at the first with fpr = 0, which is +inf unless a score reaches it. With `drop_intermediate`
    thresholds with the true positives of both neighbors are left out.

    Raises:
        ValueError: only one class; more than two labels, or labels that do not say which is positive and no
            `pos_label`; NaN or infinity; columns of different lengths; negative weights.

    Martin et al. (1997); results as `sklearn.metrics.det_curve`.

    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    arrays.check_positive_label_type("det_curve", pos_label)
    arrays.check_flag("det_curve", "drop_intermediate", drop_intermediate)
    y_true, y_score, sample_weight = on_device.distinct_rows(y_true, y_score, sample_weight)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    thresholds, tp, fp = score_table(rows.truth, rows.scores, rows.weights).cumulated()
    if len(encode(arrays.as_vector(y_true, "y_true"))[0]) != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        )
    cuts = rows.float_thresholds(np.append(np.inf, thresholds))
    hits, alarms = np.append(0.0, tp), np.append(0.0, fp)
    needed = np.ones(cuts.size, dtype=np.bool_)
    if drop_intermediate and cuts.size > 2:
        rises = np.diff(hits) != 0
        needed[1:-1] = rises[:-1] | rises[1:]
    chosen = np.flatnonzero(needed)
    first = int(np.searchsorted(alarms[chosen], 0.0, side="right")) - 1
    last = int(np.searchsorted(hits[chosen], hits[-1])) + 1
    chosen = chosen[first:last][::-1]
    return divide(alarms[chosen], alarms[-1]), divide(hits[-1] - hits[chosen], hits[-1]), cuts[chosen]
