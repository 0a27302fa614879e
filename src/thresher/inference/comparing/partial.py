"""Difference of the partial areas of two ROC curves, from what every row adds to each."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from thresher.conventions import Direction, Floats
from thresher.counts import ScoreTable
from thresher.curves.regions import Part, part_area
from thresher.inference.curves.partial_auc import Placed, placements_of
from thresher.inference.differences.difference import Difference, no_difference, normal_difference, undefined_difference
from thresher.inference.limits.delta import ClassSizes, class_sizes, too_few
from thresher.predictions import Predictions

METHOD = "placements within the range"
SOURCE = "Dodd & Pepe 2003; Zhang, Zhou, Freeman & Freeman 2002"


class WithScore(Protocol):
    """Rows with the score of one model."""

    @property
    def rows(self) -> Predictions: ...
    @property
    def score(self) -> Floats: ...
    @property
    def direction(self) -> Direction: ...
    @property
    def table(self) -> ScoreTable: ...


def partial_difference(a: WithScore, b: WithScore, part: Part, *, is_paired: bool) -> Difference | None:
    """Difference of the areas over one range of FPR or TPR; None for other parts, which have no formula.

    On the same rows the variance is Var₁/P + Var₀/N of the differences of both models' placements (see
    `partial_auc_interval`); on different rows the variances add up. Over [0, 1] it is DeLong's.
    """
    if part.is_precision or part.region == "two_way":
        return None
    tables, parts = (a.table, b.table), [_placed(side, part) for side in (a, b)]
    values = tuple(part_area(table, part).raw for table in tables)
    if any(map(math.isnan, values)):
        return undefined_difference(METHOD, "a class has no rows")
    difference, sizes = values[0] - values[1], [class_sizes(table) for table in tables]
    reason = next((said for size in sizes if (said := too_few(size))), None)
    if reason is not None:
        return Difference(value=difference, method=METHOD, reason=reason, source=SOURCE)
    if is_paired:
        both = [Placed(one.weight, one.squares, one.placement - two.placement) for one, two in zip(*parts, strict=True)]
        variance = _variance(both, sizes[0])
    else:
        variance = sum(_variance(own, size) for own, size in zip(parts, sizes, strict=True))
    error, largest = math.sqrt(max(variance, 0.0)), part.high - part.low
    facts: dict[str, Any] = {"value": difference, "method": METHOD, "source": SOURCE, "bounds": (-largest, largest)}
    if error > 1e-12 * largest:
        return normal_difference(error=error, **facts)
    if difference == 0:
        return no_difference(**facts)
    said = "no interval, as no row can change the difference in this range"
    return Difference(standard_error=0.0, reason=said, **facts)


def _variance(parts: list[Placed], sizes: ClassSizes) -> float:
    return parts[0].variance(sizes.positives) + parts[1].variance(sizes.negatives)


def _placed(side: WithScore, part: Part) -> list[Placed]:
    """Placements of every row, the positives first; over a range of TPR the classes are exchanged and back again."""
    rows, table = side.rows, side.table
    found = placements_of(table, part.low, part.high, over_tpr=part.region == "tpr_range")
    sign = 1.0 if side.direction == "lower" else -1.0
    place = np.searchsorted(sign * table.scores, sign * side.score)
    weight = np.ones(rows.truth.size) if rows.weights is None else rows.weights.astype(np.float64)
    squares = weight if rows.weight_kind == "frequency" else weight**2
    truth = rows.truth == 1
    return [
        Placed(weight[own], squares[own], placement[place[own]])
        for own, placement in zip((truth, ~truth), found, strict=True)
    ]
