"""Sections as HTML: one function per kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from thresher.report.blocks import Block, Cell, Figures, Forest, Matrices, Plots, Prose, Share, Table, Verdict
from thresher.report.numbers import UNDEFINED, count, limits, number, percent
from thresher.report.render.html import svg
from thresher.report.render.html.cards import cards, operating_table
from thresher.report.render.html.explorer import Explorer, beside, calls, controls, drawn, picker, views
from thresher.report.render.html.markup import (
    Markup,
    breakable,
    bullets,
    joined,
    lone,
    scrolling,
    signed,
    table,
    tag,
    titled,
)
from thresher.report.render.html.plots import curves_of, figure, plots
from thresher.results import Estimate

LINKED = {
    "verdict",
    "notes",
    "summary",
    "estimates",
    "baselines",
    "confused",
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
LONG = 12
"""Rows of a table that are read; a longer one is looked up, and so folded."""
OPEN = ("means",)
"""Keys of tables that are what a page is about, however long."""


def section(shown: Block | Explorer, place: int) -> Markup:
    """Block under its heading."""
    return SHOWN[type(shown)](shown, name_of(shown.key, place))


def name_of(key: str, place: int = 0) -> str:
    """Name of a section's heading, which links lead to."""
    return f"about-{key}" if key in LINKED else f"section-{place}"


def _verdict(shown: Verdict, name: str) -> Markup:
    links = (tag("a", "Show", href=f"#{name_of(each.evidence)}") for each in shown.findings)
    said = zip(shown.findings, links, strict=True)
    items = (tag("li", signed(each.text), " ", link, class_=each.severity) for each, link in said)
    return titled(shown, name, tag("ul", *items), class_="verdict")


def _text(shown: Prose, name: str) -> Markup:
    return titled(shown, name, tag("ul", *(tag("li", sentence) for sentence in shown.sentences)), class_="notes")


def estimated(estimate: Estimate) -> Markup:
    """Value with its interval below; an undefined one with its reason."""
    if not estimate.is_defined:
        return tag("span", UNDEFINED, class_="none", title=estimate.reason)
    interval = limits(estimate)
    below = None if interval is None else tag("span", signed(interval), class_="ci")
    return joined(signed(number(estimate.value)), below)


def _table(shown: Table, name: str) -> Markup:
    shown = _grouped(shown)
    kinds = ["num" if right else _text_class(title) for right, title in zip(shown.is_right, shown.columns, strict=True)]
    titles = (_title(title, kind) for title, kind in zip(shown.columns, kinds, strict=True))
    rows = (tag("tr", *_cells(shown, i, kinds), class_=_place(shown, i)) for i in range(len(shown.rows)))
    is_long = len(shown.rows) > LONG
    look = "matrix heat" if shown.shade else "data sorts" if is_long and not shown.groups else "data"
    found = table(tag("tr", *titles), rows, caption=shown.title, class_=look, data_pairs=shown.model)
    body = scrolling(found, shown.title, is_tall=is_long and not shown.shade)
    if is_long and not shown.detail:
        heading = tag("h3", f"Table of {len(shown.rows)} rows")
        body = tag("details", tag("summary", heading), body, open=shown.key in OPEN, class_="rows")
    remarks = bullets(shown.remarks, class_="remarks")
    return titled(shown, name, _picture(shown, name), body, remarks)


def _title(text: str, kind: str | None) -> Markup:
    return tag("th", text, scope="col", class_=kind) if text else tag("td", "")


def _grouped(shown: Table) -> Table:
    """Groups of rows as a first column of heads."""
    if not shown.groups:
        return shown
    heads = [title for title, size in shown.groups for _ in range(size)]
    rows = tuple((head, *row) for head, row in zip(heads, shown.rows, strict=True))
    return replace(shown, columns=("", *shown.columns), rows=rows, headers=shown.headers + 1)


def _picture(shown: Table, name: str) -> Markup | None:
    if shown.picture is None:
        return None
    from thresher.report.render.html.pictures import picture_of

    return picture_of(shown.picture, name)


