"""`calibration_curve`: how often it was so, against how often it was said to be."""

from __future__ import annotations

import operator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts.bins import bin_means, equal_count_edges, equal_width_edges
from thresher.metrics.inputs.arrays import as_vector, check_lengths
from thresher.metrics.inputs.labels import encode, positive_label
from thresher.metrics.inputs.weights import as_weights


def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of positives and mean probability in bins of the probability, both in [0, 1]; bins without rows left out.

    Bins are equally wide ("uniform") or hold equally many rows ("quantile").

    Raises:
        ValueError: probabilities outside [0, 1], more than two labels, or an unknown strategy.

    >>> shares, means = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> shares.round(3).tolist(), means.round(3).tolist()
    ([0.333, 1.0], [0.267, 0.9])
    """
    truth, forecast = as_vector(y_true, "y_true"), as_vector(y_prob, "y_prob")
    n = check_lengths(truth, forecast, sample_weight)
    if isinstance(n_bins, bool) or operator.index(n_bins) < 1:
        raise ValueError(f"The 'n_bins' parameter of calibration_curve must be a whole number >= 1. Got {n_bins!r}.")
    if strategy not in ("uniform", "quantile"):
        raise ValueError("Invalid entry to 'strategy' input. Strategy must be either 'quantile' or 'uniform'.")
    if not n:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: y_prob has no rows.")
    weights = as_weights(sample_weight, n)
    labels, codes = encode(truth)
    positive = positive_label(pos_label, labels)
    if not (forecast.min() >= 0 and forecast.max() <= 1):
        raise ValueError("y_prob has values outside [0, 1].")
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {labels}.")
    names = labels.tolist()
    hits = codes == names.index(positive) if positive in names else np.zeros(n, dtype=np.bool_)
    edges = equal_width_edges(n_bins) if strategy == "uniform" else equal_count_edges(forecast, n_bins, weights)
    return bin_means(hits.view(np.uint8), forecast, edges, weights)
