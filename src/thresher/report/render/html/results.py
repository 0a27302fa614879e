"""Reports of ranked results and of assessments as HTML files, which load nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from thresher import __version__
from thresher.report.build import build
from thresher.report.render.html.head import asset, page_head
from thresher.report.render.html.markup import Markup, tag
from thresher.report.render.html.page import contents, document_page
from thresher.report.render.html.sections import READ, section
from thresher.report.sections.assessment import kept, untested
from thresher.report.sections.assessment import sections as assessed_sections
from thresher.report.sections.kinds import Section, Table
from thresher.report.sections.order import sections_of
from thresher.report.sections.ranking import lead
from thresher.report.sections.ranking import sections as ranked_sections
from thresher.report.sections.summary import thresholds

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.resampling import Assessment, Series

TITLE = "Ranked results"


def _script(parts: Sequence[Section]) -> str | None:
    is_long = any(isinstance(part, Table) and len(part.rows) > READ for part in parts)
    return "".join(asset(f"{name}.js") for name in ("shapes", "tables")) if is_long else None


def ranking_page(
    evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False,
    source: str | None = None,
) -> str:  # fmt: skip
    """Evaluation of ranked results as a self-contained HTML page; `source` says where the judgements came from."""
    parts = ranked_sections(evaluation, compared, per_query=per_query)
    shown = [found for place, part in enumerate(parts) if (found := section(part, place)) is not None]
    said = f"{lead(evaluation)}{'' if source is None else f', judged by {source}'}"
    script = _script(parts)
    head = tag("header", tag("h1", TITLE), tag("p", said, class_="lead"))
    foot = tag("footer", tag("p", f"thresher {__version__}; measures are trec_eval's by name and arithmetic."))
    body = tag("body", tag("a", "Skip to the means", class_="skip", href="#about-means"),
               tag("div", head, contents(parts), tag("main", *shown), foot, class_="page listed"),
               None if script is None else Markup(f"<script>{script}</script>"))  # fmt: skip
    return f"<!doctype html>\n{tag('html', page_head(TITLE, script=script), body, lang='en')}\n"


def assessment_page(
    found: Assessment,
    compared: Sequence[Comparison] = (),
    curves: Sequence[Series] = (),
    *,
    texts: Sequence[str] = (),
    said: Sequence[str] = (),
    words: Callable[[str], str] = str,
) -> str:
    """Assessment with its comparisons and series as a self-contained HTML page.

    `words` turns a sentence of the library into the caller's own, such as the options of a command.
    """
    title = f"Assessment by {found.method.summary}"
    pooled = build(found.evaluation, title=title, points=True, every=False, is_compared=False)
    document = untested(pooled, len(found.splits.sampled))
    notes = list(map(words, document.notes))
    own = assessed_sections(found, compared, curves, texts=texts, said=said, held_out=notes)
    return document_page(document, (*own, *filter(kept, sections_of(document)), *thresholds(document)))
