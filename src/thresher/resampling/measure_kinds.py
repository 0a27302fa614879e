"""What a measure is read from in an assessment: decisions, scores, or a model's whole evaluation; and its range."""

from __future__ import annotations

from typing import Any, Literal

from thresher.errors import TaskError
from thresher.measures.averaging import split_average
from thresher.measures.measure_text import Wanted
from thresher.measures.posteriors import of_posteriors

Kind = Literal["decisions", "scores", "model"]


def kind_of(wanted: Wanted, classes: int) -> Kind:
    """What the values of a measure are computed from.

    Confusion matrices of all splits are counted in one pass, and a score table is made for each; anything else (a rate
    at a fixed rate, measures of posteriors) is read from an evaluation of the rows.

    Raises:
        TaskError: the measure is of two classes and there are more, or the other way round.

    >>> from thresher.measures.measure_text import wanted
    >>> kind_of(wanted("accuracy"), 3), kind_of(wanted("auc"), 2), kind_of(wanted("recall@fpr=0.1"), 2)
    ('decisions', 'scores', 'model')
    """
    _check_task(wanted, classes)
    if wanted.at is not None:
        return "model"
    if wanted.entry.of_classes:
        return "decisions" if wanted.entry.how else "model"
    if wanted.entry.needs == "table":
        return "scores" if classes == 2 else "model"
    return "decisions" if classes == 2 or wanted.entry.needs == "matrix" else "model"


def _check_task(wanted: Wanted, classes: int) -> None:
    entry = wanted.entry
    if entry.of_classes:
        if classes == 2 and not entry.how:
            raise TaskError(f"{wanted.title} is of three classes or more, and there are two.")
    elif classes > 2 and (wanted.at is not None or (entry.needs != "matrix" and of_posteriors(entry.name) is None)):
        raise TaskError(
            f"{wanted.title} is of two classes, and there are {classes}: ask for an average over the classes, such as "
            f"macro_f1, or for hand_till."
        )


def value_of(wanted: Wanted, counts: Any) -> Any:
    """Value of a measure of decisions or scores on counts, over their batch axes; NaN where undefined."""
    if not wanted.entry.how:
        return wanted.entry(counts, **wanted.parameters)
    how, rest = split_average(wanted.entry.name)
    found = counts.average(rest, how=how)
    return found if counts.counts.ndim > 2 else found.value


def bounds_of(wanted: Wanted, classes: int) -> tuple[float, float]:
    """Range of a measure; the Brier score of several classes reaches 2."""
    several = of_posteriors(wanted.entry.name) if classes > 2 else None
    return wanted.entry.bounds if several is None else several.bounds
