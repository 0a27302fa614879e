"""What a report says, in which order: sections from a document, and those that others add."""

from __future__ import annotations

from thresher.report.document import Document
from thresher.report.sections import facts, subsets
from thresher.report.sections.baselines import baselines, warnings
from thresher.report.sections.calibration import calibration_sections
from thresher.report.sections.classes import class_sections
from thresher.report.sections.comparisons import comparisons
from thresher.report.sections.costed import costed_sections
from thresher.report.sections.curves import curves
from thresher.report.sections.decisions import decision_sections
from thresher.report.sections.kinds import Section
from thresher.report.sections.optional import optional_sections
from thresher.report.sections.summary import all_measures, decisions, summary


def sections_of(document: Document) -> tuple[Section, ...]:
    """Sections in reading order, whatever the view; those with nothing to say are left out."""
    sections: list[Section | None] = [
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
        baselines(document),
        *subsets.groups(document),
        *subsets.folds(document),
        all_measures(document),
    ]
    return tuple(section for section in sections if section is not None)
