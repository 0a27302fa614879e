"""The reject option: two thresholds, no decision between them (the equivocal zone), and the choice of both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.frozen_values import ByFields
from thresher._util.json_values import to_jsonable
from thresher._util.parse_number import parse_number, parse_share_or_number
from thresher.conventions import TIE_TOLERANCE, Direction, is_positive
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.row_columns import known_scores
from thresher.counts.thresholds import ThresholdTable, decimal_cuts, threshold_text
from thresher.curves.curve import Table, threshold_table
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, Constraint
from thresher.decisions.criterion_options import parse_criterion
from thresher.decisions.objective import keeping
from thresher.errors import InputError, OptionError, keyword
from thresher.results import Shown

DEFERRED = -1
"""Code of a row that is not decided, beside 1 and 0."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RejectOption(ByFields, Shown):
    """Positive from the `upper` threshold on, negative below the `lower` one, and deferred in between.

    With low scores positive, "from … on" is at most, and "below" is above. `table` holds the thresholds;
    `upper_row` ≤ `lower_row` are rows of it, and equal when nothing is deferred. Rates are at the table's
    prevalence, its prior when one was set. `criterion` says how the thresholds were chosen, `is_chosen` whether the
    rows had a part in it. `shown` are both thresholds as they are written, where the table does not tell.
    """

    table: ThresholdTable
    upper_row: int
    lower_row: int
    criterion: str = "given thresholds"
    is_chosen: bool = False
    shown: tuple[float, ...] = field(default=(), compare=False)

    @property
    def upper(self) -> float:
        """Scores from here on are positive; the sentinel when none is."""
        return float(self.table.thresholds[self.upper_row])

    @property
    def lower(self) -> float:
        """Scores from here up to the upper threshold are deferred, those beyond are negative."""
        return float(self.table.thresholds[self.lower_row])

    @property
    def decimals(self) -> tuple[float, ...]:
        """Both thresholds, the upper one first, as short decimals that decide the same rows."""
        return self.shown or tuple(decimal_cuts(self.table, [self.upper, self.lower]).tolist())

    @property
    def direction(self) -> Direction:
        """Whether high or low scores are positive."""
        return self.table.direction

    @property
    def deferrals(self) -> ConfusionMatrix:
        """Truth against whether a row is decided: "decided" in place of positive predictions, "deferred" of negative.

        So its predicted prevalence is the reportable rate, and its recall the rate among positives alone.
        """
        return self._counted(self._decided_and_deferred, ("positive", "negative"), self.table.prior)

    def _counted(self, split: Callable[..., Any], labels: tuple[Any, Any], prior: float | None) -> ConfusionMatrix:
        t = self.table
        squares = None if t.tp_squares is None or t.fp_squares is None else split(t.tp_squares, t.fp_squares)
        return ConfusionMatrix(
            counts=split(t.tp, t.fp), labels=labels, squares=squares, weight_kind=t.weight_kind, prior=prior
        )

    @property
    def reportable_rate(self) -> float:
        """Share of the rows that are decided."""
        return float(self.deferrals.cells.pred_pos / self.deferrals.cells.n)

    @property
    def deferral_rate(self) -> float:
        """Share of the rows that are deferred."""
        return float(self.deferrals.cells.pred_neg / self.deferrals.cells.n)

    @property
    def matrix(self) -> ConfusionMatrix:
        """Confusion matrix of the decided rows; every measure of it is among these rows alone.

        Its prevalence is theirs: where a prior was set, that prior moved by the shares of both classes that are
        decided.
        """
        prior = self.table.prior
        if prior is not None:
            known = self.deferrals.cells
            # Where all decided rows are of one class there is nothing to scale.
            prior = float(known.tp / known.pred_pos) if known.tp and known.fp else None
        return self._counted(self._decided, (1, 0), prior)

    def expected_cost(self, costs: Costs, *, deferral: float) -> float:
        """Return the mean cost per row, a deferred row costing `deferral`; a gain is a negative cost."""
        known = self.table.cells
        u, low = self.upper_row, self.lower_row
        taken, left = known.pred_pos[u], known.pred_neg[low]
        errors = costs.fp * known.fp[u] + costs.fn * known.fn[low]
        right = costs.tp * known.tp[u] + costs.tn * known.tn[low]
        n = known.n[u]
        mean = (costs.sign * (errors + right) + deferral * (n - taken - left)) / n
        return float(mean + costs.sign * costs.fixed)

    def predict(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Decide each score: 1 positive, 0 negative, −1 deferred.

        Raises:
            InputError: a score is NaN.

        >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0], [0.9, 0.8, 0.5, 0.4, 0.1])
        >>> RejectOption(table=table, upper_row=2, lower_row=4).predict([0.95, 0.45, 0.2]).tolist()
        [1, -1, 0]
        """
        values = known_scores(scores)
        yes = is_positive(values, self.upper, self.direction)
        maybe = is_positive(values, self.lower, self.direction)
        return np.where(yes, 1, np.where(maybe, DEFERRED, 0)).astype(np.int8)

    def _decided(self, tp: NDArray[Any], fp: NDArray[Any]) -> NDArray[Any]:
        u, low = self.upper_row, self.lower_row
        return np.stack([np.stack([c[u], c[-1] - c[low]]) for c in (tp, fp)])

    def _decided_and_deferred(self, tp: NDArray[Any], fp: NDArray[Any]) -> NDArray[Any]:
        u, low = self.upper_row, self.lower_row
        return np.stack([np.stack([c[u] + (c[-1] - c[low]), c[low] - c[u]]) for c in (tp, fp)])

    def __post_init__(self) -> None:
        if self.table.tp.ndim != 1:
            raise InputError("a reject option needs one table, and this is a batch of several.")
        if not 0 <= self.upper_row <= self.lower_row < len(self.table):
            rows = f"rows {self.upper_row} and {self.lower_row} of {len(self.table)}"
            raise OptionError(f"{rows}: the upper threshold comes first.")

    @property
    def zone(self) -> str:
        """Deferred scores in words."""
        if self.upper_row == self.lower_row:
            return "defers none"
        upper, lower = self.decimals
        if self.direction == "lower":
            return f"defers {threshold_text(upper)} < score ≤ {threshold_text(lower)}"
        return f"defers {threshold_text(lower)} ≤ score < {threshold_text(upper)}"

    def __repr__(self) -> str:
        return f"RejectOption({self.criterion}: {self.zone}, {100 * self.reportable_rate:.4g}% reportable)"

    def to_dict(self) -> dict[str, Any]:
        """Return the thresholds, rates and counts as JSON types."""
        rates = {"reportable_rate": self.reportable_rate, "deferral_rate": self.deferral_rate}
        known = {"upper": self.upper, "lower": self.lower}
        ends: dict[str, Any] = {k: v if np.isfinite(v) else str(v) for k, v in known.items()}
        decided: dict[str, Any] = {"matrix": self.matrix.counts.tolist(), "deferrals": self.deferrals.counts.tolist()}
        return to_jsonable({"criterion": self.criterion, **ends, **rates, **decided})  # type: ignore[no-any-return]


Floats = NDArray[np.float64]
Bound = float | str | Constraint | None


def reject_option(
    table: Table,
    *,
    lower: Bound = None,
    upper: Bound = None,
    costs: Costs | None = None,
    deferral: float | None = None,
    accuracy: float | None = None,
    prevalence: float | None = None,
) -> RejectOption:
    """Choose two thresholds, exactly over all pairs, or take given ones; scores between them are undecided.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        lower: a threshold, below which scores are negative (none are where it is None); or a bound that the negative
            decisions have to keep, such as "npv>=0.99" or "tpr>=0.95" (how many positives may be missed).
        upper: a threshold, from which on scores are positive (none are where it is None); or a bound on the positive
            decisions, such as "precision>=0.9" or "fpr<=0.05". A bound is on any measure of the decisions that its own
            threshold alone would make. Of all pairs that keep both, the one that decides most rows is taken.
        costs, deferral: costs of the four outcomes and of a deferred row, in the same unit: the pair of least expected
            cost. With probabilities that are right it is Chow's rule: defer where both errors are dearer.
        accuracy: the accuracy that the decided rows must have; the pair that decides most rows.
        prevalence: share of positives where the decisions will be made; by default the table's own.

    Linear in the number of thresholds, or n·log n for an accuracy. A side that keeps its bound nowhere decides nothing.
    Of pairs that tie, the one that defers fewest rows, then errs least, is taken.

    Raises:
        OptionError: not exactly one way to choose; the lower threshold is above the upper one; a bound is not
            understood; no pair decides a row and keeps the bounds.
        InputError: there are no rows, a prevalence is set and a class is empty, or the table is a batch.

    Chow (1970); Herbei and Wegkamp (2006); Greiner, Sohr and Göbel (1995) for two cut-offs.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    >>> found = reject_option(table, costs=Costs(fp=1, fn=1), deferral=0.3)
    >>> found
    RejectOption(least expected cost with deferral at 0.3: defers 0.4 ≤ score < 0.8, 66.67% reportable)
    >>> found.matrix.accuracy, round(found.expected_cost(Costs(fp=1, fn=1), deferral=0.3), 4)
    (1.0, 0.1)
    >>> reject_option(table, upper="precision>=0.9", lower="npv>=0.6").reportable_rate
    1.0
    """
    rows = threshold_table(table)
    rows = rows if prevalence is None else rows.with_prevalence(prevalence)
    ways = [lower is not None or upper is not None, costs is not None or deferral is not None, accuracy is not None]
    if sum(ways) != 1:
        raise OptionError("choose by one of lower= and upper=, " + keyword("costs") + " and deferral=, or accuracy=.")
    if not rows.P + rows.N or (rows.prior is not None and not (rows.P and rows.N)):
        raise InputError("there are no rows, or a prevalence was set and one class is empty.")
    if ways[0]:
        words = f"upper {_words(upper)}, lower {_words(lower)}"
        lower, upper = (bound_of(bound) if isinstance(bound, str) else bound for bound in (lower, upper))
        pair = _within(rows, lower, upper)
    elif ways[1]:
        if costs is None or deferral is None or not math.isfinite(deferral):
            needed = keyword("costs") + " and a finite deferral=, the cost of a deferred row."
            raise OptionError("a reject option by cost needs " + needed)
        words, pair = f"{costs.goal} with deferral at {deferral:g}", _cheapest(rows, costs, deferral)
    else:
        words, pair = f"accuracy >= {accuracy:g}", _accurate(rows, float(accuracy or 0.0))
    is_chosen = not ways[0] or any(isinstance(bound, Constraint) for bound in (lower, upper))
    return RejectOption(table=rows, upper_row=pair[0], lower_row=pair[1], criterion=words, is_chosen=is_chosen)


def _words(bound: Bound) -> str:
    return "nowhere" if bound is None else f"at {bound:g}" if isinstance(bound, int | float) else str(bound_of(bound))


def bound_of(bound: str | Constraint) -> Constraint:
    """Return the bound of one side, from text such as "npv>=0.99"."""
    if isinstance(bound, Constraint):
        return bound
    try:
        found = parse_criterion(f"max accuracy s.t. {bound}")
    except OptionError as error:
        raise OptionError(f"the bound {bound!r} is not understood; it is such as 'npv>=0.99': {error}") from None
    if not isinstance(found, Best) or len(found.constraints) != 1:
        raise OptionError(f"the bound {bound!r} is more than one condition.")
    return found.constraints[0]


def _allowed(rows: Any, bound: float | Constraint | None, free: int) -> NDArray[np.bool_]:
    """Return the rows that a threshold or a bound allows; at `free` a side decides nothing and keeps any bound."""
    kept = np.zeros(len(rows), dtype=np.bool_)
    if isinstance(bound, Constraint):
        kept = keeping(rows, bound)[1].copy()
    elif bound is not None:
        kept[rows.index(float(bound))] = True
        return kept
    kept[free] = True
    return kept


def _within(rows: Any, lower: float | Constraint | None, upper: float | Constraint | None) -> tuple[int, int]:
    """Find the pair that decides most rows: for each lower row the last allowed upper row before it."""
    last = len(rows) - 1
    uppers, lowers = _allowed(rows, upper, 0), _allowed(rows, lower, last)
    place = np.arange(len(rows))
    before = np.maximum.accumulate(np.where(uppers, place, -1))
    low = np.flatnonzero(lowers & (before >= 0))
    if not low.size:
        raise OptionError("the lower threshold is above the upper one.")
    u = before[low]
    cells = rows.cells
    decided = cells.pred_pos[u] + cells.pred_neg[low]
    best = _best(decided, -(cells.fp[u] + cells.fn[low]))
    is_chosen = isinstance(lower, Constraint) or isinstance(upper, Constraint)
    if not decided[best] > 0 and is_chosen:
        raise OptionError(f"no row can be decided with upper {_words(upper)} and lower {_words(lower)}.")
    return int(u[best]), int(low[best])


def _cheapest(rows: Any, costs: Costs, deferral: float) -> tuple[int, int]:
    """Return the least sum of the costs of the upper and of the lower threshold, the upper one coming first.

    A row that both leave undecided costs the deferral; so each side is charged the difference from it.
    """
    tp, fp, fn, tn = (costs.sign * cost - deferral for cost in (costs.tp, costs.fp, costs.fn, costs.tn))
    cells = rows.cells
    yes, no = (cells.tp * tp + cells.fp * fp) / cells.n, (cells.fn * fn + cells.tn * tn) / cells.n
    least = np.minimum.accumulate(yes)
    total = least + no
    slack = TIE_TOLERANCE * max(1.0, float(np.abs(yes).max()), float(np.abs(no).max()))
    low = np.flatnonzero(total <= total.min() + slack)
    # Of upper rows that tie the last one defers least; it is the last at which the running minimum is attained.
    attains = np.maximum.accumulate(np.where(yes <= least + slack, np.arange(yes.size), 0))
    u = attains[low]
    best = _best(cells.pred_pos[u] + cells.pred_neg[low], -(cells.fp[u] + cells.fn[low]))
    return int(u[best]), int(low[best])


def _accurate(rows: Any, accuracy: float) -> tuple[int, int]:
    """Find the pair that decides most rows with at least this accuracy.

    The errors may be (1 − a) of the decided rows: g(u) + h(l) ≤ 0 with g = FP − (1 − a)·P' at the upper row and
    h = FN − (1 − a)·N' at the lower one. If one threshold keeps it, nothing needs to be deferred. If none does, no pair
    with u > l keeps it either: a row between them would count as decided twice and as one error, which for a ≥ ½ is
    no gain, so that u or l alone would keep it. (Below ½ one threshold always keeps it.) So for each l the last u with
    g(u) ≤ −h(l) is wanted, whatever the order, and a search in the suffix minima of g finds it.
    """
    if not 0 <= accuracy <= 1:
        raise OptionError(f"accuracy={accuracy!r}: an accuracy is between 0 and 1.")
    cells = rows.cells
    g, h = cells.fp - (1 - accuracy) * cells.pred_pos, cells.fn - (1 - accuracy) * cells.pred_neg
    slack = TIE_TOLERANCE * float(cells.n[0])
    alone = np.flatnonzero(g + h <= slack)
    if alone.size:
        row = int(alone[np.argmin((cells.fp + cells.fn)[alone])])
        return row, row
    suffix = np.minimum.accumulate(g[::-1])[::-1]
    u = np.searchsorted(suffix, slack - h, side="right") - 1
    low = np.flatnonzero((u >= 0) & (u <= np.arange(u.size)))
    decided = cells.pred_pos[u[low]] + cells.pred_neg[low]
    best = _best(decided, -(cells.fp[u[low]] + cells.fn[low])) if low.size else -1
    if best < 0 or not decided[best] > 0:
        raise OptionError(f"no row can be decided with an accuracy of {accuracy:g}.")
    return int(u[low[best]]), int(low[best])


def _best(first: Floats, second: Floats) -> int:
    """Return the place of the largest first value; among ties, of the largest second."""
    ties = np.flatnonzero(first >= first.max() - TIE_TOLERANCE * max(1.0, float(np.abs(first).max())))
    return int(ties[np.argmax(second[ties])])


GRAMMAR = (
    "deferral=COST (with the costs of errors), accuracy=A, or upper=… and lower=…, each a threshold or a bound such as "
    "precision>=0.98"
)
_PART = re.compile(r"(?:^|,)\s*(deferral|accuracy|upper|lower)\s*(?:=|>=|≥)\s*")


def reject_rule(text: str) -> dict[str, Any]:
    """Parse options of `reject_option`.

    >>> reject_rule("deferral=0.2"), reject_rule("accuracy>=0.99")
    ({'deferral': 0.2}, {'accuracy': 0.99})
    >>> reject_rule("accuracy=99%")
    {'accuracy': 0.99}
    >>> reject_rule("upper=precision>=0.98, lower=0.2")
    {'upper': 'precision>=0.98', 'lower': 0.2}
    """
    start, *pieces = _PART.split(text.strip())
    names, values = pieces[::2], [value.strip() for value in pieces[1::2]]
    if start or not names or not all(values):
        raise OptionError(f"the reject option {text!r} is not understood; it is {GRAMMAR}.")
    if len(set(names)) < len(names):
        raise OptionError(f"the reject option {text!r} names an option twice.")
    found = {name: _number(value, name) for name, value in zip(names, values, strict=True)}
    if wrong := next((name for name in ("deferral", "accuracy") if isinstance(found.get(name), str)), None):
        raise OptionError(f"the reject option {text!r}: {found[wrong]!r} is not a number.")
    return found


def _number(value: str, name: str) -> float | str:
    """Parse a number (for an accuracy also a percentage); return the text of a bound."""
    try:
        return parse_share_or_number(value) if name == "accuracy" else parse_number(value)
    except ValueError:
        return value
