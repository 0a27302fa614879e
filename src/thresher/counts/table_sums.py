"""The sum of many score tables, of which each is merged a few times only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.counts.merging import COLUMNS
from thresher.counts.rounding import coarsest
from thresher.counts.scores import ScoreTable

FEW = 16
"""Tables that are added one by one."""


def sum_of(tables: Sequence[ScoreTable], thresholds: Sequence[float] = ()) -> ScoreTable:
    """Sum of tables, at least of one, rounded as the coarsest; matrices at thresholds stay exact where all are."""
    if (bits := coarsest(tables)) is not None:
        tables = [table.rounded(bits, thresholds) for table in tables]
    if len(tables) > FEW:
        return _sum_of_scores(tables)
    while len(tables) > 1:
        tables = [sum(tables[i + 1 : i + 2], tables[i]) for i in range(0, len(tables), 2)]
    return tables[0]


def _sum_of_scores(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Sum of tables of distinct scores, which are put into order all at once."""
    scores = np.concatenate([table.scores for table in tables])
    order = np.argsort(scores if tables[0].direction == "lower" else -scores, kind="stable")
    scores = scores[order]
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1])[: scores.size])
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        parts = [getattr(table, name) for table in tables]
        if all(part is not None for part in parts):
            columns[name] = np.add.reduceat(np.concatenate(parts)[order], starts) if starts.size else parts[0]
    return replace(tables[0], scores=scores[starts], **columns)
