"""Summary of an evaluation on one screen: the verdict and a few numbers of every model."""

from __future__ import annotations

from thresher._util.safe_text import escape_controls, escape_lines
from thresher.finding import in_short, lesser
from thresher.report.blocks import Table
from thresher.report.document import Document
from thresher.report.render.grid import Side, grid, matrix_text, shown_width, wrapped
from thresher.report.render.text import MARKS, cells_of, columns_of, matrix_head
from thresher.report.sections import facts
from thresher.report.sections.summary import decisions, glance
from thresher.report.sections.verdict import findings_of

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
    matrix = _matrix(document)
    is_shown = len(said) + len(matrix) <= room and max(map(shown_width, matrix), default=0) <= columns
    return escape_lines("\n".join([*head, *said, *table, *(matrix if is_shown else ()), *foot])) + "\n"


def _matrix(document: Document) -> list[str]:
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
