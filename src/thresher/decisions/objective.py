"""Worth of every threshold by a criterion, those allowed, and a smaller table with every row that could be best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import TIE_TOLERANCE, WeightKind, divide, sentinel
from thresher.counts import Cells
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.counts.thresholds import ThresholdTable, from_zero
from thresher.curves.measure_curve import decision_measure, keeps
from thresher.decisions.costs import Costs, expected_benefit, expected_cost
from thresher.decisions.criteria import (
    Balance,
    Best,
    Budget,
    ClosestCorner,
    Constraint,
    Criterion,
    MatchPrevalence,
    OwnCriterion,
    call_text,
)
from thresher.errors import OptionError
from thresher.measures.measure_text import title_of

Floats = NDArray[np.float64]


def criterion_values(table: ThresholdTable, wanted: Criterion) -> Floats:
    """Compute a criterion at every threshold, allowed or not; NaN where undefined.

    Expected cost, or benefit where the costs are gains; a measure; the distance from (0, 1); for a budget the
    predicted positives, as a sum of weights or a share of the rows as the budget is; for matching |P' − P|/n; for
    balance |TPR − TNR| or the smaller of both.
    """
    if isinstance(wanted, Costs):
        return expected_benefit(table, wanted) if wanted.benefit else expected_cost(table, wanted)
    if isinstance(wanted, Best):
        return np.asarray(decision_measure(wanted.measure)(table, **wanted.parameters))
    if isinstance(wanted, OwnCriterion):
        return own_values(wanted, table.cells)
    if isinstance(wanted, Budget | MatchPrevalence):
        share = divide(table.cells.pred_pos, table.cells.n)
        if isinstance(wanted, MatchPrevalence):
            share = np.abs(share - divide(table.cells.pos, table.cells.n))
        return share if getattr(wanted, "k", None) is None else np.asarray(table.tp + table.fp, dtype=np.float64)
    tpr, fpr = (divide(c, c[..., -1:]) for c in (table.tp, table.fp))
    if isinstance(wanted, ClosestCorner):
        return np.sqrt((1 - tpr) ** 2 + wanted.fpr_weight * fpr**2)
    tnr = divide(table.fp[..., -1:] - table.fp, table.fp[..., -1:])
    return np.abs(tpr - tnr) if wanted.goal == "equal" else np.minimum(tpr, tnr)


def own_values(wanted: OwnCriterion, cells: Cells) -> Floats:
    """Return the values of a registered criterion, one a threshold; 0/0 is undefined and x/0 is +∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(wanted.values(cells), dtype=np.float64)
    if values.shape != cells.tp.shape:
        shapes = f"values of shape {values.shape} for thresholds of shape {cells.tp.shape}"
        raise OptionError(f"criterion {wanted.name!r} gives {shapes}.")
    return values


def seeks_lowest(wanted: Criterion) -> bool:
    """Return whether the lowest value of a criterion is the best."""
    if isinstance(wanted, Costs):
        return not wanted.benefit
    if isinstance(wanted, OwnCriterion):
        return wanted.lowest
    if isinstance(wanted, Balance):
        return wanted.goal == "equal"
    return wanted.seeks_lowest if isinstance(wanted, Best) else not isinstance(wanted, Budget)


def constraints_of(wanted: Criterion) -> tuple[Constraint, ...]:
    """Return the bounds in a criterion."""
    return wanted.constraints if isinstance(wanted, Best) else ()


def within_budget(taken: Floats, budget: Budget) -> NDArray[np.bool_]:
    """Return which thresholds keep a budget."""
    limit = float(budget.k if budget.k is not None else budget.share or 0.0)
    return keeps(taken, "<=", limit)


def budget_unit(weight_kind: WeightKind | None, *, share: bool) -> str:
    """Name the counted part of a budget: rows, or importance weight."""
    if weight_kind != "importance":
        return "of the rows"
    return "of the weight" if share else "in weight"


def check_budget(budget: Budget, weight_kind: WeightKind | None) -> None:
    """Check that a number of rows is whole; importance weights need not be."""
    if budget.k is not None and not float(budget.k).is_integer() and weight_kind != "importance":
        raise OptionError(f"a budget of {budget.k:g} rows: a number of rows is whole; a share is written as 5%.")


def keeping(table: ThresholdTable, bound: Constraint) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the values of a constraint's measure, and which of them keep it; an undefined one does not."""
    values = np.asarray(decision_measure(bound.measure)(table, **bound.parameters))
    return values, keeps(values, bound.comparison, bound.bound)


def criterion_words(wanted: Criterion, bounds: tuple[Constraint, ...] = ()) -> str:
    """Return a criterion in words, with the bounds beside its own."""
    words = wanted.goal if isinstance(wanted, Costs) else str(wanted)
    if not bounds:
        return words
    return f"{words} {'and' if constraints_of(wanted) else 's.t.'} {' and '.join(map(str, bounds))}"


def goal_words(wanted: Criterion, bounds: tuple[Constraint, ...] = ()) -> str:
    """Return a criterion with the title of its measure, and all of its bounds.

    >>> goal_words(Best(measure="f1")), goal_words(Budget(share=0.05))
    ('highest F1', 'top 5%')
    """
    words = criterion_words(wanted)
    if isinstance(wanted, Best):
        side = "lowest" if wanted.seeks_lowest else "highest"
        words, bounds = f"{side} {call_text(title_of(wanted.measure), wanted.parameters)}", bounds or wanted.constraints
    return words + (f" where {' and '.join(map(str, bounds))}" if bounds else "")


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
            found |= ~(hoped[:-1] < finite.max() - 2 * TIE_TOLERANCE * np.abs(finite).max())
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
