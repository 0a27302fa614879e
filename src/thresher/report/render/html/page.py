"""The report as one HTML file, which loads nothing and may run nothing but its own script; in a notebook, framed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher._util.fast_dataclass import dataclass
from thresher.report.blocks import Block, Matrices, Plots, Table, Verdict, findings_once
from thresher.report.document import Document
from thresher.report.render.html.chapters import Chapter, chapters
from thresher.report.render.html.explorer import Explorer, merged
from thresher.report.render.html.head import asset, whole_page
from thresher.report.render.html.markup import Markup, folded, tag
from thresher.report.render.html.page_data import is_live, page_data
from thresher.report.render.html.sections import LONG, content, name_of, section
from thresher.report.sections import facts
from thresher.report.sections.answers import BASE_RATE, BY_CHANCE
from thresher.report.sections.order import sections_of
from thresher.report.sections.summary import glance
from thresher.report.sections.verdict import best_of, first_shown

Section = Block | Explorer
Shown = Section | Chapter

STAGED = 2
"""Matrices shown without an explorer; the others unfold."""


def document_page(document: Document, sections: Sequence[Block] | None = None) -> str:
    """Render a document as a self-contained HTML page, with the given sections or all.

    Answers come first, then the curves beside the threshold that costs recommend; all else is in closed chapters.
    """
    sections = list(findings_once(sections_of(document) if sections is None else sections))
    if all(model.score_kind is not None for model in document.models):
        sections = [each for each in sections if each.key != "curves"]
    drawn = {each.key: each for each in sections if isinstance(each, Plots)}
    decisions = next((each for each in sections if isinstance(each, Matrices)), None)
    shown = _arranged(document, sections)
    script = _script(shown, decisions)
    main = [_shown(each, place) for place, each in enumerate(shown)]
    return whole_page(
        document.title, facts.lead(document), main, _footer(document), script=script,
        data=page_data(document, decisions, drawn.get("curves"), drawn.get("all-costs")), version=document.version,
    )  # fmt: skip


def blocks_page(title: str, lead: str, shown: Sequence[Shown], *, foot: str = "") -> str:
    """Blocks and closed chapters as a page, with the script that sorts long tables where there are any."""
    blocks = [block for each in shown for block in (each.blocks if isinstance(each, Chapter) else (each,))]
    is_long = any(isinstance(block, Table) and len(block.rows) > LONG for block in blocks)
    script = "".join(asset(f"{name}.js") for name in ("shapes", "tables")) if is_long else None
    main = [_shown(each, place) for place, each in enumerate(shown)]
    return whole_page(title, lead, main, tag("footer", tag("p", foot)) if foot else None, script=script)


def _arranged(document: Document, sections: Sequence[Block]) -> list[Shown]:
    """Verdict, explorer or matrices, then closed chapters."""
    verdict = next((each for each in sections if isinstance(each, Verdict)), None)
    cut = [] if verdict is None else [each for each in verdict.findings if each.question == "cut"]
    blocks = merged(
        [each for each in sections if each is not verdict], advice=tuple(each.text for each in cut),
        instead=_instead(document, verdict), is_open=verdict is None, best=best_of(document),
        title=f"Where to cut?{facts.gold_alone(document)}",
    )  # fmt: skip
    explored: list[Section] = [each for each in blocks if isinstance(each, Explorer)]
    if verdict is not None and explored:
        verdict = Verdict.of(tuple(each for each in verdict.findings if each not in cut))
    first: list[Shown] = [] if verdict is None else [verdict]
    estimates = [each for each in blocks if each.key == "estimates"]
    if estimates:
        stage, rest = estimates, [each for each in blocks if each not in estimates]
    elif explored:
        stage, rest = explored, [each for each in blocks if not isinstance(each, Explorer)]
    else:
        stage, rest = _decided(document, blocks)
    return [*first, *stage, *chapters(document, rest)]


NOT_SHOWN = frozenset((BASE_RATE, BY_CHANCE.code, "reversed"))
"""Findings that say of the best model that it is not shown to be better than a rule that looks at nothing."""


def _instead(document: Document, verdict: Verdict | None) -> str:
    """Sentence in place of a recommended threshold where the best model is not shown to be better than chance."""
    findings = () if verdict is None or document.deciding.costs is not None else verdict.findings
    if not any(each.question == "good" and each.code in NOT_SHOWN for each in findings):
        return ""
    name = document.models[first_shown(document)].name
    return f"No threshold is recommended, as {name} is not shown to be better than chance."


def _decided(document: Document, blocks: Sequence[Section]) -> tuple[list[Section], list[Section]]:
    """Few numbers of every model and the matrices of the first ones, where no threshold is explored; and the rest."""
    matrices = next((each for each in blocks if isinstance(each, Matrices)), None)
    curves = [each for each in blocks if each.key == "curves"]
    stage: list[Section] = [replace(glance(document), key="glance")]
    rest = [each for each in blocks if each is not matrices and each not in curves]
    if matrices is not None:
        first = sorted(matrices.matrices, key=lambda each: each.model != matrices.first)
        seen, others = (tuple(sorted(part, key=lambda each: each.model)) for part in (first[:STAGED], first[STAGED:]))
        stage.append(replace(matrices, matrices=seen))
        if others:
            rest.append(replace(matrices, matrices=others, key="matrices", title="Matrices of the other models"))
    return [*stage, *curves], rest


def _shown(each: Shown, place: int) -> Markup:
    """Section, or chapter with its sections, each under a heading one level lower."""
    if not isinstance(each, Chapter):
        return section(each, name_of(each.key, str(place)))
    names = [name_of(block.key, f"{place}-{i}") for i, block in enumerate(each.blocks)]
    if len(each.blocks) == 1 and not isinstance(each.blocks[0], Explorer):
        return folded(each.title, names[0], content(each.blocks[0], names[0]), is_printed=each.printed)
    inside = (section(block, name, is_inner=True) for block, name in zip(each.blocks, names, strict=True))
    return folded(each.title, f"chapter-{place}", *inside, is_printed=each.printed)


def _footer(document: Document) -> Markup:
    said = facts.CONVENTIONS if any(map(is_live, document.models)) else facts.CONVENTIONS[:1]
    rows = [tag("div", tag("dt", name), tag("dd", text)) for name, text in facts.facts(document)]
    return tag("footer", tag("dl", *rows), *(tag("p", sentence) for sentence in said))


def _script(shown: Sequence[Shown], decisions: Matrices | None) -> str:
    """Return the script of the page: sorting, moving thresholds, and parts for its sections."""
    is_explored = any(isinstance(each, Explorer) for each in shown)
    decided = [] if decisions is None else [one.part.matrix for one in decisions.matrices]
    has_classes = any(matrix is not None and len(matrix.labels) > 2 for matrix in decided)
    names = ["shapes", "tables", "report"]
    names += ["pairs"] * has_classes + ["decide", "explore"] * is_explored
    return "".join(asset(f"{name}.js") for name in names)


HEIGHT = 860
"""Pixels of the frame: curve, controls and matrix at once."""


@dataclass(frozen=True, slots=True)
class Framed:
    """Page of a report for a notebook; its text form is a description."""

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
