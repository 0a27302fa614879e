"""Sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs.arrays import check_finite, object_numbers, to_numpy


def as_weights(weights: Any, n: int) -> NDArray[Any] | None:
    """Weights of n rows as an array of their own numeric type, at most 64 bits wide; None stays None.

    Raises:
        ValueError: not one number per row, NaN or infinite, negative, or all zero.
    """
    if weights is None:
        return None
    array = to_numpy(weights, "sample_weight")
    if array.dtype.kind == "O":
        array = object_numbers(array, "sample_weight", apart=False)
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight must be numbers, got an array of type {array.dtype}.")
    if array.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {array.ndim}D array. Expected a 1D array of length {n}."
        )
    if array.size != n:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n,)}!")
    check_finite(array, "sample_weight")
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if array.size:
        # A negative weight makes every share meaningless, even where the sum stays positive.
        if array.dtype.kind != "u" and array.min() < 0:
            row = int(np.argmax(array < 0))
            raise ValueError(f"Negative values in data passed to `sample_weight`: {array[row]} in row {row}.")
        if not array.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
    return array
