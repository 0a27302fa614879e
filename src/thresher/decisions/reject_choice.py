"""Choosing the two thresholds of a reject option: for a cost of deferral, or the most rows that bounds allow."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.parse_number import parse_number, parse_share_or_number
from thresher.conventions import TIE_TOLERANCE
from thresher.curves.points import Table, threshold_table
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, Constraint
from thresher.decisions.criterion_options import parse_criterion
from thresher.decisions.objective import keeping
from thresher.decisions.reject import RejectOption
from thresher.errors import InputError, OptionError, keyword

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
