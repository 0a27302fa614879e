"""One weight for each class: argmax p_k/w_k, and the search for the weights that a measure likes best."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import SEED, check_seed
from thresher.counts import ConfusionMatrix
from thresher.errors import InputError, OptionError
from thresher.multiclass.class_objective import Array, Codes, Moves, Objective, objective_of
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.predictions.class_tables import class_matrix
from thresher.readers.arrays import columns_by_class
from thresher.results import Shown

SWEEPS = 20
GAIN = 1e-12
"""A smaller improvement is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassWeights(Shown):
    """Weights w of K classes: a row is given to the class of largest p_k/w_k, so that a larger w_k takes fewer rows.

    Only their ratios matter; their geometric mean is 1. `measure` had the value `unweighted` with plain argmax p_k, and
    has `apparent` with these weights on the rows they were chosen on, which flatters them. `cross_fitted` is the value
    when every row is decided with weights chosen without its fold: the honest one; None without folds. `matrix` is the
    K×K matrix on the rows. `sweeps` over all classes were made; `converged` says that the last one changed nothing.
    """

    weights: Array
    labels: tuple[Hashable, ...]
    measure: str
    unweighted: float
    apparent: float
    cross_fitted: float | None
    folds: int | None
    matrix: ConfusionMatrix
    sweeps: int
    converged: bool

    @property
    def optimism(self) -> float | None:
        """Apparent value less the cross-fitted one; None without folds."""
        return None if self.cross_fitted is None else self.apparent - self.cross_fitted

    def decide(self, posteriors: Any) -> Codes:
        """Choose the column of each row's class, argmax p_k/w_k, of equal ones the first.

        Raises:
            InputError: another number of columns.

        >>> chosen = optimize_class_weights([0, 0, 1], [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4]], folds=None)
        >>> chosen.decide([[0.5, 0.5], [0.8, 0.2]]).tolist()
        [1, 0]
        """
        table = np.asarray(columns_by_class(posteriors, self.labels), dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != self.weights.size:
            raise InputError(f"posteriors of shape {table.shape} do not fit {self.weights.size} class weights.")
        return decided(table, self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types, of the matrix its counts; fields that need folds are None without them."""
        return fields_to_jsonable(self, without=("matrix",)) | {"counts": self.matrix.counts.tolist()}

    def __repr__(self) -> str:
        honest = "" if self.cross_fitted is None else f", cross-fitted {self.cross_fitted:.4g}"
        plain = f"{self.unweighted:.4g} with equal weights"
        return f"ClassWeights({self.measure}: {plain}, apparent {self.apparent:.4g}{honest})"


def decided(posteriors: Array, weights: Array) -> Codes:
    """Choose the column of the largest p_k/w_k in each row, of equal ones the first."""
    return np.asarray((posteriors / weights).argmax(axis=1), dtype=np.int64)


def optimize_class_weights(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    measure: str = "macro_f1",
    costs: Any = None,
    folds: int | ArrayLike | None = 5,
    rng: int = SEED,
    **rows: Unpack[RowOptions],
) -> ClassWeights:
    """Choose class weights that make a measure of the decisions argmax p_k/w_k best, by coordinate search.

    One class at a time all values of its weight are looked at (those between which a row changes its class), the
    others standing still, until no class improves the measure. It starts from equal weights or from the class shares,
    whichever is better, and finds a local optimum. Of weights that tie, the middle of the widest interval is taken.

    Args:
        y_true: (n,) labels, or a `Posteriors` alone.
        posteriors: (n, K) probabilities.
        measure: an average over classes ("macro_f1", "weighted_recall", "micro_f1"; a class in which it is 0/0
            counts as 0), "accuracy", or a measure of the K×K matrix ("kappa", "mcc", "balanced_accuracy"), which is
            searched on a grid that is refined.
        costs: (K, K), rows the truth, columns the decision, by name where it has names; the mean cost is made small in
            place of a measure.
        folds: how many to make, stratified by class, for the cross-fitted value; or (n,) fold of each row; or None.
        rng: seed of the folds.
        rows: `labels`, `weights`, `weight_kind` and `normalize`, as for `Posteriors.of`.

    The apparent value flatters: the weights were chosen on the same rows. Judge by `cross_fitted`.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`), or a cost matrix or folds that do not fit.
        OptionError, UnknownMeasureError: a measure that weights cannot be chosen by, or bad folds.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], [200, 60, 20])
    >>> p = np.exp(np.eye(3)[y] * 1.5 + rng.normal(size=(280, 3)) + [2, 1, 0])
    >>> optimize_class_weights(y, p / p.sum(axis=1, keepdims=True))
    ClassWeights(macro_f1: 0.6798 with equal weights, apparent 0.8298, cross-fitted 0.7941)

    Lipton et al. (2014); Lewis (1995).
    """
    given = rows_of(y_true, posteriors, **rows)
    table = given.probabilities("a choice of class weights")
    if not len(given):
        raise InputError("class weights cannot be chosen without rows.")
    table_of_costs = None if costs is None else class_matrix(costs, given.labels, "costs")
    objective = objective_of(measure, table_of_costs, given.classes)
    w = np.ones(len(given)) if given.weights is None else given.weights
    weights, sweeps, converged = _search(objective, given.codes, table, w)
    counts = _matrix(given.codes, decided(table, weights), given.classes, w)
    fold_of = _folds(folds, given.codes, check_seed(rng))
    honest = None if fold_of is None else _cross_fitted(objective, given.codes, table, w, fold_of)
    plain = _matrix(given.codes, given.most_probable, given.classes, w)
    return ClassWeights(
        weights=weights,
        labels=given.labels,
        measure=objective.name,
        unweighted=objective.of(plain),
        apparent=objective.of(counts),
        cross_fitted=honest,
        folds=None if fold_of is None else int(np.unique(fold_of).size),
        matrix=given.confusion(decided(table, weights)),
        sweeps=sweeps,
        converged=converged,
    )


@dataclass(slots=True, eq=False)
class TopTwo:
    """Classes and values of the largest and second largest p_k/w_k in each row; of equal ones the first class leads."""

    classes: int
    first: Codes
    second: Codes
    top: Array
    next: Array

    @classmethod
    def of(cls, table: Array, weights: Array) -> TopTwo:
        """Return the state of all rows."""
        rows = len(table)
        empty = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64), np.zeros(rows), np.zeros(rows)
        state = cls(table.shape[1], *empty)
        state._find(table, weights, np.arange(rows))
        return state

    def without(self, k: int) -> tuple[Array, Codes]:
        """Return the largest value of the classes other than k in each row, and its class."""
        mine = self.first == k
        return np.where(mine, self.next, self.top), np.where(mine, self.second, self.first)

    def change(self, table: Array, weights: Array, k: int) -> None:
        """Bring up to date the rows that a new weight of class k may change: where it leads, or comes to."""
        value = table[:, k] / weights[k]
        concerned = (self.first == k) | (self.second == k) | (value >= self.next)
        self._find(table, weights, np.flatnonzero(concerned))

    def _find(self, table: Array, weights: Array, rows: Codes) -> None:
        step = max(1, (1 << 22) // self.classes)
        for start in range(0, rows.size, step):
            some = rows[start : start + step]
            values, place = table[some] / weights, np.arange(some.size)
            self.first[some] = first = values.argmax(axis=1)
            self.top[some] = values[place, first]
            values[place, first] = -np.inf
            self.second[some] = second = values.argmax(axis=1)
            self.next[some] = values[place, second]


def _search(objective: Objective, codes: Codes, table: Array, w: Array) -> tuple[Array, int, bool]:
    """Search a local optimum; return the weights, the sweeps, and whether the last one changed nothing."""
    k = table.shape[1]
    shares = np.bincount(codes, weights=w, minlength=k) / w.sum()
    starts = [np.ones(k), np.where(shares > 0, shares, shares[shares > 0].min())]

    def value(weights: Array) -> float:
        found = objective.of(_matrix(codes, decided(table, weights), k, w))
        return float(np.nan_to_num(objective.sign * found, nan=-np.inf))

    weights = max(starts, key=value).astype(np.float64)
    best, state = value(weights), TopTwo.of(table, weights)
    for sweep in range(1, SWEEPS + 1):
        before = best
        for j in range(k):
            found = _coordinate(objective, codes, table[:, j], w, state, j)
            if found is None or found[0] <= best + GAIN:
                continue
            trial = weights.copy()
            trial[j] = found[1]
            # The sums along the way round; the matrix decides.
            reached = value(trial)
            if reached > best + GAIN:
                best, weights = reached, trial
                state.change(table, weights, j)
        if best <= before + GAIN:
            return _scaled(weights), sweep, True
    return _scaled(weights), SWEEPS, False


def _coordinate(
    objective: Objective, codes: Codes, column: Array, w: Array, state: TopTwo, k: int
) -> tuple[float, float] | None:
    """Find the best value over the weight of class k, and the middle of the widest interval that has it."""
    rival, leaves = state.without(k)
    with np.errstate(divide="ignore"):
        ratio = np.divide(column, rival, out=np.full(column.size, np.inf), where=rival > 0)
    order = np.argsort(-ratio, kind="stable")
    ratio = ratio[order]
    fixed = int(np.isinf(ratio).sum())
    some = int((ratio > 0).sum())
    if some == fixed:  # no weight of the class moves a row
        return None
    ends = np.flatnonzero(ratio[fixed : some - 1] > ratio[fixed + 1 : some] * (1 + GAIN)) + fixed + 1
    cuts = np.unique(np.concatenate([[fixed], ends, [some]])).astype(np.int64)
    moves = Moves(k, codes[order], leaves[order], w[order], state.classes)
    values = objective.best(moves, cuts)
    tied = np.flatnonzero(values >= values.max() - GAIN)
    high = np.where(cuts > fixed, ratio[np.maximum(cuts - 1, 0)], 4 * ratio[min(fixed, some - 1)])
    low = np.where(cuts < some, ratio[np.minimum(cuts, some - 1)], ratio[some - 1] / 4)
    widest = tied[int((np.log(high[tied]) - np.log(low[tied])).argmax())]
    return float(values[widest]), float(np.sqrt(high[widest]) * np.sqrt(low[widest]))


def _matrix(truth: Codes, predicted: NDArray[np.integer], k: int, w: Array) -> Array:
    return np.asarray(kernel.confusion(truth, predicted.astype(np.int64), k, w), dtype=np.float64)


def _scaled(weights: Array) -> Array:
    return np.asarray(weights / np.exp(np.log(weights).mean()))


def _folds(folds: int | ArrayLike | None, codes: Codes, seed: int) -> Codes | None:
    """Return the fold of every row: drawn within classes, or given."""
    if folds is None:
        return None
    if np.ndim(folds) == 0:
        if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= codes.size:
            allowed = "a whole number from 2 to the number of rows, the fold of each row, or None"
            raise OptionError(f"folds={folds!r}: give {allowed}.")
        shuffled = np.random.Generator(np.random.Philox(key=seed)).permutation(codes.size)
        order = shuffled[np.argsort(codes[shuffled], kind="stable")]
        found = np.empty(codes.size, dtype=np.int64)
        found[order] = np.arange(codes.size) % int(folds)
        return found
    given = np.asarray(folds)
    if given.shape != codes.shape:
        raise InputError(f"folds have shape {given.shape}, and there are {codes.size:,} rows.")
    found = np.unique(given, return_inverse=True)[1].astype(np.int64)
    if not found.any():
        raise OptionError("folds= puts all rows into one fold, so no rows are left to choose weights on.")
    return found


def _cross_fitted(objective: Objective, codes: Codes, table: Array, w: Array, fold_of: Codes) -> float:
    """Return the value of the decisions on all rows, each with the weights chosen on the other folds."""
    predicted = np.empty(codes.size, dtype=np.int64)
    for fold in range(int(fold_of.max()) + 1):
        out = fold_of == fold
        if not w[~out].any():
            raise OptionError(f"outside fold {fold + 1} every weight is 0: no row is left to choose class weights on.")
        weights, _, _ = _search(objective, codes[~out], table[~out], w[~out])
        predicted[out] = decided(table[out], weights)
    return objective.of(_matrix(codes, predicted, table.shape[1], w))
