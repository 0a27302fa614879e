"""`class_likelihood_ratios`: what a positive and a negative prediction multiply the odds by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.counts.cells import Cells
from thresher.measures.diagnostic import negative_likelihood_ratio, positive_likelihood_ratio
from thresher.metrics.confusion import confusion_matrix
from thresher.metrics.counting import label_counts
from thresher.metrics.inputs.pairs import check_pair
from thresher.metrics.warnings import warn_undefined

HINT = "Use the `replace_undefined_by` param to control this behavior."


def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Likelihood ratios of a binary prediction: LR+ = TPR/FPR in [1, ∞), LR− = FNR/TNR in [0, 1], for a useful test.

    The second of the sorted labels (or of `labels`) is positive. A ratio with a denominator of 0 becomes
    `replace_undefined_by` (NaN, 1.0, or {"LR+": …, "LR-": …}) with an `UndefinedMetricWarning`.

    Raises:
        ValueError: the target is not binary, or the replacement is out of range.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    pair = check_pair(y_true, y_pred, sample_weight)
    if pair.multilabel or len(label_counts(pair).labels) > 2:
        kind = "multilabel-indicator" if pair.multilabel else "multiclass"
        raise ValueError(
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {kind}"
        )
    instead_plus, instead_minus = _replacements(replace_undefined_by)
    matrix = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    if matrix.shape != (2, 2):
        raise ValueError(f"class_likelihood_ratios needs two labels, got {len(matrix)}: name both with `labels`.")
    tn, fp, fn, tp = (float(cell) for cell in matrix.ravel())
    cells = Cells.of(tp=tp, fp=fp, fn=fn, tn=tn)
    plus, minus = float(positive_likelihood_ratio.on(cells)), float(negative_likelihood_ratio.on(cells))
    if tp + fn == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` and "
            f"`negative_likelihood_ratio` are both set to `np.nan`. {HINT}"
        )
    if fp == 0:
        cause = "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
        start = cause if tp == 0 else "`positive_likelihood_ratio` is ill-defined and "
        warn_undefined(f"{start}set to `np.nan`. {HINT}")
        plus = instead_plus
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {HINT}")
        minus = instead_minus
    return plus, minus


def _replacements(given: Any) -> tuple[float, float]:
    """Values that stand for an undefined LR+ and LR−."""
    if isinstance(given, int | float | np.number) and (math.isnan(given) or given == 1):
        return float(given), float(given)
    if not isinstance(given, dict):
        raise ValueError(
            "The 'replace_undefined_by' parameter of class_likelihood_ratios must be 1.0, NaN, or a dictionary. "
            f"Got {given!r} instead."
        )
    plus: Any = given.get("LR+")
    minus: Any = given.get("LR-")
    if not (_within(plus, 1, np.inf) and _within(minus, 0, 1)):
        raise ValueError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, 'LR-': "
            "`value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` and the value for "
            f"`LR-` ranges from `0.0` to `1.0` or is `np.nan`; got `{given}`."
        )
    return float(plus), float(minus)


def _within(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float | np.number) and (math.isnan(value) or bool(low <= value <= high))
