"""Listings and walks as a page of tables, written piece by piece: it loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher.curves.listing import Listing, cell_text
from thresher.report.render.html.head import page_head
from thresher.report.render.html.markup import Markup, heads, scrolling, signed, table, tag

Part = tuple[str, Sequence[str], Iterable[Iterable[Sequence[str]]]]
"""Name of a model, names of its columns, and its rows of texts in pieces."""

TITLE = "By falling score"
HERE = "<!--rows-->"
"""Where a table's rows are written, so that they need not be held together."""


def listing_page(parts: Iterable[Part], *, title: str = TITLE) -> Iterator[str]:
    """Page with one table for each model."""
    head = page_head(title)
    yield f'<!doctype html>\n<html lang="en">{head}<body><div class="page"><header>{tag("h1", title)}</header><main>'
    for place, (name, columns, pieces) in enumerate(parts):
        caption = f"{name}: one line for each step, the most positive score first."
        shown = scrolling(table(heads(columns), [Markup(HERE)], caption=caption), f"Table of {name}")
        whole = tag("section", tag("h2", name, id=f"model-{place}"), shown, aria_labelledby=f"model-{place}")
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
    return "".join(listing_page([(name, list(listing), [rows])], title=title))
