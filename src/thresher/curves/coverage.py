"""The coverage curve: the ROC in counts, true positives against false positives."""

from __future__ import annotations

from thresher.curves.curve import Curve, Line
from thresher.curves.points import Table, points


def coverage_curve(table: Table, *, keep: int | None = None) -> Curve:
    """True positives against false positives, from (0, 0) to (N, P): every step is as long as its rows are many.

    Equal scores move together, a slanted step. Sums of weights where rows have them; a prior changes nothing.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score.
        keep: at most so many thresholds.

    Raises:
        InputError: the table is a batch.

    Fürnkranz and Flach (2005).

    >>> from thresher.counts import ScoreTable
    >>> curve = coverage_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    """
    found = points(table, keep, scaled=False)
    return Curve(
        name="coverage",
        x=found.fp,
        y=found.tp,
        thresholds=found.thresholds,
        x_name="false_positives",
        y_name="true_positives",
        interpolation="linear",
        references=(Line(text="chance", x=(0.0, found.negatives), y=(0.0, found.positives)),),
        notes=found.notes,
        is_thinned=found.is_thinned,
        prevalence=found.prevalence,
    )
