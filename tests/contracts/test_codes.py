"""Every note and reason has a code that the table of codes explains, and every code of the table is used."""

from __future__ import annotations

import ast
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import thresher as th
from thresher.codes import CODES
from thresher.design_warnings import CONDITIONS
from thresher.errors import Note, choice, of_each_model

SOURCE = Path(th.__file__).parent
OF_WARNINGS = {"extreme-of-clusters"}
"""Codes of warnings without a condition."""


def _codes(path: Path) -> Iterator[str]:
    """First arguments of every `Note(...)` of a file, a name by the text that the file gives it."""
    tree = ast.parse(path.read_text("utf-8"))
    named = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note":
            first = node.args[0]
            for code in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if isinstance(code, ast.Constant):
                    yield code.value
                elif isinstance(code, ast.Name) and code.id in named:
                    yield named[code.id]


def test_the_table_of_codes_holds_those_that_notes_have() -> None:
    used = {code for path in SOURCE.rglob("*.py") for code in _codes(path)}
    assert used | CONDITIONS.keys() >= CODES.keys() - OF_WARNINGS
    assert {"assumed-threshold", "corrupted-rows", "resubstitution"} <= used
    assert [code for code in used if code not in CODES] == []


def test_a_note_keeps_its_code_and_its_parameter() -> None:
    note = Note("reversed-scores", "the order is reversed; ", choice("direction", "lower"), " turns it")
    [named] = of_each_model({"a": [note]})
    for each in (named, "so " + note, note + ".", note.cleaned(str.upper), note.spelled(lambda _: "--lower")):
        assert isinstance(each, Note)
        assert (each.code, each.parameter) == ("reversed-scores", "direction")
    assert pickle.loads(pickle.dumps(named)).to_dict() == named.to_dict()


def test_json_has_the_code_of_every_note() -> None:
    found = json.loads(th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.7, 0.1]).to_json())
    assert found["notes"][0] == {
        "code": "assumed-threshold",
        "text": "threshold 0.5 was assumed because every score is in [0, 1]; threshold=… sets another",
        "parameter": "threshold",
    }
    assert {note["code"] for note in found["notes"]} <= CODES.keys()
