"""Metrics of labels or items that are ranked in each row of a table: coverage, ranking loss, discounted gain."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs.arrays import as_array, as_numbers, check_count, check_flag, check_lengths, is_sparse
from thresher.metrics.inputs.labels import by_class, target_type
from thresher.metrics.scored import weight_column
from thresher.ranking.gain import coverage, discounted_gain, label_precision, misordered_share, normalized_gain

Floats = NDArray[np.float64]


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Compute the mean number of labels to read, by falling score, to meet all true ones.

    `y_true` (n, m) indicators, `y_score` (n, m). At best the mean number of true labels; a row without any counts 0,
    and ties count in full.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight, sparse=False)
    return _mean(coverage(relevant, scores), weights)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Compute the mean, over true labels, of the share of true ones among labels scored at least as high.

    `y_true` (n, m) indicators, dense or sparse, `y_score` (n, m). In (0, 1], higher is better; a row with labels that
    are all true or all false counts 1.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight, single=True)
    return _mean(label_precision(relevant, scores), weights, undefined=1.0)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Compute the mean share of (true, false) label pairs in which the false one scores at least as high.

    `y_true` (n, m) indicators, dense or sparse, `y_score` (n, m). In [0, 1], lower is better; a row with labels that
    are all true or all false counts 0.

    Raises:
        ValueError: not an indicator matrix, different shapes, NaN or infinity.

    Tsoumakas, Katakis and Vlahavas (2010).

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    relevant, scores, weights = _checked(y_true, y_score, sample_weight)
    return _mean(misordered_share(relevant, scores), weights)


def _mean(values: Floats, weights: Floats | None, *, undefined: float = 0.0) -> float:
    return float(np.average(np.where(np.isnan(values), undefined, values), weights=weights))


def _checked(
    y_true: Any, y_score: Any, sample_weight: Any, *, sparse: bool = True, single: bool = False
) -> tuple[NDArray[np.bool_], Floats, Floats | None]:
    """Check indicators, scores and weights; `single` allows a matrix of one column."""
    truth = y_true.toarray() if sparse and is_sparse(y_true) else as_numbers(as_array(y_true, "y_true"), "y_true")
    scores = as_numbers(by_class(y_score, y_true), "y_score")
    if not sparse and (truth.ndim != 2 or scores.ndim != 2):
        raise ValueError(f"Expected 2D array, got 1D array instead: y_true {truth.shape}, y_score {scores.shape}.")
    n = check_lengths(truth, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, n)
    kind, is_shaped = target_type(truth, "y_true"), truth.shape == scores.shape
    is_kind = kind == "multilabel-indicator" or (single and kind == "binary" and truth.ndim == 2)
    if not is_kind and (is_shaped or not single):
        raise ValueError(f"{kind} format is not supported")
    if not is_shaped:
        raise ValueError("y_true and y_score have different shape")
    return np.asarray(truth != 0), scores.astype(np.float64, copy=False), weights


SUPPORTED = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Compute the mean discounted cumulative gain over rows, Σ gain at rank r / log_base(r + 1), r ≤ k.

    `y_true` and `y_score` (n, m): gains and scores of m items for each of n queries. Gains of equal score are
    averaged, unless `ignore_ties`. At least 0 for gains of at least 0; higher is better.

    Raises:
        ValueError: not two matrices of one shape, NaN or infinity, `k` < 1, `log_base` ≤ 0.

    Järvelin and Kekäläinen (2002); McSherry and Najork (2008) for ties.

    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    9.4995
    """
    if isinstance(log_base, bool) or not isinstance(log_base, Real) or not log_base > 0 or math.isinf(log_base):
        raise ValueError(f"The 'log_base' parameter of dcg_score must be a float > 0. Got {log_base!r} instead.")
    gains, scores, weights = _matrices("dcg_score", y_true, y_score, sample_weight, k, ignore_ties)
    return _mean(discounted_gain(gains, scores, k=k, base=log_base, ties=_TIES[bool(ignore_ties)]), weights)


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Compute the mean over rows of the discounted cumulative gain divided by its maximum.

    `y_true` (n, m), gains of at least 0, and `y_score` (n, m). In [0, 1], higher is better; a row without gain counts
    as 0. Gains of equal score are averaged, unless `ignore_ties`.

    Raises:
        ValueError: not two matrices of one shape with at least two columns, negative gains, NaN or infinity, `k` < 1.

    Järvelin and Kekäläinen (2002); McSherry and Najork (2008) for ties.

    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    """
    gains, scores, weights = _matrices("ndcg_score", y_true, y_score, sample_weight, k, ignore_ties)
    return _mean(normalized_gain(gains, scores, k=k, ties=_TIES[bool(ignore_ties)]), weights)


_TIES: tuple[Literal["average"], Literal["order"]] = ("average", "order")


def _matrices(
    function: str, y_true: Any, y_score: Any, sample_weight: Any, k: Any, ignore_ties: Any
) -> tuple[NDArray[Any], Floats, Floats | None]:
    if k is not None:
        check_count(function, "k", k)
    check_flag(function, "ignore_ties", ignore_ties)
    gains, scores = as_numbers(y_true, "y_true"), as_numbers(by_class(y_score, y_true), "y_score")
    n = check_lengths(gains, scores, sample_weight)
    weights = None if sample_weight is None else weight_column(sample_weight, n)
    if gains.ndim == 2 and gains.shape != scores.shape:
        raise ValueError(f"y_true and y_score have different shape: {gains.shape} and {scores.shape}.")
    if function == "ndcg_score" and gains.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if function == "ndcg_score" and gains.ndim > 1 and gains.shape[1] <= 1:
        raise ValueError(
            f"Computing NDCG is only meaningful when there is more than 1 document. Got {gains.shape[1]} instead."
        )
    if (kind := target_type(gains, "y_true")) not in SUPPORTED:
        raise ValueError(f"Only {SUPPORTED} formats are supported. Got {kind} instead")
    return gains, scores.astype(np.float64, copy=False), weights
