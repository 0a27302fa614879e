"""The cumulative gain curve."""

from __future__ import annotations

from thresher.conventions import divide
from thresher.curves.curve import Curve, Line
from thresher.curves.points import Table, points


def gain_curve(table: Table, *, keep: int | None = None) -> Curve:
    """Share of the positives found (TPR) against the share of rows taken, P'/n.

    Both are at the table's prevalence π. Chance is the diagonal; perfect ranking rises straight to (π, 1). With rare
    positives the curve nearly is the ROC. Undefined (NaN) without positives.

    Raises:
        InputError: the table is a batch.

    >>> from thresher.counts import ScoreTable
    >>> curve = gain_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    found = points(table, keep)
    base = float(divide(found.positives, found.n))
    return Curve(
        name="cumulative_gain",
        x=divide(found.taken, found.n),
        y=found.tpr,
        thresholds=found.thresholds,
        x_name="predicted_prevalence",
        y_name="true_positive_rate",
        interpolation="linear",
        references=(
            Line(text="chance", x=(0.0, 1.0), y=(0.0, 1.0)),
            Line(text="perfect ranking", x=(0.0, base, 1.0), y=(0.0, 1.0, 1.0)),
        ),
        notes=found.notes,
        area_name="area under the gain curve",
        is_thinned=found.is_thinned,
    )
