"""What a reject option costs a row, those that are deferred included, with its interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL
from thresher.decisions.costs import Costs
from thresher.decisions.reject import RejectOption
from thresher.inference.delta import Slopes, delta_interval
from thresher.inference.measured import FIXED, obstacle, with_delta
from thresher.results import Estimate

Array = NDArray[np.float64]

NO_ROWS = "there are no rows"
NO_CLASS = "a prevalence was set, and a class has no rows to take its mean cost from"


def rejected_cost(option: RejectOption, costs: Costs, *, deferral: float, level: float = LEVEL) -> Estimate:
    """Estimate of the mean cost per row: that of each decision, and `deferral` for a row without one.

    C = Σ c·w/Σw over truth (2) by decision (positive, negative, none), its derivative by a cell (c − C)/Σw; at a
    prevalence that was set the mean of the classes' means, with the spread of each class alone, which is undefined
    where a class has no rows. The interval is the delta method's within the least and the largest cost. A gain is a
    negative cost.

    >>> from thresher.counts import ThresholdTable
    >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    >>> option = RejectOption(table=table, upper_row=2, lower_row=4)
    >>> rejected_cost(option, Costs(fp=1, fn=1), deferral=0.3)
    Estimate(expected_cost = 0.1 [0.03063, 0.2809], 95% delta method, logit scale)

    Source: Chow 1970 for the cost; the derivative is elementary.
    """
    cells = _cells(costs, deferral)
    counts = np.hstack([option.matrix.counts, option.deferrals.counts[:, 1:]]).astype(np.float64)
    value = option.expected_cost(costs, deferral=deferral)
    found = Estimate(name="expected_cost", value=value, n=float(counts.sum()))
    if math.isnan(value):
        return replace(found, reason=NO_CLASS if counts.any() else NO_ROWS)
    if reason := obstacle(option.deferrals):
        return replace(found, reason=reason)
    own, known = option.matrix.squares, option.deferrals.squares
    squares = counts if own is None or known is None else np.hstack([own, known[:, 1:]])
    bounds = float(cells.min()), float(cells.max())
    interval = None
    if bounds[0] < bounds[1]:
        interval = delta_interval(counts, squares, _slopes(cells, option.table.prior), bounds=bounds, level=level)
    if interval is None:
        return replace(found, reason=FIXED)
    return with_delta(found, interval, counts, squares, level)


def _cells(costs: Costs, deferral: float) -> Array:
    """Cost of each truth (positive, negative) and decision (positive, negative, none)."""
    four = [[costs.tp, costs.fn], [costs.fp, costs.tn]]
    decided = costs.sign * np.array(four, dtype=np.float64)
    return np.hstack([decided, np.full((2, 1), float(deferral))]) + costs.sign * costs.fixed


def _slopes(cells: Array, prior: float | None) -> Slopes:
    def slopes(counts: Array) -> tuple[float, Array]:
        if prior is None:
            value = float((cells * counts).sum() / counts.sum())
            return value, np.asarray((cells - value) / counts.sum())
        shares, totals = np.array([[prior], [1 - prior]]), counts.sum(axis=1, keepdims=True)
        means = (cells * counts).sum(axis=1, keepdims=True) / totals
        return float((shares * means).sum()), np.asarray(shares * (cells - means) / totals)

    return slopes
