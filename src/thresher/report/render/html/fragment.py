"""Fragment for notebooks: verdict, few numbers and curves, without a script, its style reaching nothing but itself."""

from __future__ import annotations

from thresher.report.document import Document
from thresher.report.render.html import svg
from thresher.report.render.html.cards import matrix_table
from thresher.report.render.html.markup import Markup, breakable, signed, tag
from thresher.report.render.html.sections import estimated
from thresher.report.render.html.tables import heads, table
from thresher.report.render.text import decision_head
from thresher.report.sections import facts
from thresher.report.sections.curves import curves
from thresher.report.sections.kinds import Chart, Decision, DecisionCard, Summary
from thresher.report.sections.summary import decisions, summary
from thresher.report.sections.verdict import findings_of
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
SIDE = 240
"""Pixels of a drawing."""
FINE = 3.0
"""Units of a drawing between two points of a small one."""
COLORS = ("#2a7fd4", "#d0691f", "#1d9a74", "#a45bbb", "#d03a63", "#8f8300", "#0a93ab", "#7a8290")
"""Colors of the lines: to be told apart on white and on black."""
STYLE += "".join(f".thresher-report .c{i}{{color:{color}}}\n" for i, color in enumerate(COLORS))
MATRICES = 6
"""Confusion matrices shown; more are a report's matter."""


def document_fragment(document: Document) -> str:
    """Document as an HTML fragment: the verdict, a few numbers of every model, and the curves."""
    notes, charts = facts.notes(document), curves(document)
    said = None if notes is None else tag("ul", *(tag("li", text) for text in notes.sentences))
    found = decisions(document)
    shown = [] if found is None else [d for d in found.decisions if d.part.matrix is not None][:MATRICES]
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", document.title), " · ", facts.lead(document)),
        tag("ul", *(tag("li", signed(each.text)) for each in findings_of(document))),
        _summary(summary(document)),
        None if charts is None else tag("div", *map(_curves, charts.charts)),
        *(_matrix(decision) for decision in shown),
        said,
        class_="thresher-report",
    )


def _summary(shown: Summary) -> Markup:
    """The few measures across, models down."""
    rows = {row.name: row for block in shown.blocks for row in block.rows}
    columns: list[tuple[str, list[str]]] = [
        (capital(rows[name].title), [estimated(e) for e in rows[name].estimates]) for name in shown.glanced
    ]
    if shown.thresholds:
        columns.insert(0, ("Threshold", [signed(threshold) for threshold in shown.thresholds]))
    body = [
        tag("tr", tag("th", breakable(model), scope="row"), *(tag("td", cells[i]) for _, cells in columns))
        for i, model in enumerate(shown.models)
    ]
    return table(heads(["Model", *(title for title, _ in columns)]), body)


def _curves(chart: Chart) -> Markup:
    """Curves of the first models, which their titles name."""
    size: dict[str, str | int] = {
        "viewBox": f"{svg.LEFT} {svg.TOP} {svg.SIDE} {svg.SIDE}",
        "width": SIDE,
        "height": SIDE,
        "role": "img",
    }
    frame = tag("rect", x=svg.LEFT, y=svg.TOP, width=svg.SIDE, height=svg.SIDE, fill="none", stroke="#888")
    lines = (
        tag("path", tag("title", each.name), d=svg.path(each.x, each.y, near=FINE), fill="none", stroke=color,
            stroke_width=3)
        for each, color in zip(chart.series, COLORS, strict=False)
    )  # fmt: skip
    key = (tag("span", "▬ ", tag("span", each.name), " ", class_=f"c{i}")
           for i, each in enumerate(chart.series[: len(COLORS)]))  # fmt: skip
    drawn = tag("svg", tag("title", chart.description), frame, *lines, **size)
    return tag("div", tag("b", chart.title), tag("div", drawn), *key, class_="side")


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
