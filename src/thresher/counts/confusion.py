"""`ConfusionMatrix`: how often each true class was predicted as each class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, check_alike, check_prevalence, freeze, share_of
from thresher.conventions import LEVEL, Missing, Undefined, WeightKind
from thresher.counts import saved
from thresher.counts.cells import Cells, class_cells, number
from thresher.counts.measured import Measured
from thresher.counts.row_columns import add_counts, checked_counts, counts_of_rates, matrix_fields, squares_of
from thresher.counts.saved_fields import flag, items, one_of, texts, wholes
from thresher.errors import InputError, OptionError, TaskError
from thresher.predictions import Predictions
from thresher.predictions.class_tables import class_table
from thresher.results import Estimate, to_frame
from thresher.upward_import import as_html, as_text, plot_method, upward_import

KIND = "thresher.ConfusionMatrix"
SCHEMA = 1


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionMatrix(ByFields, Measured[float]):
    """K×K counts or weighted sums: rows are the truth, columns the prediction, leading axes a batch.

    The positive of two classes is first: `[[TP, FN], [FP, TN]]`. `squares` holds Σw² per cell when rows have importance
    weights, for the linearised variance. `prior` is a prevalence that the cells are scaled to when they are read; the
    counts stay as they were. `clusters` (clusters, K, K) are the counts of each cluster of the same rows, for
    intervals; empty, (0, K, K), where the clusters are unknown, as in a sum of matrices. `ordered` says that the order
    of three or more labels means something: sorted text is without one.

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
    clusters: NDArray[np.float64] | None = None
    ordered: bool = True

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        is_plain = type(self.counts) is np.ndarray
        counts = checked_counts(self.counts if is_plain else class_table(self.counts, "counts").arranged(labels))
        k = len(labels)
        if counts.shape[-2:] != (k, k):
            raise InputError(f"counts of shape {counts.shape} do not fit {k} labels: the last two axes are K×K.")
        if len(set(labels)) != k:
            twice = dict.fromkeys(repr(a) for a in labels if labels.count(a) > 1)
            raise InputError(f"labels name a class twice: {', '.join(twice)}.")
        squares = None if self.squares is None else squares_of(self.squares, labels)
        if squares is not None and squares.shape != counts.shape:
            raise InputError(f"squares of shape {squares.shape} do not fit counts of shape {counts.shape}.")
        squares = None if squares is None else freeze(squares)
        clusters = None if self.clusters is None else freeze(self.clusters)
        if clusters is not None and clusters.shape[-2:] != (k, k):
            raise InputError(f"clusters of shape {clusters.shape} do not fit {k} labels.")
        counts.flags.writeable = False
        self.__dict__.update(counts=counts, labels=labels, squares=squares, clusters=clusters)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        positive: Hashable | None = None,
        labels: Sequence[Hashable] | None = None,
        weights: Any = None,
        weight_kind: WeightKind = "importance",
        missing: Missing = "error",
    ) -> ConfusionMatrix:
        """Matrix of true and predicted labels of any kind, row by row; two classes are put positive first.

        Classes are in the order of `labels`, which names them all, also those without rows; else sorted.

        Raises:
            InputError: lengths differ, a label is missing or not named, a weight is negative: names the first row.
            OptionError: two classes and it is not known which is positive, or `labels` names a class twice.

        >>> matrix = ConfusionMatrix.from_predictions(["ill", "ill", "well"], ["ill", "well", "well"], positive="ill")
        >>> matrix.counts.tolist(), matrix.recall
        ([[1, 1], [0, 1]], 0.5)
        """
        options = {"positive": positive, "labels": labels, "missing": missing}
        weighted = {"weights": weights, "weight_kind": weight_kind}
        return cls.of_rows(
            upward_import("load")(y_true, predicted={"predicted": y_pred}, **options, **weighted), "predicted"
        )

    @classmethod
    def of_rows(cls, rows: Predictions, model: str) -> ConfusionMatrix:
        """Matrix of the labels that one model decides for on checked rows."""
        truth, predicted, weights, k = rows.truth, rows.decided(model), rows.weights, len(rows.classes)
        counts, squares = kernel.confusion(truth, predicted, k, weights), None
        if weights is not None and rows.weight_kind == "importance":
            squares = kernel.confusion(truth, predicted, k, weights**2)
        elif weights is not None and np.array_equal(weights, np.rint(weights)):
            counts = counts.astype(np.int64)
        matrix = cls.from_counts(
            counts, labels=rows.classes, positive=rows.classes[1] if k == 2 else None,
            squares=squares, weight_kind=rows.weight_kind,
        )  # fmt: skip
        return replace(matrix, ordered=rows.ordered)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        labels: Sequence[Hashable] | None = None,
        positive: Hashable | None = None,
        truth_in: Literal["rows", "columns"] = "rows",
        squares: Any = None,
        weight_kind: WeightKind | None = None,
    ) -> ConfusionMatrix:
        """Return the matrix of K×K counts (leading axes are a batch); two classes are put positive first.

        A dataframe, with rows named by its index or first column, and a dictionary of dictionaries go by name; `labels`
        then order the classes. An array has the order of `labels`, or of 0, 1, …, K−1. With two classes `positive`
        names the positive one unless the labels say it (1 of {0, 1}, 1 of {−1, 1}, True of {False, True}).

        Raises:
            InputError: the counts are not square, negative, not finite or normalized, or names do not fit.
            OptionError: two classes and it is not known which is positive.

        >>> ConfusionMatrix.from_counts([[50, 10], [5, 100]], labels=[0, 1]).counts.tolist()
        [[100, 5], [10, 50]]
        >>> ConfusionMatrix.from_counts({"a": {"b": 2, "a": 9}, "b": {"b": 8}}, positive="b").counts.tolist()
        [[8, 0], [2, 9]]
        """
        given: dict[str, Any] = {"labels": labels, "positive": positive, "truth_in": truth_in}
        return cls(**matrix_fields(counts, **given, squares=squares, weight_kind=weight_kind))

    @classmethod
    def from_cells(cls, *, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> ConfusionMatrix:
        """Binary matrix with labels 1 and 0 from its four cells (scalars, or arrays of one shape).

        >>> float(ConfusionMatrix.from_cells(tp=100, fn=5, fp=10, tn=50).precision)
        0.9090909090909091
        """
        tp, fp, fn, tn = np.broadcast_arrays(tp, fp, fn, tn)
        return cls(counts=np.stack([np.stack([tp, fn], -1), np.stack([fp, tn], -1)], -2), labels=(1, 0))

    @classmethod
    def from_rates(
        cls, *, sensitivity: float, specificity: float, n: float, prevalence: float | None = None,
        skew: float | None = None,
    ) -> ConfusionMatrix:  # fmt: skip
        """Binary matrix with labels 1 and 0 of `n` rows that have these rates: see `counts_of_rates`.

        >>> ConfusionMatrix.from_rates(sensitivity=0.9, specificity=0.7, prevalence=0.5, n=200).counts.tolist()
        [[90, 10], [30, 70]]
        """
        share = share_of(prevalence, skew)
        rates = counts_of_rates(sensitivity=sensitivity, specificity=specificity, prevalence=share, n=n)
        return cls(counts=rates, labels=(1, 0))

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
        return self.counts.astype(np.float64) if self.prior is None else self.cells.matrix()

    @property
    def cells(self) -> Cells:
        """Four cells of the binary decision.

        Raises:
            TaskError: there are more than two classes.
        """
        if len(self.labels) != 2:
            size = "1 class" if len(self.labels) == 1 else f"{len(self.labels)} classes"
            raise TaskError(
                f"this matrix has {size}: measures of one class against the rest are in .one_vs_rest(label), "
                f".each_vs_rest() and .average(measure, how='macro')."
            )
        table = self.counts.astype(np.float64)
        cells = Cells(tp=table[..., 0, 0], fn=table[..., 0, 1], fp=table[..., 1, 0], tn=table[..., 1, 1])
        return cells if self.prior is None else cells.at_prevalence(self.prior)

    tp = property(lambda self: number(self.cells.tp), doc="True positives.")
    fp = property(lambda self: number(self.cells.fp), doc="False positives.")
    fn = property(lambda self: number(self.cells.fn), doc="False negatives.")
    tn = property(lambda self: number(self.cells.tn), doc="True negatives.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype=dtype, copy=copy)

    plot = plot_method

    @property
    def row_totals(self) -> NDArray[Any]:
        """Rows of each true class."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def column_totals(self) -> NDArray[Any]:
        """Rows of each predicted class."""
        return np.asarray(self.counts.sum(axis=-2))

    def with_prevalence(self, prevalence: float | None = None, *, skew: float | None = None) -> ConfusionMatrix:
        """Same decisions among positives of another share, as in a case–control study or a rebalanced sample.

        TPR and FPR stay; accuracy, PPV, NPV, F and cost follow. A second call replaces the first. `skew` is N/P there.

        Raises:
            OptionError: the prevalence is not in [0, 1].
            TaskError: there are more than two classes.

        >>> matrix = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=[1, 0])
        >>> round(float(matrix.with_prevalence(0.001).accuracy), 4)
        0.7002
        """
        _ = self.cells
        return replace(self, prior=share_of(prevalence, skew))

    def one_vs_rest(self, label: Hashable) -> ConfusionMatrix:
        """Binary matrix of one class against all others: TP = c_ii, FN = row − c_ii, FP = column − c_ii.

        Raises:
            OptionError: there is no such label.
        """
        if label not in self.labels:
            raise OptionError(f"no class {label!r}; the classes are {', '.join(map(repr, self.labels))}.")
        return self.each_vs_rest()[label]

    def each_vs_rest(self) -> dict[Hashable, ConfusionMatrix]:
        """Binary matrix of every class against all others, by label; with two classes a prior stays with its class."""
        tables = (self.counts, self.squares, self.clusters)
        counts, squares, clusters = (None if t is None else class_cells(t).matrix() for t in tables)
        priors = [self.prior, None if self.prior is None else 1 - self.prior]
        found: dict[Hashable, ConfusionMatrix] = {}
        for i, label in enumerate(self.labels):
            others = [name for name in self.labels if name != label] if len(self.labels) == 2 else ["rest"]
            found[label] = ConfusionMatrix(
                counts=np.asarray(counts)[..., i, :, :],
                labels=(label, others[0] if others[0] != label else f"not {label}"),
                squares=None if squares is None else squares[..., i, :, :],
                weight_kind=self.weight_kind,
                prior=priors[i] if len(self.labels) == 2 else None,
                clusters=None if clusters is None else clusters[:, i],
            )
        return found

    def per_class(self) -> ConfusionMatrix:
        """Binary matrices of each class against the rest, the class as the last batch axis, in label order.

        Raises:
            OptionError: a prevalence was set, which is another one for each class: `each_vs_rest` keeps it.
        """
        if self.prior is not None:
            raise OptionError("a prevalence was set, which the classes do not share: use .each_vs_rest().")
        return ConfusionMatrix(
            counts=class_cells(self.counts).matrix(),
            labels=("class", "rest"),
            squares=None if self.squares is None else class_cells(self.squares).matrix(),
            weight_kind=self.weight_kind,
        )

    def average(
        self, measure: str, *, how: str = "macro", level: float = LEVEL, undefined: Undefined = "nan", **parameters: Any
    ) -> Any:
        """Micro, macro or weighted mean of a measure over the classes, or all of them: see `measures.averaging`."""
        return upward_import("average")(self, measure, how=how, level=level, undefined=undefined, **parameters)

    def estimate(
        self,
        measure: str,
        *,
        level: float = LEVEL,
        undefined: Undefined = "nan",
        interval: str = "wilson",
        **parameters: Any,
    ) -> Estimate:
        """`Estimate` of one measure, with its interval, of proportions by the name given: see `inference.estimate`."""
        options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
        return upward_import("estimates").estimate(self, measure, **options, **parameters)  # type: ignore[no-any-return]

    def summary(
        self, *, level: float = LEVEL, undefined: Undefined = "nan", interval: str = "wilson"
    ) -> dict[str, Estimate]:
        """Every measure that needs no parameters, as a dictionary of `Estimate` by name; options as of `estimate`."""
        options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
        return dict(upward_import("estimates").summary(self, **options))

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        """Matrix of the rows of both.

        Raises:
            InputError: the labels, their order, the kind of weights or the prior differ.
        """
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        check_alike(self, other, ("labels",))
        if self._is_empty or other._is_empty:
            full, none = (other, self) if self._is_empty else (self, other)
            shape = np.broadcast_shapes(full.counts.shape, none.counts.shape)
            squares = None if full.squares is None else np.broadcast_to(full.squares, shape)
            return replace(full, counts=np.broadcast_to(full.counts, shape), squares=squares)
        check_alike(self, other, ("weight_kind", "prior"))
        squares = None if self.squares is None or other.squares is None else self.squares + other.squares
        counts, apart = add_counts(self.counts, other.counts), self.clusters is None and other.clusters is None
        # Clusters of both may be the same ones.
        clusters = None if apart else np.zeros((0, *self.counts.shape[-2:]))
        ordered = self.ordered or other.ordered
        return replace(self, counts=counts, squares=squares, clusters=clusters, ordered=ordered)

    @property
    def _is_empty(self) -> bool:
        return self.weight_kind is None and self.prior is None and not self.counts.any()

    __repr__, _repr_html_ = as_text, as_html

    def to_dict(self) -> dict[str, Any]:
        """Saved form as a dictionary of JSON types, with its schema version; `label_types` names those it has not."""
        return {
            "kind": KIND,
            "schema": SCHEMA,
            "labels": [saved.saved_label(label) for label in self.labels],
            "label_types": [saved.type_name(label) for label in self.labels],
            "shape": list(self.counts.shape),
            "counts": self.counts.tolist(),
            "squares": None if self.squares is None else self.squares.tolist(),
            "weight_kind": self.weight_kind,
            "prior": self.prior,
            **({} if self.clusters is None else {"clusters": self.clusters.tolist()}),
            **({} if self.ordered else {"ordered": False}),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Dataframe of truth, predicted and count, a row for each cell; a batch is an InputError."""
        if self.counts.ndim > 2:
            raise InputError("a frame is of one matrix, and this is a batch of matrices.")
        k = len(self.labels)
        truth, predicted = [a for a in self.labels for _ in range(k)], [*self.labels] * k
        return to_frame({"truth": truth, "predicted": predicted, "count": self.counts.ravel()}, backend)

    def to_json(self) -> str:
        """Saved form as JSON text, exact to the last bit; `from_json` reads it back.

        Raises:
            SavedFormError: a label is of a type that could not be read back.
        """
        saved.check_types([saved.type_name(label) for label in self.labels])
        return saved.json_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> ConfusionMatrix:
        """Matrix from its saved form.

        Raises:
            SavedFormError: the text is not a saved matrix, is damaged, or of a schema that this release cannot read.
        """
        form = saved.read_json(text, KIND, SCHEMA)
        with saved.checked_form(KIND):
            names = zip(items(form, "labels"), texts(form, "label_types"), strict=True)
            shape, apart = wholes(form, "shape", high=2**31), None
            if "clusters" in form:
                apart = np.array(items(form, "clusters"), dtype=np.float64).reshape(-1, *shape[-2:])
            return cls(
                counts=np.array(items(form, "counts")).reshape(shape),
                labels=tuple(saved.restored(text, kind) for text, kind in names),
                squares=None if form["squares"] is None else np.array(items(form, "squares")).reshape(shape),
                weight_kind=one_of(form, "weight_kind", (None, "importance", "frequency")),
                prior=None if form["prior"] is None else check_prevalence(form["prior"]),
                clusters=apart,
                ordered=flag({"ordered": True, **form}, "ordered"),
            )
