"""From labels to the columns that they stand for."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import MAX_CLASSES
from thresher.errors import InputError
from thresher.predictions.labels import in_order, listed, plain
from thresher.sentences import keyword

Codes = NDArray[np.int64]
Coded = tuple[Codes, tuple[Hashable, ...]]


def coded(y_true: ArrayLike, labels: Sequence[Hashable] | NDArray[Any] | None, columns: int) -> Coded:
    """Column of every row's label, and the label of each column.

    Raises:
        InputError: a label is missing or not among the columns, two columns have one label, or it is not known which
            label a column stands for.

    >>> coded(["x", "z", "x"], ["x", "y", "z"], 3)
    (array([0, 2, 0]), ('x', 'y', 'z'))
    """
    if columns > MAX_CLASSES:
        raise InputError(f"there are {columns:,} columns of posteriors; at most {MAX_CLASSES:,} classes are taken.")
    truth = np.asarray(y_true)
    if truth.ndim != 1:
        raise InputError(f"y_true has shape {truth.shape}: one label for every row is needed.")
    values, codes = _distinct(truth)
    names = _names(labels, values, columns)
    place: dict[Hashable, int] = {name: i for i, name in enumerate(names)}
    places = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    found = places[codes] if len(codes) else np.zeros(0, dtype=np.int64)
    unknown = np.flatnonzero(found < 0)
    if unknown.size:
        value = values[codes[unknown[0]]]
        raise InputError(f"the label {value!r} of row {unknown[0] + 1:,} is none of the classes {listed(names)}.")
    return found, tuple(names)


def _names(labels: Any, values: list[Hashable], columns: int) -> list[Hashable]:
    if labels is None:
        if len(values) != columns:
            raise InputError(
                f"y_true has {len(values)} distinct labels and there are {columns} columns of posteriors: say "
                "which label each column stands for with "
                + keyword("labels", "…")
                + ", such as "
                + keyword("labels")
                + f"range({columns}) for column numbers."
            )
        return values
    names: list[Hashable] = [plain(label) for label in (labels.tolist() if isinstance(labels, np.ndarray) else labels)]
    if len(names) != columns:
        raise InputError(keyword("labels") + f" has {len(names)} labels for {columns} columns of posteriors.")
    if len(set(names)) < columns:
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(keyword("labels") + f" has {twice!r} twice: every column stands for another class.")
    return names


def _distinct(truth: NDArray[Any]) -> tuple[list[Hashable], Codes]:
    """Distinct labels in order as Python values, and their code in every row."""
    if truth.dtype.kind == "O":
        raw = [plain(value) for value in truth.tolist()]
        gap = next((row for row, value in enumerate(raw) if _missing(value)), None)
        if gap is not None:
            raise InputError(f"the label of row {gap + 1:,} is missing.")
        values = in_order(raw)
        place = {value: i for i, value in enumerate(values)}
        return values, np.array([place[value] for value in raw], dtype=np.int64)
    if truth.dtype.kind == "f" and np.isnan(truth).any():
        raise InputError(f"the label of row {np.flatnonzero(np.isnan(truth))[0] + 1:,} is missing (NaN).")
    distinct, codes = np.unique(truth, return_inverse=True)
    return [plain(value) for value in distinct.tolist()], codes.astype(np.int64)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _NO_VALUE


_NO_VALUE = ("NAType", "NaTType")
"""Types of pandas' missing values, which are equal to nothing."""
