"""Markdown form (GitHub's tables), to paste into a pull request, a notebook or a wiki."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from thresher.counts import ConfusionMatrix
from thresher.report.document import Document
from thresher.report.render.pipes import bullets, escaped, pipe_table
from thresher.report.render.text import cells_of, decision_head
from thresher.report.sections import facts
from thresher.report.sections.kinds import DecisionCard, Decisions, Heat, Prose, Summary, Table, Verdict
from thresher.report.sections.matrix import matrix_cells, remarks
from thresher.report.sections.order import sections_of
from thresher.report.titles import sentence


def document_markdown(document: Document, *, only: Collection[str] | None = None) -> str:
    """Document as Markdown; names and labels are escaped, so that they show as they are.

    `only` are keys of the sections to show, by default all.
    """
    parts = [f"# {escaped(document.title)}", escaped(facts.lead(document)) + "."]
    for section in sections_of(document):
        show = SHOWN.get(type(section))
        if show is not None and (only is None or section.key in only):
            parts.append(show(section))
    about = bullets(f"{name}: {value}" for name, value in facts.facts(document))
    return "\n\n".join([*parts, "## About these numbers", about]) + "\n"


def _verdict(section: Verdict) -> str:
    return f"## {section.title}\n\n{bullets(found.text for found in section.findings)}"


def _prose(section: Prose) -> str:
    if not section.listed:
        return "\n\n".join(map(escaped, section.sentences))
    return f"## {escaped(section.title)}\n\n{bullets(section.sentences)}"


def _table(section: Summary | Table | Heat) -> str:
    lead = getattr(section, "lead", "")
    head = f"## {escaped(section.title)}" + (f"\n\n{escaped(lead)}" if lead else "")
    return _joined(head, pipe_table(*cells_of(section)), getattr(section, "remarks", ()))


def _decisions(section: Decisions) -> str:
    parts = [f"## {section.title}", escaped(section.lead)]
    for decision in section.decisions:
        parts.append(f"### {escaped(decision_head(decision))}")
        matrix = decision.part.matrix
        if matrix is None:
            parts.append(escaped(sentence(decision.part.threshold_reason)))
        else:
            parts.append(matrix_table(matrix))
    return "\n\n".join(parts)


SHOWN: dict[type, Callable[[Any], str]] = {
    Heat: _table,
    Prose: _prose,
    Summary: _table,
    Table: _table,
    Decisions: _decisions,
    Verdict: _verdict,
}
"""Renderer of each kind of section; charts have none in Markdown."""


def matrix_table(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as a table, and what a reader must know about its numbers."""
    header, *rows = matrix_cells(matrix)
    return _joined("", pipe_table(header, rows, [False] + [True] * (len(header) - 1)), remarks(matrix))


def _joined(head: str, table: Sequence[str], said: Sequence[str]) -> str:
    return "\n\n".join(part for part in (head, "\n".join(table), bullets(said)) if part)


def card_markdown(card: DecisionCard) -> str:
    """Card as Markdown, under a heading."""
    parts = [
        f"## {escaped(card.heading)}",
        escaped(card.rule),
        f"{escaped(card.of)}:" if card.of else "",
        matrix_table(card.matrix),
        "\n".join(pipe_table(card.header, card.cells, [False, True, False])),
        bullets(card.sentences),
    ]
    return "\n\n".join(part for part in parts if part)
