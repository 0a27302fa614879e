"""Intervals of what several classes have in common: means over them, and the information of their matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix
from thresher.design_warnings import few_rows_per_cell
from thresher.inference.limits.delta import NO_WIDTH, DeltaInterval, Slopes, limits, scale_words
from thresher.inference.matrices._class_spread import spread_of_mean
from thresher.inference.matrices.sums import FIXED, FIXED_BY_PRIOR, obstacle, with_delta, with_squares
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures.registry import Measure
from thresher.results import Estimate

Array = NDArray[np.float64]

INFORMED = 0.25
"""Rows added to the diagonal, and to the rest, of every row and column for the variance of an information."""


def smooth_mean_estimate(
    matrix: ConfusionMatrix, entry: Measure, found: Estimate, slopes: Slopes, *, how: str, level: float,
    parameters: dict[str, Any],
) -> Estimate | None:  # fmt: skip
    """Estimate of a mean of a bounded measure over the classes, with `_class_spread`'s interval; None without one.

    Its `standard_error` is the delta method's, from the measure's derivatives on the counts as they are.
    """
    if reason := obstacle(matrix):
        return replace(found, reason=reason)
    counts, squares = with_squares(matrix)
    error = spread_of_mean(entry, how, counts, squares, parameters)
    # On the edge of the range no scale is symmetric: there rows are added to the counts themselves.
    if not math.isfinite(error) or error < NO_WIDTH or not entry.bounds[0] < found.value < entry.bounds[1]:
        return None
    low, high = limits(found.value, error, entry.bounds, normal_quantile(level))
    method = f"smoothed variances of the classes{scale_words(entry.bounds)}"
    interval = DeltaInterval(low, high, _plain_error(slopes, counts, squares), method)
    return with_delta(found, interval, counts, squares, level)


def information_estimate(
    matrix: ConfusionMatrix, found: Estimate, slopes: Callable[[ConfusionMatrix], Slopes], *,
    bounds: tuple[float, float], level: float,
) -> Estimate:  # fmt: skip
    """Estimate of what decisions tell, in bits or as a share of the entropy, its bias taken off the interval's middle.

    Independent labels and decisions of r and c classes that occur share (r − 1)(c − 1)/(2n·ln 2) bits by chance, to
    first order (Miller 1955), whose variance is that of a χ² and counts too; the rest of the variance is read where
    cells without rows have some.
    """
    if reason := obstacle(matrix):
        return replace(found, reason=reason)
    counts, squares = with_squares(matrix)
    k, rows = len(counts), float(counts.sum()) ** 2 / float(squares.sum())
    weight = float(squares.sum() / counts.sum())
    added = weight * INFORMED * (np.eye(k) + (1 - np.eye(k)) / (k - 1))
    smooth = replace(matrix, counts=counts + added, squares=None)
    slope = slopes(smooth)(smooth.counts)[1]
    shares = matrix.scaled.sum(axis=1) / matrix.scaled.sum()
    entropy = -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())
    if not math.isfinite(bounds[1]):  # in bits, and no share of the entropy
        bounds, entropy = (0.0, math.log2(k)), 1.0
    chance = (int((counts.sum(axis=1) > 0).sum()) - 1) * (int((counts.sum(axis=0) > 0).sum()) - 1)
    unit = 1 / (2 * rows * math.log(2) * entropy)
    error = math.sqrt(float((slope**2 * (squares + added * weight)).sum()) + 2 * chance * unit**2)
    if not math.isfinite(error) or error < NO_WIDTH:
        return replace(found, reason=FIXED if matrix.prior is None else FIXED_BY_PRIOR)
    center, z = max(found.value - chance * unit, 0.0), normal_quantile(level)
    # Near 0 a logit would spread the interval over the whole range.
    is_near = center < 2 * error
    low, high = (0.0, min(center + z * error, bounds[1])) if is_near else limits(center, error, bounds, z)
    method = f"delta method, ¼ added to each row and column, less the bias{'' if is_near else scale_words(bounds)}"
    interval = DeltaInterval(low, high, _plain_error(slopes(matrix), counts, squares), method)
    warnings = few_rows_per_cell(rows, chance)
    return replace(with_delta(found, interval, counts, squares, level), warnings=warnings)


def _plain_error(slopes: Slopes, counts: Array, squares: Array) -> float | None:
    """The delta method's standard error; None where it vanishes."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = math.sqrt(float((slopes(counts)[1] ** 2 * squares).sum()))
    return error if math.isfinite(error) and error >= NO_WIDTH else None
