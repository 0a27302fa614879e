"""Sums of placements by cluster: what the variance of an AUC needs where rows of one cluster are not independent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction, Floats, is_positive
from thresher.counts.cluster_bins import Binning, ClusterBins
from thresher.counts.cluster_rates import RateSums, rate_sums
from thresher.counts.paired_sums import Cut
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields
from thresher.sentences import keyword

OF_CLUSTERS = "Obuchowski"
"""Word of the methods that take clusters as independent."""

A_NAME = 200
"""Bytes that the value of a cluster takes while rows are read, about."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterSums(ByFields):
    """Sums of the placements of k scores over the rows of each of C clusters, those of the positives first.

    `rows` (2, C) are the rows of each class, frequency weights repeating theirs; `sums` (2, k, C) Σ w·(v − AUC) of the
    placements v of scores `names`, whose AUCs are `aucs` (k,). The clusters have no names. Without scores nothing is
    known but that there are clusters, as in a group, in whose table placements are others. `bins` are what the sums of
    several counts need, unless there are more clusters than the `most` they take, `rates` what rates at
    thresholds need.

    >>> import thresher as th
    >>> found = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], cluster=[7, 7, 8, 8]).clusters
    >>> found.sums[:, 0].tolist(), found.aucs.tolist()
    ([[0.25, -0.25], [-0.25, 0.25]], [0.75])
    """

    names: tuple[str, ...]
    aucs: Floats
    rows: Floats
    sums: Floats
    bins: ClusterBins | None = None
    rates: RateSums | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "aucs", "rows", "sums")

    def of(self, names: Sequence[str]) -> ClusterSums:
        """Sums of some of the scores, in their order."""
        at = [self.names.index(name) for name in names]
        bins = None if self.bins is None or not at else self.bins.of(names)
        rates = None if self.rates is None or not at else self.rates.of(names)
        known: Any = {"rows": self.rows, "bins": bins, "rates": rates, "most": self.most}
        return ClusterSums(names=tuple(names), aucs=self.aucs[at], sums=self.sums[:, at], **known)

    @property
    def totals(self) -> Floats:
        """Rows of each class."""
        found: Floats = self.rows.sum(axis=1)
        return found

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Number of clusters that hold positives, of those that hold negatives, and of all with rows."""
        p, n = self.rows > 0
        return int(p.sum()), int(n.sum()), int((p | n).sum())

    @property
    def second(self) -> Floats:
        """Σ A·Aᵀ (2, k, 2, k) over clusters of the sums of the placements of positives and negatives."""
        found: Floats = np.einsum("aic,bjc->aibj", self.sums, self.sums)
        return found

    def beside(self, other: ClusterSums) -> ClusterSums:
        """Sums of these scores and then others, of the same rows."""
        names, aucs = self.names + other.names, np.concatenate([self.aucs, other.aucs])
        return ClusterSums(names=names, aucs=aucs, rows=self.rows, sums=np.concatenate([self.sums, other.sums], axis=1))


class Clustering:
    """Sums of clusters in the making, of rows that come in parts; a cluster may have rows in several of them."""

    def __init__(
        self,
        scores: int,
        *,
        memory: float,
        binning: Binning | None = None,
        cuts: Sequence[tuple[int, Cut, Direction]] = (),
    ) -> None:
        """Sums of so many scores, which may take these bytes, and by bins, if these are to add up.

        `cuts` are where decisions are summed up: the place of a score among all, its name and threshold, and direction.

        `add` raises InputError where there are more clusters than that has room for.
        """
        self._memory, self._binning, self._scores, self._cuts = memory, binning, scores, cuts
        self._known: dict[Hashable, int] = {}
        self._sums = np.zeros((2, scores + 1 + len(cuts), 0))

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Clusters so far."""
        return tuple(self._known)

    def places(self, values: Sequence[Hashable], codes: NDArray[Any]) -> NDArray[np.int64]:
        """Number of the cluster of each row of a part, by codes into its values."""
        found: NDArray[np.int64] = self._numbers(values)[codes]
        return found

    def _numbers(self, values: Iterable[Hashable]) -> NDArray[np.int64]:
        """Number of each cluster; new ones are given the next."""
        at = np.array([self._known.setdefault(value, len(self._known)) for value in values], dtype=np.int64)
        self._make_room()
        return at

    def emptied(self) -> Clustering:
        """Sums of the same scores, of no rows."""
        binning = None if self._binning is None else self._binning.emptied()
        return Clustering(self._scores, memory=self._memory, binning=binning, cuts=self._cuts)

    def merge(self, other: Clustering) -> None:
        """Add the sums that another has made of other rows in the same tables.

        Raises:
            InputError: there are more clusters than the memory has room for.
        """
        at = self._numbers(other._known)
        self._sums[:, :, at] += other._sums[:, :, : len(at)]
        if self._binning is not None and other._binning is not None:
            self._binning.merge(other._binning, at)

    def __getstate__(self) -> dict[str, Any]:
        """What others are merged with, without room for more."""
        return {**self.__dict__, "_sums": self._sums[:, :, : len(self._known)]}

    def add(
        self,
        labels: NDArray[np.bool_],
        placed: Floats,
        clusters: NDArray[np.int64],
        weights: Any,
        places: Any,
        scores: Floats,
    ) -> None:
        """Add the placements (k, n) of rows with these `scores`, less the AUCs, at `places` in the tables by name."""
        decided = [is_positive(scores[k], cut, direction) for k, (_, cut), direction in self._cuts]
        for side, own in enumerate((labels, ~labels)):
            weight = np.ones(int(own.sum())) if weights is None else weights[own]
            values = (*(row[own] * weight for row in placed), weight, *(row[own] * weight for row in decided))
            for sums, value in zip(self._sums[side], values, strict=True):
                np.add.at(sums, clusters[own], value)
        if self._binning is not None:
            self._binning.add(labels, places, clusters, weights)

    def found(self, names: Sequence[str], aucs: Floats) -> ClusterSums:
        """Sums of all rows so far."""
        sums = self._sums[:, :, : len(self._known)]
        bins = None if self._binning is None else self._binning.found()
        k, rows = self._scores, sums[:, self._scores].copy()
        rates = rate_sums([cut for _, cut, _ in self._cuts], rows, sums[:, k + 1 :]) if self._cuts else None
        most = None if self._binning is None or bins is not None else self._binning.most
        known: Any = {"bins": bins, "rates": rates, "most": most}
        return ClusterSums(names=tuple(names), aucs=aucs, rows=rows, sums=sums[:, :k].copy(), **known)

    def _make_room(self) -> None:
        """Make the sums as long as there are clusters, and half as long again."""
        many, (sides, columns, size) = len(self._known), self._sums.shape
        if many <= size:
            return
        if many * (sides * columns * self._sums.itemsize + A_NAME) > self._memory:
            raise InputError(
                f"the sums of more than {many:,} clusters take more than the {self._memory / 1e9:.3g} GB of memory "
                f"that they may: allow more with " + keyword("memory", "…") + ", or leave out "
                + keyword("cluster", "…") + "."
            )  # fmt: skip
        longer = np.zeros((sides, columns, many + many // 2))
        longer[:, :, :size] = self._sums
        self._sums = longer
