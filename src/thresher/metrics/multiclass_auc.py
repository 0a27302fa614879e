"""AUC of several classes: one against the rest, or one against one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.class_columns import Codes, codes_among, given_classes
from thresher.metrics.columns import averaged
from thresher.metrics.inputs import as_vector, check_lengths, encode
from thresher.metrics.roc import ONE_CLASS, binary_auc
from thresher.metrics.scored import weight_column
from thresher.metrics.warnings import warn_undefined
from thresher.multiclass.hand_till import conditional_auc_of_codes

Scores = NDArray[np.float64]
NOT_PROBABILITIES = (
    "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
)


def multiclass_auc(
    truth: NDArray[Any],
    scores: NDArray[Any],
    average: str | None,
    sample_weight: Any,
    max_fpr: float | None,
    multi_class: str,
    labels: Any,
) -> Any:
    """AUC of class probabilities, as `roc_auc_score` gives it for more than two classes."""
    if max_fpr is not None and max_fpr != 1:
        raise ValueError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
            f"received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    _check_shape(scores, average, multi_class)
    classes, codes = class_codes(truth, scores, labels)
    check_lengths(truth, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, len(codes))
    if multi_class == "ovo":
        return one_vs_one(codes, scores, weights, average)
    indicator = codes[:, None] == np.arange(classes.size)
    return averaged(binary_auc, indicator, scores, average, weights, pos_label=True)


def one_vs_one(codes: Codes, scores: NDArray[Any], weights: Scores | None, average: str | None) -> float:
    """Mean over pairs of classes that occur, plain or by the share of rows in the pair.

    Classes that do not occur are left out, as scikit-learn does; `hand_till_score` is undefined with them.
    """
    found = conditional_auc_of_codes(codes, scores.astype(np.float64, copy=False), weights=weights).present()
    if not found.pairs.size:
        warn_undefined(ONE_CLASS, stacklevel=5)
        return math.nan
    return float(np.average(found.pairs, weights=found.pair_weights if average == "weighted" else None))


def class_codes(truth: NDArray[Any], scores: NDArray[Any], labels: Any) -> tuple[NDArray[Any], Codes]:
    """Classes that the columns stand for, and each row's class as the number of its column."""
    column = as_vector(truth, "y_true")
    if labels is None:
        classes, codes = encode(column)
        if classes.size != scores.shape[1]:
            raise ValueError("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return classes, codes.astype(np.int64)
    classes = given_classes(labels)
    if classes.size != scores.shape[1]:
        raise ValueError(
            f"Number of given labels, {classes.size}, not equal to the number of columns in 'y_score', "
            f"{scores.shape[1]}"
        )
    return classes, codes_among(column, classes)


def _check_shape(scores: NDArray[Any], average: str | None, multi_class: str) -> None:
    if scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
            f"Got `y_score.shape={scores.shape}`."
        )
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError(NOT_PROBABILITIES)
    allowed = ("micro", "macro", "weighted", None) if multi_class == "ovr" else ("macro", "weighted", None)
    if average not in allowed:
        raise ValueError(f"average must be one of {allowed} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
