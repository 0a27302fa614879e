"""How far each group lies from the rest of the rows, tested as one family."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.comparing import on_rows, rows_of, sharing
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.evaluation.counted_rows import predictions_of
from thresher.evaluation.subject import Subject
from thresher.measures.shown import GAPS, GAPS_OF_CLASSES
from thresher.predictions import Predictions
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import Question
    from thresher.inference.comparing.comparison import Comparison, Comparisons

REST = "the rest"
MOST_VALUES = 20_000_000
"""Rows times models times groups up to which a report compares them: a few seconds."""

WITHOUT = "gaps are of groups: name a column in evaluate(" + keyword("by", "…") + ") first."
APART = "Groups are not compared with the rest here"


def gaps_of(subjects: Mapping[str, Subject], measures: Sequence[str] = ()) -> Comparisons:
    """Each group of each subgroup column against the rest of the rows, by model and measure: first minus second.

    With several columns the groups are those of each column by itself. All p values are Holm's of one family.

    Raises:
        OptionError: no subgroup column was named, or a measure is none.
    """
    first = next(iter(subjects.values()))
    if not rows_of(subjects).by:
        raise OptionError(WITHOUT)
    from thresher.inference.comparing.compare import Question, adjusted

    names = measures or usual_measures(subjects)
    found = _gaps(subjects, [Question.of(name, level=first.level, rng=first.rng) for name in names])
    return adjusted(found, rows_of(subjects).backend)


def usual_measures(subjects: Mapping[str, Subject]) -> tuple[str, ...]:
    """Measures whose gaps are read where none is named."""
    models = subjects.values()
    if any(model.task not in ("binary", "labels") or len(model.rows.classes) > 2 for model in models):
        return GAPS_OF_CLASSES if all(model.confusion_matrix is not None for model in models) else ()
    scored = GAPS[:1] if all(model.task == "binary" for model in models) else ()
    return (*scored, *(GAPS[1:] if all(model.confusion_matrix is not None for model in models) else ()))


@dataclass(frozen=True, kw_only=True)
class ReportedGaps:
    """Gaps that a report shows, and why there are none where one looks for them."""

    found: tuple[Comparison, ...] = ()
    omitted: str | None = None


def reported_gaps(subjects: Mapping[str, Subject]) -> ReportedGaps:
    """Gaps of a report: none of one group, or of more rows than a report waits for."""
    rows = rows_of(subjects)
    groups = sum(len(column.values) for column in rows.by.values())
    if groups < 2 or rows.task == "multilabel" or len(rows) < 2:
        return ReportedGaps()
    if not usual_measures(subjects):
        return ReportedGaps()
    if groups * len(subjects) * len(rows) > MOST_VALUES:
        size = f"{groups:,} groups of {len(rows):,} rows take long; .groups.gaps() does it"
        return ReportedGaps(omitted=f"{APART}: {size}")
    return ReportedGaps(found=tuple(gaps_of(subjects)))


def _gaps(subjects: Mapping[str, Subject], questions: Sequence[Question]) -> list[Comparison]:
    """Every gap of the first question, then of the next; all are asked while the rows of a group are at hand."""
    from thresher.evaluation.differing import difference

    found: list[list[Comparison]] = [[] for _ in questions]
    for name in rows_of(subjects).by:
        for value, parts in _parts(subjects, name).items():
            for asked, question in zip(found, questions, strict=True):
                for part, rest in parts.values():
                    gap = difference(part, rest, question, is_paired=False, groups=(f"{name} {value}", REST))
                    asked.append(gap)
    return [gap for asked in found for gap in asked]


def _parts(subjects: Mapping[str, Subject], name: str) -> dict[object, dict[str, tuple[Subject, Subject]]]:
    """Models on the rows of each group of a column, and on all others; those of counts have rows of their own."""
    parts: dict[object, dict[str, tuple[Subject, Subject]]] = {}
    for rows, models in sharing(subjects, rows_of(subjects)):
        column = rows.by[name]
        for code, value in enumerate(column.values):
            inside = np.asarray(column.codes) == code
            if inside.any() and not inside.all():
                taken = (_taken(rows, name, value, inside, others=others) for others in (False, True))
                group, rest = (on_rows(models, part) for part in taken)
                parts.setdefault(value, {}).update({model: (group[model], rest[model]) for model in models})
    return parts


def _taken(rows: Predictions, name: str, value: Hashable, inside: NDArray[np.bool_], *, others: bool) -> Predictions:
    """Rows of a group or all others."""
    if rows.counts is not None:
        return predictions_of(rows.counts.only({name: value}, others=others))
    return rows.take(np.flatnonzero(inside != others))
