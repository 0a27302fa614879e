"""Tables whose neighbouring scores are put together until no bin gives a small count away."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError

LEVELS = 64
"""Powers of two below the largest score that edges are told apart by."""


def with_least(table: ScoreTable, cell: int) -> ScoreTable:
    """Table whose bins have at least so many rows of a class, or none.

    Bins are split where they may be, at the multiple of the largest power of two first. So the counts of another site,
    group or day have most of their edges at the same places, and a sum, in which bins that overlap become one, has
    nearly as many bins as its parts.
    """
    columns = np.stack([table.positive, table.negative]).astype(np.float64)
    sums, some = (_before(each) for each in (columns, columns > 0))
    levels, starts, todo = _levels(table.scores), [], [(0, table.scores.size)]
    while todo:
        first, end = todo.pop()
        cuts, ends = np.arange(first + 1, end), np.array([first, end])[:, None]
        rows, known = (np.abs(each[:, cuts][:, None] - each[:, ends]) for each in (sums, some))
        fits = ((known == 0) | (rows >= cell)).all(axis=(0, 1))
        if fits.any():
            cut = first + 1 + int(np.where(fits, levels[first : end - 1], LEVELS + 1).argmin())
            todo += [(cut, end), (first, cut)]
        else:
            starts.append(first)
    whole = table.scores.size == len(starts)
    return table if whole else _joined_rows(table, np.array(starts, dtype=np.int64))


def _before(columns: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of what stands before each row, and of all."""
    return np.concatenate([np.zeros((2, 1)), np.cumsum(columns, axis=1)], axis=1)


def _levels(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """How fine a multiple of a power of two lies between each score and the next, 0 for the coarsest."""
    low, high = np.minimum(scores[1:], scores[:-1]), np.maximum(scores[1:], scores[:-1])
    top = int(np.frexp(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))[1])
    found, todo = np.full(low.size, LEVELS), np.arange(low.size)
    for level in range(LEVELS):
        width = math.ldexp(1.0, max(top - level, -1074))
        with np.errstate(over="ignore"):
            apart = np.floor(high[todo] / width) > np.floor(low[todo] / width)
        found[todo[apart]] = level
        todo = todo[~apart]
    return found


def _joined_rows(table: ScoreTable, starts: NDArray[np.int64]) -> ScoreTable:
    """Table of bins that begin at these rows; each is called after its last score."""
    last = np.append(starts[1:], table.scores.size) - 1
    own = np.zeros(table.scores.size) if table.widths is None else table.widths
    away = 1.0 if table.direction == "higher" else -1.0
    outer = table.scores[starts] + away * own[starts]
    outer = np.where(own[starts] > 0, outer, np.nextafter(outer, away * np.inf))
    widths = own[last].copy()
    many = last > starts
    with np.errstate(invalid="ignore"):
        widths[many] = np.abs(outer[many] - table.scores[last[many]])
    if not np.isfinite(widths).all():
        raise InputError("an infinite score has too few rows of a class, and no bin holds it: leave such rows out.")
    counts: dict[str, Any] = {
        name: np.add.reduceat(c, starts) for name in COLUMNS if (c := getattr(table, name)) is not None
    }
    return replace(table, scores=table.scores[last], widths=widths, binned=True, losses=None, **counts)