def _cells(shown: Table, i: int, kinds: Sequence[str | None]) -> list[Markup]:
    """Cells of a row; a first head that the rows below share is written once, over all of them."""
    row = shown.rows[i]
    heads = [tag("th", _head_text(cell), scope="row") for cell in row[: shown.headers]]
    if shown.headers > 1:
        same = sum(1 for _ in takewhile(lambda other: other[0] == row[0], shown.rows[i:]))
        heads[0] = tag("th", _head_text(row[0]), scope="rowgroup", rowspan=same)
        heads = heads if _place(shown, i) == "begins" else heads[1:]
    cells = zip(row[shown.headers :], kinds[shown.headers :], strict=True)
    return heads + [_cell(cell, _shade(cell, shown.shade) if shown.shade else kind) for cell, kind in cells]


def _shade(cell: Cell, ends: tuple[float, float]) -> str:
    """Classes of a cell that is shaded by how far its number lies from the low to the high end."""
    if not isinstance(cell, float):
        return "total"
    share = (cell - ends[0]) / (ends[1] - ends[0])
    return f"cell {'right' if share >= 0 else 'wrong'} h{max(0, min(SHADES - 1, math.floor(share * SHADES)))}"


def _head_text(cell: Cell) -> str:
    return breakable(cell) if isinstance(cell, str) else plain(cell)


def _place(shown: Table, i: int) -> str | None:
    """Class of a row that begins a new first head, or goes on under it."""
    if shown.headers == 1:
        return None
    return "begins" if i == 0 or shown.rows[i - 1][0] != shown.rows[i][0] else "goes-on"


def _text_class(title: str) -> str | None:
    return {"Formula": "formula", "Meaning": "long"}.get(title)


def _cell(cell: Cell, kind: str | None) -> Markup:
    bar = svg.forest(cell) if isinstance(cell, Forest) else None
    return tag("td", plain(cell), bar, class_=kind)


def plain(cell: Cell) -> str:
    """Cell of any kind as markup; a value has its interval below."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, Estimate | Forest):
        return estimated(cell.estimate if isinstance(cell, Forest) else cell)
    if isinstance(cell, Figures):
        return signed(cell.text)
    if isinstance(cell, Share):
        return percent(cell.value)
    if isinstance(cell, float) and math.isnan(cell):
        return tag("span", UNDEFINED, class_="none")
    return count(cell) if isinstance(cell, int) else signed(number(float(cell)))


def _legend(shown: Plots) -> Markup:
    """Boxes that show and hide models everywhere."""
    models = {each.model: each.name for plot in shown.plots for each in curves_of(plot)}
    boxes = [
        tag("label", lone("input", type="checkbox", checked=True, hidden=True, data_toggle=model),
            svg.swatch(model or 0), name)
        for model, name in models.items()
    ]  # fmt: skip
    return tag("fieldset", tag("legend", "Models shown", class_="vh"), *boxes, class_="legend")


def _plots(shown: Plots, name: str) -> Markup:
    """Plots side by side; those of curves that points move along have the legend that shows and hides models."""
    if shown.is_small or all(each.measures is None for each in shown.plots):
        return plots(shown, name)
    return titled(shown, name, _legend(shown), tag("div", *map(figure, shown.plots), class_="charts"))


def _matrices(shown: Matrices, name: str) -> Markup:
    return titled(shown, name, operating_table(shown), cards(shown), bullets(shown.remarks, class_="remarks"))


def _explorer(shown: Explorer, name: str) -> Markup:
    """Pictures beside what moves in them, for one model at a time; without the script all of them stand there."""
    drawn_by_python = [*shown.curves.plots, *([] if shown.costs is None else shown.costs.plots)]
    pictures = [*(figure(each, each.key) for each in drawn_by_python), drawn()]
    keys = {"scores", "gain", "lift", *(each.key for each in drawn_by_python)}
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
    Prose: _text, Table: _table, Plots: _plots, Matrices: _matrices, Verdict: _verdict, Explorer: _explorer,
}  # fmt: skip
"""Renderer of each kind of block, and of the explorer into which a page joins some."""
