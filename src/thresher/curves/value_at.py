"""Any measure where another has a given value, such as the precision at recall 0.75."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import as_dict
from thresher.conventions import option
from thresher.counts.cells import Cells
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.curves.curve import Floats, Table, threshold_table
from thresher.curves.measure_curve import decision_measure, keeps, rounding_of, split_parameters
from thresher.errors import Note, OptionError, Reasoned, RowsNeededError
from thresher.measures.measure_text import BUDGETS, NO_POINT, ROUNDING, Choice, check_within
from thresher.measures.registry import Measure, statistic_of

PRECISION_AT_RECALL = ("positive_predictive_value", "true_positive_rate")
"""Measures read from their curve before the first true positive; a straight line would have another area."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueAt(Reasoned):
    """A measure where another has a given value.

    `threshold` is the cut that gives it. By the "interpolated" rule `share` of the rows that score exactly
    `threshold` are taken, drawn by lot, and all rows above it; it is 1 when the cut alone gives the value. For
    precision at a recall below the first threshold with true positives it is the share of all rows down to there.
    `value` is NaN when no threshold will do, and `reason` says so.
    """

    measure: str
    at: str
    at_value: float
    rule: Choice
    value: float = math.nan
    threshold: float | None = None
    share: float | None = None
    reason: Note | None = None

    def __float__(self) -> float:
        return self.value

    to_dict = as_dict


def value_at(
    table: Table, measure: str, *, at: str, value: float, rule: Choice = "interpolated", **parameters: Any
) -> ValueAt:
    """Read a measure of decisions where another one has a given value.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        measure: the measure to read, by registry name or alias.
        at: the measure that has the given value; or "top" for a share of the rows, "k" for a number of them: as far
            as equal scores allow, these are predicted positive, whatever the rule.
        value: that value.
        rule: "interpolated" takes part of the rows of one score, so that `at` has exactly the value: TP and FP are
            on the straight line between neighboring thresholds (for precision at a recall this is Davis and
            Goadrich's interpolation, constant up to the first threshold with true positives, as in the
            precision–recall curve). "best" takes observed
            thresholds only: the best value of `measure` among those where `at` is at least as good as the value
            (recall ≥ 0.75, but FPR ≤ 0.1).
        parameters: of either measure, such as `beta=2`.

    Where several points have the value, the best is read; the most conservative of those, when it is a tie or the
    measure is without a better direction.

    Raises:
        OptionError: a name is not a measure of decisions; the value is outside the range of `at`; with "best",
            `at` is without a better direction.
        RowsNeededError: the table is thinned.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> round(float(value_at(table, "precision", at="recall", value=0.75)), 3)
    0.6
    >>> best = value_at(table, "precision", at="recall", value=0.75, rule="best")
    >>> round(best.value, 3), best.threshold
    (0.667, 0.4)
    """
    option("rule", rule, ("interpolated", "best"))
    if isinstance(table, ThresholdTable) and table.thinned:
        raise RowsNeededError("a thinned table has lost the thresholds between its own: use the full table.")
    rows = threshold_table(table)
    entry, other, reads = _asked(measure, at, value, parameters)
    if at in BUDGETS or rule == "best":
        row, share, found = _best(rows, other, reads, value, last=at in BUDGETS)
    else:
        row, share, found = _crossings(rows, reads, value)
    if rule == "interpolated" and (entry.name, other.name) == PRECISION_AT_RECALL:
        row, share, found = _from_first_positive(rows, reads, value) or (row, share, found)
    base = ValueAt(measure=entry.name, at=other.name, at_value=float(value), rule=rule)
    chosen = _choose(entry, found)
    if chosen is None:
        return replace(base, reason=Note("never-reached", _never(entry, other, value, rule)))
    threshold = float(rows.thresholds[row[chosen]])
    return replace(base, value=float(found[chosen]), threshold=threshold, share=float(share[chosen]))


def values_at(
    tables: ScoreTable, measure: str, *, at: str, value: float, rule: Choice = "interpolated", **parameters: Any
) -> Floats:
    """Compute `value_at` for every table of a batch, at once where observed thresholds are read."""
    if at not in BUDGETS and rule == "interpolated":
        parts = zip(tables.positive, tables.negative, strict=True)
        each = (replace(tables, positive=positive, negative=negative) for positive, negative in parts)
        return np.array([value_at(t, measure, at=at, value=value, rule=rule, **parameters).value for t in each])
    entry, other, reads = _asked(measure, at, value, parameters)
    cells = ThresholdTable.from_table(tables).cells
    kept, values = _kept(other, reads[1](cells), value), reads[0](cells)
    if at in BUDGETS:
        last = kept.shape[-1] - 1 - np.argmax(kept[..., ::-1], axis=-1)
        return np.take_along_axis(values, last[..., None], axis=-1)[..., 0]
    candidates = np.where(kept, values, np.nan)
    if entry.better == "neither":
        first = np.argmax(~np.isnan(candidates), axis=-1)
        return np.take_along_axis(candidates, first[..., None], axis=-1)[..., 0]
    return np.asarray((np.fmax if entry.better == "higher" else np.fmin).reduce(candidates, axis=-1))


