"""Averages of a binary measure over the classes of a matrix, each class against the rest; once, for all measures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import (
    LEVEL,
    Undefined,
    check_undefined,
    confidence_level,
    divide,
    option,
    resolve_undefined,
    stand_in,
)
from thresher.counts import Cells, ConfusionMatrix
from thresher.counts.cells import class_cells
from thresher.errors import Note, OptionError
from thresher.measures.conditions import CONDITIONS
from thresher.measures.registry import (
    Measure,
    cached_until_changed,
    find,
    known,
    reason_undefined,
    spelling,
    statistic_of,
)
from thresher.results import Estimate
from thresher.upward_import import upward_import

AVERAGES = ("macro", "micro", "weighted")
"""How the values of classes become one: their mean, the value of the summed cells, their mean by the classes' rows."""

HOWS = (*AVERAGES, "none")
SHOWN = (("precision", "macro"), ("recall", "macro"), ("f1", "macro"), ("precision", "weighted"), ("f1", "weighted"))
NAMED = 5


def average(
    matrix: ConfusionMatrix,
    measure: str,
    *,
    how: str = "macro",
    level: float = LEVEL,
    undefined: Undefined = "nan",
    interval: str = "wilson",
    **parameters: Any,
) -> Any:
    """Average a measure over the classes, each taken as positive against all others.

    `macro` is the mean of the values; `weighted` their mean by the rows of each class, in which a class without
    rows is left out; `micro` the value of the summed cells; `none` gives the value of every class.

    `interval` is the method for a proportion or F1 of a class (`none`) and for a micro average that is the accuracy.

    A class in which the measure is undefined makes its mean undefined, and the reason names the class; with
    `undefined` a number, that number replaces the class in the mean.

    Returns:
        An `Estimate` with its interval for a single matrix, or with `how="none"` a dictionary of them by label. For a
        matrix with batch axes an array over them (the class last, for "none").

    Raises:
        OptionError: `how` has another value, or the measure needs scores or other parameters.
        UndefinedError: an undefined class, and `undefined="raise"`.

    >>> matrix = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 0]], labels=["a", "b", "c"])
    >>> average(matrix, "recall").value, average(matrix, "recall", how="micro").value
    (0.4777777777777778, 0.6153846153846154)
    >>> average(matrix, "precision")
    Estimate(macro_precision = undefined: precision is undefined for class 'c' (nothing is predicted positive))
    """
    option("how", how, HOWS)
    check_undefined(undefined)
    entry = find(measure)
    if entry.needs == "table":
        raise OptionError(f"{entry.title} is a measure of scores and cannot be averaged over the classes of a matrix.")
    if how == "none" and matrix.counts.ndim == 2:
        confidence_level(level)
        options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
        parts = matrix.each_vs_rest()
        found = upward_import("estimates").estimates(list(parts.values()), measure, **options, **parameters)
        return dict(zip(parts, found, strict=True))
    classes, missing = class_cells(matrix.scaled), ""
    value, values = averaged(entry, classes, how, stand_in(undefined), **parameters)
    if how == "micro":
        classes = sum_of_classes(classes)
    else:
        missing = _undefined_classes(entry, matrix, classes, values, how == "weighted")
    text = f"{measure.replace('_', ' ')} is undefined for {missing}" if missing else ""
    name = f"{how}_{spelling(measure)}"
    if matrix.counts.ndim == 2:
        if math.isnan(value):
            text = text or reason_undefined(entry, classes) or "the matrix is empty"
        found = _estimate(name, float(value), undefined, text)
        if found.reason is None:
            confidence_level(level)
            options = {"how": how, "level": level, "interval": interval, "parameters": parameters}
            found = upward_import("estimates").average_estimate(matrix, entry, found, **options)
        return found
    return _resolved(value, undefined, name, text or "in part of the batch")


