"""Cells of a metric (positive class, each class, all pooled), and averages of its values."""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.counts.cells import Cells
from thresher.counts.labels import LabelCounts
from thresher.measures.registry import Measure
from thresher.metrics.counting import label_counts
from thresher.metrics.inputs.options import check_choice, check_positive_label_type, warn_undefined
from thresher.metrics.inputs.pairs import Pair, check_pair

AVERAGES = ("micro", "macro", "samples", "weighted", "binary", None)
ALL_CLASSES = [None, "micro", "macro", "weighted", "samples"]


class Chosen(NamedTuple):
    """Cells to compute a metric on, one per class (or one in all), and the weights of the mean over them."""

    cells: Cells
    average: str | None
    weights: NDArray[Any] | None

    def mean(self, values: NDArray[np.float64]) -> Any:
        """Return the values without an average; else the mean of the defined ones."""
        return values if self.average is None else mean_of_defined(values, self.weights)


def choose_cells(
    function: str, y_true: Any, y_pred: Any, *, labels: Any, pos_label: Any, average: str | None, sample_weight: Any
) -> Chosen:
    """Return the cells of an `average`, after checking that it suits the target."""
    check_choice(function, "average", average, AVERAGES)
    check_positive_label_type(function, pos_label)
    pair = check_pair(y_true, y_pred, sample_weight)
    counts = class_counts(pair, samplewise=average == "samples", labels=labels)
    if average == "binary":
        counts = _positive_only(pair, counts, pos_label)
    else:
        if pos_label not in (None, 1):
            warnings.warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}). "
                "You may use labels=[pos_label] to specify a single positive class.",
                UserWarning,
                stacklevel=4,
            )
        if labels is not None and not pair.multilabel:
            counts = counts.select(np.asarray(labels))
    cells = counts.cells
    if average == "micro":
        cells = pooled(cells)
    weights = counts.truth if average == "weighted" else pair.weights if average == "samples" else None
    return Chosen(cells, average, weights)


def pooled(cells: Cells) -> Cells:
    """Add the cells of all classes, for micro averages."""
    parts: list[Any] = [np.sum(cell, keepdims=True) for cell in (cells.tp, cells.fp, cells.fn, cells.tn)]
    return Cells(*parts)


def class_counts(pair: Pair, *, samplewise: bool = False, labels: Any = None) -> LabelCounts:
    """Return the counts of each class that occurs; or in a 0/1 table of each named column, or of each row."""
    if not pair.multilabel:
        counts = label_counts(pair)
        if samplewise:
            raise ValueError("Samplewise metrics are not available outside of multilabel classification.")
        return counts
    truth, predicted = (table != 0 for table in (pair.truth, pair.predicted))
    if labels is None:
        return LabelCounts.of_indicators(truth, predicted, pair.weights, samplewise=samplewise)
    columns = np.asarray(labels)
    _check_columns(columns, truth.shape[1])
    return LabelCounts.of_indicators(truth[:, columns], predicted[:, columns], pair.weights, samplewise=samplewise)


def _check_columns(columns: NDArray[Any], count: int) -> None:
    for bad, shown in (
        (columns.max() >= count, f"{columns.max()} > {count - 1}"),
        (columns.min() < 0, f"{columns.min()} < 0"),
    ):
        if bad:
            raise ValueError(f"All labels must be in [0, n labels) for multilabel targets. Got {shown}")


def _positive_only(pair: Pair, counts: LabelCounts, pos_label: Any) -> LabelCounts:
    """Return the counts of the positive class of a binary target."""
    if pair.multilabel or len(counts.labels) > 2:
        kind, options = ("multilabel-indicator", ALL_CLASSES) if pair.multilabel else ("multiclass", ALL_CLASSES[:-1])
        raise ValueError(
            f"Target is {kind} but average='binary'. Please choose another average setting, one of {options!r}."
        )
    if len(counts.labels) == 2 and pos_label not in counts.labels.tolist():
        raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {counts.labels}")
    return counts.only(pos_label)


def check_zero_division(function: str, value: Any, *, nan: bool = True) -> None:
    """Check the value that replaces 0/0: "warn", 0, 1, or (for most metrics) NaN."""
    number = isinstance(value, Real) and (value in (0, 1) or (nan and math.isnan(value)))
    if not (number or (isinstance(value, str) and value == "warn")):
        choices = "'warn', 0, 1 or NaN" if nan else "'warn', 0 or 1"
        raise ValueError(f"The 'zero_division' parameter of {function} must be {choices}. Got {value!r} instead.")


def rate(
    measure: Measure,
    chosen: Chosen,
    name: str,
    missing: str,
    zero_division: Any,
    *,
    warn: bool = True,
    **parameters: float,
) -> NDArray[np.float64]:
    """Compute a measure with 0/0 replaced, and warn of the missing part."""
    values = np.asarray(measure.on(chosen.cells, **parameters))
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    silent = not isinstance(zero_division, str)
    values[undefined] = float(zero_division) if silent else 0.0
    if warn and not silent:
        per, each = ("label", "samples") if chosen.average == "samples" else ("sample", "labels")
        where = f"due to no {missing} {per}s" if values.size == 1 else f"in {each} with no {missing} {per}s"
        warn_undefined(
            f"{name.capitalize()} is ill-defined and being set to 0.0 {where}. Use `zero_division` parameter to "
            "control this behavior.",
            stacklevel=4,
        )
    return values


def mean_of_defined(values: NDArray[np.float64], weights: NDArray[Any] | None) -> float:
    """Average the values that are not NaN; plainly if all weights are zero."""
    if values.size == 1:
        return float(values[0])
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    values, weights = values[defined], None if weights is None else weights[defined]
    if weights is None or not weights.any():
        return float(values.mean())
    return float(np.average(values, weights=weights))
