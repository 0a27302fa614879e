"""Sections as HTML: one function per kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from thresher.finding import QUESTIONS, Finding
from thresher.report.blocks import Block, Cell, Forest, Matrices, Plots, Prose, Table, Verdict
from thresher.report.numbers import UNDEFINED, limits, value_text
from thresher.report.render.html import svg
from thresher.report.render.html.cards import cards
from thresher.report.render.html.explorer import Explorer, explorer, legend
from thresher.report.render.html.markup import (
    Markup,
    breakable,
    bullets,
    folded,
    joined,
    part,
    scrolling,
    signed,
    table,
    tag,
)
from thresher.report.render.html.plots import figure, names, picture_of, plot
from thresher.report.render.text import cell_text
from thresher.results import DECIMALS, Estimate

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
"""Sections that findings link to; each key occurs once on a page."""

SHADES = 5
LONG = 12
"""Most rows of an open table; a longer one is folded."""
STACKED = ("glance", "differences", "means", "comparisons", "judge", "bounds")
"""Keys of tables with stacked columns when narrow."""
OPEN = ("means", "differences")
"""Keys of the main tables of a page, always open."""


def section(shown: Block | Explorer, name: str, *, is_inner: bool = False) -> Markup:
    """Block under its heading; folded when it is looked up rather than read; inside a chapter one level lower."""
    if getattr(shown, "detail", False):
        return folded(shown.title, name, content(shown, name), is_inner=is_inner)
    heading = None if isinstance(shown, Explorer) else tag("h2", shown.title, id=name, class_=HIDDEN.get(type(shown)))
    return part(name, heading, content(shown, name), class_=LOOKS.get(type(shown)), is_inner=is_inner)


def content(shown: Block | Explorer, name: str) -> Markup:
    """Lead and content of a block, without its heading."""
    text = "" if isinstance(shown, Explorer) else getattr(shown, "lead", "")
    return joined(tag("p", text, class_="lead") if text else None, SHOWN[type(shown)](shown, name))


def name_of(key: str, place: str = "0") -> str:
    """Name of a section's heading, which links lead to."""
    return f"about-{key}" if key in LINKED else f"section-{place}"


def _verdict(shown: Verdict, _: str) -> Markup:
    """Answers as cards, one per question, with links to the evidence."""
    by_question = ((title, [f for f in shown.findings if f.question == key]) for key, title in QUESTIONS.items())
    answers = (_answer(title, found) for title, found in by_question if found)
    return tag("div", *answers, class_="answers")


SENTENCES = 1
"""Sentences of a card; more are one click away."""


def _answer(title: str, found: Sequence[Finding]) -> Markup:
    """Card of one question."""
    items = [
        tag("li", signed(each.text), " ", tag("a", "Show", href=f"#{name_of(each.evidence)}"), class_=each.severity)
        for each in found
    ]
    rest = items[SENTENCES:]
    more = tag("details", tag("summary", tag("h4", f"{len(rest)} more")), tag("ul", *rest)) if rest else None
    is_warning = any(each.severity == "warning" for each in found)
    headline = tag("p", signed(found[0].headline), class_="headline")
    content = tag("h3", title), headline, tag("ul", *items[:SENTENCES]), more
    return tag("div", *content, class_="answer warning" if is_warning else "answer")


def _text(shown: Prose, _: str) -> Markup:
    return bullets(shown.sentences, class_=None if shown.key == "conclusions" else "notes") or Markup()


def estimated(estimate: Estimate, digits: int) -> Markup:
    """Value with its interval below; an undefined one with its reason."""
    if not estimate.is_defined:
        return tag("span", UNDEFINED, class_="none", title=estimate.reason)
    interval = limits(estimate, digits)
    below = None if interval is None else tag("span", signed(interval), class_="ci")
    return joined(signed(value_text(estimate, digits)), below)


def _table(shown: Table, name: str) -> Markup:
    shown = _grouped(shown)
    kinds = ["num" if right else TEXTS.get(title) for right, title in zip(shown.is_right, shown.columns, strict=True)]
    titles = (
        tag("th", title, scope="col", class_=kind) if title else tag("td", "")
        for title, kind in zip(shown.columns, kinds, strict=True)
    )
    digits = shown.decimals
    rows = (tag("tr", *_cells(shown, i, kinds, digits), class_=_place(shown, i)) for i in range(len(shown.rows)))
    is_long = len(shown.rows) > LONG
    look = "matrix heat" if shown.shade else "data sorts" if is_long and not shown.groups else "data"
    look += " stacked" * (shown.key in STACKED)
    found = table(tag("tr", *titles), rows, caption=shown.title, class_=look, data_pairs=shown.model)
    body = scrolling(found, shown.title, is_tall=is_long and not shown.shade)
    if is_long and not shown.detail:
        heading = tag("h3", f"Table of {len(shown.rows)} rows")
        body = tag("details", tag("summary", heading), body, open=shown.key in OPEN, class_="rows")
    remarks = bullets(shown.remarks, class_="remarks")
    return joined(None if shown.picture is None else picture_of(shown.picture, name), body, remarks)


