"""What is left of sums by cluster when counts are saved and added up: their second moments, which name no cluster."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts.added_pairs import bins_of
from thresher.counts.cluster_bins import ClusterBins, bins_form, bins_from
from thresher.counts.cluster_rates import RateSums, rates_form, rates_from
from thresher.counts.clusters import ClusterSums
from thresher.counts.pairs import Places
from thresher.counts.saved import key_from, labels_form
from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields
from thresher.predictions.columns import counted
from thresher.sentences import keyword


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterMoments(ByFields):
    """Second moments over clusters of what `ClusterSums` has of each, and how far they may be off.

    `totals` (2,) are the rows of each class, `sizes` the clusters that hold positives, negatives, and any row;
    `second` (2, k, 2, k) Σ A·Aᵀ of the sums of placements of positives and negatives. `slack`, of the same shape, are
    the moments of how far each such sum may be off; `bins` are what further sums need, `rates` moments
    at thresholds. `parts` were added up.
    """

    names: tuple[str, ...]
    aucs: Floats
    totals: Floats
    sizes: tuple[int, int, int]
    second: Floats
    slack: Floats
    bins: ClusterBins | None = None
    rates: RateSums | None = None
    parts: int = 1

    def __post_init__(self) -> None:
        freeze_fields(self, "aucs", "totals", "second", "slack")

    def of(self, names: Sequence[str]) -> ClusterMoments:
        """Moments of some of the scores, in their order."""
        at = [self.names.index(name) for name in names]
        return ClusterMoments(
            names=tuple(names), aucs=self.aucs[at], totals=self.totals, sizes=self.sizes, parts=self.parts,
            second=self.second[:, at][..., at], slack=self.slack[:, at][..., at],
            bins=None if self.bins is None or not at else self.bins.of(names),
            rates=None if self.rates is None or not at else self.rates.of(names),
        )  # fmt: skip


Clusters = ClusterSums | ClusterMoments


def moments_of(found: Clusters) -> ClusterMoments:
    """Moments of sums by cluster, which are exact."""
    if isinstance(found, ClusterMoments):
        return found
    return ClusterMoments(
        names=found.names, aucs=found.aucs, totals=found.totals, sizes=found.sizes, second=found.second,
        slack=np.zeros_like(found.second), bins=found.bins, rates=found.rates,
    )  # fmt: skip


def sum_of_clusters(
    tables: Mapping[str, ScoreTable], one: Clusters | None, two: Clusters | None
) -> ClusterMoments | None:
    """Moments in the tables of two parts together, whose clusters are taken as different ones.

    Raises:
        InputError: rows of one of the parts have no clusters, or more than add up.
    """
    if one is None and two is None:
        return None
    if one is None or two is None:
        raise InputError(
            "counts of rows in clusters and counts without clusters cannot be added: count all with "
            + keyword("cluster", "…") + ", or none."
        )  # fmt: skip
    found = _added(tables, one, two)
    if found is None:
        raise InputError(
            "counts of " + _too_many(one if moments_of(one).bins is None else two) + " are not added up: count all "
            "files at once, " + _FEWER
        )  # fmt: skip
    return found


def sum_by_group(
    groups: Mapping[Any, Mapping[str, ScoreTable]], parts: Sequence[tuple[Container[Any], Mapping[Any, Clusters]]]
) -> dict[Any, Clusters]:
    """Such sums of every group, of parts that have these groups, and clusters of some of them.

    None of a group whose clusters not every part tells, or tells of too many.
    """
    found = {}
    for key, tables in groups.items():
        own = [clusters.get(key) for keys, clusters in parts if key in keys]
        added = own[0] if len(own) < 2 or own[0] is None or own[1] is None else _added(tables, own[0], own[1])
        if added is not None and None not in own:
            found[key] = added
    return found


def _added(tables: Mapping[str, ScoreTable], one: Clusters, two: Clusters) -> ClusterMoments | None:
    """Moments in the tables of both; None of more clusters than add up."""
    a, b = moments_of(one), moments_of(two)
    sizes = tuple(i + j for i, j in zip(a.sizes, b.sizes, strict=True))
    parts: dict[str, Any] = {"sizes": sizes, "parts": a.parts + b.parts}
    if not a.names or not b.names:
        return ClusterMoments(names=(), **_nothing(a.totals + b.totals), **parts)
    if a.bins is None or b.bins is None:
        return None
    parts["rates"] = None if a.rates is None or b.rates is None else a.rates + b.rates
    return _in_tables(tables, a.bins + b.bins, parts)


def _nothing(totals: Floats) -> dict[str, Any]:
    """Moments of no score."""
    none = np.zeros((2, 0, 2, 0))
    return {"aucs": np.zeros(0), "totals": totals, "second": none, "slack": none}


def _in_tables(tables: Mapping[str, ScoreTable], bins: ClusterBins, parts: Mapping[str, Any]) -> ClusterMoments:
    """Moments of clusters whose rows are known by bins, in the tables of all rows.

    The placements of a bin have the mean of all rows there, and none is further from it than `off`. So a cluster's sum
    is off by u·off at the most, and the moments of these bound, by the triangle inequality, how far the root of a sum
    of squares over clusters is off.
    """
    names, columns = tuple(bins.axes), bins.columns
    means, off = (np.zeros((2, len(names), len(bins.second))) for _ in range(2))
    places = {name: Places(tables[name]) for name in names}
    for (name, side), own in columns.items():
        found = bins_of(tables[name], bins.axes[name], places[name], side)
        means[side, names.index(name), own], off[side, names.index(name), own] = found.mean, found.off
    second, slack = (np.einsum("aim,bjm->aibj", each @ bins.second, each) for each in (means, off))
    table = tables[names[0]]
    return ClusterMoments(
        names=names, aucs=np.array([places[name].exact_auc for name in names]), second=second, slack=slack, bins=bins,
        totals=np.array([table.P, table.N], dtype=np.float64), **parts,
    )  # fmt: skip


def check_saved(found: Clusters | None) -> None:
    """Refuse to save counts of more clusters than add up.

    Raises:
        InputError: they are so many.
    """
    if found is not None and found.names and found.bins is None:
        raise InputError("counts of " + _too_many(found) + " are not saved: evaluate the rows at once, " + _FEWER)


_FEWER = "count fewer scores or groups, or leave out " + keyword("cluster", "…") + "."


def _too_many(found: Clusters) -> str:
    """Clusters that are too many to add up, and how many are not."""
    most = "" if isinstance(found, ClusterMoments) or found.most is None else f" (at most {found.most:,} add up here)"
    return f"{counted(found.sizes[2], 'cluster')}{most}"


_ARRAYS = {"aucs": 1, "totals": 0, "second": 2, "slack": 2}
"""Numbers, and their numbers of axes of scores."""


def clusters_form(found: Clusters | None) -> dict[str, Any] | None:
    """Moments as JSON types that come back to the last bit."""
    if found is None:
        return None
    kept = moments_of(found)
    arrays = {name: [float(value).hex() for value in getattr(kept, name).ravel()] for name in _ARRAYS}
    whole = {"names": list(kept.names), "sizes": list(kept.sizes), "parts": kept.parts}
    return whole | arrays | {"bins": bins_form(kept.bins), "rates": rates_form(kept.rates)}


def clusters_from(form: Any, known: Sequence[str]) -> ClusterMoments | None:
    """Moments of the `known` scores from what `clusters_form` makes of them.

    Raises:
        InputError: they are not of this form.
    """
    if form is None:
        return None
    try:
        names, sizes = tuple(form["names"]), tuple(int(size) for size in form["sizes"])
        k = len(names)
        shapes = {"aucs": (k,), "totals": (2,), "second": (2, k, 2, k), "slack": (2, k, 2, k)}
        arrays: dict[str, Any] = {
            name: np.array([float.fromhex(text) for text in form[name]], dtype=np.float64).reshape(shape)
            for name, shape in shapes.items()
        }
        positives, negatives, both = sizes
        parts = int(form["parts"])
    except (TypeError, ValueError, KeyError, OverflowError):
        raise InputError("its sums of clusters cannot be read") from None
    is_counted = 0 <= max(positives, negatives) <= both <= positives + negatives and parts >= 1
    if not set(names) <= set(known) or not is_counted or not all(np.isfinite(array).all() for array in arrays.values()):
        raise InputError("its sums of clusters are not of its scores")
    more: dict[str, Any] = {"bins": bins_from(form.get("bins"), names), "rates": rates_from(form.get("rates"), names)}
    return ClusterMoments(names=names, sizes=(positives, negatives, both), parts=parts, **more, **arrays)


def parts_form(found: Mapping[Any, Clusters], groups: Container[Any]) -> list[Any]:
    """Moments of what is no group, but all groups that begin with some values, as JSON types."""
    return [[labels_form(key), clusters_form(each)] for key, each in found.items() if key not in groups]


def parts_from(form: Any, known: Sequence[str]) -> dict[Any, ClusterMoments]:
    """Moments from what `parts_form` makes of them.

    Raises:
        InputError: they are not of this form.
    """
    read = [(key_from(key), clusters_from(each, known)) for key, each in form]
    return {key: found for key, found in read if found is not None}
