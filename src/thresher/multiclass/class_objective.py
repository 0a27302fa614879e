"""Objectives of class weights: an averaged measure, a measure of the K×K matrix, or costs.

Along one coordinate rows go over to class k one after the other. Only two classes change with each row, so that an
average over classes is followed exactly by sums of differences; a measure of the whole matrix is looked at on a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.counts import Cells
from thresher.counts.cells import class_cells
from thresher.errors import InputError, OptionError
from thresher.measures import find
from thresher.measures.averaging import combined, split_average, sum_of_classes
from thresher.measures.registry import Measure, known, spelling, statistic_of

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


CELLS_AT_ONCE = 1 << 22
"""Numbers in the matrices that are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Rows in the order in which they go over to `to`: true classes, the classes they leave, weights."""

    to: int
    truth: Codes
    leaves: Codes
    weights: Array
    classes: int

    def counts(self) -> Array:
        """Count the K×K matrix before any row goes over."""
        return np.asarray(kernel.confusion(self.truth, self.leaves, self.classes, self.weights), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """`of` a K×K matrix, and `along` moves at some of the numbers of rows that went over; larger is better inside.

    `sign` is −1 where the measure is better when it is lower.
    """

    name: str
    sign: float
    of: Callable[[Array], float]
    along: Callable[[Moves, Codes], Array]
    exact: bool = True

    def best(self, moves: Moves, cuts: Codes) -> Array:
        """Compute the value, larger being better, after each of `cuts` rows went over; NaN counts as the worst."""
        if self.exact:
            return np.nan_to_num(self.sign * self.along(moves, cuts), nan=-np.inf)
        values = np.full(cuts.size, -np.inf)
        low, high, grid = 0, cuts.size - 1, max(8, CELLS_AT_ONCE // moves.classes**2)
        while True:
            places = np.unique(np.linspace(low, high, min(grid, high - low + 1)).round().astype(np.int64))
            values[places] = np.nan_to_num(self.sign * self.along(moves, cuts[places]), nan=-np.inf)
            if places.size == high - low + 1:
                return values
            i = int(values[places].argmax())
            low, high = int(places[max(i - 1, 0)]), int(places[min(i + 1, places.size - 1)])


def objective_of(measure: str, costs: Array | None, classes: int) -> Objective:
    """Return the objective of a name such as "macro_f1", "accuracy" or "kappa", or of costs."""
    if costs is not None:
        if not np.isfinite(costs).all():
            raise InputError("a cost in the cost matrix is not finite.")
        return _linear("expected cost", -1.0, costs)
    key = spelling(measure)
    if key == "accuracy":
        return _linear("accuracy", 1.0, np.eye(classes))
    how, rest = split_average(key)
    entry = (known(rest) if how else None) or find(key)
    how = how if known(rest) is entry else ""
    if entry.needs == "table" or entry.needs_parameters:
        raise OptionError(f"class weights cannot be chosen by {entry.title}, which is not a measure of decisions.")
    if entry.needs == "matrix" and not how:
        sign = -1.0 if entry.better == "lower" else 1.0
        along = partial(_matrices, entry)
        return Objective(entry.name, sign, lambda m: float(entry.on(m)), along, exact=False)
    if not how:
        raise OptionError(f"{entry.title} is of one class: name an average of it, such as 'macro_{entry.name}'.")
    return _averaged(entry, how)


def _linear(name: str, sign: float, table: Array) -> Objective:
    """Return the mean of an entry of a table, at truth and prediction, over rows."""

    def along(moves: Moves, cuts: Codes) -> Array:
        gains = moves.weights * (table[moves.truth, moves.to] - table[moves.truth, moves.leaves])
        start = moves.weights @ table[moves.truth, moves.leaves]
        sums = start + np.concatenate([np.zeros(1), np.cumsum(gains)])[cuts]
        return np.asarray(sums / moves.weights.sum())

    return Objective(name, sign, lambda m: float((m * table).sum() / m.sum()), along)


def _averaged(entry: Measure, how: str) -> Objective:
    """Return the average over classes; a class in which the measure is 0/0 counts as 0."""

    def values(tp: Any, truth: Any, predicted: Any, n: Any) -> Array:
        fp, fn = np.maximum(predicted - tp, 0.0), np.maximum(truth - tp, 0.0)
        cells = Cells(tp, fp, fn, np.maximum(n - tp - fp - fn, 0.0))
        return np.nan_to_num(entry.on(statistic_of(entry, cells)), nan=0.0, posinf=0.0)

    def of(matrix: Array) -> float:
        classes = class_cells(matrix)
        cells = sum_of_classes(classes) if how == "micro" else classes
        found = np.nan_to_num(entry.on(statistic_of(entry, cells)), nan=0.0, posinf=0.0)
        return float(combined(found, how, classes.pos))

    def along(moves: Moves, cuts: Codes) -> Array:
        counts = moves.counts()
        tp, truth, predicted = np.diagonal(counts).copy(), counts.sum(axis=1), counts.sum(axis=0)
        n = float(truth.sum())
        own = moves.weights * (moves.truth == moves.to)
        lost = moves.weights * (moves.truth == moves.leaves)
        if how == "micro":
            traces = tp.sum() + np.concatenate([np.zeros(1), np.cumsum(own - lost)])[cuts]
            return values(traces, n, n, n * moves.classes)
        shares = truth / n if how == "weighted" else np.full(truth.size, 1 / truth.size)
        start = values(tp, truth, predicted, n)
        start[moves.to] = 0.0
        rest = start @ shares + _differences(moves, lost, tp, truth, predicted, shares, values, n)
        reached = [np.concatenate([np.zeros(1), np.cumsum(part)]) for part in (own, moves.weights)]
        k = moves.to
        mine = values(tp[k] + reached[0], truth[k], predicted[k] + reached[1], n)
        return np.asarray((rest + shares[k] * mine)[cuts])

    return Objective(f"{how}_{entry.name}", -1.0 if entry.better == "lower" else 1.0, of, along)


def _differences(
    moves: Moves, lost: Array, tp: Array, truth: Array, predicted: Array, shares: Array, values: Any, n: float
) -> Array:
    """Return the losses or gains of the classes that rows leave, after 0, 1, 2, … rows."""
    order = np.argsort(moves.leaves, kind="stable")
    leaves = moves.leaves[order]
    starts = np.flatnonzero(np.diff(leaves, prepend=-1))
    size = np.diff(np.append(starts, leaves.size))
    left, hits = (_running(part[order], starts, size) for part in (moves.weights, lost))
    after = values(tp[leaves] - hits, truth[leaves], predicted[leaves] - left, n)
    before = np.roll(after, 1)
    before[starts] = values(tp[leaves[starts]], truth[leaves[starts]], predicted[leaves[starts]], n)
    changes = np.empty(leaves.size)
    changes[order] = shares[leaves] * (after - before)
    return np.concatenate([np.zeros(1), np.cumsum(changes)])


def _running(values: Array, starts: Codes, size: Codes) -> Array:
    """Return the running sums within consecutive groups."""
    sums = np.cumsum(values)
    return np.asarray(sums - np.repeat(sums[starts] - values[starts], size))


def _matrices(entry: Measure, moves: Moves, cuts: Codes) -> Array:
    """Return the values of a measure of the whole matrix after each of `cuts` rows."""
    k = moves.classes
    bins = np.searchsorted(cuts, np.arange(moves.truth.size), side="right")
    kept = bins < cuts.size
    moved = np.zeros((cuts.size, k, k))
    rows = bins[kept], moves.truth[kept]
    np.add.at(moved, (*rows, moves.leaves[kept]), -moves.weights[kept])
    np.add.at(moved, (*rows, np.full(rows[0].size, moves.to)), moves.weights[kept])
    return entry.on(np.maximum(moves.counts() + moved.cumsum(axis=0), 0.0))