def _grouped(shown: Table) -> Table:
    """Groups of rows as a first column of heads."""
    if not shown.groups:
        return shown
    heads = [title for title, size in shown.groups for _ in range(size)]
    rows = tuple((head, *row) for head, row in zip(heads, shown.rows, strict=True))
    return replace(shown, columns=("", *shown.columns), rows=rows, headers=shown.headers + 1)


def _cells(shown: Table, i: int, kinds: Sequence[str | None], digits: int) -> list[Markup]:
    """Cells of a row; a first head that the rows below share is written once, over all of them."""
    row = shown.rows[i]
    heads = [tag("th", _head_text(cell), scope="row") for cell in row[: shown.headers]]
    if shown.headers > 1:
        same = sum(1 for _ in takewhile(lambda other: other[0] == row[0], shown.rows[i:]))
        heads[0] = tag("th", _head_text(row[0]), scope="rowgroup", rowspan=same)
        heads = heads if _place(shown, i) == "begins" else heads[1:]
    cells = zip(row[shown.headers :], kinds[shown.headers :], shown.columns[shown.headers :], strict=True)
    return heads + [
        _cell(cell, digits, _shade(cell, shown.shade) if shown.shade else kind, title if shown.key in STACKED else None)
        for cell, kind, title in cells
    ]


def _shade(cell: Cell, ends: tuple[float, float]) -> str:
    """Return the classes of a cell, shaded by its number between the low and the high end."""
    if not isinstance(cell, float):
        return "total"
    share = (cell - ends[0]) / (ends[1] - ends[0])
    return f"cell {'right' if share >= 0 else 'wrong'} h{max(0, min(SHADES - 1, math.floor(share * SHADES)))}"


def _head_text(cell: Cell) -> str:
    return breakable(cell) if isinstance(cell, str) else cell_markup(cell, DECIMALS)


def _place(shown: Table, i: int) -> str | None:
    """Class of a row that begins a new first head, or goes on under it."""
    if shown.headers == 1:
        return None
    return "begins" if i == 0 or shown.rows[i - 1][0] != shown.rows[i][0] else "goes-on"


TEXTS = {"Formula": "formula", "Meaning": "long"}
"""Classes of columns of text by their titles."""


def _cell(cell: Cell, digits: int, kind: str | None, title: str | None) -> Markup:
    """Cell, with the title of its column where a narrow screen stacks the columns."""
    bar = svg.forest(cell) if isinstance(cell, Forest) else None
    shown = breakable(cell) if title and isinstance(cell, str) else cell_markup(cell, digits)
    return tag("td", shown, bar, class_=kind, data_of=title)


def cell_markup(cell: Cell, digits: int) -> str:
    """Cell of any kind as markup, measures with so many decimals; a value has its interval below."""
    if isinstance(cell, Estimate | Forest):
        return estimated(cell.estimate if isinstance(cell, Forest) else cell, digits)
    if isinstance(cell, float) and math.isnan(cell):
        return tag("span", UNDEFINED, class_="none")
    return cell or "" if cell is None or isinstance(cell, str) else signed(cell_text(cell, digits))


def _plots(shown: Plots, _: str) -> Markup:
    """Plots side by side; curves with moving points get the legend that shows and hides models."""
    if shown.is_small:
        drawn = (tag("figure", tag("h3", each.title), plot(each)) for each in shown.plots)
        return joined(tag("div", names(shown.plots[0]), class_="legend"), tag("div", *drawn, class_="charts small"))
    is_live = any(each.measures is not None for each in shown.plots)
    return joined(legend(shown) if is_live else None, tag("div", *map(figure, shown.plots), class_="charts"))


def _matrices(shown: Matrices, _: str) -> Markup:
    return joined(cards(shown), bullets(shown.remarks, class_="remarks"))


SHOWN: dict[type, Callable[[Any, str], Markup]] = {
    Prose: _text, Table: _table, Plots: _plots, Matrices: _matrices, Verdict: _verdict, Explorer: explorer,
}  # fmt: skip
"""Renderer of each kind of block, and of the explorer into which a page joins some."""
LOOKS: dict[type, str] = {Verdict: "verdict", Explorer: "explorer"}
"""Class of the section of a kind."""
HIDDEN: dict[type, str] = {Verdict: "vh"}
"""Class of the heading of a kind, which only a screen reader reads."""
