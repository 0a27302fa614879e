"""One list of notes and warnings: what `.notes` and `.warnings` have is what every form of the report has."""

from __future__ import annotations

import json
import re

import pytest

from report_cases import case, named
from thresher.report.files import render
from thresher.report.sections.verdict import SHORT


def counted(text: str) -> int:
    """Notes that the short text says it leaves out."""
    found = re.search(r"Not\s+shown:\s+(?:\d+\s+more\s+models,\s+)?(\d+)\s+notes?\s", text)
    return 0 if found is None else int(found[1])


def letters(text: str) -> str:
    """Text without what wrapping, escapes and the beginning of a sentence change."""
    return re.sub(r"[\W_]", "", text).casefold()


@pytest.mark.parametrize("name", named())
def test_notes_and_warnings_are_those_of_the_report(name):
    evaluation = case(name)
    written = json.loads(evaluation.to_json())
    assert [note.to_dict() for note in evaluation.notes] == written["notes"]
    assert [(w.code, w.text) for w in evaluation.warnings] == [(w["code"], w["text"]) for w in written["warnings"]]
    assert counted(str(evaluation)) == len(evaluation.notes)
    for warning in evaluation.warnings:
        assert any(warning.text in note for note in evaluation.notes), warning
    for model in evaluation.values():
        assert counted(str(model)) == len(model.notes)
        assert {warning.code for warning in model.warnings} <= {warning.code for warning in evaluation.warnings}
    whole = letters(render(evaluation, "text"))
    parts = (part for note in evaluation.notes for part in note.split(SHORT))
    assert [part for part in parts if letters(part) not in whole] == []
    assert len(set(evaluation.notes)) == len(evaluation.notes)
