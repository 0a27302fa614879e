"""Whose ROC lies above whose in a report: the evaluation's own answer, cut where it is long, and said when left out."""

import re

import numpy as np
import pytest

import thresher as th
from report_cases import breast_cancer, case
from thresher.analysis import comparing as part
from thresher.report.build import build
from thresher.report.numbers import brief
from thresher.report.render import json_parts
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict
from thresher.report.render.text import document_text
from thresher.report.sections.order import sections_of


def table_of(document):
    return next((each for each in sections_of(document) if each.key == "dominance"), None)


@pytest.mark.slow
def test_every_pair_is_that_of_the_evaluation_in_every_form():
    evaluation = breast_cancer()
    document = build(evaluation, points=True)
    names = list(evaluation)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    assert document.dominances == tuple(evaluation.dominance(a, b) for a, b in pairs)
    rows = table_of(document).rows
    for (a, b), row, found in zip(pairs, rows, document_dict(document)["dominance"], strict=True):
        want = evaluation.dominance(a, b)
        assert (row[0], found["models"], found["dominant"]) == (f"{a} and {b}", [a, b], want.dominant)
        assert found["crossings"] == [list(point) for point in want.crossings]
        assert [lead["leader"] for lead in found["leads"]] == [lead.leader for lead in want.leads]
        assert found["n_leads"] == len(want.leads)
        for form in (document_text(document, width=200), document_page(document)):
            assert row[1] in form


def test_a_dominant_model_and_one_curve_are_said():
    y = [1, 0, 1, 0]
    scores = {"a": [4, 2, 3, 1], "b": [4, 3, 2, 1], "c": [8, 6, 4, 2]}
    rows = table_of(build(th.evaluate(y, scores))).rows
    assert [row[1] for row in rows] == ["a dominates", "a dominates", "are one curve"]
    assert rows[0][2:] == ("50.0 %: 0 to 0.5", "nowhere")
    assert rows[2][2:] == ("nowhere", "nowhere")


def test_leads_that_touch_are_one():
    """Between them the curves share a vertical part."""
    document = build(th.evaluate([1, 1, 1, 1, 0, 0], {"a": [6, 4, 3, 1, 5, 2], "b": [5, 4, 2, 1, 6, 3]}))
    leads = [lead.fpr for lead in document.dominances[0].leads if lead.leader == "a"]
    assert leads == [(0.0, 0.5), (0.5, 1.0)]
    assert table_of(document).rows[0][1:] == ("a dominates", "100 %: 0 to 1", "nowhere")


def crossing(seed=0, n=4000):
    """Two equally good scores of one signal, whose curves cross often."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    base = y + rng.normal(size=n)
    return th.evaluate(y, {name: base + 0.2 * rng.normal(size=n) for name in "ab"})


def test_many_crossings_are_counted_and_the_widest_stretches_named(monkeypatch):
    evaluation = crossing()
    want = evaluation.dominance("a", "b")
    assert len(want.crossings) > 10
    monkeypatch.setattr(json_parts, "CROSSINGS", 5)
    document = build(evaluation)
    ((_, verdict, *led),) = table_of(document).rows
    assert verdict == f"cross {len(want.crossings)} times"
    for name, said in zip("ab", led, strict=True):
        share, stretches = re.fullmatch(r"([\d.]+) %: (.* to .*), …", said).groups()
        assert float(share) == pytest.approx(100 * _led(evaluation, name), abs=0.2)
        longest = max((x for x in want.leads if x.leader == name), key=_length)
        assert f"{brief(longest.fpr[0])} to {brief(longest.fpr[1])}" in stretches
    (found,) = document_dict(document)["dominance"]
    assert (len(found["crossings"]), len(found["leads"])) == (5, 5)
    assert (found["n_crossings"], found["n_leads"]) == (len(want.crossings), len(want.leads))
    widths = [_length(lead) for lead in want.leads]
    kept = [sum(lead[rate][1] - lead[rate][0] for rate in ("fpr", "tpr")) for lead in found["leads"]]
    np.testing.assert_allclose(sorted(kept, reverse=True), sorted(widths, reverse=True)[:5])
    starts = [lead["fpr"][0] + lead["tpr"][0] for lead in found["leads"]]
    assert starts == sorted(starts)


def _length(lead):
    return lead.fpr[1] - lead.fpr[0] + lead.tpr[1] - lead.tpr[0]


def _led(evaluation, name):
    """Share of the range of FPR over which a curve is above the other, read on a grid."""
    at = np.linspace(0, 1, 100_001)
    curves = {model: evaluation[model].roc.at(at) for model in "ab"}
    return (curves[name] > curves["b" if name == "a" else "a"]).mean()


def test_what_is_too_long_is_left_out_and_said(monkeypatch):
    evaluation = crossing(n=300)
    monkeypatch.setattr(part, "MOST_SCORES", 599)
    document = build(evaluation)
    assert (document.dominances, table_of(document)) == ((), None)
    assert "ROC curves are not compared in pairs for 300 rows; evaluation.dominance(a, b) compares two models" in (
        document.notes
    )
    monkeypatch.setattr(part, "MOST_SCORES", 600)
    assert len(build(evaluation).dominances) == 1
    y, many = [1, 0, 1, 0], {f"m{i}": [4, 3, i % 2, 1] for i in range(9)}
    said = build(th.evaluate(y, many)).notes
    assert "ROC curves are not compared in pairs for 9 models; evaluation.dominance(a, b) compares two models" in said


def test_one_model_or_one_class_has_none():
    for evaluation in (case("plain"), th.evaluate([1, 1], {"a": [2, 1], "b": [1, 2]}, positive=1)):
        document = build(evaluation)
        assert (document.dominances, table_of(document)) == ((), None)
        assert "no-dominance" not in [note.code for note in document.notes]
