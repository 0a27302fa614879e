"""Bins of scores read as numbers, at their middle, and whether they are fine enough to be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts.scores import ScoreTable
from thresher.results import rounded_up

if TYPE_CHECKING:
    from thresher.predictions import Predictions

SEEN = 0.25
"""Standard errors of the mean score, by which bins may put it off, from which on tests and fits are of the bins."""


def middles(table: ScoreTable) -> ScoreTable:
    """Bins as scores in their middle, as which they are read where scores are numbers and not only an order.

    At their edge every mean would be too low, and rows of the lowest bin be taken as sure to be negative.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
    ...     widths=np.array([0.5, 0.0]),
    ... )
    >>> middles(bins).scores.tolist(), middles(middles(bins)) is middles(bins)
    ([0.75, 0.0], True)
    """
    if table.widths is None:
        return table
    kept: dict[str, ScoreTable] = vars(table)
    if "middles" not in kept:
        away = 1.0 if table.direction == "higher" else -1.0
        scores = table.scores + away * table.widths / 2
        kept["middles"] = replace(
            table, scores=np.minimum(scores, 1.0) if table.is_probability else scores, binned=False, widths=None
        )
    return kept["middles"]


def too_wide(table: ScoreTable) -> str | None:
    """Why bins of probabilities tell no test of calibration and no interval of a fit; None where they are fine enough.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([20, 1]), negative=np.array([1, 10]), binned=True,
    ...     widths=np.array([0.5, 0.5]),
    ... )
    >>> too_wide(bins)
    'bins of the counts are 0.5 wide on average, which may put the mean score off by 3.3 of its standard errors'
    """
    if not table.binned or not table.is_probability:
        return None
    rows = table.positive + table.negative
    off = math.inf if table.widths is None else float(rows @ table.widths) / float(rows.sum()) / 2
    read = middles(table).scores
    error = math.sqrt(float(rows @ (read * (1 - read)))) / float(rows.sum())
    if off <= SEEN * error:
        return None
    times = rounded_up(off / error if error else math.inf)
    wide = f"bins of the counts are {2 * off:.2g} wide on average"
    return f"{wide}, which may put the mean score off by {times} of its standard errors"


def in_middles(rows: Predictions) -> Predictions:
    """Counted rows at the middles of their bins, where their scores are read as numbers; others as they are."""
    if rows.counts is None:
        return rows
    return replace(rows, scores={name: scores_in_middles(rows, name, found) for name, found in rows.scores.items()})


def scores_in_middles(rows: Predictions, name: str, scores: Floats) -> Floats:
    """Scores of one model of counted rows, each in the middle of the bin that it is the edge of."""
    found = scores.copy()
    for places, table in _tables_of(rows, name):
        sign = 1.0 if table.direction == "lower" else -1.0
        found[places] = middles(table).scores[np.searchsorted(sign * table.scores, sign * scores[places])]
    return found


def _tables_of(rows: Predictions, name: str) -> Iterator[tuple[Any, ScoreTable]]:
    """Tables that counted rows are of, with their places: that of all, or of each group where rows are of groups."""
    if not rows.by:
        yield slice(None), rows.counts[name]
        return
    for key, tables in rows.counts.groups.items():
        inside = np.ones(rows.truth.size, dtype=np.bool_)
        for column, value in zip(rows.counts.by, key, strict=True):
            inside &= rows.by[column].codes == rows.by[column].values.index(value)
        yield inside, tables[name]
