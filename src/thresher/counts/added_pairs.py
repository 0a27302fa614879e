"""Moments of placements in the tables of several parts together, from the cells that their rows fall into.

A placement depends on all rows of the other class, so that those of two files are not those of their sum. But the rows
of a cell have two scores in two bins, and the placements in a bin lie between its first and its last: their mean is
known from the table, and no row is further from it than `_Bins.off`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.joint import Axis, JointCounts, rising_scores
from thresher.counts.paired_sums import PairedSums
from thresher.counts.pairs import PlacementMoments, Places
from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass

ROUNDING = 1e-13
"""How far a placement may be from the mean of equal ones."""


def sum_of_pairs(
    tables: Mapping[str, ScoreTable], one: PlacementMoments | None, two: PlacementMoments | None
) -> PlacementMoments | None:
    """Moments of the rows of two parts in the tables of both; None where one of the parts does not say its cells."""
    if one is None or two is None or one.cells is None or two.cells is None:
        return None
    cells, two = one.cells + two.cells, two.of(one.names)
    sums = None
    if one.sums is not None and two.sums is not None:
        common = [cut for cut in one.sums.cuts if cut in two.sums.cuts]
        sums = one.sums.at_cuts(common) + two.sums.at_cuts(common)
    return moments_of_cells(tables, cells, one.names, sums)


def moments_of_cells(
    tables: Mapping[str, ScoreTable], cells: JointCounts, names: tuple[str, ...], sums: PairedSums | None
) -> PlacementMoments:
    """Moments of the rows of cells, with how far those of two scores may be off.

    What the rows of a bin differ by from its mean adds up to 0, so that only what the other score's means differ by
    among them counts: |Σ v·w − Σ v̄·w̄| ≤ Σ (off·|w̄ − mean of w̄| + off·|v̄ − mean of v̄| + off·off).
    """
    k = len(names)
    first, second, slack = np.zeros((2, k)), np.zeros((2, k, k)), np.zeros((2, k, k))
    places = {name: Places(tables[name]) for name in names}
    for side in (0, 1):
        bins = {name: bins_of(tables[name], cells.axes[name], places[name], side) for name in names}
        for i, name in enumerate(names):
            first[side, i], second[side, i, i] = bins[name].first, bins[name].square
        for pair in cells.codes:
            i, j = (names.index(name) for name in pair)
            one, two, rows = cells.cells(pair)
            found, off = _product(bins[pair[0]], bins[pair[1]], one, two, rows[side])
            second[side, i, j] = second[side, j, i] = found
            slack[side, i, j] = slack[side, j, i] = off
    table = tables[names[0]]
    return PlacementMoments(
        names=names, totals=np.array([table.P, table.N], dtype=np.float64), first=first, second=second, slack=slack,
        centers=np.array([places[name].auc for name in names]), sums=sums, cells=cells,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Bins:
    """Placements of one class by the bins of a score: their mean, how far a row may be off it, and sums over all."""

    mean: Floats
    off: Floats
    first: float
    square: float


def bins_of(table: ScoreTable, axis: Axis, places: Places, side: int) -> _Bins:
    """Placements of the positives, side 0, or the negatives of a table by the bins of an axis."""
    rows = (table.negative if side else table.positive)[::-1].astype(np.float64)
    placed = places.of_class(1 - side)
    bin_ = axis.places(rising_scores(table))
    total, size = np.bincount(bin_, rows, axis.starts.size), axis.starts.size
    mean = np.bincount(bin_, rows * placed, size) / np.maximum(total, 1e-300)
    off, some = np.zeros(size), rows > 0
    np.maximum.at(off, bin_[some], np.abs(placed - mean[bin_])[some])
    off[off < ROUNDING] = 0.0
    return _Bins(mean, off, float(rows @ placed), float(rows * placed @ placed))


def _product(a: _Bins, b: _Bins, one: NDArray[np.int64], two: NDArray[np.int64], rows: Floats) -> tuple[float, float]:
    """Sum of the products of two placements over the rows of cells, and how far it may be off."""
    v, w = a.mean[one], b.mean[two]
    apart_w, apart_v = np.abs(w - _means(one, w, rows)), np.abs(v - _means(two, v, rows))
    off_v, off_w = a.off[one], b.off[two]
    return float(rows * v @ w), float(rows @ (off_v * apart_w + off_w * apart_v + off_v * off_w))


def _means(bins: NDArray[np.int64], values: Floats, rows: Floats) -> Floats:
    """Mean of the values over the rows of each bin, for every cell."""
    total = np.maximum(np.bincount(bins, rows), 1e-300)
    found: Floats = (np.bincount(bins, rows * values) / total)[bins]
    return found


def error_of_differences(pairs: PlacementMoments) -> float:
    """How far the standard error of a difference of two AUCs may be off at the most, as a share of it."""
    if pairs.slack is None or (pairs.totals < 2).any():
        return 0.0
    counts = (pairs.totals * (pairs.totals - 1))[:, None, None]
    about = pairs.second - pairs.first[:, :, None] * pairs.first[:, None, :] / pairs.totals[:, None, None]
    each, off = (about / counts).sum(axis=0), 2 * (pairs.slack / counts).sum(axis=0)
    spread = np.diag(each)[:, None] + np.diag(each) - 2 * each
    apart = off > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 1 - np.sqrt(np.maximum(1 - off[apart] / spread[apart], 0.0))
    return float(share.max(initial=0.0))
