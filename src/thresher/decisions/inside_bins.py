"""How much better than the best edge of a bin of scores a threshold inside of one may be, whatever its rows are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.curves.measure_curve import decision_measure
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, Budget, Constraint, Criterion, OwnCriterion
from thresher.decisions.objective import criterion_values, gap_values, may_keep, seeks_lowest, within_budget
from thresher.decisions.ties import TOLERANCE
from thresher.measures.error_bounds import AT_VERTICES
from thresher.results import rounded_up

if TYPE_CHECKING:
    from thresher.decisions.operating import Choice

Places = NDArray[np.intp]

NEAR = 1e-9
"""Share of a bin's rows that is next to none: a measure may be undefined where nothing is predicted positive."""


def better_inside(table: ScoreTable, chosen: Choice) -> float | None:
    """Most by which a threshold inside of a bin of the table may be better than the one that was chosen of its edges.

    None where scores are distinct; 0 where the vertices of the hull, which a table with sums of ranks has, decide;
    +inf where nothing is certain. Inside of a bin TP and FP lie between those at its edges, and whatever rises or falls
    with each of them is there at most what it is at the corners: both at an end. A bin whose corners all break a
    constraint has no threshold that keeps it.

    >>> from thresher.decisions.operating import choose
    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
    ...     widths=np.array([0.5, 0.0]),
    ... )
    >>> found = choose(bins, "max accuracy")
    >>> found.value, round(better_inside(bins, found), 6)
    (0.6, 0.2)
    """
    wanted = chosen.wanted
    if not table.binned:
        return None
    if table.widths is None or wanted is None or not _by_corners(wanted):
        return math.inf
    if table.rank_sums is not None and not chosen.constraints and _at_vertices(wanted, chosen.value):
        return 0.0
    corners = _corners(table)
    sign = -1.0 if seeks_lowest(wanted) else 1.0
    bins, *near = _ranges(table)
    # A range next to nothing is held to what its bin is: only together do their corners bound it.
    allowed = _allowed(corners, wanted, chosen.constraints)[np.searchsorted(bins, np.concatenate([bins, *near]))]
    possible = sign * _best(corners, wanted)[allowed]
    most = float(np.fmax.reduce(possible, initial=sign * chosen.value))
    more = 0.0 if most == sign * chosen.value else most - sign * chosen.value
    return 0.0 if more < math.inf and more <= TOLERANCE * max(1.0, abs(chosen.value)) else more


def hidden_words(bound: float, what: str = "threshold") -> str:
    """How much better another threshold, or pair of them, may be than what was chosen from bins, never rounded down.

    >>> hidden_words(0.000412), hidden_words(math.inf)
    ('no other threshold is better by more than 0.00042', 'how much better another threshold may be is not known')
    """
    if math.isinf(bound):
        return f"how much better another {what} may be is not known"
    return f"no other {what} is better by more than {rounded_up(bound)}"


def _by_corners(wanted: Criterion) -> bool:
    return (
        decision_measure(wanted.measure).by_corners
        if isinstance(wanted, Best)
        else not isinstance(wanted, OwnCriterion)
    )


def _at_vertices(wanted: Criterion, value: float) -> bool:
    if not isinstance(wanted, Best):
        return isinstance(wanted, Costs)
    entry, sign = decision_measure(wanted.measure), -1.0 if wanted.seeks_lowest else 1.0
    is_usual = entry.name in AT_VERTICES and wanted.seeks_lowest == (entry.better == "lower")
    return is_usual and (entry.neutral is None or sign * value >= sign * entry.neutral)


def _corners(table: ScoreTable) -> ThresholdTable:
    """Corners of the range of TP and FP inside of every bin: the first of all bins, … the fourth, then the totals.

    Where nothing or everything is predicted positive at an edge, a range next to it is among them.
    """
    tp, fp = (_ends(column, *_ranges(table)) for column in (table.positive, table.negative))
    return ThresholdTable(
        thresholds=np.zeros(4 * tp[0].size + 1),
        tp=np.concatenate([tp[0], tp[1], tp[0], tp[1], [float(table.P)]]),
        fp=np.concatenate([fp[0], fp[0], fp[1], fp[1], [float(table.N)]]),
        prior=table.prior,
    )


def _ranges(table: ScoreTable) -> tuple[Places, Places, Places]:
    """Bins, then those before which there is no row, then those after which there is none."""
    bins, rows = np.flatnonzero(np.asarray(table.widths) > 0), (table.positive + table.negative).astype(np.float64)
    above, below = np.cumsum(rows), np.cumsum(rows[::-1])[::-1]
    return bins, *(bins[sums[bins] <= rows[bins]] for sums in (above, below))


def _ends(column: NDArray[Any], wide: Places, first: Places, last: Places) -> tuple[Floats, Floats]:
    """Least and most of a class that may be predicted positive inside of every bin, and next to both ends of all."""
    inside, after = column.astype(np.float64), np.cumsum(column, dtype=np.float64)
    low = [after[wide] - inside[wide], 0.0 * inside[first], after[last] - NEAR * inside[last]]
    return np.concatenate(low), np.concatenate([after[wide], NEAR * inside[first], after[last]])


def _of_bins(values: NDArray[Any]) -> NDArray[Any]:
    """Values at the corners, a row for each of the four."""
    return values[:-1].reshape(4, -1)


def _best(corners: ThresholdTable, wanted: Criterion) -> Floats:
    """Best value that a criterion may have inside of each bin; NaN where it is undefined at all corners."""
    if (gap := gap_values(corners, wanted)) is not None:
        found = _of_bins(gap)
        return np.where((found[0] < 0) & (found[-1] > 0), 0.0, np.fmin.reduce(np.abs(found)))
    values = _of_bins(criterion_values(corners, wanted))
    if isinstance(wanted, Budget):
        return np.asarray(np.minimum(values[-1], float(wanted.k if wanted.k is not None else wanted.share or 0.0)))
    lowest = seeks_lowest(wanted)
    if lowest and isinstance(wanted, Best) and decision_measure(wanted.measure).is_least_at_chance:
        return np.full(values.shape[-1], decision_measure(wanted.measure).bounds[0])
    return np.asarray((np.fmin if lowest else np.fmax).reduce(values))


def _allowed(corners: ThresholdTable, wanted: Criterion, constraints: tuple[Constraint, ...]) -> NDArray[np.bool_]:
    """Bins inside of which a threshold may keep every constraint; where a measure is undefined nothing is excluded."""
    found = np.ones((len(corners) - 1) // 4, dtype=np.bool_)
    if isinstance(wanted, Budget):
        found &= _of_bins(within_budget(criterion_values(corners, wanted), wanted)).any(axis=0)
    for bound in constraints:
        found &= _of_bins(may_keep(corners, bound)).any(axis=0)
    return found
