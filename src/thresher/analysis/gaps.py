"""How far each group lies from the rest of the rows, tested as one family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.analysis.comparing import rows_of, with_clusters
from thresher.analysis.splitting import on_rows
from thresher.errors import OptionError, RowsNeededError
from thresher.evaluation.subject import Subject
from thresher.measures.shown import GAPS, GAPS_OF_CLASSES
from thresher.predictions import Categories
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import Question
    from thresher.inference.comparing.comparison import Comparison, Comparisons

REST = "the rest"
MOST_VALUES = 20_000_000
"""Rows times models times groups up to which a report compares them: a few seconds."""

WITHOUT = "gaps are of groups: name a column in evaluate(" + keyword("by", "…") + ") first."
APART = "Groups are not compared with the rest here"
COUNTED = "counts do not hold the rest of the rows of a group: read gaps where the rows are."


def gaps_of(subjects: Mapping[str, Subject], measures: Sequence[str] = ()) -> Comparisons:
    """Each group of each subgroup column against the rest of the rows, by model and measure: first minus second.

    With several columns the groups are those of each column by itself. All p values are Holm's of one family.

    Raises:
        OptionError: no subgroup column was named, or a measure is none.
        RowsNeededError: the predictions are counts.
    """
    first = next(iter(subjects.values()))
    if rows_of(subjects).counts is not None:
        raise RowsNeededError(COUNTED)
    if not rows_of(subjects).by:
        raise OptionError(WITHOUT)
    from thresher.inference.comparing.compare import Question, adjusted

    names = measures or usual_measures(subjects)
    found = [
        item
        for name in names
        for item in _gaps(subjects, Question.of(name, level=first.level, rng=first.rng))
    ]  # fmt: skip
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
    """Gaps of a report: none of counts, of one group, or of more rows than a report waits for."""
    rows = rows_of(subjects)
    groups = sum(len(column.values) for column in rows.by.values())
    if groups < 2 or rows.task == "multilabel" or len(rows) < 2:
        return ReportedGaps()
    if rows.counts is not None:
        return ReportedGaps(omitted=f"{APART}: {COUNTED}")
    if not usual_measures(subjects):
        return ReportedGaps()
    if groups * len(subjects) * len(rows) > MOST_VALUES:
        size = f"{groups:,} groups of {len(rows):,} rows take long; .groups.gaps() does it"
        return ReportedGaps(omitted=f"{APART}: {size}")
    return ReportedGaps(found=tuple(gaps_of(subjects)))


def _gaps(subjects: Mapping[str, Subject], question: Question) -> Iterator[Comparison]:
    from thresher.evaluation.differing import difference

    subjects, question = with_clusters(subjects, question)
    rows = rows_of(subjects)
    for name, column in rows.by.items():
        for value, part, rest in _parts(subjects, column):
            for model in subjects:
                pair = f"{name} {value}", REST
                yield difference(part[model], rest[model], question, is_paired=False, groups=pair)


def _parts(
    subjects: Mapping[str, Subject], column: Categories
) -> Iterator[tuple[object, Mapping[str, Subject], Mapping[str, Subject]]]:
    """Subjects on the rows of each group, and on all others."""
    rows = rows_of(subjects)
    for code, value in enumerate(column.values):
        inside = np.asarray(column.codes) == code
        if inside.any() and not inside.all():
            parts = (on_rows(subjects, rows.take(np.flatnonzero(places))) for places in (inside, ~inside))
            yield (value, *parts)  # type: ignore[misc]
