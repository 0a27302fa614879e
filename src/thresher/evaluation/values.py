"""The value of a measure of a subject, without its interval."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from thresher.conventions import stand_in
from thresher.curves.value_at import value_at
from thresher.evaluation.subject import Subject, Unavailable
from thresher.evaluation.within_folds import fits_of, has_fits
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.measure_text import Wanted
from thresher.measures.posteriors import of_posteriors


def value_of(subject: Subject, measure: Wanted) -> float:
    """Value of a measure of a subject, without its interval; NaN where it is undefined.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import wanted
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> value_of(model, wanted("auc")), value_of(model, wanted("recall"))
    (0.75, 0.5)
    """
    if ranks_rows(measure) and has_fits(subject):
        parts = fits_of([subject])[0]
        return math.fsum(_value(part, measure) for (part,) in parts) / len(parts) if parts else math.nan
    return _value(subject, measure)


def _value(subject: Subject, measure: Wanted) -> float:
    entry = measure.entry
    if measure.at is not None:
        options: dict[str, Any] = {"at": measure.at.name, "value": measure.at_value, "rule": measure.rule}
        return value_at(subject.scores, entry.name, **options, **measure.parameters).value
    if measure.part is not None:
        from thresher.curves.regions import part_area

        return part_area(subject.scores, measure.part).raw
    if subject.task == "multilabel":
        from thresher.evaluation.multilabel import Multilabel

        return Multilabel().estimate(replace(subject, bootstrap=None), entry.name).value
    statistic: Any = subject.statistic(entry.needs)
    found = math.nan if isinstance(statistic, Unavailable) else float(entry(statistic, **measure.parameters))
    return stand_in(subject.undefined) if math.isnan(found) else found


def in_task(subject: Subject, measure: Wanted) -> Wanted:
    """Measure under its name in the task: of several classes a loss is one of their posteriors."""
    entry = of_posteriors(measure.entry.name) if subject.task == "multiclass" else None
    return measure if entry is None else replace(measure, entry=entry)
