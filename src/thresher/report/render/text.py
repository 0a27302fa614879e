"""Plain text form of an evaluation: what `print` shows, and what a terminal without color can hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from thresher.report.document import Document
from thresher.report.numbers import count, cut, estimated, number, percent
from thresher.report.render.grid import Side, grid, matrix_text, wrapped
from thresher.report.sections import facts
from thresher.report.sections.kinds import (
    Cell,
    Decision,
    DecisionCard,
    Decisions,
    Figures,
    Forest,
    Heat,
    Prose,
    Share,
    Summary,
    Table,
    Verdict,
)
from thresher.report.sections.order import sections_of
from thresher.report.titles import capital, sentence
from thresher.results import Estimate
from thresher.visible import visible, visible_lines

WIDTH = 100
"""Columns when there is no terminal to ask."""

NARROWEST = 40

MARKS = {"good": "+", "neutral": "•", "warning": "!"}
"""Signs before a finding, by how it is meant."""

MAIN = ("verdict", "notes", "summary", "warnings", "decisions", "comparisons", "groups", "over-groups")
"""Keys of the sections that one reads first."""


def columns_of(width: int | None = None) -> int:
    """Columns to write in: as many as asked for, else those of the terminal."""
    if not width:
        import shutil

        width = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(NARROWEST, width)


def document_text(document: Document, *, width: int | None = None, only: Collection[str] | None = None) -> str:
    """Document as plain text, no line longer than `width` unless the heads of a row and one cell are.

    `only` are keys of the sections to show, by default all.
    """
    columns = columns_of(width)
    parts = [_head(document, columns)]
    for section in sections_of(document):
        show = SHOWN.get(type(section))
        if only is not None and section.key not in only:
            continue
        if show is not None and not getattr(section, "detail", False):
            parts.append(show(section, columns))
    return visible_lines("\n\n".join(parts)) + "\n"


def _head(document: Document, width: int) -> str:
    lines = [visible(document.title), *wrapped(facts.lead(document), width)]
    wanted = ("Weights", "Direction", "Source")
    lines += [f"{name.lower()}: {visible(value)}" for name, value in facts.facts(document) if name in wanted]
    return "\n".join(lines)


def _verdict(section: Verdict, width: int) -> str:
    lines = [line for found in section.findings for line in wrapped(found.text, width, f"{MARKS[found.severity]} ")]
    return "\n".join([section.title, *lines])


def _prose(section: Prose, width: int) -> str:
    lines = [] if not section.listed else [section.title]
    for said in section.sentences:
        lines += wrapped(said, width, "• " if section.listed else "")
    return "\n".join(lines)


def _summary(section: Summary, width: int) -> str:
    """Measures down, models across: intervals stay readable however many measures there are."""
    rows: list[list[str]] = []
    for block in section.blocks:
        if rows:
            rows.append([])
        rows += [["Threshold", *section.thresholds]] if section.has_thresholds(block) else []
        rows += [[capital(row.title), *map(cell_text, row.estimates)] for row in block.rows]
    sides: list[Side] = ["left"] * (len(section.models) + 1)
    header = ["", *(visible(name) for name in section.models)]
    table = grid(header, rows, sides, headers=1, width=width)
    return "\n".join([table, *_remarks(section.remarks, width)])


def table_text(section: Table | Heat, width: int) -> str:
    """Table under its title, with what must be known."""
    header, rows, right = cells_of(section)
    sides: list[Side] = ["right" if each else "left" for each in right]
    heads = section.headers if isinstance(section, Table) else 1
    table = grid([visible(title) for title in header], rows, sides, headers=heads, width=width)
    lead = wrapped(section.lead, width) if section.lead else []
    return "\n".join([section.title, *lead, table, *_remarks(getattr(section, "remarks", ()), width)])


def cells_of(section: Summary | Table | Heat) -> tuple[Sequence[str], list[list[str]], list[bool]]:
    """Header, rows as text, and which columns are numbers, aligned to the right."""
    if isinstance(section, Summary):
        lines: list[list[str]] = []
        for block in section.blocks:
            lines += [["Threshold", *section.thresholds]] if section.has_thresholds(block) else []
            lines += [[capital(row.title), *map(cell_text, row.estimates)] for row in block.rows]
        return ["Measure", *section.models], lines, [False] * (1 + len(section.models))
    if isinstance(section, Heat):
        body = [["" if value is None else number(value, 3) for value in row] for row in section.values]
        lines = [[visible(name), *row] for name, row in zip(section.names, body, strict=True)]
        return [section.corner, *section.names], lines, [False] + [True] * len(section.names)
    return section.columns, [list(map(cell_text, row)) for row in section.rows], section.is_right


def _decisions(section: Decisions, width: int) -> str:
    parts = ["\n".join([section.title, *wrapped(section.lead, width)])]
    for decision in section.decisions:
        matrix = decision.part.matrix
        shown = wrapped(sentence(decision.part.threshold_reason), width)
        body = "\n".join(shown) if matrix is None else matrix_text(matrix)
        parts.append(f"{visible(decision_head(decision))}\n{body}")
    return "\n\n".join(parts)


SHOWN: dict[type, Callable[[Any, int], str]] = {
    Heat: table_text,
    Prose: _prose,
    Summary: _summary,
    Table: table_text,
    Decisions: _decisions,
    Verdict: _verdict,
}
"""Renderer of each kind of section; charts have none in plain text."""


def decision_head(decision: Decision) -> str:
    """Name of a model with what decided its matrix."""
    part = decision.part
    return f"{part.name} at threshold {cut(part.shown_threshold)}" if part.decided == "threshold" else part.name


def cell_text(cell: Cell) -> str:
    """Cell of any kind as text."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return visible(cell)
    if isinstance(cell, Figures):
        return cell.text
    if isinstance(cell, Share):
        return percent(cell.value)
    if isinstance(cell, Estimate | Forest):
        return estimated(cell.estimate if isinstance(cell, Forest) else cell)
    return count(cell) if isinstance(cell, int) else number(cell)


def _remarks(remarks: Sequence[str], width: int) -> list[str]:
    return [line for remark in remarks for line in wrapped(remark, width)]


def card_text(card: DecisionCard, *, width: int | None = None) -> str:
    """Card as plain text."""
    columns = columns_of(width)
    parts = [
        visible(card.heading),
        "\n".join(wrapped(card.rule, columns)),
        "\n".join([*([card.of] if card.of else []), matrix_text(card.matrix)]),
        grid(["", *card.header[1:]], card.cells, ["left", "right", "left"], headers=1, width=columns),
        "\n".join(line for said in card.sentences for line in wrapped(said, columns, "• ")),
    ]
    return "\n\n".join(part for part in parts if part)
