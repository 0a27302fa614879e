"""For which costs and prevalences a threshold stays the cheapest."""

from __future__ import annotations

import math

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher.counts.thresholds import ThresholdTable
from thresher.decisions.hull import Hull, roc_hull
from thresher.decisions.ties import TOLERANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidRange:
    """Lowest and highest slope, cost ratio and prevalence for which a threshold minimizes the expected cost.

    `slopes` are skew × cost, (N/P)·(c_FP − c_TN)/(c_FN − c_TP). `cost_ratios` are (c_FP − c_TN)/(c_FN − c_TP) at the
    table's prevalence; `prevalences` are those at the cost ratio stated. Both ends are included: at an end another
    threshold is as cheap. A point inside an edge of the hull has one slope.
    """

    slopes: tuple[float, float]
    cost_ratios: tuple[float, float]
    prevalences: tuple[float, float]

    to_dict = as_dict

    def __repr__(self) -> str:
        ends = {"slopes": self.slopes, "cost ratios": self.cost_ratios, "prevalences": self.prevalences}
        words = ", ".join(f"{name} {low:.4g} to {high:.4g}" for name, (low, high) in ends.items())
        return f"ValidRange({words})"


def valid_range(
    table: ThresholdTable, row: int, *, cost_ratio: float = 1.0, hull: Hull | None = None
) -> ValidRange | None:
    """Return the range in which a row of a threshold table is the cheapest; None off the hull or without a class.

    `hull` is the table's, where it is known already.

    >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> found = valid_range(table, 4)
    >>> [tuple(round(end, 6) for end in ends) for ends in (found.slopes, found.cost_ratios, found.prevalences)]
    [(0.0, 0.666667), (0.0, 1.0), (0.6, 1.0)]
    >>> valid_range(table, 3) is None
    True
    """
    if not table.P or not table.N:
        return None
    hull = roc_hull(table) if hull is None else hull
    slopes = _slopes(hull, table, row)
    if slopes is None:
        return None
    share = hull.prevalence
    low, high = slopes
    return ValidRange(
        slopes=slopes,
        cost_ratios=(ratio_at(low, share), ratio_at(high, share)),
        prevalences=(_prevalence(high, cost_ratio), _prevalence(low, cost_ratio)),
    )


def _slopes(hull: Hull, table: ThresholdTable, row: int) -> tuple[float, float] | None:
    """Return the slopes for which a row is best: an interval at a vertex, one on an edge, None below the hull."""
    after = int(hull.rows.searchsorted(row))
    if hull.rows[after] == row:
        low, high = hull.slope_intervals[after]
        return float(low), float(high)
    a, b = (int(hull.rows[i]) for i in (after - 1, after))
    (x0, x, x1), (y0, y, y1) = ([column[i].item() for i in (a, row, b)] for column in (table.fp, table.tp))
    rise, run = (y1 - y0) * (x - x0), (x1 - x0) * (y - y0)
    # Python's whole numbers are exact; sums of weights are judged to the last digits.
    if abs(rise - run) > (0 if table.tp.dtype.kind == "i" else TOLERANCE * (abs(rise) + abs(run))):
        return None
    slope = float(hull.slopes[after - 1])
    return slope, slope


def ratio_at(slope: float, prevalence: float) -> float:
    """Compute the cost ratio of a slope = (1 − π)/π · ratio; NaN where every ratio fits, at a prevalence of 0 or 1.

    >>> ratio_at(3.0, 0.25), ratio_at(3.0, 1.0), ratio_at(0.0, 1.0)
    (1.0, inf, nan)
    """
    if prevalence == 1:
        return math.nan if slope == 0 else math.inf
    return slope * prevalence / (1 - prevalence) if prevalence else (0.0 if math.isfinite(slope) else math.nan)


def _prevalence(slope: float, cost_ratio: float) -> float:
    """Return the prevalence with this slope: π = ratio/(ratio + slope)."""
    if math.isinf(slope) or math.isinf(cost_ratio):
        return math.nan if math.isinf(slope) and math.isinf(cost_ratio) else float(math.isinf(cost_ratio))
    return cost_ratio / (cost_ratio + slope) if cost_ratio + slope else math.nan
