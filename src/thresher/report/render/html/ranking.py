"""The report of ranked results as one HTML file without a script: it loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher import __version__
from thresher.report.render.html.head import page_head
from thresher.report.render.html.markup import tag
from thresher.report.render.html.sections import section
from thresher.report.sections.ranking import lead, sections

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
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
    return f"<!doctype html>\n{tag('html', page_head(TITLE), body, lang='en')}\n"
