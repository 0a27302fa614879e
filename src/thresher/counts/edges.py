"""Thresholds at which bins of scores are cut: rows are counted on both sides, so that matrices there are exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction, Floats, is_positive
from thresher.counts.merging import COLUMNS
from thresher.errors import OptionError
from thresher.sentences import keyword

Table: TypeAlias = Any
"""A `ScoreTable`, whose module knows of its builder, and so of these edges."""


class Edges:
    """What is predicted positive at some thresholds, counted as rows come.

    >>> from thresher.counts import ScoreTable
    >>> edges = Edges([0.3], "higher")
    >>> edges.add_rows(np.array([1, 0, 1]), np.array([0.9, 0.3, 0.2]), None)
    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([1, 1]), negative=np.array([0, 1]), binned=True,
    ...     widths=np.array([0.5, 0.5]),
    ... )
    >>> edges.cut(bins).scores.tolist(), edges.cut(bins).negative.tolist()
    ([0.5, 0.3, 0.0], [0, 1, 0])
    """

    def __init__(self, thresholds: Sequence[float], direction: Direction) -> None:
        if any(math.isnan(each) for each in thresholds):
            raise OptionError(keyword("thresholds", "nan") + ": a threshold is a number on the scale of the scores.")
        self.thresholds = sorted({float(each) for each in thresholds if math.isfinite(each)})
        self.direction: Direction = direction
        self.above = np.zeros((len(self.thresholds), len(COLUMNS)))

    def add_rows(self, truth: NDArray[Any], scores: Floats, weights: Floats | None) -> None:
        """Count rows."""
        for sums, threshold in zip(self.above, self.thresholds, strict=True):
            inside = is_positive(scores, threshold, self.direction)
            positive = inside & (truth != 0)
            if weights is None:
                held = np.count_nonzero(positive)
                sums[:2] += held, np.count_nonzero(inside) - held
                continue
            for place, rows in enumerate((positive, inside & (truth == 0))):
                own = weights[rows]
                sums[[place, place + 2]] += own.sum(), float(own @ own)

    def add_table(self, table: Table) -> None:
        """Count the rows of a table; a threshold that lies inside of one of its bins is given up."""
        for sums, threshold in zip(self.above, self.thresholds, strict=True):
            k = table.rank_of(threshold)
            inside = k < table.scores.size and table.widths is not None and _holds(table, k, threshold)
            columns = [getattr(table, name) for name in COLUMNS]
            sums += [math.nan if inside else 0.0 if column is None else column[:k].sum() for column in columns]

    def cut(self, table: Table) -> Table:
        """Table whose bins are cut at the thresholds, each side with its own rows."""
        for sums, threshold in zip(self.above, self.thresholds, strict=True):
            k = table.rank_of(threshold)
            if k < table.scores.size and _holds(table, k, threshold) and not np.isnan(sums).any():
                table = _cut(table, k, threshold, sums)
        return table


def _holds(table: Table, k: int, threshold: float) -> bool:
    """Whether a threshold lies inside of a bin, above its first score."""
    away = 1.0 if table.direction == "higher" else -1.0
    start = away * float(table.scores[k])
    return table.widths is not None and start < away * threshold < start + float(table.widths[k])


def _cut(table: Table, k: int, threshold: float, above: Floats) -> Table:
    """Table of which one bin is two; as it was where no float64 is as wide as the lower part."""
    away = 1.0 if table.direction == "higher" else -1.0
    start, at = away * float(table.scores[k]), away * threshold
    end = start + float(table.widths[k])
    low, high = _width(start, at), _width(at, end)
    if low is None or high is None:
        return table
    columns: dict[str, Any] = {}
    for name, total in zip(COLUMNS, above, strict=True):
        column = getattr(table, name)
        if column is not None:
            upper = np.clip(total - column[:k].sum(), 0, column[k]).astype(column.dtype)
            columns[name] = np.concatenate([column[:k], [upper, column[k] - upper], column[k + 1 :]])
    widths = np.concatenate([table.widths[:k], [high, low], table.widths[k + 1 :]])
    return replace(table, scores=np.insert(table.scores, k, threshold), widths=widths, **columns)


def _width(start: float, end: float) -> float | None:
    """Width that leads from one score to another in float64, if there is one."""
    guess = end - start
    near = (guess, math.nextafter(guess, 0.0), math.nextafter(guess, math.inf))
    return next((width for width in near if start + width == end), None)
