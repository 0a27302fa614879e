"""Curves of shares of the rows: gain, lift, and the Kolmogorov–Smirnov distance between both classes with its test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import as_dict
from thresher.conventions import divide
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.curves.curve import Curve, Floats, Line, Mark, Table, absent, points, score_table
from thresher.errors import Note, Reasoned
from thresher.measures.areas import gaps

MOST_PAIRS = 10_000
"""Pairs of a positive and a negative up to which the chance of a distance is counted exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KsTest(Reasoned):
    """Two-sample Kolmogorov–Smirnov distance between the scores of positives and negatives.

    `statistic` D = max |TPR − FPR|, reached at `threshold`; `informedness` is TPR − FPR there: +D, or −D where FPR is
    the larger. The signed maximum, max (TPR − FPR), is the measure `maximum_informedness` (Youden's J), which is never
    below 0 and is another number where FPR leads.
    `p_value` is the chance of such a D if both classes had one score distribution.
    """

    method: str
    positives: float
    negatives: float
    statistic: float = math.nan
    informedness: float = math.nan
    threshold: float = math.nan
    p_value: float = math.nan
    reason: Note | None = None

    to_dict = as_dict


def ks_test(table: Table) -> KsTest:
    """Test whether positives and negatives have one distribution of scores (two-sided).

    D = max |TPR − FPR|. Up to P·N = 10,000 p is exact: the share of all assignments of the classes to these scores,
    ties included, with a distance of at least D. Beyond, p = Pr(K > D·√(P·N/(P + N))) with Kolmogorov's limiting
    distribution, conservative with ties. With importance weights P and N are the effective sizes (Σw)²/Σw². Of equal
    distances the one at the highest threshold is named, TPR above FPR first. Undefined (NaN), with a reason, where a
    class is empty.

    Kolmogorov (1933); Smirnov (1939); Schröer & Trenkler (1995) (exact, with ties).

    >>> from thresher.counts import ScoreTable
    >>> found = ks_test(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> round(found.informedness, 4), found.threshold, round(found.p_value, 4)
    (0.6667, 5.0, 0.6)
    """
    scores = score_table(table)
    sizes = _sizes(scores.P, scores.positive_squares), _sizes(scores.N, scores.negative_squares)
    is_exact = scores.positive_squares is None and scores.P * scores.N <= MOST_PAIRS
    form = "exact" if is_exact else "asymptotic" if scores.positive_squares is None else "asymptotic, effective size"
    base = KsTest(method=f"two-sample Kolmogorov–Smirnov, {form}", positives=sizes[0], negatives=sizes[1])
    if not scores.P or not scores.N:
        return replace(base, reason=Note("no-rows", f"there are no {' and '.join(absent(scores))}"))
    threshold, gap = largest_gap(scores)
    if is_exact:
        p_value = _share_as_far(scores.positive, scores.negative, abs(gap))
    else:
        from scipy.special import kolmogorov

        p_value = float(kolmogorov(abs(gap) * math.sqrt(sizes[0] * sizes[1] / (sizes[0] + sizes[1]))))
    return replace(base, statistic=abs(gap), informedness=gap, threshold=threshold, p_value=p_value)


def _share_as_far(positive: NDArray[Any], negative: NDArray[Any], distance: float) -> float:
    """Return the share of assignments of the classes with a largest distance of at least this one.

    The chance of each count of the smaller class among the first rows is carried from row to row; the chance that first
    reaches the distance leaves, so that only positive terms are added.
    """
    few, tied = (positive, positive + negative) if positive.sum() < negative.sum() else (negative, positive + negative)
    m, total = int(few.sum()), int(tied.sum())
    chosen, least = np.arange(m + 1), round(distance * m * (total - m))
    chance, share, done = (chosen == 0).astype(np.float64), 0.0, 0
    for ties in tied.tolist():
        for row in range(done, done + ties):
            drawn = chance * ((m - chosen) / (total - row))
            chance -= drawn
            chance[1:] += drawn[:-1]
        done += ties
        # In whole numbers, so that equal distances are equal: |i/m − (done − i)/n|·m·n.
        is_as_far = np.abs(chosen * total - done * m) >= least
        share += float(chance[is_as_far].sum())
        chance[is_as_far] = 0.0
    return min(1.0, share)


