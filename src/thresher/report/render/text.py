"""Plain text forms of an evaluation: in full, and on one screen; for `print`, and for terminals without color."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from thresher._util.safe_text import escape_controls, escape_lines
from thresher.finding import in_short, lesser
from thresher.report.blocks import Block, Cell, Figures, Forest, Matrices, Matrix, Prose, Share, Table, Verdict
from thresher.report.document import Document
from thresher.report.numbers import count, cut, estimated, number, percent, sentence
from thresher.report.render.grid import Side, grid, matrix_text, shown_width, wrapped
from thresher.report.sections import facts
from thresher.report.sections.chosen import DecisionCard
from thresher.report.sections.order import sections_of
from thresher.report.sections.summary import decisions, glance
from thresher.report.sections.verdict import findings_of
from thresher.results import Estimate

WIDTH = 100
"""Columns when there is no terminal to ask."""

NARROWEST = 40

MARKS = {"good": "+", "neutral": "•", "warning": "!"}
"""Signs before a finding, by how it is meant."""

MAIN = ("verdict", "summary", "decisions", "notes", "comparisons", "groups", "over-groups")
"""Keys of the main sections."""


def columns_of(width: int | None = None) -> int:
    """Return the width in columns: the given one, else the terminal's."""
    if not width:
        import shutil

        width = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(NARROWEST, width)


def document_text(document: Document, *, width: int | None = None, only: Collection[str] | None = None) -> str:
    """Document as plain text, no line longer than `width` unless the heads of a row and one cell are.

    `only` are keys of the sections to show, by default all.
    """
    columns = columns_of(width)
    head = [escape_controls(document.title), *wrapped(facts.lead(document), columns)]
    wanted = ("Weights", "Direction", "Source")
    head += [f"{name.lower()}: {escape_controls(value)}" for name, value in facts.facts(document) if name in wanted]
    return escape_lines("\n\n".join(["\n".join(head), *blocks_text(sections_of(document), columns, only)])) + "\n"


def blocks_text(blocks: Iterable[Block], width: int, only: Collection[str] | None = None) -> list[str]:
    """Blocks as plain text, those left out that are looked up rather than read."""
    shown = (each for each in blocks if type(each) in SHOWN and not getattr(each, "detail", False))
    return [SHOWN[type(each)](each, width) for each in shown if only is None or each.key in only]


def _verdict(section: Verdict, width: int) -> str:
    lines = [line for found in section.told for line in wrapped(found.text, width, f"{MARKS[found.severity]} ")]
    return "\n".join([escape_controls(section.title), *lines])


def _text(section: Prose, width: int) -> str:
    lines = [line for text in section.sentences for line in wrapped(text, width, "• ")]
    return "\n".join([escape_controls(section.title), *lines])


def table_text(section: Table, width: int) -> str:
    """Render a table with its title and caveats; groups of rows are set apart."""
    header, rows, right = cells_of(section)
    sides: list[Side] = ["right" if each else "left" for each in right]
    for end in np.cumsum([size for _, size in section.groups[:-1]])[::-1].tolist():
        rows.insert(end, [])
    table = grid([escape_controls(title) for title in header], rows, sides, headers=section.headers, width=width)
    head = [] if section.key in HEADLESS else [escape_controls(section.title)]
    lead = wrapped(section.lead, width) if section.lead else []
    return "\n".join([*head, *lead, table, *(line for remark in section.remarks for line in wrapped(remark, width))])


HEADLESS = ("summary",)
"""Keys of tables that follow the head of a report, without a title of their own."""


def cells_of(section: Table) -> tuple[Sequence[str], list[list[str]], list[bool]]:
    """Header, rows as text, and which columns are numbers, aligned to the right."""
    digits = section.decimals
    return section.columns, [[cell_text(cell, digits) for cell in row] for row in section.rows], section.is_right


def _matrices(section: Matrices, width: int) -> str:
    parts = ["\n".join([escape_controls(section.title), *wrapped(section.lead, width)])]
    for each in section.matrices:
        shown = wrapped(sentence(each.part.threshold_reason), width)
        body = "\n".join(shown) if each.part.matrix is None else matrix_text(each.part.matrix)
        parts.append(f"{escape_controls(matrix_head(each))}\n{body}")
    return "\n\n".join(parts)


SHOWN: dict[type, Callable[[Any, int], str]] = {
    Prose: _text, Table: table_text, Matrices: _matrices, Verdict: _verdict,
}  # fmt: skip
"""Renderer of each kind of block; plain text omits plots."""


