"""Sums of truth and forecast in bins of the forecast, for calibration curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats, divide


def equal_width_edges(bins: int) -> Floats:
    """Edges of equally wide bins of [0, 1]."""
    return np.linspace(0.0, 1.0, bins + 1)


def equal_count_edges(forecast: NDArray[Any], bins: int, weights: NDArray[Any] | None) -> Floats:
    """Quantiles of the forecasts, interpolated; whole weights repeat rows, others give the value at the share."""
    shares = np.linspace(0.0, 1.0, bins + 1)
    if weights is None:
        return np.asarray(np.percentile(forecast, shares * 100), dtype=np.float64)
    counted = weights > 0
    values, w = forecast[counted], weights[counted]
    if not is_whole(w):
        method: Any = "inverted_cdf"
        return np.asarray(np.quantile(values, shares, weights=w, method=method), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    values, ends = values[order].astype(np.float64), np.cumsum(w[order], dtype=np.float64)
    # Shares in percent and back, as NumPy has them: one that rounds otherwise reads another row.
    at = (ends[-1] - 1) * (shares * 100 / 100)
    below = np.floor(at)
    rows = below, np.minimum(below + 1, ends[-1] - 1)
    low, high = (values[np.searchsorted(ends, each, side="right")] for each in rows)
    step, share = high - low, at - below
    return np.asarray(np.where(share >= 0.5, high - step * (1 - share), low + step * share))


def is_whole(weights: NDArray[Any]) -> bool:
    """Whether all weights are whole numbers, so that each repeats its row.

    >>> is_whole(np.array([1.0, 3.0])), is_whole(np.array([0.5, 3.0]))
    (True, False)
    """
    return weights.dtype.kind in "biu" or bool((weights == np.rint(weights)).all())


def bin_means(
    truth: NDArray[np.uint8], forecast: NDArray[Any], edges: Floats, weights: NDArray[Any] | None = None
) -> tuple[Floats, Floats]:
    """Share of positives and mean forecast in every bin that has rows; a forecast on an inner edge is in the bin below.

    >>> shares, means = bin_means(np.array([0, 1, 1], dtype=np.uint8), np.array([0.2, 0.4, 0.9]), np.array([0, 0.5, 1]))
    >>> shares.tolist(), means.round(3).tolist()
    ([0.5, 1.0], [0.3, 0.9])
    """
    count = edges.size - 1
    place = np.searchsorted(edges[1:-1], forecast)
    both = np.bincount(2 * place + truth, weights=weights, minlength=2 * count).reshape(-1, 2)
    sums = np.bincount(place, weights=forecast if weights is None else forecast * weights, minlength=count)
    total = both.sum(axis=1)
    filled = total > 0
    return divide(both[filled, 1], total[filled]), divide(sums[filled], total[filled])
