"""Areas under curves, and the points of curves that are quoted as one number: measures of a whole ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import divide
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import row_of_corner
from thresher.errors import Note
from thresher.kernel.tables import STRETCH
from thresher.measures.conditions import NO_NEGATIVES, NO_POSITIVES, TABLE_CONDITIONS
from thresher.measures.registry import measure

NO_SHARE = Note("set-prevalence", "the prevalence was set to 0")
NO_RESCALING = Note("set-prevalence", "a prevalence was set, and one class is empty")
TABLE_CONDITIONS[NO_SHARE] = lambda t: t.prior == 0
TABLE_CONDITIONS[NO_RESCALING] = lambda t: t.prior is not None and 0 in (float(t.P), float(t.N))

CHUNK = 1 << 16
"""Rows swept at a time, so that the columns in between stay in the processor's cache."""

ROUNDING = 2.0**-40
"""Relative rounding error allowed in sums of weights."""

T = TypeVar("T")


def once_per_table(sweep: Callable[..., T]) -> Callable[..., T]:
    """Keep the result of a sweep with its table, as its measures are read one after the other."""

    @wraps(sweep)
    def swept(t: ScoreTable, *options: Any) -> T:
        kept, name = vars(t), f"{sweep.__module__}.{sweep.__qualname__}{options}"
        found: T = kept[name] if name in kept else kept.setdefault(name, sweep(t, *options))
        return found

    return swept


class KeptTogether(Generic[T]):
    """A statistic computed for many tables at once, such as groups, and cached with each."""

    def __init__(self, sweep: Callable[..., Sequence[T]]) -> None:
        self.sweep, self.name = sweep, f"{sweep.__module__}.{sweep.__qualname__}"

    def keep(self, tables: Sequence[ScoreTable], *options: Any) -> None:
        """Find it of the tables that do not have it."""
        name = f"{self.name}{options}"
        new = [table for table in tables if name not in vars(table)]
        for table, found in zip(new, self.sweep(new, *options), strict=True):
            vars(table)[name] = found

    def __call__(self, table: ScoreTable, *options: Any) -> T:
        """Return the statistic of a table."""
        name = f"{self.name}{options}"
        if name not in vars(table):
            vars(table)[name] = self.sweep([table], *options)[0]
        found: T = vars(table)[name]
        return found


@once_per_table
def placements(t: ScoreTable) -> kernel.DelongSums:
    """Compute twice the Mann–Whitney count, and the sums in DeLong's variance."""
    found = kernel.delong_sums(*t.corners, t.positive_squares, t.negative_squares)
    most = 2 * found.positives * found.negatives
    # Sums of weights leave their rounding error below an AUC of 1.
    is_rounded = isinstance(found.twice_u, float) and found.twice_u > most * (1 - 2.0**-49)
    return found._replace(twice_u=most) if is_rounded else found


@once_per_table
def precision_areas(t: ScoreTable) -> kernel.PrAreas:
    """Return the areas under the precision–recall curve at the table's prevalence."""
    return kernel.pr_areas(*at_prevalence(t, t.corners))


@once_per_table
def gaps(t: ScoreTable) -> kernel.Extremes:
    """Return the largest TPR − FPR and largest FPR − TPR, and where they are."""
    found = kernel.extremes(*t.corners)
    if found.above_row < 0:
        return found
    above, below = (int(row_of_corner(t, np.array([row]))[0]) for row in (found.above_row, found.below_row))
    return found._replace(above_row=above, below_row=below)


def sweep_corners(t: ScoreTable) -> None:
    """Find the corners of the curves, the source of all else."""
    _ = t.corners


def sweep_areas(t: ScoreTable) -> None:
    """Compute the sums that areas are read from."""
    for sweep in (placements, precision_areas):
        sweep(t)


def sweep_extremes(t: ScoreTable) -> None:
    """Find the largest distances and the hull."""
    gaps(t)
    _ = t.hull_rows


