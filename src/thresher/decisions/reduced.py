"""A small table that decides as the whole one: every row that could be best, the hull, and chosen cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import sentinel
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.counts.thresholds import ThresholdTable, from_zero
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, ClosestCorner, Criterion
from thresher.decisions.objective import criterion_values, seeks_lowest
from thresher.decisions.ties import TOLERANCE
from thresher.errors import OptionError

Rows = NDArray[np.int64]

SMALL = 5_000
"""Distinct scores up to which the whole table is as good."""

SPREAD = 2_000
"""Rows, as far apart as possible, that the search begins with."""

PIECES = 64
"""Parts into which a stretch that may hold an optimum is cut."""


def reduced_table(
    scores: ScoreTable, criteria: Sequence[Criterion], *, cuts: ArrayLike = (), prevalence: float | None = None
) -> ThresholdTable:
    """Return a small threshold table: the hull's vertices, each row that is best by a criterion, and `cuts`.

    On it `choose` finds the same thresholds, ties and valid ranges as on the whole table, `roc_hull` and `cost_curve`
    are the same, and so are counts at the cuts. A criterion has to be one that never gets worse when TP grows or FP
    falls (costs, the distance from (0, 1), and the measures that say they are `monotone`): between two rows it is then
    at most the value at the TP of the one and the FP of the other, and stretches that cannot reach the best
    row known are passed over. A few linear sweeps, whatever the number of criteria.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(50_000) < 0.3
    >>> scores = ScoreTable.from_scores(truth, rng.normal(size=50_000) + truth)
    >>> small = reduced_table(scores, [Best(measure="matthews_correlation"), ClosestCorner()])
    >>> len(small) < 5_000
    True
    """
    for criterion in criteria:
        _check(criterion)
    if scores.scores.size <= SMALL:
        whole = ThresholdTable.from_table(scores)
        return whole if prevalence is None else whole.with_prevalence(prevalence)
    prior = scores.prior if prevalence is None else prevalence
    spread = np.linspace(0, scores.scores.size - 1, SPREAD).astype(np.int64)
    rows = np.union1d(spread, np.append(scores.hull_rows, _ranks(scores, cuts)))
    for pieces in (PIECES, None):
        rows = np.union1d(rows, _between(rows, _promising(_at(scores, rows, prior), criteria), pieces))
    return _at(scores, rows, prior)


def _check(criterion: Criterion) -> None:
    from thresher.measures import find

    if isinstance(criterion, Costs | ClosestCorner):
        return
    named = isinstance(criterion, Best) and not criterion.constraints and not criterion.seeks_lowest
    if not named or not find(criterion.measure).monotone:  # type: ignore[union-attr]
        raise OptionError(f"{criterion}: a table cannot be reduced for this criterion; use the whole one.")


def _ranks(scores: ScoreTable, cuts: ArrayLike) -> Rows:
    ranks = np.array([scores.rank_of(float(cut)) for cut in np.atleast_1d(np.asarray(cuts))], dtype=np.int64) - 1
    return ranks[ranks >= 0]


def _at(scores: ScoreTable, rows: Rows, prior: float | None) -> ThresholdTable:
    """Count exactly at some rows, the last among them, after a sentinel."""
    tp, fp = from_zero(cumulated(scores, rows))
    squares = scores.positive_squares, scores.negative_squares
    tp_squares, fp_squares = (None, None) if squares[0] is None else from_zero(kernel.cumulate_at(*squares, rows))
    return ThresholdTable(
        thresholds=np.append(sentinel(scores.direction), scores.scores[rows]),
        tp=tp,
        fp=fp,
        tp_squares=tp_squares,
        fp_squares=fp_squares,
        direction=scores.direction,
        weight_kind=scores.weight_kind,
        prior=prior,
    )


def _promising(table: ThresholdTable, criteria: Sequence[Criterion]) -> NDArray[np.bool_]:
    """Return the stretches between neighboring rows in which a criterion may be as good as the best row."""
    ideal = replace(
        table,
        thresholds=np.append(table.thresholds[1:], table.thresholds[-1]),
        tp=np.append(table.tp[1:], table.tp[-1]),
        fp=np.append(table.fp[:-1], table.fp[-1]),
        tp_squares=None,
        fp_squares=None,
    )
    found = np.zeros(len(table) - 1, dtype=np.bool_)
    for criterion in criteria:
        sign = -1.0 if seeks_lowest(criterion) else 1.0
        known, hoped = (sign * criterion_values(each, criterion) for each in (table, ideal))
        finite = known[np.isfinite(known)]
        if finite.size:
            found |= ~(hoped[:-1] < finite.max() - 2 * TOLERANCE * np.abs(finite).max())
    return found


def _between(rows: Rows, wanted: NDArray[np.bool_], pieces: int | None) -> Rows:
    """Return the rows inside some stretches: all, or enough to cut each into equal parts."""
    starts, stops = np.append(-1, rows[:-1])[wanted], rows[wanted]
    parts = [
        np.arange(a + 1, b)
        if pieces is None or b - a <= pieces
        else np.linspace(a, b, pieces + 1)[1:-1].astype(np.int64)
        for a, b in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
