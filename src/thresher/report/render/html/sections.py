"""Sections as HTML: one function per kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from thresher.report.numbers import UNDEFINED, count, limits, number, percent
from thresher.report.render.html import svg
from thresher.report.render.html.cards import cards, operating_table
from thresher.report.render.html.explorer import beside, calls, controls, drawn, picker, views
from thresher.report.render.html.markup import Markup, breakable, bullets, joined, lone, signed, tag
from thresher.report.render.html.plots import diagrams, figure, plots
from thresher.report.render.html.tables import heads, scrolling, table, titled
from thresher.report.sections.kinds import (
    Block,
    Cell,
    Chart,
    Charts,
    Compared,
    Decisions,
    Diagrams,
    Explorer,
    Figures,
    Forest,
    Heat,
    Plots,
    Prose,
    Share,
    Summary,
    Table,
    Verdict,
)
from thresher.report.titles import capital
from thresher.results import Estimate

LINKED = {
    "verdict",
    "notes",
    "summary",
    "estimates",
    "warnings",
    "decisions",
    "chosen",
    "calibration",
    "dominance",
    "comparisons",
    "gaps",
    "means",
    "ranks",
}
"""Sections that findings lead to; a key of these stands once on a page."""

SHADES = 5
READ = 12
"""Rows of a table that are read; a longer one is looked up, and so folded."""
OPEN = ("means",)
"""Keys of tables that are what a page is about, however long."""
ACROSS = 10
"""Measures up to which a summary has them side by side."""


def section(shown: Any, place: int) -> Markup | None:
    """Section under its heading; None for a kind that a page does not show."""
    render = SHOWN.get(type(shown))
    return None if render is None else render(shown, name_of(shown.key, place))


def name_of(key: str, place: int = 0) -> str:
    """Name of a section's heading, which links lead to."""
    return f"about-{key}" if key in LINKED else f"section-{place}"


def _verdict(shown: Verdict, name: str) -> Markup:
    links = (tag("a", "Show", href=f"#{name_of(each.evidence)}") for each in shown.findings)
    said = zip(shown.findings, links, strict=True)
    items = (tag("li", signed(each.text), " ", link, class_=each.severity) for each, link in said)
    return titled(shown, name, tag("ul", *items), class_="verdict")


def _prose(shown: Prose, name: str) -> Markup:
    return titled(shown, name, tag("ul", *(tag("li", sentence) for sentence in shown.sentences)), class_="notes")


def _summary(shown: Summary, name: str) -> Markup:
    glanced = _glanced(shown)
    more = sum(len(block.rows) for block in shown.blocks) > sum(len(block.rows) for block in glanced.blocks)
    whole = tag("summary", tag("h3", "All main measures, and how their intervals were found"))
    few, remarks = _summary_table(glanced, "A few measures of every model"), bullets(shown.remarks, class_="remarks")
    folded = tag("details", whole, _summary_table(shown, "Main measures of every model"), remarks)
    return titled(shown, name, few, folded if more else remarks, id="summary")


def _glanced(shown: Summary) -> Summary:
    kept = (replace(b, rows=tuple(row for row in b.rows if row.name in shown.glanced)) for b in shown.blocks)
    return replace(shown, blocks=tuple(block for block in kept if block.rows))


def _summary_table(shown: Summary, caption: str) -> Markup:
    """Models down, measures across: the order in which models are compared; many measures stand down instead."""
    down = sum(len(block.rows) for block in shown.blocks) > ACROSS
    head, rows = _down(shown) if down else _across(shown)
    return scrolling(table(head, rows, caption=caption, class_="data down" if down else "data"), caption)


def _across(shown: Summary) -> tuple[Markup, list[Markup]]:
    width = [len(block.rows) + shown.has_thresholds(block) for block in shown.blocks]
    groups = [
        tag("th", block.title, class_="groups-head first", colspan=w, scope="colgroup")
        for block, w in zip(shown.blocks, width, strict=True)
    ]
    head = joined(
        tag("tr", tag("td", "", class_="groups-head empty"), *groups),
        tag("tr", tag("th", "Model", scope="col"), *(cell for block in shown.blocks for cell in _titles(shown, block))),
    )
    span = _span([row for block in shown.blocks for row in block.rows if row.name == "auc"])
    return head, [_summary_row(shown, i, model, span) for i, model in enumerate(shown.models)]


