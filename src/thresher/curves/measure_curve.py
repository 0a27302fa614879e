"""Any measure against any other, or against the threshold; rates by threshold."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.parse_number import parse_call
from thresher.curves.curve import Curve, Floats, Table, notes, points, threshold_table
from thresher.errors import OptionError
from thresher.measures.measure_text import ROUNDING
from thresher.measures.registry import Measure, find

THRESHOLD = "threshold"

COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


def measure_curve(table: Table, *, x: str, y: str, keep: int | None = None, **parameters: Any) -> Curve:
    """Compute one measure of decisions against another, or against the threshold, at every threshold.

    Names and aliases are in the registry (`thresher measures` lists them); parameters, such as `beta=2`, go to
    the measures that take them. Against the threshold a value holds from one observed score down to the next; of two
    measures there are only the points, and `value_at` reads between them. NaN where a measure is 0/0.

    Raises:
        OptionError: a name is not a measure of decisions, or a parameter is taken by neither.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> measure_curve(table, x="recall", y="accuracy").y.tolist()
    [0.5, 0.75, 0.5, 0.75, 0.5]
    >>> measure_curve(table, x="threshold", y="recall").at(0.5)
    0.5
    """
    rows = threshold_table(table, keep)
    (x, of_x), (y, of_y) = call_of_measure(x), call_of_measure(y)
    parameters |= of_x | of_y
    names = [name for name in (x, y) if name != THRESHOLD]
    used = split_parameters(names, parameters)
    columns = [decision_measure(name)(rows, **used[name]) for name in (x, y) if name != THRESHOLD]
    if y == THRESHOLD:
        raise OptionError('y="threshold": the threshold goes on the x axis.')
    return Curve(
        name=f"{y}_by_{x}",
        x=columns[0] if x != THRESHOLD else rows.thresholds,
        y=columns[-1],
        thresholds=rows.thresholds,
        x_name=x,
        y_name=y,
        interpolation="points" if x != THRESHOLD else "threshold",
        notes=notes(rows),
        is_thinned=rows.thinned,
    )


def call_of_measure(written: str) -> tuple[str, dict[str, Any]]:
    """Name of a measure that may be written with its parameters, and these."""
    try:
        return parse_call(written)
    except ValueError as error:
        raise OptionError(f"{written!r}: the parameter {str(error)!r} needs a value, such as beta=2.") from None


def decision_measure(name: str) -> Measure:
    """Return a measure of one decision by its name or alias; refuse a measure of the whole ranking."""
    try:
        entry = find(name)
    except KeyError as error:
        raise OptionError(str(error.args[0])) from None
    if entry.needs == "table":
        raise OptionError(f"{entry.title} is one number for all thresholds together, so no curve can be made of it.")
    return entry


def split_parameters(names: list[str], given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters by the measure that takes them; refuse one that none takes."""
    taken = {name: {k: v for k, v in given.items() if decision_measure(name).takes(k)} for name in names}
    spare = set(given).difference(*taken.values())
    if spare:
        raise OptionError(f"{', '.join(sorted(spare))}: not a parameter of {' or '.join(names)}.")
    return taken


def rates_by_threshold(table: Table, *, keep: int | None = None) -> Curve:
    """Compute sensitivity against the threshold, with specificity as a further line.

    TPR = TP/P and TNR = TN/N of the rule "positive iff score ≥ t"; both are constant from one observed score down to
    the next. Undefined (NaN) where a class is empty. A prior changes nothing.

    >>> from thresher.counts import ScoreTable
    >>> curve = rates_by_threshold(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.at(0.5), curve.series["specificity"].tolist()
    (0.5, [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    found = points(table, keep, scaled=False)
    specificity = (found.negatives - found.fp) / found.negatives if found.negatives else found.fpr
    columns = ("threshold", found.thresholds), ("sensitivity", found.tpr)
    series = {"specificity": specificity}
    return found.curve("rates_by_threshold", *columns, interpolation="threshold", series=series)


def rounding_of(value: float) -> float:
    """Compute the rounding error within which a value equals a number; 0 for an infinite one."""
    return ROUNDING * max(1.0, abs(value)) if math.isfinite(value) else 0.0


def keeps(values: Floats, comparison: str, bound: float) -> NDArray[np.bool_]:
    """Return which values keep a bound; rounding error breaks a strict one and keeps a lax one.

    >>> keeps(np.array([0.1 + 0.2, 0.3]), "<=", 0.3).tolist(), keeps(np.array([0.1 + 0.2, 0.3]), ">", 0.3).tolist()
    ([True, True], [False, False])
    """
    slack = rounding_of(bound) * (1 if comparison in ("<=", ">") else -1)
    return np.asarray(COMPARISONS[comparison](values, bound + slack))
