"""What a reject option costs a row, those that are deferred included, with its interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL
from thresher.decisions.costs import Costs
from thresher.decisions.reject import RejectOption
from thresher.inference.matrices.cell_means import mean_interval
from thresher.inference.matrices.sums import FIXED, obstacle
from thresher.results import Estimate

Array = NDArray[np.float64]

NO_ROWS = "there are no rows"
NO_CLASS = "a prevalence was set, and a class has no rows to take its mean cost from"


def rejected_cost(option: RejectOption, costs: Costs, *, deferral: float, level: float = LEVEL) -> Estimate:
    """Estimate of the mean cost per row: that of each decision, and `deferral` for a row without one.

    C = Σ c·w/Σw over truth (2) by decision (positive, negative, none); at a prevalence that was set the mean of the
    classes' means, which is undefined where a class has no rows. The interval combines Wilson's of the shares of the
    rows with each cost, within the least and the largest cost. A gain is a negative cost.

    >>> from thresher.counts import ThresholdTable
    >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    >>> option = RejectOption(table=table, upper_row=2, lower_row=4)
    >>> rejected_cost(option, Costs(fp=1, fn=1), deferral=0.3)
    Estimate(expected_cost = 0.1 [0.02903, 0.5055], 95% Wilson, of shares of the rows, combined)

    Source: Chow 1970 for the cost; Zou & Donner 2008 for the interval.
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
    interval = mean_interval(found, cells, counts, squares, prior=option.table.prior, level=level)
    return interval or replace(found, reason=FIXED)


def _cells(costs: Costs, deferral: float) -> Array:
    """Cost of each truth (positive, negative) and decision (positive, negative, none)."""
    four = [[costs.tp, costs.fn], [costs.fp, costs.tn]]
    decided = costs.sign * np.array(four, dtype=np.float64)
    return np.hstack([decided, np.full((2, 1), float(deferral))]) + costs.sign * costs.fixed