def matrix_head(shown: Matrix) -> str:
    """Name a model and the source of its matrix."""
    part = shown.part
    return f"{part.name} at threshold {cut(part.shown_threshold)}" if part.decided == "threshold" else part.name


def cell_text(cell: Cell, digits: int) -> str:
    """Cell of any kind as text, measures with so many decimals."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escape_controls(cell)
    if isinstance(cell, Figures):
        return cell.text
    if isinstance(cell, Share):
        return percent(cell.value)
    if isinstance(cell, Estimate | Forest):
        return estimated(cell.estimate if isinstance(cell, Forest) else cell, digits)
    return count(cell) if isinstance(cell, int) else number(cell, digits)


def card_text(card: DecisionCard, *, width: int | None = None) -> str:
    """Card as plain text."""
    columns = columns_of(width)
    parts = [
        escape_controls(card.heading),
        "\n".join(wrapped(card.rule, columns)),
        "\n".join([*([card.of] if card.of else []), matrix_text(card.matrix)]),
        grid(["", *card.header[1:]], card.cells, ["left", "right", "left"], headers=1, width=columns),
        "\n".join(line for text in card.sentences for line in wrapped(text, columns, "• ")),
    ]
    return "\n\n".join(part for part in parts if part)


LINES = 24
"""Lines at the most, so that `print`, which adds an empty one, stays within 25."""
MODELS = 8
"""Models that are shown."""


def summary_text(document: Document, *, width: int | None = None) -> str:
    """Verdict, a few numbers of every model, and the matrix of the first, in no more lines than fit a screen.

    Omissions are named: findings, models, notes, and where to find everything.
    """
    columns = columns_of(width)
    head = [escape_controls(document.title), *wrapped(facts.lead(document), columns), ""]
    table = ["", *_table(glance(document), columns).splitlines()]
    foot = wrapped(_more(document), columns)
    room = LINES - len(head) - len(table) - len(foot)
    said = _findings(document, columns, room)
    matrix = _first_matrix(document)
    is_shown = len(said) + len(matrix) <= room and max(map(shown_width, matrix), default=0) <= columns
    return escape_lines("\n".join([*head, *said, *table, *(matrix if is_shown else ()), *foot])) + "\n"


def _first_matrix(document: Document) -> list[str]:
    """Render the confusion matrix of the first model shown; [] for many classes."""
    found = decisions(document)
    shown = None if found is None else next((each for each in found.matrices if each.model == found.first), None)
    if shown is None or shown.part.matrix is None:
        return []
    head = f"{matrix_head(shown)}{facts.gold_alone(document)}"
    return ["", escape_controls(head), *matrix_text(shown.part.matrix).splitlines()]


def _findings(document: Document, width: int, room: int) -> list[str]:
    """Return the findings that fit, at least one, and the number left out."""
    sentences = [wrapped(each.text, width, f"{MARKS[each.severity]} ") for each in in_short(findings_of(document))]
    kept: list[str] = []
    for i, lines in enumerate(sentences):
        left = len(sentences) - i
        if i and len(kept) + len(lines) + (left > 1) > room:
            return [*kept, f"… and {left} more: .findings"]
        kept += lines
    return kept


def _table(shown: Table, width: int) -> str:
    """Models down, the few measures across, as many as fit the width."""
    header, rows, _ = cells_of(shown)
    header, body = ["", *map(escape_controls, header[1:])], rows[:MODELS]
    sides: list[Side] = ["left"] * len(header)
    for columns in range(len(header), 1, -1):
        text = grid(header[:columns], [row[:columns] for row in body], sides[:columns], headers=1, width=width)
        if len(text.splitlines()) <= len(body) + 3:
            return text
    return text


def _more(document: Document) -> str:
    """Name the hidden parts and their place."""
    models = len(document.models) - MODELS
    findings = len(lesser(findings_of(document)))
    is_costless = document.is_binary and document.deciding.costs is None and any(m.decisions for m in document.models)
    parts = [
        *([f"{models} more models"] if models > 0 else []),
        *([f"{len(document.notes)} note{'s' * (len(document.notes) > 1)} (.notes)"] if document.notes else []),
        *([f"{findings} finding{'s' * (findings > 1)} (.findings)"] if findings else []),
        *(["the cheapest cut at your costs (.choose)"] if is_costless else []),
        "every measure (.to_frame(), .report(path))",
    ]
    return f"Not shown: {', '.join(parts)}."