def _down(shown: Summary) -> tuple[Markup, list[Markup]]:
    models = (tag("th", svg.swatch(i), breakable(m), scope="col") for i, m in enumerate(shown.models))
    head = tag("tr", tag("td", ""), tag("th", "Measure", scope="col"), *models)
    rows = []
    for block in shown.blocks:
        for i, row in enumerate(block.rows):
            group = tag("th", block.title, scope="rowgroup", rowspan=len(block.rows)) if i == 0 else None
            cells = (tag("td", estimated(estimate)) for estimate in row.estimates)
            title = tag("th", capital(row.title), scope="row")
            rows.append(tag("tr", group, title, *cells, class_="begins" if i == 0 else "goes-on"))
    return head, rows


def _titles(shown: Summary, block: Block) -> list[Markup]:
    titles = [capital(row.title) for row in block.rows]
    titles = ["Threshold", *titles] if shown.has_thresholds(block) else titles
    return [tag("th", title, scope="col", class_="first" if i == 0 else None) for i, title in enumerate(titles)]


def _summary_row(shown: Summary, place: int, model: str, span: tuple[float, float] | None) -> Markup:
    cells: list[Markup] = []
    for block in shown.blocks:
        first = True
        if shown.has_thresholds(block):
            cells.append(tag("td", signed(shown.thresholds[place]), class_="first"))
            first = False
        for row in block.rows:
            estimate = row.estimates[place]
            bar = svg.interval(place, estimate, span) if row.name == "auc" else None
            cells.append(tag("td", estimated(estimate), bar, class_="first" if first else None))
            first = False
    return tag("tr", tag("th", svg.swatch(place), breakable(model), scope="row"), *cells)


def _span(rows: Sequence[Compared]) -> tuple[float, float] | None:
    """Range of all intervals, so that they are drawn on one scale."""
    found = [e for row in rows for e in row.estimates if e is not None]
    low = [e.low for e in found if e.low is not None]
    high = [e.high for e in found if e.high is not None]
    return (min(low), max(high)) if low and high and len(found) > 1 else None


def estimated(estimate: Estimate | None) -> Markup:
    """Value with its interval below; an undefined one with its reason."""
    if estimate is None:
        return Markup("")
    if not estimate.is_defined:
        return tag("span", UNDEFINED, class_="none", title=estimate.reason)
    interval = limits(estimate)
    below = None if interval is None else tag("span", signed(interval), class_="ci")
    return joined(signed(number(estimate.value)), below)


def _table(shown: Table, name: str) -> Markup:
    kinds = ["num" if right else _text_class(title) for right, title in zip(shown.is_right, shown.columns, strict=True)]
    titles = (tag("th", title, scope="col", class_=kind) for title, kind in zip(shown.columns, kinds, strict=True))
    rows = (tag("tr", *_cells(shown, i, kinds), class_=_place(shown, i)) for i in range(len(shown.rows)))
    is_long = len(shown.rows) > READ
    found = table(tag("tr", *titles), rows, caption=shown.title, class_="data sorts" if is_long else "data")
    body = scrolling(found, shown.title, is_tall=is_long)
    if is_long and not shown.detail:
        heading = tag("h3", f"Table of {len(shown.rows)} rows")
        body = tag("details", tag("summary", heading), body, open=shown.key in OPEN, class_="rows")
    return titled(shown, name, _picture(shown, name), body, bullets(shown.remarks, class_="remarks"))


def _picture(shown: Table, name: str) -> Markup | None:
    if shown.picture is None:
        return None
    from thresher.report.render.html.pictures import picture_of

    return picture_of(shown.picture, name)


def _heat(shown: Heat, name: str) -> Markup:
    """Table of numbers whose shade says how far each lies from the low to the high end; the numbers stand in it."""
    rows = (
        tag("tr", tag("th", breakable(name), scope="row"), *(_shaded(value, shown) for value in values))
        for name, values in zip(shown.names, shown.values, strict=True)
    )
    head = heads([shown.corner, *map(breakable, shown.names)])
    found = table(head, rows, caption=shown.title, class_="matrix heat", data_pairs=shown.model)
    return titled(shown, name, scrolling(found, shown.title))


def _shaded(value: float | None, shown: Heat) -> Markup:
    if value is None:
        return tag("td", "", class_="total")
    share = (value - shown.low) / (shown.high - shown.low)
    shade = max(0, min(SHADES - 1, math.floor(share * SHADES)))
    side = "right" if share >= 0 else "wrong"
    return tag("td", signed(number(value, 3)), class_=f"cell {side} h{shade}")