def per_table(formula: Callable[..., Any], together: Callable[..., None] | None = None) -> Callable[..., Any]:
    """Apply a formula of one table to every table of a batch (replicates, folds); first `together` sees them all."""

    @wraps(formula)
    def over_batch(t: ScoreTable, **parameters: float) -> Any:
        first, second = t.columns
        if first.ndim == second.ndim == 1:
            return formula(t, **parameters)
        shape = np.broadcast_shapes(t.positive.shape[:-1], t.negative.shape[:-1])
        bare = replace(t, positive_squares=None, negative_squares=None)
        positive, negative = (np.broadcast_to(c, (*shape, t.scores.size)) for c in (t.positive, t.negative))
        parts = [replace(bare, positive=positive[i], negative=negative[i]) for i in np.ndindex(shape)]
        if together is not None:
            together(parts, **parameters)
        return np.array([formula(part, **parameters) for part in parts], dtype=np.float64).reshape(shape)

    return over_batch


# A measure's row of data stays a row.
# fmt: off


@measure("roc auc", "auroc", "area under the roc curve", "c statistic", "c index", "concordance statistic",
         text="(#concordant + ½·#tied)/(P·N)", needs="table", undefined=(NO_POSITIVES, NO_NEGATIVES), neutral=0.5,
         title="ROC AUC", source="Hanley & McNeil 1982")
@per_table
def auc(t: ScoreTable) -> float:
    """Chance that a random positive scores above a random negative, ties counting one half."""
    twice_u, _, _, p, n = placements(t)
    return min(twice_u / (2 * p * n), 1.0) if p and n else np.nan


@measure("gini coefficient", "somers d", text="2·AUC − 1", needs="table", bounds=(-1.0, 1.0),
         undefined=(NO_POSITIVES, NO_NEGATIVES), neutral=0.0, title="Gini coefficient", source="Hand & Till 2001")
def gini(t: ScoreTable) -> Any:
    """Twice the area between the ROC curve and the diagonal; negative when the order is reversed."""
    return 2 * auc.on(t) - 1


@measure("area above the diagonal", text="AUC − ½", needs="table", bounds=(-0.5, 0.5),
         undefined=(NO_POSITIVES, NO_NEGATIVES), neutral=0.0, source="Japkowicz & Shah 2011")
def signed_area(t: ScoreTable) -> Any:
    """Area between the ROC curve and the diagonal, counted negative where the curve is below."""
    return auc.on(t) - 0.5


@measure("ap", "pr auc step", text="Σ (R_k − R_{k−1})·P_k", needs="table",
         undefined=(NO_POSITIVES, NO_SHARE, NO_RESCALING), source="Manning, Raghavan & Schütze 2008")
@per_table
def average_precision(t: ScoreTable) -> float:
    """Area under the precision–recall points by the step rule, without interpolation."""
    return precision_areas(t).step


@measure("pr auc linear", text="Σ (R_k − R_{k−1})·(P_{k−1} + P_k)/2", needs="table",
         undefined=(NO_POSITIVES, NO_SHARE, NO_RESCALING),
         title="PR AUC (trapezoid)", source="Davis & Goadrich 2006, who warn against it")
@per_table
def pr_auc_trapezoid(t: ScoreTable) -> float:
    """Area under the precision–recall points joined by straight lines, which no classifier can reach."""
    return precision_areas(t).trapezoid


@measure("davis goadrich", "pr auc integral", text="∫ TP/(TP + FP) dR, FP linear in TP", needs="table",
         undefined=(NO_POSITIVES, NO_SHARE, NO_RESCALING),
         title="PR AUC (Davis–Goadrich)", source="Davis & Goadrich 2006; Keilwagen et al. 2014")
@per_table
def pr_auc_davis_goadrich(t: ScoreTable) -> float:
    """Area under the precision–recall curve, FP growing linearly with TP between points; integrated exactly."""
    return precision_areas(t).davis_goadrich


@measure("ks", "kolmogorov smirnov", text="max |TPR − FPR|", needs="table", undefined=(NO_POSITIVES, NO_NEGATIVES),
         title="KS statistic", source="Conover 1999, Practical Nonparametric Statistics")
@per_table
def ks_statistic(t: ScoreTable) -> float:
    """Largest distance between the score distributions of the two classes, in either direction."""
    return max(gaps(t).above, gaps(t).below)


@measure("maximum youden j", "signed ks", text="max (TPR − FPR)", needs="table", undefined=(NO_POSITIVES, NO_NEGATIVES),
         source="Youden 1950")
@per_table
def maximum_informedness(t: ScoreTable) -> float:
    """Largest informedness (Youden's J) over all thresholds; 0 when the curve is never above the diagonal."""
    return gaps(t).above


