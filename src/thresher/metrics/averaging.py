"""Cells of a metric (positive class, each class, all pooled), counted from labels, and averages of its values."""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import MAX_CLASSES
from thresher.counts.cells import Cells, LabelCounts
from thresher.measures.registry import Measure
from thresher.metrics.inputs.arrays import LARGEST_EXACT, check_choice, check_positive_label_type, warn_undefined
from thresher.metrics.inputs.labels import Pair, check_pair, encode, mixed_labels, shifted

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


Array = NDArray[Any]

# A matrix of this many classes is made even when only its margins are wanted, because counting it is one pass.
SMALL_MATRIX = 64

# Rows whose highest label stands for that of all rows, until the count finds a higher one.
FIRST_ROWS = 10_000

# Kinds of whole numbers that are counted as they are.
CODES = (np.int64, np.int32, np.uint8)


def label_matrix(pair: Pair) -> tuple[Array, Array]:
    """Return the labels that occur and the matrix of counts: int64, or float64 with fractional weights."""
    found = _small_matrix(pair)
    if found is not None:
        return found
    labels, truth, predicted = encode_pair(pair.truth, pair.predicted)
    if len(labels) > MAX_CLASSES:
        raise ValueError(
            f"{len(labels)} distinct labels: a confusion matrix of more than {MAX_CLASSES} classes is not made; the "
            "label column looks like an identifier or a score."
        )
    return labels, _counted(truth, predicted, len(labels), pair.weights)


def label_counts(pair: Pair) -> LabelCounts:
    """Count margins and diagonal, for any number of labels."""
    found = _small_matrix(pair)
    if found is not None:
        return LabelCounts.of_matrix(_float_if_weighted(found[1], pair), found[0])
    labels, truth, predicted = encode_pair(pair.truth, pair.predicted)
    if len(labels) <= SMALL_MATRIX:
        matrix = _counted(truth, predicted, len(labels), pair.weights)
        return LabelCounts.of_matrix(_float_if_weighted(matrix, pair), labels)
    return LabelCounts.of_codes(truth, predicted, labels, pair.weights)


def encode_pair(truth: Array, predicted: Array) -> tuple[Array, Array, Array]:
    """Return the sorted labels of both columns and the codes of each; text beside numbers is a ValueError."""
    true_labels, true_codes = encode(truth)
    pred_labels, pred_codes = encode(predicted)
    if true_labels.dtype == pred_labels.dtype and np.array_equal(true_labels, pred_labels):
        return true_labels, true_codes, pred_codes
    if (true_labels.dtype.kind in "mM") != (pred_labels.dtype.kind in "mM"):
        raise ValueError(
            f"y_true and y_pred have labels of different kinds: {true_labels.dtype} and {pred_labels.dtype}."
        )
    # The first of two equal labels (1, 1.0 and True are) gives the type.
    found = set(true_labels)
    found.update(pred_labels)
    if len({isinstance(label, str) for label in found}) > 1:
        raise mixed_labels(truth, predicted)
    ordered = sorted(found)
    labels, kind = np.asarray(ordered), np.uint8 if len(ordered) <= 256 else np.int32
    # By the labels themselves: as floats, which have them where no whole type holds all, two may be one.
    place = {label: code for code, label in enumerate(ordered)}

    def recoded(own: Array, codes: Array) -> Array:
        return np.array([place[label] for label in own], dtype=kind)[codes]

    return labels, recoded(true_labels, true_codes), recoded(pred_labels, pred_codes)


def _small_matrix(pair: Pair) -> tuple[Array, Array] | None:
    """Count whole-number labels in a narrow range without encoding them; None for others."""
    weights, kinds = pair.weights, (pair.truth.dtype, pair.predicted.dtype)
    if any(kind.kind not in "biu" for kind in kinds):
        return None
    truth, predicted = (each.view(np.uint8) if each.dtype.kind == "b" else each for each in pair[:2])
    low, matrix = 0, _guessed_matrix(truth, predicted) if weights is None else None
    if kinds[0] != kinds[1]:
        if matrix is None:
            return None
        is_true = matrix.sum(axis=1) > 0
        found = np.flatnonzero(is_true | (matrix.sum(axis=0) > 0))
        # Each in the type of its first column.
        labels = np.asarray([kinds[0 if is_true[code] else 1].type(code) for code in found])
        return labels, matrix[np.ix_(found, found)]
    if matrix is None:
        low, high = int(min(truth.min(), predicted.min())), int(max(truth.max(), predicted.max()))
        if high - low >= SMALL_MATRIX:
            return None
        if low or truth.dtype not in CODES:
            truth, predicted = ((column - low).astype(np.uint8) for column in (truth, predicted))
        matrix = _counted(truth, predicted, high - low + 1, weights)
    present = matrix.sum(axis=0) + matrix.sum(axis=1) > 0
    if weights is not None and not present.all():
        # A label whose rows all weigh 0 is there nevertheless, and the sums do not show it.
        unweighted = _counted(truth, predicted, len(matrix), None)
        present = unweighted.sum(axis=0) + unweighted.sum(axis=1) > 0
    return shifted(np.flatnonzero(present), low, kinds[0]), matrix[np.ix_(present, present)]


def _guessed_matrix(truth: Array, predicted: Array) -> Array | None:
    """Matrix over the codes 0 … the highest of the first rows, or None if a later row has a higher or negative one.

    The range of a column is a pass in one thread; the kernel finds a code out of range while it counts on every core.
    """
    highest = int(max(truth[:FIRST_ROWS].max(), predicted[:FIRST_ROWS].max()))
    if not {truth.dtype, predicted.dtype} <= set(map(np.dtype, CODES)) or not 0 <= highest < SMALL_MATRIX:
        return None
    try:
        return kernel.confusion(truth, predicted, highest + 1)
    except kernel.KernelInputError:
        return None


def _float_if_weighted(matrix: Array, pair: Pair) -> Array:
    """Convert weighted sums to float64, as scikit-learn gives them per class even for whole weights."""
    return matrix if pair.weights is None else matrix.astype(np.float64)


def _counted(truth: Array, predicted: Array, k: int, weights: Array | None) -> Array:
    whole = weights is not None and weights.dtype.kind in "iu"
    # Floats would round a sum of whole-number weights beyond this.
    if weights is not None and whole and weights.size * int(weights.max()) > LARGEST_EXACT:
        sums = np.zeros((k, k), dtype=np.int64)
        np.add.at(sums, (truth, predicted), weights.astype(np.int64))
        return sums
    matrix = kernel.confusion(truth, predicted, k, weights)
    return matrix.astype(np.int64) if whole else matrix
