"""Order of the sections of a report: from a document, and those that others add to every report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher.errors import OptionError
from thresher.registration import Registration, check_functions, later, put
from thresher.report.blocks import Block, Prose, Table, Verdict
from thresher.report.document import Document
from thresher.report.sections import subsets
from thresher.report.sections.baselines import baselines
from thresher.report.sections.calibration import calibration_sections
from thresher.report.sections.classes import class_sections, costed_sections
from thresher.report.sections.comparisons import comparisons, fold_ranks
from thresher.report.sections.curves import curves
from thresher.report.sections.decisions import decision_sections
from thresher.report.sections.gaps import gaps
from thresher.report.sections.optional import optional_sections
from thresher.report.sections.paper import paper
from thresher.report.sections.summary import all_measures, decisions, summary, thresholds
from thresher.report.sections.verdict import findings_of, notes

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation


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


__all__ = ["add_section"]

OWN = "thresher.report.sections.curves"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedSection:
    """Finder of results in an evaluation, and the section that shows them behind the section `after`."""

    find: Callable[[Evaluation], Any]
    show: Callable[[Any], Block]
    after: str


def _if_partly_labelled(kind: str, place: str) -> Callable[[Evaluation], Any]:
    """Return a finder that is loaded only for partly labelled rows of a kind."""

    def find(evaluation: Evaluation) -> Any:
        rows: Any = evaluation.predictions
        labels = rows.partial_labels
        # One class of several has a judge's labels of them all.
        is_shown = labels is not None and labels.kind == kind and labels.rows.classes == rows.classes
        return later(place)(evaluation) if is_shown else None

    return find


ADDED: dict[str, AddedSection] = {
    "own_curves": AddedSection(find=later(f"{OWN}:own_curves"), show=later(f"{OWN}:own_plots"), after="curves"),
    "judge": AddedSection(
        find=_if_partly_labelled("judge", "thresher.analysis.judging:judge_quality"),
        show=later("thresher.report.sections.judge:judge_table"),
        after="summary",
    ),
    "bounds": AddedSection(
        find=_if_partly_labelled("bounds", "thresher.evaluation.verified:bounds_found"),
        show=later("thresher.report.sections.judge:bounds_table"),
        after="summary",
    ),
}
"""Sections by key, in the order of addition; registered curves and partly labelled rows need no call."""


def add_section(
    key: str, *, find: Callable[[Evaluation], Any], show: Callable[[Any], Block], after: str = "summary"
) -> Registration[AddedSection]:
    """Add a section to every form of a report; JSON has it under `sections`, CSV its numbers under `section=key`.

    The section stays until `undo()` of the result, or the end of a `with` block.

    `find` reads the evaluation once and returns the content of the section, without rows, or None without content;
    `show` turns that into a `Table`, `Prose` or `Plots` of `thresher.report.blocks`. `after` is the key of the
    preceding section, such as "summary", "decisions", "calibration" or "groups"; otherwise it comes last.

    Raises:
        OptionError: the key is taken.
    """
    check_functions(find=find, show=show)
    if key in ADDED:
        raise OptionError(f"there is a section {key!r} already.")
    return put(ADDED, key, AddedSection(find=find, show=show, after=after))


def found_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the content of the added sections by key, without the empty ones."""
    found = {key: each.find(evaluation) for key, each in ADDED.items()}
    return {key: value for key, value in found.items() if value is not None}
