"""The report as one HTML file, which loads nothing and may run nothing but its own script; in a notebook, framed.

Closed chapters are sections under a title that states their finding.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import format_distinct, plain_text
from thresher.errors import listed
from thresher.measures.measure_text import parse_measure, title_of
from thresher.measures.shown import AT_A_GLANCE, IN_TOP, RANKING
from thresher.report.blocks import Block, Matrices, Plots, Table, Verdict, findings_once
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, cut, decimals, estimated, number
from thresher.report.render.html.explorer import Explorer, merged
from thresher.report.render.html.markup import Markup, asset, folded, signed, tag, whole_page
from thresher.report.render.html.page_data import is_live, page_data
from thresher.report.render.html.sections import LONG, content, name_of, section
from thresher.report.sections import facts
from thresher.report.sections.answers import BASE_RATE, BY_CHANCE, won_by
from thresher.report.sections.calibration import conclusion
from thresher.report.sections.decisions import NAMES
from thresher.report.sections.facts import reads_top
from thresher.report.sections.order import sections_of
from thresher.report.sections.summary import glance
from thresher.report.sections.verdict import best_of, first_shown, weakest_class
from thresher.results import gathered


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """Sections that belong together, closed until opened; `printed` if also on paper."""

    title: str
    blocks: tuple[Block | Explorer, ...]
    printed: bool = True


def chapters(document: Document, blocks: Iterable[Block | Explorer]) -> list[Chapter]:
    """Return blocks in chapters in the order of `CHAPTERS`; other blocks become chapters before the notes."""
    found: dict[int | str, list[Block | Explorer]] = {}
    for block in blocks:
        key, stem = block.key, block.key.partition("-")[0]
        place = next((i for i, (keys, *_) in enumerate(CHAPTERS) if key in keys or f"{stem}-" in keys), key)
        found.setdefault(place, []).append(block)
    made, first = [], document.models[first_shown(document)]
    for place in sorted(found, key=lambda place: place if isinstance(place, int) else BETWEEN):
        title, printed = found[place][0].title, not getattr(found[place][0], "detail", False)
        if isinstance(place, int):
            _, finding, printed = CHAPTERS[place]
            title = signed(finding(document, first)) or title
        made.append(Chapter(title=title, blocks=tuple(found[place]), printed=printed))
    return made


def _of(document: Document, model: ModelPart) -> str:
    return f" of {model.name}" if len(document.models) > 1 else ""


def _probabilities(document: Document, model: ModelPart) -> str:
    """Calibration slope of the first model, and the conclusion."""
    slope = None if model.calibration is None else model.calibration.estimates.get("calibration_slope")
    if slope is None or not slope.is_defined:
        return f"Probabilities{_of(document, model)}: slope undefined"
    said = CONCLUDED.get(conclusion(model, document) or "", "")
    return f"Probabilities{_of(document, model)}: slope {estimated(slope)}{said}"


CONCLUDED = {
    "calibrated": ", calibrated", "nearly-calibrated": ", nearly calibrated", "miscalibrated": ", miscalibrated",
    "calibration-open": ", no miscalibration shown",
}  # fmt: skip
"""End of a title by the code of the conclusion."""


def _thresholds(document: Document, model: ModelPart) -> str:
    """Chosen thresholds of the first model with their criteria."""
    if model.decisions is None or not model.decisions.chosen:
        return ""
    chosen = model.decisions.chosen.items()
    by_cut = gathered((cut(each.decimal), _criterion(key)) for key, each in chosen)
    lines = (f"{at} by {listed(names)}" for at, names in by_cut.items())
    return f"Thresholds{_of(document, model)}: {'; '.join(lines)}"


def _criterion(key: str) -> str:
    """Name of a criterion inside a sentence."""
    name = NAMES.get(key)
    return title_of(key) if name is None else name if name.startswith("Youden") else name.lower()


def _compared(document: Document, model: ModelPart) -> str:
    """Measures in which the first model is significantly better than all others, and the remaining ones."""
    name = model.name
    own = [c for c in document.comparisons if name in c.models]
    if not own:
        return ""
    won = won_by(name, own)
    if not won:
        return f"Comparisons: {name} is not shown to be better than every other model"
    rest = [parse_measure(measure).title for measure in dict.fromkeys(c.measure for c in own) if measure not in won]
    not_shown = f", not shown in {listed(rest)}" if rest else ""
    return f"Comparisons: {name} is better in {listed([parse_measure(measure).title for measure in won])}{not_shown}"


def _rules(document: Document, model: ModelPart) -> str:
    """Accuracy of the most-frequent-class baseline and of the first model."""
    found = model.baselines
    if found is None or found.accuracy is None:
        return ""
    rate, accuracy = format_distinct((found.no_information_rate, found.accuracy), number, document.decimals)
    rule = f"always “{plain_text(found.most_frequent)}” has accuracy {rate}"
    return f"Trivial baselines: {rule}, {model.name} {accuracy}"


def _groups(document: Document, _model: ModelPart) -> str:
    """Count the significant gaps to the rest of the rows."""
    if not document.groups:
        return ""
    by = f"Groups by {' and '.join(document.groups[0].by)}"
    known = [gap for gap in document.gaps if gap.is_defined]
    if not known:
        return by
    found = sum(gap.is_significant for gap in known)
    return f"{by}: {found or 'no'} significant gap{'s' * (found != 1)} among {len(known)}"


def _classes(document: Document, model: ModelPart) -> str:
    """Weakest class of the first model, with its commonest confusion."""
    if (found := weakest_class(model)) is None:
        return ""
    name, value, taken = found
    what, by = ("Labels", "F1") if document.is_multilabel else ("Classes", "recall")
    most = f", most often taken for “{taken}”" if taken else ""
    return f"{what}{_of(document, model)}: weakest “{name}” ({by} {brief(value)}){most}"


def _folds(document: Document, model: ModelPart) -> str:
    places = [i for i, each in enumerate(document.models) if each is model]
    found = [v for part in document.folds for i in places if (v := part.models[i].measures.get("auc"))]
    known = sorted(each.value for each in found if each.is_defined)
    ends = " to ".join(number(end, decimals(*found)) for end in known[:: max(1, len(known) - 1)])
    ends = f": ROC AUC{_of(document, model)} {ends}" if known else ""
    return f"{len(document.folds)} folds{ends}"


def _measured(document: Document, model: ModelPart) -> str:
    """Values of the first model that no card shows."""
    is_top = reads_top(document)
    at = f" at threshold {cut(model.shown_threshold)}" if model.decided == "threshold" else ""
    names = IN_TOP if is_top else [name for name in AT_A_GLANCE if name not in RANKING]
    read = {**model.measures, **model.top}
    named = {name: read[name] for name in names if name in read}
    known = {name: found for name, found in named.items() if math.isfinite(found.value)}
    digits = glance(document).decimals
    lines = [
        f"{parse_measure(name).title.removesuffix(' in the top 1 %')} {number(found.value, digits)}"
        for name, found in known.items()
    ]
    top = " in the top 1 %" if is_top else ""
    return f"Measures{_of(document, model)}{top}: {', '.join(lines[:MOST])}{at * (not is_top)}" if lines else ""


MOST = 3
"""Measures of a title."""


def _judge(document: Document, model: ModelPart) -> str:
    """Numbers of gold and judged rows, and the gold rows that both are worth by a measure of the first model."""
    found, name = document.judge, model.name
    each = None if found is None else next((e for e in found.estimates if plain_text(e.model) == name), None)
    if found is None:
        return ""
    some = f", {found.in_part:,} gold in part" if found.in_part else ""
    rows = f"{found.gold:,} gold rows{some} and {found.others:,} judged rows"
    if each is None:
        return f"Judge: {rows}"
    whose = f"{parse_measure(each.gold.name).title}{_of(document, model)}"
    return f"Judge: {rows}, together worth {each.worth:,.0f} gold rows ({whose})"


def _bounds(document: Document, model: ModelPart) -> str:
    """Lowest and highest value of the first model by its first measure, over all labels of the other rows."""
    name = model.name
    each = next((found[1:] for found in document.added.get("bounds", ()) if plain_text(found[0]) == name), None)
    if each is None:
        return ""
    value, ends = each
    low, high = (number(end, decimals(value)) for end in ends)
    title = parse_measure(value.name).title
    return f"Bounds: {title}{_of(document, model)} {low} to {high} over all possible labels of the other rows"


CHAPTERS: tuple[tuple[tuple[str, ...], Callable[[Document, ModelPart], str], bool], ...] = (
    (("summary", "main"), _measured, True),
    (("judge",), _judge, True),
    (("bounds",), _bounds, True),
    (("reliability", "calibration"), _probabilities, False),
    (("chosen", "prevalences", "pr-prevalences", "owners", "dominance", "all-costs", "hull-"), _thresholds, False),
    (("comparisons", "conclusions"), _compared, True),
    (("gaps", "groups", "over-groups"), _groups, True),
    (("classes-", "class-curves", "confused", "pairs-"), _classes, True),
    (("folds", "folds-", "means", "mean-curves"), _folds, False),
    (("baselines", "warnings"), _rules, False),
    (("curves", "decisions"), lambda *_: "Held-out predictions pooled: confusion matrices and curves", False),
    (("notes", "held-out"), lambda *_: "Notes on how the numbers were found", True),
    (("measures",), lambda *_: "All measures with formulas", False),
    (("thresholds-",), lambda *_: "Counts at thresholds", False),
)
"""Keys of the sections of each chapter, those with a hyphen at the end for all that begin so; title; if on paper."""
BETWEEN = len(CHAPTERS) - 3.5
"""Place of other chapters: before the notes and the reference tables."""


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
    is_explored = any(isinstance(each, Explorer) for each in shown)
    decided = [] if decisions is None else [one.part.matrix for one in decisions.matrices]
    has_classes = any(matrix is not None and len(matrix.labels) > 2 for matrix in decided)
    names = ["shapes", "tables", "report"]
    names += ["pairs"] * has_classes + ["decide", "explore"] * is_explored
    script = "".join(asset(f"{name}.js") for name in names)
    main = [_shown(each, place) for place, each in enumerate(shown)]
    said = facts.CONVENTIONS if any(map(is_live, document.models)) else facts.CONVENTIONS[:1]
    rows = [tag("div", tag("dt", name), tag("dd", text)) for name, text in facts.facts(document)]
    foot = tag("footer", tag("dl", *rows), *(tag("p", sentence) for sentence in said))
    return whole_page(
        document.title, facts.lead(document), main, foot, script=script,
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


HEIGHT = 860
"""Pixels of the frame: curve, controls and matrix at once."""


@dataclass(frozen=True, slots=True)
class Framed:
    """Page of a report for a notebook; its text form is a description."""

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
