"""What bins of scores hide: which of their rows reach a threshold between their edges, and the order of all rows."""

from __future__ import annotations

from thresher.counts.occupied import occupied
from thresher.counts.scores import ScoreTable


def rows_at(table: ScoreTable, threshold: float) -> tuple[float, float]:
    """Positives and negatives of the bin that a threshold cuts; of none at an edge, or where scores are distinct."""
    k = table.rank_of(threshold)
    if table.widths is None or k == table.scores.size or not table.widths[k] > 0:
        return 0.0, 0.0
    away = 1.0 if table.direction == "higher" else -1.0
    is_cut = away * threshold < away * table.scores[k] + table.widths[k]
    return (float(table.positive[k]), float(table.negative[k])) if is_cut else (0.0, 0.0)


def cuts_all(table: ScoreTable, threshold: float) -> bool:
    """Whether a threshold lies inside of a bin that all rows are in, so that no decision is known."""
    rows = sum(rows_at(table, threshold))
    return rows > 0 and rows == float(table.P + table.N)


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
    rows = occupied(table)
    return rows.scores.size == 1 and (rows.widths is None or bool(rows.widths[0] > 0))
