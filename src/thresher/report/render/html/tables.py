"""The one place where tables of HTML are put together, and the sections that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from thresher.counts import ConfusionMatrix
from thresher.report.render.html.markup import Markup, signed, tag
from thresher.report.sections.matrix import batch_text, matrix_cells, remarks

LEFT = "text-align:left"
"""Style of row heads that are sentences rather than names of classes."""


def table(
    head: Markup | Sequence[Markup],
    rows: Iterable[Markup],
    *,
    caption: str | None = None,
    is_captioned: bool = False,
    class_: str | None = None,
    data_pairs: int | None = None,
) -> Markup:
    """Table of heads and rows; the caption is for who cannot see the table, unless `is_captioned`."""
    said = None if caption is None else tag("caption", caption, class_=None if is_captioned else "vh")
    heads = [head] if isinstance(head, Markup) else head
    return tag("table", said, tag("thead", *heads), tag("tbody", *rows), class_=class_, data_pairs=data_pairs)


def scrolling(shown: Markup, label: str, *, is_tall: bool = False) -> Markup:
    """Table that scrolls sideways on a narrow screen, by keyboard too; a tall one also down, under its head."""
    return tag("div", shown, class_="scroll tall" if is_tall else "scroll", tabindex=0, role="group", aria_label=label)


def heads(titles: Iterable[str]) -> Markup:
    """Row of the heads of columns."""
    return tag("tr", *(tag("th", title, scope="col") for title in titles))


def text_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    class_: str | None = None,
    style: str | None = None,
) -> Markup:
    """Table of texts with row and column heads, as a notebook shows it; `style` is of the row heads."""
    body = (
        tag("tr", tag("th", first, scope="row", style=style), *(tag("td", signed(cell)) for cell in rest))
        for first, *rest in rows
    )
    return table(heads(header), body, caption=caption, is_captioned=True, class_=class_)


def matrix_html(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as an HTML table with a caption and row and column heads; colors are those of the page."""
    if matrix.counts.ndim > 2:
        return tag("p", batch_text(matrix))
    header, *rows = matrix_cells(matrix)
    caption = " ".join(["Confusion matrix: rows are the true class, columns the predicted one.", *remarks(matrix)])
    return text_table(header, rows, caption=caption, class_="thresher-matrix")


def titled(shown: Any, name: str, *content: Markup | None, **marks: str) -> Markup:
    """Section under its heading and its lead; folded when it is looked up rather than read."""
    heading, text = tag("h2", shown.title, id=name), getattr(shown, "lead", "")
    lead = tag("p", text, class_="lead") if text else None
    if not getattr(shown, "detail", False):
        return tag("section", heading, lead, *content, **marks, aria_labelledby=name)
    folded = tag("details", tag("summary", heading), lead, *content)
    return tag("section", folded, class_="folded", aria_labelledby=name)
