"""Results of one sweep of a score table, cached with it, so that a long one is not swept for a few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.frozen_values import cached_property, freeze
from thresher.conventions import divide


class WholeCounts:
    """Attribute of a table: whole counts stored as int8 or int32 are read as int64, converted once; others as stored.

    So no sum or product overflows. Functions of the kernel take the stored columns.
    """

    def __init__(self, name: str) -> None:
        self.name, self.as_int64 = name, f"{name} as int64"

    def __get__(self, table: Any, kind: type | None = None) -> Any:
        if table is None:
            raise AttributeError(self.name)  # as of a field without a default
        held = vars(table)
        counts = held[self.name]
        if counts.dtype.kind != "i" or counts.dtype.itemsize == 8:
            return counts
        if self.as_int64 not in held:
            held[self.as_int64] = freeze(counts.astype(np.int64))
        return held[self.as_int64]

    def __set__(self, table: Any, counts: NDArray[Any]) -> None:
        vars(table)[self.name] = counts


class Sweeps:
    """Part of a `ScoreTable`: its counts at some rows, and the corners of its curves."""

    scores: NDArray[np.float64]
    positive: NDArray[Any]
    negative: NDArray[Any]
    positive_squares: NDArray[np.float64] | None

    resolution: int | None

    @property
    def columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Counts of both classes as stored: whole ones in as few bytes as they need."""
        return vars(self)["positive"], vars(self)["negative"]

    @property
    def auc_bound(self) -> Any:
        """Largest error of the AUC by rounding: ½·Σ pos·neg/(P·N) over the scores; 0 where they are as given.

        NaN where a class is empty.

        >>> from dataclasses import replace
        >>> from thresher.counts import ScoreTable
        >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.9, 0.4, 0.1])
        >>> table.auc_bound, float(replace(table, resolution=16).auc_bound)
        (0.0, 0.125)
        """
        return 0.0 if self.resolution is None else self.ties_bound

    @property
    def ties_bound(self) -> Any:
        """Half the share of pairs of a positive and a negative at one score; NaN where a class is empty."""
        positive, negative = self.positive.astype(np.float64), self.negative.astype(np.float64)
        pairs = (positive * negative).sum(axis=-1)
        return divide(pairs / 2, positive.sum(axis=-1) * negative.sum(axis=-1))[()]

    @cached_property
    def running(self) -> kernel.Running | None:
        """TP and FP at any row of a long table of whole counts; None for others."""
        if self.scores.size < kernel.LONG:
            return None
        is_fit = all(column.dtype.kind == "i" and column.ndim == 1 for column in self.columns)
        return kernel.Running(*self.columns) if is_fit else None

    @cached_property
    def corners(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Counts with the same areas, variances and extremes of the curves as the table.

        Of a long table of whole counts neighboring scores of negatives alone are put together.
        """
        columns, size = (vars(self)["positive"], vars(self)["negative"]), self.scores.size
        if size < kernel.LONG or self.running is None or self.positive_squares is not None:
            return columns
        # No more rows have positives than there are positives.
        if self.running.totals[0] > size // 2 and np.count_nonzero(columns[0]) > size // 2:
            return columns
        first, second = kernel.fold(*columns)
        return freeze(first), freeze(second)

    @cached_property
    def hull_rows(self) -> NDArray[np.int64]:
        """Places of the scores that are vertices of the ROC's convex hull, (0, 0) left out; the same at any prevalence.

        >>> from thresher.counts import ScoreTable
        >>> ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]).hull_rows.tolist()
        [0, 2, 3]
        """
        return freeze(row_of_corner(self, kernel.hull(*self.corners)))


def cumulated(table: Sweeps, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """TP and FP at some rows, which do not fall.

    >>> from thresher.counts import ScoreTable
    >>> tp, fp = cumulated(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]), np.array([0, 2]))
    >>> tp.tolist(), fp.tolist()
    ([1, 2], [0, 1])
    """
    return kernel.cumulate_at(*table.columns, rows) if table.running is None else table.running.at(rows)


def row_of_corner(table: Sweeps, corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the table at which corners are reached, which do not fall."""
    columns = table.corners
    if table.running is None or columns[0] is table.columns[0]:
        return corners
    rows = table.running.first(np.add, np.add(*kernel.cumulate_at(*columns, corners)))
    return np.where(corners == columns[0].size - 1, table.scores.size - 1, rows)
