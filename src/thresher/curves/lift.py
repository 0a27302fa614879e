"""The gain and lift curves, and the lift chart in counts."""

from __future__ import annotations

from thresher.conventions import divide
from thresher.curves.curve import Curve, Line
from thresher.curves.points import Table, points


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
