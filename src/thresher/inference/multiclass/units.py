"""What a bootstrap of rows of several classes draws: rows or clusters, within classes or together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.errors import InputError
from thresher.inference.variance import groups_of

Codes = NDArray[np.int64]
Drawn = NDArray[np.uint8] | NDArray[np.float64]
"""How often each row is in each resample, (R, n)."""

CHUNK = 1 << 23
"""Multiplicities drawn at a time."""


def clusters_of(clusters: ArrayLike | None, index: NDArray[np.intp], rows: int) -> NDArray[Any] | None:
    """Cluster of each row that stands at `index` among the `rows` given.

    Raises:
        InputError: clusters of another length.
    """
    if clusters is None:
        return None
    column = np.asarray(clusters)
    if column.shape != (rows,):
        raise InputError(f"clusters have shape {column.shape}, and there are {rows:,} rows.")
    return np.asarray(column[index])


@dataclass(frozen=True, slots=True, eq=False)
class ClassUnits:
    """Unit of every row, and how many units each stratum has; `drawn` says in words what is drawn."""

    unit: Codes
    sizes: Codes
    drawn: str

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.sizes.sum())

    @classmethod
    def of(cls, codes: Codes, *, clusters: ArrayLike | None = None, stratified: bool = True) -> ClassUnits:
        """Units of rows with class codes; clusters that hold several classes are drawn together, not within classes.

        Raises:
            InputError: clusters of another length.

        >>> ClassUnits.of(np.array([1, 0, 1])).unit.tolist()
        [1, 0, 2]
        """
        units, strata, kind = np.arange(codes.size), codes, "rows"
        if clusters is not None:
            column = np.asarray(clusters)
            if column.shape != codes.shape:
                raise InputError(f"clusters have shape {column.shape}, and there are {codes.size:,} rows.")
            units, kind = np.unique(column, return_inverse=True)[1], "clusters"
            strata = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
            strata[units] = codes
            if stratified and not np.array_equal(strata[units], codes):
                stratified, kind = False, "clusters of several classes"
        if not stratified:
            return cls(units.astype(np.int64), np.array([strata.size], dtype=np.int64), kind)
        place = np.empty(strata.size, dtype=np.int64)
        place[np.argsort(strata, kind="stable")] = np.arange(strata.size)
        sizes = np.bincount(strata)
        return cls(place[units], sizes[sizes > 0].astype(np.int64), f"{kind} within classes")

    def resamples(self, n: int, seed: int) -> Iterator[NDArray[np.uint8]]:
        """How often each row is in each of n resamples, (some, rows) at a time."""
        step = max(1, CHUNK // max(1, self.unit.size))
        for first in range(0, n, step):
            units = kernel.draws(self.sizes, min(step, n - first), seed=seed, first=first)
            yield np.ascontiguousarray(units[:, self.unit])

    def left_out(self, groups: int | None = None) -> Iterator[NDArray[np.uint8]]:
        """All rows but those of one unit in turn, or of one of so many groups of units, drawn by lot."""
        count = groups or self.count
        group = groups_of(self.count, count)
        of_row = group[self.unit]
        step = max(1, CHUNK // max(1, self.unit.size))
        for first in range(0, count, step):
            out = np.arange(first, min(first + step, count))
            yield (of_row != out[:, None]).astype(np.uint8)
