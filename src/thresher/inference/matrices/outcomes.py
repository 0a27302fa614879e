"""Which rows a proportion counts, and which it does not: its two outcomes, by the cells that they are the sums of."""

from __future__ import annotations

import numpy as np

from thresher.counts import Cells
from thresher.measures.registry import Measure

CELLS = ("true positives", "false positives", "false negatives", "true negatives")

SUMS: dict[tuple[int, ...], str] = {
    (0, 1): "predicted positives",
    (2, 3): "predicted negatives",
    (0, 2): "positives",
    (1, 3): "negatives",
    (0, 3): "right decisions",
    (1, 2): "wrong decisions",
}


def rarer_outcome(entry: Measure, share: float) -> str:
    """Name of the rows that are fewer, of those that a proportion counts and of its others.

    >>> from thresher.measures import find
    >>> rarer_outcome(find("recall"), 0.9), rarer_outcome(find("precision"), 0.1), rarer_outcome(find("accuracy"), 0.9)
    ('false negatives', 'true positives', 'wrong decisions')
    """
    if entry.needs != "cells":
        return "wrong decisions" if share > 0.5 else "right decisions"
    counted, all_of_them = entry.ratio(Cells(*np.eye(4)))
    found = tuple(np.flatnonzero((all_of_them - counted if share > 0.5 else counted) > 0).tolist())
    return CELLS[found[0]] if len(found) == 1 else SUMS.get(found, "rows of one outcome")
