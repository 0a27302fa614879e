"""What bins of scores hide: which of their rows reach a threshold between their edges, and the order of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts.occupied import is_occupied
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError
from thresher.results import rounded_up

if TYPE_CHECKING:
    from thresher.predictions import Predictions

FEW = 0.005
"""Share of a class up to which a bin that a threshold cuts takes its decisions off only a little."""

SEEN = 0.25
"""Standard errors of the mean score, by which bins may put it off, from which on tests and fits are of the bins."""

AS_TOLD = ", as far as bins of scores tell"
"""What is said of the rows that other rows in the same bins may not have."""


def rows_at(table: ScoreTable, threshold: float) -> tuple[float, float]:
    """Positives and negatives of the bin that a threshold cuts; of none at an edge, or where scores are distinct."""
    k = table.rank_of(threshold)
    if table.widths is None or k == table.scores.size or not table.widths[k] > 0:
        return 0.0, 0.0
    away = 1.0 if table.direction == "higher" else -1.0
    is_cut = away * threshold < away * table.scores[k] + table.widths[k]
    return (float(table.positive[k]), float(table.negative[k])) if is_cut else (0.0, 0.0)


def unknown_bound(table: ScoreTable) -> float | None:
    """Bound of what has none that is known: +inf where scores are in bins, None where they are distinct."""
    return math.inf if table.binned else None


def bound_of_cut(table: ScoreTable, threshold: float) -> float | None:
    """How far bins may put decisions off: 0 where a threshold cuts none, else not known; None of distinct scores.

    >>> import numpy as np
    >>> bins = ScoreTable(
    ...     scores=np.array([0.5]), positive=np.array([2]), negative=np.array([1]), binned=True, widths=np.array([0.5])
    ... )
    >>> bound_of_cut(bins, 0.5), bound_of_cut(bins, 0.7)
    (0.0, inf)
    """
    is_cut = table.widths is None or any(rows_at(table, threshold))
    return unknown_bound(table) if is_cut or not table.binned else 0.0


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


def why_hidden(table: ScoreTable, threshold: float) -> str | None:
    """Why decisions at a threshold are not known: it cuts a bin of more than a few rows; None where they are."""
    p, n = rows_at(table, threshold)
    if table.widths is None or (p <= FEW * table.P and n <= FEW * table.N):
        return None
    k = table.rank_of(threshold)
    away = 1.0 if table.direction == "higher" else -1.0
    edges = float(table.scores[k]), float(table.scores[k] + away * table.widths[k])
    return (
        f"the threshold {threshold:.6g} lies inside of a bin of the counts, so that no decision is known; exact are "
        f"the thresholds {edges[0]!r} and {edges[1]!r}, between which nothing is known"
    )


def check_edges(table: ScoreTable | None, *thresholds: float) -> None:
    """Refuse thresholds inside of bins of more than a few rows.

    Raises:
        InputError: one is.
    """
    for threshold in thresholds:
        if table is not None and (why := why_hidden(table, threshold)):
            raise InputError(f"{why}.")


def largest_step(table: ScoreTable) -> float | None:
    """Share of the positives in the bin that has the most: how far the TPR may be off at any FPR or share of rows.

    None where scores are distinct, +inf where the widths of the bins are not known. Every order of the rows has the
    points at the edges of bins, between two of which a curve that never falls is between the two; rows of one class
    have one order.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 3]), negative=np.array([1, 0]), binned=True,
    ...     widths=np.array([0.5, 0.5]),
    ... )
    >>> largest_step(bins)
    0.4
    """
    if not table.binned or table.widths is None:
        return unknown_bound(table)
    is_mixed = (table.widths > 0) & (table.negative > 0)
    return float(np.max(table.positive, where=is_mixed, initial=0)) / float(table.P) if table.P else 0.0


def known_to(table: ScoreTable) -> str:
    """How well the AUC of a table of bins is known, in words."""
    if not (table.P and table.N):
        return "AUC undefined"
    return "AUC not known" if hides_order(table) else f"AUC known to ±{rounded_up(table.error_bound)}"


def largest_bound(tables: Iterable[ScoreTable]) -> float:
    """How far the AUC of the table of which it is known the least may be off; tables without an AUC aside."""
    return max((float(t.error_bound) for t in tables if t.P and t.N and not hides_order(t)), default=0.0)


def hides_order(table: ScoreTable) -> bool:
    """Whether all rows, of both classes, are in one bin, and no sums tell their order: any ranking is possible.

    >>> import numpy as np
    >>> one = ScoreTable(
    ...     scores=np.array([0.0]), positive=np.array([3]), negative=np.array([4]), binned=True, widths=np.array([1.0])
    ... )
    >>> hides_order(one), hides_order(ScoreTable.from_scores([1, 0], [0.5, 0.5]))
    (True, False)
    """
    if not table.binned or table.rank_sums is not None or not (table.P and table.N):
        return False
    some = np.flatnonzero(is_occupied(table))
    return some.size == 1 and (table.widths is None or bool(table.widths[some[0]] > 0))
