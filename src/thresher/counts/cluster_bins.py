"""How often the rows of one cluster fall into two bins: sums over clusters, which add up where clusters differ.

With u the rows of a cluster by class and by bins of every score, the sums of its placements are v·u, v being the mean
placement in each bin, in whatever table. Their second moments over clusters are vᵀ(Σ uuᵀ)v, so that Σ uuᵀ, which names
no cluster and adds up over files of different clusters, is all that the tables of their sum need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.joint import Axis, axes_form, axes_from, rising_scores
from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields

MOST = 256_000_000
"""Bytes that rows of clusters by bins may take; of more clusters there are no such sums."""

NARROW = 2**24
"""Rows up to which 32 bits of a float count each."""

AT_ONCE = 4096
"""Clusters whose products are added at a time."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterBins(ByFields):
    """Σ uuᵀ over clusters, (m, m), of their rows u by bins: of every score the positives by its axis, then the rest."""

    axes: Mapping[str, Axis]
    second: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, "second")

    @property
    def columns(self) -> dict[tuple[str, int], slice]:
        """Which of the m are of a score, and of the positives, 0, or the negatives, 1."""
        return columns_of(self.axes)

    def of(self, names: Sequence[str]) -> ClusterBins:
        """Sums of some of the scores, in their order."""
        at = np.concatenate([np.arange(self.second.shape[0])[self.columns[name, side]]
                             for name in names for side in (0, 1)])  # fmt: skip
        return ClusterBins(axes={name: self.axes[name] for name in names}, second=self.second[np.ix_(at, at)])

    def __add__(self, other: ClusterBins) -> ClusterBins:
        """Sums over the clusters of both, none of which is in both, in the wider bins of both."""
        axes = {name: axis + other.axes[name] for name, axis in self.axes.items()}
        return ClusterBins(axes=axes, second=self._within(axes) + other.of(tuple(axes))._within(axes))

    def _within(self, axes: Mapping[str, Axis]) -> Floats:
        """Sums by the bins of other axes, of which each holds some of these, or is one."""
        columns = columns_of(axes)
        to = np.concatenate([columns[name, side].start + axes[name].places(self.axes[name].starts)
                             for name, side in self.columns])  # fmt: skip
        size = max(own.stop for own in columns.values())
        found = np.zeros((size, size))
        np.add.at(found, (to[:, None], to), self.second)
        return found


def columns_of(axes: Mapping[str, Axis]) -> dict[tuple[str, int], slice]:
    """Places of the bins of each score and class, one after the other."""
    found, start = {}, 0
    for name, axis in axes.items():
        for side in (0, 1):
            found[name, side] = slice(start, start := start + axis.starts.size)
    return found


