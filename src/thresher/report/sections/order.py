"""What a report says, in which order: sections from a document, and those that others add."""

from __future__ import annotations

from dataclasses import replace

from thresher.report.added import ADDED
from thresher.report.document import Document
from thresher.report.sections import facts, subsets
from thresher.report.sections.baselines import baselines, warnings
from thresher.report.sections.calibration import calibration_sections
from thresher.report.sections.classes import class_sections, costed_sections
from thresher.report.sections.comparisons import comparisons
from thresher.report.sections.curves import curves
from thresher.report.sections.decisions import decision_sections
from thresher.report.sections.gaps import gaps
from thresher.report.sections.kinds import Section, Verdict
from thresher.report.sections.mean_ranks import fold_ranks
from thresher.report.sections.optional import optional_sections
from thresher.report.sections.subsets import over_groups
from thresher.report.sections.summary import all_measures, decisions, summary
from thresher.report.sections.verdict import findings_of


def sections_of(document: Document) -> tuple[Section, ...]:
    """Sections in reading order, whatever the view; those with nothing to say are left out."""
    sections: list[Section | None] = [
        Verdict.of(findings_of(document)),
        facts.notes(document),
        summary(document),
        warnings(document),
        curves(document),
        decisions(document),
        *calibration_sections(document),
        *decision_sections(document),
        *optional_sections(document),
        *class_sections(document),
        *costed_sections(document),
        comparisons(document),
        fold_ranks(document),
        baselines(document),
        gaps(document),
        *subsets.groups(document),
        over_groups(document),
        *subsets.folds(document),
        all_measures(document),
    ]
    return _with_added([section for section in sections if section is not None], document)


def added_sections(document: Document) -> dict[str, Section]:
    """Sections of others by key."""
    return {key: replace(ADDED[key].show(found), key=key) for key, found in document.added.items()}


def _with_added(sections: list[Section], document: Document) -> tuple[Section, ...]:
    """Sections of others behind those that they follow, those that come after the same one in their own order."""
    for key, section in reversed(added_sections(document).items()):
        places = [i for i, other in enumerate(sections) if other.key == ADDED[key].after]
        sections.insert(places[-1] + 1 if places else len(sections), section)
    return tuple(sections)
