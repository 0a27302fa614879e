"""The value of a measure of a subject, without what its interval takes."""

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


def value_of(subject: Subject, asked: Wanted) -> float:
    """Value of a measure of a subject, without what an interval takes; NaN where it is undefined.

    >>> import thresher as th
    >>> from thresher.measures.measure_text import wanted
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> value_of(model, wanted("auc")), value_of(model, wanted("recall"))
    (0.75, 0.5)
    """
    if ranks_rows(asked) and has_fits(subject):
        parts = fits_of([subject])[0]
        return math.fsum(_value(part, asked) for (part,) in parts) / len(parts) if parts else math.nan
    return _value(subject, asked)


def _value(subject: Subject, asked: Wanted) -> float:
    entry = asked.entry
    if asked.at is not None:
        options: dict[str, Any] = {"at": asked.at.name, "value": asked.at_value, "rule": asked.rule}
        return value_at(subject.scores, entry.name, **options, **asked.parameters).value
    if asked.part is not None:
        from thresher.curves.regions import part_area

        return part_area(subject.scores, asked.part).raw
    if subject.task == "multilabel":
        from thresher.evaluation.multilabel import Multilabel

        return Multilabel().estimate(replace(subject, bootstrap=None), entry.name).value
    statistic: Any = subject.statistic(entry.needs)
    found = math.nan if isinstance(statistic, Unavailable) else float(entry(statistic, **asked.parameters))
    return stand_in(subject.undefined) if math.isnan(found) else found


def in_task(subject: Subject, asked: Wanted) -> Wanted:
    """Measure under its name in the task: of several classes a loss is one of their posteriors."""
    entry = of_posteriors(asked.entry.name) if subject.task == "multiclass" else None
    return asked if entry is None else replace(asked, entry=entry)
