"""`Posteriors`: the checked rows that every function of several classes reads, and their labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ReadOnly
from thresher.conventions import MAX_CLASSES, WeightKind, option
from thresher.counts import ConfusionMatrix
from thresher.counts.row_columns import check_frequencies
from thresher.errors import InputError, Note, keyword
from thresher.predictions.labels import has_text, listed, python_label, sorted_labels
from thresher.predictions.probabilities import TOLERANCE, clipped, largest
from thresher.readers.arrays import as_columns, class_places
from thresher.readers.series import encoded
from thresher.results import rounded_up

Array = NDArray[np.float64]


class RowOptions(TypedDict, total=False):
    """Keywords of `Posteriors.of`, which every function of several classes takes too."""

    labels: Sequence[Hashable] | NDArray[Any] | None
    weights: ArrayLike | None
    weight_kind: WeightKind
    normalize: bool
    scores: bool


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors(ReadOnly):
    """Rows of a true class and one probability (or score) for each of K classes.

    `codes` (n,) are the columns of the true classes in `matrix` (n, K), `labels` name the columns. `weights` are None,
    or (n,) and ≥ 0. `are_probabilities` says that every row adds up to 1. `notes` are sentences that a reader of any
    result must see. `ordered` says that the order of the labels means something; sorted text is without an order.

    >>> Posteriors.of(["b", "a", "c"], [[0.2, 0.7, 0.1], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]])
    Posteriors(3 rows of 3 classes: 'a', 'b', 'c')
    """

    codes: NDArray[np.int64]
    matrix: Array
    labels: tuple[Hashable, ...]
    weights: Array | None = None
    weight_kind: WeightKind = "importance"
    are_probabilities: bool = True
    notes: tuple[Note, ...] = ()
    ordered: bool = True

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        posteriors: Any,
        *,
        labels: Sequence[Hashable] | NDArray[Any] | None = None,
        weights: ArrayLike | None = None,
        weight_kind: WeightKind = "importance",
        normalize: bool = False,
        scores: bool = False,
    ) -> Posteriors:
        """Check arrays and make them rows; valid arrays are not copied.

        Args:
            y_true: (n,) labels of any kind; column numbers are labels too.
            posteriors: (n, K), one column for every class; a dataframe's go by the names of the classes.
            labels: label of each column. Without them the columns are the distinct labels of `y_true` in sorted
                order, K of them; where a class may be empty, `labels=range(K)` or the names.
            weights: (n,) weights of rows, finite and ≥ 0.
            weight_kind: "importance", or "frequency" for rows that each repeat.
            normalize: divide every row by its sum, as `notes` then say. It may break ties.
            scores: the columns are scores of any kind: rows need not add up to 1, and measures of probabilities are
                refused. ±inf is a score.

        Raises:
            InputError: shapes that do not fit, a missing or unknown label, a probability that is missing or negative, a
                row that does not add up to 1 within 1e-6, a weight that is negative or missing: names the row.

        >>> Posteriors.of([0, 1], [[0.6, 0.5], [0.2, 0.8]])
        Traceback (most recent call last):
        thresher.errors.InputError: the probabilities of row 1 add up to 1.1, not to 1...
        """
        matrix = as_columns(posteriors) if hasattr(type(posteriors), "columns") else np.asarray(posteriors)
        if matrix.dtype.kind not in "fiub":
            raise InputError(f"posteriors are numbers, not {matrix.dtype}.")
        matrix = matrix.astype(np.float64, copy=False)
        if matrix.ndim != 2 or matrix.shape[1] < 2:
            raise InputError(f"posteriors have shape {matrix.shape}, not (n, K) with K ≥ 2 classes.")
        codes, names = coded(y_true, labels, matrix.shape[1])
        matrix = matrix[:, class_places(posteriors, names, stated=labels is not None)]
        notes: tuple[Note, ...] = ()
        if len(codes) != len(matrix):
            raise InputError(f"y_true has {len(codes):,} rows and the posteriors have {len(matrix):,}.")
        if scores:
            if matrix.size and np.isnan(matrix.min()):
                row, column = (int(i) for i in np.argwhere(np.isnan(matrix))[0])
                raise InputError(f"the score of class {names[column]!r} is missing (NaN) in row {row + 1:,}.")
        else:
            matrix, notes = _checked(matrix, names, normalize)
        option("weight_kind", weight_kind, ("importance", "frequency"))
        checked = None if weights is None else check_weights(weights, len(codes), weight_kind)
        ordered = labels is not None or not has_text(names)
        return cls(codes, matrix, names, checked, weight_kind, not scores, notes, ordered)

    @property
    def totals(self) -> Array:
        """Weight of the rows of each class, (K,)."""
        return np.bincount(self.codes, weights=self.weights, minlength=self.classes).astype(np.float64)

    @property
    def classes(self) -> int:
        """Number of classes, K."""
        return int(self.matrix.shape[1])

    @property
    def absent(self) -> tuple[int, ...]:
        """Classes without rows, by their column."""
        return tuple(np.flatnonzero(self.totals == 0).tolist())

    @property
    def most_probable(self) -> NDArray[np.int64]:
        """Column of the largest value of every row, (n,); of equal ones the first."""
        return largest(self.matrix).astype(np.int64)

    def confusion(self, decided: NDArray[np.integer] | None = None) -> ConfusionMatrix:
        """Count the K×K matrix of truth against decisions (n,), by default the most probable classes.

        >>> Posteriors.of([0, 1, 1], [[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]).confusion().counts.tolist()
        [[1, 1], [0, 1]]
        """
        predicted = (self.most_probable if decided is None else decided).astype(np.int64)
        counts, squares = kernel.confusion(self.codes, predicted, self.classes, self.weights), None
        if self.weights is not None and self.weight_kind == "importance":
            squares = kernel.confusion(self.codes, predicted, self.classes, self.weights**2)
        elif self.weights is not None and np.array_equal(self.weights, np.rint(self.weights)):
            counts = counts.astype(np.int64)
        positive = self.labels[1] if self.classes == 2 else None
        kind = None if self.weights is None else self.weight_kind
        matrix = ConfusionMatrix.from_counts(
            counts, labels=self.labels, positive=positive, squares=squares, weight_kind=kind
        )
        return replace(matrix, ordered=self.ordered)

    def take(self, rows: Any) -> Posteriors:
        """Take rows by a mask or by indices, which may repeat; classes stay."""
        weights = None if self.weights is None else self.weights[rows]
        values = self.codes[rows], self.matrix[rows], self.labels, weights, self.weight_kind
        return Posteriors(*values, self.are_probabilities, self.notes, self.ordered)

    def probabilities(self, what: str) -> Array:
        """Return the matrix, if it holds probabilities.

        Raises:
            InputError: it holds other scores, and the named use needs probabilities.
        """
        if not self.are_probabilities:
            raise InputError(f"{what} needs probabilities, and these columns were given as scores of any kind.")
        return self.matrix

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.labels[:6])) + (", …" if self.classes > 6 else "")
        weighted = f"; {self.weight_kind} weights" if self.weights is not None else ""
        return f"Posteriors({len(self):,} rows of {self.classes} classes: {shown}{weighted})"


def rows_of(y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None, **options: Unpack[RowOptions]) -> Posteriors:
    """Return rows from a function's arguments: a `Posteriors` alone, or arrays and the options of `Posteriors.of`."""
    if isinstance(y_true, Posteriors):
        if posteriors is not None or options:
            raise InputError(f"a Posteriors is complete: pass it without {', '.join(options) or 'other arrays'}.")
        return y_true
    if posteriors is None:
        raise InputError("the posteriors are missing: pass them after y_true, one column for every class.")
    return Posteriors.of(y_true, posteriors, **options)


def check_weights(weights: ArrayLike, rows: int, weight_kind: str = "importance") -> Array:
    """Check weights of rows: one each, finite and ≥ 0, not all 0, and whole if they are frequencies."""
    column = np.asarray(weights, dtype=np.float64)
    if column.shape != (rows,):
        raise InputError(f"weights of shape {column.shape}: one for each of {rows:,} rows.")
    odd = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if odd.size:
        raise InputError(f"the weight of row {odd[0] + 1:,} is {column[odd[0]]:g}: a weight is a finite number ≥ 0.")
    if rows and not column.any():
        raise InputError("every weight is 0: no row counts.")
    check_frequencies(column, weight_kind, first=1)
    return column


def _checked(matrix: Array, labels: tuple[Hashable, ...], normalize: bool) -> tuple[Array, tuple[Note, ...]]:
    """Return probabilities that add up to 1 in each row, and notes on the change."""
    matrix = clipped(matrix)
    sums = matrix.sum(axis=1)
    if matrix.size and not (np.isfinite(sums).all() and matrix.min() >= 0):
        row, column = (int(i) for i in np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))[0])
        text = "missing (NaN)" if np.isnan(matrix[row, column]) else f"{matrix[row, column]:g}"
        where = f"the probability of class {labels[column]!r} is {text} in row {row + 1:,}"
        raise InputError(f"{where}: a probability is a number ≥ 0. Pass other scores with scores=True.")
    off = np.abs(sums - 1)
    if not normalize:
        wrong = np.flatnonzero(off > TOLERANCE)
        if wrong.size:
            others = f" ({wrong.size:,} of {len(sums):,} rows do not)" if wrong.size > 1 else ""
            problem = f"the probabilities of row {wrong[0] + 1:,} add up to {sums[wrong[0]]:.10g}, not to 1{others}. "
            ways = "Correct them, divide every row by its sum with " + keyword("normalize", "True")
            raise InputError(problem + ways + ", or pass other scores with scores=True.")
        return matrix, ()
    empty = np.flatnonzero(sums == 0)
    if empty.size:
        raise InputError(f"all probabilities of row {empty[0] + 1:,} are 0, so it cannot be normalized.")
    changed, most = int((off > TOLERANCE).sum()), float(off.max(initial=0.0))
    if not off.any():
        return matrix, ()
    text = f"The posteriors of every row were divided by their sum; {changed:,} of {len(sums):,} were off by more than"
    note = Note("normalized", f"{text} {TOLERANCE:g}, at most {rounded_up(most, 3)}.", parameter="normalize")
    return matrix / sums[:, None], (note,)


