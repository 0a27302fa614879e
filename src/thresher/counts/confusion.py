"""`ConfusionMatrix`: how often each true class was predicted as each class."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import Undefined, WeightKind, option, positive_label
from thresher.counts.cells import Cells
from thresher.counts.measured import Measured
from thresher.errors import InputError, OptionError, SavedFormError, TaskError
from thresher.frozen import check_alike, check_prevalence, freeze, same_fields
from thresher.late import late

SCHEMA = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionMatrix(Measured):
    """K×K counts or weighted sums: rows are the truth, columns the prediction, leading axes a batch.

    Two classes stand positive first: `[[TP, FN], [FP, TN]]`. `squares` holds Σw² per cell when rows have
    importance weights, so that intervals can use the effective size (Σw)²/Σw². `prior` is a prevalence that
    the cells are scaled to when they are read; the counts stay as they were.

    Every registered measure is an attribute (`thresher measures` lists them).

    >>> matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
    >>> round(float(matrix.sensitivity), 4), round(float(matrix.accuracy), 4)
    (0.3, 0.965)
    """

    counts: NDArray[Any]
    labels: tuple[Hashable, ...]
    squares: NDArray[np.float64] | None = None
    weight_kind: WeightKind | None = None
    prior: float | None = None

    def __post_init__(self) -> None:
        k = len(self.labels)
        if self.counts.shape[-2:] != (k, k):
            raise InputError(f"counts of shape {self.counts.shape} do not fit {k} labels: the last two axes are K×K.")
        if len(set(self.labels)) != k:
            twice = sorted({str(a) for a in self.labels if self.labels.count(a) > 1})
            raise InputError(f"labels name a class twice: {', '.join(twice)}.")
        object.__setattr__(self, "counts", freeze(self.counts))
        if self.squares is not None:
            object.__setattr__(self, "squares", freeze(self.squares))

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        *,
        labels: Sequence[Hashable] | None = None,
        positive: Hashable | None = None,
        truth_in: Literal["rows", "columns"] = "rows",
        squares: ArrayLike | None = None,
        weight_kind: WeightKind | None = None,
    ) -> ConfusionMatrix:
        """Matrix from K×K counts (leading axes are a batch); two classes are put positive first.

        `labels` defaults to 0, 1, …, K−1. With two classes `positive` names the positive one unless the
        labels say it (1 of {0, 1}, 1 of {−1, 1}, True of {False, True}).

        Raises:
            InputError: the counts are not square, are negative or not finite, or a label stands twice.
            OptionError: two classes and it is not known which is positive.

        >>> ConfusionMatrix.from_counts([[50, 10], [5, 100]]).counts.tolist()
        [[100, 5], [10, 50]]
        """
        option("truth_in", truth_in, ("rows", "columns"))
        table = checked_counts(counts)
        spread = None if squares is None else checked_counts(squares).astype(np.float64)
        if truth_in == "columns":
            table = np.swapaxes(table, -1, -2)
            spread = None if spread is None else np.swapaxes(spread, -1, -2)
        names = tuple(range(table.shape[-1])) if labels is None else tuple(labels)
        if len(names) == 2 and positive_label(names, positive) != names[0]:
            names, table = names[::-1], table[..., ::-1, ::-1]
            spread = None if spread is None else spread[..., ::-1, ::-1]
        return cls(counts=table.copy(), labels=names, squares=spread, weight_kind=weight_kind)

    @classmethod
    def from_cells(cls, *, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> ConfusionMatrix:
        """Binary matrix with labels 1 and 0 from its four cells (scalars, or arrays of one shape).

        >>> float(ConfusionMatrix.from_cells(tp=100, fn=5, fp=10, tn=50).precision)
        0.9090909090909091
        """
        rows = [np.stack(np.broadcast_arrays(tp, fn), -1), np.stack(np.broadcast_arrays(fp, tn), -1)]
        return cls.from_counts(np.stack(rows, -2), labels=(1, 0))

    @classmethod
    def empty(cls, labels: Sequence[Hashable]) -> ConfusionMatrix:
        """Matrix of no rows: adding it changes nothing."""
        return cls(counts=np.zeros((len(labels),) * 2, dtype=np.int64), labels=tuple(labels))

    @property
    def positive(self) -> Hashable | None:
        """Label of the positive class; None with more than two classes."""
        return self.labels[0] if len(self.labels) == 2 else None

    @property
    def scaled(self) -> NDArray[np.float64]:
        """Counts as measures read them: with a prior, each truth row is scaled so that positives have that share."""
        table = self.counts.astype(np.float64)
        if self.prior is None:
            return table
        rows = table.sum(axis=-1)
        share = np.array([self.prior, 1 - self.prior])
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(rows > 0, share * rows.sum(axis=-1, keepdims=True) / rows, np.nan)
        return table * factor[..., None]

    @property
    def cells(self) -> Cells:
        """Four cells of the binary decision.

        Raises:
            TaskError: there are more than two classes.
        """
        if len(self.labels) != 2:
            raise TaskError(
                f"this matrix has {len(self.labels)} classes: measures of one class against the rest are in "
                f".one_vs_rest(label), .per_class() and .average(measure, how='macro')."
            )
        return _cells(self.scaled)

    @property
    def row_totals(self) -> NDArray[Any]:
        """Rows of each true class."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def column_totals(self) -> NDArray[Any]:
        """Rows of each predicted class."""
        return np.asarray(self.counts.sum(axis=-2))

    def with_prevalence(self, prevalence: float) -> ConfusionMatrix:
        """Same decisions among positives of another share, as in a case–control study or a rebalanced sample.

        TPR and FPR stay; accuracy, PPV, NPV, F and cost follow. A second call replaces the first.

        Raises:
            OptionError: the prevalence is not in [0, 1].
            TaskError: there are more than two classes.

        >>> matrix = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=[1, 0])
        >>> round(float(matrix.with_prevalence(0.001).accuracy), 4)
        0.7002
        """
        _ = self.cells
        return replace(self, prior=check_prevalence(prevalence))

    def one_vs_rest(self, label: Hashable) -> ConfusionMatrix:
        """Binary matrix of one class against all others: TP = c_ii, FN = row − c_ii, FP = column − c_ii.

        Raises:
            OptionError: there is no such label.
        """
        if label not in self.labels:
            raise OptionError(f"no class {label!r}; the classes are {', '.join(map(repr, self.labels))}.")
        i = self.labels.index(label)
        rest = next((name for name in self.labels if name != label), "rest") if len(self.labels) == 2 else "rest"
        return self._split(np.s_[..., i, :, :], (label, rest))

    def per_class(self) -> ConfusionMatrix:
        """Binary matrices of each class against the rest, the class as the last batch axis, in label order."""
        return self._split(np.s_[..., :, :], ("class", "rest"))

    def _split(self, where: Any, labels: tuple[Hashable, ...]) -> ConfusionMatrix:
        squares = None if self.squares is None else split_classes(self.squares)[where]
        return ConfusionMatrix(
            counts=split_classes(self.counts)[where], labels=labels, squares=squares, weight_kind=self.weight_kind
        )

    def average(self, measure: str, *, how: str = "macro", undefined: Undefined = "nan", **parameters: float) -> Any:
        """Micro, macro, weighted or per-class value of a binary measure over the classes."""
        return late("average")(self, measure, how=how, undefined=undefined, **parameters)

    def estimate(self, measure: str, *, level: float = 0.95, undefined: Undefined = "nan", **parameters: float) -> Any:
        """`Estimate` of one measure, with its interval."""
        return late("estimate")(self, measure, level=level, undefined=undefined, **parameters)

    def summary(self, *, level: float = 0.95, undefined: Undefined = "nan") -> Any:
        """Every measure that needs no parameters, as a dictionary of `Estimate` by name."""
        return late("summary")(self, level=level, undefined=undefined)

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        check_alike(self, other, ("labels", "weight_kind", "prior"))
        squares = None
        if self.squares is not None or other.squares is not None:
            squares = _squares(self) + _squares(other)
        return replace(self, counts=self.counts + other.counts, squares=squares)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConfusionMatrix) and same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(late("matrix_text")(self))

    def _repr_html_(self) -> str:
        return str(late("matrix_html")(self))

    def to_dict(self) -> dict[str, Any]:
        """Saved form as a dictionary of JSON types, with its schema version."""
        squares = None if self.squares is None else self.squares.tolist()
        return {
            "kind": "thresher.ConfusionMatrix",
            "schema": SCHEMA,
            "labels": [_plain(label) for label in self.labels],
            "counts": self.counts.tolist(),
            "squares": squares,
            "weight_kind": self.weight_kind,
            "prior": self.prior,
        }

    def to_json(self) -> str:
        """Saved form as JSON text; `from_json` reads it back."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> ConfusionMatrix:
        """Matrix from its saved form.

        Raises:
            SavedFormError: the text is no saved matrix, or of a schema that this release cannot read.
        """
        saved = read_saved(text, "thresher.ConfusionMatrix", SCHEMA)
        squares = None if saved["squares"] is None else np.array(saved["squares"], dtype=np.float64)
        return cls(
            counts=np.array(saved["counts"]),
            labels=tuple(saved["labels"]),
            squares=squares,
            weight_kind=saved["weight_kind"],
            prior=saved["prior"],
        )


def checked_counts(counts: ArrayLike) -> NDArray[Any]:
    """Counts as int64, or float64 when fractional: square, finite, not negative."""
    table = np.asarray(counts)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise InputError(f"counts of shape {table.shape} are not K×K: one row and one column per class.")
    if table.dtype.kind not in "iufb":
        raise InputError(f"counts of type {table.dtype} are not numbers.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise InputError("counts are not all finite and ≥ 0.")
    return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)


def split_classes(counts: NDArray[Any]) -> NDArray[Any]:
    """One-vs-rest 2×2 matrices of every class: (…, K, K) becomes (…, K, 2, 2)."""
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    fn, fp = counts.sum(axis=-1) - tp, counts.sum(axis=-2) - tp
    tn = counts.sum(axis=(-2, -1))[..., None] - tp - fn - fp
    return np.stack([np.stack([tp, fn], -1), np.stack([fp, tn], -1)], -2)


def read_saved(text: str, kind: str, schema: int) -> dict[str, Any]:
    """Parse a saved JSON form and check its kind and schema version."""
    try:
        saved = json.loads(text)
    except json.JSONDecodeError as error:
        raise SavedFormError(f"this is not a saved {kind}: {error}.") from error
    if not isinstance(saved, dict) or saved.get("kind") != kind:
        raise SavedFormError(f"this is not a saved {kind}.")
    if saved.get("schema") != schema:
        raise SavedFormError(f"a {kind} of schema {saved.get('schema')} cannot be read; this release reads {schema}.")
    return saved


def _cells(table: NDArray[np.float64]) -> Cells:
    return Cells(tp=table[..., 0, 0], fn=table[..., 0, 1], fp=table[..., 1, 0], tn=table[..., 1, 1])


def _squares(matrix: ConfusionMatrix) -> NDArray[np.float64]:
    return matrix.counts.astype(np.float64) if matrix.squares is None else matrix.squares


def _plain(label: Hashable) -> Any:
    return label.item() if isinstance(label, np.generic) else label
