"""The convex hull of a ROC curve: the best threshold for each ratio of costs, and the ratios that each is best for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields
from thresher._util.json_values import as_dict, to_jsonable
from thresher.conventions import TIE_TOLERANCE, Direction, divide, sentinel
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.counts.thresholds import ThresholdTable, threshold_text
from thresher.curves.curve import Curve, Floats, Line, Table, absent, one_table, threshold_table
from thresher.errors import InputError, OptionError
from thresher.results import Shown

if TYPE_CHECKING:
    from thresher.decisions.isometrics import Touch


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Hull(ByFields, Shown):
    """Vertices of the upper convex hull of a ROC, from (0, 0) to (1, 1), with the threshold of each.

    `rows` are the vertices' rows in the threshold table, row 0 being the sentinel; `tp` and `fp` are as counted.
    `prevalence` is the table's, its prior when one was set: the hull does not depend on it, the probabilities
    do. A vertex is best for an interval of slopes, slope being skew × cost: (N/P)·(c_FP − c_TN)/(c_FN − c_TP).
    """

    thresholds: Floats
    tp: NDArray[Any]
    fp: NDArray[Any]
    rows: NDArray[np.int64]
    prevalence: float
    direction: Direction = "higher"

    def __len__(self) -> int:
        return int(self.rows.size)

    @property
    def tpr(self) -> Floats:
        """True positive rate of each vertex."""
        return divide(self.tp, self.tp[-1])

    @property
    def fpr(self) -> Floats:
        """False positive rate of each vertex."""
        return divide(self.fp, self.fp[-1])

    @property
    def slopes(self) -> Floats:
        """Slope of each edge, falling; +inf where only the true positive rate rises."""
        return divide(np.diff(self.tp), np.diff(self.fp)) * float(divide(self.fp[-1], self.tp[-1]))

    @property
    def probabilities(self) -> Floats:
        """Share of positives in each edge at the prevalence: the isotonic regression of truth on score, m/(m + r)."""
        gained = np.diff(self.tpr) * self.prevalence
        return divide(gained, gained + np.diff(self.fpr) * (1 - self.prevalence))

    @property
    def slope_intervals(self) -> Floats:
        """Lowest and highest slope for which each vertex is best, shape (vertices, 2)."""
        slopes = self.slopes
        return np.stack([np.append(slopes, 0.0), np.append(np.inf, slopes)], axis=-1)

    @property
    def area(self) -> float:
        """Area under the hull, at least the AUC."""
        return float(np.trapezoid(self.tpr, self.fpr))

    @property
    def equal_error_point(self) -> tuple[float, float]:
        """Point (FPR, TPR) where the hull meets TPR = 1 − FPR; its FPR is at most the ROC's equal error rate.

        >>> hull = roc_hull(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
        >>> tuple(round(rate, 4) for rate in hull.equal_error_point)
        (0.25, 0.75)
        """
        sums = self.fpr + self.tpr
        after = int(np.searchsorted(sums, 1.0))
        share = float((1 - sums[after - 1]) / (sums[after] - sums[after - 1]))
        fpr = float(self.fpr[after - 1] + share * (self.fpr[after] - self.fpr[after - 1]))
        return fpr, 1 - fpr

    def slide(self, measure: str = "accuracy", **options: Any) -> Touch:
        """Find the best accuracy, precision, F-beta or expected cost, and where: see `decisions.slide`."""
        from thresher.decisions.isometrics import slide

        return slide(self, measure, **options)

    def best(self, slope: float) -> NDArray[np.intp]:
        """Return the vertices first touched by a line of this slope from (0, 1): two at the slope of an edge.

        Raises:
            OptionError: the slope is negative or NaN.
        """
        if math.isnan(slope) or slope < 0:
            raise OptionError(f"slope={slope!r}: skew × cost is a number ≥ 0.")
        low, high = self.slope_intervals.T
        slack = TIE_TOLERANCE * slope if math.isfinite(slope) else 0.0
        return np.flatnonzero((low <= slope + slack) & (slope - slack <= high))

    def __repr__(self) -> str:
        return f"Hull({len(self)} vertices, area {self.area:.4g})"

    @property
    def curve(self) -> Curve:
        """Hull as a curve: true positive rate against false positive rate, straight between the vertices."""
        return Curve(
            name="roc_hull",
            x=self.fpr,
            y=self.tpr,
            thresholds=self.thresholds,
            x_name="false_positive_rate",
            y_name="true_positive_rate",
            interpolation="linear",
            references=(Line(text="chance", x=(0.0, 1.0), y=(0.0, 1.0)),),
            area_name="auc_of_hull",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the vertices as columns of JSON types: threshold, rates, and the slopes between which each is best.

        An infinite one is None, and `reason` says which was.
        """
        return to_jsonable(self.columns())  # type: ignore[no-any-return]

    def columns(self) -> dict[str, Floats]:
        low, high = self.slope_intervals.T
        columns = {"threshold": self.thresholds, "false_positive_rate": self.fpr, "true_positive_rate": self.tpr}
        return columns | {"slope_low": low, "slope_high": high}


def roc_hull(table: Table) -> Hull:
    """Compute the convex hull of the ROC, in one linear sweep; exact for counts.

    Every threshold that minimizes some linear cost, accuracy among them, is a vertex or inside an edge at its
    very slope. The edges are the blocks of the isotonic regression of truth on score: pooling neighbors that are out
    of order until the shares of positives fall is the same as cutting corners until the slopes fall, the slope of a
    block being (N/P)·p/(1 − p).

    Raises:
        InputError: a class is empty, or the table is a batch.
        RowsNeededError: the table is thinned.

    Provost and Fawcett (2001); Fawcett and Niculescu-Mizil (2007).

    >>> hull = roc_hull(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> hull.thresholds.tolist(), hull.tpr.round(3).tolist(), hull.fpr.tolist()
    ([inf, 7.0, 1.0, -3.0], [0.0, 0.667, 1.0, 1.0], [0.0, 0.0, 0.5, 1.0])
    >>> hull.slope_intervals.round(3).tolist()
    [[inf, inf], [0.667, inf], [0.0, 0.667], [0.0, 0.0]]
    """
    scores = both_classes(table)
    found = scores.hull_rows
    tp, fp = cumulated(scores, found)
    rows = np.append(0, np.asarray(found, dtype=np.int64) + 1)
    return Hull(
        thresholds=np.append(sentinel(scores.direction), scores.scores[found]),
        tp=np.append(np.zeros(1, dtype=tp.dtype), tp),
        fp=np.append(np.zeros(1, dtype=fp.dtype), fp),
        rows=rows,
        prevalence=float(scores.prevalence),
        direction=scores.direction,
    )


def both_classes(table: Table) -> ScoreTable:
    """Return the score table of one score; refuse one without rows of both classes."""
    scores = one_table(table, "a hull")
    if missing := absent(scores):
        raise InputError(f"there are no {' and '.join(missing)}, and the ROC needs rows of both classes.")
    return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Concavity(Shown):
    """A stretch of the ROC below an edge of the hull.

    `upper` and `lower` are the thresholds of the edge's ends; `thresholds` counts those in between; none is
    ever the cheapest unless it is on the edge. `depth` is the largest distance of the ROC from the edge, in true
    positive rate, reached at `deepest`; `area` is the area between.
    """

    upper: float
    lower: float
    thresholds: int
    deepest: float
    depth: float
    area: float
    fpr: tuple[float, float]
    tpr: tuple[float, float]

    def __repr__(self) -> str:
        ends = f"{threshold_text(self.upper)} and {threshold_text(self.lower)}"
        found = f"{self.thresholds} threshold{'s' * (self.thresholds != 1)} between {ends}"
        return f"Concavity({found}, {self.depth:.4g} below the hull at {threshold_text(self.deepest)})"


def concavities(table: Table) -> tuple[Concavity, ...]:
    """Find the concavities from the conservative end on; their areas add up to the hull's area − AUC.

    Below an upright edge there is none, as its points differ in the true positive rate alone. Whether a point is
    below its edge is judged on counts, exactly unless they are sums of weights.

    Raises:
        InputError: a class is empty, or the table is a batch.

    Flach and Wu (2005).

    >>> from thresher.counts import ScoreTable
    >>> [found] = concavities(ScoreTable.from_scores([1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]))
    >>> found.upper, found.lower, found.thresholds, found.deepest, round(found.depth, 4)
    (6.0, 2.0, 3, 4.0, 0.6667)
    """
    hull, rows = roc_hull(table), threshold_table(table)
    edge = np.repeat(np.arange(len(hull) - 1), np.diff(hull.rows))
    start = hull.rows[edge]
    below = _cross(rows.tp, rows.fp, start, hull.rows[edge + 1], np.arange(edge.size))
    width = np.diff(hull.fp).astype(np.float64)[edge] * float(hull.tp[-1])
    depth = np.divide(below, width, out=np.zeros(edge.size), where=width > 0)
    # The depth is 0 at every vertex, where the next edge begins.
    lost = np.asarray(np.diff(rows.fp / float(rows.N)) * (depth + np.append(depth[1:], 0.0)) / 2)
    starts = hull.rows[:-1]
    depths, areas = np.maximum.reduceat(depth, starts), np.add.reduceat(lost, starts)
    found = []
    for i in np.flatnonzero(depths > (0 if rows.tp.dtype.kind == "i" else TIE_TOLERANCE)):
        a, b = int(hull.rows[i]), int(hull.rows[i + 1])
        deepest = a + int(np.argmax(depth[a:b]))
        found.append(
            Concavity(
                upper=float(rows.thresholds[a]),
                lower=float(rows.thresholds[b]),
                thresholds=b - a - 1,
                deepest=float(rows.thresholds[deepest]),
                depth=float(depths[i]),
                area=float(areas[i]),
                fpr=(float(hull.fpr[i]), float(hull.fpr[i + 1])),
                tpr=(float(hull.tpr[i]), float(hull.tpr[i + 1])),
            )
        )
    return tuple(found)


def _cross(tp: NDArray[Any], fp: NDArray[Any], a: Any, b: Any, row: Any) -> NDArray[np.float64]:
    """Return (TP_b − TP_a)·(FP − FP_a) − (FP_b − FP_a)·(TP − TP_a): above 0 where the row is below its edge."""
    if float(tp[-1]) * float(fp[-1]) >= 2**62:
        tp, fp = tp.astype(np.float64), fp.astype(np.float64)
    cross = (tp[b] - tp[a]) * (fp[row] - fp[a]) - (fp[b] - fp[a]) * (tp[row] - tp[a])
    return np.maximum(np.asarray(cross, dtype=np.float64), 0.0)


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
    if abs(rise - run) > (0 if table.tp.dtype.kind == "i" else TIE_TOLERANCE * (abs(rise) + abs(run))):
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
