"""What a table of bins could have been: its rows in the most and in the least favorable order within every bin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable


class Orders(NamedTuple):
    """Tables of distinct scores that a table of bins may stand for, at the ends of what is possible."""

    best: ScoreTable
    worst: ScoreTable
    highest: ScoreTable


def orders(table: ScoreTable) -> Orders:
    """Positives of every bin before its negatives, after them, and all rows at the most positive end of their bin.

    No order of the rows of a bin has a ROC above that of `best` or below that of `worst`. Probabilities stay below 1.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
    ...     widths=np.array([0.5, 0.0]),
    ... )
    >>> found = orders(bins)
    >>> found.best.positive.tolist(), found.best.negative.tolist(), found.best.scores.round(6).tolist()
    ([2, 0, 1], [0, 1, 1], [1.0, 0.5, 0.0])
    >>> found.worst.positive.tolist(), found.worst.negative.tolist()
    ([0, 2, 1], [1, 0, 1])
    """
    top = last_scores(table)
    away = 1.0 if table.direction == "higher" else -1.0
    wide = np.flatnonzero(away * top > away * table.scores)
    place = np.insert(np.arange(table.scores.size), wide, wide)  # a bin of two rows stands twice, its top first
    first = wide + np.arange(wide.size)
    scores = table.scores[place]
    scores[first] = top[wide]
    ends = {"positive": first, "negative": first + 1}
    best, worst = (_parted(table, scores, place, ends if up else dict(zip(ends, reversed(ends.values()), strict=True)))
                   for up in (True, False))  # fmt: skip
    return Orders(best, worst, replace(table, scores=top, binned=False, widths=None, losses=None))


def last_scores(table: ScoreTable) -> Floats:
    """Most positive score that each bin can hold; of probabilities 1 at the most."""
    top = table.scores.copy()
    if table.widths is None:
        return top
    wide = table.widths > 0
    away = 1.0 if table.direction == "higher" else -1.0
    with np.errstate(over="ignore"):
        edge = np.nextafter(table.scores[wide] + away * table.widths[wide], -away * np.inf)
    most = np.minimum if away > 0 else np.maximum
    top[wide] = most(edge, 1.0) if table.is_probability else edge
    return top


def _parted(table: ScoreTable, scores: Floats, place: NDArray[Any], ends: dict[str, NDArray[Any]]) -> ScoreTable:
    """Table of which the bins are two rows each; `ends` are the rows of a class that it has left."""
    columns: dict[str, Any] = {name: None if (c := getattr(table, name)) is None else c[..., place] for name in COLUMNS}
    other = {"positive": "negative", "negative": "positive"}
    for name, column in columns.items():
        if column is not None:
            column[..., ends[other[name.removesuffix("_squares")]]] = 0
    return replace(table, scores=scores, binned=False, widths=None, losses=None, **columns)
