"""Pairs of a positive and a negative: in order, tied, in reverse; and the area under the ROC read in six ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher.conventions import divide
from thresher.counts.cells import number
from thresher.counts.scores import ScoreTable
from thresher.curves.points import Table, score_table
from thresher.errors import InputError
from thresher.upward_import import plot_method

LARGE = 1e9
"""Rows from which twice their square no longer fits 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Pairs of one positive and one negative by their order, and the AUC in every reading of it.

    `concordant` pairs have the positive above, `tied` ones equal scores, `discordant` the negative above (products of
    weights, when rows have them). `u` is Mann–Whitney's U = concordant + ½·tied; `rank_sum` is the sum of the ascending
    mid-ranks of the positives. All `readings` are the same number, each computed in its own way.
    """

    concordant: float
    tied: float
    discordant: float
    u: float
    rank_sum: float
    readings: Mapping[str, float] = field(default_factory=dict)

    plot = plot_method

    @property
    def total(self) -> float:
        """All pairs, P·N."""
        return self.concordant + self.tied + self.discordant

    to_dict = as_dict

    def to_frame(self, backend: str | None = None, *, counts: bool = False) -> Any:
        """Return one row per reading of the AUC; with `counts` one per kind of pair, as `plot` draws them."""
        from thresher.frames import to_frame

        if counts:
            kinds = ("concordant", "tied", "discordant")
            return to_frame({"pair": list(kinds), "count": [getattr(self, kind) for kind in kinds]}, backend)
        return to_frame({"reading": list(self.readings), "value": list(self.readings.values())}, backend)

    def __str__(self) -> str:
        counts = {
            "pairs": self.total, "concordant": self.concordant, "tied": self.tied, "discordant": self.discordant,
            "U = concordant + ½·tied": self.u, "rank sum of the positives": self.rank_sum,
        }  # fmt: skip
        width = max(map(len, (*counts, *self.readings)))
        lines = [f"{name:{width}}  {value:g}" for name, value in counts.items()]
        return "\n".join([*lines, "", *(f"{name:{width}}  {value:.6g}" for name, value in self.readings.items())])


def pairs(table: Table) -> Pairs:
    """Count concordant, tied and discordant pairs; compute U, the rank sum, and six readings of the AUC.

    The readings are NaN where a class is empty.

    >>> found = pairs(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> found.concordant, found.tied, found.discordant, found.u, found.rank_sum
    (5, 0, 1, 5.0, 11.0)

    Sources: Hanley & McNeil 1982; Mann & Whitney 1947; Fawcett 2006.
    """
    counts = score_table(table)
    if counts.columns[0].ndim > 1:
        raise InputError("pairs are of one table, and this is a batch of them.")
    # Whole numbers stay whole, however many pairs there are.
    is_whole = "f" not in (counts.positive.dtype.kind, counts.negative.dtype.kind)
    kind = np.float64 if not is_whole else np.int64 if float(counts.P + counts.N) < LARGE else object
    pos, neg = counts.positive.astype(kind), counts.negative.astype(kind)
    pos_above, neg_above = np.cumsum(pos) - pos, np.cumsum(neg) - neg
    p, n = pos.sum(), neg.sum()
    concordant, tied = (pos * (n - neg_above - neg)).sum(), (pos * neg).sum()
    lower = (p - pos_above - pos) + (n - neg_above - neg)
    rank_sum = (pos * (2 * lower + pos + neg + 1)).sum() / 2
    u = concordant + tied / 2
    discordant = (neg * (p - pos_above - pos)).sum()
    return Pairs(
        concordant=number(concordant), tied=number(tied), discordant=number(discordant), u=float(u),
        rank_sum=float(rank_sum), readings=_readings(counts, float(u), float(rank_sum)),
    )  # fmt: skip


def _readings(counts: ScoreTable, u: float, rank_sum: float) -> dict[str, float]:
    """Compute the AUC as probability, as rank sum, as area, and as three means over the rows of one class."""
    pos, neg = counts.positive.astype(np.float64), counts.negative.astype(np.float64)
    p, n = pos.sum(), neg.sum()
    tpr, fpr = (np.concatenate([[0.0], divide(np.cumsum(c), total)]) for c, total in ((pos, p), (neg, n)))
    half_tpr, half_fpr = (tpr[1:] + tpr[:-1]) / 2, (fpr[1:] + fpr[:-1]) / 2
    found = {
        "a random positive lies above a random negative": divide(u, p * n),
        "rank sum: (R − P(P + 1)/2)/(P·N)": divide(rank_sum - p * (p + 1) / 2, p * n),
        "area under the ROC by trapezoids": ((fpr[1:] - fpr[:-1]) * half_tpr).sum(),
        "mean share of positives above a random negative": divide((neg * half_tpr).sum(), n),
        "mean TPR cutting just before a random negative": divide((neg * (tpr[:-1] + divide(pos, p) / 2)).sum(), n),
        "mean share of negatives below a random positive": divide((pos * (1 - half_fpr)).sum(), p),
    }
    return {name: float(value) for name, value in found.items()}
