"""`classification_report`: precision, recall, F1 and support of every class, and averages, as text or a dictionary."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.counts.cells import LabelCounts
from thresher.measures.registry import Measure
from thresher.measures.threshold_metrics import f1, positive_predictive_value, true_positive_rate
from thresher.metrics.averaging import Chosen, check_zero_division, class_counts, pooled, rate
from thresher.metrics.inputs.arrays import check_flag
from thresher.metrics.inputs.labels import Pair, check_pair

HEADERS = ("precision", "recall", "f1-score", "support")
COLUMNS: tuple[tuple[Measure, str, str], ...] = (
    (positive_predictive_value, "precision", "predicted"),
    (true_positive_rate, "recall", "true"),
    (f1, "f-score", "true nor predicted"),
)

Row = tuple[str, list[Any]]


def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Return precision, recall, F1 and support of each class, and their averages, as a text table or a dictionary.

    With all classes of one-label rows in it, the micro average is the accuracy and is called so.

    Raises:
        ValueError: another number of `target_names` than classes, or inputs that cannot be compared.

    >>> print(classification_report([0, 1, 2, 2], [0, 0, 2, 2], zero_division=0))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       0.00      0.00      0.00         1
               2       1.00      1.00      1.00         2
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.50      0.67      0.56         4
    weighted avg       0.62      0.75      0.67         4
    <BLANKLINE>
    """
    if isinstance(digits, bool) or operator.index(digits) < 0:
        raise ValueError(
            f"The 'digits' parameter of classification_report must be a whole number >= 0. Got {digits!r} instead."
        )
    check_flag("classification_report", "output_dict", output_dict)
    check_zero_division("classification_report", zero_division)
    pair = check_pair(y_true, y_pred, sample_weight)
    counts = class_counts(pair)
    chosen = counts.labels if labels is None else np.asarray(labels)
    names = _names(chosen, target_names, labels is not None)
    whole = not pair.multilabel and (labels is None or set(chosen.tolist()) >= set(counts.labels.tolist()))
    if labels is not None:
        counts = class_counts(pair, labels=labels) if pair.multilabel else counts.select(chosen)
    per_class = Chosen(counts.cells, None, None)
    columns = _columns(per_class, zero_division)
    # Rows that were counted where they lie come as weighted ones: their sums are whole numbers in float64.
    support = per_class.cells.pos if sample_weight is not None else per_class.cells.pos.astype(np.int64)
    rows = [(name, [*values]) for name, *values in zip(names, *columns, support, strict=False)]
    averages = _averages(pair, counts, columns, labels, zero_division)
    shown = [("accuracy" if whole and name == "micro avg" else name, [*v, support.sum()]) for name, v in averages]
    return _dictionary(rows, shown) if output_dict else _text(names, rows, shown, digits)


def _names(labels: NDArray[Any], target_names: Any, given: bool) -> list[str]:
    if target_names is None:
        return [str(label) for label in labels]
    if len(labels) != len(target_names):
        if not given:
            raise ValueError(
                f"Number of classes, {len(labels)}, does not match size of target_names, {len(target_names)}. Try "
                "specifying the labels parameter"
            )
        warnings.warn(
            f"labels size, {len(labels)}, does not match size of target_names, {len(target_names)}", stacklevel=3
        )
    return list(target_names)


def _columns(chosen: Chosen, zero_division: Any) -> list[NDArray[np.float64]]:
    return [rate(measure, chosen, name, missing, zero_division) for measure, name, missing in COLUMNS]


def _averages(
    pair: Pair, counts: LabelCounts, columns: list[NDArray[np.float64]], labels: Any, zero_division: Any
) -> list[Row]:
    """Return the micro average of the pooled counts, the macro and weighted ones, and for a table that over rows."""
    cells = counts.cells
    micro = _columns(Chosen(pooled(cells), "micro", None), zero_division)
    result: list[Row] = [("micro avg", [float(value[0]) for value in micro])]
    for name, weights in (("macro", None), ("weighted", counts.truth)):
        mean = Chosen(cells, name, weights).mean
        result.append((f"{name} avg", [mean(column) for column in columns]))
    if pair.multilabel:
        rows = class_counts(pair, samplewise=True, labels=labels)
        samples = Chosen(rows.cells, "samples", pair.weights)
        result.append(("samples avg", [samples.mean(column) for column in _columns(samples, zero_division)]))
    return result


def _dictionary(rows: list[Row], averages: list[Row]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for name, values in [*rows, *averages]:
        report[name] = dict(zip(HEADERS, map(float, values), strict=True))
    if averages[0][0] == "accuracy":
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _text(names: list[str], rows: list[Row], averages: list[Row], digits: int) -> str:
    width = max(*map(len, names), len("weighted avg"), digits) if names else max(len("weighted avg"), digits)

    def line(name: str, values: list[Any]) -> str:
        numbers = "".join(f" {value:>9.{digits}f}" for value in values[:3])
        return f"{name:>{width}s} {numbers} {values[3]:>9}\n"

    header = f"{'':>{width}s} " + "".join(f" {name:>9}" for name in HEADERS)
    text = header + "\n\n" + "".join(line(*row) for row in rows) + "\n"
    for name, values in averages:
        if name == "accuracy":
            text += f"{name:>{width}s}  {'':>9} {'':>9} {values[2]:>9.{digits}f} {values[3]:>9}\n"
        else:
            text += line(name, values)
    return text
