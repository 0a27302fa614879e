"""Truth and scores of rows as the arrays that are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts.checked import check_apart
from thresher.errors import InputError, quoted

EXACT = 2**53
"""Whole numbers above this are not all floats."""


def number_column(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Numbers as float64; the entries that a mask hides have no value to count."""
    if hasattr(values, "mask") and isinstance(values, np.ma.MaskedArray) and values.mask.any():
        row = int(np.flatnonzero(values.mask)[0])
        raise InputError(f"row {row} (counted from 0): {name} is masked.")
    try:
        array = np.asarray(values)
        listed = array.ravel().tolist() if array.dtype.kind == "O" else []
        if array.dtype.kind in "Mmc" or any(isinstance(v, np.datetime64 | np.timedelta64) for v in listed):
            raise TypeError(f"it has type {array.dtype}")  # of which NumPy would make numbers
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
            listed = [int(array.max()), int(array.min())]
        wide = next((v for v in listed if isinstance(v, int) and abs(v) > EXACT), None)
        if wide is not None:
            raise ValueError(f"float64 cannot tell {quoted(wide)} from other whole numbers above 2**53")
        with np.errstate(over="ignore"):
            floats = array.astype(np.float64, copy=False)
        if name != "weights" and (array.dtype.kind == "O" or array.dtype.itemsize > floats.itemsize):
            check_apart(array.ravel().tolist() if array.dtype.kind == "O" else list(array.ravel()), floats.ravel())
        return floats
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputError(f"{name} is not a column of numbers: {error}.") from error


def truth_column(y_true: ArrayLike) -> NDArray[Any]:
    """Truth as uint8 or bool; the kernel checks what uint8 it gets."""
    truth = np.asarray(y_true)
    if truth.dtype in (np.uint8, np.bool_):
        return truth
    values = number_column(y_true, "y_true")
    odd = np.flatnonzero((values != 0) & (values != 1))
    if odd.size:
        raise InputError(f"row {odd[0]} (counted from 0): the truth is {values[odd[0]]:g}, and neither 0 nor 1.")
    return values.astype(np.uint8)