@dataclass(frozen=True, slots=True)
class ClassAverage:
    """Formula of an average of a measure over the classes, of K×K counts."""

    entry: Measure
    how: str

    @property
    def summary(self) -> str:
        """First sentence about it."""
        return f"{self.how.capitalize()} average of {self.entry.title}, each class against the rest."

    def __call__(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        classes = class_cells(counts)
        return averaged(self.entry, classes, self.how)[0]


@cached_until_changed
def class_average(name: str) -> Measure | None:
    """Return the average of a measure of decisions over the classes, such as `macro_f1`; None for another name.

    >>> class_average("macro_recall").title, class_average("recall")
    ('macro recall', None)
    """
    how, rest = split_average(spelling(name))
    entry = known(rest) if how else None
    if entry is None or entry.needs != "cells" or entry.needs_parameters:
        return None
    return Measure(
        name=f"{how}_{rest}",
        title=f"{how} {entry.title_as(rest)}",
        formula=ClassAverage(entry, how),
        text=f"{how} average of {entry.title} over the classes",
        needs="matrix",
        bounds=entry.bounds,
        better=entry.better,
        source=entry.source,
        how=how,
        of=entry,
        remake=(class_average, (name,)),
    )


def split_average(name: str) -> tuple[str, str]:
    """Split a name into its average and its measure; the average is empty for a plain measure.

    >>> split_average("macro_f1"), split_average("f1"), split_average("weighted_kappa")
    (('macro', 'f1'), ('', 'f1'), ('', 'weighted_kappa'))
    """
    how, _, rest = name.partition("_")
    return (how, rest) if how in AVERAGES and rest and known(name) is None else ("", name)


def class_averages(
    matrix: ConfusionMatrix, *, level: float = LEVEL, undefined: Undefined = "nan", interval: str = "wilson"
) -> dict[str, Estimate]:
    """Return the usual averages over classes: macro and weighted precision and F1, macro recall.

    Micro averages and the weighted recall are the accuracy.
    """
    options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
    found = (average(matrix, measure, how=how, **options) for measure, how in SHOWN)
    return {estimate.name: estimate for estimate in found}


def averaged(
    entry: Measure, classes: Cells, how: str, number: float = math.nan, **parameters: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average a measure over the cells of classes, the last axis; return the values of the classes too.

    `number` replaces an undefined class; "none" gives the value of each class.
    """
    cells = sum_of_classes(classes) if how == "micro" else classes
    values = entry.on(statistic_of(entry, cells), **parameters)
    filled = values if how == "micro" else np.where(np.isnan(values), number, values)
    return combined(filled, how, classes.pos), values


def combined(values: NDArray[np.float64], how: str, support: NDArray[Any]) -> NDArray[np.float64]:
    """Average the values of classes, the last axis, plainly or by rows; "micro" and "none" leave them.

    >>> combined(np.array([0.5, 1.0, np.nan]), "weighted", np.array([3, 1, 0]))
    array(0.625)
    """
    if how == "macro":
        return np.asarray(values.mean(axis=-1))
    if how != "weighted":
        return values
    # A weight of 0 times an undefined value is no part of the mean, whereas 0·NaN would be NaN.
    parts = np.where(support > 0, support, 0) * np.where(support == 0, 0, values)
    with np.errstate(invalid="ignore"):
        return np.asarray(parts.sum(axis=-1) / support.sum(axis=-1))


def pair_weights(totals: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    """Compute the weight of each pair of classes, (K, K), in the mean over ordered pairs; 0 without rows.

    >>> pair_weights(np.array([2.0, 3.0, 5.0]), "macro")[0].round(3).tolist()
    [0.0, 0.167, 0.167]
    """
    k, among = len(totals), _pairs_with_rows(totals)
    if how == "macro":
        return np.where(among, 1 / (k * (k - 1)), 0.0)
    every = 2 * totals.sum() * max(1, int((totals > 0).sum()) - 1)
    return np.where(among, divide(totals[:, None] + totals, every), 0.0)


def rest_weights(totals: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    """Compute the weight of each pair of classes, (K, K), in the mean of each class against all others.

    >>> rest_weights(np.array([2.0, 3.0, 5.0]), "weighted")[0].round(3).tolist()
    [0.0, 0.075, 0.125]
    """
    share = divide(totals, totals.sum()) if how == "weighted" else np.full(len(totals), 1 / len(totals))
    others = np.nan_to_num(divide(totals, totals.sum() - totals[:, None]), posinf=0.0)
    return np.where(_pairs_with_rows(totals), share[:, None] * others, 0.0)


def _pairs_with_rows(totals: NDArray[np.float64]) -> NDArray[np.bool_]:
    return ~np.eye(len(totals), dtype=bool) & (totals > 0) & (totals > 0)[:, None]


def sum_of_classes(classes: Cells) -> Cells:
    """Sum the cells of all classes, for micro averages."""
    return Cells(*(cell.sum(axis=-1) for cell in (classes.tp, classes.fp, classes.fn, classes.tn)))


def _undefined_classes(
    entry: Measure, matrix: ConfusionMatrix, classes: Cells, values: NDArray[np.float64], weighted: bool
) -> str:
    """Name the classes with an undefined value that counts, each with its reason."""
    missing = np.isnan(values) & ((classes.pos != 0) if weighted else True)
    missing = missing.reshape(-1, len(matrix.labels)).any(axis=0)
    statistic = statistic_of(entry, classes)
    words = []
    for i in np.flatnonzero(missing)[:NAMED]:
        holding = [w for w in entry.undefined if np.any(np.asarray(CONDITIONS[w](statistic))[..., i])]
        words.append(f"class {matrix.labels[i]!r} ({' and '.join(holding) or 'a class is empty'})")
    more = int(missing.sum()) - len(words)
    return "; ".join([*words, f"and {more} more classes"] if more > 0 else words)


def _estimate(name: str, value: float, undefined: Undefined, reason: str) -> Estimate:
    if not math.isnan(value):
        stood_in = Note("stand-in", f"a number replaces an undefined class: {reason}") if reason else None
        return Estimate(name=name, value=value, reason=stood_in)
    resolved = resolve_undefined(value, undefined, name.replace("_", " "), reason)
    return Estimate(name=name, value=resolved, reason=Note("undefined", reason))


def _resolved(value: NDArray[np.float64], undefined: Undefined, name: str, reason: str) -> NDArray[np.float64]:
    """Return the values of a batch under the policy; a warning or an error speaks for all of them."""
    if not np.isnan(value).any():
        return value
    stand_in = resolve_undefined(math.nan, undefined, name.replace("_", " "), reason)
    return np.where(np.isnan(value), stand_in, value)
