"""Concavities: where the ROC runs below its hull, so that the score puts rows in the wrong order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.decimal_cuts import written
from thresher.curves.points import Table, threshold_table
from thresher.dataclass import dataclass
from thresher.decisions.hull import roc_hull
from thresher.decisions.ties import TOLERANCE
from thresher.late import drawn, framed
from thresher.plain import plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Concavity:
    """A stretch of the ROC below an edge of the hull.

    `upper` and `lower` are the thresholds of the edge's ends; `thresholds` counts those in between, none of which is
    ever the cheapest unless it lies on the edge. `depth` is the largest distance of the ROC from the edge, in true
    positive rate, reached at `deepest`; `area` is what lies between.
    """

    upper: float
    lower: float
    thresholds: int
    deepest: float
    depth: float
    area: float
    fpr: tuple[float, float]
    tpr: tuple[float, float]

    plot, to_frame = drawn, framed

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types; an infinite threshold is None, and `reason` says so."""
        return plain_fields(self)

    def __repr__(self) -> str:
        ends = f"{written(self.upper)} and {written(self.lower)}"
        found = f"{self.thresholds} threshold{'s' * (self.thresholds != 1)} between {ends}"
        return f"Concavity({found}, {self.depth:.4g} below the hull at {written(self.deepest)})"


def concavities(table: Table) -> tuple[Concavity, ...]:
    """Concavities from the conservative end on; their areas add up to the hull's area − AUC.

    Below an upright edge there is none, as its points differ in the true positive rate alone. Whether a point lies
    below its edge is judged on counts, exactly unless they are sums of weights.

    Raises:
        InputError: a class has no rows, or the table is a batch.

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
    lost = _area_between(depth, np.diff(rows.fp / float(rows.N)))
    starts = hull.rows[:-1]
    depths, areas = np.maximum.reduceat(depth, starts), np.add.reduceat(lost, starts)
    found = []
    for i in np.flatnonzero(depths > (0 if rows.tp.dtype.kind == "i" else TOLERANCE)):
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
    """(TP_b − TP_a)·(FP − FP_a) − (FP_b − FP_a)·(TP − TP_a): above 0 where the row lies below its edge."""
    if float(tp[-1]) * float(fp[-1]) >= 2**62:
        tp, fp = tp.astype(np.float64), fp.astype(np.float64)
    cross = (tp[b] - tp[a]) * (fp[row] - fp[a]) - (fp[b] - fp[a]) * (tp[row] - tp[a])
    return np.maximum(np.asarray(cross, dtype=np.float64), 0.0)


def _area_between(depth: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Area between the edge and the ROC over each step; the depth is 0 at every vertex, where the next edge begins."""
    return np.asarray(steps * (depth + np.append(depth[1:], 0.0)) / 2)