@measure("eer", text="FPR where FPR = FNR", needs="table", better="lower", undefined=(NO_POSITIVES, NO_NEGATIVES),
         source="Martin et al. 1997")
def equal_error_rate(t: ScoreTable) -> Any:
    """Both error rates at the point of the ROC curve where they are equal, interpolated on the curve."""
    if all(column.ndim == 2 for column in t.columns) and t.scores.size > 1 and _is_whole(t):
        return equal_errors(t.positive, t.negative)
    return _equal_error_rate(t)


@per_table
def _equal_error_rate(t: ScoreTable) -> float:
    return _up_to_one(equal_error_point(t).fp / float(t.N)) if t.P and t.N else np.nan


@measure("eleven point average precision", "11 point precision", text="mean of p_interp(r), r = 0, .1, …, 1",
         needs="table", undefined=(NO_POSITIVES, NO_SHARE, NO_RESCALING), source="Manning, Raghavan & Schütze 2008")
@per_table
def eleven_point_precision(t: ScoreTable) -> float:
    """Mean over recall r = 0, 0.1, …, 1 of the largest precision at recall r or more."""
    return float(interpolated_precision(t, np.arange(11) / 10).mean())


@measure("precision recall break even point", "prbe", text="precision where it equals recall", needs="table",
         undefined=(NO_POSITIVES, NO_SHARE, NO_RESCALING), source="Joachims 1998")
@per_table
def break_even_point(t: ScoreTable) -> float:
    """Precision at the point of the curve where it equals recall, interpolated between thresholds."""
    defined = t.P and t.prior != 0 and (t.prior is None or t.N)
    return _up_to_one(break_even(t).tp / float(t.P)) if defined else np.nan


def _up_to_one(rate: float) -> float:
    """Rate from sums of weights, 1 where only rounding separates it."""
    return 1.0 if rate > 1 - ROUNDING else rate