def _cells(shown: Table, i: int, kinds: Sequence[str | None]) -> list[Markup]:
    """Cells of a row; a first head that the rows below share is written once, over all of them."""
    row = shown.rows[i]
    heads = [tag("th", _head_text(cell), scope="row") for cell in row[: shown.headers]]
    if shown.headers > 1:
        same = sum(1 for _ in takewhile(lambda other: other[0] == row[0], shown.rows[i:]))
        heads[0] = tag("th", _head_text(row[0]), scope="rowgroup", rowspan=same)
        heads = heads if _place(shown, i) == "begins" else heads[1:]
    return heads + [_cell(cell, kind) for cell, kind in zip(row[shown.headers :], kinds[shown.headers :], strict=True)]


def _head_text(cell: Cell) -> str:
    return breakable(cell) if isinstance(cell, str) else _plain(cell)


def _place(shown: Table, i: int) -> str | None:
    """Class of a row that begins a new first head, or goes on under it."""
    if shown.headers == 1:
        return None
    return "begins" if i == 0 or shown.rows[i - 1][0] != shown.rows[i][0] else "goes-on"


def _text_class(title: str) -> str | None:
    return {"Formula": "formula", "Meaning": "long"}.get(title)


def _cell(cell: Cell, kind: str | None) -> Markup:
    if isinstance(cell, Estimate):
        return tag("td", estimated(cell), class_=kind)
    if isinstance(cell, Forest):
        return tag("td", estimated(cell.estimate), svg.forest(cell.estimate, cell.span), class_=kind)
    return tag("td", _plain(cell), class_=kind)


def _plain(cell: Cell) -> str:
    if isinstance(cell, float) and math.isnan(cell):
        return tag("span", UNDEFINED, class_="none")
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, Figures):
        return signed(cell.text)
    if isinstance(cell, Forest):
        return estimated(cell.estimate)
    if isinstance(cell, Share):
        return percent(cell.value)
    return count(cell) if isinstance(cell, int) else signed(number(float(cell)))


def _charts(shown: Charts, name: str) -> Markup:
    """Charts side by side under one legend, whose boxes show and hide models."""
    figures = (*map(_figure, shown.charts), *map(figure, shown.plots))
    return titled(shown, name, _legend(shown), tag("div", *figures, class_="charts"))


def _legend(shown: Charts) -> Markup:
    series = {s.model: s for chart in shown.charts for s in chart.series}.values()
    boxes = [
        tag("label", lone("input", type="checkbox", checked=True, hidden=True, data_toggle=s.model),
            svg.swatch(s.model), s.name)
        for s in series
    ]  # fmt: skip
    return tag("fieldset", tag("legend", shown.legend, class_="vh"), *boxes, class_="legend")


def _figure(chart: Chart, key: str | None = None) -> Markup:
    return tag("figure", tag("h3", chart.title), svg.chart(chart), tag("figcaption", chart.caption), data_shown=key)


def _decisions(shown: Decisions, name: str) -> Markup:
    return titled(shown, name, operating_table(shown), cards(shown), bullets(shown.remarks, class_="remarks"))


def _explorer(shown: Explorer, name: str) -> Markup:
    """Pictures beside what moves in them, for one model at a time; without the script all of them stand there."""
    costs = [*shown.curves.plots, *([] if shown.costs is None else shown.costs.plots)]
    pictures = [
        *(_figure(chart, chart.key) for chart in shown.curves.charts),
        *(figure(each, each.key) for each in costs),
        drawn(),
    ]
    keys = {"scores", "gain", "lift", *(c.key for c in shown.curves.charts), *(each.key for each in costs)}
    seen = tag("div", views(keys), tag("div", *pictures, class_="charts"), _legend(shown.curves), class_="views")
    desk = tag("div", cards(shown.decisions, explored=True), controls(shown.decisions), class_="desk")
    hint = tag("span", " Drag a dot, or point at a curve, to move a threshold.", hidden=True, data_live=True)
    lead = tag("p", shown.decisions.lead, hint, class_="lead")
    valid = tag("p", "", class_="valid", hidden=True, data_live=True, data_valid=True)
    said = [
        *([f"Costs and net benefit: {shown.costs.lead[0].lower()}{shown.costs.lead[1:]}"] if shown.costs else []),
        *shown.decisions.remarks,
    ]
    inside = (picker(shown.decisions), tag("div", seen, desk, class_="stage"), valid, calls(), beside(shown.decisions))
    return titled(shown, name, lead, *inside, bullets(said, class_="remarks"), class_="explorer")


SHOWN: dict[type, Callable[[Any, str], Markup]] = {
    Heat: _heat,
    Prose: _prose,
    Summary: _summary,
    Table: _table,
    Charts: _charts,
    Plots: plots,
    Diagrams: diagrams,
    Decisions: _decisions,
    Explorer: _explorer,
    Verdict: _verdict,
}
"""Renderer of each kind of section."""
