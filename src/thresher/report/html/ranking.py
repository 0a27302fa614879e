"""The report of ranked results as one HTML file without a script: it loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher import __version__
from thresher.report.html.markup import Markup, lone, tag
from thresher.report.html.page import ICON, _asset, _digest
from thresher.report.html.sections import section
from thresher.report.ranking_sections import lead, sections

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison
    from thresher.ranking.evaluation import RankEvaluation

TITLE = "Ranked results"


def ranking_page(
    evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False,
    source: str | None = None,
) -> str:  # fmt: skip
    """Evaluation of ranked results as a self-contained HTML page; `source` says where the judgements came from."""
    parts = sections(evaluation, compared, per_query=per_query)
    shown = [found for place, part in enumerate(parts) if (found := section(part, place)) is not None]
    said = f"{lead(evaluation)}{'' if source is None else f', judged by {source}'}"
    head = tag("header", tag("h1", TITLE), tag("p", said, class_="lead"))
    foot = tag("footer", tag("p", f"thresher {__version__}; measures are trec_eval's by name and arithmetic."))
    body = tag("body", tag("a", "Skip to the means", class_="skip", href="#section-0"),
               tag("div", head, tag("main", *shown), foot, class_="page"))  # fmt: skip
    return f"<!doctype html>\n{tag('html', _head(), body, lang='en')}\n"


def _head() -> Markup:
    style = _asset("report.css") + _asset("decide.css")
    policy = f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        lone("meta", charset="utf-8"),
        lone("meta", http_equiv="Content-Security-Policy", content=policy),
        lone("meta", name="viewport", content="width=device-width, initial-scale=1"),
        lone("meta", name="color-scheme", content="light dark"),
        lone("meta", name="referrer", content="no-referrer"),
        lone("meta", name="generator", content=f"thresher {__version__}"),
        tag("title", TITLE),
        lone("link", rel="icon", href=ICON),
        Markup(f"<style>{style}</style>"),
    )
