"""The spread of a mean over classes, in which no class is taken for certain because it has few rows or no errors.

The delta method takes a class of which one row was seen, right or wrong, to be known exactly: its share of 0 or 1 has
no variance. Here a class's variance is that of its share with one success and one failure added, p̃(1 − p̃)/n_k with
p̃ = (x_k + 1)/(n_k + 2), for F1 that of the Jaccard index, mapped; the correlations of the classes, which share their
errors, and of their shares are the delta method's on a matrix with half a row spread over each row. Measures that are
no shares take that matrix for their variances too. For coverage see docs/coverage.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts import Cells
from thresher.counts.cells import class_cells
from thresher.inference.matrices.class_slopes import slopes_by_cell
from thresher.measures import find
from thresher.measures.registry import Measure, statistic_of

ADDED = 0.5
"""Rows that are spread over the cells of each class for the correlations."""


def spread_of_mean(entry: Measure, how: str, counts: Floats, squares: Floats, parameters: dict[str, Any]) -> float:
    """Standard error of a macro or weighted mean of a measure over the classes of K×K counts.

    `squares` are Σw² of each cell. NaN where a class has no rows to read the measure from.
    """
    weight = float(squares.sum() / counts.sum())
    extra = ADDED / len(counts) * weight
    smooth, smooth_squares = counts + extra, squares + extra * weight
    of_each = class_cells(smooth)
    by_cell = slopes_by_cell(entry, np.stack([of_each.tp, of_each.fp, of_each.fn, of_each.tn]), parameters)[1]
    slopes = Cells(*by_cell)
    own = np.sqrt(_variances(slopes, class_cells(smooth_squares)))
    spread = np.sqrt(_of_shares(entry, counts, squares, parameters)) if _is_share(entry) else own
    cells = class_cells(counts)
    rows, total = cells.tp + cells.fn, float(counts.sum())
    part = np.full(len(counts), 1 / len(counts)) if how == "macro" else rows / total
    spread = np.where(part > 0, spread, 0.0)
    moved = _moves(slopes, part * divide(spread, own))
    variance = float(((part * spread) ** 2).sum()) + _shared(moved, smooth_squares)
    if how == "weighted":
        # The shares of the classes are as random as what is right in them, and rows of a rare class that are taken for
        # a frequent one lower its precision with its share.
        values = entry.on(statistic_of(entry, cells), **parameters)
        away = np.where(part > 0, values, 0.0)
        away = (away - float(part @ away)) / total
        by_cell = moved.a.sum() + moved.b[:, None] + moved.c + np.diag(moved.d)
        variance += float(squares.sum(axis=1) @ away**2) + 2 * float(away @ (smooth_squares * by_cell).sum(axis=1))
    return math.sqrt(variance) if variance >= 0 else math.nan


def _is_share(entry: Measure) -> bool:
    return entry.proportion or entry.doubled is not None


def _of_shares(entry: Measure, counts: Floats, squares: Floats, parameters: dict[str, Any]) -> Floats:
    """Variance of every class's share with one success and one failure added."""
    doubled = entry.doubled
    share = entry if doubled is None else find(doubled)
    parameters = parameters if doubled is None else {}
    successes, trials = share.ratio(statistic_of(share, class_cells(counts)), **parameters)
    size = divide(trials**2, share.ratio(statistic_of(share, class_cells(squares)), **parameters)[1])
    p = (divide(successes, trials) * size + 1) / (size + 2)
    slope = 1.0 if doubled is None else 2 / (1 + p) ** 2
    return np.asarray(slope**2 * divide(p * (1 - p), size))


def _variances(slopes: Cells, squares: Cells) -> Floats:
    """Variance of every class's value from its slopes by its four cells."""
    pairs = zip((slopes.tp, slopes.fp, slopes.fn, slopes.tn), (squares.tp, squares.fp, squares.fn, squares.tn),
                strict=True)  # fmt: skip
    return np.asarray(sum(slope**2 * square for slope, square in pairs))


class _Moves(NamedTuple):
    """How the value of every class k moves: by a_k with any row, besides by b_k with those of row k of the matrix, by
    c_k with those of column k, and by d_k where both meet.
    """

    a: Floats
    b: Floats
    c: Floats
    d: Floats


def _moves(slopes: Cells, part: Floats) -> _Moves:
    """Moves of every class's value, each times its part."""
    part = np.where(np.isfinite(part), part, 0.0)
    a, b, c = (part * each for each in (slopes.tn, slopes.fn - slopes.tn, slopes.fp - slopes.tn))
    return _Moves(a, b, c, part * (slopes.tp - slopes.fn - slopes.fp + slopes.tn))


def _shared(moved: _Moves, squares: Floats) -> float:
    """Σ of the covariances of all pairs of different classes: sums over whole rows, columns and cells."""
    a, b, c, d = moved
    diagonal = np.diagonal(squares)
    along = b * squares.sum(axis=1) + c * squares.sum(axis=0) + d * diagonal
    everywhere = float(a.sum()) ** 2 - float(a @ a)
    lines = float(a.sum() * along.sum() - a @ along)
    crossing = float(b @ squares @ c - (b * c) @ diagonal)
    return everywhere * float(squares.sum()) + 2 * lines + 2 * crossing