class Binning:
    """Such sums in the making, of rows that come in parts."""

    def __init__(self, tables: Mapping[str, ScoreTable], *, share: float = 1.0) -> None:
        """Sums of the scores of these tables, which may take such a share of `MOST`."""
        self._most = MOST * share
        self._axes = {name: Axis.of(table) for name, table in tables.items()}
        self._bins = {name: axis.places(rising_scores(tables[name])) for name, axis in self._axes.items()}
        self._columns = columns_of(self._axes)
        self._width = max(own.stop for own in self._columns.values())
        self._many = 0
        self._held = 0.0
        self._rows: NDArray[np.floating[Any]] | None = np.zeros((0, self._width), dtype=np.float32)
        self._sent: tuple[NDArray[np.int64], NDArray[Any]] | None = None  # of one that comes from elsewhere

    def add(self, labels: NDArray[np.bool_], places: Mapping[str, Any], clusters: Any, weights: Any) -> None:
        """Add rows by the places that they have in the tables of their scores, and by their clusters."""
        self._held += labels.size if weights is None else float(weights.sum())
        self._make_room(int(clusters.max(initial=-1)) + 1)
        if self._rows is None:
            return
        one = self._rows.dtype.type(1)
        for name, at in places.items():
            starts = np.array([self._columns[name, 1].start, self._columns[name, 0].start])
            codes = clusters * self._width + starts[labels.astype(np.int64)] + self._bins[name][at]
            np.add.at(self._rows.reshape(-1), codes, one if weights is None else weights.astype(one.dtype))

    def merge(self, other: Binning, clusters: NDArray[np.int64]) -> None:
        """Add what another has of the same scores, by the numbers that its clusters have here."""
        self._held += other._held
        sent = other._sent or other._cells()
        self._rows = None if sent is None else self._rows
        self._make_room(int(clusters.max(initial=-1)) + 1)
        if self._rows is not None and sent is not None:
            codes, rows = sent
            places = clusters[codes // self._width] * self._width + codes % self._width
            self._rows.reshape(-1)[places] += rows  # each place comes once

    def _cells(self) -> tuple[NDArray[np.int64], NDArray[Any]] | None:
        """Numbers of the cells that have rows, of which there are far fewer than cells, and how many each has."""
        if self._rows is None:
            return None
        flat = self._rows[: self._many].reshape(-1)
        codes = np.flatnonzero(flat)
        return codes, flat[codes]

    def emptied(self) -> Binning:
        """Sums of the same scores, of no rows."""
        new = copy(self)
        new._many, new._held, new._sent = 0, 0.0, None
        new._rows = np.zeros((0, self._width), dtype=np.float32)
        return new

    def __getstate__(self) -> dict[str, Any]:
        """What others are merged with, without what rows are added by."""
        return {**self.__dict__, "_sent": self._sent or self._cells(), "_rows": None, "_bins": {}}

    def found(self) -> ClusterBins | None:
        """Sums of all rows so far; None of more clusters than there is room for."""
        if self._sent is not None:
            here = self.emptied()
            here.merge(self, np.arange(self._many))
            return here.found()
        if self._rows is None:
            return None
        kept = self._rows[: self._many]
        second = np.zeros((self._width, self._width))
        for start in range(0, len(kept), AT_ONCE):
            rows = kept[start : start + AT_ONCE].astype(np.float64)
            second += rows.T @ rows
        return ClusterBins(axes=self._axes, second=second)

    @property
    def most(self) -> int:
        """Clusters that there is room for."""
        return int(self._most // (self._width * self._kind.itemsize))

    @property
    def _kind(self) -> np.dtype[np.floating[Any]]:
        return np.dtype(np.float32 if self._held < NARROW else np.float64)

    def _make_room(self, many: int) -> None:
        """Make room for so many clusters, and half as many more while that fits."""
        self._many = max(self._many, many)
        kind = self._kind
        if self._rows is None or (many <= len(self._rows) and self._rows.dtype == kind):
            return
        if self._many > self.most:
            self._rows = None
            return
        longer = np.zeros((min(self._many + self._many // 2, self.most), self._width), dtype=kind)
        kept = min(len(self._rows), len(longer))
        longer[:kept] = self._rows[:kept]
        self._rows = longer


def bins_form(found: ClusterBins | None) -> dict[str, Any] | None:
    """Sums as JSON types that come back to the last bit: of the upper half what is not 0."""
    if found is None:
        return None
    upper = np.triu(found.second).ravel()
    codes = np.flatnonzero(upper)
    return {"axes": axes_form(found.axes), "codes": codes.tolist(), "sums": upper[codes].tolist()}


def bins_from(form: Any, names: Sequence[str]) -> ClusterBins | None:
    """Sums from what `bins_form` makes of them.

    Raises:
        InputError: they are not of this form, or not of these scores.
    """
    if form is None:
        return None
    try:
        axes = axes_from(form["axes"])
        codes, sums = np.array(form["codes"], dtype=np.int64), np.array(form["sums"], dtype=np.float64)
        size = max(own.stop for own in columns_of(axes).values())
        upper = np.zeros(size * size)
        upper[codes] = sums
    except (TypeError, ValueError, KeyError, OverflowError, AttributeError, IndexError):
        raise InputError("its sums of clusters by bins cannot be read") from None
    half = upper.reshape(size, size)
    if tuple(axes) != tuple(names) or not (np.isfinite(sums) & (sums >= 0)).all() or np.tril(half, -1).any():
        raise InputError("its sums of clusters by bins are not of its scores")
    return ClusterBins(axes=axes, second=half + np.triu(half, 1).T)
