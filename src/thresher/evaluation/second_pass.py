"""The second pass over rows that are counted: placements in the tables of all rows, and in those of their group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from thresher.counts import Counts, ScoreTable
from thresher.counts.cluster_bins import Binning
from thresher.counts.clusters import Clustering, ClusterSums
from thresher.counts.paired_sums import Cut
from thresher.counts.pairs import PlacementMoments, Placing
from thresher.counts.refining import CHANGED
from thresher.engines.parts import check_kind
from thresher.errors import InputError
from thresher.evaluation.first_pass import MOST_HELD
from thresher.evaluation.group_tables import Group, by_group
from thresher.predictions import Predictions

Tables = Mapping[Group | None, Mapping[str, ScoreTable]]
"""Tables that rows are placed in: of all rows, None, and of groups."""


class PlacementSums(NamedTuple):
    """Sums over the placements of rows in tables, by cluster too if these were asked for."""

    moments: PlacementMoments
    clustering: Clustering | None

    @property
    def clusters(self) -> ClusterSums | None:
        """Sums of the clusters, which have no names any more."""
        return None if self.clustering is None else self.clustering.found(self.moments.names, self.moments.centers)


Found = dict[Group | None, PlacementSums]
"""What was placed, by the tables."""


def placed_in(found: Counts, *, clustered: bool) -> Tables:
    """Tables of counts that rows are placed in: with clusters those of groups too, unless there are many."""
    tables: dict[Group | None, Mapping[str, ScoreTable]] = {None: {name: found[name] for name in found}}
    if clustered and found.by and len(found.groups) <= MOST_HELD:
        tables.update(found.groups.items())
    return tables


class SecondPass:
    """Such sums in the making."""

    def __init__(self, tables: Tables, cuts: Sequence[Cut], *, pairs: bool, clustered: float | None) -> None:
        """Sums in these tables; `pairs` say how the scores go together, `clustered` bytes are for clusters, if any."""
        self._placings = {
            key: Placing(
                named, cuts if key is None else (), cells=pairs and key is None,
                clustering=None if clustered is None else _clustering(named, cuts, clustered, 1 / len(tables)),
            )
            for key, named in tables.items()
        }  # fmt: skip

    def add(self, rows: Predictions) -> None:
        """Place rows among all, and those of each group among its own.

        Raises:
            InputError: no row of a group was counted.
        """
        self._placings[None].add(rows.truth, rows.scores, rows.weights, rows.cluster)
        for key, places in by_group(rows) if len(self._placings) > 1 else ():
            if key not in self._placings:
                raise InputError(CHANGED)
            part = rows.take(places)
            self._placings[key].add(part.truth, part.scores, part.weights, part.cluster)

    def found(self) -> Found:
        """Sums over all rows so far."""
        return {key: PlacementSums(placing.moments(), placing.clustering) for key, placing in self._placings.items()}


def _clustering(tables: Mapping[str, ScoreTable], cuts: Sequence[Cut], memory: float, share: float) -> Clustering:
    order = list(tables)
    at = [(order.index(cut[0]), cut, tables[cut[0]].direction) for cut in dict.fromkeys(cuts)]
    return Clustering(len(tables), memory=memory * share, binning=Binning(tables, share=share), cuts=at)


def together(parts: Sequence[Found]) -> Found:
    """Sums over the rows of all parts, placed in the same tables; those of a cluster are of its rows in all parts.

    Raises:
        InputError: clusters are read otherwise in one part than in another, or are more than there is memory for.
    """
    return {key: _sum([part[key] for part in parts]) for key in parts[0]}


def _sum(parts: Sequence[PlacementSums]) -> PlacementSums:
    moments = reduce(PlacementMoments.__add__, [part.moments for part in parts])
    first = parts[0].clustering
    if first is None:
        return PlacementSums(moments, None)
    whole = first.emptied()  # the parts stay as they are, for a task that is tried again
    for part in parts:
        assert part.clustering is not None
        check_kind(whole.values, part.clustering.values)
        whole.merge(part.clustering)
    return PlacementSums(moments, whole)


def with_placements(counts: Counts, found: Found, *, pairs: bool) -> Counts:
    """Counts that know how the scores of a row go together, or sums of clusters.

    Raises:
        InputError: other rows were placed than were counted.
    """
    for key, each in found.items():
        table = next(iter((counts if key is None else counts.groups[key]).values()))
        if not np.allclose(each.moments.totals, [table.P, table.N], rtol=1e-9, atol=1e-9):
            raise InputError(CHANGED)
    groups = {key: sums for key, each in found.items() if key is not None and (sums := each.clusters) is not None}
    moments = found[None].moments if pairs else None
    return replace(counts, pairs=moments, clusters=found[None].clusters, group_clusters=groups)
