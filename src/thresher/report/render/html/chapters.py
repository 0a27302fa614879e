"""Closed chapters of a page: which sections each holds, under what they come to as a title."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import plain_text
from thresher.errors import listed
from thresher.measures.measure_text import wanted
from thresher.measures.shown import AT_A_GLANCE, RANKING
from thresher.measures.titles import title_of
from thresher.report.blocks import Block
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import cut, number, p_text
from thresher.report.render.html.markup import signed
from thresher.report.sections.decisions import NAMES
from thresher.report.sections.verdict import first_shown
from thresher.report.titles import gathered

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.report.render.html.explorer import Explorer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """Sections that are read together, closed until a reader opens them; `printed` when paper has them too."""

    title: str
    blocks: tuple[Block | Explorer, ...]
    printed: bool = True


def chapters(document: Document, blocks: Iterable[Block | Explorer]) -> list[Chapter]:
    """Blocks in chapters, in the order of `CHAPTERS`; what belongs to none is a chapter of its own before the last."""
    found: dict[int | str, list[Block | Explorer]] = {}
    for block in blocks:
        found.setdefault(_place(block.key), []).append(block)
    places = sorted(found, key=lambda place: place if isinstance(place, int) else BETWEEN)
    return [_chapter(document, place, tuple(found[place])) for place in places]


def _chapter(document: Document, place: int | str, blocks: tuple[Block | Explorer, ...]) -> Chapter:
    if isinstance(place, str):
        return Chapter(title=blocks[0].title, blocks=blocks, printed=not getattr(blocks[0], "detail", False))
    _, title, printed = CHAPTERS[place]
    return Chapter(title=signed(title(document)) or blocks[0].title, blocks=blocks, printed=printed)


def _place(key: str) -> int | str:
    """Place of the chapter that a section belongs to; its own key where there is none."""
    stem = key.partition("-")[0]
    return next((i for i, (keys, *_) in enumerate(CHAPTERS) if key in keys or f"{stem}-" in keys), key)


def _first(document: Document) -> ModelPart:
    return document.models[first_shown(document)]


def _of(document: Document, model: ModelPart) -> str:
    return f" of {model.name}" if len(document.models) > 1 else ""


def _probabilities(document: Document) -> str:
    """Slope of the first model, and whether a test objects to its probabilities."""
    model = _first(document)
    part = model.calibration
    slope = None if part is None else part.estimates.get("calibration_slope")
    if part is None or slope is None or not slope.is_defined:
        return f"Probabilities{_of(document, model)}: slope undefined"
    ends = "" if slope.interval is None else f" [{', '.join(number(end, 2) for end in slope.interval)}]"
    test = part.tests.get("recalibration")
    said = ""
    if test is not None and not math.isnan(test.p_value):
        is_off = test.p_value <= 1 - document.level
        said = f", miscalibrated ({p_text(test.p_value)})" if is_off else ", no miscalibration shown"
    return f"Probabilities{_of(document, model)}: slope {number(slope.value, 2)}{ends}{said}"


def _thresholds(document: Document) -> str:
    """Thresholds of the first model, each with the criteria that choose it."""
    model = _first(document)
    if model.decisions is None or not model.decisions.chosen:
        return ""
    chosen = model.decisions.chosen.items()
    by_cut = gathered((cut(each.decimal), _criterion(key)) for key, each in chosen)
    said = (f"{at} by {listed(names)}" for at, names in by_cut.items())
    return f"Thresholds{_of(document, model)}: {'; '.join(said)}"


def _criterion(key: str) -> str:
    """What a criterion is called inside a sentence."""
    name = NAMES.get(key)
    return title_of(key) if name is None else name if name.startswith("Youden") else name.lower()


def _compared(document: Document) -> str:
    """By which measures the first model is shown to be better than all others, and by which it is not."""
    model = _first(document)
    own = [c for c in document.comparisons if model.name in map(plain_text, c.models)]
    measures = list(dict.fromkeys(c.measure for c in own))
    won = [m for m in measures if all(_beats(c, model.name) for c in own if c.measure == m)]
    won, open_ = ([_written(m) for m in measures if (m in won) is is_won] for is_won in (True, False))
    if not measures:
        return ""
    if not won:
        return f"Comparisons: {model.name} is not shown to be better than every other model"
    rest = f", not shown in {listed(open_)}" if open_ else ""
    return f"Comparisons: {model.name} is better in {listed(won)}{rest}"


def _written(measure: str) -> str:
    """Title of a measure inside a sentence."""
    return wanted(measure).title


def _beats(c: Comparison, name: str) -> bool:
    if math.isnan(c.p_value) or not c.is_significant:
        return False
    return plain_text(c.models[0 if (c.difference > 0) != c.lower_is_better else 1]) == name


def _rules(document: Document) -> str:
    """Accuracy of always predicting the most frequent class beside that of the first model."""
    found = _first(document).baselines
    if found is None or found.accuracy is None:
        return ""
    rule = f"always “{plain_text(found.most_frequent)}” has accuracy {number(found.no_information_rate)}"
    return f"Trivial baselines: {rule}, {_first(document).name} {number(found.accuracy)}"


def _groups(document: Document) -> str:
    """How many gaps to the rest of the rows are significant."""
    if not document.groups:
        return ""
    by = f"Groups by {' and '.join(document.groups[0].by)}"
    known = [gap for gap in document.gaps if gap.is_defined]
    if not known:
        return by
    found = sum(gap.is_significant for gap in known)
    return f"{by}: {found or 'no'} significant gap{'s' * (found != 1)} among {len(known)}"


def _classes(document: Document) -> str:
    """Weakest class of the first model, and its commonest confusion."""
    part = _first(document).classes
    if part is None:
        return ""
    known = [row for row in part.rows if "f1" in row.measures and row.measures["f1"].is_defined]
    weak = min(known, key=lambda row: row.measures["f1"].value, default=None)
    said = [] if weak is None else [f"weakest “{weak.name}” (F1 {number(weak.measures['f1'].value)})"]
    said += [f"“{c.truth}” taken for “{c.predicted}” most often" for c in part.confusions[:1]]
    what = "Labels" if document.is_multilabel else "Classes"
    return f"{what}{_of(document, _first(document))}: {', '.join(said)}" if said else ""


def _folds(document: Document) -> str:
    model = _first(document)
    places = [i for i, each in enumerate(document.models) if each is model]
    values = [v.value for part in document.folds for i in places if (v := part.models[i].measures.get("auc"))]
    known = [value for value in values if not math.isnan(value)]
    ends = f": ROC AUC{_of(document, model)} {number(min(known))} to {number(max(known))}" if known else ""
    return f"{len(document.folds)} folds{ends}"


def _measured(document: Document) -> str:
    """Values of the first model that are on no card."""
    model = _first(document)
    at = f" at threshold {cut(model.shown_threshold)}" if model.decided == "threshold" else ""
    names = [name for name in AT_A_GLANCE if name not in RANKING]
    named = {name: model.measures[name] for name in names if name in model.measures}
    known = {name: found for name, found in named.items() if math.isfinite(found.value)}
    said = [f"{title_of(name)} {number(found.value)}" for name, found in known.items()]
    return f"Measures{_of(document, model)}{at}: {', '.join(said[:MOST])}" if said else ""


MOST = 3
"""Measures of a title."""


def _notes(document: Document) -> str:
    return f"Notes: {len(document.notes)} on how the numbers were found"


CHAPTERS: tuple[tuple[tuple[str, ...], Callable[[Document], str], bool], ...] = (
    (("summary", "main"), _measured, True),
    (("reliability", "calibration"), _probabilities, False),
    (("chosen", "prevalences", "pr-prevalences", "owners", "dominance", "all-costs", "hull-"), _thresholds, False),
    (("comparisons", "conclusions"), _compared, True),
    (("gaps", "groups", "over-groups"), _groups, True),
    (("classes-", "class-curves", "confused", "pairs-"), _classes, True),
    (("folds", "folds-", "means", "mean-curves"), _folds, False),
    (("baselines", "warnings"), _rules, False),
    (("curves", "decisions"), lambda _: "Held-out predictions pooled: to choose a threshold by", False),
    (("notes", "held-out"), _notes, True),
    (("measures",), lambda _: "All measures with formulas", False),
    (("thresholds-",), lambda _: "Counts at thresholds", False),
)
"""Keys of the sections of each chapter, those with a hyphen at the end for all that begin so; title; if on paper."""
BETWEEN = len(CHAPTERS) - 3.5
"""Place of chapters of their own: before notes and what is looked up."""
