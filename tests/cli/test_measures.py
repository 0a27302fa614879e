from __future__ import annotations

import json

from thresher.measures.registry import NEEDS, measures


def test_every_measure_is_in_the_catalogue_in_every_form(run) -> None:  # type: ignore[no-untyped-def]
    names = [entry.name for entry in measures(*NEEDS)]
    text, markdown = run("measures").out, run("measures", "--format", "markdown").out
    listed = json.loads(run("measures", "--format", "json").out)
    assert sorted(entry["name"] for entry in listed) == sorted(names)
    for entry in measures(*NEEDS):
        assert f"\n  {entry.name} " in text
        assert f"| `{entry.name}" in markdown
        assert all(alias in text for alias in entry.aliases)


def test_one_measure_as_json_says_its_parameters(run) -> None:  # type: ignore[no-untyped-def]
    facts = json.loads(run("measures", "f_beta", "--format", "json").out)
    assert facts["name"] == "f_beta"
    assert facts["parameters"]["beta"]
    assert "beta" not in facts["defaults"]
    assert run("measures", "f_beta", "--format", "markdown").out.startswith("# f_beta\n")


def test_every_measure_can_be_shown_in_every_form(run) -> None:  # type: ignore[no-untyped-def]
    for entry in measures("posteriors", "label sets", "ranked lists"):
        assert run("measures", entry.name).code == 0
    for entry in measures():
        assert run("measures", entry.name).code == 0
        assert run("measures", entry.name, "--format", "markdown").code == 0
        assert json.loads(run("measures", entry.name, "--format", "json").out)["formula"] == entry.text


def test_terms_are_answered_as_measures_are(run):
    assert "Thresholds that are the cheapest for some costs." in run("measures", "ROCCH").out
    assert json.loads(run("measures", "ROCCH", "--format", "json").out)["name"] == "convex hull"
    assert "ROC convex hull" in run("measures", "ROCCH", "--format", "csv").out
    assert run("measures", "rocch", "--format", "markdown").out.startswith("# convex hull\n")
    assert run("measures", "F_1").out.startswith("f1\n")
    unknown = run("measures", "frobnication")
    assert unknown.code == 2
    assert "no measure or term is called" in unknown.err
