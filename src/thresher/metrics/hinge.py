"""`hinge_loss`: how far decision values fall short of a margin of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import divide
from thresher.counts.losses import hinge_of_codes, hinge_of_positive
from thresher.metrics.inputs.arrays import as_numbers, as_vector, check_lengths
from thresher.metrics.inputs.labels import encode
from thresher.metrics.inputs.named_columns import by_class
from thresher.metrics.inputs.weights import as_weights


def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of max(0, 1 − margin), ≥ 0; lower is better.

    The margin of two classes is the decision value (n,), negated for the lesser label; of K classes the value of the
    true class less the largest other one, from (n, K) in sorted order of the labels. Crammer and Singer (2001).

    Raises:
        ValueError: decision values that do not fit the number of labels.
        TypeError: decision values that are not numbers.

    >>> round(hinge_loss([-1, 1, 1], [-2.2, 1.3, 0.1]), 4)
    0.3
    """
    n = check_lengths(y_true, pred_decision, sample_weight)
    decisions, truth = _numbers(by_class(pred_decision, y_true, labels)), as_vector(y_true, "y_true")
    weights = as_weights(sample_weight, n)
    present, codes = encode(truth)
    classes = present if labels is None else encode(as_vector(labels, "labels"))[0]
    if len(classes) > 2:
        _check_columns(decisions, n, len(classes), labels is not None)
        total = hinge_of_codes(_among(classes, present)[codes], decisions, weights)
    else:
        # With one label only, that label counts as the negative one, unless `labels` tells.
        codes = codes if labels is None else _among(classes, present)[codes]
        total = hinge_of_positive(codes, as_vector(decisions, "pred_decision"), weights)
    return float(divide(total, n if weights is None else weights.sum()))


def _numbers(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind in "OUS":
        try:
            return as_numbers(array.astype(np.float64), "pred_decision")
        except (TypeError, ValueError):
            raise TypeError("pred_decision should be an array of floats.") from None
    return as_numbers(array, "pred_decision")


def _among(classes: NDArray[Any], present: NDArray[Any]) -> NDArray[Any]:
    place = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in present.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y_true contains previously unseen labels: {unknown}, which `labels` does not name.")
    return np.array([place[label] for label in present.tolist()])


def _check_columns(decisions: NDArray[Any], n: int, classes: int, named: bool) -> None:
    if decisions.ndim <= 1:
        raise ValueError(
            "The shape of pred_decision cannot be 1d arraywith a multiclass target. pred_decision shape must be "
            f"(n_samples, n_classes), that is ({n}, {classes}). Got: {decisions.shape}"
        )
    if decisions.shape[1] == classes:
        return
    if not named:
        raise ValueError("Please include all labels in y_true or pass labels as third argument")
    raise ValueError(
        "The shape of pred_decision is not consistent with the number of classes. With a multiclass target, "
        f"pred_decision shape must be (n_samples, n_classes), that is ({n}, {classes}). Got: {decisions.shape}"
    )
