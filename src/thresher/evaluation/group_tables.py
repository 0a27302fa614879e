"""The rows of every group, and how large the tables of so many groups may be."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from thresher.counts.builder import BINS, EXACT_ROWS
from thresher.evaluation.places import places_of
from thresher.predictions import Predictions

Group = tuple[Hashable, ...]

LEAST = 2**10
"""Distinct scores that a group keeps exactly, however many groups there are."""


def room(tables: int, share: float = 1.0) -> dict[str, int]:
    """Bounds of one of so many tables, which have a share of what one alone would have."""
    rows, bins = (int(most * share) // tables for most in (EXACT_ROWS, BINS))
    return {"exact_rows": max(rows, LEAST), "bins": max(bins, 4 * LEAST)}


def by_group(rows: Predictions) -> Iterator[tuple[Group, Any]]:
    """Places of the rows of every group that has some, with the values of its columns."""
    if not rows.by:
        yield (), slice(None)
        return
    sizes = [len(column.values) for column in rows.by.values()]
    code = np.ravel_multi_index([column.codes for column in rows.by.values()], sizes)
    for found, places in places_of(code):
        values = zip(rows.by.values(), np.unravel_index(found, sizes), strict=True)
        yield tuple(column.values[i] for column, i in values), places
