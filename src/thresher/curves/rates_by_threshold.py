"""Sensitivity and specificity against the threshold."""

from __future__ import annotations

from thresher.curves.curve import Curve
from thresher.curves.points import Table, points


def rates_by_threshold(table: Table, *, keep: int | None = None) -> Curve:
    """Sensitivity against the threshold, with specificity as a further line.

    TPR = TP/P and TNR = TN/N of the rule "positive iff score ≥ t"; both are constant from one observed score down to
    the next. Undefined (NaN) where a class has no rows. A prior changes nothing.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> curve = rates_by_threshold(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.at(0.5), curve.series["specificity"].tolist()
    (0.5, [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    found = points(table, keep, scaled=False)
    return Curve(
        name="rates_by_threshold",
        x=found.thresholds,
        y=found.tpr,
        thresholds=found.thresholds,
        x_name="threshold",
        y_name="sensitivity",
        interpolation="threshold",
        series={"specificity": (found.negatives - found.fp) / found.negatives if found.negatives else found.fpr},
        notes=found.notes,
        is_thinned=found.is_thinned,
    )
