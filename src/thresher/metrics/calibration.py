"""`calibration_curve`, the observed against the predicted share, and the expected calibration error."""

from __future__ import annotations

import operator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.calibration.classes import classwise_calibration_error, top_label_calibration_error
from thresher.calibration.distances import calibration_error
from thresher.counts import ScoreTable
from thresher.counts.groups import bin_means, equal_count_edges, equal_width_edges
from thresher.metrics.inputs.arrays import as_vector, as_weights, check_lengths, object_numbers
from thresher.metrics.inputs.labels import by_class, encode, positive_label
from thresher.metrics.inputs.probabilities import as_probabilities, class_forecast, positive_forecast
from thresher.metrics.on_device import distinct_rows
from thresher.predictions.probabilities import are_probabilities

KINDS = ("top_label", "classwise")


def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the share of positives and the mean probability in bins, both in [0, 1]; empty bins are left out.

    Bins are equally wide ("uniform") or hold equally many rows ("quantile").

    Raises:
        ValueError: probabilities outside [0, 1], more than two labels, or an unknown strategy.

    >>> shares, means = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> shares.round(3).tolist(), means.round(3).tolist()
    ([0.333, 1.0], [0.267, 0.9])
    """
    y_true, y_prob, sample_weight = distinct_rows(y_true, y_prob, sample_weight)
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
    if forecast.dtype.kind == "O":
        forecast = object_numbers(forecast, "y_prob")
    if not are_probabilities(forecast):
        raise ValueError("y_prob has values outside [0, 1].")
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {labels}.")
    names = labels.tolist()
    hits = codes == names.index(positive) if positive in names else np.zeros(n, dtype=np.bool_)
    edges = equal_width_edges(n_bins) if strategy == "uniform" else equal_count_edges(forecast, n_bins, weights)
    return bin_means(hits.view(np.uint8), forecast, edges, weights)


def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    kind: Literal["top_label", "classwise"] = "top_label",
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean distance of the share of positives from the mean probability over bins, in [0, 1].

    Lower is better. Probabilities are (n,) of the greater of two labels (or of `pos_label`), or (n, K) in sorted order
    of the labels; of two columns the second counts. For three or more, "top_label" compares the largest with whether
    it is right, "classwise" averages over the columns, each against its label. Bins are equally wide ("uniform") or
    hold equally many rows ("quantile", the adaptive error).

    Raises:
        ValueError: probabilities outside [0, 1], labels that do not fit the columns, or an unknown option.

    Naeini, Cooper & Hauskrecht (2015); Guo et al. (2017); Kull et al. (2019) for "classwise".

    >>> round(expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2), 3)
    0.075
    """
    for name, value, allowed in (("strategy", strategy, ("uniform", "quantile")), ("kind", kind, KINDS)):
        if value not in allowed:
            raise ValueError(f"Invalid entry to {name!r} input. It must be {' or '.join(map(repr, allowed))}.")
    if isinstance(n_bins, bool) or operator.index(n_bins) < 1:
        raise ValueError(f"The 'n_bins' parameter must be a whole number >= 1. Got {n_bins!r}.")
    y_true, y_proba, sample_weight = distinct_rows(y_true, y_proba, sample_weight)
    probabilities = as_probabilities(by_class(y_proba, y_true, labels))
    if probabilities.ndim == 2 and probabilities.shape[1] == 2:
        probabilities = probabilities[:, 1]
    if pos_label is not None and probabilities.ndim == 2 and probabilities.shape[1] > 1:
        raise ValueError(
            f"pos_label={pos_label!r} is for the probability of one of two classes, and y_proba has "
            f"{probabilities.shape[1]} columns."
        )
    if pos_label is not None:
        forecast = positive_forecast(y_true, probabilities, sample_weight, pos_label)
    else:
        forecast = class_forecast(y_true, probabilities, sample_weight, labels)
    truth, p, weights, _ = forecast
    how: Any = {"bins": operator.index(n_bins), "strategy": "equal_width" if strategy == "uniform" else "equal_count"}
    if forecast.binary:
        return calibration_error(ScoreTable.from_scores(truth, p.ravel(), weights=weights), **how)
    if truth.ndim != 1:
        raise ValueError("A table of labels needs one calibration error a column.")
    of = top_label_calibration_error if kind == "top_label" else classwise_calibration_error
    return float(of(truth.astype(int), p.astype(float), weights=weights, **how))
