"""Order of the sections of a report: from a document, and added ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from thresher.report.added import ADDED
from thresher.report.blocks import Block, Prose, Table, Verdict
from thresher.report.document import Document
from thresher.report.sections import subsets
from thresher.report.sections.calibration import calibration_sections
from thresher.report.sections.classes import class_sections, costed_sections
from thresher.report.sections.comparisons import comparisons, fold_ranks
from thresher.report.sections.curves import curves
from thresher.report.sections.decisions import decision_sections
from thresher.report.sections.gaps import gaps
from thresher.report.sections.optional import optional_sections, paper
from thresher.report.sections.summary import all_measures, baselines, decisions, summary, thresholds
from thresher.report.sections.verdict import findings_of, notes

SECTIONS: dict[str, Callable[[Document], Block | Iterable[Block | None] | None]] = {
    "verdict": lambda document: Verdict.of(findings_of(document)),
    "summary": summary,
    "decisions": decisions,
    "paper": paper,
    "curves": curves,
    "notes": notes,
    "calibration": calibration_sections,
    "costs": decision_sections,
    "optional": optional_sections,
    "classes": class_sections,
    "costed": costed_sections,
    "comparisons": comparisons,
    "ranks": fold_ranks,
    "baselines": baselines,
    "gaps": gaps,
    "groups": subsets.groups,
    "over_groups": subsets.over_groups,
    "folds": subsets.folds,
    "measures": all_measures,
    "thresholds": thresholds,
}
"""Sections by name in reading order, whatever the form: each gives one block, several, or none."""

IN_JSON = frozenset(SECTIONS)
"""Sections with numbers under their own keys in JSON and CSV; others are there as blocks by name."""

BASED = frozenset(
    {"verdict", "summary", "paper", "notes", "comparisons", "ranks", "baselines", "gaps", "groups", "folds"}
    | {"measures", "judge"}
)
"""Sections with numbers that name their own basis; with a judge, all others are marked as gold rows alone."""


def sections_of(document: Document) -> tuple[Block, ...]:
    """All blocks in reading order."""
    return tuple(block for _, block in named_blocks(document))


def named_blocks(document: Document, *, without: Collection[str] = ()) -> list[tuple[str, Block]]:
    """Return blocks with the names of their sections; added ones come after the block that they follow."""
    shown = {name: _given(show(document)) for name, show in SECTIONS.items() if name not in without}
    bare = document.decimals
    found = [
        (name, replace(block, bare=bare) if isinstance(block, Table) else block)
        for name, blocks in shown.items()
        for block in blocks
    ]
    for key, value in document.added.items():
        after = ADDED[key].after
        beside = [other for other in document.added if ADDED[other].after == after]
        places = [i for i, (name, block) in enumerate(found) if block.key == after or name in beside]
        found.insert(places[-1] + 1 if places else len(found), (key, replace(ADDED[key].show(value), key=key)))
    if document.judge is None:
        return found
    based = [name in BASED or block.key.startswith("classes-") for name, block in found]
    return [each if is_based else (each[0], _marked(each[1])) for each, is_based in zip(found, based, strict=True)]


def _marked(block: Block) -> Block:
    """Block that says that a judge's labels are not in its numbers."""
    if isinstance(block, Verdict):
        return block
    if isinstance(block, Prose):
        return replace(block, sentences=(GOLD_ALONE, *block.sentences))
    return replace(block, lead=f"{GOLD_ALONE} {block.lead}".strip())


GOLD_ALONE = "Gold rows alone."


def _given(shown: Block | Iterable[Block | None] | None) -> list[Block]:
    if shown is None:
        return []
    return [each for each in shown if each is not None] if isinstance(shown, Iterable) else [shown]