def largest_gap(scores: ScoreTable) -> tuple[float, float]:
    """Find the threshold of the largest gap between TPR and FPR, and TPR − FPR there; both classes must have rows.

    Exact for counts. Of equal gaps TPR above FPR comes first, then the most conservative threshold.
    """
    found = gaps(scores)
    if found.above >= found.below:
        return float(scores.scores[found.above_row]), found.above
    return float(scores.scores[found.below_row]), -found.below


def ks_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Compute TPR − FPR against the threshold, with TPR and FPR as further lines and the largest gap marked.

    TPR and FPR at t are the shares of the positives and of the negatives that score at least t. The difference is
    Youden's J. Undefined (NaN) where a class is empty. A prior changes nothing.

    >>> from thresher.counts import ScoreTable
    >>> curve = ks_curve(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> curve.marks[0].threshold, round(curve.marks[0].y, 3)
    (5.0, 0.667)
    """
    found = points(table, keep, scaled=False)
    gap = found.tpr - found.fpr
    return found.curve(
        "ks",
        ("threshold", found.thresholds),
        ("informedness", gap),
        interpolation="threshold",
        series={"true_positive_rate": found.tpr, "false_positive_rate": found.fpr},
        marks=_marks(table, gap, found.thresholds),
    )


def _marks(table: Table, gap: Floats, thresholds: Floats) -> tuple[Mark, ...]:
    """Mark of the largest gap; of a thinned table, the largest among the thresholds it kept."""
    if np.isnan(gap).any() or not gap.size:
        return ()
    if isinstance(table, ThresholdTable) and table.thinned:
        row = int(np.argmax(np.abs(gap)))
        x, y = float(thresholds[row]), float(gap[row])
    else:
        x, y = largest_gap(score_table(table))
    return (Mark(text=f"KS = {abs(y):.3f} at {x:.4g}", x=x, y=y, threshold=x),)


def _sizes(total: Any, squares: Any) -> float:
    """Return the number of rows, or with importance weights of equal rows that give the same variance."""
    return float(total) if squares is None or not total else float(total) ** 2 / float(np.sum(squares))


def lift_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Compute the lift, precision over prevalence, against the share of rows taken, P'/n.

    PPV/π = TPR/(P'/n), at the table's prevalence: how many times more positives there are among the rows taken than
    among all. Chance is 1. There is no point where no row is taken. Undefined (NaN) without positives.

    >>> from thresher.counts import ScoreTable
    >>> curve = lift_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.y.round(3).tolist()
    [2.0, 1.0, 1.333, 1.0]
    """
    found = points(table, keep).without_sentinel()
    share = divide(found.taken, found.n)
    chance = Line(text="chance", x=(0.0, 1.0), y=(1.0, 1.0))
    columns = ("predicted_prevalence", share), ("lift", divide(found.tpr, share))
    return found.curve("lift", *columns, interpolation="linear in x·y", references=(chance,))


def lift_chart(table: Table, *, keep: int | None = None) -> Curve:
    """Count true positives against predicted positives: the yield of a mailing or a screening.

    Chance is the line from (0, 0) to (n, P). With a prior the counts are scaled to it, n staying the same.

    >>> from thresher.counts import ScoreTable
    >>> curve = lift_chart(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 2.0, 2.0])
    """
    found = points(table, keep)
    positives, n = found.positives, found.n
    chance = Line(text="chance", x=(0.0, n), y=(0.0, positives))
    perfect = Line(text="perfect ranking", x=(0.0, positives, n), y=(0.0, positives, positives))
    columns = ("predicted_positives", found.taken), ("true_positives", found.tp)
    return found.curve("lift_chart", *columns, references=(chance, perfect))


def gain_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Compute the share of positives found (TPR) against the share of rows taken, P'/n.

    Both are at the table's prevalence π. Chance is the diagonal; perfect ranking rises straight to (π, 1). With rare
    positives the curve nearly is the ROC. Undefined (NaN) without positives.

    >>> from thresher.counts import ScoreTable
    >>> curve = gain_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    found = points(table, keep)
    base = float(divide(found.positives, found.n))
    chance = Line(text="chance", x=(0.0, 1.0), y=(0.0, 1.0))
    perfect = Line(text="perfect ranking", x=(0.0, base, 1.0), y=(0.0, 1.0, 1.0))
    columns = ("predicted_prevalence", divide(found.taken, found.n)), ("true_positive_rate", found.tpr)
    area = "area under the gain curve"
    return found.curve("cumulative_gain", *columns, references=(chance, perfect), area_name=area)
