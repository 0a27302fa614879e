"""Sums of truth and forecast in bins of the forecast: what a calibration curve is drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide

Floats = NDArray[np.float64]


def equal_width_edges(bins: int) -> Floats:
    """Edges of equally wide bins of [0, 1]."""
    return np.linspace(0.0, 1.0, bins + 1)


def equal_count_edges(forecast: NDArray[Any], bins: int, weights: NDArray[Any] | None) -> Floats:
    """Quantiles of the forecasts (interpolated; with weights, the observed value that reaches the share)."""
    shares = np.linspace(0.0, 1.0, bins + 1)
    if weights is None:
        return np.asarray(np.percentile(forecast, shares * 100), dtype=np.float64)
    counted = weights > 0
    method: Any = "inverted_cdf"
    return np.asarray(np.quantile(forecast[counted], shares, weights=weights[counted], method=method), dtype=np.float64)


def bin_means(
    truth: NDArray[np.uint8], forecast: NDArray[Any], edges: Floats, weights: NDArray[Any] | None = None
) -> tuple[Floats, Floats]:
    """Share of positives and mean forecast in every bin that has rows; a forecast on an inner edge is in the bin below.

    >>> shares, means = bin_means(np.array([0, 1, 1], dtype=np.uint8), np.array([0.2, 0.4, 0.9]), np.array([0, 0.5, 1]))
    >>> shares.tolist(), means.round(3).tolist()
    ([0.5, 1.0], [0.3, 0.9])
    """
    place = np.searchsorted(edges[1:-1], forecast)
    count = edges.size - 1
    scale: Any = 1.0 if weights is None else weights
    total = np.bincount(place, weights=weights, minlength=count)
    positive = np.bincount(place, weights=truth * scale, minlength=count)
    sums = np.bincount(place, weights=forecast * scale, minlength=count)
    filled = total > 0
    return divide(positive[filled], total[filled]), divide(sums[filled], total[filled])
