"""The report as one HTML file, which loads nothing and may run nothing but its own script; in a notebook, framed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher._util.fast_dataclass import dataclass
from thresher.report.blocks import Block, Matrices, Plots, Table
from thresher.report.document import Document
from thresher.report.render.html import svg
from thresher.report.render.html.explorer import Explorer, merged
from thresher.report.render.html.head import asset, page_head
from thresher.report.render.html.markup import Markup, lean, tag, unbroken
from thresher.report.render.html.page_data import page_data
from thresher.report.render.html.sections import name_of, section
from thresher.report.sections import facts
from thresher.report.sections.order import sections_of
from thresher.report.sections.summary import glance, thresholds

Shown = Block | Explorer

LATER = ("notes", "warnings")
"""Keys of the sections about how the numbers were made."""
LOOKED_UP = ("measures",)
"""Keys of folded sections that the contents name."""
FEWEST = 4
"""Sections from which on a page has contents."""


def document_page(document: Document, sections: Sequence[Block] | None = None) -> str:
    """Document as a self-contained HTML page; of the sections given, else of all that there are."""
    sections = (*sections_of(document), *thresholds(document)) if sections is None else sections
    drawn = {each.key: each for each in sections if isinstance(each, Plots)}
    decisions = next((each for each in sections if isinstance(each, Matrices)), None)
    shown = _read_first(merged([part for each in sections for part in _glanced(each, document)]))
    skip, place = _skip(shown)
    script = _script(shown)
    main = tag("main", *(section(each, place) for place, each in enumerate(shown)))
    read = _header(document), contents(shown), main, _footer(document)
    body = tag(
        "body",
        tag("a", skip, class_="skip", href=place),
        unbroken(lean(tag("div", *read, class_="page listed"))),
        page_data(document, decisions, drawn.get("curves"), drawn.get("all-costs")),
        Markup(f"<script>{script}</script>"),
    )
    head = page_head(document.title, script=script, version=document.version)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _glanced(block: Block, document: Document) -> tuple[Block, ...]:
    """Summary as a few numbers of every model, before all of it."""
    if block.key != "summary" or not isinstance(block, Table):
        return (block,)
    few, whole = glance(document), "All main measures, and how their intervals were found"
    if len(few.columns) > len(block.rows):
        return (replace(few, remarks=block.remarks),)
    return few, replace(block, key="main", title=whole, detail=True)


def _read_first(sections: Sequence[Shown]) -> list[Shown]:
    """Sections with what is read of how the numbers were made, notes and flags, below what they say."""
    later = [each for each in sections if each.key in LATER]
    first = [each for each in sections if each.key not in LATER]
    end = next((i for i, each in enumerate(first) if getattr(each, "detail", False) and each.key in LOOKED_UP), None)
    place = len(first) if end is None else end
    return [*first[:place], *later, *first[place:]]


def contents(sections: Sequence[Shown]) -> Markup | None:
    """Links to the sections that are read; what is folded is found below them."""
    named = [(name_of(each.key, i), each) for i, each in enumerate(sections)]
    links = [(name, each.title) for name, each in named if not getattr(each, "detail", False) or each.key in LOOKED_UP]
    if len(links) < FEWEST:
        return None
    items = (tag("li", tag("a", title, href=f"#{name}")) for name, title in links)
    return tag("nav", tag("ul", *items), class_="contents", aria_label="Contents")


def _header(document: Document) -> Markup:
    share = document.prevalence
    return tag(
        "header",
        tag("h1", document.title),
        tag("p", facts.lead(document), class_="lead"),
        None if share is None else svg.balance(share),
    )


def _skip(sections: Sequence[Shown]) -> tuple[str, str]:
    """What the first link says, and where it leads: to the summary, or to the first section of a page without one."""
    if any(each.key == "summary" for each in sections):
        return "Skip to the summary", f"#{name_of('summary')}"
    return f"Skip to the {sections[0].title.lower()}", f"#{name_of(sections[0].key)}"


def _footer(document: Document) -> Markup:
    rows = [tag("div", tag("dt", name), tag("dd", text)) for name, text in facts.facts(document)]
    return tag("footer", tag("dl", *rows), *(tag("p", sentence) for sentence in facts.CONVENTIONS))


def _script(sections: Sequence[Shown]) -> str:
    """Script of the page: what sorts tables and moves thresholds, and what its sections need."""
    is_explored = any(isinstance(each, Explorer) for each in sections)
    decided = [one.part.matrix for each in sections if isinstance(each, Matrices) for one in each.matrices]
    has_classes = any(matrix is not None and len(matrix.labels) > 2 for matrix in decided)
    names = ["shapes", "tables", "report"]
    names += ["pairs"] * has_classes + ["decide", "explore"] * is_explored
    return "".join(asset(f"{name}.js") for name in names)


HEIGHT = 860
"""Pixels of the frame: curve, controls and matrix at once."""


@dataclass(frozen=True, slots=True)
class Framed:
    """Page of a report that a notebook shows; as text it says what it is."""

    title: str
    page: str

    def _repr_html_(self) -> str:
        # A page's own line breaks are markup, which no text of a user's may have: `tag` would spell them out.
        import html

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
