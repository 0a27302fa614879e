"""Fragment for notebooks: verdict, few numbers and curves, without a script, its style reaching nothing but itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.curves.listing import Listing, cell_text, ends_of_steps
from thresher.finding import in_short
from thresher.report.blocks import Block, Plot, PlotLine, Prose, Table, Verdict
from thresher.report.document import Document
from thresher.report.render.html import svg
from thresher.report.render.html.cards import matrix_table
from thresher.report.render.html.markup import (
    LEFT,
    Markup,
    breakable,
    bullets,
    folded,
    heads,
    joined,
    page_head,
    part,
    scrolling,
    signed,
    table,
    tag,
    text_table,
    whole_page,
)
from thresher.report.render.html.plots import curves_of, drawing, figure
from thresher.report.render.html.sections import cell_markup
from thresher.report.render.text import MARKS, cells_of, matrix_head
from thresher.report.sections import facts
from thresher.report.sections.chosen import DecisionCard
from thresher.report.sections.curves import curves
from thresher.report.sections.summary import decisions, glance
from thresher.report.sections.verdict import findings_of, notes

if TYPE_CHECKING:
    pass


STYLE = """
.thresher-report{font-size:13px;line-height:1.45;max-width:1000px;overflow-x:auto}
.thresher-report table{border-collapse:collapse;margin:6px 0 10px;font-variant-numeric:tabular-nums}
.thresher-report th,.thresher-report td{text-align:left;vertical-align:top;padding:3px 14px 3px 0;border:0;
border-bottom:1px solid rgba(128,128,128,.25);background:none}
.thresher-report .matrix th+th,.thresher-report .matrix td{text-align:right}
.thresher-report .ci{display:block;opacity:.72;font-size:11px;white-space:nowrap}
.thresher-report .none{opacity:.72;font-style:italic}
.thresher-report .side{display:inline-block;margin-right:32px;vertical-align:top;max-width:100%}
.thresher-report .said{list-style:none;padding-left:0}
.thresher-report .said li{padding-left:8px;border-left:3px solid #888;margin:3px 0}
.thresher-report .said .good{border-color:#2a7fd4}.thresher-report .said .warning{border-color:#d9a441}
.thresher-report svg{display:block;width:300px;max-width:100%;height:auto}
.thresher-report svg text{font-size:15px;fill:currentColor}
.thresher-report svg path,.thresher-report svg line,.thresher-report .frame{fill:none;stroke:#888}
.thresher-report .grid{opacity:.35}.thresher-report .reference{stroke-dasharray:3 4}
.thresher-report svg .curve{stroke:currentColor;stroke-width:2.5}
.thresher-report .op{fill:currentColor}.thresher-report .d1 path{stroke-dasharray:7 3}
.thresher-report .d2 path{stroke-dasharray:2 2.5}.thresher-report .d3 path{stroke-dasharray:9 3 2 3}
.thresher-report svg.swatch{display:inline-block;width:22px;height:10px;margin-right:5px}
.thresher-report .swatch path{stroke:currentColor;stroke-width:2.5}
.thresher-report caption{text-align:left;opacity:.72;caption-side:top}
.thresher-report .vh{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
"""
FINE = 2.0
"""Units of a drawing between two points of a small one."""
COLORS = ("#2a7fd4", "#d0691f", "#1d9a74", "#a45bbb", "#d03a63", "#8f8300", "#0a93ab", "#7a8290")
"""Colors of the lines: distinguishable on white and on black."""
STYLE += "".join(f".thresher-report .k{i}{{color:{color}}}\n" for i, color in enumerate(COLORS))
MATRICES = 6
"""Confusion matrices shown; more are a report's matter."""


def document_fragment(document: Document) -> str:
    """Document as an HTML fragment: the verdict, a few numbers of every model, and the curves."""
    noted, charts = notes(document), curves(document)
    said = None if noted is None else tag("ul", *(tag("li", text) for text in noted.sentences))
    found, glanced = in_short(findings_of(document)), glance(document)
    items = (tag("li", tag("b", f"{MARKS[each.severity]} "), signed(each.text), class_=each.severity) for each in found)
    digits = glanced.decimals
    rows = (
        tag("tr", tag("th", breakable(str(first)), scope="row"), *(tag("td", cell_markup(c, digits)) for c in cells))
        for first, *cells in glanced.rows
    )
    decided = decisions(document)
    shown = [] if decided is None else [(d, m) for d in decided.matrices if (m := d.part.matrix) is not None]
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", document.title), " · ", facts.lead(document)),
        tag("ul", *items, class_="said"),
        table(heads(glanced.columns), rows),
        *(tag("div", tag("b", matrix_head(d)), matrix_table(m), class_="side") for d, m in shown[:MATRICES]),
        None if charts is None else tag("div", *(_curves(each) for each in charts.plots if each.measures is not None)),
        said,
        class_="thresher-report",
    )


def _curves(shown: Plot) -> Markup:
    """Curve with its rule alone: a notebook has little room."""
    models = curves_of(shown)[: len(COLORS)]
    rules = [each for each in shown.lines if each.model is None and each.look == "curve"]
    names = (tag("span", svg.swatch(each.model or 0), each.name, " ") for each in models)
    drawn = drawing(replace(shown, lines=(*rules, *models), bands=()), near=FINE)
    return tag("div", tag("b", shown.title), drawn, *names, class_="side")


def blocks_fragment(blocks: Iterable[Block], only: Collection[str] | None = None) -> Markup:
    """Verdict, sentences and tables for a notebook."""
    shown = (each for each in blocks if type(each) in FRAGMENTS and (only is None or each.key in only))
    return tag("div", *(FRAGMENTS[type(each)](each) for each in shown), style="overflow-x:auto")


def _table(shown: Table) -> Markup:
    found = text_table(
        shown.columns, cells_of(shown)[1], caption=shown.title, class_=f"thresher-{shown.key}", style=LEFT
    )
    return joined(tag("p", shown.lead) if shown.lead else None, found, bullets(shown.remarks))


FRAGMENTS: dict[type, Callable[[Any], Markup | None]] = {
    Verdict: lambda shown: bullets([each.text for each in shown.told]),
    Prose: lambda shown: bullets(shown.sentences),
    Table: _table,
}


def styled(*content: Markup | None) -> Markup:
    """Something drawn, in the style of a fragment."""
    return tag("div", Markup(f"<style>{STYLE}</style>"), *content, class_="thresher-report")


def card_html(card: DecisionCard) -> str:
    """Card for a notebook."""
    return styled(tag("p", tag("b", card.owner), ": ", signed(card.criterion), ". ", signed(card.rule)), _sides(card))


def cards_page(cards: Sequence[DecisionCard], notes: Sequence[str]) -> str:
    """Cards as a page, the notes on all of them in a chapter."""
    shown = [
        part(f"choice-{i}", tag("h2", signed(card.heading), id=f"choice-{i}"),
             tag("p", signed(card.rule), class_="lead"), _sides(card))
        for i, card in enumerate(cards)
    ]  # fmt: skip
    said = folded("Notes", "about-notes", bullets(notes, class_="notes")) if notes else None
    return whole_page("Chosen thresholds", "", [*shown, *([said] if said else [])], None)


def _sides(card: DecisionCard) -> Markup:
    """Matrix beside the measures, and the sentences below."""
    matrix = tag("div", tag("p", f"{card.of}:") if card.of else None, matrix_table(card.matrix), class_="side")
    measures = tag("div", text_table(card.header, card.cells, class_="data"), class_="side")
    return joined(tag("div", matrix, measures, class_="sides"), bullets(card.sentences))


Part = tuple[str, Sequence[str], Iterable[Iterable[Sequence[str]]], Plot | None]
"""Name of a model, names of its columns, its rows of texts in pieces, and its path."""

MOST_DRAWN = 20_000
"""Rows of a listing with a drawn path: the columns of a longer one are never in memory together."""

TITLE = "By falling score"
HERE = "<!--rows-->"
"""Place of a table's rows, which are written one by one."""


def listing_page(parts: Iterable[Part], *, title: str = TITLE) -> Iterator[str]:
    """Page with one table for each model."""
    head = page_head(title)
    yield f'<!doctype html>\n<html lang="en">{head}<body><div class="page"><header>{tag("h1", title)}</header><main>'
    for place, (name, columns, pieces, path) in enumerate(parts):
        caption = f"{name}: one line for each step, the most positive score first."
        shown = scrolling(table(heads(columns), [Markup(HERE)], caption=caption), f"Table of {name}")
        heading, drawn = (
            tag("h2", name, id=f"model-{place}"),
            tag("div", figure(path), class_="charts") if path else None,
        )
        whole = tag("section", heading, drawn, shown, aria_labelledby=f"model-{place}")
        before, after = whole.split(HERE)
        yield before
        for rows in pieces:
            yield "".join(tag("tr", *(tag("td", signed(cell)) for cell in row)) + "\n" for row in rows)
        yield after
    yield "</main></div></body></html>\n"


def page_of(listing: Listing, *, title: str = TITLE, name: str = "score") -> str:
    """Listing as a page of its own."""
    columns = ([cell_text(value, key) for value in column] for key, column in listing.items())
    rows = [list(row) for row in zip(*columns, strict=True)]
    return "".join(listing_page([(name, list(listing), [rows], path_of(listing, name))], title=title))


def path_of(columns: Mapping[str, Any], name: str, key: str = "walk-0") -> Plot | None:
    """Return the path of a listing over counts, true above false positives; None for a long one or a single class."""
    found = {name.lower(): column for name, column in columns.items()}
    if not 0 < len(found["tp"]) <= MOST_DRAWN or not found["tp"][-1] or not found["fp"][-1]:
        return None
    fp, tp = (np.asarray(found[count], dtype=np.float64)[ends_of_steps(found)] for count in ("fp", "tp"))
    if fp[0] or tp[0]:  # a listing by threshold begins with nothing predicted positive
        fp, tp = np.append(0.0, fp), np.append(0.0, tp)
    chance = PlotLine(name="chance", x=np.linspace(0.0, fp[-1], 3), y=np.linspace(0.0, tp[-1], 3))
    return Plot(
        key=key, title="ROC in counts", x_title="False positives", y_title="True positives",
        lines=(chance, PlotLine(name=name, x=fp, y=tp, model=0)),
        description=f"The path of {name} in {len(tp) - 1:,} steps, from (0, 0) to ({fp[-1]:g}, {tp[-1]:g}).",
        x_ticks=_ticks(fp[-1]), y_ticks=_ticks(tp[-1]),
    )  # fmt: skip


def _ticks(end: float) -> tuple[float, ...]:
    """Return at most eleven numbers from 0 to the end, whole ones before it."""
    step = max(1.0, np.ceil(end / 10))
    return (*np.arange(0.0, end - step / 2, step).tolist(), end)
