"""Rows that may have several labels: tables of each label, and averages over labels and over rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import Undefined, check_undefined, option, resolve_undefined
from thresher.counts.cells import LabelCounts
from thresher.counts.loss_sums import LossSums
from thresher.errors import InputError, Note, OptionError, keyword
from thresher.measures import find
from thresher.measures.averaging import AVERAGES, averaged, combined
from thresher.measures.registry import spelling, statistic_of
from thresher.multiclass.posteriors import check_weights
from thresher.readers.arrays import class_places, frame_columns
from thresher.results import Estimate

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

HOWS = (*AVERAGES, "samples", "none")


def multilabel_counts(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: Sequence[Hashable] | None = None, weights: ArrayLike | None = None
) -> LabelCounts:
    """Count the rows of each label in truth, in the prediction and in both; `.cells` are its four cells.

    Args:
        y_true: (n, L) of 0 and 1 (or true and false), one column for each label.
        y_pred: (n, L), the same of the prediction.
        labels: names of the columns; 0 … L − 1 by default.
        weights: (n,) weights of rows, finite and ≥ 0.

    Raises:
        InputError: shapes that do not fit, an entry that is neither 0 nor 1 (names the row), a bad weight.

    >>> counts = multilabel_counts([[1, 0], [1, 1]], [[1, 1], [0, 1]], labels=["news", "sport"])
    >>> counts.cells.tp.tolist(), counts.cells.fp.tolist(), counts.cells.fn.tolist()
    ([1, 1], [0, 1], [1, 0])
    """
    truth, predicted, w = _checked(y_true, y_pred, weights)
    found = LabelCounts.of_indicators(truth, predicted, w)
    names = range(truth.shape[1]) if labels is None else labels
    if len(names) != truth.shape[1] or len(set(names)) != len(names):
        raise InputError(keyword("labels") + f" needs {truth.shape[1]} different names, one for each column.")
    column = np.empty(len(names), dtype=object)
    column[:] = list(names)
    return LabelCounts(column, found.tp, found.truth, found.predicted, found.n)


def multilabel_average(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    measure: str,
    *,
    how: Literal["macro", "weighted", "micro", "samples", "none"] = "macro",
    labels: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    undefined: Undefined = "nan",
    **parameters: Any,
) -> Any:
    """Average a measure of decisions, such as "f1", over the labels or the rows of a multi-label table.

    "macro" is the mean over labels, "weighted" their mean by the rows that have the label, "micro" the value of the
    summed cells, "samples" the mean over rows of the measure of each row's own labels; "none" gives a dictionary by
    label. A label (row) in which the measure is 0/0 makes its mean undefined, and the reason counts them; with
    `undefined` a number, that number replaces them. A label without rows is not part of a weighted mean.

    Returns:
        An `Estimate` without limits; for "none" a dictionary of them.

    Raises:
        InputError, OptionError, UnknownMeasureError: tables or options that are not in order.
        UndefinedError: an undefined value, and `undefined="raise"`.

    >>> truth, predicted = [[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]]
    >>> [round(multilabel_average(truth, predicted, "recall", how=how).value, 4) for how in ("micro", "samples")]
    [0.6667, 0.75]
    >>> multilabel_average(truth, predicted, "precision")
    Estimate(macro_precision = undefined: it is 0/0 for 1 of 3 labels)
    """
    option("how", how, HOWS)
    check_undefined(undefined)
    entry = find(measure)
    if entry.needs != "cells":
        raise OptionError(f"{entry.title} cannot be averaged over labels: name a measure of four cells, such as 'f1'.")
    name = spelling(measure)
    counts = multilabel_counts(y_true, y_pred, labels=labels, weights=weights)
    if how == "samples":
        truth, predicted, w = _checked(y_true, y_pred, weights)
        rows = LabelCounts.of_indicators(truth, predicted, None, samplewise=True).cells
        values = entry.on(statistic_of(entry, rows), **parameters)
        return _mean(f"{how}_{name}", values, np.ones(len(values)) if w is None else w, "rows", undefined)
    if how == "micro":
        value = float(averaged(entry, counts.cells, how, **parameters)[0])
        return _estimate(f"micro_{name}", value, "it is 0/0", undefined)
    values = entry.on(statistic_of(entry, counts.cells), **parameters)
    if how == "none":
        pairs = zip(counts.labels.tolist(), values.tolist(), strict=True)
        return {label: _estimate(name, value, "it is 0/0", undefined) for label, value in pairs}
    shares = np.ones(len(values)) if how == "macro" else np.asarray(counts.truth, dtype=np.float64)
    return _mean(f"{how}_{name}", values, shares, "labels", undefined)


def multilabel_losses(y_true: ArrayLike, y_pred: ArrayLike, *, weights: ArrayLike | None = None) -> dict[str, LossSums]:
    """Sum "subset_accuracy" (all labels of a row right) and "hamming_loss" (share of its labels wrong).

    Both are in [0, 1]; `thresher.inference.loss_sums_interval` gives intervals.

    >>> sums = multilabel_losses([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    >>> {name: part.mean for name, part in sums.items()}
    {'subset_accuracy': 0.5, 'hamming_loss': 0.25}
    """
    truth, predicted, w = _checked(y_true, y_pred, weights)
    wrong = truth != predicted
    exact = (~wrong.any(axis=1)).astype(np.float64)
    return {"subset_accuracy": LossSums.of(exact, w), "hamming_loss": LossSums.of(wrong.mean(axis=1), w)}


def _mean(name: str, values: Array, shares: Array, what: str, undefined: Undefined) -> Estimate:
    counted = shares > 0
    missing = int((np.isnan(values) & counted).sum())
    if isinstance(undefined, int | float):
        values = np.where(np.isnan(values), undefined, values)
    value = float(combined(values, "weighted", shares))
    text = f"it is 0/0 for {missing:,} of {int(counted.sum()):,} {what}" if missing else "there is nothing to average"
    if missing and not math.isnan(value):
        return Estimate(
            name=name, value=value, reason=Note("stand-in", f"{undefined} in place of undefined values, as {text}")
        )
    return _estimate(name, value, text, undefined)


def _estimate(name: str, value: float, reason: str, undefined: Undefined) -> Estimate:
    if not math.isnan(value):
        return Estimate(name=name, value=value)
    resolved = resolve_undefined(value, undefined, name.replace("_", " "), reason)
    return Estimate(name=name, value=resolved, reason=Note("undefined", reason))


def _checked(y_true: ArrayLike, y_pred: ArrayLike, weights: ArrayLike | None) -> tuple[Flags, Flags, Array | None]:
    truth, predicted = _flags(y_true, "y_true"), _flags(y_pred, "y_pred")
    if (names := frame_columns(y_true)) is not None and truth.shape == predicted.shape:
        predicted = predicted[:, class_places(y_pred, names)]
    if truth.shape != predicted.shape:
        raise InputError(f"y_true has shape {truth.shape} and y_pred {predicted.shape}: they must be the same.")
    return truth, predicted, None if weights is None else check_weights(weights, len(truth))


def _flags(values: ArrayLike, name: str) -> Flags:
    table = np.asarray(values)
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise InputError(f"{name} must be a table of 0 and 1, a column a label, not {table.dtype} of {table.shape}.")
    if table.dtype == np.bool_:
        return table
    odd = np.argwhere((table != 0) & (table != 1))
    if odd.size:
        row, column = (int(i) for i in odd[0])
        where = f"row {row + 1:,}, column {column + 1:,}"
        raise InputError(f"{name} is {table[row, column]:g} in {where}: it must be 0 or 1.")
    return np.asarray(table != 0)
