"""What an evaluation comes to, on one screen: the verdict and a few numbers of every model."""

from __future__ import annotations

from thresher._util.terminal_text import visible, visible_lines
from thresher.finding import in_short
from thresher.report.blocks import Table
from thresher.report.document import Document
from thresher.report.render.grid import Side, grid, wrapped
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import MARKS, cells_of, columns_of
from thresher.report.sections import facts
from thresher.report.sections.summary import glance
from thresher.report.sections.verdict import findings_of

LINES = 25
"""Lines at the most."""
MODELS = 8
"""Models that are shown."""
PULL = ("verdict", "summary", "decisions", "comparisons", "notes")
"""Keys of the sections that a pull request has."""


def summary_text(document: Document, *, width: int | None = None) -> str:
    """Verdict and a few numbers of every model, in no more than 25 lines.

    What is left out is said: findings and models that do not fit, notes, and where everything is.
    """
    columns = columns_of(width)
    head = [visible(document.title), *wrapped(facts.lead(document), columns), ""]
    table = ["", *_table(glance(document), columns).splitlines()]
    foot = wrapped(_more(document), columns)
    room = LINES - len(head) - len(table) - len(foot)
    return visible_lines("\n".join([*head, *_findings(document, columns, room), *table, *foot])) + "\n"


def summary_markdown(document: Document) -> str:
    """Verdict, main measures, matrices and comparisons as Markdown, short enough for a pull request."""
    return document_markdown(document, only=PULL)


def _findings(document: Document, width: int, room: int) -> list[str]:
    """Findings that fit, the first always; how many more there are is said."""
    said = [wrapped(each.text, width, f"{MARKS[each.severity]} ") for each in in_short(findings_of(document))]
    kept: list[str] = []
    for i, lines in enumerate(said):
        left = len(said) - i
        if i and len(kept) + len(lines) + (left > 1) > room:
            return [*kept, f"… and {left} more: .findings"]
        kept += lines
    return kept


def _table(shown: Table, width: int) -> str:
    """Models down, the few measures across, as many as fit the width."""
    header, rows, _ = cells_of(shown)
    header, body = ["", *map(visible, header[1:])], rows[:MODELS]
    sides: list[Side] = ["left"] * len(header)
    for columns in range(len(header), 1, -1):
        text = grid(header[:columns], [row[:columns] for row in body], sides[:columns], headers=1, width=width)
        if len(text.splitlines()) <= len(body) + 3:
            return text
    return text


def _more(document: Document) -> str:
    """What is not shown here, and where it is."""
    models = len(document.models) - MODELS
    parts = [
        *([f"{models} more models"] if models > 0 else []),
        *([f"{len(document.notes)} note{'s' * (len(document.notes) > 1)} (.notes)"] if document.notes else []),
        "every measure (.to_frame(), .report(path))",
    ]
    return f"Not shown: {', '.join(parts)}."
