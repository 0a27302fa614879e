"""Choosing a threshold: the rows of a table that a criterion prefers, with all that tie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ByFields, cached_property
from thresher._util.json_values import to_jsonable
from thresher.conventions import TIE_TOLERANCE, attaining, divide
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.thresholds import ThresholdTable, decimal_cut, threshold_text
from thresher.curves.curve import Curve, Mark, Table, absent, threshold_table
from thresher.decisions import objective
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Budget, Constraint, Criterion
from thresher.decisions.hull import Hull, ValidRange, ratio_at, roc_hull, valid_range
from thresher.errors import InputError, Note, OptionError, note_forms
from thresher.results import Shown

if TYPE_CHECKING:
    from thresher.curves.listing import Listing

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint(Shown):
    """One chosen threshold: its confusion matrix, the value of the criterion, and where it stays the cheapest.

    `valid` is None off the hull: then no costs make this threshold the cheapest, whatever else it is best for.
    """

    threshold: float
    row: int
    value: float
    fpr: float
    tpr: float
    matrix: ConfusionMatrix
    valid: ValidRange | None

    def to_dict(self) -> dict[str, Any]:
        """Return the threshold, rates, counts of the matrix and valid range (None off the hull) as JSON types."""
        found = {"threshold": self.threshold, "value": self.value, "fpr": self.fpr, "tpr": self.tpr}
        return to_jsonable({**found, "matrix": self.matrix.counts, "valid": self.valid})  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        where = "on the hull" if self.valid is not None else "off the hull"
        rates = f"FPR {self.fpr:.4g}, TPR {self.tpr:.4g}"
        return f"OperatingPoint(threshold {threshold_text(self.threshold)}: value {self.value:.4g}, {rates}, {where})"


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice(ByFields, Shown):
    """All thresholds that a criterion prefers equally, the most conservative first.

    `table` carries the stated prevalence as its prior, so that every measure of it, and of the matrices, is at that
    prevalence; `curve` is the criterion over all its thresholds. `rows` are rows of it, 0 being the sentinel, at which
    nothing is predicted positive. `wanted` is the criterion, `constraints` are all bounds that it keeps.
    """

    criterion: str
    value: float
    rows: NDArray[np.intp]
    table: ThresholdTable
    wanted: Criterion
    cost_ratio: float = 1.0
    notes: tuple[Note, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    def __len__(self) -> int:
        return int(self.rows.size)

    @property
    def thresholds(self) -> Floats:
        """Thresholds that tie."""
        return self.table.thresholds[self.rows]

    @property
    def curve(self) -> Curve:
        """Value of the criterion at every threshold, constraints aside; NaN beyond a budget."""
        return Curve(
            name="criterion", x=self.table.thresholds, y=_objective(self.table, self.wanted)[0],
            thresholds=self.table.thresholds, x_name="threshold", y_name=self.criterion, interpolation="threshold",
            marks=(Mark(text=f"threshold {self._decimal}", x=float(self.thresholds[0]), y=self.value,
                        threshold=float(self.thresholds[0])),),
        )  # fmt: skip

    @property
    def goal(self) -> str:
        """Criterion with the title of its measure."""
        return objective.goal_words(self.wanted, self.constraints)

    @property
    def _decimal(self) -> str:
        return threshold_text(decimal_cut(self.table, float(self.thresholds[0])))

    @cached_property
    def _hull(self) -> Hull | None:
        return roc_hull(self.table) if self.table.P and self.table.N else None

    @property
    def best(self) -> OperatingPoint:
        """Most conservative of the points that tie."""
        return self.point(0)

    def point(self, i: int) -> OperatingPoint:
        """Return the i-th of the tied points."""
        row = int(self.rows[i])
        tp, fp = float(self.table.tp[row]), float(self.table.fp[row])
        return OperatingPoint(
            threshold=float(self.table.thresholds[row]),
            row=row,
            value=self.value,
            fpr=float(divide(fp, self.table.N)),
            tpr=float(divide(tp, self.table.P)),
            matrix=self.table.row(row),
            valid=valid_range(self.table, row, cost_ratio=self.cost_ratio, hull=self._hull),
        )

    @property
    def points(self) -> tuple[OperatingPoint, ...]:
        """Every point that ties, with its matrix."""
        return tuple(self.point(i) for i in range(len(self)))

    def to_dict(self) -> dict[str, Any]:
        """Return the criterion, its value, the thresholds that tie and the first of their points as JSON types."""
        found = {"criterion": self.criterion, "value": self.value, "thresholds": self.thresholds}
        more = {"prevalence": self.table.prior, "cost_ratio": self.cost_ratio, "notes": note_forms(self.notes)}
        return to_jsonable(found | more) | {"best": self.best.to_dict()}  # type: ignore[no-any-return]

    def columns(self) -> dict[str, Any]:
        """Return the thresholds that tie as columns, with counts and rates."""
        columns = self.table.to_dict()
        return {name: np.asarray(column)[self.rows] for name, column in columns.items()}

    def __repr__(self) -> str:
        more = f" and {len(self) - 1} that tie" if len(self) > 1 else ""
        return f"Choice({self.criterion}: {self.value:.4g} at threshold {self._decimal}{more})"


def choose(
    table: Table,
    criterion: Criterion | str,
    *,
    prevalence: float | None = None,
    constraints: tuple[Constraint, ...] = (),
) -> Choice:
    """Choose the thresholds that a criterion prefers, all that tie.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        criterion: a value such as `Costs(fp=1, fn=20)` (least expected cost, or with `benefit=True` the
            largest expected benefit, which then is the value), `Best(measure="f1")`, `Budget(k=100)`,
            or text: "youden", "closest", "max f1", "max tpr s.t. fpr<=0.01", "top 5%", "match_prevalence".
        prevalence: the share of positives where the decisions will be made; by default the table's own.
        constraints: bounds that the chosen threshold has to keep as well.

    The sentinel is a candidate: to predict nothing positive can be best. Values that differ in the last digits tie.

    Raises:
        OptionError: the criterion is not understood, or no threshold keeps its constraints.
        InputError: the criterion is undefined at every threshold, or the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> choose(table, Costs(fp=1, fn=20))
    Choice(least expected cost: 0.2 at threshold 1)
    >>> choose(table, "max accuracy").thresholds.tolist()
    [7.0, 1.0]
    >>> choose(table, "max tpr s.t. fpr<=0.01").best.valid.slopes
    (0.6666666666666666, inf)
    """
    from thresher.decisions.criterion_options import parse_criterion

    wanted = parse_criterion(criterion) if isinstance(criterion, str) else criterion
    rows = threshold_table(table)
    rows = rows if prevalence is None else rows.with_prevalence(prevalence)
    bounds = (*objective.constraints_of(wanted), *constraints)
    eligible = feasible(rows, bounds)
    values, notes = _objective(rows, wanted)
    found = attaining(values, lowest=objective.seeks_lowest(wanted), eligible=eligible)
    if not found.size:
        raise InputError(f"{objective.criterion_words(wanted)} is undefined at every threshold: {_reason(rows)}.")
    ratio = wanted.ratio if isinstance(wanted, Costs) else 1.0
    return Choice(
        criterion=objective.criterion_words(wanted, constraints), value=float(values[found[0]]), rows=found, table=rows,
        cost_ratio=ratio, notes=notes, wanted=wanted, constraints=bounds,
    )  # fmt: skip


def feasible(table: ThresholdTable, constraints: tuple[Constraint, ...]) -> NDArray[np.bool_] | None:
    """Return the rows that keep all constraints, None without any; where no row does, say how near they come."""
    if not constraints:
        return None
    kept = np.ones(len(table), dtype=np.bool_)
    for bound in constraints:
        values, keeps = objective.keeping(table, bound)
        kept &= keeps
        if not kept.any():
            defined = values[~np.isnan(values)]
            reached = f"it runs from {defined.min():.4g} to {defined.max():.4g}" if defined.size else "it is undefined"
            together = " together with the conditions before it" if len(constraints) > 1 else ""
            raise OptionError(f"no threshold has {bound}{together}: over all thresholds {reached}.")
    return kept


def non_dominated(table: Table) -> NDArray[np.intp]:
    """Return the rows of the threshold table that no other beats with as high a TPR and as low an FPR.

    These are the upper left corners of the ROC, for choosing by eye. Along the ROC both rates rise, so that only a
    neighbor can beat a row first: the next one at the same FPR, or the one before at the same TPR.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> non_dominated(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])).tolist()
    [2, 4]
    """
    rows = threshold_table(table)
    next_beats = np.append(np.diff(rows.fp) <= 0, False)
    last_beats = np.append(False, np.diff(rows.tp) <= 0)
    return np.flatnonzero(~next_beats & ~last_beats)


def _objective(rows: ThresholdTable, wanted: Criterion) -> tuple[Floats, tuple[Note, ...]]:
    """Return the value of every row, None beyond a budget, and the notes."""
    values = objective.criterion_values(rows, wanted)
    if not isinstance(wanted, Budget):
        return values, ()
    objective.check_budget(wanted, rows.weight_kind)
    unit = objective.budget_unit(rows.weight_kind, share=wanted.k is None)
    limit = float(wanted.k if wanted.k is not None else wanted.share or 0.0)
    within = objective.within_budget(values, wanted)
    most, kept = float(np.nanmax(values, where=within, initial=-1.0)), np.where(within, values, np.nan)
    # Equal scores go together, so that a budget may not be used up.
    if most >= min(limit, float(values[-1])) * (1 - TIE_TOLERANCE):
        return kept, ()
    taken, allowed = (f"{100 * n:.3g} %" if wanted.k is None else f"{n:g}" for n in (most, limit))
    if most <= 0:
        text = f"more than {allowed} {unit} share the highest score, so none can be taken"
    else:
        text = f"{taken} {unit} are predicted positive, not {allowed}: the next rows share one score"
    return kept, (Note("budget-not-used", text),)


def _reason(rows: ThresholdTable) -> str:
    missing = absent(rows)
    return f"there are no {' and no '.join(missing)}" if missing else "see when the measure is undefined"


def undominated(table: Table) -> Listing:
    """List the thresholds that no other beats: counts, rates, precision, and cost ratios.

    The ratios cost(FP)/cost(FN), from low to high, are the ones for which the threshold is
    the cheapest; NaN for a threshold off the hull, which is the cheapest for none.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> found = undominated(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> found["threshold"].tolist(), found["cost_ratio_low"].round(3).tolist()
    ([7.0, 1.0], [1.0, 0.0])
    """
    from thresher.curves.listing import Listing

    whole = threshold_table(table)
    rows = non_dominated(whole)
    low, high = np.full(rows.size, np.nan), np.full(rows.size, np.nan)
    if whole.P and whole.N:
        hull = roc_hull(replace(whole, prior=None))
        share = float(hull.prevalence) if whole.prior is None else whole.prior
        place = np.minimum(np.searchsorted(hull.rows, rows), hull.rows.size - 1)
        on = hull.rows[place] == rows
        ratios = [[ratio_at(slope, share) for slope in slopes] for slopes in hull.slope_intervals[place[on]].tolist()]
        low[on], high[on] = np.reshape(ratios, (-1, 2)).T
    cells = whole.cells
    return Listing({
        "threshold": whole.thresholds[rows], "TP": whole.tp[rows], "FP": whole.fp[rows], "FN": whole.fn[rows],
        "TN": whole.tn[rows], "TPR": divide(whole.tp[rows], whole.P), "FPR": divide(whole.fp[rows], whole.N),
        "precision": divide(cells.tp, cells.pred_pos)[rows], "cost_ratio_low": low, "cost_ratio_high": high,
    }, whole.backend)  # fmt: skip
