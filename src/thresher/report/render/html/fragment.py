"""Fragment for notebooks: summary and confusion matrices, without a script, its style reaching nothing but itself."""

from __future__ import annotations

from thresher.report.document import Document
from thresher.report.render.html.cards import matrix_table
from thresher.report.render.html.markup import Markup, breakable, signed, tag
from thresher.report.render.html.sections import ACROSS, estimated
from thresher.report.render.html.tables import heads, table
from thresher.report.render.text import decision_head
from thresher.report.sections import facts
from thresher.report.sections.baselines import warnings
from thresher.report.sections.kinds import Decision, DecisionCard, Summary
from thresher.report.sections.summary import decisions, summary
from thresher.report.titles import capital

STYLE = """
.thresher-report{font-size:13px;line-height:1.45;max-width:1000px}
.thresher-report table{border-collapse:collapse;margin:6px 0 10px;font-variant-numeric:tabular-nums}
.thresher-report th,.thresher-report td{text-align:left;vertical-align:top;padding:3px 14px 3px 0;border:0;
border-bottom:1px solid rgba(128,128,128,.25);background:none}
.thresher-report .matrix th+th,.thresher-report .matrix td{text-align:right}
.thresher-report .ci{display:block;opacity:.72;font-size:11px;white-space:nowrap}
.thresher-report .none{opacity:.72;font-style:italic}
.thresher-report .side{display:inline-block;margin-right:32px;vertical-align:top}
.thresher-report caption{text-align:left;opacity:.72;caption-side:top}
.thresher-report .vh{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
"""
MATRICES = 6
"""Confusion matrices shown; more are a report's matter."""


def document_fragment(document: Document) -> str:
    """Document as an HTML fragment."""
    notes = facts.notes(document)
    said = None if notes is None else tag("ul", *(tag("li", text) for text in notes.sentences))
    warned = warnings(document)
    cautions = None if warned is None else tag("ul", *(tag("li", text) for text in warned.sentences))
    found = decisions(document)
    shown = [] if found is None else [d for d in found.decisions if d.part.matrix is not None][:MATRICES]
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", document.title), " · ", facts.lead(document)),
        _summary(summary(document)),
        cautions,
        said,
        *(_matrix(decision) for decision in shown),
        class_="thresher-report",
    )


def _summary(shown: Summary) -> Markup:
    """Measures across, models down; many measures stand down instead, as on the page."""
    if sum(len(block.rows) for block in shown.blocks) > ACROSS:
        return _summary_down(shown)
    columns: list[tuple[str, list[str]]] = []
    for block in shown.blocks:
        if block.title == "Decisions" and shown.thresholds:
            columns.append(("Threshold", [signed(threshold) for threshold in shown.thresholds]))
        columns += [(capital(row.title), [estimated(estimate) for estimate in row.estimates]) for row in block.rows]
    rows = [
        tag("tr", tag("th", breakable(model), scope="row"), *(tag("td", cells[i]) for _, cells in columns))
        for i, model in enumerate(shown.models)
    ]
    return table(heads(["Model", *(title for title, _ in columns)]), rows)


def _summary_down(shown: Summary) -> Markup:
    """Measures down, models across."""
    rows = [
        tag("tr", tag("th", capital(row.title), scope="row"), *(tag("td", estimated(e)) for e in row.estimates))
        for block in shown.blocks
        for row in block.rows
    ]
    return table(heads(["Measure", *map(breakable, shown.models)]), rows)


def _matrix(decision: Decision) -> Markup | None:
    matrix = decision.part.matrix
    if matrix is None:
        return None
    return tag("div", tag("b", decision_head(decision)), matrix_table(matrix), class_="side")


def card_html(card: DecisionCard) -> str:
    """Card for a notebook."""
    rows = (
        tag("tr", tag("th", title, scope="row"), *(tag("td", signed(cell)) for cell in rest))
        for title, *rest in card.cells
    )
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", card.owner), ": ", signed(card.criterion), ". ", signed(card.rule)),
        tag("div", tag("p", f"{card.of}:") if card.of else None, matrix_table(card.matrix), class_="side"),
        tag("div", table(heads(card.header), rows), class_="side"),
        tag("ul", *(tag("li", signed(said)) for said in card.sentences)),
        class_="thresher-report",
    )
