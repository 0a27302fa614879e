"""Markdown form (GitHub's tables), to paste into a pull request, a notebook or a wiki."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from thresher.evaluation import Evaluation
from thresher.report import told
from thresher.report.build import build
from thresher.report.document import Document
from thresher.report.matrix import matrix_cells
from thresher.report.outline import outline
from thresher.report.sections import Decisions, Heat, Prose, Summary, Table
from thresher.report.text import cell_text, decision_head, heat_cells, is_right
from thresher.report.textgrid import visible
from thresher.report.titles import capital

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def evaluation_markdown(evaluation: Evaluation, *, title: str | None = None) -> str:
    """Evaluation as Markdown."""
    return document_markdown(build(evaluation, title=title, every=False))


def document_markdown(document: Document) -> str:
    """Document as Markdown; names and labels are escaped, so that they show as they are."""
    parts = [f"# {escaped(document.title)}", escaped(told.lead(document)) + "."]
    for section in outline(document):
        show = SHOWN.get(type(section))
        if show is not None:
            parts.append(show(section))
    facts = [f"- {name}: {escaped(value)}" for name, value in told.facts(document)]
    return "\n\n".join([*parts, "## About these numbers", "\n".join(facts)]) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line.

    >>> escaped("random_forest | <b>")
    'random\\\\_forest \\\\| \\\\<b\\\\>'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Pipe table; `right` says which columns are aligned to the right."""
    lines = [columns, [("---:" if side else "---") for side in right], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _prose(section: Prose) -> str:
    sentences = [escaped(sentence) for sentence in section.sentences]
    if not section.listed:
        return "\n\n".join(sentences)
    return f"## {escaped(section.title)}\n\n" + "\n".join(f"- {sentence}" for sentence in sentences)


def _summary(section: Summary) -> str:
    rows = []
    for block in section.blocks:
        if block.title == "Decisions" and section.thresholds:
            rows.append(["Threshold", *map(escaped, section.thresholds)])
        rows += [[escaped(capital(r.title)), *(escaped(cell_text(e)) for e in r.estimates)] for r in block.rows]
    header = ["Measure", *map(escaped, section.models)]
    return _joined(f"## {section.title}", table(header, rows, [False] * len(header)), section.remarks)


def _table(section: Table) -> str:
    rows = [[escaped(cell_text(cell)) for cell in row] for row in section.rows]
    right = [is_right([row[i] for row in section.rows]) for i in range(len(section.columns))]
    head = f"## {escaped(section.title)}" + (f"\n\n{escaped(section.lead)}" if section.lead else "")
    return _joined(head, table([escaped(c) for c in section.columns], rows, right), section.remarks)


def _decisions(section: Decisions) -> str:
    parts = [f"## {section.title}", escaped(section.lead)]
    for decision in section.decisions:
        parts.append(f"### {escaped(decision_head(decision))}")
        matrix = decision.part.matrix
        if matrix is None:
            parts.append(escaped(told.sentence(decision.part.threshold_reason)))
        else:
            header, *rows = matrix_cells(matrix)
            cells = [[escaped(cell) for cell in row] for row in rows]
            parts.append(table([escaped(c) for c in header], cells, [False] + [True] * (len(header) - 1)))
    return "\n\n".join(parts)


def _heat(section: Heat) -> str:
    header, *rows = [[escaped(cell) for cell in row] for row in heat_cells(section)]
    head = f"## {escaped(section.title)}" + (f"\n\n{escaped(section.lead)}" if section.lead else "")
    return _joined(head, table(header, rows, [False] + [True] * (len(header) - 1)), ())


SHOWN: dict[type, Callable[[Any], str]] = {
    Heat: _heat,
    Prose: _prose,
    Summary: _summary,
    Table: _table,
    Decisions: _decisions,
}
"""Renderer of each kind of section; charts have none in Markdown."""


def _joined(head: str, body: str, remarks: Sequence[str]) -> str:
    said = "\n".join(f"- {escaped(remark)}" for remark in remarks)
    return "\n\n".join([head, body, said] if said else [head, body])
