"""Second moments over clusters of what is decided at some thresholds: what the variance of a rate needs.

They name no cluster, and add up over files of different clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.conventions import Floats, is_positive
from thresher.counts.paired_sums import Cut
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields
from thresher.predictions import Predictions

BY_RATIO = "ratio of sums over"
"""Words of the methods of rates that take clusters as independent."""

DEPENDENT = "rows of one cluster are not independent"
"""Why what takes all rows as independent is not said of rows in clusters."""

KINDS = 16
"""Kinds of clusters, by which of the four cells of a matrix they have rows in."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RateSums(ByFields):
    """Sums over clusters of their rows u in the cells of a matrix, TP, FP, FN and TN, at each of some cuts.

    `totals` (cuts, 4) are Σ u, `second` (cuts, 4, 4) Σ uuᵀ, and `kinds` (cuts, 16) how many clusters have rows in which
    cells, the first of these being worth 1, the second 2, the third 4 and the last 8.

    >>> import thresher as th
    >>> rows = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]
    >>> th.count(*rows, cluster=[7, 7, 8, 8], thresholds=[0.5]).clusters.rates.totals.tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """

    cuts: tuple[Cut, ...]
    totals: Floats
    second: Floats
    kinds: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, "totals", "second", "kinds")

    def of(self, names: Sequence[str]) -> RateSums:
        """Sums of some of the scores."""
        return self.at([cut for cut in self.cuts if cut[0] in names])

    def __add__(self, other: RateSums) -> RateSums:
        """Sums over the clusters of both, none of which is in both, at the cuts that both have."""
        cuts = [cut for cut in self.cuts if cut in other.cuts]
        one, two = self.at(cuts), other.at(cuts)
        sums = {name: getattr(one, name) + getattr(two, name) for name in ("totals", "second", "kinds")}
        return RateSums(cuts=tuple(cuts), **sums)

    def at(self, cuts: Sequence[Cut]) -> RateSums:
        """Sums at some of the cuts."""
        at = [self.cuts.index(cut) for cut in cuts]
        return RateSums(cuts=tuple(cuts), totals=self.totals[at], second=self.second[at], kinds=self.kinds[at])


UNKNOWN = RateSums(cuts=(), totals=np.zeros((0, 4)), second=np.zeros((0, 4, 4)), kinds=np.zeros((0, KINDS)))
"""Sums that are not there, of rows that are known to lie in clusters."""


def rate_sums(cuts: Sequence[Cut], rows: Floats, decided: Floats) -> RateSums:
    """Sums over C clusters of their `rows` (2, C) of each class, of which (2, cuts, C) are `decided` to be positive."""
    tp, fp = decided
    cells = np.stack([tp, fp, rows[0] - tp, rows[1] - fp], axis=1)
    codes = (cells > 0).transpose(0, 2, 1) @ (1 << np.arange(4))
    kinds = np.stack([np.bincount(own, minlength=KINDS) for own in codes]) if len(codes) else np.zeros((0, KINDS))
    return RateSums(
        cuts=tuple(cuts), totals=cells.sum(axis=2), second=cells @ cells.transpose(0, 2, 1),
        kinds=kinds.astype(np.float64),
    )  # fmt: skip


def rate_sums_at(rows: Predictions, name: str, threshold: float | None) -> RateSums | None:
    """Sums over clusters of what one model decides, by its scores at the threshold or, without one, as it predicted.

    `UNKNOWN` of several classes, and where clusters were counted, but not at the threshold; None of rows that lie in no
    clusters.
    """
    if rows.counts is not None:
        counted = rows.counts.clusters
        sums: RateSums = UNKNOWN if counted is None or counted.rates is None else counted.rates
        return None if counted is None else sums.at([cut for cut in sums.cuts if cut == (name, threshold)])
    if rows.cluster is None:
        return None
    if len(rows.classes) > 2:
        return UNKNOWN
    if threshold is None:
        decided = rows.predicted[name] == 1
    else:
        decided = is_positive(rows.scores[name], threshold, rows.direction_of(name))
    weights: Floats = np.ones(len(rows)) if rows.weights is None else rows.weights
    many, codes, sides = len(rows.cluster.values), rows.cluster.codes, (rows.truth == 1, rows.truth != 1)
    held, hits = (
        np.stack([np.bincount(codes, weights * side * some, many) for side in sides]).astype(np.float64)
        for some in (1.0, decided)
    )
    return rate_sums([(name, float(math.nan if threshold is None else threshold))], held, hits[:, None])


def rates_form(found: RateSums | None) -> dict[str, Any] | None:
    """Sums as JSON types that come back to the last bit."""
    if found is None:
        return None
    arrays = {name: getattr(found, name).tolist() for name in ("totals", "second", "kinds")}
    return {"cuts": [[name, cut.hex()] for name, cut in found.cuts], **arrays}


def rates_from(form: Any, known: Sequence[str] | None = None) -> RateSums | None:
    """Sums from what `rates_form` makes of them, of the `known` scores only where these are given.

    Raises:
        InputError: they are not of this form.
    """
    if form is None:
        return None
    try:
        cuts = tuple((str(name), float.fromhex(cut)) for name, cut in form["cuts"])
        shapes = {"totals": (4,), "second": (4, 4), "kinds": (KINDS,)}
        arrays = {name: np.array(form[name], dtype=np.float64).reshape(len(cuts), *shape)
                  for name, shape in shapes.items()}  # fmt: skip
    except (TypeError, ValueError, KeyError, OverflowError, AttributeError):
        raise InputError("its sums of clusters at thresholds cannot be read") from None
    names = {name for name, _ in cuts}
    if not names <= (names if known is None else set(known)) or len(set(cuts)) < len(cuts):
        raise InputError("its sums of clusters at thresholds are not of its scores")
    if not all((np.isfinite(array) & (array >= 0)).all() for array in arrays.values()):
        raise InputError("its sums of clusters at thresholds are no sums")
    return RateSums(cuts=cuts, **arrays)
