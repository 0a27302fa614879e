"""Second moments over clusters of decided rows: the basis of the variance of a rate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.conventions import Floats, is_positive
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields
from thresher.predictions import Predictions

Cut = tuple[str, float]

BY_RATIO = "ratio of sums over"
"""Words of the methods of rates that take clusters as independent."""

DEPENDENT = "rows of one cluster are not independent"
"""Why what takes all rows as independent is not said of rows in clusters."""

KINDS = 16
"""Kinds of clusters, by which of the four cells of a matrix they have rows in."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RateSums(ByFields):
    """Sums over clusters of their rows u in the cells of a matrix, TP, FP, FN and TN, at a cut or none.

    `totals` (cuts, 4) are Σ u, `second` (cuts, 4, 4) Σ uuᵀ, and `kinds` (cuts, 16) how many clusters have rows in which
    cells, the first of these being worth 1, the second 2, the third 4 and the last 8.
    """

    cuts: tuple[Cut, ...]
    totals: Floats
    second: Floats
    kinds: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, "totals", "second", "kinds")


UNKNOWN = RateSums(cuts=(), totals=np.zeros((0, 4)), second=np.zeros((0, 4, 4)), kinds=np.zeros((0, KINDS)))
"""Sums that are not there, of rows that are known to lie in clusters."""


def rate_sums(cut: Cut, rows: Floats, hits: Floats) -> RateSums:
    """Sums over C clusters of their `rows` (2, C) of each class, with `hits` (2, C) decided to be positive."""
    cells = np.concatenate([hits, rows - hits])
    kinds = np.bincount((1 << np.arange(4)) @ (cells > 0), minlength=KINDS).astype(np.float64)
    return RateSums(cuts=(cut,), totals=cells.sum(axis=1)[None], second=(cells @ cells.T)[None], kinds=kinds[None])


def rate_sums_at(rows: Predictions, name: str, threshold: float | None) -> RateSums | None:
    """Sums over clusters of what one model decides, by its scores at the threshold or, without one, as it predicted.

    `UNKNOWN` with several classes; None without clusters.
    """
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
    return rate_sums((name, float(math.nan if threshold is None else threshold)), held, hits)


def rates_form(found: RateSums | None) -> dict[str, Any] | None:
    """Sums as JSON types that come back to the last bit."""
    if found is None:
        return None
    arrays = {name: getattr(found, name).tolist() for name in ("totals", "second", "kinds")}
    return {"cuts": [[name, cut.hex()] for name, cut in found.cuts], **arrays}


def rates_from(form: Any) -> RateSums | None:
    """Sums from the form that `rates_form` returned.

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
    if len(set(cuts)) < len(cuts):
        raise InputError("its sums of clusters at thresholds name a threshold twice")
    if not all((np.isfinite(array) & (array >= 0)).all() for array in arrays.values()):
        raise InputError("its sums of clusters at thresholds are no sums")
    return RateSums(cuts=cuts, **arrays)
