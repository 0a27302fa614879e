"""K×K counts given by name, in the order of labels or as rates, and checked on input."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import WeightKind, option, positive_label
from thresher.counts.measured import Measured
from thresher.counts.row_columns import checked_counts
from thresher.errors import InputError, OptionError, choice, keyword
from thresher.predictions.class_tables import ClassTable, class_table
from thresher.predictions.labels import has_text

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
