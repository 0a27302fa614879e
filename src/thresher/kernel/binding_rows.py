"""The compiled functions that add or place rows, of data or of a table; `Native` has them as methods."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.calling import at, check, run, wide
from thresher.kernel.room import room
from thresher.kernel.values import Counts, JointCounts, Placements, RangeSums, Rows, Scores, Truth


def count_rounded(
    library: ctypes.CDLL,
    truth: Truth,
    scores: Scores,
    weights: Scores | None,
    counts: Counts,
    pages: NDArray[np.int32],
    apart: Rows,
    bits: int,
    lower: bool,
) -> Rows:
    """Rows without a place, of `thresher.kernel.reference.rows`."""
    strays, strayed = np.empty(truth.size, np.int64), ctypes.c_int64(0)
    run(
        truth.size,
        lambda cancel, bad: library.thresher_count_rounded(
            at(truth), at(scores), at(weights), truth.size, at(pages), at(apart), apart.size, bits, lower,
            counts.itemsize == 4, cancel, at(counts), at(strays), ctypes.addressof(strayed), bad,
        ),
    )  # fmt: skip
    return strays[: strayed.value].copy()


def rounded(library: ctypes.CDLL, scores: Scores, bits: int, lower: bool) -> Scores:
    """Scores of `thresher.kernel.reference.rows`."""
    found, bad_row = np.empty_like(scores), ctypes.c_int64(-1)
    check(library.thresher_rounded(at(scores), scores.size, bits, lower, at(found), ctypes.addressof(bad_row)), bad_row)
    return found


def merged_scores(library: ctypes.CDLL, a: Scores, b: Scores, lower: bool) -> tuple[Scores, Rows, Rows]:
    """Scores and rows of `thresher.kernel.reference.rows`."""
    found, rows_a, rows_b = np.empty(a.size + b.size), np.empty(a.size, np.int64), np.empty(b.size, np.int64)
    many, bad_row = ctypes.c_int64(0), ctypes.c_int64(-1)
    places = *map(at, (found, rows_a, rows_b)), ctypes.addressof(many), ctypes.addressof(bad_row)
    check(library.thresher_merged_scores(at(a), a.size, at(b), b.size, lower, *places), bad_row)
    return found[: many.value], rows_a, rows_b


def joint_cells(
    library: ctypes.CDLL,
    scores: Sequence[Scores],
    positive: Counts,
    negative: Counts | None,
    bits: int,
    lower: Truth,
    thresholds: Sequence[Scores],
    most: int,
) -> JointCounts | None:
    """Cells of `thresher.kernel.reference.rows`."""
    models, rows = len(scores), positive.size
    columns = (ctypes.c_void_p * models)(*map(at, scores))
    cuts, ends = np.concatenate([np.zeros(0), *thresholds]), np.cumsum([0, *(each.size for each in thresholds)])
    kind = np.int64 if negative is None else positive.dtype
    cells, counts = np.empty((min(most, rows), models)), np.empty((min(most, rows), 2), kind)
    found = ctypes.c_int64(0)
    run(
        models * rows,
        lambda cancel, bad: library.thresher_joint_cells(
            ctypes.addressof(columns), at(positive), at(negative), rows, models, bits, at(lower), at(cuts), at(ends),
            counts.dtype == np.int64, len(cells), cancel, at(cells), at(counts), ctypes.addressof(found), bad,
        ),
    )  # fmt: skip
    if found.value < 0:
        return None
    distinct = cells[: found.value].T
    order = np.lexsort(distinct[::-1])
    return JointCounts(distinct[:, order], *counts[order].T.copy())


def placements(library: ctypes.CDLL, truth: Truth, columns: Scores, weights: Scores | None, threads: int) -> Placements:
    """What each row misses, of `thresher.kernel.reference.placements`."""
    k, positives = len(columns), int(np.count_nonzero(truth))
    # No row misses more than twice all others.
    kind = np.float64 if weights is not None else np.int32 if truth.size < 2**30 else np.int64
    found = Placements(room(library, (k, positives), kind), room(library, (k, truth.size - positives), kind))
    run(
        columns.size,
        lambda cancel, bad: library.thresher_placements(
            at(truth), at(columns), at(weights), truth.size, threads, cancel, k, *map(at, found), bad
        ),
    )
    return found


def products(library: ctypes.CDLL, a: Counts, b: Counts, threads: int) -> int:
    """The sum of `thresher.kernel.reference.placements`."""
    out, bad_row = (ctypes.c_int64 * 2)(), ctypes.c_int64(-1)
    places = threads, ctypes.addressof(out), ctypes.addressof(bad_row)
    check(library.thresher_products(at(a), at(b), a.size, *places), bad_row)
    return wide(out)


def range_sums(
    library: ctypes.CDLL,
    scores: Scores | None,
    positive: Counts,
    negative: Counts,
    squares: tuple[Scores, Scores] | None,
    ranges: tuple[Rows, Rows],
    threads: int,
) -> RangeSums:
    """The sums of `thresher.kernel.reference.sums`."""
    size, bad_row = ranges[0].size, ctypes.c_int64(-1)
    found = RangeSums(
        np.empty(size, positive.dtype),
        np.empty(size, positive.dtype),
        np.zeros((2 * (scores is not None) + 2 * (squares is not None), size)),  # without rows nothing is written
    )
    table = at(scores), at(positive), at(negative), positive.size, positive.dtype == np.int64
    places = *map(at, squares or (None, None)), *map(at, ranges), size, threads
    check(library.thresher_range_sums(*table, *places, *map(at, found), ctypes.addressof(bad_row)), bad_row)
    return found
