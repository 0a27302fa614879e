"""Every note and reason has a code that the table of codes explains, and every code of the table is used."""

import ast
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import report_cases
import thresher as th
from thresher.calibration import spiegelhalter_test
from thresher.codes import CODES
from thresher.curves import ks_test, value_at
from thresher.design_warnings import CONDITIONS
from thresher.errors import Note, choice, of_each_model
from thresher.inference import calibration_summary, estimate_of_scores
from thresher.measures.baselines import baselines
from thresher.resampling import growth_exponent

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


def _reasons(found: Any) -> Iterator[tuple[str, str | None, str | None]]:
    """Key of each reason in JSON types, with its text and its code."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key == "reason" or key in ("threshold_reason", "value_reason"):
                yield key, value, found[f"{key}_code"]
            yield from _reasons(value)
    elif isinstance(found, list):
        for value in found:
            yield from _reasons(value)


@pytest.mark.parametrize("evaluation", report_cases.named())
def test_json_has_the_code_of_every_reason(evaluation: str) -> None:
    found = list(_reasons(json.loads(report_cases.case(evaluation).to_json())))
    assert found
    for key, text, code in found:
        assert (code in CODES) if text else code is None, (key, text, code)


NO_NEGATIVES = th.ScoreTable.from_scores([1, 1], [0.5, 0.4])
APART = th.ScoreTable.from_scores([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
MIXED = th.ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
CERTAIN = th.ConfusionMatrix.from_counts([[0, 3], [0, 5]], labels=[1, 0])
RESULTS: dict[str, Callable[[], Any]] = {
    "no-rows": lambda: ks_test(NO_NEGATIVES),
    "never-reached": lambda: value_at(MIXED, "precision", at="f1", value=1.0, rule="best"),
    "no-spread": lambda: spiegelhalter_test(th.ScoreTable.from_scores([1, 0], [1.0, 0.0])),
    "infinite": lambda: growth_exponent([1, 2], [1.0, 0.0]),
    "nothing-predicted": lambda: CERTAIN.estimate("precision"),
    "set-prevalence": lambda: estimate_of_scores(APART.with_prevalence(0), "average_precision"),
    "no-maximum": lambda: calibration_summary(APART).tests["recalibration"],
    "no-test": lambda: baselines(th.ConfusionMatrix.from_counts([[0.5, 1], [2, 3]], labels=[1, 0])),
    "not-probabilities": lambda: calibration_summary(th.ScoreTable.from_scores([1, 0], [3, 1])),
    "few-beyond-cut": lambda: th.evaluate([1, 0] * 9, {"a": range(18), "b": range(18, 0, -1)}).compare(
        "a", "b", measure="recall@fpr=0.01"
    ),
}
"""Results with a reason, by its code."""


@pytest.mark.parametrize("code", RESULTS)
def test_every_kind_of_result_has_the_code_of_its_reason(code: str) -> None:
    found = RESULTS[code]()
    assert found.reason_code == code, found.reason
    assert found.to_dict()["reason_code"] == code


ROWS = np.arange(60) % 2, np.random.default_rng(0).random(60)
NOTES: dict[str, Callable[[], Any]] = {
    "approximate-threshold": lambda: th.count(*ROWS, thresholds=[0.95]).with_least(15).notes,
    "certain-probabilities": lambda: th.expected([0.0, 1.0, 1.0]).notes,
    "rounded-threshold": lambda: th.evaluate(th.count(*ROWS, resolution=8), threshold=0.123).notes,
}
"""Results with notes, by the code of one."""


@pytest.mark.parametrize("code", NOTES)
def test_a_note_is_found_by_its_code(code: str) -> None:
    assert code in [note.code for note in NOTES[code]()]


def test_json_has_the_code_of_every_note() -> None:
    found = json.loads(th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.7, 0.1]).to_json())
    assert found["notes"][0] == {
        "code": "assumed-threshold",
        "text": "threshold 0.5 was assumed because every score is in [0, 1]; threshold=… sets another",
        "parameter": "threshold",
    }
    assert {note["code"] for note in found["notes"]} <= CODES.keys()