def _asked(measure: str, at: str, value: float, parameters: dict[str, Any]) -> tuple[Measure, Measure, list[Reader]]:
    """Return both measures, and how to read them."""
    entry, other = decision_measure(measure), BUDGETS.get(at) or decision_measure(at)
    check_within(float(value), other, f"{at}={value}", so=NO_POINT)
    used = split_parameters([measure, *(() if at in BUDGETS else (at,))], parameters)
    return entry, other, [_reader(entry, used[measure]), _reader(other, used.get(at, {}))]


Reader = Callable[[Cells], Floats]
Candidates = tuple[NDArray[np.intp], Floats, Floats]


def _reader(entry: Measure, parameters: dict[str, Any]) -> Reader:
    return lambda cells: entry.on(statistic_of(entry, cells), **parameters)


def _never(entry: Measure, other: Measure, value: float, rule: Choice) -> str:
    sign = "≥" if other.better == "higher" else "≤"
    goal = f"no threshold has {other.title} {sign}" if rule == "best" else f"the curve never has {other.title}"
    return f"{goal} {value:g} where {entry.title} is defined"


def _choose(entry: Measure, candidates: Floats) -> int | None:
    """Choose the best candidate; of equals the first, which is the most conservative."""
    known = np.flatnonzero(~np.isnan(candidates))
    if not known.size:
        return None
    if entry.better == "neither":
        return int(known[0])
    pick = np.argmax if entry.better == "higher" else np.argmin
    return int(known[pick(candidates[known])])


def _best(rows: ThresholdTable, other: Measure, reads: list[Reader], value: float, *, last: bool) -> Candidates:
    """Return the measure where the other is as good as required, or at the last threshold within a budget of rows."""
    cells = rows.cells
    where = np.flatnonzero(_kept(other, reads[1](cells), value))[-1 if last else 0 :]
    return where, np.ones(where.size), reads[0](cells)[where]


def _kept(other: Measure, values: Floats, bound: float) -> NDArray[np.bool_]:
    """Return the thresholds at which the other measure is good enough, or rows are within their budget."""
    if other.better == "neither" and other not in BUDGETS.values():
        raise OptionError(f'{other.title} can be better high or low; use rule="interpolated" to meet its value.')
    return keeps(values, ">=" if other.better == "higher" else "<=", bound)


def _crossings(rows: ThresholdTable, reads: list[Reader], value: float) -> Candidates:
    """Return the measure at every point on the path of counts where the other has exactly the value."""
    cells = rows.cells
    gap = reads[1](cells) - value
    gap[np.abs(gap) <= rounding_of(value)] = 0.0
    exact = np.flatnonzero(gap == 0)
    first = np.flatnonzero(gap[:-1] * gap[1:] < 0)
    share = _share(cells, first, gap, lambda c: reads[1](c) - value)
    row = np.concatenate([exact, first + 1])
    share = np.concatenate([np.ones(exact.size), share])
    order = np.lexsort((share, row))
    row, share = row[order], share[order]
    return row, share, reads[0](_mixed(cells, np.maximum(row - 1, 0), row, share))


def _from_first_positive(rows: ThresholdTable, reads: list[Reader], value: float) -> Candidates | None:
    """Return the precision at the first true positive for a recall below it; None for another recall.

    Of the rows down to it any share drawn by lot has that precision.
    """
    cells = rows.cells
    first = np.flatnonzero(cells.tp > 0)[:1]
    highest = reads[1](cells)[first]
    if not first.size or not 0 <= value < highest[0]:
        return None
    return first, value / highest, reads[0](cells)[first]


def _share(cells: Cells, left: NDArray[np.intp], gaps: Floats, gap: Reader) -> Floats:
    """Find the share of each step at which the gap changes sign: straight, as for rates, or by halving."""
    with np.errstate(invalid="ignore"):  # likelihood ratios may be infinite
        straight = gaps[left] / (gaps[left] - gaps[left + 1])
    if np.all(np.abs(gap(_mixed(cells, left, left + 1, straight))) <= ROUNDING):
        return straight
    return _halve(cells, left, gaps[left] < 0, gap)


def _halve(cells: Cells, left: NDArray[np.intp], rising: NDArray[np.bool_], gap: Reader) -> Floats:
    """Find the share of each step at which the gap changes sign; 60 halvings reach the last bit."""
    low, high = np.zeros(left.size), np.ones(left.size)
    for _ in range(60):
        middle = (low + high) / 2
        before = (gap(_mixed(cells, left, left + 1, middle)) < 0) == rising
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return (low + high) / 2


def _mixed(cells: Cells, left: NDArray[np.intp], right: NDArray[np.intp], share: Floats) -> Cells:
    """Return the cells between two thresholds, in exact proportion; the right one itself at share 1."""
    pairs = ((cell[left], cell[right]) for cell in (cells.tp, cells.fp, cells.fn, cells.tn))
    return Cells(*(np.where(share == 1, b, a + share * (b - a)) for a, b in pairs))
