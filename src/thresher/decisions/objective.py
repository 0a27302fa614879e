"""Worth of every threshold by a criterion, and the thresholds that it allows; batch axes come first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import WeightKind, divide
from thresher.counts import Cells
from thresher.counts.thresholds import ThresholdTable
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
from thresher.measures.titles import title_of

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
    if isinstance(wanted, Budget):
        return _taken(table, wanted)
    if isinstance(wanted, MatchPrevalence):
        cells = table.cells
        return np.abs(divide(cells.pred_pos, cells.n) - divide(cells.pos, cells.n))
    return _of_rates(table, wanted)


def _taken(table: ThresholdTable, budget: Budget) -> Floats:
    if budget.k is not None:
        return np.asarray(table.tp + table.fp, dtype=np.float64)
    cells = table.cells
    return divide(cells.pred_pos, cells.n)


def _of_rates(table: ThresholdTable, wanted: ClosestCorner | Balance) -> Floats:
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
