"""How far the numbers of binned counts may be from those of the rows: a bound for every estimate of one score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.counts.groups import class_scales
from thresher.counts.hidden import AS_TOLD, rows_at
from thresher.counts.middles import too_wide
from thresher.curves.measure_curve import keeps
from thresher.errors import InputError, OptionError, UnknownMeasureError
from thresher.evaluation.subject import Subject, binned_table
from thresher.measures.measure_text import BUDGETS, Wanted, wanted
from thresher.measures.registry import Measure
from thresher.results import WIDENED, Estimate, matters, moved_apart


def with_bounds(
    subject: Subject, found: dict[str, Estimate], apart: Mapping[str, float] | None = None
) -> dict[str, Estimate]:
    """Estimates from binned counts with their `error_bound`, by which limits are moved apart; others as they are.

    `apart` is how far their values are from those of the subject's bins, if they are of others.

    >>> import thresher as th
    >>> builder = ScoreTable.builder(exact_rows=2, bins=4)
    >>> bins = builder.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1]).table()
    >>> subject = Subject.of_counts(bins, threshold=0.5)
    >>> with_bounds(subject, {"auc": Estimate(name="auc", value=0.75)})["auc"].error_bound
    0.125
    """
    table = binned_table(subject)
    if table is None:
        return found
    return {name: _bounded(subject, table, name, each, (apart or {}).get(name, 0.0)) for name, each in found.items()}


def _bounded(subject: Subject, table: ScoreTable, name: str, found: Estimate, apart: float) -> Estimate:
    asked = _asked(name)
    bound = _bound(subject, table, asked)
    found = replace(found, error_bound=None if bound is None else bound + apart)
    if asked is None:
        return found
    return _hidden(subject, asked, widened(_withheld(table, asked, found), _range(table, asked)))


def _asked(name: str) -> Wanted | None:
    """What is read by a name; None of a name that no measure has, of which no bound is known."""
    try:
        return wanted(name)
    except UnknownMeasureError:
        return None


def _withheld(table: ScoreTable, asked: Wanted, found: Estimate) -> Estimate:
    """Estimate without limits where nothing is known of how far wide bins put it off: of a fit, or an infinite loss."""
    is_of_all = asked.at is None and asked.part is None and asked.entry.needs == "table"
    if not is_of_all or found.error_bound != math.inf or found.low is None or (why := too_wide(table)) is None:
        return found
    return replace(found, low=None, high=None, standard_error=None, method=None, reason=f"no interval, as {why}")


def _hidden(subject: Subject, asked: Wanted, found: Estimate) -> Estimate:
    """Estimate that is undefined in some orders of the rows of bins only: its reason says so."""
    if not math.isnan(found.value) or found.error_bound != math.inf:
        return found
    # Only then an infinite bound comes from orders of the rows, and is not just unknown.
    is_tried = asked.at is not None or (asked.entry.needs in ("cells", "matrix") and subject.threshold is not None)
    if not is_tried or found.reason is None or " bin " in found.reason:  # which says so already
        return found
    return replace(found, reason=f"{found.reason}{AS_TOLD}")


def _range(table: ScoreTable, asked: Wanted) -> tuple[float, float]:
    """Least and greatest value of a measure; of the area of a part of a curve, on these rows."""
    from thresher.curves.regions import part_area

    return asked.entry.bounds if asked.part is None else (0.0, part_area(table, asked.part).most)


def widened(found: Estimate, bounds: tuple[float, float]) -> Estimate:
    """Estimate whose limits are moved apart by its bound, within a range, where that matters.

    >>> found = Estimate(name="auc", value=0.8, low=0.7, high=0.9, level=0.95, method="DeLong", error_bound=0.15)
    >>> widened(found, (0.0, 1.0))
    Estimate(auc = 0.8 ± 0.15 [0.55, 1], 95% DeLong, wider by what bins hide)
    """
    bound = found.error_bound or 0.0
    if found.low is None or found.high is None or not matters(bound, found.low, found.high):
        return found
    low, high = moved_apart(found.low, found.high, bound, bounds)
    return replace(found, low=low, high=high, method=f"{found.method}, {WIDENED}")


def bound_of(subject: Subject, name: str) -> float:
    """How far bins of scores may put a measure off; 0 where nothing is binned."""
    table = binned_table(subject)
    return 0.0 if table is None else _bound(subject, table, _asked(name)) or 0.0


def _bound(subject: Subject, table: ScoreTable, asked: Wanted | None) -> float | None:
    from thresher.curves.regions import part_bound
    from thresher.measures.error_bounds import error_bound

    if asked is None:
        return math.inf
    if asked.at is not None:
        return _bound_at(table, asked)
    if asked.part is not None:
        return part_bound(table, asked.part)
    if asked.entry.needs == "table":
        return error_bound(asked.entry.name, table, **asked.parameters)
    if asked.entry.needs not in ("cells", "matrix") or subject.threshold is None:
        return math.inf
    return _bound_of_decisions(table, asked, subject.threshold)


def _bound_at(table: ScoreTable, asked: Wanted) -> float | None:
    """Bound of a measure at a fixed value of another one: of the best cut, as of any that is chosen; or of a rate."""
    from thresher.curves.value_at import value_at
    from thresher.decisions import Best, Constraint, choose

    at, entry = asked.at, asked.entry
    if at is None:
        return math.inf
    if at in BUDGETS.values():
        return _bound_at_budget(table, asked, at)
    if asked.rule == "interpolated" or "neither" in (entry.better, at.better):
        return value_at(table, entry.name, at=at.name, value=asked.at_value, rule=asked.rule).error_bound
    sign: Any = ">=" if at.better == "higher" else "<="
    kept = Constraint(measure=at.name, comparison=sign, bound=asked.at_value)
    options: dict[str, Any] = {
        "lowest": entry.better == "lower",
        "parameters": asked.parameters,
        "constraints": (kept,),
    }
    try:
        return choose(table, Best(measure=entry.name, **options)).error_bound
    except (InputError, OptionError):  # no edge has such a value, while a cut inside of a bin may
        return math.inf


def _bound_at_budget(table: ScoreTable, asked: Wanted, at: Measure) -> float:
    """Bound of a measure at a number of rows.

    The last cut within the budget lies in the bin after the last edge within it, and takes of each class no more than
    the bin has, nor than the budget leaves, at the prevalence of the table.
    """
    rows = ThresholdTable.from_table(table)
    within = np.flatnonzero(keeps(at(rows), "<=", asked.at_value))
    if not within.size or (k := int(within[-1])) == table.scores.size:
        return 0.0  # no cut has a value, or the one that takes all rows
    if table.widths is None:
        return math.inf
    if not table.widths[k] > 0:
        return 0.0
    cells, scales = rows.cells, class_scales(table)
    left = max(asked.at_value * (float(cells.n[k]) if at.bounds[1] == 1 else 1.0) - float(cells.pred_pos[k]), 0.0)
    columns = zip((table.positive, table.negative), scales, strict=True)
    p, n = (min(float(column[k]), left / scale if scale else math.inf) for column, scale in columns)
    return _bound_between(rows.row(k), asked, p, n)


def _bound_of_decisions(table: ScoreTable, asked: Wanted, threshold: float) -> float:
    """Bound of a measure of the matrix at a threshold that cuts a bin: its rows may be on either side.

    Every measure of four cells rises or falls with each class's rows that are moved, so that the ends tell the most,
    but for those that are least where the decisions say nothing, as of information.
    """
    return _bound_between(table.at(threshold), asked, *rows_at(table, threshold))


def _bound_between(matrix: ConfusionMatrix, asked: Wanted, p: float, n: float) -> float:
    """Farthest that a measure may be off where up to so many more rows of both classes are predicted positive.

    Between the ends it may be defined where it is at none of them, which have no row of one prediction.
    """
    ends = [_moved(matrix, *moved) for moved in ((0, 0), (p, 0), (0, n), (p, n), (p / 2, n / 2))]
    values = np.array([float(asked.entry(end, **asked.parameters)) for end in ends])
    if asked.entry.is_least_at_chance and len({_sign(end) for end in ends}) > 1:
        values = np.append(values, asked.entry.bounds[0])
    with np.errstate(invalid="ignore"):  # of two infinite values, which are equal
        apart = np.abs(values - values[0])
    apart[(values == values[0]) | np.isnan(values) & np.isnan(values[0])] = 0.0
    return math.inf if np.isnan(apart).any() else float(apart.max())


def _moved(matrix: ConfusionMatrix, positives: float, negatives: float) -> ConfusionMatrix:
    """Matrix of which so many rows of both classes are predicted positive and no longer negative."""
    change = np.array([[positives, -positives], [negatives, -negatives]])
    return replace(matrix, counts=np.maximum(matrix.counts + change, 0.0))


def _sign(matrix: ConfusionMatrix) -> int:
    (tp, fn), (fp, tn) = matrix.counts.astype(np.float64)
    return int(np.sign(tp * tn - fp * fn))
