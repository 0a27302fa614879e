"""AUC of every class against every other and against the rest, and their means: Hand and Till's M among them.

One rule for classes without rows, one against one and one against the rest alike: their measures are NaN; a
plain mean over classes or pairs is then NaN too, with the class named in `reason`; a mean weighted by the rows of the
classes gives it weight 0. `present()` leaves such classes out of everything.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ReadOnly
from thresher._util.json_values import fields_to_jsonable, to_jsonable
from thresher.conventions import divide
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.predictions.labels import empty_classes
from thresher.results import Shown

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalAuc(Shown):
    """`matrix[k, l]` = AUC(k given l): a random row of class k above one of class l, by the score of k.

    The matrix is (K, K), not symmetric in general; NaN on the diagonal and wherever one of the two classes is
    empty. `weights` (K,) is the weight of the rows of each class. `micro` is the AUC of all n·K cells of scores taken
    together, true classes against all others. All values are in [0, 1], larger is better, ½ is chance.

    Hand and Till (2001); Provost and Domingos (2001).
    """

    matrix: Array
    weights: Array
    micro: float = float("nan")
    labels: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        ReadOnly.__post_init__(self)
        object.__setattr__(self, "labels", self.labels or tuple(range(len(self.weights))))

    @property
    def absent(self) -> tuple[int, ...]:
        """Classes without rows, by their column."""
        return tuple(int(code) for code in np.flatnonzero(self.weights == 0))

    @property
    def reason(self) -> str | None:
        """Reason why plain means are undefined; None where they are defined."""
        if len(self.weights) - len(self.absent) < 2:
            return "fewer than two classes have rows"
        if not self.absent:
            return None
        return empty_classes([self.labels[code] for code in self.absent])

    @property
    def pairs(self) -> Array:
        """Mean of AUC(k given l) and AUC(l given k) for every pair k < l, in order of k, then l."""
        both = (self.matrix + self.matrix.T) / 2
        return np.asarray(both[np.triu_indices_from(both, k=1)])

    @property
    def pair_weights(self) -> Array:
        """Share of all rows that are of one class of the pair, in the order of `pairs`."""
        share = divide(self.weights, self.weights.sum())
        return np.asarray((share[:, None] + share)[np.triu_indices_from(self.matrix, k=1)])

    @property
    def hand_till(self) -> float:
        """Hand and Till's M: the mean over all ordered pairs of classes; NaN when some class is empty."""
        return float(self.pairs.mean()) if self.pairs.size else float("nan")

    mean = hand_till

    @property
    def hand_till_weighted(self) -> float:
        """Mean over pairs of classes with rows, weighted by the rows of both: scikit-learn's weighted one-vs-one."""
        found = self.present() if self.absent else self
        if not found.pairs.size:
            return float("nan")
        return float(np.average(found.pairs, weights=found.pair_weights))

    @property
    def one_vs_rest(self) -> Array:
        """AUC of each class against all rows of the others, (K,); NaN for a class without rows or without others.

        It is the mean of AUC(k given l) over l, weighted by the rows of l.
        """
        others = np.where(np.eye(len(self.weights), dtype=bool), 0.0, self.weights)
        known = np.where(others * self.weights[:, None] > 0, self.matrix, 0.0)
        rest = others.sum(axis=1)
        return np.asarray(divide((known * others).sum(axis=1), np.where(self.weights > 0, rest, 0.0)))

    @property
    def macro(self) -> float:
        """Mean of `one_vs_rest`; NaN when some class is empty."""
        return float(self.one_vs_rest.mean())

    @property
    def weighted(self) -> float:
        """Mean of `one_vs_rest` weighted by the prevalence of the classes: Provost and Domingos' total AUC."""
        present = self.weights > 0
        values = self.one_vs_rest[present]
        return float(divide(self.weights[present] @ values, self.weights.sum())) if values.size else float("nan")

    provost_domingos = weighted

    def present(self) -> ConditionalAuc:
        """Return the values without empty classes; `micro` still counts all columns."""
        kept = np.flatnonzero(self.weights)
        labels = tuple(self.labels[code] for code in kept)
        return replace(self, matrix=self.matrix[np.ix_(kept, kept)], weights=self.weights[kept], labels=labels)

    def to_dict(self) -> dict[str, Any]:
        """Return the areas of all pairs and of each class against the rest, and their means, as JSON types."""
        read = ("hand_till", "hand_till_weighted", "macro", "weighted", "one_vs_rest", "reason")
        return fields_to_jsonable(self) | {name: to_jsonable(getattr(self, name)) for name in read}

    def columns(self) -> dict[str, Any]:
        """Return the ordered pairs of classes as columns, with their AUC."""
        names = [str(label) for label in self.labels]
        places = [(k, other) for k in range(len(names)) for other in range(len(names)) if k != other]
        columns = {"class": [names[k] for k, _ in places], "given": [names[other] for _, other in places]}
        return columns | {"auc": [float(self.matrix[place]) for place in places]}

    def __repr__(self) -> str:
        text = f"M = {self.hand_till:.4g}, macro = {self.macro:.4g}, weighted = {self.weighted:.4g}"
        return f"ConditionalAuc({len(self.weights)} classes: {text}, micro = {self.micro:.4g})"


def conditional_auc(
    y_true: ArrayLike | Posteriors, posteriors: ArrayLike | None = None, **rows: Unpack[RowOptions]
) -> ConditionalAuc:
    """Compute the AUC of every class against every other, the source of all multiclass AUCs.

    AUC(k given l) = (weight of pairs with p_k(x) > p_k(z) + ½ of those tied)/(n_k·n_l), x of class k and z of class l.

    Args:
        y_true: (n,) labels, or a `Posteriors` alone.
        posteriors: (n, K), one column for every class.
        rows: `labels`, `weights`, `weight_kind`, `normalize` and `scores`, as for `Posteriors.of`.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).

    >>> p = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.3, 0.3], [0.5, 0.1, 0.4]]
    >>> found = conditional_auc([0, 1, 0, 2], p)
    >>> found.matrix.tolist()
    [[nan, 1.0, 0.5], [1.0, nan, 1.0], [1.0, 1.0, nan]]
    >>> found
    ConditionalAuc(3 classes: M = 0.9167, macro = 0.9167, weighted = 0.875, micro = 0.9219)

    Hand and Till (2001).
    """
    given = rows_of(y_true, posteriors, **rows)
    return conditional_auc_of_codes(given.codes, given.matrix, weights=given.weights, labels=given.labels)


def conditional_auc_of_codes(
    codes: NDArray[np.int64], scores: Array, *, weights: Array | None = None, labels: tuple[Hashable, ...] = ()
) -> ConditionalAuc:
    """Compute `conditional_auc` from checked class codes (n,) and scores (n, K)."""
    sums = kernel.conditional_sums(codes, scores, weights)
    return conditional_auc_of_sums(sums, codes, weights, labels)


def conditional_auc_of_sums(
    sums: kernel.ConditionalSums, codes: NDArray[np.int64], weights: Array | None, labels: tuple[Hashable, ...] = ()
) -> ConditionalAuc:
    """Compute `conditional_auc` from the kernel's sums."""
    classes = len(sums.twice)
    totals = np.bincount(codes, weights=weights, minlength=classes).astype(np.float64)
    matrix = divide(sums.twice, 2 * totals[:, None] * totals)
    np.fill_diagonal(matrix, np.nan)
    every = float(totals.sum())
    micro = float(divide(sums.micro.sum(), 2 * every * every * (classes - 1)))
    return ConditionalAuc(matrix, totals, micro, labels)
