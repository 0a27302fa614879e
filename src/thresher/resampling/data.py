"""The rows of X in whatever they come (NumPy, pandas, Polars, Arrow, sparse, lists), and the checked rows of y."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import WeightKind
from thresher.dataclass import dataclass
from thresher.engines.memory import check_order, read_arrays
from thresher.errors import InputError
from thresher.frames import LIBRARIES
from thresher.predictions import Predictions, build
from thresher.predictions.columns import Encoded
from thresher.predictions.labels import in_order
from thresher.resampling.methods import Method
from thresher.resampling.records import APPARENT
from thresher.resampling.splits import Split, SplitRows


@dataclass(frozen=True, kw_only=True, eq=False)
class Data:
    """What is learned from and judged: features, labels as estimators take them, and the checked rows without a model.

    `rows.truth` holds codes into `rows.classes`; `rows.cluster` are the groups.
    """

    X: Any
    y: NDArray[Any]
    rows: Predictions

    @property
    def drawable(self) -> SplitRows:
        """What a method of resampling sees."""
        groups, classes = self.rows.cluster, self.rows.classes
        truth = self.rows.truth
        if len(classes) == 2 and in_order(classes) != list(classes):  # which label is positive changes no split
            truth = (1 - truth).astype(truth.dtype)
        return SplitRows(truth=truth, groups=None if groups is None else groups.codes)


def checked_data(
    X: Any, y: Any, *, positive: Hashable | None, groups: Any, weights: Any, weight_kind: WeightKind
) -> Data:
    """Check features, labels, groups and weights against each other.

    Raises:
        InputError: lengths that differ, a missing label, a bad weight, labels that make no task.
        OptionError: two labels and it is not known which is positive.
    """
    n = row_count(X)
    check_order(X=X, y=y, weights=weights, groups=groups)
    columns = read_arrays(y, None, predicted={"y": y}, weights=weights, cluster=groups)
    if len(columns.truth.codes) != n:
        raise InputError(f"X has {n:,} rows and y has {len(columns.truth.codes):,}: one label a row is needed.")
    _check_labels(columns.truth)
    given = columns.weights
    rows = build(columns, positive=positive, weight_kind=weight_kind)
    features = indexable(X)
    if len(rows) < n and given is not None:  # build has left out the rows of weight 0
        features = take_rows(features, np.flatnonzero(given > 0))
    labels = np.array(rows.classes, dtype=_label_type(rows.classes))[rows.truth]
    backend = rows.backend or _library(y) or _library(X)
    return Data(X=features, y=labels, rows=replace(rows, predicted={}, task="labels", backend=backend))


def _check_labels(truth: Encoded) -> None:
    """Refuse rows without a label, from which nothing is learned."""
    if truth.missing is not None and truth.missing.any():
        count, first = int(truth.missing.sum()), int(np.argmax(truth.missing)) + 1
        others = f" ({count:,} rows in all)" if count > 1 else ""
        raise InputError(
            f"y has no label in row {first:,}{others}: fill it in, or leave such rows out of X and y before the call."
        )


def row_count(X: Any) -> int:
    """Number of rows of a table of features.

    Raises:
        InputError: it has no rows to count.
    """
    shape = getattr(X, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            raise InputError("X is a single number: a table of features has one row for each label.")
        return int(shape[0])
    if hasattr(X, "__len__") and not isinstance(X, str | bytes | dict):
        return len(X)
    raise InputError(
        f"X is a {type(X).__name__}, whose rows cannot be counted: pass an array, a sparse matrix, a dataframe or a "
        f"list. A lazy frame must be collected first."
    )


def indexable(X: Any) -> Any:
    """Table whose rows can be taken by number; sparse matrices by row, lists of rows as they are."""
    if hasattr(X, "tocsr") and not hasattr(X, "iloc"):
        return X.tocsr()
    return X


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Rows of a table by number, in that order; an index of the table's own plays no part."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "take") and hasattr(X, "schema"):  # an Arrow table
        return X.take(rows)
    return X[rows]


def _library(table: Any) -> str | None:
    """Dataframe library that a table is of, so that results come in the same one."""
    name = type(table).__module__.split(".")[0]
    return name if name in LIBRARIES else None


def _label_type(classes: tuple[Hashable, ...]) -> Any:
    """Type of the labels that estimators get: NumPy's own where all are alike, else objects."""
    if all(isinstance(label, bool) for label in classes):
        return bool
    if all(isinstance(label, int) and not isinstance(label, bool) for label in classes):
        return np.int64
    if all(isinstance(label, str) for label in classes):
        return None
    return object


def made_again(method: Method, rows: Predictions, rng: int) -> Iterator[Split]:
    """Splits of the rows of an assessment, from its seed, without a fit on all rows."""
    made = method.splits(Data(X=None, y=np.zeros(0), rows=rows).drawable, rng)
    return (split for split in made if split.repeat != APPARENT)
