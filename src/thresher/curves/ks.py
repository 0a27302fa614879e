"""The Kolmogorov–Smirnov curve and test: how far the score distributions of the two classes lie apart."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from thresher.curves.curve import Curve, Mark
from thresher.curves.points import Table, points, score_table
from thresher.measures.areas import gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class KsTest:
    """Two-sample Kolmogorov–Smirnov distance between the scores of positives and negatives.

    `statistic` D = max |TPR − FPR|, reached at `threshold`; `signed` is +D where TPR is the larger, −D where FPR is.
    `p_value` is that of D if both classes had one score distribution.
    """

    method: str
    positives: float
    negatives: float
    statistic: float = math.nan
    signed: float = math.nan
    threshold: float = math.nan
    p_value: float = math.nan
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types; undefined is None, beside its reason."""
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(self).items()}


def ks_test(table: Table) -> KsTest:
    """Test whether positives and negatives have one distribution of scores (two-sided, asymptotic).

    D = max |TPR − FPR|; p = Pr(K > D·√(P·N/(P + N))) with Kolmogorov's limiting distribution, conservative with
    ties. With importance weights P and N are the effective sizes (Σw)²/Σw². Of equal distances the one at the
    highest threshold is named, TPR above FPR first. Undefined (NaN), with a reason, where a class has no rows.

    Kolmogorov (1933); Smirnov (1939).

    >>> from thresher.counts import ScoreTable
    >>> found = ks_test(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> round(found.signed, 4), found.threshold, round(found.p_value, 4)
    (0.6667, 5.0, 0.5176)
    """
    scores = score_table(table)
    found = gaps(scores)
    sizes = _sizes(scores.P, scores.positive_squares), _sizes(scores.N, scores.negative_squares)
    method = "two-sample Kolmogorov–Smirnov, asymptotic" + (
        ", effective size" if scores.positive_squares is not None else ""
    )
    base = KsTest(method=method, positives=sizes[0], negatives=sizes[1])
    if found.above_row < 0:
        missing = " and ".join(name for name, c in (("positives", scores.P), ("negatives", scores.N)) if not c)
        return replace(base, reason=f"there are no {missing}")
    from scipy.special import kolmogorov

    statistic = max(found.above, found.below)
    is_above = found.above >= found.below
    return replace(
        base,
        statistic=statistic,
        signed=statistic if is_above else -statistic,
        threshold=float(scores.scores[found.above_row if is_above else found.below_row]),
        p_value=float(kolmogorov(statistic * math.sqrt(sizes[0] * sizes[1] / (sizes[0] + sizes[1])))),
    )


def ks_curve(table: Table, *, keep: int | None = None) -> Curve:
    """TPR − FPR against the threshold, with TPR and FPR themselves as further lines and the largest gap marked.

    TPR and FPR at t are the shares of the positives and of the negatives that score at least t. The difference is
    Youden's J. Undefined (NaN) where a class has no rows. A prior changes nothing.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> curve = ks_curve(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> curve.marks[0].threshold, round(curve.marks[0].y, 3)
    (5.0, 0.667)
    """
    found, test = points(table, keep, scaled=False), ks_test(table)
    marks = []
    if not math.isnan(test.statistic):
        text = f"KS = {test.statistic:.3f} at {test.threshold:.4g}"
        marks.append(Mark(text=text, x=test.threshold, y=test.signed, threshold=test.threshold))
    return Curve(
        name="ks",
        x=found.thresholds,
        y=found.tpr - found.fpr,
        thresholds=found.thresholds,
        x_name="threshold",
        y_name="informedness",
        interpolation="threshold",
        series={"true_positive_rate": found.tpr, "false_positive_rate": found.fpr},
        marks=tuple(marks),
        notes=found.notes,
    )


def _sizes(total: Any, squares: Any) -> float:
    """Rows, or with importance weights the number of equal rows that would give the same variance."""
    return float(total) if squares is None or not total else float(total) ** 2 / float(np.sum(squares))