def coded(
    y_true: ArrayLike, labels: Sequence[Hashable] | NDArray[Any] | None, columns: int
) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    """Return the column of every row's label, and the label of each column.

    >>> coded(["x", "z", "x"], ["x", "y", "z"], 3)
    (array([0, 2, 0]), ('x', 'y', 'z'))
    """
    if columns > MAX_CLASSES:
        raise InputError(f"there are {columns:,} columns of posteriors; at most {MAX_CLASSES:,} classes are taken.")
    if np.ndim(y_true) != 1:
        raise InputError(f"y_true has shape {np.shape(y_true)}: one label for every row is needed.")
    truth = encoded(y_true, "y_true", "label").seen()
    if truth.missing.any():
        raise InputError(f"the label of row {int(truth.missing.argmax()) + 1:,} is missing.")
    values = [python_label(value) for value in truth.values]
    names = _names(labels, sorted_labels(values), columns)
    place: dict[Hashable, int] = {name: i for i, name in enumerate(names)}
    found = np.array([*(place.get(value, -1) for value in values), -1], dtype=np.int64)[truth.codes]
    unknown = np.flatnonzero(found < 0)
    if unknown.size:
        value = values[truth.codes[unknown[0]]]
        raise InputError(f"the label {value!r} of row {unknown[0] + 1:,} is not one of the classes {listed(names)}.")
    return found, tuple(names)


def _names(labels: Any, values: list[Hashable], columns: int) -> list[Hashable]:
    if labels is None:
        if len(values) != columns:
            problem = f"y_true has {len(values)} distinct labels, and posteriors has {columns} columns. "
            ways = "Name the label of each column with " + keyword("labels", "…") + ", such as " + keyword("labels")
            raise InputError(problem + ways + f"range({columns}) for column numbers.")
        return values
    names: list[Hashable] = [
        python_label(label) for label in (labels.tolist() if isinstance(labels, np.ndarray) else labels)
    ]
    if len(names) != columns:
        raise InputError(keyword("labels") + f" has {len(names)} labels for {columns} columns of posteriors.")
    if len(set(names)) < columns:
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(keyword("labels") + f" has {twice!r} twice: every column is another class.")
    return names
