"""A table without the scores that no row has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable


def occupied(table: ScoreTable) -> ScoreTable:
    """Same rows, at the scores that some have: one that none has is a threshold that decides as the one above does.

    >>> table = ScoreTable.from_counts([0.9, 0.6, 0.4], positive=[1, 0, 1], negative=[0, 0, 2])
    >>> occupied(table).scores.tolist()
    [0.9, 0.4]
    """
    some = is_occupied(table)
    if some.all():
        return table
    kept = {name: c[..., some] for name in ("scores", "widths", *COLUMNS) if (c := getattr(table, name)) is not None}
    sums = table.rank_sums and replace(table.rank_sums, positive=kept["positive"], negative=kept["negative"])
    return replace(table, **kept, rank_sums=sums)


def is_occupied(table: ScoreTable) -> NDArray[np.bool_]:
    """Which scores some row has, of any table of a batch."""
    some: NDArray[np.bool_] = (table.positive > 0) | (table.negative > 0)
    return np.asarray(some.any(axis=tuple(range(some.ndim - 1))))
