"""What bins of scores hide: which of their rows reach a threshold between their edges, and the order of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from thresher.counts.decimal_cuts import written
from thresher.counts.occupied import is_occupied
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError
from thresher.results import rounded_up

FEW = 0.005
"""Share of a class up to which a bin that a threshold cuts takes its decisions off only a little."""

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


def why_hidden(table: ScoreTable, threshold: float) -> str | None:
    """Why decisions at a threshold are not known: it cuts a bin of more than a few rows; None where they are."""
    p, n = rows_at(table, threshold)
    if table.widths is None or (p <= FEW * table.P and n <= FEW * table.N):
        return None
    k = table.rank_of(threshold)
    away = 1.0 if table.direction == "higher" else -1.0
    edges = float(table.scores[k]), float(table.scores[k] + away * table.widths[k])
    return (
        f"the threshold {written(threshold)} lies inside of a bin of the counts, so that no decision is known; exact "
        f"are the thresholds {edges[0]!r} and {edges[1]!r}, between which nothing is known"
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
