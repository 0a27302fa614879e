"""Intervals of averages over the classes of a matrix."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import estimate, estimate_by_slopes
from thresher.inference.limits.delta import Slopes, numeric
from thresher.inference.matrices.class_intervals import smooth_mean_estimate
from thresher.inference.matrices.class_slopes import average_slopes
from thresher.measures.averaging import average
from thresher.measures.registry import Measure
from thresher.results import Estimate


def average_estimate(
    matrix: ConfusionMatrix,
    entry: Measure,
    found: Estimate,
    *,
    how: str,
    level: float,
    parameters: dict[str, Any],
    interval: str = "wilson",
) -> Estimate:
    """Estimate of a macro, micro or weighted average with its interval, given its defined value.

    A micro average that is the accuracy has the accuracy's interval. Macro and weighted averages of a bounded measure
    have that of `_class_spread`, in which a class of few rows or without errors keeps its uncertainty; others have the
    delta method's over all cells of the matrix, the class sizes being as random as the predictions.

    >>> matrix = ConfusionMatrix.from_counts([[50, 6, 4], [8, 30, 2], [6, 4, 20]])
    >>> matrix.average("f1")
    Estimate(macro_f1 = 0.7569 [0.6715, 0.8259], 95% smoothed variances of the classes, logit scale)

    Source: Takahashi, Yamamoto, Kuchiba & Koyama 2022.
    """
    if (refused := methods_of(entry.name).refused) is not None:
        return replace(found, reason=refused)
    if how == "micro" and (alike := methods_of(entry.name).micro) and matrix.prior is None:
        return replace(estimate(matrix, alike, level=level, interval=interval), name=found.name, value=found.value)
    slopes = (
        average_slopes(entry, how, parameters) if len(matrix.labels) > 2 else _of_two(matrix, entry, how, parameters)
    )
    if how != "micro" and matrix.prior is None and np.isfinite(entry.bounds).all():
        options: dict[str, Any] = {"how": how, "level": level, "parameters": parameters}
        if (smooth := smooth_mean_estimate(matrix, entry, found, slopes, **options)) is not None:
            return smooth
    return estimate_by_slopes(matrix, found, slopes, bounds=entry.bounds, level=level)


def _of_two(matrix: ConfusionMatrix, entry: Measure, how: str, parameters: dict[str, Any]) -> Slopes:
    """Slopes for two classes, the prior applied on the way."""

    def formula(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        batch = replace(matrix, counts=counts, squares=None)
        return np.asarray(average(batch, entry.name, how=how, **parameters))

    return numeric(formula)
