"""Which model is better: every two on the same rows, by tests that need no resampling, and at every threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher.measures.measure_text import wanted
from thresher.plain import plain_text
from thresher.report.document import Document
from thresher.report.numbers import brief, count, level, p_number, percent
from thresher.report.sections.facts import decided_at
from thresher.report.sections.kinds import Cell, Table
from thresher.report.titles import by_method, capital, heading_of, sentence
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance, Lead
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
    return heading_as_written(c.measure), pair_text(c), difference_of(c), p_cell(c), verdict(c)


def difference_of(c: Comparison) -> Estimate:
    """Difference with its interval."""
    known = {name: getattr(c, name) for name in ("low", "high", "level", "method", "reason")}
    return Estimate(name=c.measure, value=c.difference, n=c.n[0], **known)


def p_cell(c: Comparison) -> str:
    """P value in a column of them, the adjusted one where there is one."""
    return p_number(*c.final_p)


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
    listed = by_method((c.method, heading_as_written(c.measure)) for c in found if not math.isnan(c.p_value))
    if listed:
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


CROSSINGS = 3
"""Crossings of a pair that a table names."""

LEADS = 2
"""Stretches of a model that a table names, the widest."""


OTHER_ROWS = "These are the curves of these rows: on other rows a small lead may turn around."


def dominance_table(document: Document) -> Table | None:
    """Every two models: which dominates, else where the curves cross and who leads where."""
    if not document.dominances:
        return None
    return Table(
        key="dominance", title="Does one model win at every threshold?",
        rows=tuple(map(_dominance_row, document.dominances)),
        columns=("First and second", "ROC curves", "First leads at FPR", "Second leads at FPR"),
        lead="A model dominates where its ROC is nowhere below the other's: no costs and no prevalence make the other "
        "cheaper, and its precision is nowhere lower at the same recall. Else each is the better for some; the share "
        "is that of the range of false positive rates, of which the widest stretches are named.",
        remarks=(OTHER_ROWS,),
    )  # fmt: skip


def _dominance_row(found: Dominance) -> tuple[Cell, ...]:
    return " and ".join(found.models), dominance_verdict(found), *(led(found, name) for name in found.models)


def dominance_verdict(found: Dominance) -> str:
    """Who dominates, or where the curves cross."""
    if found.is_one_curve:
        return "are one curve"
    if found.dominant is not None:
        return f"{found.dominant} dominates"
    if len(found.crossings) > CROSSINGS:
        return f"cross {count(len(found.crossings))} times"
    return f"cross at {', '.join(brief(fpr) for fpr, _ in found.crossings)}"


def led(found: Dominance, name: str) -> str:
    """Share of the range of false positive rates over which a model leads, and where: `90 %: 0 to 0.1, 0.2 to 1`."""
    leads = [lead for lead in found.leads if lead.leader == name]
    if not leads:
        return "nowhere"
    shown = widest(leads, LEADS)
    more = f" (+{count(len(leads) - len(shown))})" if len(leads) > len(shown) else ""
    return f"{percent(sum(x.fpr[1] - x.fpr[0] for x in leads))}: {', '.join(map(_span, shown))}{more}"


def widest(leads: Sequence[Lead], most: int) -> list[Lead]:
    """The longest of the stretches, measured along both rates, in their order."""
    falling = sorted(range(len(leads)), key=lambda i: leads[i].fpr[0] + leads[i].tpr[0] - sum(_end(leads[i])))
    return [leads[i] for i in sorted(falling[:most])]


def _end(lead: Lead) -> tuple[float, float]:
    return lead.fpr[1], lead.tpr[1]


def _span(lead: Lead) -> str:
    low, high = (brief(rate) for rate in lead.fpr)
    return low if low == high else f"{low} to {high}"
