"""Counts that are checked when they come in, and when they are added up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.errors import InputError


def checked_counts(counts: ArrayLike) -> NDArray[Any]:
    """Counts as int64, or float64 when fractional: square, finite, not negative, and small enough to add up."""
    table = np.asarray(counts)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise InputError(f"counts of shape {table.shape} are not K×K: one row and one column per class.")
    return checked_values(table, axis=(-2, -1))


def checked_values(counts: ArrayLike, *, axis: int | tuple[int, ...] = -1) -> NDArray[Any]:
    """Counts of any shape as int64, or float64 when fractional: finite, not negative, small enough to add up."""
    table = np.asarray(counts)
    if table.dtype.kind not in "iufb":
        raise InputError(f"counts of type {table.dtype} are not numbers that fit 64 bits.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise InputError("counts are not all finite and ≥ 0.")
    if table.dtype.kind != "f" and (table.sum(axis=axis, dtype=np.float64) >= 2**63).any():
        raise InputError("the counts add up to more than 2**63 − 1.")
    return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)


def add_counts(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Sum of two arrays of counts; 64-bit integers that overflow are an error, not a negative number."""
    total = np.asarray(a + b)
    if (total < 0).any():
        raise InputError("the counts add up to more than 2**63 − 1.")
    return total


def check_apart(given: Any, floats: NDArray[np.float64]) -> None:
    """Refuse different numbers of which float64 makes one, for they would tie; missing ones are told elsewhere."""
    there = [value for value, gone in zip(given, np.isnan(floats).tolist(), strict=True) if not gone]
    if np.unique(floats[~np.isnan(floats)]).size < len(set(there)):
        raise ValueError("some of its numbers differ and are one as float64: rescale them, or pass their ranks")
