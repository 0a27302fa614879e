"""Text, JSON, page and Python say the same of the same evaluation, with every option and in every case."""

import html
import json
import re

import numpy as np
import pytest

import thresher as th
from report_cases import CASES, QUICK, SCORE, TRUTH, case, named
from shares import few
from thresher.measures.shown import FIRST, RANKING
from thresher.report.blocks import Table
from thresher.report.build import build
from thresher.report.files import render
from thresher.report.numbers import estimated
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict
from thresher.report.render.text import document_text
from thresher.report.sections.calibration import MEASURES as CALIBRATION
from thresher.report.sections.order import sections_of
from thresher.report.sections.verdict import SHORT

ROWS = {"data": np.tile(TRUTH, 5), "scores": {"m": np.clip(np.tile(SCORE, 5) + np.arange(40) / 400 - 0.05, 0.01, 0.99)}}
PATIENT = np.arange(40) // 2
OPTIONS = {
    "rate_interval": {"rate_interval": "jeffreys"},
    "level": {"level": 0.8, "rate_interval": "clopper-pearson"},
    "cluster": {"cluster": PATIENT},
    "cluster drawn": {"cluster": PATIENT, "bootstrap": 20},
    "bootstrap": {"bootstrap": th.Bootstrap(n=20, rng=5), "rate_interval": "agresti-coull"},
    "importance and clusters": {"weights": np.linspace(0.5, 2, 40), "cluster": PATIENT, "rate_interval": "jeffreys"},
    "undefined": {"undefined": 0.5, "threshold": 2.0, "rate_interval": "jeffreys", "cluster": PATIENT},
}
"""Options that change intervals, or what is said of them."""
ASKED = {
    "youden": {"criterion": "youden"},
    "closest_corner": {"closest_corner": True},
    "f1": {"maximize": "f1"},
    "matthews_correlation": {"maximize": "mcc"},
}
ATTRIBUTES = ("auc", "brier_score", "true_positive_rate", "f1", "informedness")
"""A measure of each kind, read one by one."""


def of_options(name):
    return th.evaluate(**ROWS, **OPTIONS[name])


SAID = [pytest.param(lambda n=n: of_options(n), id=n) for n in OPTIONS]
SAID += [pytest.param(lambda n=n: case(n), id=f"case {n}", marks=() if n in QUICK else pytest.mark.slow) for n in CASES]


def plain(estimate):
    """What JSON has of an estimate."""
    numbers = (estimate.value, estimate.low, estimate.high)
    finite = [None if x is None or not np.isfinite(x) else x for x in numbers]
    return (*finite, estimate.method if estimate.low is not None else None)


def written(entry):
    return (entry["value"], entry["low"], entry["high"], entry["method"])


def agree(estimates, entries):
    """Names of what JSON has otherwise than Python; each was found in both."""
    assert entries
    return [name for name, entry in entries.items() if written(entry) != plain(estimates[name])]


@pytest.mark.parametrize("make", few(SAID, 5))
def test_json_and_attributes_are_one(make):
    evaluation = make()
    models = evaluation.to_dict()["models"]
    for name, model in evaluation.items():
        found = models[name]
        assert agree(model.measures, found["measures"]) == []
        if model.task != "binary":
            continue
        for measure in ATTRIBUTES:
            assert plain(getattr(model, measure)) == plain(model.measures[measure]), measure
        calibration = found.get("calibration") or {}
        if "estimates" in calibration:
            assert agree(model.calibration.estimates, calibration["estimates"]) == []
            for each in ("calibration_slope", "calibration_intercept"):
                assert plain(getattr(model, each)) == plain(model.calibration.estimates[each])


@pytest.mark.parametrize("make", few(SAID, 5))
def test_chosen_thresholds_are_those_of_python(make):
    evaluation = make()
    document = build(evaluation)
    for part in document.models:
        for key, chosen in (part.decisions.chosen if part.decisions else {}).items():
            want = evaluation[part.name].choose(**ASKED[key])
            assert chosen.threshold == want.threshold
            stand_in = isinstance(evaluation.undefined, str)
            assert {n: plain(e) for n, e in chosen.measures.items() if stand_in or e.is_defined} == {
                n: plain(e) for n, e in want.measures.items() if stand_in or e.is_defined
            }


@pytest.mark.parametrize("name", few(OPTIONS, 3))
def test_text_and_page_show_the_numbers_of_json(name):
    evaluation = of_options(name)
    model, document = evaluation["m"], build(evaluation, points=True)
    text, page = " ".join(document_text(document).split()), document_page(document)
    words = html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page).replace("\u2212", "-").split()))
    digits = {each.key: each.decimals for each in sections_of(document) if isinstance(each, Table)}
    shown = [(model.measures[n], digits["summary"]) for n in (*RANKING, *FIRST) if n in model.measures]
    shown += [(model.calibration.estimates[key], digits["calibration"]) for key, _ in CALIBRATION]
    for estimate, decimals in shown:
        assert estimated(estimate, decimals) in text, estimate
        assert estimated(estimate, decimals) in words, estimate
    island = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    # A page has no rows, so that it has no intervals of rows in clusters at other thresholds.
    assert bool(island["models"][0]["limits"]) == ("cluster" not in OPTIONS[name])
    assert document_dict(document)["level"] == evaluation.level


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
