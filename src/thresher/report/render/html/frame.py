"""The page in a notebook: a frame that runs the page's own script and can reach nothing else."""

from __future__ import annotations

import html

from thresher.dataclass import dataclass
from thresher.report.document import Document
from thresher.report.render.html.markup import tag
from thresher.report.render.html.page import document_page

HEIGHT = 860
"""Pixels of the frame: curve, controls and matrix at once."""


@dataclass(frozen=True, slots=True)
class Framed:
    """Page of a report that a notebook shows; as text it says what it is."""

    title: str
    page: str

    def _repr_html_(self) -> str:
        # A page's own line breaks are markup, which no text of a user's may have: `tag` would spell them out.
        inside = f' srcdoc="{html.escape(self.page)}"'
        around = tag(
            "iframe", sandbox="allow-scripts allow-downloads", width="100%", height=HEIGHT, title=self.title,
            style="border:0",
        )  # fmt: skip
        return around.replace("<iframe", f"<iframe{inside}", 1)

    def __repr__(self) -> str:
        return f"Framed({self.title!r}: {len(self.page):,} characters, shown by a notebook)"


def framed(document: Document) -> Framed:
    """Page of a document in a frame."""
    return Framed(title=document.title, page=document_page(document))
