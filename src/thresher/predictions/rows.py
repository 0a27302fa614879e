"""`Predictions`: the rows of one evaluation, checked, compact and frozen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, check_alike, freeze
from thresher.conventions import Direction, Directions, Task, WeightKind, classes_of_both, directions
from thresher.errors import InputError, Note
from thresher.predictions.columns import NAMED, SINGLE, code_type, each_column
from thresher.predictions.probabilities import largest
from thresher.upward_import import upward_import

JUDGED = ("scores", "posteriors", "predicted")
"""Outputs of a model about the rows."""


@guarded
@dataclass(frozen=True, eq=False)
class Categories(ByFields):
    """A column of groups as codes into its distinct values, in order.

    >>> Categories.of(["b", "a", "b"])
    Categories('a', 'b'; 3 rows)
    """

    codes: NDArray[Any]
    values: tuple[Hashable, ...]

    @classmethod
    def of(cls, values: ArrayLike) -> Categories:
        """Categories of an array of values."""
        distinct, codes = np.unique(np.asarray(values), return_inverse=True)
        return cls(codes.astype(code_type(distinct.size)), tuple(distinct.tolist()))

    @classmethod
    def of_keys(cls, keys: Sequence[Hashable], place: NDArray[Any]) -> Categories:
        """Categories of rows with the key of each in order; keys may repeat."""
        values = tuple(dict.fromkeys(keys))
        code = {value: i for i, value in enumerate(values)}
        return cls(np.array([code[key] for key in keys], dtype=code_type(len(values)))[place], values)

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Any) -> Categories:
        """Some of the rows; the values stay."""
        return Categories(self.codes[rows], self.values)

    def __add__(self, other: Categories) -> Categories:
        if not isinstance(other, Categories):
            return NotImplemented
        values = tuple(dict.fromkeys([*self.values, *other.values]))
        place = {value: code for code, value in enumerate(values)}
        moved = np.array([place[value] for value in other.values], dtype=code_type(len(values)))
        second = moved[other.codes] if len(other) else moved[:0]
        return Categories(np.concatenate([self.codes.astype(moved.dtype, copy=False), second]), values)

    def __repr__(self) -> str:
        return f"Categories({', '.join(map(repr, self.values))}; {len(self):,} rows)"


LabelsKind = Literal["judge", "weight", "bounds"]


class PartialLabels(Protocol):
    """Knowledge of the rows without a label; `kind` names its treatment in an evaluation."""

    @property
    def kind(self) -> LabelsKind:
        """Treatment of the rows without a label."""

    def take(self, rows: Any, chosen: Callable[[Predictions], Any] | None = None) -> PartialLabels | None:
        """Knowledge beside some of the labelled rows; `chosen` marks the same part of all rows."""


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Predictions(ByFields):
    """Rows of truth and predictions, on which everything is counted.

    `truth` and each of `predicted` hold codes into `classes`; a binary task has `classes` (negative, positive), so that
    1 is positive. `scores` are float64, never NaN, infinite ones allowed. `posteriors` are (n, K) probabilities in the
    order of `classes`, each class's column contiguous. In a multilabel task `truth` and each of `predicted` are (n, L)
    indicators of 0 and 1 and `posteriors` hold a score for every label. `weights` are positive; rows of weight 0 are
    not kept. `direction` is one for all scores, or by model where they differ. Rows made of counts carry the `counts`;
    partly labelled rows carry `partial_labels`: all rows with a judge's labels, or which rows have a label.
    `ordered` marks three or more classes in a meaningful order: a given one, or the order of numbers; sorted text is
    without one. `dropped` counts the rows left out because of a missing value. `cluster_name` is the column of
    the clusters. `notes` are sentences that a reader of any result must see. Use `thresher.evaluate` or
    `thresher.readers.load` to make one.

    >>> rows = Predictions(
    ...     truth=np.array([1, 0], dtype=np.uint8), classes=("well", "ill"), scores={"marker": np.array([0.9, 0.2])}
    ... )
    >>> rows
    Predictions(2 rows, 1 'ill' (positive), 1 'well'; scores marker)
    >>> len(rows + rows), len(rows.take([0]))
    (4, 1)
    """

    truth: NDArray[Any]
    classes: tuple[Hashable, ...]
    task: Task = "binary"
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    posteriors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    predicted: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    weights: NDArray[np.float64] | None = None
    weight_kind: WeightKind | None = None
    by: Mapping[str, Categories] = field(default_factory=dict)
    fold: Categories | None = None
    cluster: Categories | None = None
    cluster_name: str | None = None
    direction: Directions = "higher"
    notes: tuple[Note, ...] = ()
    dropped: int = 0
    label: str = "label"
    ordered: bool = True
    backend: str | None = None
    counts: Any = None
    partial_labels: PartialLabels | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in JUDGED:
            frozen = {model: freeze(np.asfortranarray(array)) for model, array in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(frozen))
        object.__setattr__(self, "by", MappingProxyType(dict(self.by)))
        if not isinstance(self.direction, str):
            known = {model: end for model, end in self.direction.items() if model in self.scores}
            found = directions(known, list(self.scores))
            object.__setattr__(self, "direction", found if isinstance(found, str) else MappingProxyType(found))
        for name, column in self._columns():
            if len(column) != len(self.truth):
                raise InputError(f"{name} has {len(column):,} rows and the truth has {len(self.truth):,}.")
        for model, values in self.posteriors.items():
            if values.ndim != 2 or values.shape[1] != len(self.classes):
                raise InputError(
                    f"posteriors {model!r} of shape {values.shape} do not fit {len(self.classes)} classes."
                )

    @classmethod
    def empty(cls) -> Predictions:
        """No rows of no model: adding it changes nothing."""
        return cls(truth=np.zeros(0, dtype=np.uint8), classes=(0, 1))

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """Weight of each row, 1 without weights, (n,)."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(dict.fromkeys([*self.scores, *self.posteriors, *self.predicted]))

    @property
    def positive(self) -> Hashable | None:
        """Label of the positive class; None with three or more classes, and where a row may have several."""
        return self.classes[1] if len(self.classes) == 2 and self.task != "multilabel" else None

    @property
    def class_rows(self) -> NDArray[np.int64]:
        """Rows of each class, in the order of `classes`."""
        if self.task == "multilabel":
            return np.asarray(self.truth.sum(axis=0, dtype=np.int64))
        if len(self.classes) == 2:  # a tenth of the time of a histogram
            ones = np.count_nonzero(self.truth)
            return np.array([len(self.truth) - ones, ones], dtype=np.int64)
        return np.bincount(self.truth, minlength=len(self.classes))

    @property
    def counted(self) -> int | float:
        """How many rows these are: frequency weights repeat theirs."""
        if self.weights is None or self.weight_kind != "frequency":
            return len(self)
        total = float(self.weights.sum())
        return int(total) if total.is_integer() else total

    @property
    def effective(self) -> float:
        """Effective rows, (Σw)²/Σw² with importance weights, else how many there are."""
        if self.weights is None or self.weight_kind != "importance" or not len(self):
            return self.counted
        return float(self.weights.sum() ** 2 / np.square(self.weights).sum())

    @property
    def class_counted(self) -> NDArray[Any]:
        """How many rows of each class these are: frequency weights repeat theirs."""
        if self.weights is None or self.weight_kind != "frequency":
            return self.class_rows
        if self.task == "multilabel":
            return np.asarray(self.weights @ self.truth)
        return np.bincount(self.truth, weights=self.weights, minlength=len(self.classes))

    @property
    def class_effective(self) -> NDArray[Any]:
        """Effective rows of each class, (Σw)²/Σw² with importance weights, else how many there are."""
        if self.weights is None or self.weight_kind != "importance" or self.task == "multilabel":
            return self.class_counted
        total, squares = (
            np.bincount(self.truth, weights=self.weights**power, minlength=len(self.classes)) for power in (1, 2)
        )
        return np.divide(total**2, squares, out=np.zeros(len(total)), where=squares > 0)

    def direction_of(self, model: str) -> Direction:
        """Which end of a model's scores is positive."""
        return self.direction if isinstance(self.direction, str) else self.direction[model]

    def decided(self, model: str) -> NDArray[Any]:
        """Class that a model decides for, as codes: the predicted one, else the first of the largest posterior."""
        return self.predicted[model] if model in self.predicted else largest(self.posteriors[model])

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: Any, chosen: Callable[[Predictions], Any] | None = None) -> Predictions:
        """Some of the rows: a mask, indices (a resample may repeat them) or a slice; classes and models stay.

        A part such as a group keeps the judged rows that are `chosen`, too.
        """
        return replace(
            self,
            **each_column(self, lambda column: column.take(rows) if isinstance(column, Categories) else column[rows]),
            counts=None,
            partial_labels=None if self.partial_labels is None else self.partial_labels.take(rows, chosen),
        )

    def __add__(self, other: Predictions) -> Predictions:
        if not isinstance(other, Predictions):
            return NotImplemented
        if not self.models or not other.models:
            return self if self.models else other
        if self.partial_labels is not None or other.partial_labels is not None:
            raise InputError("predictions of partly labelled rows cannot be added: evaluate all rows together.")
        one, two = _of_same_classes(self, other)
        check_alike(one, two, ("task", "classes", "models", "direction", "weight_kind"))
        for name in NAMED:
            mine, theirs = tuple(getattr(self, name)), tuple(getattr(other, name))
            if mine != theirs:
                raise InputError(f"predictions of different {name} cannot be added: {mine} and {theirs}.")
        for name in ("fold", "cluster"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise InputError(f"only one of the two predictions to add has a {name} column.")
        return _joined(one, two)

    def save(self, path: str | Path) -> None:
        """Write the predictions as Parquet, exact to the last bit; `load` reads them back.

        Raises:
            SavedFormError: a label is of a type that cannot be read back (text, numbers, true/false and dates can).
        """
        upward_import("saved_predictions").save_predictions(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Predictions:
        """Predictions from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, it is damaged, no saved predictions, or of an unknown schema.
        """
        rows: Predictions = upward_import("saved_predictions").load_predictions(path)
        return rows

    def _columns(self) -> list[tuple[str, Any]]:
        """Every column but the truth, with the name it is spoken of."""
        named: list[tuple[str, Any]] = [(f"score {name!r}", column) for name, column in self.scores.items()]
        named += [(f"posteriors {name!r}", column) for name, column in self.posteriors.items()]
        named += [(f"prediction {name!r}", column) for name, column in self.predicted.items()]
        named += [(f"group {name!r}", column) for name, column in self.by.items()]
        single = (("weights", self.weights), ("fold", self.fold), ("cluster", self.cluster))
        return named + [(name, column) for name, column in single if column is not None]

    def __repr__(self) -> str:
        rows = self.class_rows.tolist()
        if self.positive is not None:
            count = f"{rows[1]:,} {self.classes[1]!r} (positive), {rows[0]:,} {self.classes[0]!r}"
        else:
            count = f"{len(rows)} {'labels' if self.task == 'multilabel' else 'classes'}"
        parts = [f"{len(self):,} rows, {count}"]
        parts += [f"scores {', '.join(self.scores)}"] if self.scores else []
        parts += [f"posteriors {', '.join(self.posteriors)}"] if self.posteriors else []
        parts += [f"labels predicted by {', '.join(self.predicted)}"] if self.predicted else []
        parts += [f"{self.weight_kind} weights"] if self.weights is not None else []
        parts += [f"by {', '.join(self.by)}"] if self.by else []
        return f"Predictions({'; '.join(parts)})"


def _of_same_classes(a: Predictions, b: Predictions) -> tuple[Predictions, Predictions]:
    """Both with the labels of the two classes that one of them lacks the rows to know."""

    def has_rows(part: Predictions) -> list[bool]:
        return [any((codes == k).any() for codes in (part.truth, *part.predicted.values())) for k in range(2)]

    if a.classes == b.classes or a.positive is None or b.positive is None:
        return a, b
    both = classes_of_both(a.classes, b.classes, has_rows(a), has_rows(b))
    return (a, b) if both is None else (replace(a, classes=both), replace(b, classes=both))


def _joined(a: Predictions, b: Predictions) -> Predictions:
    """Rows of both, one after the other."""

    def both(mine: Any, theirs: Any) -> Any:
        if mine is None:
            return None
        return mine + theirs if isinstance(mine, Categories) else np.concatenate([mine, theirs])

    columns: dict[str, Any] = {
        name: {key: both(value, getattr(b, name)[key]) for key, value in getattr(a, name).items()} for name in NAMED
    }
    columns |= {name: both(getattr(a, name), getattr(b, name)) for name in SINGLE}
    notes = tuple(dict.fromkeys([*a.notes, *b.notes]))
    ordered = a.ordered or b.ordered
    return replace(a, **columns, notes=notes, dropped=a.dropped + b.dropped, ordered=ordered, counts=None)
