"""Which of the models is better: every two of them on the same rows, by tests that need no resampling."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher.measures.measure_text import wanted
from thresher.plain import plain_text
from thresher.report.document import Document
from thresher.report.numbers import level, p_text
from thresher.report.sections.facts import decided_at
from thresher.report.sections.kinds import Cell, Table
from thresher.report.titles import capital, heading_of, sentence
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison


def comparisons(document: Document) -> Table | None:
    """Difference of every two models with its interval and test, and what may be concluded."""
    lead = f"All models on the same rows; first minus second. {decided_at(document)}".strip()
    return comparison_table(document.comparisons, document.level, lead=lead)


def comparison_table(found: Sequence[Comparison], confidence: float, *, lead: str) -> Table | None:
    """Comparisons as a table; None without any."""
    if not found:
        return None
    several = any(c.adjusted_p_value is not None for c in found)
    return Table(
        key="comparisons",
        title="Which is better",
        columns=("Measure", "First − second", "Difference", "Adjusted p" if several else "p", "Conclusion"),
        rows=tuple(map(_row, found)),
        headers=2,
        lead=lead,
        remarks=tuple(_remarks(found, confidence)),
    )


def _row(c: Comparison) -> tuple[Cell, ...]:
    difference = Estimate(
        name=c.measure, value=c.difference, low=c.low, high=c.high, level=c.level, method=c.method, n=c.n[0]
    )
    return (heading_as_written(c.measure), pair_text(c), difference, p_cell(c), verdict(c))


def p_cell(c: Comparison) -> str:
    """P value in a column of them, the adjusted one where there is one."""
    return p_text(c.p_value if c.adjusted_p_value is None else c.adjusted_p_value).removeprefix("p ").removeprefix("= ")


def pair_text(c: Comparison) -> str:
    """Both models, the first minus the second."""
    return " − ".join(map(plain_text, c.models))


def heading_as_written(measure: str) -> str:
    """Heading of a measure with its parameters, where it has any.

    >>> heading_as_written("auc"), heading_as_written("recall@fpr=0.1")
    ('ROC AUC', 'Recall at false positive rate 0.1')
    """
    return capital(wanted(measure).title) if set(":@") & set(measure) else heading_of(measure)


def verdict(c: Comparison) -> str:
    """What may be concluded, in a few words."""
    if math.isnan(c.p_value):
        return "not tested"
    if not c.is_significant:
        return "not shown to differ"
    first = (c.difference > 0) != c.lower_is_better
    return f"{plain_text(c.models[0 if first else 1])} is better"


def _remarks(found: Sequence[Comparison], confidence: float) -> Iterator[str]:
    """How the differences were tested; equal methods said once."""
    methods: dict[str, list[str]] = defaultdict(list)
    for c in (one for one in found if not math.isnan(one.p_value)):
        if (heading := heading_as_written(c.measure)) not in methods[c.method]:
            methods[c.method].append(heading)
    listed = "; ".join(f"{method} ({', '.join(measures)})" for method, measures in methods.items())
    if methods:
        yield f"Brackets are {level(confidence)} intervals: {listed}."
    untested = (c for c in found if math.isnan(c.p_value))
    yield from dict.fromkeys(
        sentence(plain_text(f"{heading_as_written(c.measure)} of {' and '.join(c.models)}: {c.reason or 'no test'}"))
        for c in untested
    )
    families = {c.family for c in found if c.adjusted_p_value is not None}
    if families:
        yield (
            f"Adjusted for the {max(families)} pairs of a measure by Holm's method; the conclusion follows the "
            "adjusted p. Intervals are not adjusted."
        )
    if not all(c.is_significant or math.isnan(c.p_value) for c in found):
        yield "Not shown to differ is not equality: any difference in the interval is compatible with these rows."