def at_prevalence(
    t: ScoreTable, counts: tuple[NDArray[Any], NDArray[Any]] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the counts of both classes, of all scores by default, scaled to the prior; zero without one class."""
    positive, negative = t.columns if counts is None else counts
    if t.prior is None:
        return positive, negative
    p, n = float(t.P), float(t.N)
    if not p or not n:
        return np.zeros(positive.size), np.zeros(positive.size)
    return positive * (t.prior * (p + n) / p), negative * ((1 - t.prior) * (p + n) / n)


@once_per_table
def equal_error_point(t: ScoreTable) -> Crossing:
    """Find the one point of the ROC curve where TPR = 1 − FPR, as TPR + FPR rises from 0 to 2."""
    if _is_whole(t):
        return crossing(t, tp=int(t.N), fp=int(t.P), target=int(t.P) * int(t.N))
    return crossing(t, tp=1 / float(t.P), fp=1 / float(t.N), target=1.0)


def _is_whole(t: ScoreTable) -> bool:
    """Return whether products of the counts are exact whole numbers."""
    is_whole = all(column.dtype.kind == "i" for column in t.columns)
    return is_whole and float(np.max(t.P)) * float(np.max(t.N)) < 2**61


@once_per_table
def break_even(t: ScoreTable) -> Crossing:
    """Find the point where precision equals recall: both are TP over something, so it is where P' = P.

    A point without true positives has both at 0, and only counts when it is that one.
    """
    if t.prior is None:
        return crossing(t, tp=1, fp=1, target=t.P)
    share, p, n = t.prior, float(t.P), float(t.N)
    return crossing(t, tp=share / p, fp=(1 - share) / n, target=share)


def interpolated_precision(t: ScoreTable, recalls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p_interp(r) = max precision over the thresholds with recall ≥ r, for every r of `recalls`.

    The point (recall 0, precision 1) that drawings begin with is not a threshold and does not count.
    """
    positives = float(t.P)
    scale = (1.0, 1.0) if t.prior is None else (t.prior * float(t.N), (1 - t.prior) * positives)
    best = np.full(recalls.shape, np.nan)
    if not positives or not scale[0]:
        return best
    # Sums of float weights depend on their order in the last bits, which must not push a recall past its row.
    needed = recalls * positives * (1.0 if t.columns[0].dtype.kind == "i" else 1 - ROUNDING)
    tp_before = fp_before = 0.0
    positive, negative = t.corners
    for start in range(0, positive.size, CHUNK):
        tp = tp_before + np.cumsum(positive[start : start + CHUNK])
        fp = fp_before + np.cumsum(negative[start : start + CHUNK])
        size = scale[0] * tp + scale[1] * fp
        precision = np.divide(scale[0] * tp, size, out=np.zeros_like(size), where=size > 0)
        starts = np.searchsorted(tp, needed)
        greatest = np.where(starts < tp.size, precision.max(), np.nan)
        if (inside := (starts > 0) & (starts < tp.size)).any():
            greatest[inside] = np.maximum.accumulate(precision[::-1])[::-1][starts[inside]]
        best = np.fmax(best, greatest)
        tp_before, fp_before = tp[-1], fp[-1]
    return best


@dataclass(frozen=True, slots=True)
class Crossing:
    """First row of a score table at which an amount is reached, and TP and FP at exactly that amount.

    `share` is the part of the row's step that is needed: equal scores are taken in part, as if their order
    were drawn by lot, so TP and FP grow along a straight line. It is 1 when the row itself has the amount.
    """

    row: int
    share: float
    tp: float
    fp: float


def crossing(table: ScoreTable, *, tp: Any, fp: Any, target: Any) -> Crossing:
    """Find where tp·TP + fp·FP, which never falls, first reaches `target`; in two short sweeps of the table.

    Whole numbers are compared exactly. A target that rounding puts beyond a row, or beyond the last one, is met there.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    >>> crossing(table, tp=1, fp=1, target=2)
    Crossing(row=1, share=0.5, tp=1.5, fp=0.5)
    """
    ends, block_tp, block_fp = _stretches(table)
    block = _first(tp * block_tp + fp * block_fp, target)
    start = 0 if block == 0 else int(ends[block - 1]) + 1
    before = (0, 0) if block == 0 else (block_tp[block - 1], block_fp[block - 1])
    rows = slice(start, int(ends[block]) + 1)
    tps = np.append(before[0], before[0] + np.cumsum(table.columns[0][rows]))
    fps = np.append(before[1], before[1] + np.cumsum(table.columns[1][rows]))
    amounts = tp * tps + fp * fps
    k = _first(amounts[1:], target)
    step = float(amounts[k + 1] - amounts[k])
    missing = float(target - amounts[k])
    is_met = amounts.dtype.kind == "f" and missing < target * ROUNDING
    share = (0.0 if is_met else min(1.0, missing / step)) if step > 0 else 1.0
    taken = [float(c[k]) + share * float(c[k + 1] - c[k]) for c in (tps, fps)]
    return Crossing(start + k, share, *taken)


@once_per_table
def _stretches(t: ScoreTable) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
    """Return the last rows of stretches of a table, about as many as each has rows, with TP and FP there."""
    m = t.scores.size
    stride = max(1, math.isqrt(m)) if t.running is None else STRETCH
    ends = np.append(np.arange(stride - 1, m - 1, stride), m - 1)
    return ends, *(kernel.cumulate_at(*t.columns, ends) if t.running is None else t.running.ends)


def equal_errors(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute the FPR where TPR = 1 − FPR for a batch of tables of whole counts; NaN without a class.

    The same numbers as of `crossing`, one table after the other, in a tenth of the time.

    >>> equal_errors(np.array([[1, 0, 1, 0], [0, 1, 1, 0]]), np.array([[0, 1, 0, 1], [1, 0, 0, 1]])).tolist()
    [0.5, 0.5]
    """
    tp, fp = np.cumsum(positive, axis=1), np.cumsum(negative, axis=1)
    p, n = tp[:, -1:], fp[:, -1:]
    amounts = n * tp + p * fp
    k = np.argmax(amounts >= p * n, axis=1)[:, None]
    ends, fps = (np.take_along_axis(c, k, axis=1) for c in (amounts, fp))
    before = [np.where(k > 0, np.take_along_axis(c, np.maximum(k - 1, 0), axis=1), 0) for c in (amounts, fp)]
    share = np.clip(divide(p * n - before[0], ends - before[0]), 0.0, 1.0)
    return divide(before[1] + share * (fps - before[1]), n)[:, 0]


def _first(amounts: Any, target: Any) -> int:
    return min(int(np.searchsorted(amounts, target)), len(amounts) - 1)
