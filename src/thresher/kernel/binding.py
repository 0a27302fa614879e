"""The compiled functions, with the signatures of `thresher.kernel.reference`.

Arrays arrive checked (`checks`): contiguous, of the declared type and of one length. This module alone hands addresses
to C++; every array it names stays referenced until the call returns.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import binding_classes, binding_rows
from thresher.kernel.calling import at as _at
from thresher.kernel.calling import check as _check
from thresher.kernel.calling import fit as _fit
from thresher.kernel.calling import run as _run
from thresher.kernel.calling import wide as _wide
from thresher.kernel.room import room
from thresher.kernel.scored_units import ScoredUnits
from thresher.kernel.values import (
    FIXED,
    Concordance,
    ConditionalSums,
    Counts,
    CurveName,
    CurvePoints,
    DelongSums,
    Extremes,
    JointCounts,
    Leads,
    Moments,
    Multiplicities,
    Placements,
    PrAreas,
    RangeSums,
    Rows,
    Scores,
    TableArrays,
    ThresholdArrays,
    Truth,
)

_int64, _float64 = np.dtype(np.int64), np.dtype(np.float64)


class Native:
    """The functions of one loaded library."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def keep_memory(self, more: int) -> None:
        self._library.thresher_keep_memory(more, None)

    def _tables(
        self,
        truth: Truth,
        scores: Scores,
        weights: Scores | None,
        threads: int,
        cumulative: bool,
        squares: bool,
        overwrite: bool,
    ) -> list[NDArray[Any]]:
        """Return the columns of a table: scores, both counts, and both squares if they are asked for.

        All rows are read before the first of the table is written.
        """
        size = truth.size
        kind = _int64 if weights is None else _float64
        columns = [scores if overwrite and scores.flags.writeable else room(self._library, size, _float64)]
        columns += [room(self._library, size, kind) for _ in range(4 if squares else 2)]
        missing = [None] * (5 - len(columns))
        written = ctypes.c_int64(0)
        function = self._library.thresher_table
        _run(
            size,
            lambda cancel, bad: function(
                _at(truth), _at(scores), _at(weights), size, threads, cancel, cumulative,
                *map(_at, columns), *missing, ctypes.addressof(written), bad,
            ),
        )  # fmt: skip
        return [_fit(column, written.value) for column in columns]

    def score_table(
        self, truth: Truth, scores: Scores, weights: Scores | None, squares: bool, threads: int, overwrite: bool = False
    ) -> TableArrays:
        whole = weights is None
        columns = self._tables(truth, scores, weights, threads, False, squares and not whole, overwrite)
        if not squares:
            return TableArrays(columns[0], columns[1], columns[2], None, None)
        # Without weights Σw² is the count itself.
        return TableArrays(*columns, *(columns[1:] if whole else []))

    def threshold_table(self, truth: Truth, scores: Scores, weights: Scores | None, threads: int) -> ThresholdArrays:
        return ThresholdArrays(*self._tables(truth, scores, weights, threads, True, False, False))

    def count_rounded(self, *arguments: Any) -> Rows:
        return binding_rows.count_rounded(self._library, *arguments)

    def joint_cells(self, *arguments: Any) -> JointCounts | None:
        return binding_rows.joint_cells(self._library, *arguments)

    def merged_scores(self, *arguments: Any) -> tuple[Scores, Rows, Rows]:
        return binding_rows.merged_scores(self._library, *arguments)

    def rounded(self, *arguments: Any) -> Scores:
        return binding_rows.rounded(self._library, *arguments)

    def concordance(
        self, truth: Truth, scores: Scores, weights: Scores | None, finite: bool, threads: int
    ) -> Concordance:
        whole, real = (ctypes.c_int64 * 4)(), (ctypes.c_double * 3)()
        function = self._library.thresher_concordance
        _run(
            truth.size,
            lambda cancel, bad: function(
                _at(truth), _at(scores), _at(weights), truth.size, threads, cancel, finite,
                ctypes.addressof(whole), ctypes.addressof(real), bad,
            ),
        )  # fmt: skip
        return Concordance(_wide(whole), whole[2], whole[3]) if weights is None else Concordance(*real)

    def curve_points(
        self,
        truth: Truth,
        scores: Scores,
        weights: Scores | None,
        finite: bool,
        curve: CurveName,
        drop: bool,
        rising: bool,
        threads: int,
    ) -> CurvePoints:
        if weights is not None:
            from thresher.kernel.reference.points import points_of
            from thresher.kernel.reference.rows import check_finite

            if finite:
                check_finite(scores)
            return points_of(self.threshold_table(truth, scores, weights, threads), curve, drop, rising)
        columns = [np.empty(truth.size + 1, _float64) for _ in range(3)]
        written = ctypes.c_int64(0)
        function = self._library.thresher_curve_points
        _run(
            truth.size,
            lambda cancel, bad: function(
                _at(truth), _at(scores), None, truth.size, threads, cancel, finite, curve != "roc", drop, rising,
                *map(_at, columns), ctypes.addressof(written), bad,
            ),
        )  # fmt: skip
        return CurvePoints(*(_fit(column, written.value, at_end=rising) for column in columns))

    def average_precision(
        self, truth: Truth, scores: Scores, weights: Scores | None, finite: bool, threads: int
    ) -> float:
        if weights is not None:
            from thresher.kernel.reference.rows import check_finite

            if finite:
                check_finite(scores)
            table = self.score_table(truth, scores, weights, False, threads)
            return self.pr_areas(table.positive, table.negative).step
        value = ctypes.c_double(math.nan)
        function = self._library.thresher_average_precision
        _run(
            truth.size,
            lambda cancel, bad: function(
                _at(truth), _at(scores), None, truth.size, threads, cancel, finite, ctypes.addressof(value), bad
            ),
        )
        return value.value

    def conditional_sums(self, *arguments: Any) -> ConditionalSums:
        return binding_classes.conditional_sums(self._library, *arguments)

    def conditional_replicates(self, *arguments: Any) -> tuple[Counts, Counts]:
        return binding_classes.conditional_replicates(self._library, *arguments)

    def ordinal_volume(self, *arguments: Any) -> tuple[Scores, Scores | None]:
        return binding_classes.ordinal_volume(self._library, *arguments)

    def assignment(self, *arguments: Any) -> Scores:
        return binding_classes.assignment(self._library, *arguments)

    def placements(self, *arguments: Any) -> Placements:
        return binding_rows.placements(self._library, *arguments)

    def products(self, a: Counts, b: Counts, threads: int) -> int:
        return binding_rows.products(self._library, a, b, threads)

    def draws(self, sizes: Rows, seed: int, first: int, replicates: int, threads: int) -> Multiplicities:
        found = np.empty((replicates, int(sizes.sum())), np.uint8)
        function = self._library.thresher_draws
        _run(
            found.size,
            lambda cancel, bad: function(
                _at(sizes), sizes.size, seed, first, replicates, threads, cancel, _at(found), bad
            ),
        )
        return found

    def drawn_cells(
        self, sizes: Rows, seed: int, first: int, replicates: int, cells: Rows, threads: int
    ) -> tuple[Counts, Counts]:
        sums, lacking = np.empty((replicates, cells.size), np.int64), np.empty((replicates, cells.size), np.int64)
        function = self._library.thresher_drawn_cells
        _run(
            replicates * int(sizes.sum()),
            lambda cancel, bad: function(
                _at(sizes), sizes.size, seed, first, replicates, threads, cancel, _at(cells), cells.size, _at(sums),
                _at(lacking), bad,
            ),
        )  # fmt: skip
        return sums, lacking

    def replicates(
        self, sizes: Rows, seed: int, first: int, count: int, rows: ScoredUnits, rates: Scores, cuts: Rows,
        detailed: bool, threads: int,
    ) -> Scores:  # fmt: skip
        found = np.empty((count, FIXED + rates.size + 2 * len(cuts)), _float64)
        function, steps = self._library.thresher_replicates, rows.steps
        _run(
            count * (rows.positives + rows.negatives),
            lambda cancel, bad: function(
                _at(sizes), sizes.size, seed, first, count, threads, cancel, _at(rows.units), _at(rows.weights),
                rows.positives, rows.negatives, _at(steps), steps.shape[1], _at(rates), rates.size, _at(cuts),
                len(cuts), detailed, _at(found), bad,
            ),
        )  # fmt: skip
        return found

    def confusion(
        self, truth: NDArray[Any], predicted: NDArray[Any], k: int, weights: Scores | None, threads: int
    ) -> Counts:
        if truth.dtype != predicted.dtype:
            truth, predicted = truth.astype(_int64), predicted.astype(_int64)
        out = np.empty((k, k), _int64 if weights is None else _float64)
        function = self._library.thresher_confusion
        _run(
            truth.size,
            lambda cancel, bad: function(
                _at(truth), _at(predicted), truth.itemsize, _at(weights), truth.size, k, threads, cancel,
                _at(out), bad,
            ),
        )  # fmt: skip
        return out

    def _sweep(self, name: str, positive: Counts, negative: Counts, *rest: Any) -> None:
        """Call a function of a score table; one is linear and takes about a nanosecond a row."""
        bad_row = ctypes.c_int64(-1)
        whole = positive.dtype == _int64
        columns = _at(positive), _at(negative), positive.size, whole
        _check(getattr(self._library, name)(*columns, *rest, ctypes.addressof(bad_row)), bad_row)

    def delong_sums(
        self,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
    ) -> DelongSums:
        whole, real, sums = (ctypes.c_int64 * 4)(), (ctypes.c_double * 3)(), (ctypes.c_double * 2)()
        squares = _at(positive_squares), _at(negative_squares)
        places = [ctypes.addressof(place) for place in (whole, real, sums)]
        self._sweep("thresher_delong_sums", positive, negative, *squares, *places)
        if positive.dtype == _int64:
            return DelongSums(_wide(whole), sums[0], sums[1], whole[2], whole[3])
        return DelongSums(real[0], sums[0], sums[1], real[1], real[2])

    def pr_areas(self, positive: Counts, negative: Counts) -> PrAreas:
        out = (ctypes.c_double * 3)()
        self._sweep("thresher_pr_areas", positive, negative, ctypes.addressof(out))
        return PrAreas(*out)

    def binary_codes(self, values: Rows, threads: int) -> Truth:
        found, bad_row = np.empty(values.size, np.uint8), ctypes.c_int64(-1)
        columns = _at(values), values.size, threads, _at(found), ctypes.addressof(bad_row)
        _check(self._library.thresher_binary_codes(*columns), bad_row)
        return found

    def squared_error(self, truth: NDArray[Any], probabilities: Scores, threads: int) -> float:
        total, bad_row = ctypes.c_double(0.0), ctypes.c_int64(-1)
        columns = _at(truth), truth.itemsize == 8, _at(probabilities), truth.size
        places = threads, ctypes.addressof(total), ctypes.addressof(bad_row)
        _check(self._library.thresher_squared_error(*columns, *places), bad_row)
        return total.value

    def loss_moments(
        self,
        scores: Scores,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
        threads: int,
    ) -> Moments:
        out, bad_row = np.empty((2, 11)), ctypes.c_int64(-1)
        columns = _at(scores), _at(positive), _at(negative), positive.size, positive.dtype == _int64
        places = _at(positive_squares), _at(negative_squares), threads, _at(out), ctypes.addressof(bad_row)
        _check(self._library.thresher_loss_moments(*columns, *places), bad_row)
        return out

    def range_sums(self, *arguments: Any) -> RangeSums:
        return binding_rows.range_sums(self._library, *arguments)

    def precision_influence(
        self,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
        scales: tuple[float, float],
        value: float,
    ) -> Moments:
        out = np.empty((2, 3))
        squares = _at(positive_squares), _at(negative_squares)
        self._sweep("thresher_precision_influence", positive, negative, *squares, *scales, value, _at(out))
        return out

    def extremes(self, positive: Counts, negative: Counts) -> Extremes:
        rows = (ctypes.c_int64 * 2)()
        whole = positive.dtype == _int64
        counts = (ctypes.c_int64 * 6)() if whole else (ctypes.c_double * 6)()
        places = ctypes.addressof(rows), ctypes.addressof(counts)
        self._sweep("thresher_extremes", positive, negative, *places)
        if rows[0] < 0:
            return Extremes(-1, math.nan, -1, math.nan)
        tp0, fp0, tp1, fp1, p, n = counts
        # Python divides two whole numbers with a single rounding, however large they are.
        above, below = (tp0 * n - fp0 * p) / (p * n), (fp1 * p - tp1 * n) / (p * n)
        last = positive.size - 1
        return Extremes(rows[0], 0.0 if rows[0] == last else above, rows[1], 0.0 if rows[1] == last else below)

    def hull(self, positive: Counts, negative: Counts) -> Rows:
        out, count = np.empty(positive.size, _int64), ctypes.c_int64(0)
        self._sweep("thresher_hull", positive, negative, _at(out), ctypes.addressof(count))
        rows: Rows = _fit(out, count.value)
        return rows

    def leads(self, positive: Counts, negative: Counts, positive2: Counts, negative2: Counts) -> Leads:
        room = 2 * (positive.size + positive2.size) + 1
        kinds, count = np.empty(room, np.int8), ctypes.c_int64(0)
        fpr, tpr = np.empty(room + 1, _float64), np.empty(room + 1, _float64)
        second = _at(positive2), _at(negative2), positive2.size
        self._sweep(
            "thresher_leads", positive, negative, *second, *map(_at, (kinds, fpr, tpr)), ctypes.addressof(count)
        )
        ends = count.value + 1
        return Leads(kinds[: count.value].copy(), fpr[:ends].copy(), tpr[:ends].copy())

    def fold(self, positive: Counts, negative: Counts) -> tuple[Counts, Counts]:
        columns, count = [np.empty(positive.size, positive.dtype) for _ in range(2)], ctypes.c_int64(0)
        self._sweep("thresher_fold", positive, negative, *map(_at, columns), ctypes.addressof(count))
        return columns[0][: count.value], columns[1][: count.value]  # what is beyond was never touched

    def cumulate_at(self, positive: Counts, negative: Counts, indices: Rows) -> tuple[Counts, Counts]:
        tp, fp = np.empty(indices.size, positive.dtype), np.empty(indices.size, positive.dtype)
        self._sweep("thresher_cumulate_at", positive, negative, _at(indices), indices.size, _at(tp), _at(fp))
        return tp, fp

    def first_reaching(self, positive: Counts, negative: Counts, path: Scores, sizes: Scores) -> tuple[Rows, Rows]:
        on_path, on_sizes = np.empty(path.size, _int64), np.empty(sizes.size, _int64)
        grids = _at(path), path.size, _at(sizes), sizes.size
        self._sweep("thresher_first_reaching", positive, negative, *grids, _at(on_path), _at(on_sizes))
        return on_path, on_sizes

    def polyline_deviation(self, positive: Counts, negative: Counts, indices: Rows) -> tuple[float, float, float]:
        out = (ctypes.c_double * 3)()
        places = _at(indices), indices.size, ctypes.addressof(out)
        self._sweep("thresher_polyline_deviation", positive, negative, *places)
        return out[0], out[1], out[2]
