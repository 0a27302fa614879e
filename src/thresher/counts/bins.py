"""Sums of truth and forecast in bins of the forecast, for calibration curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats, divide

FEW = 4096
"""Rows up to which looking each up costs less than guessing."""


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
    return _quantiles(values[order].astype(np.float64), _as_percent(shares), np.cumsum(w[order], dtype=np.float64))


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
    place = _places(forecast, edges)
    both = np.bincount(2 * place + truth, weights=weights, minlength=2 * count).reshape(-1, 2)
    sums = np.bincount(place, weights=forecast if weights is None else forecast * weights, minlength=count)
    total = both.sum(axis=1)
    filled = total > 0
    return divide(both[filled, 1], total[filled]), divide(sums[filled], total[filled])


def equal_count_means(truth: NDArray[np.uint8], forecast: NDArray[Any], bins: int) -> tuple[Floats, Floats]:
    """Share of positives and mean forecast in bins between the quantiles, as `bin_means` has them, from sorted values.

    >>> shares, means = equal_count_means(np.array([0, 1, 1], dtype=np.uint8), np.array([0.2, 0.4, 0.9]), 2)
    >>> shares.tolist(), means.round(3).tolist()
    ([0.5, 1.0], [0.3, 0.9])
    """
    every = np.sort(forecast)
    edges = _quantiles(every, _as_percent(np.linspace(0.0, 1.0, bins + 1)))
    own = np.sort(forecast[truth.view(np.bool_)])
    ends, hits = (np.searchsorted(column, edges[1:-1], side="right") for column in (every, own))
    starts = np.concatenate([[0], ends])
    total = np.diff(np.append(starts, every.size))
    positive = np.diff(np.concatenate([[0], hits, [np.count_nonzero(truth)]]))
    filled = total > 0
    sums = np.add.reduceat(every, starts[filled])
    return positive[filled] / total[filled], sums / total[filled]


def _places(forecast: NDArray[Any], edges: Floats) -> NDArray[np.intp]:
    """Bin of every forecast: the number of inner edges below it.

    With equally wide bins a division gives the bin or a neighbor, and comparison with the edges corrects it. Other
    edges, and few rows, use a binary search.

    >>> _places(np.array([0.0, 0.1, 0.1000001, 1.0]), np.linspace(0, 1, 11)).tolist()
    [0, 0, 1, 9]
    """
    count = edges.size - 1
    if forecast.size < FEW or not np.array_equal(edges, equal_width_edges(count)):
        return np.searchsorted(edges[1:-1], forecast)
    guess = (forecast * float(count)).astype(np.intp)
    np.minimum(guess, count - 1, out=guess)
    low, high = edges[:-1].copy(), edges[1:].copy()
    low[0], high[-1] = -np.inf, np.inf
    guess += (forecast > high[guess]).view(np.int8) - (forecast <= low[guess]).view(np.int8)
    return guess


def _as_percent(shares: Floats) -> Floats:
    """Shares in percent and back, as NumPy has them: one that rounds otherwise reads another row."""
    return shares * 100 / 100


def _quantiles(values: Floats, shares: Floats, ends: Floats | None = None) -> Floats:
    """Quantiles of sorted values, interpolated as NumPy does it, which selects where sorting is faster.

    `ends` are the running sums of whole weights: row k is the first value with a sum above k.
    """
    size = values.size if ends is None else int(ends[-1])
    at = (size - 1) * shares
    below = np.floor(at).astype(np.intp)
    above = np.minimum(below + 1, size - 1)
    if ends is not None:
        low, high = (values[np.searchsorted(ends, rows, side="right")] for rows in (below, above))
    else:
        low, high = values[below], values[above]
    step, share = high - low, at - below
    return np.asarray(np.where(share >= 0.5, high - step * (1 - share), low + step * share))
