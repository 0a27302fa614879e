"""Listings and walks as a page of tables, written piece by piece: it loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher.curves.listing import Listing, cell_text
from thresher.report.render.html.head import page_head
from thresher.report.render.html.markup import escape, signed, tag
from thresher.report.render.html.tables import heads

Part = tuple[str, Sequence[str], Iterable[Iterable[Sequence[str]]]]
"""Name of a model, names of its columns, and its rows of texts in pieces."""

TITLE = "By falling score"


def listing_page(parts: Iterable[Part], *, title: str = TITLE) -> Iterator[str]:
    """Page with one table for each model."""
    head = page_head(title)
    yield f'<!doctype html>\n<html lang="en">{head}<body><div class="page"><header>{tag("h1", title)}</header><main>'
    for place, (name, columns, pieces) in enumerate(parts):
        caption = tag("caption", f"{name}: one line for each step, the most positive score first.", class_="vh")
        yield f'<section aria-labelledby="model-{place}">{tag("h2", name, id=f"model-{place}")}'
        yield f'<div class="scroll" tabindex="0" role="group" aria-label="Table of {escape(name)}">'
        yield f"<table>{caption}<thead>{heads(columns)}</thead><tbody>"
        for rows in pieces:
            yield "".join(tag("tr", *(tag("td", signed(cell)) for cell in row)) + "\n" for row in rows)
        yield "</tbody></table></div></section>"
    yield "</main></div></body></html>\n"


def page_of(listing: Listing, *, title: str = TITLE, name: str = "score") -> str:
    """Listing as a page of its own."""
    rows = [[cell_text(value) for value in row] for row in zip(*listing.values(), strict=True)]
    return "".join(listing_page([(name, list(listing), [rows])], title=title))
