"""Output of a fitted estimator, read and checked in one way wherever an estimator is evaluated or wrapped."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.errors import InputError, ended
from thresher.predictions.columns import Encoded, counted
from thresher.predictions.labels import listed, python_label
from thresher.predictions.probabilities import within_names
from thresher.readers.arrays import are_numbered, frame_columns, numbers
from thresher.readers.series import encoded, floats

SCORING = ("predict_proba", "decision_function")
"""Methods that score rows, the preferred one first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EstimatorOutput:
    """Output of one method for n rows: (n,) or (n, columns), NaN where a value is missing.

    `source` names the method and the estimator in errors; `names` are the columns of a dataframe.
    """

    source: str
    is_probability: bool
    values: NDArray[Any]
    names: tuple[str, ...] = ()

    def by_class(self, classes: Sequence[Hashable], order: Sequence[Hashable] | None = None) -> NDArray[Any]:
        """Return the value of each class, (n, K), in the order given; 0 for a label that is not a class.

        `classes` has one class for each column. A dataframe with columns named after the classes is read by these
        names; a single column is the probability of the second of two classes.
        """
        found = self._columns(classes)
        if order is None or list(order) == list(classes):
            return found
        if unknown := [label for label in classes if label not in order]:
            raise InputError(f"{self.source} is for the class {unknown[0]!r}; the labels are {listed(order)}.")
        columns = np.zeros((len(found), len(order)), dtype=found.dtype, order="F")
        for place, label in enumerate(classes):
            columns[:, order.index(label)] = found[:, place]
        return columns

    def scores(self, classes: Sequence[Hashable], positive: Hashable) -> NDArray[Any]:
        """Return the score (n,) of one of two classes: its probability, or a decision value that grows with it.

        The probability of a class that the estimator never met is 0.

        Raises:
            InputError: the shape does not fit the classes.
        """
        if self.is_probability:
            found = self._columns(classes)
            return found[:, classes.index(positive)] if positive in classes else np.zeros(len(found))
        values = self.values
        if values.ndim == 2 and values.shape[1] == 2:
            values = values[:, 1] - values[:, 0]
        elif values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1 or len(classes) != 2:
            raise self._misfit(classes)
        return values if classes[1] == positive else -values

    def _columns(self, classes: Sequence[Hashable]) -> NDArray[Any]:
        values = self.values
        if self.is_probability and len(classes) == 2 and (values.ndim == 1 or values.shape[1] == 1):
            second = values.reshape(-1)
            return np.stack([1 - second, second], axis=1)
        if values.ndim != 2 or values.shape[1] != len(classes):
            raise self._misfit(classes)
        order = within_names(self.names, list(map(str, classes))) if self.names else None
        return values if order is None else values[:, order]

    def _misfit(self, classes: Sequence[Hashable]) -> InputError:
        shape, what = self.values.shape, "class" if len(classes) == 1 else "classes"
        return InputError(f"{self.source} gave shape {shape} for {len(classes)} {what}, {listed(classes)}.")


def scoring_method(estimator: Any, methods: Sequence[str] = SCORING) -> str | None:
    """Return the first of the methods that an estimator has, None without any."""
    return next((name for name in methods if hasattr(estimator, name)), None)


def fitted_classes(estimator: Any) -> list[Hashable]:
    """Return the classes of a fitted estimator in its own order; an empty list without `classes_`."""
    found = getattr(estimator, "classes_", None)
    if found is None:
        return []
    if any(np.ndim(label) for label in found):
        raise InputError(f"{type(estimator).__name__} has {len(found)} outputs a row; one label a row needs one.")
    return [python_label(label) for label in found]


def read_scores(estimator: Any, X: Any, positive: Hashable, methods: Sequence[str] = SCORING) -> NDArray[Any]:
    """Return the score of a class for each row, by the first of the methods that a classifier of two classes has."""
    method = scoring_method(estimator, methods)
    if method is None:
        raise InputError(f"{type(estimator).__name__} lacks {' and '.join(methods)}.")
    return read_output(estimator, method, X).scores(fitted_classes(estimator), positive)


def read_probabilities(estimator: Any, X: Any, order: Sequence[Hashable] | None = None) -> NDArray[np.float64]:
    """Return `predict_proba` (n, K) in the order given, by default the order of the estimator's classes."""
    found = read_output(estimator, "predict_proba", X).by_class(fitted_classes(estimator), order)
    return np.asarray(found, dtype=np.float64)


def read_output(
    estimator: Any,
    method: str,
    X: Any,
    *,
    rows: int | None = None,
    name: str | None = None,
    allow_missing: bool = False,
) -> EstimatorOutput:
    """Return the checked output of a method; `rows` is their number, and `name` the estimator's in errors."""
    source = f"{method} of {name or type(estimator).__name__}"
    found = output_from(getattr(estimator, method)(X), source, rows=rows, is_probability=method != "decision_function")
    if not allow_missing and (gone := np.isnan(found.values)).any():
        row = int(np.flatnonzero(gone.reshape(len(gone), -1).any(axis=1))[0])
        raise InputError(f"{source} gave NaN for {counted(int(gone.sum()), 'value')}, first in row {row + 1:,} of X.")
    return found


def output_from(values: Any, source: str, *, rows: int | None, is_probability: bool) -> EstimatorOutput:
    """Return the checked output from an array, masked or sparse, nested lists, or a dataframe or series."""
    values = values.toarray() if hasattr(values, "toarray") else values
    names = frame_columns(values)
    try:
        is_column = names is None and (getattr(values, "ndim", None) or np.ndim(values)) == 1
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{source} gave rows that are not a table: {ended(str(error))}") from None
    if is_column:
        found = floats(values, source, "output", [])
    else:
        found = numbers(values, f"the values that {source} gave", names)
    if found.ndim not in (1, 2):
        raise InputError(f"{source} gave shape {found.shape}: a value, or a row of values, is needed for each row.")
    _check_rows(source, len(found), rows)
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize < found.itemsize:
        found = found.astype(dtype)  # thresholds are compared in the precision of the scores
    named = () if names is None or are_numbered(names) else tuple(map(str, names))
    return EstimatorOutput(source=source, is_probability=is_probability, values=found, names=named)


def read_labels(values: Any, source: str, *, rows: int | None = None) -> Encoded:
    """Return predicted labels as codes and the distinct labels, whatever array or series they came in."""
    found = encoded(values, source, "output")
    _check_rows(source, len(found.codes), rows)
    return found


def _check_rows(source: str, count: int, rows: int | None) -> None:
    if rows is not None and count != rows:
        given, needed = counted(count, "value"), counted(rows, "row")
        raise InputError(f"{source} gave {given} for {needed} of X: one per row is needed.")
