"""`coverage_error`, `label_ranking_average_precision_score` and `label_ranking_loss`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs import as_array, as_numbers, check_lengths, is_sparse, target_type
from thresher.metrics.inputs.named_columns import by_class
from thresher.metrics.scored import weight_column
from thresher.ranking.gain import coverage, label_precision, misordered_share

Floats = NDArray[np.float64]


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean number of labels to read, by falling score, to meet all that are true of a row.

    `y_true` (n, m) indicators, `y_score` (n, m). At best the mean number of true labels; a row without any counts 0,
    and ties count in full.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight, sparse=False)
    return float(np.average(coverage(relevant, scores), weights=weights))


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean, over rows and their true labels, of the share of true ones among the labels scored at least as high.

    `y_true` (n, m) indicators, dense or sparse, `y_score` (n, m). In (0, 1], higher is better; a row whose labels are
    all true or none counts 1.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight, single=True)
    values = label_precision(relevant, scores)
    return float(np.average(np.where(np.isnan(values), 1.0, values), weights=weights))


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean over rows of the share of (true, false) label pairs in which the false one scores at least as high.

    `y_true` (n, m) indicators, dense or sparse, `y_score` (n, m). In [0, 1], lower is better; a row whose labels are
    all true or none counts 0.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight)
    values = misordered_share(relevant, scores)
    return float(np.average(np.where(np.isnan(values), 0.0, values), weights=weights))


def _checked(
    y_true: Any, y_score: Any, sample_weight: Any, *, sparse: bool = True, single: bool = False
) -> tuple[NDArray[np.bool_], Floats, Floats | None]:
    """Indicators, scores and weights; `single` allows a matrix of one column."""
    truth = y_true.toarray() if sparse and is_sparse(y_true) else as_numbers(as_array(y_true, "y_true"), "y_true")
    scores = as_numbers(by_class(y_score, y_true), "y_score")
    if not sparse and (truth.ndim != 2 or scores.ndim != 2):
        raise ValueError(f"Expected 2D array, got 1D array instead: y_true {truth.shape}, y_score {scores.shape}.")
    n = check_lengths(truth, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, n)
    kind = target_type(truth, "y_true")
    if single and truth.shape != scores.shape:
        raise ValueError("y_true and y_score have different shape")
    if kind != "multilabel-indicator" and not (single and kind == "binary" and truth.ndim == 2):
        raise ValueError(f"{kind} format is not supported")
    if truth.shape != scores.shape:
        raise ValueError("y_true and y_score have different shape")
    return np.asarray(truth != 0), scores.astype(np.float64, copy=False), weights
