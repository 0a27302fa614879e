"""Tables whose neighbouring scores are put together until no bin gives a small count away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError


def with_least(table: ScoreTable, cell: int) -> ScoreTable:
    """Table whose bins have at least so many rows of a class, or none; what is left over at the end joins the last."""
    pairs = np.stack([table.positive, table.negative], axis=1).astype(np.float64)
    bins: list[tuple[int, NDArray[np.float64]]] = []  # first row of each, and what it holds
    start, held = 0, np.zeros(2)
    for row, pair in enumerate(pairs):
        held = held + pair
        if ((held == 0) | (held >= cell)).all():
            bins.append((start, held))
            start, held = row + 1, np.zeros(2)
    while held.any() and not ((held == 0) | (held >= cell)).all():
        start, before = bins.pop()
        held = held + before
    starts = [first for first, _ in bins] + ([start] if start < len(pairs) else [])
    return table if len(starts) == len(pairs) else _joined_rows(table, np.array(starts, dtype=np.int64))


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
