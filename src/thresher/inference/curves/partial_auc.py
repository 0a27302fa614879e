"""Confidence interval of a partial area under the ROC, by DeLong's placements cut to the range."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, Floats
from thresher.counts.scores import ScoreTable
from thresher.curves.partial import check_range
from thresher.errors import OptionError
from thresher.inference.estimates.methods import on_line
from thresher.inference.limits.delta import NO_WIDTH, class_sizes, limits, squares_of, too_few
from thresher.inference.proportions.intervals import normal_quantile
from thresher.inference.strata import Contributions, Stratum
from thresher.measures.registry import find, reason_undefined
from thresher.results import Estimate


def partial_auc_interval(
    table: ScoreTable,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    corrected: bool = False,
    level: float = LEVEL,
) -> Estimate:
    """Estimate of the area under the ROC between two false positive rates, or beside it between two true ones.

    Over FPR in [a, b] a positive's placement is the share of [a, b] at which it is found, max(0, b − max(a, u)) with u
    its false positive rate, and a negative's is the TPR at its own rate u, moved into [a, b]; equal scores are
    joined by a straight line. The variance is Var₁/P + Var₀/N of the placements; over [0, 1] it is DeLong's. The
    thresholds at which the FPR is a and b are estimated, and that is in the variance. A range of TPR is one of FPR with
    the classes exchanged and the order reversed.

    The limits are symmetric on the logit scale between 0 and the largest area, b − a. `corrected` gives McClish's area
    ½·(1 + (A − chance)/(largest − chance)). A variance of 0 (a perfect range) leaves the interval out, with a reason.

    Raises:
        OptionError: not exactly one range, its limits are not 0 ≤ low < high ≤ 1, or the level is wrong.

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> partial_auc_interval(table, fpr_range=(0, 0.4))
    Estimate(partial_auc = 0.24 [0.05525, 0.3734], 95% placements, logit scale)

    Source: Dodd & Pepe 2003; Zhang, Zhou, Freeman & Freeman 2002; McClish 1989.
    """
    if (fpr_range is None) == (tpr_range is None):
        raise OptionError("a partial area needs one of fpr_range=(low, high) and tpr_range=(low, high).")
    low, high = (float(limit) for limit in (fpr_range or tpr_range or ()))
    check_range("fpr_range" if fpr_range else "tpr_range", low, high)
    z, sizes, missing = normal_quantile(level), class_sizes(table), reason_undefined(find("auc"), table)
    largest, chance = high - low, (high * high - low * low) / 2
    if tpr_range is not None:
        table, chance = _exchanged(table), largest - chance
        low, high = 1 - high, 1 - low
    found = Estimate(name="partial_auc", value=math.nan, n=sizes.total)
    if missing is not None:
        return replace(found, reason=missing)
    placed = _placements(table, low, high)
    area = float((table.positive * placed[0]).sum()) / float(table.P)
    own, squares = class_sizes(table), squares_of(table)
    classes = ((table.positive, squares[0], own.positives), (table.negative, squares[1], own.negatives))
    strata = tuple(Stratum(w.astype(np.float64), square, float(w.sum()), size) for w, square, size in classes)
    error = math.nan if too_few(sizes) else math.sqrt(Contributions(strata, placed).variance)
    found = replace(found, value=area)
    if not error * math.sqrt(sizes.total) > NO_WIDTH * largest:
        reason = too_few(sizes) or "no interval, as no row can change the area in this range"
    else:
        ends = limits(area, error, (0.0, largest), z)
        method = "placements" + (", effective size" if sizes.is_effective else "") + ", logit scale"
        found = replace(found, low=ends[0], high=ends[1], standard_error=error, level=float(level), method=method)
        reason = None
    if corrected:
        scale = 1 / (2 * (largest - chance))
        found = on_line(found, found.name, (scale, 0.5 - chance * scale))
    return replace(found, reason=reason)


def _placements(table: ScoreTable, low: float, high: float) -> tuple[Floats, Floats]:
    """Placements of both classes over FPR in [low, high], the mean over the lots by which equal scores may fall."""
    positive, negative = (c.astype(np.float64) for c in (table.positive, table.negative))
    fpr = np.append(0.0, np.cumsum(negative) / negative.sum())
    tpr = np.append(0.0, np.cumsum(positive) / positive.sum())
    # Rounding of sums must not leave the end of the curve short of 1.
    fpr[-1] = tpr[-1] = 1.0
    return _found_share(fpr[:-1], fpr[1:], low, high), _mean_tpr(fpr, tpr, low, high)


def placements_of(table: ScoreTable, low: float, high: float, *, over_tpr: bool = False) -> tuple[Floats, Floats]:
    """Placements of the positives and of the negatives per score of a table, over a range of FPR or of TPR."""
    if not (table.P and table.N):
        nothing = np.full(table.scores.size, math.nan)
        return nothing, nothing
    if not over_tpr:
        return _placements(table, low, high)
    first, second = _placements(_exchanged(table), 1 - high, 1 - low)
    return second[::-1], first[::-1]


def _found_share(start: Floats, end: Floats, low: float, high: float) -> Floats:
    """Length of [low, high] at which a positive is found whose rate lies anywhere, by lot, in [start, end].

    That is ∫ over [low, high] of the chance that its rate is at most t: 0 before `start`, 1 after `end`, and straight
    between them.
    """
    width = end - start
    after = high - np.clip(end, low, high)
    a, b = np.clip(start, low, high), np.clip(end, low, high)
    # Mean of (t − start)/width over [a, b] times its length; a step of no width adds nothing.
    between = np.divide((b - a) * ((a + b) / 2 - start), width, out=np.zeros(width.size), where=width > 0)
    return np.asarray(after + between)


def _mean_tpr(fpr: Floats, tpr: Floats, low: float, high: float) -> Floats:
    """Mean TPR, over the step of each score, at the false positive rate moved into [low, high]."""
    start, end, below, above = fpr[:-1], fpr[1:], tpr[:-1], tpr[1:]
    width = end - start
    slope = np.divide(above - below, width, out=np.zeros(width.size), where=width > 0)
    a, b = np.clip(start, low, high), np.clip(end, low, high)
    inside = (b - a) * (below + slope * ((a + b) / 2 - start))
    edges = _tpr_at(fpr, tpr, low, "right"), _tpr_at(fpr, tpr, high, "left")
    outside = np.clip(low - start, 0, width) * edges[0] + np.clip(end - high, 0, width) * edges[1]
    return np.divide(inside + outside, width, out=np.zeros(width.size), where=width > 0)


def _tpr_at(fpr: Floats, tpr: Floats, at: float, side: Literal["left", "right"]) -> float:
    """TPR of the curve at a rate, approached from within the range where the curve rises there."""
    after = int(np.searchsorted(fpr, at, side=side))
    if after == 0:
        return float(tpr[0])
    if after == fpr.size:
        return float(tpr[-1])
    x0, x1 = fpr[after - 1], fpr[after]
    return float(tpr[after - 1] + (tpr[after] - tpr[after - 1]) * ((at - x0) / (x1 - x0)))


def _exchanged(table: ScoreTable) -> ScoreTable:
    """Table with the classes exchanged and the order reversed: its FPR is 1 − TPR, its TPR 1 − FPR."""

    def reversed_(column: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if column is None else column[::-1]

    return replace(
        table,
        scores=table.scores[::-1],
        positive=table.negative[::-1],
        negative=table.positive[::-1],
        positive_squares=reversed_(table.negative_squares),
        negative_squares=reversed_(table.positive_squares),
        direction="lower" if table.direction == "higher" else "higher",
        prior=None,
    )
