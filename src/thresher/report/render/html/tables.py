"""The one place where a table of HTML is put together: its caption, its heads, and what lets it scroll."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thresher.report.render.html.markup import Markup, signed, tag

LEFT = "text-align:left"
"""Style of row heads that are sentences rather than names of classes."""


def table(
    head: Markup | Sequence[Markup],
    rows: Iterable[Markup],
    *,
    caption: str | None = None,
    is_captioned: bool = False,
    class_: str | None = None,
) -> Markup:
    """Table of heads and rows; the caption is for who cannot see the table, unless `is_captioned`."""
    said = None if caption is None else tag("caption", caption, class_=None if is_captioned else "vh")
    heads = [head] if isinstance(head, Markup) else head
    return tag("table", said, tag("thead", *heads), tag("tbody", *rows), class_=class_)


def scrolling(shown: Markup, label: str) -> Markup:
    """Table that scrolls sideways on a narrow screen, by keyboard too."""
    return tag("div", shown, class_="scroll", tabindex=0, role="group", aria_label=label)


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
