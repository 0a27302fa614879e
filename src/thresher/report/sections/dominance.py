"""Whose ROC lies above whose: every two models at every threshold, at the points of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.report.document import Document
from thresher.report.numbers import brief, count, percent
from thresher.report.sections.kinds import Cell, Table

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance, Lead

CROSSINGS = 3
"""Crossings of a pair that a table names."""

LEADS = 2
"""Stretches of a model that a table names, the widest."""


def dominance_table(document: Document) -> Table | None:
    """Every two models: which dominates, else where the curves cross and who leads where."""
    if not document.dominances:
        return None
    return Table(
        key="dominance", title="Does one model win at every threshold?", rows=tuple(map(_row, document.dominances)),
        columns=("First and second", "ROC curves", "First leads at FPR", "Second leads at FPR"),
        lead="A model dominates where its ROC is nowhere below the other's: no costs and no prevalence make the other "
        "cheaper, and its precision is nowhere lower at the same recall. Else each is the better for some; the share "
        "is that of the range of false positive rates, of which the widest stretches are named.",
        remarks=("These are the curves of these rows: on other rows a small lead may turn around.",),
    )  # fmt: skip


def _row(found: Dominance) -> tuple[Cell, ...]:
    return " and ".join(found.models), verdict(found), *(led(found, name) for name in found.models)


def verdict(found: Dominance) -> str:
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
