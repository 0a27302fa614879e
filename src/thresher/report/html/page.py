"""The report as one HTML file: it loads nothing, and its security policy lets it run nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

from thresher.evaluation import Evaluation
from thresher.report import told
from thresher.report.build import build
from thresher.report.document import Document
from thresher.report.html import svg
from thresher.report.html.island import island
from thresher.report.html.markup import Markup, lone, tag
from thresher.report.html.sections import section
from thresher.report.outline import outline, thresholds
from thresher.report.sections import Charts, Decisions

ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 14C2 5 5 2 14 2'"
    " fill='none' stroke='%230b5cad' stroke-width='2.5'/%3E%3Cpath d='M2 14 14 2' stroke='%23999'/%3E%3C/svg%3E"
)


def evaluation_page(evaluation: Evaluation, *, title: str | None = None, source: str | None = None) -> str:
    """Evaluation as a self-contained HTML page."""
    return document_page(build(evaluation, title=title, source=source, points=True, every=False))


def document_page(document: Document) -> str:
    """Document as a self-contained HTML page."""
    sections = (*outline(document), *thresholds(document))
    charts = next((s for s in sections if isinstance(s, Charts)), None)
    decisions = next((s for s in sections if isinstance(s, Decisions)), None)
    shown = [found for place, each in enumerate(sections) if (found := section(each, place)) is not None]
    body = tag(
        "body",
        tag("a", "Skip to the summary", class_="skip", href="#summary"),
        tag("div", _header(document), tag("main", *shown), _footer(document), class_="page"),
        island(document, charts, decisions),
        Markup(f"<script>{_script()}</script>"),
    )
    return f"<!doctype html>\n{tag('html', _head(document), body, lang='en')}\n"


def _head(document: Document) -> Markup:
    style, script = _asset("report.css") + _asset("decide.css"), _script()
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        lone("meta", charset="utf-8"),
        lone("meta", http_equiv="Content-Security-Policy", content=policy),
        lone("meta", name="viewport", content="width=device-width, initial-scale=1"),
        lone("meta", name="color-scheme", content="light dark"),
        lone("meta", name="referrer", content="no-referrer"),
        lone("meta", name="generator", content=f"thresher {document.version}"),
        tag("title", document.title),
        lone("link", rel="icon", href=ICON),
        Markup(f"<style>{style}</style>"),
    )


def _header(document: Document) -> Markup:
    share = document.prevalence
    return tag(
        "header",
        tag("h1", document.title),
        tag("p", told.lead(document), class_="lead"),
        None if share is None else svg.balance(share),
    )


def _footer(document: Document) -> Markup:
    facts = [tag("div", tag("dt", name), tag("dd", text)) for name, text in told.facts(document)]
    return tag("footer", tag("dl", *facts), *(tag("p", sentence) for sentence in told.CONVENTIONS))


@cache
def _asset(name: str) -> str:
    """Style sheet or script of the page, as it is hashed and written."""
    return resources.files("thresher.report.html").joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    """Script of the page: what finds intervals, what moves the thresholds, then what chooses them."""
    return _asset("intervals.js") + _asset("report.js") + _asset("decide.js")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
