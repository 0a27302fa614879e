"""Chosen thresholds and reject options as Markdown and for notebooks."""

from __future__ import annotations

from thresher.report.cells import bullets, escaped, pipe_table
from thresher.report.decision_card import DecisionCard
from thresher.report.html.cards import matrix_table as html_matrix
from thresher.report.html.fragment import STYLE
from thresher.report.html.markup import Markup, signed, tag
from thresher.report.markdown import matrix_table


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


def card_html(card: DecisionCard) -> str:
    """Card for a notebook."""
    rows = (
        tag("tr", tag("th", title, scope="row"), *(tag("td", signed(cell)) for cell in rest))
        for title, *rest in card.cells
    )
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") for title in card.header)))
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", card.owner), ": ", signed(card.criterion), ". ", signed(card.rule)),
        tag("div", tag("p", f"{card.of}:") if card.of else None, html_matrix(card.matrix), class_="side"),
        tag("div", tag("table", head, tag("tbody", *rows)), class_="side"),
        tag("ul", *(tag("li", signed(said)) for said in card.sentences)),
        class_="thresher-report",
    )
