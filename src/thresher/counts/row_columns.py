"""Truth and scores of rows as the arrays that are counted, and given counts: both are checked when they come in."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.foreign_arrays import to_host
from thresher.conventions import WHOLE_FREQUENCY, WeightKind, option, positive_label
from thresher.counts.measured import Measured
from thresher.errors import InputError, OptionError, choice, keyword, quoted
from thresher.predictions.class_tables import ClassTable, class_table
from thresher.predictions.labels import has_text

EXACT = 2**53
"""Whole numbers above this are not all floats."""

TEXT = re.compile(r"could not convert string to float: (?:np\.str_\((.*)\)|(.*))", re.DOTALL)
"""NumPy's words for a text among numbers."""


def number_column(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Numbers as float64; entries that a mask hides are not counted."""
    if isinstance(values, Mapping):
        example = f", such as rows[{quoted(next(iter(values)))}]" if values else ""
        raise InputError(f"{name} is a dictionary. Give one of its columns{example}.")
    if hasattr(values, "mask") and isinstance(values, np.ma.MaskedArray) and values.mask.any():
        row = int(np.flatnonzero(values.mask)[0])
        raise InputError(f"row {row} (counted from 0): {name} is masked.")
    try:
        array = np.asarray(values if isinstance(values, np.ndarray) else to_host(values))
        listed = array.ravel().tolist() if array.dtype.kind == "O" else []
        if array.dtype.kind in "Mmc" or any(isinstance(v, np.datetime64 | np.timedelta64) for v in listed):
            raise TypeError(f"it has type {array.dtype}")  # NumPy would make numbers of it
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
    except (TypeError, ValueError, ArithmeticError, NotImplementedError) as error:  # the last: PyArrow's string views
        reason = TEXT.sub(r"\1\2 is not a number", str(error))
        raise InputError(f"{name} is not a column of numbers: {reason}.") from error


def weight_column(weights: ArrayLike | None, weight_kind: str) -> NDArray[np.float64] | None:
    """Weights as float64, checked to be whole if they are frequencies; None without weights."""
    if weights is None:
        return None
    column = number_column(weights, "weights")
    check_frequencies(column, weight_kind, first=0)
    return column


def check_frequencies(weights: NDArray[np.float64], weight_kind: str, *, first: int) -> None:
    """Check that weights are whole numbers if they are frequencies; errors number the rows from `first`.

    >>> check_frequencies(np.array([2.0, 0.5]), "frequency", first=1)
    Traceback (most recent call last):
    thresher.errors.InputError: the frequency weight of row 2 is 0.5. A frequency counts equal rows, ...
    """
    if weight_kind != "frequency":
        return
    parts = np.isfinite(weights) & (weights != np.rint(weights))
    if parts.any():
        row = int(parts.argmax())
        counted = "" if first else " (counted from 0)"
        raise InputError(
            f"the frequency weight of row {row + first:,}{counted} is {weights.flat[row]:g}." + WHOLE_FREQUENCY
        )


def known_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as numbers; refuse NaN, naming its row."""
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise InputError(f"row {int(np.isnan(values).argmax())} (counted from 0): the score is NaN.")
    return values


def truth_column(y_true: ArrayLike) -> NDArray[Any]:
    """Truth as uint8 or bool; the kernel checks the values of uint8."""
    if isinstance(y_true, np.ndarray) and y_true.dtype in (np.uint8, np.bool_):
        return np.asarray(y_true)
    values = number_column(y_true, "y_true")
    odd = np.flatnonzero((values != 0) & (values != 1))
    if odd.size:
        raise InputError(f"row {odd[0]} (counted from 0): the truth is {values[odd[0]]:g}, and neither 0 nor 1.")
    return values.astype(np.uint8)


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
    """Refuse different numbers that float64 makes equal, for they would tie; missing values are reported elsewhere."""
    there = [value for value, gone in zip(given, np.isnan(floats).tolist(), strict=True) if not gone]
    if np.unique(floats[~np.isnan(floats)]).size < len(set(there)):
        raise ValueError("some of its different numbers are equal as float64: rescale them, or pass their ranks")


Counts = NDArray[Any]
SHARES = {1: 0.005, 100: 0.05}
"""Totals of a normalized matrix, as shares or in percent, and their loss by the rounding of cells."""

NEAR = 1e-9
"""Counts so near to whole numbers are these: the rates were made of whole counts, and rounded in between."""


def matrix_fields(
    given: Any,
    *,
    labels: Sequence[Hashable] | None,
    positive: Hashable | None,
    truth_in: Literal["rows", "columns"],
    squares: Any,
    weight_kind: WeightKind | None,
) -> dict[str, Any]:
    """Fields of the matrix of given counts, from the arguments of `ConfusionMatrix.from_counts`."""
    option("truth_in", truth_in, ("rows", "columns"))
    if isinstance(given, Measured):
        raise OptionError("the counts are a matrix already: pass its .counts, with its " + keyword("labels", "…") + ".")
    table = class_table(given, "counts")
    names = _labels(table) if labels is None else tuple(labels)
    counts = checked_counts(replace(table, sparse=table.sparse or labels is not None).arranged(names))
    if squares is None and weight_kind is None:
        refuse_shares(counts)
    if positive is not None and len(names) != 2:
        raise OptionError(keyword("positive", repr(positive)) + f" is for two classes, and there are {len(names)}.")
    flip = len(names) == 2 and positive_label(names, positive) != names[0]

    def turned(cells: Counts | None) -> Counts | None:
        if cells is not None and truth_in == "columns":
            cells = np.swapaxes(cells, -1, -2)
        return cells[..., ::-1, ::-1] if cells is not None and flip else cells

    return {
        "counts": turned(counts),
        "labels": names[::-1] if flip else names,
        "squares": turned(squares_of(squares, names)),
        "weight_kind": weight_kind,
        "ordered": labels is not None or table.ordered or not has_text(names),
    }


def _labels(table: ClassTable) -> tuple[Hashable, ...]:
    """Labels of a table that has names, else 0, 1, …, K−1."""
    if table.is_named:
        return table.labels()
    k = checked_counts(table.values).shape[-1]
    if k == 2:
        raise OptionError(
            "a 2×2 matrix needs labels, as some write the positive class first and some the negative: "
            + keyword("labels", "[1, 0]")
            + " if the first row is positive, [0, 1] if it is negative."
        )
    return tuple(range(k))


def squares_of(given: Any, labels: Sequence[Hashable]) -> Counts | None:
    """Squares in the order of labels, as float64; None stays."""
    return None if given is None else checked_counts(class_table(given, "squares").arranged(labels)).astype(np.float64)


def refuse_shares(counts: ArrayLike) -> None:
    """Refuse a normalized matrix, which has another prevalence and no number of rows.

    >>> refuse_shares([[0.9, 0.1], [0.25, 0.75]])
    Traceback (most recent call last):
    thresher.errors.InputError: the matrix is normalized: each row adds up to 1. Give the counts themselves...
    """
    table = np.asarray(counts)
    if table.dtype.kind != "f" or np.array_equal(table, np.rint(table)):
        return
    k = table.shape[-1]
    for text, axis, cells in (
        ("each row adds", -1, k),
        ("each column adds", -2, k),
        ("all cells add", (-2, -1), k * k),
    ):
        sums = table.sum(axis=axis)
        for total, rounding in SHARES.items():
            if (np.abs(sums - total) <= cells * rounding).all():
                raise InputError(
                    f"the matrix is normalized: {text} up to {total}. Give the counts themselves; sums of weights are "
                    "taken with " + choice("weight_kind", "importance") + "."
                )


def counts_of_rates(*, sensitivity: float, specificity: float, prevalence: float, n: float) -> NDArray[Any]:
    """Counts [[TP, FN], [FP, TN]] of `n` rows with the rates that papers print: TP = n·π·TPR, TN = n·(1 − π)·TNR.

    >>> counts_of_rates(sensitivity=0.9, specificity=0.7, prevalence=0.5, n=200).tolist()
    [[90, 10], [30, 70]]
    """
    rates = {"sensitivity": sensitivity, "specificity": specificity, "prevalence": prevalence}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise OptionError(f"{name}={rate!r}: it is a share from 0 to 1.")
    if not (n > 0 and np.isfinite(n)):
        raise OptionError(f"n={n!r}: it is the number of rows, above 0.")
    positives, negatives = n * prevalence, n * (1 - prevalence)
    counts = np.array([
        [positives * sensitivity, positives * (1 - sensitivity)],
        [negatives * (1 - specificity), negatives * specificity],
    ])  # fmt: skip
    whole = np.rint(counts)
    if np.all(np.abs(counts - whole) <= NEAR * np.maximum(1, whole)):
        return np.asarray(whole.astype(np.int64))
    return counts
