"""Sums of losses over rows of probabilities or margins: they add up, so that parts of the rows can be summed apart.

Rows are taken in blocks small enough for the processor's cache, in reused memory. Differences are taken in float64 also
of narrower numbers, as NumPy would not by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats

Weights = NDArray[Any] | None

# Below 10,000 numbers, at which OpenBLAS starts threads for a dot product that one does in microseconds.
BLOCK = 1 << 13


def blocks(rows: int, columns: int = 1) -> Iterator[tuple[slice, Floats]]:
    """Slices of rows that hold about 8,192 numbers each, and working memory for the numbers of one."""
    step = max(1, min(BLOCK // max(1, columns), rows))
    memory = np.empty((step, columns)) if columns > 1 else np.empty(step)
    for start in range(0, rows, step):
        yield slice(start, start + step), memory[: min(step, rows - start)]


def weighted_sum(values: Floats, weights: Weights, part: slice) -> float:
    """Σ w·value over one block."""
    return float(values.sum() if weights is None else np.dot(values, weights[part]))


def log_loss_of_positive(truth: NDArray[np.uint8], probability: NDArray[Any], weights: Weights, least: float) -> float:
    """Σ −w·ln(probability of the true class), p or 1 − p; probabilities are kept within [least, 1 − least].

    >>> round(log_loss_of_positive(np.array([1, 0], dtype=np.uint8), np.array([0.5, 0.5]), None, 1e-15), 6)
    1.386294
    """
    total = 0.0
    for part, given in blocks(truth.size):
        # |1 − y − p| is p where y = 1 and 1 − p where y = 0, without a branch.
        np.subtract(1 - truth[part], probability[part], out=given, dtype=np.float64)
        np.abs(given, out=given)
        total -= _log_sum(given, weights, part, least)
    return total


def log_loss_of_codes(codes: NDArray[Any], probabilities: NDArray[Any], weights: Weights, least: float) -> float:
    """Σ −w·ln(p of the row's true class), from codes (n,) and probabilities (n, K)."""
    total = 0.0
    for part, given in blocks(codes.size):
        block = probabilities[part]
        given[:] = block[np.arange(len(block)), codes[part]]
        total -= _log_sum(given, weights, part, least)
    return total


def log_loss_of_table(truth: NDArray[Any], probabilities: NDArray[Any], weights: Weights, least: float) -> float:
    """Σ −w·Σ_k y_k·ln p_k, for truth that is itself a table (rows × classes)."""
    total = 0.0
    for part, logs in blocks(*probabilities.shape):
        np.log(np.clip(probabilities[part], least, 1 - least, out=logs, dtype=np.float64), out=logs)
        total -= weighted_sum(np.einsum("ij,ij->i", truth[part], logs), weights, part)
    return total


def squared_error_of_positive(truth: NDArray[np.uint8], probability: NDArray[Any], weights: Weights) -> float:
    """Σ w·(p − y)².

    >>> squared_error_of_positive(np.array([1, 0], dtype=np.uint8), np.array([0.5, 1.0]), None)
    1.25
    """
    total = 0.0
    for part, error in blocks(truth.size):
        np.subtract(probability[part], truth[part], out=error, dtype=np.float64)
        total += float(np.dot(error, error if weights is None else error * weights[part]))
    return total


def squared_error_of_codes(codes: NDArray[Any], probabilities: NDArray[Any], weights: Weights) -> float:
    """Σ w·Σ_k (p_k − y_k)², y being 1 in the column of the row's true class and 0 elsewhere."""
    total = 0.0
    for part, error in blocks(*probabilities.shape):
        error[:] = probabilities[part]
        error[np.arange(len(error)), codes[part]] -= 1
        total += _squares(error, weights, part)
    return total


def squared_error_of_table(truth: NDArray[Any], probabilities: NDArray[Any], weights: Weights) -> float:
    """Σ w·Σ_k (p_k − y_k)², for truth that is itself a table (rows × classes)."""
    total = 0.0
    for part, error in blocks(*probabilities.shape):
        np.subtract(probabilities[part], truth[part], out=error, dtype=np.float64)
        total += _squares(error, weights, part)
    return total


def hinge_of_positive(truth: NDArray[np.uint8], decision: NDArray[Any], weights: Weights) -> float:
    """Σ w·max(0, 1 − margin), the margin being the decision value, negated where the truth is 0.

    >>> hinge_of_positive(np.array([1, 1, 0], dtype=np.uint8), np.array([2.0, 0.5, 1.0]), None)
    2.5
    """
    total = 0.0
    for part, loss in blocks(truth.size):
        np.multiply(1 - 2 * truth[part].astype(np.int8), decision[part], out=loss, dtype=np.float64)
        total += weighted_sum(np.maximum(loss + 1, 0, out=loss), weights, part)
    return total


def hinge_of_codes(codes: NDArray[Any], decisions: NDArray[Any], weights: Weights) -> float:
    """Σ w·max(0, 1 − margin), the margin being the true class's decision value less the largest other one.

    Crammer and Singer (2001).
    """
    total = 0.0
    for part, others in blocks(*decisions.shape):
        others[:] = decisions[part]
        place = np.arange(len(others)), codes[part]
        own = others[place]
        others[place] = -np.inf
        total += weighted_sum(np.maximum(1 - (own - others.max(axis=1)), 0), weights, part)
    return total


def _squares(error: Floats, weights: Weights, part: slice) -> float:
    if weights is None:
        flat = error.ravel()
        return float(np.dot(flat, flat))
    return weighted_sum(np.einsum("ij,ij->i", error, error), weights, part)


def _log_sum(given: Floats, weights: Weights, part: slice, least: float) -> float:
    np.log(np.clip(given, least, 1 - least, out=given), out=given)
    return weighted_sum(given, weights, part)
