"""Sums of placements by cluster: the basis of the variance of an AUC where rows within a cluster are correlated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import ByFields
from thresher.conventions import Floats
from thresher.counts.scores import ScoreTable
from thresher.predictions import Predictions

OF_CLUSTERS = "Obuchowski"
"""Word in the methods that take clusters as independent."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterSums(ByFields):
    """Sums of the placements of k scores over the rows of each of C clusters, positives first.

    `rows` (2, C) are the rows of each class, frequency weights repeating theirs; `sums` (2, k, C) Σ w·(v − AUC) of the
    placements v of scores `names`, with AUCs `aucs` (k,).

    >>> from thresher.readers import load
    >>> rows = load([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], cluster=[7, 7, 8, 8])
    >>> found = ClusterSums.of_rows(rows, "score", ScoreTable.of_rows(rows, "score"))
    >>> found.sums[:, 0].tolist(), found.aucs.tolist()
    ([[0.25, -0.25], [-0.25, 0.25]], [0.75])
    """

    names: tuple[str, ...]
    aucs: Floats
    rows: Floats
    sums: Floats

    @classmethod
    def of_rows(cls, rows: Predictions, name: str, table: ScoreTable) -> ClusterSums:
        """Sum the placements of rows in the table of their scores, by cluster."""
        sign = 1.0 if table.direction == "higher" else -1.0
        p, n = (column[::-1].astype(np.float64) for column in (table.positive, table.negative))
        positives, negatives = float(p.sum()) or 1.0, float(n.sum()) or 1.0
        below, above = np.cumsum(n) - n / 2, p.sum() - np.cumsum(p) + p / 2
        auc = min(float(p @ below / positives / negatives), 1.0)
        place = np.searchsorted((sign * table.scores)[::-1], sign * np.asarray(rows.scores[name], dtype=np.float64))
        assert rows.cluster is not None
        many, codes = len(rows.cluster.values), rows.cluster.codes
        weights: Floats = rows.row_weights
        sides = [(rows.truth != 0, below / negatives - auc), (rows.truth == 0, above / positives - auc)]
        counts = [np.bincount(codes[own], weights[own], many) for own, _ in sides]
        sums: list[Any] = [np.bincount(codes[own], weights[own] * values[place[own]], many) for own, values in sides]
        return cls(names=(name,), aucs=np.array([auc]), rows=np.stack(counts), sums=np.stack(sums)[:, None])

    def of(self, names: Sequence[str]) -> ClusterSums:
        """Sums of selected scores, in their order."""
        at = [self.names.index(name) for name in names]
        return ClusterSums(names=tuple(names), aucs=self.aucs[at], rows=self.rows, sums=self.sums[:, at])

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
        """Sums of these scores, then of others, for the same rows."""
        names, aucs = self.names + other.names, np.concatenate([self.aucs, other.aucs])
        return ClusterSums(names=names, aucs=aucs, rows=self.rows, sums=np.concatenate([self.sums, other.sums], axis=1))


def cells_of_units(
    unit: NDArray[Any], units: int, truth: NDArray[Any], decided: NDArray[Any], k: int, weights: Floats | None
) -> Floats:
    """Counts (units, K, K) of the rows of each unit, by their true class and the one that is decided for.

    >>> cells_of_units(np.array([0, 0, 1]), 2, np.array([1, 0, 1]), np.array([1, 1, 0]), 2, None).tolist()
    [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [1.0, 0.0]]]
    """
    place = (unit.astype(np.int64) * k + truth) * k + decided
    return np.bincount(place, weights, units * k * k).astype(np.float64).reshape(units, k, k)
