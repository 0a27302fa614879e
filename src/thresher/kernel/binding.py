"""The compiled functions, with the names and arguments of `thresher.kernel.reference`.

Arrays arrive checked (`checks`); every one that is passed stays referenced until the call returns. This module
allocates the outputs of the compiled functions and wraps them.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.binding_ranked import RankedNative
from thresher.kernel.library import Library, fit, wide
from thresher.kernel.values import (
    FIXED,
    Concordance,
    ConditionalSums,
    CurveName,
    CurvePoints,
    DelongSums,
    Extremes,
    JointCounts,
    Leads,
    Placements,
    PrAreas,
    RangeSums,
    TableArrays,
)

Array = NDArray[Any]
Place = ctypes.c_int64
Two, Four, Pair, Triple = ctypes.c_int64 * 2, ctypes.c_int64 * 4, ctypes.c_double * 2, ctypes.c_double * 3
"""Places of whole numbers and of others; to name them takes as long as to read a hundred rows."""

SETS = 4
"""Sets of coefficients that are followed side by side (native/conditional.cpp)."""

_int64, _float64 = np.dtype(np.int64), np.dtype(np.float64)


def _kind(weights: Array | None) -> np.dtype[Any]:
    """Type of counts: whole, or sums of weights."""
    return _int64 if weights is None else _float64


def _table(positive: Array, negative: Array) -> tuple[Array, Array, int, int]:
    """Columns of a score table with their size and the bytes of a count, the same of both; 0 for sums of weights.

    Raises:
        TypeError: they are of different types or sizes, so that the kernel would read beyond one of them.
    """
    if positive.dtype != negative.dtype or positive.size != negative.size:
        raise TypeError(
            f"columns of {positive.size} {positive.dtype} and {negative.size} {negative.dtype} are no table"
        )
    return positive, negative, positive.size, 0 if positive.dtype == _float64 else positive.itemsize


def _sums(counts: Array) -> np.dtype[Any]:
    """Type of sums of counts."""
    return _float64 if counts.dtype == _float64 else _int64


class Native(RankedNative):
    """The functions of one loaded library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._call, self._run, self._room = library.call, library.run, library.room

    def keep_memory(self, more: int) -> None:
        self._call("keep_memory", more)

    def score_table(
        self, truth: Array, scores: Array, weights: Array | None, squares: bool, threads: int
    ) -> TableArrays:
        size, written = scores.size, Two()
        if weights is None:  # pages that nobody writes to take no memory
            found, small = self._room(size, _float64), self._room((2, size), "i1")
            wide = np.empty((2, size), np.int32 if size < 2**31 else _int64)
            self._run("counted", size, truth, scores, size, threads, found, small, wide, wide.itemsize, written)
            columns = fit(written[0], found, *(small if written[1] == 1 else wide))
            return TableArrays(*columns, *(columns[1:] if squares else (None, None)))  # Σw² is the count itself
        columns = [self._room(size, _float64) for _ in range(5 if squares else 3)]
        missing = () if squares else (None, None)
        self._run("table", size, truth, scores, weights, size, threads, *columns, *missing, written)
        return TableArrays(*fit(written[0], *columns), *missing)

    def count_rounded(
        self, truth: Array, scores: Array, weights: Array | None, counts: Array, pages: Array, apart: Array,
        bits: int, lower: bool,
    ) -> Array:  # fmt: skip
        strays, strayed = np.empty(truth.size, _int64), Place(0)
        self._run(
            "count_rounded", truth.size, truth, scores, weights, truth.size, pages, apart, apart.size, bits, lower,
            counts.itemsize == 4, counts, strays, ctypes.byref(strayed),
        )  # fmt: skip
        return strays[: strayed.value].copy()

    def joint_cells(
        self, scores: Sequence[Array], positive: Array, negative: Array | None, bits: int, lower: Array,
        thresholds: Sequence[Array], most: int,
    ) -> JointCounts | None:  # fmt: skip
        models, rows = len(scores), positive.size
        columns = (ctypes.c_void_p * models)(*(column.__array_interface__["data"][0] for column in scores))
        cuts, ends = np.concatenate([np.zeros(0), *thresholds]), np.cumsum([0, *(each.size for each in thresholds)])
        kind, room, found = _int64 if negative is None else positive.dtype, min(most, rows), Place(0)
        cells, counts = np.empty((room, models)), np.empty((room, 2), kind)
        self._run(
            "joint_cells", models * rows, columns, positive, negative, rows, models, bits, lower, cuts, ends,
            kind == _int64, room, cells, counts, ctypes.byref(found),
        )  # fmt: skip
        if found.value < 0:
            return None
        distinct = cells[: found.value].T
        order = np.lexsort(distinct[::-1])
        return JointCounts(distinct[:, order], *counts[order].T.copy())

    def merged_scores(self, a: Array, b: Array, lower: bool) -> tuple[Array, Array, Array]:
        found, rows_a, rows_b = np.empty(a.size + b.size), np.empty(a.size, _int64), np.empty(b.size, _int64)
        many = Place(0)
        self._call("merged_scores", a, a.size, b, b.size, lower, found, rows_a, rows_b, ctypes.byref(many))
        return found[: many.value], rows_a, rows_b

    def rounded(self, scores: Array, bits: int, lower: bool) -> Array:
        found = np.empty_like(scores)
        self._call("rounded", scores, scores.size, bits, lower, found)
        return found

    def concordance(self, truth: Array, scores: Array, weights: Array | None, threads: int) -> Concordance:
        whole, real = Four(), Triple()
        self._run("concordance", truth.size, truth, scores, weights, truth.size, threads, whole, real)
        return Concordance(wide(whole), whole[2], whole[3]) if weights is None else Concordance(*real)

    def curve_points(
        self, truth: Array, scores: Array, curve: CurveName, drop: bool, rising: bool, threads: int
    ) -> CurvePoints:
        columns, written, rows = [np.empty(truth.size + 1, _float64) for _ in range(3)], Place(0), truth.size
        self._run(
            "curve_points", rows, truth, scores, None, rows, threads, curve != "roc", drop, rising, *columns,
            ctypes.byref(written),
        )  # fmt: skip
        return CurvePoints(*fit(written.value, *columns, at_end=rising))

    def average_precision(self, truth: Array, scores: Array, threads: int) -> float:
        value, rows = ctypes.c_double(math.nan), truth.size
        self._run("average_precision", rows, truth, scores, None, rows, threads, ctypes.byref(value))
        return value.value

    def placements(self, truth: Array, columns: Array, weights: Array | None, threads: int) -> Placements:
        k, positives = len(columns), int(np.count_nonzero(truth))
        # No row misses more than twice all others.
        kind = _float64 if weights is not None else np.int32 if truth.size < 2**30 else _int64
        found = Placements(self._room((k, positives), kind), self._room((k, truth.size - positives), kind))
        self._run("placements", columns.size, truth, columns, weights, truth.size, threads, k, *found)
        return found

    def draws(self, sizes: Array, seed: int, first: int, replicates: int, threads: int) -> Array:
        found = np.empty((replicates, int(sizes.sum())), np.uint8)
        self._run("draws", found.size, sizes, sizes.size, seed, first, replicates, threads, found)
        return found

    def drawn_cells(
        self, sizes: Array, seed: int, first: int, replicates: int, cells: Array, threads: int
    ) -> tuple[Array, Array]:
        sums, lacking = np.empty((replicates, cells.size), _int64), np.empty((replicates, cells.size), _int64)
        stream, work = (sizes, sizes.size, seed, first, replicates, threads), replicates * int(sizes.sum())
        self._run("drawn_cells", work, *stream, cells, cells.size, sums, lacking)
        return sums, lacking

    def replicates(
        self, sizes: Array, seed: int, first: int, count: int, rows: Any, rates: Array, cuts: Array, detailed: bool,
        threads: int,
    ) -> Array:  # fmt: skip
        found, steps = np.empty((count, FIXED + rates.size + 2 * len(cuts)), _float64), rows.steps
        self._run(
            "replicates", count * (rows.positives + rows.negatives), sizes, sizes.size, seed, first, count, threads,
            rows.units, rows.weights, rows.positives, rows.negatives, steps, steps.shape[1], rates, rates.size, cuts,
            len(cuts), detailed, found,
        )  # fmt: skip
        return found

    def confusion(self, truth: Array, predicted: Array, k: int, weights: Array | None, threads: int) -> Array:
        found, rows, codes = np.empty((k, k), _kind(weights)), truth.size, (truth, truth.itemsize, predicted)
        self._run("confusion", rows, *codes, predicted.itemsize, weights, rows, k, threads, found)
        return found

    def delong_sums(
        self, positive: Array, negative: Array, positive_squares: Array | None, negative_squares: Array | None,
        threads: int,
    ) -> DelongSums:  # fmt: skip
        whole, real, sums = Four(), Triple(), Pair()
        squares = positive_squares, negative_squares
        self._call("delong_sums", *_table(positive, negative), *squares, threads, whole, real, sums)
        if positive.dtype != _float64:
            return DelongSums(wide(whole), sums[0], sums[1], whole[2], whole[3])
        return DelongSums(real[0], sums[0], sums[1], real[1], real[2])

    def pr_areas(self, positive: Array, negative: Array, threads: int) -> PrAreas:
        found = Triple()
        self._call("pr_areas", *_table(positive, negative), threads, found)
        return PrAreas(*found)

    def extent(self, values: Array, threads: int) -> tuple[float, float]:
        found = Pair()
        self._call("extent", values, values.size, threads, found)
        low, high = found
        return low, high

    def squared_error(self, truth: Array, probabilities: Array, threads: int) -> float:
        total = ctypes.c_double(0.0)
        self._call("squared_error", truth, probabilities, truth.size, threads, ctypes.byref(total))
        return total.value

    def loss_moments(
        self, scores: Array, positive: Array, negative: Array, positive_squares: Array | None,
        negative_squares: Array | None, threads: int,
    ) -> Array:  # fmt: skip
        found, table = np.empty((2, 11)), _table(positive, negative)
        self._call("loss_moments", scores, *table, positive_squares, negative_squares, threads, found)
        return found

    def range_sums(
        self, scores: Array | None, positive: Array, negative: Array, squares: tuple[Array, Array] | None,
        ranges: tuple[Array, Array], threads: int,
    ) -> RangeSums:  # fmt: skip
        size = ranges[0].size
        others = np.zeros((2 * (scores is not None) + 2 * (squares is not None), size))
        kind, table = _sums(positive), _table(positive, negative)
        found = RangeSums(np.empty(size, kind), np.empty(size, kind), others)
        self._call("range_sums", scores, *table, *(squares or (None, None)), *ranges, size, threads, *found)
        return found

    def precision_influence(
        self, positive: Array, negative: Array, positive_squares: Array | None, negative_squares: Array | None,
        scales: tuple[float, float], value: float,
    ) -> Array:  # fmt: skip
        found, squares = np.empty((2, 3)), (positive_squares, negative_squares)
        self._call("precision_influence", *_table(positive, negative), *squares, *scales, value, found)
        return found

    def extremes(self, positive: Array, negative: Array) -> Extremes:
        rows, counts = Two(), (ctypes.c_double if positive.dtype == _float64 else ctypes.c_int64)
        found = (counts * 6)()
        self._call("extremes", *_table(positive, negative), rows, found)
        if rows[0] < 0:
            return Extremes(-1, math.nan, -1, math.nan)
        tp0, fp0, tp1, fp1, p, n = found
        # Python divides two whole numbers with a single rounding, however large they are.
        above, below = (tp0 * n - fp0 * p) / (p * n), (fp1 * p - tp1 * n) / (p * n)
        last = positive.size - 1
        return Extremes(rows[0], 0.0 if rows[0] == last else above, rows[1], 0.0 if rows[1] == last else below)

    def hull(self, positive: Array, negative: Array) -> Array:
        found, count = np.empty(positive.size, _int64), Place(0)
        self._call("hull", *_table(positive, negative), found, ctypes.byref(count))
        return fit(count.value, found)[0]

    def leads(self, positive: Array, negative: Array, positive2: Array, negative2: Array) -> Leads:
        most, count = 2 * (positive.size + positive2.size) + 1, Place(0)
        kinds, fpr, tpr = np.empty(most, np.int8), np.empty(most + 1, _float64), np.empty(most + 1, _float64)
        second = positive2, negative2, positive2.size
        self._call("leads", *_table(positive, negative), *second, kinds, fpr, tpr, ctypes.byref(count))
        ends = count.value + 1
        return Leads(kinds[: count.value].copy(), fpr[:ends].copy(), tpr[:ends].copy())

    def fold(self, positive: Array, negative: Array, threads: int) -> tuple[Array, Array]:
        columns, count = [np.empty(positive.size, _sums(positive)) for _ in range(2)], Two()
        self._call("fold", *_table(positive, negative), threads, *columns, count)
        kind = {1: np.int8, 4: np.int32}.get(count[1], _sums(positive))
        return columns[0].view(kind)[: count[0]], columns[1].view(kind)[: count[0]]  # nothing beyond was touched

    def cumulate_at(self, positive: Array, negative: Array, indices: Array) -> tuple[Array, Array]:
        tp, fp = (np.empty(indices.size, _sums(positive)) for _ in range(2))
        self._call("cumulate_at", *_table(positive, negative), indices, indices.size, tp, fp)
        return tp, fp

    def conditional_sums(
        self, codes: Array, matrix: Array, weights: Array | None, squared: bool, coefficients: Array | None,
        threads: int,
    ) -> ConditionalSums:  # fmt: skip
        (n, k), kind = matrix.shape, _kind(weights)
        twice, micro, moments = np.zeros((k, k), kind), np.zeros(k, kind), np.zeros((k, 2, 3))
        sets, laid, influence, own, others = 0, None, None, None, None
        if coefficients is not None:
            sets, laid = len(coefficients), np.zeros((k, k, SETS))
            laid[:, :, :sets] = coefficients.T
            influence, own, others = np.zeros((n, SETS)), np.zeros(n, kind), np.zeros(n, kind)
        self._run(
            "conditional", matrix.size, codes, matrix, weights, n, k, *_steps(matrix), squared, threads, twice, micro,
            moments, laid, influence, own, others,
        )  # fmt: skip
        return ConditionalSums(twice, micro, moments, None if influence is None else influence.T[:sets], own, others)

    def conditional_replicates(
        self, codes: Array, matrix: Array, weights: Array | None, drawn: Array, threads: int
    ) -> tuple[Array, Array]:
        (n, k), kind, count = matrix.shape, _kind(weights), len(drawn)
        found = np.zeros((count, k, k), kind), np.zeros((count, k), kind)
        rows = codes, matrix, weights, n, k, *_steps(matrix)
        self._run("conditional_replicates", drawn.size * k, *rows, drawn, count, threads, *found)
        return found

    def ordinal_volume(
        self, codes: Array, scores: Array, classes: int, weights: Array | None, drawn: Array | None, threads: int
    ) -> tuple[Array, Array | None]:
        size, count = scores.size, 1 if drawn is None else len(drawn)
        found = np.full(count, np.nan), np.full(size, np.nan) if drawn is None else None
        rows = codes, scores, weights, size, classes
        self._run("ordinal_volume", size * count, *rows, drawn, count, threads, *found)
        return found

    def assignment(self, matrix: Array, tuples: Array, tolerance: float, threads: int) -> Array:
        credit, classes, count = np.empty(len(tuples)), matrix.shape[1], len(tuples)
        scores = matrix, classes, *_steps(matrix)
        self._run("assignment", tuples.size, *scores, tuples, count, tolerance, threads, credit)
        return credit


def _steps(matrix: Array) -> tuple[int, int]:
    """Distance of neighboring rows and of neighboring columns, in numbers."""
    across, along = matrix.strides
    return across // matrix.itemsize, along // matrix.itemsize
