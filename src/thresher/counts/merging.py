"""Score tables as one: scores that are equal become one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from thresher import kernel
from thresher._util.frozen_values import check_alike
from thresher.counts.rounding import coarsest
from thresher.counts.row_columns import add_counts

Table = TypeVar("Table", bound=Any)
"""A `ScoreTable`, which adds itself by this module."""

COLUMNS = ("positive", "negative", "positive_squares", "negative_squares")


def sum_of(tables: Sequence[Table], thresholds: Sequence[float] = ()) -> Table:
    """Sum of tables, at least of one, rounded as the coarsest; matrices at thresholds stay exact where all are."""
    for one, other in pairwise(tables):
        check_alike(one, other, ("direction",))
    if (bits := coarsest(tables)) is not None:
        tables = [table.rounded(bits, thresholds) for table in tables]
    filled = [table for table in tables if not _is_empty(table)] or tables[:1]
    for one, other in pairwise(filled):
        check_alike(one, other, ("weight_kind", "prior"))
    # Like sizes are put together, so that a score is merged a few times only.
    while len(filled) > 1:
        filled = [_merged(*filled[i : i + 2]) for i in range(0, len(filled), 2)]
    return filled[0]


def _is_empty(table: Any) -> bool:
    return not table.scores.size and table.weight_kind is None and table.prior is None


def _merged(a: Table, b: Table | None = None) -> Table:
    """Table of the rows of both."""
    if b is None:
        return a
    scores, here, there = kernel.merged_scores(a.scores, b.scores, lower=a.direction == "lower")
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        mine, theirs = vars(a)[name], vars(b)[name]
        if mine is None or theirs is None:
            columns[name] = None
            continue
        column = np.zeros((*mine.shape[:-1], scores.size), np.result_type(mine, theirs))
        column[..., here] = mine
        if column.dtype.itemsize < 8 and (column[..., there] + theirs < 0).any():  # more than so few bytes hold
            column = column.astype(np.int64)
        column[..., there] = add_counts(column[..., there], theirs)
        columns[name] = column
    return replace(a, scores=scores, **columns)
